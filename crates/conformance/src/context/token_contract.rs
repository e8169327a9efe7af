//! The contract that a run calls for transfers. Only the chain shows it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{claim_step::Taken, submitter::Submitter};
use crate::{
    api::{Transaction, block_request, made_transfers},
    history::History,
};

/// Maximum number of contracts, apart from the verification contract, that are tried.
const MOST_TRIED: usize = 4;
/// Maximum number of blocks that are read in search of a transfer, and how many of them together.
const MOST_BLOCKS: usize = 256;
const AT_A_TIME: usize = 32;

/// Returns the contract of a transfer that a block shows, if possible of this token, or else that of one that the node
/// accepted in this run.
pub(super) fn contract_of_transfers(history: &History, token: &str) -> Option<String> {
    let contract_of = |call: &Value| {
        let contract = call["address"].as_str()?.to_owned();
        Some((call["params"]["asset_code"] == token, contract))
    };
    let blocks = history.blocks();
    let blocks = blocks.filter_map(|(_, entry)| entry.exchange.success_object());
    let made = blocks
        .flat_map(made_transfers)
        .filter_map(contract_of)
        .max();
    let accepted = || {
        let all = history.accepted().map(|(_, transaction)| transaction);
        let transfers = all.filter(|one| one.is_transfer());
        transfers
            .map(Transaction::call)
            .filter_map(contract_of)
            .last()
    };
    made.or_else(accepted).map(|(_, contract)| contract)
}

/// Returns the contracts to try for a transfer: the known one, or else all that the run has seen, the verification
/// contract last.
pub(super) async fn contracts_to_try(
    submitter: &Submitter,
    verification: &str,
    token: &str,
) -> Taken<Vec<String>> {
    read_until_a_transfer(submitter, token).await?;
    let history = submitter.samples.history();
    if let Some(known) = contract_of_transfers(&history, token) {
        return Ok(vec![known]);
    }
    let mentioned = submitter.samples.discovered.contracts.iter().cloned();
    let lists = history.of_path("/get-balances");
    let texts = lists.map(|entry| String::from_utf8_lossy(&entry.exchange.body));
    let holders: Vec<_> = texts.flat_map(|text| contracts_in(&text)).collect();
    let mut seen = BTreeSet::from([verification.to_owned()]);
    let others = mentioned.chain(holders);
    let others = others.filter(|contract| seen.insert(contract.clone()));
    let mut all: Vec<_> = others.take(MOST_TRIED).collect();
    all.push(verification.to_owned());
    Ok(all)
}

/// Reads blocks that the run has not read, the latest ones first, until one has a transfer.
async fn read_until_a_transfer(submitter: &Submitter, token: &str) -> Taken<()> {
    let samples = &submitter.samples;
    let history = samples.history();
    let read: BTreeSet<_> = history.blocks().map(|(index, _)| index).collect();
    let tip = samples.discovered.tip.unwrap_or_default();
    let unread = (1..=tip).rev().filter(|index| !read.contains(index));
    let unread: Vec<_> = unread.take(MOST_BLOCKS).collect();
    for some in unread.chunks(AT_A_TIME) {
        let is_known = contract_of_transfers(&samples.history(), token).is_some();
        // The rest of the run needs more requests than these.
        if is_known || samples.node.requests_left() < 4 * MOST_BLOCKS as u64 {
            break;
        }
        let requests = some.iter().map(|index| block_request(*index));
        samples.node.send_all(requests.collect()).await?;
    }
    Ok(())
}

/// Returns the addresses of contracts in a text.
fn contracts_in(text: &str) -> Vec<String> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    let is_hex =
        |digits: &str| digits.len() == 40 && digits.bytes().all(|one| one.is_ascii_hexdigit());
    let contracts = words.filter(|word| word.strip_prefix("ct").is_some_and(is_hex));
    contracts.map(ToOwned::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{history::recorded, http::Request};

    #[test]
    fn a_transfer_that_was_made_shows_its_contract() {
        let transfer = |contract: &str, token: &str, status: i64| {
            json!({"transaction": {"trans_code": contract, "specific_data": {
                "address": contract, "function": "transfer", "params": {"asset_code": token},
            }}, "signatures": [], "status": status})
        };
        let [of_token, of_other, failed] = [("cta", "T", 1), ("ctb", "U", 1), ("ctc", "T", -1)]
            .map(|(contract, token, status)| transfer(contract, token, status));
        for (listed, accepted, expected) in [
            (vec![&of_other, &of_token, &failed], None, Some("cta")),
            (vec![&of_other, &failed], None, Some("ctb")),
            (vec![&failed], None, None),
            (vec![&failed], Some(&of_other), Some("ctb")),
            (vec![&of_token], Some(&of_other), Some("cta")),
        ] {
            let block = json!({"index": 7, "text": {"transactions": listed}}).to_string();
            let mut rows = vec![(0, block_request(7), 200, block.as_str())];
            rows.extend(accepted.map(|one| {
                let request = Request::post("/submit-transaction", one.to_string());
                let reply = r#"{"response":{"valid":true,"new_transaction":true}}"#;
                (2, request, 200, reply)
            }));
            let found = contract_of_transfers(&recorded(rows), "T");
            assert_eq!(found.as_deref(), expected, "{listed:?} {accepted:?}");
        }
    }
}
