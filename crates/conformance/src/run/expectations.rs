//! The known failures of nodes: case IDs with a reason and, optionally, an expiry date and limits.
//!
//! These cases still run. If one fails, its outcome is *known*. If it passes, its
//! outcome is *stale*, and the run fails. So the file can't list faults that are fixed.

use std::{collections::BTreeMap, str::FromStr};

use nodeproof_client::BaseUrl;
use nodeproof_report::Outcome;
use serde::Deserialize;
use time::OffsetDateTime;
use toml::value::Datetime;

use crate::{
    cases::{self, CaseResult},
    checks::Finding,
    http::Target,
};

/// The reason why a file of expectations can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExpectationError {
    /// The text is not valid TOML, or has unexpected members. The message names the line.
    #[error("{0}")]
    Form(String),
    /// A case ID does not exist.
    #[error("{case:?} is not a case{}; see --list", near(.nearest))]
    UnknownCase {
        /// The ID in the file.
        case: String,
        /// A case with a similar ID.
        nearest: Option<&'static str>,
    },
    /// A case is listed twice for the same nodes.
    #[error("{0:?} is expected twice")]
    Twice(String),
    /// A node is not a base URL.
    #[error(
        "{case:?} names the node {found:?}, which is not a base URL such as http://localhost:8420: {reason}"
    )]
    Node {
        /// The case of the entry.
        case: String,
        /// The value in the file.
        found: String,
        /// What is wrong with it.
        reason: nodeproof_client::InputError,
    },
    /// A reason is empty.
    #[error("{0:?} has no reason: give the reason for the mismatch and where it is tracked")]
    NoReason(String),
    /// An expiry is not a date without a time.
    #[error("{case:?} expires on {found}, which is not a date such as 2027-06-30")]
    Expiry {
        /// The case of the entry.
        case: String,
        /// The value in the file.
        found: String,
    },
}

fn near(nearest: &Option<&'static str>) -> String {
    nearest
        .map(|id| format!(", did you mean {id}?"))
        .unwrap_or_default()
}

/// A day: year, month and day of the month.
type Day = (u16, u8, u8);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Expected {
    /// The only node that the entry applies to. An entry without one applies to all others.
    node: Option<BaseUrl>,
    reason: String,
    expires: Option<Day>,
    // The findings that the entry excuses. Without these limits, it excuses all findings of its case.
    blocks: Option<Vec<u64>>,
    location: Option<String>,
    actual: Option<String>,
    count: Option<usize>,
}

impl Expected {
    /// Whether the entry excuses all findings of a case.
    fn covers_all(&self, result: &CaseResult) -> bool {
        let all = result.findings.len().saturating_add(result.unlisted);
        let is_counted = self.count.is_none_or(|most| all <= most);
        // The findings that are not listed may be about anything.
        let is_about_all =
            self.blocks.is_none() && self.location.is_none() && self.actual.is_none();
        is_counted
            && (is_about_all || result.unlisted == 0)
            && result.findings.iter().all(|finding| self.covers(finding))
    }

    fn covers(&self, finding: &Finding) -> bool {
        let location = finding.pointer.as_deref().unwrap_or_default();
        let is_in_block = self.blocks.as_ref().is_none_or(|blocks| {
            let block = finding.block.or_else(|| block_of(finding));
            block.is_some_and(|block| blocks.contains(&block))
        });
        is_in_block
            && self
                .location
                .as_ref()
                .is_none_or(|prefix| location.starts_with(prefix))
            && self
                .actual
                .as_ref()
                .is_none_or(|part| finding.actual.contains(part))
    }
}

/// Returns the index of the block that a finding's request is for.
fn block_of(finding: &Finding) -> Option<u64> {
    let url = &finding.exchange.as_ref()?.url;
    let (_, index) = url.split_once("/get-block?block_index=")?;
    index.parse().ok()
}

/// The known failures of nodes, by case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expectations(BTreeMap<String, Vec<Expected>>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    expect: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    case: String,
    reason: String,
    node: Option<String>,
    expires: Option<Datetime>,
    blocks: Option<Vec<u64>>,
    location: Option<String>,
    actual: Option<String>,
    count: Option<usize>,
}

impl Expectations {
    /// Parses a file's text.
    ///
    /// ```
    /// let text = r#"
    ///     [[expect]]
    ///     case = "get-block/committee"
    ///     reason = "returns the committee as a string"
    ///     expires = 2027-06-30
    ///     blocks = [1, 2]
    ///     node = "http://localhost:8420"
    /// "#;
    /// nodeproof_conformance::Expectations::from_toml(text)?;
    /// # Ok::<(), nodeproof_conformance::ExpectationError>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if the text is not valid, names an unknown case or lists a case twice for the same node, if a reason
    /// is empty, if an expiry is not a date, or if a node is not a base URL.
    pub fn from_toml(text: &str) -> Result<Self, ExpectationError> {
        let file: File =
            toml::from_str(text).map_err(|error| ExpectationError::Form(error.to_string()))?;
        let known: Vec<_> = cases::all().iter().map(|case| case.id).collect();
        let mut expected: BTreeMap<_, Vec<Expected>> = BTreeMap::new();
        for entry in file.expect {
            if !known.contains(&entry.case.as_str()) {
                let nearest = nearest(&entry.case, &known);
                return Err(ExpectationError::UnknownCase {
                    case: entry.case,
                    nearest,
                });
            }
            if entry.reason.trim().is_empty() {
                return Err(ExpectationError::NoReason(entry.case));
            }
            let expires = entry
                .expires
                .map(|found| day(&entry.case, &found))
                .transpose()?;
            let node = entry.node.as_deref().map(BaseUrl::from_str).transpose();
            let node = node.map_err(|reason| ExpectationError::Node {
                case: entry.case.clone(),
                found: entry.node.clone().unwrap_or_default(),
                reason,
            })?;
            let value = Expected {
                node,
                reason: entry.reason,
                expires,
                blocks: entry.blocks,
                location: entry.location,
                actual: entry.actual,
                count: entry.count,
            };
            let entries = expected.entry(entry.case.clone()).or_default();
            if entries.iter().any(|known| known.node == value.node) {
                return Err(ExpectationError::Twice(entry.case));
            }
            entries.push(value);
        }
        Ok(Self(expected))
    }

    /// Returns the entry for a case on a node: the one that names the node, or else the one for all nodes.
    fn entry(&self, case: &str, target: &Target) -> Option<&Expected> {
        let entries = self.0.get(case)?;
        let names_it = |entry: &&Expected| {
            let node = entry.node.clone();
            let node = node.and_then(|node| node.of_network(target.network).ok());
            node.as_ref() == Some(&target.base_url)
        };
        let for_all = || entries.iter().find(|entry| entry.node.is_none());
        entries.iter().find(names_it).or_else(for_all)
    }

    /// Sets the outcome of a case that is expected to fail, unless the expectation has expired.
    pub(crate) fn apply(&self, result: &mut CaseResult, target: &Target, today: Day) {
        let Some(expected) = self.entry(result.case.id, target) else {
            return;
        };
        if expected.expires.is_some_and(|last| last < today) {
            if result.is_mismatch() {
                result.note = Some(format!("known until it expired: {}", expected.reason));
            }
            return;
        }
        if result.is_mismatch() && !expected.covers_all(result) {
            result.note = Some(format!("known only in part: {}", expected.reason));
        } else if result.is_mismatch() {
            result.outcome = Outcome::Known;
            result.note = Some(expected.reason.clone());
        } else if result.outcome == Outcome::Pass {
            result.outcome = Outcome::Stale;
            result.note = Some(format!(
                "expected to fail ({}), but passes: remove it from the file given with --expect",
                expected.reason
            ));
        }
    }
}

fn day(case: &str, found: &Datetime) -> Result<Day, ExpectationError> {
    match (found.date, found.time) {
        (Some(date), None) => Ok((date.year, date.month, date.day)),
        _ => Err(ExpectationError::Expiry {
            case: case.to_owned(),
            found: found.to_string(),
        }),
    }
}

/// Returns the known ID that is most similar to the given text, if any is similar enough.
pub(crate) fn nearest(written: &str, known: &[&'static str]) -> Option<&'static str> {
    known
        .iter()
        .map(|id| (similar::TextDiff::from_chars(written, id).ratio(), *id))
        .max_by(|left, right| left.0.total_cmp(&right.0))
        .filter(|(ratio, _)| *ratio > 0.7)
        .map(|(_, id)| id)
}

/// Returns the current day in UTC.
pub(crate) fn today() -> Day {
    let today = OffsetDateTime::now_utc().date();
    (
        u16::try_from(today.year()).unwrap_or(u16::MAX),
        today.month().into(),
        today.day(),
    )
}

#[cfg(test)]
mod tests {
    use nodeproof_primitives::Network;

    use super::*;
    use crate::cases::Case;

    #[test]
    fn refuses_what_would_never_apply_and_says_what_would() {
        let message = |text: &str| Expectations::from_toml(text).unwrap_err().to_string();
        let entry = |case: &str, more: &str| {
            format!("[[expect]]\ncase = {case:?}\nreason = \"known\"\n{more}")
        };
        let misspelt = message(&entry("get-block/comittee", ""));
        assert!(
            misspelt.contains("did you mean get-block/committee?"),
            "{misspelt}"
        );
        let twice = [entry("docs/page", ""), entry("docs/page", "")].concat();
        assert!(message(&twice).contains("twice"));
        assert!(message("[[expect]]\ncase = \"docs/page\"\nreason = \" \"").contains("no reason"));
        assert!(message(&entry("docs/page", "expires = 10:00:00")).contains("not a date"));
        assert!(message(&entry("docs/page", "untill = 2027-01-01")).contains("untill"));
        assert!(message("[[expect]\n").contains("line 1"));
        assert!(message(&entry("docs/page", "node = \"localhost\"")).contains("not a base URL"));
    }

    #[test]
    fn an_entry_excuses_only_the_findings_within_its_limits() {
        let case = cases::all()
            .into_iter()
            .find(|case| case.id == "get-block/committee")
            .unwrap();
        let finding = |block: u64, at: &str, actual: &str| {
            let mut finding = Finding::without_response("wrong", "right", actual).at(at);
            finding.block = Some(block);
            finding
        };
        let apply = |limits: &str, findings: &[Finding], unlisted: usize| {
            let text =
                format!("[[expect]]\ncase = \"get-block/committee\"\nreason = \"known\"\n{limits}");
            let mut result = CaseResult::not_run(case, Outcome::Fail);
            result.findings = findings.to_vec();
            result.unlisted = unlisted;
            let expectations = Expectations::from_toml(&text).unwrap();
            let target = Target::parse("http://localhost:9000", Network::Devnet).unwrap();
            expectations.apply(&mut result, &target, (2026, 11, 23));
            let note = result.note.unwrap_or_default();
            assert_eq!(
                note.contains("expired"),
                limits.contains("2020"),
                "{limits}"
            );
            result.outcome
        };
        let first = finding(1, "/committee", "null");
        let second = finding(2, "/committee/0", "\"x\"");
        let both = [first.clone(), second.clone()];
        let one = [first];
        for (limits, findings, unlisted, outcome) in [
            ("", &both[..], 7, Outcome::Known),
            ("blocks = [1]", &one, 0, Outcome::Known),
            ("blocks = [1]", &both, 0, Outcome::Fail),
            ("blocks = [1, 2]", &both, 0, Outcome::Known),
            ("blocks = [1, 2]", &both, 1, Outcome::Fail),
            ("location = \"/committee\"", &both, 0, Outcome::Known),
            ("location = \"/committee/\"", &both, 0, Outcome::Fail),
            ("actual = \"null\"", &one, 0, Outcome::Known),
            ("actual = \"null\"", &both, 0, Outcome::Fail),
            ("count = 2", &both, 0, Outcome::Known),
            ("count = 9", &both, 7, Outcome::Known),
            ("count = 1", &both, 0, Outcome::Fail),
            ("expires = 2026-11-24", &one, 0, Outcome::Known),
            ("expires = 2020-01-31", &one, 0, Outcome::Fail),
        ] {
            let judged = apply(limits, findings, unlisted);
            assert_eq!(
                judged,
                outcome,
                "{limits}, {} findings",
                findings.len() + unlisted
            );
        }
    }
    #[test]
    fn an_entry_for_a_node_comes_before_the_one_for_all_nodes() {
        let case = cases::all()[0];
        let text = format!(
            "[[expect]]\ncase = {id:?}\nreason = \"everywhere\"\n\
             [[expect]]\ncase = {id:?}\nreason = \"here\"\nnode = \"http://localhost\"\n\
             [[expect]]\ncase = {other:?}\nreason = \"only here\"\nnode = \"http://localhost:8420/\"\n",
            id = case.id,
            other = cases::all()[1].id,
        );
        let expectations = Expectations::from_toml(&text).unwrap();
        let reason = |case: Case, url: &str| {
            let target = Target::parse(url, Network::Devnet).unwrap();
            let mut result = CaseResult::not_run(case, Outcome::Fail);
            expectations.apply(&mut result, &target, (2026, 11, 23));
            result.note
        };
        assert_eq!(reason(case, "http://localhost").as_deref(), Some("here"));
        assert_eq!(
            reason(case, "http://localhost:8420").as_deref(),
            Some("here")
        );
        assert_eq!(
            reason(case, "http://localhost:9000").as_deref(),
            Some("everywhere")
        );
        let other = cases::all()[1];
        assert_eq!(
            reason(other, "http://localhost").as_deref(),
            Some("only here")
        );
        assert_eq!(reason(other, "http://other:8420"), None);
    }
}
