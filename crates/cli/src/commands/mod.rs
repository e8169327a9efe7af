//! The commands, one file each.

pub(crate) mod balance;
pub(crate) mod block;
pub(crate) mod call;
pub(crate) mod claim;
mod described;
pub(crate) mod docs;
mod field_text;
mod following;
pub(crate) mod manual;
mod not_made;
mod refusal;
pub(crate) mod sign;
mod signing;
pub(crate) mod state;
pub(crate) mod submit;
mod to_sign;
mod transaction_input;
pub(crate) mod transfer;
pub(crate) mod trust;
pub(crate) mod verify;
pub(crate) mod wallet;
pub(crate) mod watch;
