//! Reading answers for what is there.
//!
//! Nodes of different versions leave fields out, answer null, or write a value in
//! another form. So each field is read on its own, from its own text, and a field
//! that can't be read is kept with its text and the reason instead of failing the
//! whole answer. Only what is not JSON fails that.

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
pub(crate) use list::{Element, List, ListSeed, MOST_ODD, too_many_odd};
pub(crate) use members::{NameVisitor, members};
pub(crate) use odd::{Odd, odd_scalars, odd_value, read_odd};
pub(crate) use status::{SUCCESS, check_status};
