//! One of the nodes that are compared.

use crate::run::Known;

/// A node that responded until the end of its run.
pub(crate) struct Side {
    /// Its base URL.
    pub(crate) name: String,
    pub(crate) known: Known,
}
