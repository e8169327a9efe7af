//! The keywords of an OpenAPI 3.0.3 document: where each one can stand, and what it holds.
//!
//! Two readers share one table. Deriving a view needs to know where the description ends and data
//! begins: a property named `nullable`, or an example with such a member, is not a keyword. The
//! linter needs every keyword, because the client generator ignores an unknown one silently.

mod keyword;
mod lookup;
mod tables;
mod visit;

pub use keyword::{Keyword, Kind, Shape};
pub use visit::{Visitor, visit};
