//! The settings of a command: the node, the contract, the fee and the signers.

mod access;
pub(crate) mod config_file;
mod connections;
pub(crate) mod exposure;
pub(crate) mod key_files;
pub(crate) mod settings;
pub(crate) mod signers;
mod without_key;
