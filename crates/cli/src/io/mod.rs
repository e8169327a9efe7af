//! The terminal and files: input, output, prompts, and the message after an interruption.

pub(crate) mod confirm;
pub(crate) mod input;
pub(crate) mod interrupt;
pub(crate) mod output;
pub(crate) mod prompt;
pub(crate) mod table;
pub(crate) mod transaction_file;
