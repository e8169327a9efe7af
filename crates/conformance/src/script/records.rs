//! The records of claimed assets, and the blocks that show which claims made them.

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    api::{block_request, contract_state_request, is_block},
    context::{Samples, SweptAsset},
    http::{Exchange, InconclusiveReason, Node},
};

/// Maximum number of blocks to read above the known ones.
const MAX_NEW_BLOCKS: u64 = 64;
/// Number of records to request at a time.
pub(crate) const AT_A_TIME: usize = 4;

/// Requests the record about an asset, and the blocks with its claims.
pub(crate) async fn request_record(
    node: &Node,
    asset: SweptAsset,
) -> Result<(Arc<Exchange>, Vec<(u64, Arc<Exchange>)>), InconclusiveReason> {
    let request = contract_state_request(&asset.contract, &asset.asset);
    let record = node.send(request).await?;
    let mut blocks = Vec::new();
    for index in asset.blocks {
        blocks.push((index, node.send(block_request(index)).await?));
    }
    Ok((record, blocks))
}

/// Reads these blocks, and those above an index that were made in the meantime.
pub(crate) async fn read_with_new_blocks(
    context: &Samples,
    last: u64,
    wanted: BTreeSet<u64>,
) -> Result<(), InconclusiveReason> {
    let above = last.saturating_add(1);
    for index in above..above.saturating_add(MAX_NEW_BLOCKS) {
        let block = context.node.send(block_request(index)).await?;
        if !block.success_object().is_some_and(is_block) {
            break;
        }
    }
    let requests = wanted.into_iter().map(block_request);
    context.node.send_all(requests.collect()).await.map(drop)
}
