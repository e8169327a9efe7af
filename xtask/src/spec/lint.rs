//! The state that all rules share: the document, the places of its nodes, and the problems.

use std::collections::BTreeSet;

use nodeproof_openapi::{pointer, view};
use serde_json::Value;

use super::problem::Problem;
use super::source::Source;

/// A spec that is being checked.
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
            problems: BTreeSet::new(),
        }
    }

    /// Returns the document as written.
    pub(super) fn document(&self) -> &'s Value {
        &self.source.value
    }

    /// Reports a problem with the node at `pointer`.
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

    /// Returns whether the rule has already reported a problem with the node.
    pub(super) fn has(&self, rule: &str, pointer: &str) -> bool {
        self.problems
            .iter()
            .any(|problem| problem.rule == rule && problem.pointer == pointer)
    }

    /// Returns all problems, in the order of the file.
    pub(super) fn finish(self) -> Vec<Problem> {
        self.problems.into_iter().collect()
    }
}

/// Returns the place in the spec as written from which a node of a view with sources comes.
pub(super) fn source_of(node: &Value) -> Option<&str> {
    node.get(view::SOURCE).and_then(Value::as_str)
}

/// Returns the place in the spec as written of a place in a view with sources.
pub(super) fn written(view: &Value, at: &str) -> String {
    let mut node = at;
    loop {
        if let Some(source) = view.pointer(node).and_then(source_of) {
            return format!("{source}{}", &at[node.len()..]);
        }
        match pointer::parent(node) {
            Some(parent) => node = parent,
            None => return at.to_owned(),
        }
    }
}
