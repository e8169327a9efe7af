//! The rule *authority*: of all ways to sign a transaction, only the right one is accepted, and nobody claims anything
//! in the name of another wallet.

use crate::{
    api::{Transaction, carried, is_valid, known_rows},
    checks::{Examination, Finding, Reply},
    history::{Entry, History},
    http::Exchange,
};

/// What the responses to the submissions of a run show.
pub(super) struct Replies(Vec<Reply>);

impl Replies {
    /// Collects the responses to submissions that are not wrongly signed.
    pub(super) fn to_right_ones(history: &History) -> Self {
        let all = history.of_path(PATH);
        let right = all.filter(|entry| entry.exchange.request.wrongly_signed.is_none());
        Self(right.map(|entry| Reply::of(&entry.exchange)).collect())
    }

    /// Whether the refusal of a wrongly signed submission shows something: a rightly signed one is accepted, or gets
    /// another response. A node may refuse everything in the same words.
    pub(super) fn set_apart(&self, refusal: &Exchange) -> bool {
        self.0.contains(&Reply::Accepted)
            || !self.0.is_empty() && !self.0.contains(&Reply::of(refusal))
    }
}

const PATH: &str = "/submit-transaction";

/// Judges all submissions of a run. Each one whose signatures are wrong has to be refused, at any time.
pub(crate) fn authority(history: &History) -> Examination {
    let mut result = Examination::default();
    let replies = Replies::to_right_ones(history);
    for entry in history.of_path(PATH) {
        let exchange = &entry.exchange;
        let Some(what) = &exchange.request.wrongly_signed else {
            continue;
        };
        if is_valid(exchange) {
            let what = format!("{what} is accepted as valid");
            let finding = Finding::of_response(exchange, what, exchange.request.expected_refusal());
            result.push(finding.at("/response/valid"));
        } else if replies.set_apart(exchange) {
            result.count_item();
        }
    }
    verifiers(history, &mut result);
    result
}

/// Judges the records of claims that named another wallet as their verifier. A node may refuse such a claim, or store the
/// wallet that signed it.
fn verifiers(history: &History, result: &mut Examination) {
    let submissions = history.submissions().flat_map(Entry::submissions);
    let named: Vec<_> = submissions
        .filter_map(|submission| {
            let claim = Transaction::of(submission)?;
            let (asset, verifier) = (claim.asset()?, claim.param("verifier_address")?);
            (!claim.has_signer(verifier)).then_some((asset, verifier))
        })
        .collect();
    if named.is_empty() {
        return;
    }
    for entry in history.of_path("/sc-state") {
        let body = entry.exchange.success_object();
        for (member, value) in body.into_iter().flat_map(carried) {
            let is_of_other = |(asset, verifier): &&(&str, &str)| {
                let rows = known_rows(value).into_iter();
                let mut rows = rows.filter(|row| row.has("asset_id", asset));
                rows.any(|row| row.has("verifier_address", verifier))
            };
            if let Some((_, verifier)) = named.iter().find(is_of_other) {
                let what = "a claim is recorded in the name of a wallet that did not sign it";
                let expected = "a refusal, or the wallet that signed as the verifier";
                let finding = Finding::new(&entry.exchange, what, expected, *verifier);
                result.push(finding.at(format!("/{member}")));
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{history::recorded, http::Request};

    const VALID: &str = r#"{"status":"SUCCESS","response":{"valid":true}}"#;
    const NOT_VALID: &str = r#"{"status":"SUCCESS","response":{"valid":false}}"#;

    fn judged(rows: &[(Option<&str>, &str)]) -> (u64, Vec<String>) {
        let rows = rows.iter().enumerate().map(|(at, (wrongly_signed, body))| {
            let request = Request {
                wrongly_signed: wrongly_signed.map(ToOwned::to_owned),
                ..Request::post("/submit-transaction", "{}".to_owned())
            };
            (at as u64, request, 200, *body)
        });
        let result = authority(&recorded(rows.collect()));
        let findings = result.findings.into_iter();
        (result.examined, findings.map(|one| one.what).collect())
    }

    #[test]
    fn a_wrong_signature_is_refused_at_any_time() {
        let wrong = Some("a changed fee");
        let finding = "a changed fee is accepted as valid".to_owned();
        assert_eq!(judged(&[(wrong, NOT_VALID), (None, VALID)]), (1, vec![]));
        for rows in [&[(None, VALID), (wrong, VALID)][..], &[(wrong, VALID)]] {
            assert_eq!(judged(rows), (0, vec![finding.clone()]));
        }
        // Without right ones, a refusal shows nothing. In other words than theirs, it does.
        assert_eq!(judged(&[(wrong, NOT_VALID)]), (0, vec![]));
        let poor = r#"{"status":"SUCCESS","response":{"valid":false,"msg":"no money"}}"#;
        assert_eq!(judged(&[(wrong, NOT_VALID), (None, poor)]), (1, vec![]));
        // A refusal in the same words shows nothing.
        let same = [(wrong, NOT_VALID), (None, NOT_VALID)];
        assert_eq!(judged(&same), (0, vec![]));
    }
    #[test]
    fn nobody_claims_in_the_name_of_another_wallet() {
        let submission = r#"{"transaction":{"specific_data":{"signers":["0xa"],
            "params":{"asset_id":"one","verifier_address":"0xb"}}}}"#;
        let columns = |verifier| ["ct", "one", "token", verifier, "1", "", "", "", "9"];
        let record = |verifier| serde_json::json!({"value": columns(verifier)}).to_string();
        for (verifier, findings) in [("0xa", 0), ("0xb", 1), ("0xc", 0)] {
            let submit = Request::post("/submit-transaction", submission.to_owned());
            let read = crate::api::contract_state_request("ct", "one");
            let body = record(verifier);
            let rows = vec![(0, submit, 200, VALID), (1, read, 200, &*body)];
            let result = authority(&recorded(rows));
            assert_eq!(result.findings.len(), findings, "{verifier}");
        }
    }
}
