//! Lenient parsing of responses.
//!
//! Nodes of different versions leave fields out, return null, or write a value in another form. So
//! each field is read on its own, from its own text. A field that can't be read is stored with its
//! text and the reason, and does not fail the whole response. Only a text that is not JSON does.

mod extra;
mod field;
mod hex;
mod leaf;
mod list;
mod members;
mod odd;
mod status;

pub use extra::ExtraFields;
pub(crate) use field::Field;
pub use field::{FieldError, FieldFault};
pub(crate) use hex::{all_hex, hex_bytes};
pub(crate) use leaf::{Leaf, kind_of, not_an_object, text_in};
pub(crate) use list::{Element, List, ListSeed, MAX_INVALID, too_many_odd};
pub(crate) use members::{NameVisitor, members};
pub(crate) use odd::{Odd, odd_scalars, odd_value, read_odd};
pub(crate) use status::{SUCCESS, check_status};
