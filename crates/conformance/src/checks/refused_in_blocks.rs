//! Looks for refused transactions in blocks.

use std::{collections::BTreeSet, sync::Arc};

use super::finding::Finding;
use crate::{api::times_in_block, http::Exchange};

/// Returns a finding if a block contains a transaction with one of these codes, which were refused.
pub(crate) fn refused_in_blocks<'b>(
    codes: &BTreeSet<String>,
    blocks: impl IntoIterator<Item = &'b Arc<Exchange>>,
) -> Option<Finding> {
    blocks.into_iter().find_map(|block| {
        let body = block.success_object()?;
        let code = codes.iter().find(|code| times_in_block(body, code) > 0)?;
        let what = "a transaction that was refused is in a block";
        let expected = format!("no transaction with the trans_code {code}");
        let finding = Finding::new(block, what, expected, block.excerpt(160));
        Some(finding.at("/text/transactions"))
    })
}
