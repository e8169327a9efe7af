//! One of the nodes that are compared.

use crate::run::Known;

/// A node that answers to the end.
pub(crate) struct Side {
    /// Its base URL.
    pub(crate) name: String,
    pub(crate) known: Known,
}
