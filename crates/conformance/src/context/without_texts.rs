//! What stays of a result whose texts could not be redacted.

use nodeproof_report::{CaseReport, ExchangeReport, NodeReport, SweepReport};

/// The note in place of texts that could not be redacted.
const LEFT_OUT: &str = "(left out: this text could not be searched for signatures)";

/// A result that can be shown without any text that may contain a part of a signature.
pub(crate) trait WithoutTexts {
    /// Returns the value with a note in place of these texts.
    #[must_use]
    fn without_texts(self) -> Self;
}

impl WithoutTexts for String {
    fn without_texts(self) -> Self {
        LEFT_OUT.to_owned()
    }
}

impl<T: WithoutTexts> WithoutTexts for Option<T> {
    fn without_texts(self) -> Self {
        self.map(T::without_texts)
    }
}

impl WithoutTexts for CaseReport {
    fn without_texts(self) -> Self {
        Self {
            explained_by: None,
            reason: self.reason.without_texts(),
            note: Some(LEFT_OUT.to_owned()),
            snapshot: None,
            more_findings: self.more_findings + self.findings.len(),
            findings: Vec::new(),
            ..self
        }
    }
}

impl WithoutTexts for ExchangeReport {
    fn without_texts(self) -> Self {
        Self {
            url: LEFT_OUT.to_owned(),
            request_body: self.request_body.without_texts(),
            content_type: None,
            body: LEFT_OUT.to_owned(),
            curl: None,
            ..self
        }
    }
}

impl WithoutTexts for SweepReport {
    fn without_texts(self) -> Self {
        Self {
            kinds: Vec::new(),
            trouble: self.trouble.without_texts(),
            ..self
        }
    }
}

/// Leaves out what the run's samples, statistics and reasons show. Its cases and exchanges stay.
impl WithoutTexts for NodeReport {
    fn without_texts(self) -> Self {
        Self {
            reason: self.reason.without_texts(),
            notes: vec![LEFT_OUT.to_owned()],
            samples: None,
            requested: Vec::new(),
            not_rechecked: Vec::new(),
            cost: None,
            sweep: self.sweep.without_texts(),
            ..self
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// A signature in which no part occurs twice.
    pub(crate) const SIGNATURE: &str = "2bdbf71e169bc31f5d9c63c327b6da11ae018faea6091c241f224fc1d3bf7872\
                             6feb7131b9824ca0ae4b772c33bf36244897ed96ccddb4deb31ea5207a9654db";

    /// A report with a signature in every text that a node can influence.
    pub(crate) fn report() -> NodeReport {
        let report = json!({
            "target": {"base_url": "http://127.0.0.1:8420", "network": "devnet"},
            "verdict": "does-not-conform",
            "exit_code": 1,
            "reason": SIGNATURE,
            "notes": [SIGNATURE],
            "requests": 1,
            "started_at": "2026-11-23T12:00:00Z",
            "elapsed_ms": 1,
            "samples": {"blocks": 1, "claims": 1, "wallets": 1, "tokens": 1, "contract": SIGNATURE},
            "requested": [SIGNATURE],
            "not_rechecked": [SIGNATURE],
            "strict": false,
            "sweep": {
                "blocks": "1..2", "from": 1, "to": 2, "next": 2, "done": true, "judged": 1,
                "missing": 0, "unread": 0, "findings": 1, "trouble": SIGNATURE,
                "kinds": [{"case": "get-block/index", "what": SIGNATURE, "count": 1, "blocks": [1]}],
            },
            "coverage": {"operations": [], "unseen_fields": []},
            "cases": [{
                "id": "get-block/index", "level": "must", "outcome": "fail", "elapsed_ms": 1,
                "explained_by": SIGNATURE, "reason": SIGNATURE, "note": SIGNATURE,
                "snapshot": SIGNATURE, "more_findings": 2,
                "findings": [{"what": SIGNATURE, "expected": SIGNATURE, "actual": SIGNATURE}],
            }],
            "exchanges": [{
                "method": "GET", "url": SIGNATURE, "request_body": SIGNATURE, "status": 200,
                "content_type": SIGNATURE, "elapsed_ms": 1, "body": SIGNATURE, "body_bytes": 128,
                "curl": SIGNATURE,
            }],
        });
        serde_json::from_value(report).unwrap()
    }

    /// Returns a value as a report shows it. Fails if it shows the signature.
    pub(crate) fn shown(value: &impl serde::Serialize) -> Value {
        let text = serde_json::to_string(value).unwrap();
        assert!(!text.contains(&SIGNATURE[..16]), "{text}");
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn what_could_not_be_redacted_shows_no_text_of_a_node() {
        let mut report = report();
        let case = shown(&report.cases.remove(0).without_texts());
        assert_eq!(case["id"], "get-block/index");
        assert_eq!(case["outcome"], "fail");
        assert_eq!(case["note"], LEFT_OUT);
        assert_eq!(case["more_findings"], 3);
        let exchange = shown(&report.exchanges.remove(0).without_texts());
        assert_eq!(exchange["body"], LEFT_OUT);
        assert_eq!(exchange["status"], 200);
        assert_eq!(shown(&report.without_texts())["reason"], LEFT_OUT);
        assert_eq!(SIGNATURE.to_owned().without_texts(), LEFT_OUT);
    }
}
