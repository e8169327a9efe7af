//! The contents of a block.

use super::{receipt::Receipt, transaction::BlockTransaction};
use crate::decode::{ExtraFields, Field, List};

/// What a block holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Text {
    /// Whether it is there, and an object.
    pub(super) found: Field<()>,
    /// Whether it was an object inside a string.
    pub(super) in_text: bool,
    pub(super) transactions: Field<List<BlockTransaction>>,
    pub(super) receipts: Field<List<Receipt>>,
    pub(super) extra: ExtraFields,
}
