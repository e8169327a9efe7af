//! The log of changes: one line for each.

use std::io::{Write, stdout};

use nodeproof_primitives::escape::{escaped_up_to, without_commands};
use nodeproof_report::{CaseChange, Change as Kind, Comparison, NodeReport, Outcome};
use serde_json::json;
use time::OffsetDateTime;

use super::metrics::verdict_name;
use crate::run::utc;

/// Maximum length of a message, in bytes.
const MAX_CHARACTERS: usize = 500;

/// The form of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// A line of text for each change.
    Text,
    /// A JSON object on one line for each change.
    Json,
}

/// Writes changes to standard output.
pub(crate) struct Log {
    format: LogFormat,
}

/// A change: its subject, what happened, and a message.
struct Change<'c> {
    about: &'c str,
    what: String,
    message: &'c str,
}

impl Log {
    pub(crate) const fn new(format: LogFormat) -> Self {
        Self { format }
    }

    /// Logs the differences from the previous report. The first report of a node is logged completely.
    pub(super) fn report(&self, before: Option<&NodeReport>, after: &NodeReport) {
        let mut changes = Vec::new();
        let verdict = verdict_name(after);
        let reason = after.reason.as_deref().unwrap_or_default();
        let same_verdict = before.is_some_and(|before| {
            (before.verdict, &before.reason) == (after.verdict, &after.reason)
        });
        if !same_verdict {
            changes.push(Change {
                about: "verdict",
                what: verdict.to_owned(),
                message: reason.strip_prefix("unreachable: ").unwrap_or(reason),
            });
        }
        let comparison = before.map(|before| Comparison::of_nodes(before, after));
        match &comparison {
            Some(comparison) => {
                let kinds = [Kind::New, Kind::Changed, Kind::Fixed, Kind::NotSeenAgain];
                let listed = kinds.into_iter().flat_map(|kind| comparison.of_kind(kind));
                changes.extend(listed.filter_map(of_case));
            }
            None => changes.extend(after.causes().into_iter().map(|(case, _)| Change {
                about: &case.id,
                what: case.outcome.name().to_owned(),
                message: case.findings.first().map_or("", |finding| &finding.what),
            })),
        }
        for change in changes {
            self.write(&after.target.base_url, &change);
        }
    }

    /// Logs a change that is not in a report:
    ///
    /// - `probe`: the node is `reachable` or `unreachable`.
    /// - `chain`: `reset` if it is shorter than before or has another last block, because the node was reset or another
    ///   node responds; `growth` if it grew by more blocks than a run checks; `skipped`, `continued` and `not saved` for the
    ///   progress of the monitor.
    /// - `blocks`: they `differ` from those of other nodes, or `agree` again.
    /// - `configuration`: it was `reloaded` or `rejected`.
    pub(super) fn change(&self, node: &str, about: &str, what: &str, message: &str) {
        let change = Change {
            about,
            what: what.to_owned(),
            message,
        };
        self.write(node, &change);
    }

    /// Writes a line. The lock also keeps the times in order.
    fn write(&self, node: &str, change: &Change<'_>) {
        let mut out = stdout().lock();
        let line = self.line(node, &utc(OffsetDateTime::now_utc()), change);
        // The reader of the log may be gone. The metrics are still served.
        let _ = writeln!(out, "{line}");
    }

    fn line(&self, node: &str, time: &str, change: &Change<'_>) -> String {
        let message = escaped_up_to(change.message, MAX_CHARACTERS);
        match self.format {
            LogFormat::Text => {
                let separator = if message.is_empty() { "" } else { ": " };
                without_commands(&format!(
                    "{time} {node} {} {}{separator}{message}",
                    change.about, change.what
                ))
            }
            LogFormat::Json => json!({
                "time": time,
                "node": node,
                "about": change.about,
                "result": change.what,
                "message": message,
            })
            .to_string()
            .replace("##[", "#\\u0023["),
        }
    }
}

/// Returns the change of a case, unless another case explains it.
fn of_case<'r>(change: &CaseChange<'r>) -> Option<Change<'r>> {
    let case = change.case;
    if case.explained_by.is_some() || case.outcome == Outcome::Inconclusive {
        return None;
    }
    let (what, reason) = match (change.kind, change.before) {
        (Kind::NotSeenAgain, Some(before)) => ("not seen again", &before.reason),
        _ => (case.outcome.name(), &case.reason),
    };
    Some(Change {
        about: &case.id,
        what: what.to_owned(),
        message: reason.as_deref().unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_no_command_of_github_actions() {
        let change = Change {
            about: "get-block/shape",
            what: "fail".to_owned(),
            message: "##[error]all is well\n::error::x",
        };
        for format in [LogFormat::Text, LogFormat::Json] {
            let log = Log::new(format);
            let line = log.line("http://localhost:8420", "2026-11-23T20:00:00Z", &change);
            assert!(!line.contains("##["), "{line}");
            assert!(line.contains("all is well") && !line.contains('\n'));
            if format == LogFormat::Json {
                let read: serde_json::Value = serde_json::from_str(&line).unwrap();
                assert_eq!(
                    read["message"],
                    escaped_up_to(change.message, MAX_CHARACTERS)
                );
            }
        }
    }
}
