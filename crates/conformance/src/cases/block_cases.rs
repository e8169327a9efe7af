//! The list of the cases about blocks.

use super::{block_transactions, case::Case, chain, chain_times, get_block};
use crate::{api::Sample, checks::FIELDS};

/// Returns the cases about blocks, in the order in which reports list them.
pub(super) fn block_cases() -> Vec<Case> {
    let fields = FIELDS.iter().filter(|field| field.sample == Sample::Blocks);
    [
        get_block::CASES,
        &fields.map(get_block::of_field).collect::<Vec<_>>(),
        chain::CASES,
        chain_times::CASES,
        block_transactions::CASES,
    ]
    .concat()
}
