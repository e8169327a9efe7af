//! The tasks of this workspace: `cargo xtask conformance`, `devnode`, `spec`, `directions`, `bench`, `ci`.

pub mod bench;
pub mod ci;
pub mod conformance;
pub mod directions;
pub mod hostile;
pub mod spec;
