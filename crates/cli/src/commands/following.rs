//! Checks whether a block follows the previous one.

use nodeproof_client::{Block, PreviousHash};
use nodeproof_primitives::Hash256;

use super::field_text::date_and_time;

/// Returns one line for each way in which a block does not follow the previous one.
///
/// The hash of the previous block is known if the node returns it, or from the votes in this block,
/// which contain it. Fields that can't be read are ignored here.
pub(super) fn breaks(index: u64, block: &Block, before: &Block) -> Vec<String> {
    let mut found = Vec::new();
    let Some(last) = index.checked_sub(1) else {
        return found;
    };
    let link = block.previous_hash().ok();
    let reported = before.hash().ok().map(|hash| (hash, "is"));
    let voted = voted(block, last).map(|hash| (hash, "is by the votes in it"));
    if let Some(PreviousHash::None) = link {
        found.push(format!(
            "block {index} has no link: its previous_hash is \"0\", which is the first block's"
        ));
    } else if let Some(PreviousHash::Hash(link)) = link
        && let Some((hash, how)) = [reported, voted]
            .into_iter()
            .flatten()
            .find(|(hash, _)| *hash != link)
    {
        found.push(format!(
            "block {index} does not follow block {last}: its previous_hash is {link}, and the hash \
             of block {last} {how} {hash}"
        ));
    }
    if let Some(how) = repeats(block, before) {
        found.push(format!("block {index} repeats block {last}: both {how}"));
    }
    if let (Ok(made), Ok(earlier)) = (block.timestamp(), before.timestamp())
        && made < earlier
    {
        found.push(format!(
            "time decreases: block {index} was made at {} ({}), and block {last} at {} ({})",
            date_and_time(made),
            made.as_millis(),
            date_and_time(earlier),
            earlier.as_millis()
        ));
    }
    found
}

/// Returns how a block shows that it is the previous one under another index.
fn repeats(block: &Block, before: &Block) -> Option<&'static str> {
    if matches!((block.hash(), before.hash()), (Ok(one), Ok(other)) if one == other) {
        return Some("have the same hash");
    }
    match (block.previous_hash(), before.previous_hash()) {
        (Ok(PreviousHash::Hash(one)), Ok(PreviousHash::Hash(other))) if one == other => {
            Some("have the same previous_hash")
        }
        _ => None,
    }
}

/// Returns the hash of the previous block, if all votes about it agree.
fn voted(block: &Block, before: u64) -> Option<&Hash256> {
    let receipts = block.receipts().ok()?;
    let mut hashes = receipts
        .iter()
        .filter(|receipt| receipt.block_index().is_ok_and(|about| *about == before))
        .filter_map(|receipt| receipt.block_hash().ok());
    let first = hashes.next()?;
    hashes.all(|hash| hash == first).then_some(first)
}
