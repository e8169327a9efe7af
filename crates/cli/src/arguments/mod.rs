//! Arguments that several commands share.

pub(crate) mod addresses;
pub(crate) mod fee;
pub(crate) mod global;
pub(crate) mod paths;
pub(crate) mod seconds;
pub(crate) mod time;
