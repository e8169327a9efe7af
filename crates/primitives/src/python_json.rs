//! The text that wallets and committees sign.
//!
//! The network signs a document as CPython's `json.dumps(json.loads(text))` writes it. This
//! module gives the same text as these two functions with their default settings, byte for byte.
//! This was observed on a real node. The specification leaves it open (OPEN-13).

mod error;
mod message;
mod number;
mod parse;

pub use error::MessageError;
pub use message::{signed_message, sorted_message};
