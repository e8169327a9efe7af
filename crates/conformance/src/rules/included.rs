//! The rule *included*: a block shows a transaction as it was signed.

use std::collections::BTreeMap;

use nodeproof_client::contract_call::shown_apart;
use nodeproof_primitives::Amount;
use serde_json::{Value, json};

use crate::{
    api::{FirstDifference, InBlock, Transaction, in_block, is_new, is_valid, submitted_code},
    checks::{Examination, Finding, signed_transaction},
    history::{Entry, History},
    http::Request,
};

/// Judges all blocks that were read since the run's first submission. Each accepted transaction in them has the values
/// and the signatures of a submission that was accepted.
pub(crate) fn included(history: &History) -> Examination {
    let mut accepted: BTreeMap<String, Vec<(&Value, &Request)>> = BTreeMap::new();
    for entry in history.of_path("/submit-transaction") {
        let request = &entry.exchange.request;
        if request.wrongly_signed.is_none()
            && is_valid(&entry.exchange)
            && (!history.is_of_others || is_new(&entry.exchange) == Some(true))
            && let Some(code) = submitted_code(&entry.exchange)
            && let Some(body) = entry.exchange.sent()
        {
            let known = accepted.entry(code).or_default();
            // What a node takes for a known transaction does not replace that one.
            let call = Transaction::of(body).map(Transaction::call);
            let is_other = |(first, _): &(&Value, &Request)| {
                Transaction::of(first).map(Transaction::call) != call
            };
            if is_new(&entry.exchange) != Some(false) || !known.iter().any(is_other) {
                known.push((body, request));
            }
        }
    }
    let mut result = Examination::default();
    let blocks = history.blocks().map(|(_, block)| block);
    for block in blocks.filter(|block| Some(block.began) >= history.first_submission()) {
        let Some(body) = block.exchange.success_object() else {
            continue;
        };
        accepted.retain(|code, submissions| {
            let Some(found) = in_block(body, code) else {
                return true;
            };
            result.count_item();
            // It may have been accepted in several forms, such as with a high s.
            let different = submissions.iter();
            let different = different.map(|one| mismatch(one, block, found));
            let finding = different
                .collect::<Option<Vec<_>>>()
                .and_then(|mut all| all.pop());
            let is_right = finding.is_none();
            result.findings.extend(finding);
            is_right
        });
    }
    result
}

/// Returns a finding about a transaction in a block that is not the one that was signed.
fn mismatch(
    (submitted, request): &(&Value, &Request),
    block: &Entry,
    found: InBlock<'_>,
) -> Option<Finding> {
    let difference = difference(submitted, block, found);
    // The body has the signed transaction, and then another one under the same name.
    let Some(altered) = &request.unlike_signed else {
        return difference;
    };
    let what = "the transaction in the block is the second one of the body, and not the signed one";
    let finding = || Finding::new(&block.exchange, what, "the signed one", altered.as_str());
    difference.is_none().then(finding)
}

/// Returns how a transaction in a block differs from a submission.
fn difference(submitted: &Value, block: &Entry, found: InBlock<'_>) -> Option<Finding> {
    for (name, signed) in submitted["transaction"].as_object().into_iter().flatten() {
        // The specification does not show the shape. A member that the block omits is not a wrong value.
        let Some(value) = found.transaction.get(name) else {
            continue;
        };
        if value == signed || (name == "fee" && amount(value) == amount(signed)) {
            continue;
        }
        let what = format!("the transaction in the block has another {name} than was signed");
        let first = FirstDifference::between(signed, value)?;
        return Some(Finding::new(
            &block.exchange,
            what,
            first.expected,
            first.actual,
        ));
    }
    let (signatures, entries) = (found.signatures?, &submitted["signatures"]);
    let (listed, all) = (by_wallet(signatures), by_wallet(entries));
    // A node may leave out the signatures of others than the signers.
    let transaction = Transaction(&submitted["transaction"]);
    let is_signer = |[wallet, _]: &[Option<String>; 2]| {
        let mut signers = transaction.signers();
        signers.any(|one| wallet.as_deref() == Some(&*one.to_lowercase()))
    };
    let mut of_signers = all.clone().unwrap_or_default();
    of_signers.retain(is_signer);
    if listed == all || !of_signers.is_empty() && listed == Some(of_signers) {
        return None;
    }
    let what = "the transaction in the block has other signatures than were submitted";
    let (expected, actual) = shown_apart(&entries.to_string(), &signatures.to_string());
    let document = json!({"transaction": found.transaction, "signatures": signatures});
    let signed = signed_transaction(&document.to_string());
    Some(Finding::new(&block.exchange, what, expected, actual).with_signed_message(signed))
}

/// Returns a number in any notation.
fn amount(value: &Value) -> Option<Amount> {
    value.is_number().then(|| value.to_string().parse().ok())?
}

/// Returns the wallets and signatures of a list, in one order and in lower case.
fn by_wallet(entries: &Value) -> Option<Vec<[Option<String>; 2]>> {
    let text = |entry: &Value, name: &str| entry[name].as_str().map(str::to_lowercase);
    let entries = entries.as_array()?.iter();
    let mut entries: Vec<_> = entries
        .map(|entry| ["wallet_address", "msgsign"].map(|name| text(entry, name)))
        .collect();
    entries.sort();
    Some(entries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{api::block_request, history::recorded};

    const VALID: &str = r#"{"response":{"valid":true}}"#;
    const CODE: &str = "00112233445566778899aabbccddeeff00112233";

    fn submission(fee: &str, signatures: &str) -> Request {
        let transaction = format!(r#"{{"trans_code":"{CODE}","fee":{fee}}}"#);
        let body = format!(r#"{{"transaction":{transaction},"signatures":{signatures}}}"#);
        Request::post("/submit-transaction", body)
    }

    #[test]
    fn a_transaction_in_a_block_equals_an_accepted_submission() {
        const BOTH: &str =
            r#"[{"wallet_address":"0xa","msgsign":"1a"},{"wallet_address":"0xb","msgsign":"2b"}]"#;
        let one = |fee: &str, signatures: &str| {
            let transaction = format!(r#"{{"trans_code":"{CODE}","fee":{fee}}}"#);
            format!(r#"{{"transaction":{transaction},"signatures":{signatures}}}"#)
        };
        for (in_block, is_right) in [
            (one("7", BOTH), true),
            (one("7.0", BOTH), true),
            (one("8", BOTH), false),
            (
                one(
                    "7",
                    r#"[{"wallet_address":"0xb","msgsign":"2B"},{"wallet_address":"0xa","msgsign":"1a"}]"#,
                ),
                true,
            ),
            (
                one("7", r#"[{"wallet_address":"0xa","msgsign":"1a"}]"#),
                false,
            ),
            (one("7", "[]"), false),
            (format!(r#"{{"trans_code":"{CODE}"}}"#), true),
            (format!("{CODE:?}"), true),
        ] {
            let block = format!(r#"{{"index":7,"text":{{"transactions":[{in_block}]}}}}"#);
            let rows = vec![
                (10, submission("7", BOTH), 200, VALID),
                (20, block_request(7), 200, &*block),
                (30, block_request(7), 200, &*block),
            ];
            let result = included(&recorded(rows));
            assert_eq!(result.has_no_findings(), is_right, "{in_block}");
            assert!(result.findings.len() <= 1, "{in_block}");
            assert!(result.examined > 0, "{in_block}");
        }
    }

    #[test]
    fn a_block_may_leave_out_the_signatures_of_others_than_the_signers() {
        let entry = |wallet: &str| json!({"wallet_address": wallet, "msgsign": "1a"});
        let [signer, other] = ["0xA", "0xb"].map(entry);
        let call = json!({"trans_code": CODE, "specific_data": {"signers": ["0xa"]}});
        let submitted = json!({"transaction": call, "signatures": [signer, other]});
        for (listed, is_right) in [
            (vec![&other, &signer], true),
            (vec![&signer], true),
            (vec![&other], false),
            (vec![], false),
        ] {
            let entry = json!({"transaction": call, "signatures": listed});
            let block = json!({"index": 7, "text": {"transactions": [entry]}}).to_string();
            let request = Request::post("/submit-transaction", submitted.to_string());
            let rows = vec![
                (10, request, 200, VALID),
                (20, block_request(7), 200, &*block),
            ];
            let result = included(&recorded(rows));
            assert_eq!(result.has_no_findings(), is_right, "{entry}");
        }
    }

    #[test]
    fn either_of_two_accepted_forms_may_be_in_a_block() {
        const LOW: &str = r#"[{"wallet_address":"0xa","msgsign":"1a"}]"#;
        const HIGH: &str = r#"[{"wallet_address":"0xa","msgsign":"1f"}]"#;
        for in_block in [LOW, HIGH] {
            let entry =
                format!(r#"{{"transaction":{{"trans_code":"{CODE}"}},"signatures":{in_block}}}"#);
            let block = format!(r#"{{"index":7,"text":{{"transactions":[{entry}]}}}}"#);
            let rows = vec![
                (10, submission("7", LOW), 200, VALID),
                (15, submission("7", HIGH), 200, VALID),
                (20, block_request(7), 200, &*block),
            ];
            assert!(included(&recorded(rows)).has_no_findings(), "{in_block}");
        }
    }

    #[test]
    fn a_body_with_two_transactions_stands_for_the_signed_one() {
        for (fee_in_block, is_right) in [("7", true), ("8", false)] {
            // The last one counts for the reader of this test, and the first one is signed.
            let request = Request {
                unlike_signed: Some("/fee was signed as 7, and sent as 8".to_owned()),
                ..submission("8", "[]")
            };
            let listed = format!(r#"{{"trans_code":"{CODE}","fee":{fee_in_block}}}"#);
            let block = format!(
                r#"{{"index":7,"text":{{"transactions":[{{"transaction":{listed},"signatures":[]}}]}}}}"#
            );
            let rows = vec![
                (10, request, 200, VALID),
                (20, block_request(7), 200, &*block),
            ];
            let result = included(&recorded(rows));
            assert_eq!(result.has_no_findings(), is_right, "{fee_in_block}");
        }
    }
}
