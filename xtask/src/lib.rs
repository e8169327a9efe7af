//! The tasks of this workspace: `cargo xtask conformance`, `devnode`, `spec`, `directions`, `ci`.

pub mod ci;
pub mod conformance;
pub mod directions;
pub mod spec;
