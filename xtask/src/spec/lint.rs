//! What every rule works with: the document, the places of its nodes, and where to tell problems.

use std::collections::BTreeSet;

use nodeproof_openapi::view;
use serde_json::Value;

use super::problem::Problem;
use super::yaml::Source;

/// A spec under examination.
pub(super) struct Lint<'s> {
    source: &'s Source,
    /// The full view, each node with its source.
    pub(super) full: Value,
    /// The documented view, each node with its source.
    pub(super) documented: Value,
    problems: BTreeSet<Problem>,
}

impl<'s> Lint<'s> {
    pub(super) fn new(source: &'s Source) -> Self {
        Self {
            source,
            full: view::full_with_sources(&source.value),
            documented: view::documented_with_sources(&source.value),
            problems: source.problems.iter().cloned().collect(),
        }
    }

    /// The document as written.
    pub(super) fn document(&self) -> &'s Value {
        &self.source.value
    }

    /// Tells of a problem with the node at `pointer`.
    pub(super) fn report(&mut self, rule: &'static str, pointer: &str, message: impl Into<String>) {
        let (line, column) = self.source.place(pointer);
        let (pointer, message) = (pointer.to_owned(), message.into());
        self.problems.insert(Problem {
            line,
            column,
            pointer,
            rule,
            message,
        });
    }

    /// Whether the rule has found something at the node already.
    pub(super) fn has(&self, rule: &str, pointer: &str) -> bool {
        self.problems
            .iter()
            .any(|problem| problem.rule == rule && problem.pointer == pointer)
    }

    /// All problems, in the order of the file.
    pub(super) fn finish(self) -> Vec<Problem> {
        self.problems.into_iter().collect()
    }
}

/// The place in the spec as written that a node of a view with sources comes from.
pub(super) fn source_of(node: &Value) -> Option<&str> {
    node.get(view::SOURCE).and_then(Value::as_str)
}
