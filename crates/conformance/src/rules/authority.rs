//! The rule *authority*: of all ways to sign a transaction, only the right one is accepted.

use crate::{
    api::is_valid,
    checks::{Examination, Finding, Reply},
    history::History,
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
            let finding = Finding::new(
                exchange,
                what,
                exchange.request.expected_refusal(),
                exchange.summary(),
            );
            result.push(finding.at("/response/valid"));
        } else if replies.set_apart(exchange) {
            result.count_item();
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
