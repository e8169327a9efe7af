//! The contents of a block.

use super::{receipt::Receipt, transaction::BlockTransaction};
use crate::decode::{ExtraFields, Field, List};

/// The contents of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Text {
    /// Whether `text` is present, and is an object.
    pub(super) found: Field<()>,
    /// Whether the object was inside a string.
    pub(super) in_text: bool,
    pub(super) transactions: Field<List<BlockTransaction>>,
    pub(super) receipts: Field<List<Receipt>>,
    pub(super) extra: ExtraFields,
}
