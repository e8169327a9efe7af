//! Checks that the target of every `$ref` exists, and that every component is used.

use std::collections::{BTreeMap, BTreeSet};

use nodeproof_openapi::grammar::{self, Kind};
use nodeproof_openapi::{pointer, view};
use serde_json::Value;

use super::lint::{Lint, source_of};
use super::problem::suggestion;

struct Reference {
    at: String,
    target: String,
    kind: Kind,
}

pub(super) fn check(lint: &mut Lint<'_>) {
    let document = lint.document();
    let references = references_of(document);
    for reference in &references {
        target(lint, document, reference);
    }
    unreachable_components(lint, document, &references);
    unmarked_components(lint);
}

fn references_of(document: &Value) -> Vec<Reference> {
    let mut references = Vec::new();
    grammar::visit(document, &mut |at, kind, node| {
        if let Some(target) = node.get("$ref").and_then(Value::as_str)
            && kind.may_be_reference()
        {
            references.push(Reference {
                at: at.to_owned(),
                target: target.to_owned(),
                kind,
            });
        }
    });
    references
}

fn target(lint: &mut Lint<'_>, document: &Value, Reference { at, target, kind }: &Reference) {
    let at = pointer::join(at, "$ref");
    let Some(place) = pointer::of_reference(target) else {
        let message =
            format!("`{target}` leads out of this file, which the generator can't follow");
        return lint.report("external-ref", &at, message);
    };
    let folder = kind.components_folder().unwrap_or_default();
    let home = format!("/components/{folder}/");
    let Some(name) = place.strip_prefix(&home).filter(|name| !name.contains('/')) else {
        let message = format!("`{target}` is not of the form `#{home}…`");
        return lint.report("ref-kind", &at, message);
    };
    if document.pointer(place).is_none() {
        let folder = document.pointer(home.trim_end_matches('/'));
        let known = folder.and_then(Value::as_object).into_iter().flatten();
        let hint = suggestion(name, known.map(|(name, _)| name.as_str()));
        let message = format!("`{target}` leads nowhere{hint}");
        lint.report("dangling-ref", &at, message);
    }
}

/// Returns the component that the node at `pointer` is part of.
fn component_of(pointer: &str) -> Option<&str> {
    let inside = pointer.strip_prefix("/components/")?;
    let name = inside.find('/')?;
    let end = inside[name + 1..]
        .find('/')
        .map_or(inside.len(), |end| name + 1 + end);
    Some(&pointer[.."/components/".len() + end])
}

/// Returns the components that are used from outside `components`, directly or through others.
fn reached(references: &[Reference]) -> BTreeSet<&str> {
    let mut from: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for Reference { at, target, .. } in references {
        if let Some(target) = pointer::of_reference(target) {
            from.entry(component_of(at).unwrap_or_default())
                .or_default()
                .push(target);
        }
    }
    let mut reached = BTreeSet::new();
    let mut waiting = vec![""];
    while let Some(component) = waiting.pop() {
        for target in from.get(component).into_iter().flatten() {
            if reached.insert(*target) {
                waiting.push(target);
            }
        }
    }
    reached
}

fn components(document: &Value) -> Vec<String> {
    let folders = document.get("components").and_then(Value::as_object);
    let mut components = Vec::new();
    for (folder, members) in folders.into_iter().flatten() {
        let at = pointer::join("/components", folder);
        for name in members
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| name)
        {
            // A security scheme is referred to by its name, in `security`.
            if !folder.starts_with("x-") && folder != "securitySchemes" {
                components.push(pointer::join(&at, name));
            }
        }
    }
    components
}

fn unreachable_components(lint: &mut Lint<'_>, document: &Value, references: &[Reference]) {
    let reached = reached(references);
    for component in components(document) {
        if !reached.contains(component.as_str()) {
            lint.report("unused-component", &component, "no operation leads here");
        }
    }
}

/// Reports components that only observed parts use. They need the mark of observed parts.
fn unmarked_components(lint: &mut Lint<'_>) {
    let references = references_of(&lint.documented);
    let reached = reached(&references);
    let left: Vec<String> = components(&lint.documented)
        .into_iter()
        .filter(|component| !reached.contains(component.as_str()))
        .collect();
    let everywhere = references_of(lint.document());
    let used = self::reached(&everywhere);
    for component in left
        .iter()
        .filter(|component| used.contains(component.as_str()))
    {
        let node = lint.documented.pointer(component);
        let at = node.and_then(source_of).unwrap_or(component).to_owned();
        let message = format!(
            "only observed parts lead here: mark it with `{}: true`",
            view::OBSERVED
        );
        lint.report("unmarked-component", &at, message);
    }
}
