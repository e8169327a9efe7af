//! Checks whether a block follows the previous one.

use nodeproof_client::{Block, PreviousHash};
use nodeproof_primitives::Hash256;

use super::field_text::date_and_time;

/// Returns one line for each way in which a block does not follow the previous one.
///
/// The hash of the previous block is known if the node returns it, or from the votes in this block,
/// which contain it.
pub(super) fn breaks(index: u64, block: &Block, before: &Block) -> Vec<String> {
    let mut found = Vec::new();
    let Some(last) = index.checked_sub(1) else {
        return found;
    };
    let reported = before.hash.as_ref().map(|hash| (hash, "is"));
    let voted = voted(block, last).map(|hash| (hash, "is by the votes in it"));
    match &block.previous_hash {
        PreviousHash::None => found.push(format!(
            "block {index} has no link: its previous_hash is \"0\", which is the first block's"
        )),
        PreviousHash::Hash(link) => {
            let mut hashes = [reported, voted].into_iter().flatten();
            if let Some((hash, how)) = hashes.find(|(hash, _)| *hash != link) {
                found.push(format!(
                    "block {index} does not follow block {last}: its previous_hash is {link}, and \
                     the hash of block {last} {how} {hash}"
                ));
            }
        }
    }
    if let Some(how) = repeats(block, before) {
        found.push(format!("block {index} repeats block {last}: both {how}"));
    }
    let (made, earlier) = (block.timestamp, before.timestamp);
    if made < earlier {
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
    if block.hash.is_some() && block.hash == before.hash {
        return Some("have the same hash");
    }
    (block.previous_hash.hash().is_some() && block.previous_hash == before.previous_hash)
        .then_some("have the same previous_hash")
}

/// Returns the hash of the previous block, if all votes about it agree.
fn voted(block: &Block, before: u64) -> Option<&Hash256> {
    let votes = block.receipts().ok()?.iter().map(|receipt| &*receipt.data);
    let mut hashes = votes
        .filter(|vote| vote.block_index == before)
        .map(|vote| &vote.block_hash);
    let first = hashes.next()?;
    hashes.all(|hash| hash == first).then_some(first)
}
