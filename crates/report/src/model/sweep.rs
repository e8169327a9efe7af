//! The blocks of a sweep, and a summary of its findings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A sweep: a check of every block of a range.
///
/// The report's cases hold the findings. This is a summary of them.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SweepReport {
    /// The range as given, such as `..` or `5..10`. Its end is exclusive.
    pub blocks: String,
    /// The first block.
    pub from: u64,
    /// The index after the last block. It is at most one more than the latest block when the sweep
    /// began.
    pub to: u64,
    /// The node's lowest block, if the range has no start and the chain's first blocks are gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub none_below: Option<u64>,
    /// The next block to check, if the sweep stopped before its end.
    pub next: u64,
    /// Whether the sweep reached its end.
    pub done: bool,
    /// Number of responses that were checked as blocks.
    pub judged: u64,
    /// Number of indexes without a block.
    pub missing: u64,
    /// Number of blocks that could not be read: the node sent no response, or one that was too
    /// large.
    pub unread: u64,
    /// Total number of findings.
    pub findings: u64,
    /// The findings, grouped by case and by mismatch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<SweepKind>,
    /// The records of claims that were compared with the claims in these blocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub records: Option<SweptRecords>,
    /// The path of the state file, from which the sweep can be resumed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Why the state was not saved last. An earlier state may be in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

impl SweepReport {
    /// Returns the progress of the sweep in words, one sentence for each line.
    pub(crate) fn in_words(&self) -> Vec<String> {
        let last = self.to.saturating_sub(1);
        let mut checked = format!(
            "sweep of blocks {} to {last}: {} checked",
            self.from, self.judged
        );
        for (count, what) in [(self.missing, "missing"), (self.unread, "not read")] {
            if count > 0 {
                checked.push_str(&format!(", {count} {what}"));
            }
        }
        checked.push_str(&match self.findings {
            0 => ", no findings".to_owned(),
            1 => ", 1 finding".to_owned(),
            count => format!(", {count} findings"),
        });
        let mut lines = vec![checked];
        if let Some(lowest) = self.none_below {
            lines.push(format!(
                "it began at the lowest block, because the node has no block below {lowest}"
            ));
        }
        if let Some(records) = self.records.filter(|records| records.assets > 0) {
            let mut compared = format!(
                "the records of {} of {} claimed assets were compared with the claims",
                records.compared, records.assets
            );
            if records.other_claims > 0 {
                compared.push_str(&format!(
                    "; {} claims about further assets were not compared",
                    records.other_claims
                ));
            }
            lines.push(compared);
        }
        if !self.done {
            let rest = match (&self.state, &self.trouble) {
                (Some(path), None) => format!("; --resume continues from there, with {path}"),
                (Some(path), Some(trouble)) => format!(
                    "; --resume continues at an earlier block, with {path}, as the latest state was not saved: {trouble}"
                ),
                (None, Some(trouble)) => {
                    format!(", and can't be resumed, as its state was not saved: {trouble}")
                }
                (None, None) => String::new(),
            };
            lines.push(format!("it ended before block {}{rest}", self.next));
        } else if let Some(trouble) = &self.trouble {
            lines.push(format!("its state was not saved: {trouble}"));
        }
        lines
    }
}

/// The records that a sweep compared with the claims in its blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SweptRecords {
    /// Number of assets with claims in these blocks, up to a limit of 1,000.
    pub assets: u64,
    /// Number of these assets that have a record, and whose record was compared.
    pub compared: u64,
    /// Number of claims about further assets, which were not compared.
    pub other_claims: u64,
}

/// The findings of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SweepKind {
    /// The case's ID.
    pub case: String,
    /// What is wrong.
    pub what: String,
    /// Number of findings.
    pub count: u64,
    /// The indexes of the first blocks with such a finding.
    pub blocks: Vec<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_says_why_its_state_was_not_saved() {
        let full = Some("no space");
        for (done, state, trouble, last) in [
            (true, None, None, "sweep of blocks 1 to 8: 5 checked"),
            (true, None, full, "its state was not saved: no space"),
            (
                false,
                Some("st.json"),
                None,
                "it ended before block 6; --resume continues from there, with st.json",
            ),
            (
                false,
                Some("st.json"),
                full,
                "it ended before block 6; --resume continues at an earlier block, with st.json",
            ),
            (
                false,
                None,
                full,
                "it ended before block 6, and can't be resumed, as its state was not saved: no space",
            ),
        ] {
            let report = serde_json::json!({
                "blocks": "..", "from": 1, "to": 9, "next": 6, "done": done, "judged": 5, "missing": 0, "unread": 0,
                "findings": 0, "state": state, "trouble": trouble,
            });
            let report: SweepReport = serde_json::from_value(report).expect("a report");
            let lines = report.in_words();
            let said = lines.last().expect("a line");
            assert!(said.starts_with(last), "{said}");
        }
    }
}
