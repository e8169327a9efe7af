//! The rule *authority*: of all ways to sign a transaction, only the right one is accepted.

use crate::{
    api::is_valid,
    checks::{Examination, Finding, Reply},
    history::History,
};

/// Judges all submissions of a run. Each one whose signatures are wrong has to be refused, at any time.
///
/// A refusal shows something only if a rightly signed transaction is accepted, or gets another response: a node
/// may refuse everything in the same words.
pub(crate) fn authority(history: &History) -> Examination {
    let mut result = Examination::default();
    let all = || history.of_path("/submit-transaction");
    let of_right_ones: Vec<Reply> = all()
        .filter(|entry| entry.exchange.request.wrongly_signed.is_none())
        .map(|entry| Reply::of(&entry.exchange))
        .collect();
    let accepts = of_right_ones.contains(&Reply::Accepted);
    for entry in all() {
        let exchange = &entry.exchange;
        let Some(what) = &exchange.request.wrongly_signed else {
            continue;
        };
        let differs = !of_right_ones.is_empty() && !of_right_ones.contains(&Reply::of(exchange));
        if !is_valid(exchange) && (accepts || differs) {
            result.count_item();
        }
        if is_valid(exchange) {
            let what = format!("{what} is accepted as valid");
            let finding = Finding::new(exchange, what, "a refusal", exchange.summary());
            result.push(finding.at("/response/valid"));
        }
    }
    result
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
        // A refusal in the same words shows nothing.
        let same = [(wrong, NOT_VALID), (None, NOT_VALID)];
        assert_eq!(judged(&same), (0, vec![]));
    }
}
