//! Checks that every documented place cites its requirements, and that every requirement is cited.
//!
//! A part that is not in the specification has no requirement to cite. So the check finds an
//! addition without its mark, and also a mark on something that the specification states.

use std::collections::BTreeSet;

use nodeproof_openapi::grammar::{self, Kind};
use nodeproof_openapi::{Basis, Requirement, pointer, requirement, requirements, view};
use serde_json::{Map, Value};

use super::lint::Lint;
use super::problem::suggestion;

/// Contains the requirements that a node comes from: an ID, or a list of IDs.
pub(super) const REQUIREMENT: &str = "x-requirement";

/// A node of the spec that cites requirements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The name of the node for readers: `GET /get-block, block_index`, `Block.index` or `WalletAddress`.
    pub name: String,
    /// The IDs that it cites.
    pub cites: Vec<String>,
}

/// Returns all places that cite requirements, in the order of the document.
pub fn places(document: &Value) -> Vec<Place> {
    let mut places = Vec::new();
    grammar::visit(document, &mut |at, kind, node| {
        let cites: Vec<_> = cited(node).map(ToOwned::to_owned).collect();
        if !cites.is_empty() {
            let name = name(at, kind, node);
            places.push(Place { name, cites });
        }
    });
    places
}

pub(super) fn check(lint: &mut Lint<'_>) {
    let mut problems = Vec::new();
    grammar::visit(lint.document(), &mut |at, _, node| {
        let Some(value) = node.get(REQUIREMENT) else {
            return;
        };
        let at = pointer::join(at, REQUIREMENT);
        if cited(node).next().is_none() {
            problems.push((
                at.clone(),
                format!("`{REQUIREMENT}` is {value}, not an ID or a list of IDs"),
            ));
        }
        for id in cited(node).filter(|id| requirement(id).is_none()) {
            let hint = suggestion(id, requirements().iter().map(|known| known.id));
            problems.push((
                at.clone(),
                format!("specification.md has no requirement `{id}`{hint}"),
            ));
        }
    });
    let mut found = BTreeSet::new();
    grammar::visit(&lint.documented, &mut |at, kind, node| {
        found.extend(cited(node).map(ToOwned::to_owned));
        if let Some(message) = problem(at, kind, node) {
            let source = node.get(view::SOURCE).and_then(Value::as_str);
            problems.push((source.unwrap_or(at).to_owned(), message));
        }
    });
    let uncited = requirements()
        .iter()
        .filter(|one| one.basis == Basis::Documented && !found.contains(one.id));
    for Requirement { id, text, .. } in uncited {
        problems.push((
            String::new(),
            format!("no documented place cites {id}: {text}"),
        ));
    }
    for (at, message) in problems {
        lint.report("requirement", &at, message);
    }
}

/// Returns the problem of a node of the documented view.
fn problem(at: &str, kind: Kind, node: &Map<String, Value>) -> Option<String> {
    if kind == Kind::Schema && node.get("nullable") == Some(&Value::Bool(true)) {
        return Some("the specification shows no null: is `nullable` `x-observed`?".to_owned());
    }
    if !node.contains_key(REQUIREMENT) {
        return needs_requirement(at, kind, node).then(|| {
            format!(
                "a documented place without `{REQUIREMENT}`: which requirement of specification.md does it \
                 come from, or is it `x-observed`?"
            )
        });
    }
    let cites: Vec<_> = cited(node).collect();
    let observed = |id: &&str| requirement(id).is_some_and(|known| known.basis == Basis::Observed);
    (!cites.is_empty() && cites.iter().all(observed)).then(|| {
        let ids = cites.join(", ");
        format!("a documented place cites only {ids}, which is not documented: is it `x-observed`?")
    })
}

/// Returns whether the specification describes a node: an operation, a parameter, a response or a
/// field.
fn needs_requirement(at: &str, kind: Kind, node: &Map<String, Value>) -> bool {
    match kind {
        Kind::Operation => true,
        Kind::Parameter | Kind::Response => !node.contains_key("$ref"),
        Kind::Schema => {
            pointer::parent(at).and_then(pointer::last).as_deref() == Some("properties")
        }
        _ => false,
    }
}

fn cited(node: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let (one, several) = match node.get(REQUIREMENT) {
        Some(Value::String(id)) => (Some(id.as_str()), &[][..]),
        Some(Value::Array(ids)) => (None, ids.as_slice()),
        _ => (None, &[][..]),
    };
    one.into_iter()
        .chain(several.iter().filter_map(Value::as_str))
}

fn name(at: &str, kind: Kind, node: &Map<String, Value>) -> String {
    let steps: Vec<String> = at
        .split('/')
        .skip(1)
        .map(|step| step.replace("~1", "/"))
        .collect();
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    let own = node.get("name").and_then(Value::as_str);
    match (steps.as_slice(), kind) {
        (["paths", path, method, rest @ ..], _) => {
            let part = match rest {
                ["responses", status, ..] => format!(", {status}"),
                ["parameters", ..] => format!(", {}", own.unwrap_or_default()),
                _ => String::new(),
            };
            format!("{} {path}{part}", method.to_uppercase())
        }
        (["components", _, component, rest @ ..], _) => {
            let of_fields = rest.windows(2).filter(|pair| pair[0] == "properties");
            let fields: Vec<_> = of_fields.map(|pair| format!(".{}", pair[1])).collect();
            format!("{component}{}", fields.concat())
        }
        _ => at.trim_start_matches('/').to_owned(),
    }
}
