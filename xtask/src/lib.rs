//! The tasks of this workspace, such as `cargo xtask conformance`, `devnode`, `spec`, `directions`,
//! `bench`, `dist` and `ci`.

pub mod bench;
pub mod cargo;
pub mod ci;
pub mod conformance;
pub mod directions;
pub mod dist;
pub mod hostile;
mod platform;
pub mod spec;
