//! The keywords of an OpenAPI 3.0.3 document: where each may appear, and the form of its value.
//!
//! Two readers share one table. Deriving a view needs the boundary between description and data: a
//! property named `nullable`, or an example with such a member, is not a keyword. The linter needs
//! every keyword, because the client generator silently ignores unknown keywords.

mod keyword;
mod lookup;
mod tables;
mod visit;

pub use keyword::{Keyword, Kind, Shape};
pub use visit::{Visitor, visit};
