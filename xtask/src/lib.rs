//! The tasks of this workspace, such as `cargo xtask conformance`.

pub mod cargo;
pub mod conformance;
pub mod directions;
pub mod hostile;
