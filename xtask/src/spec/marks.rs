//! Checks the form of this project's extensions: `x-observed`, `x-documented` and `x-when`.

use nodeproof_openapi::grammar::{self, Kind};
use nodeproof_openapi::{Spec, View, pointer, view};
use serde_json::{Map, Value};

use super::lint::Lint;
use super::problem::suggestion;
use super::requirements::REQUIREMENT;

/// The extensions in use. The README.md in the folder of the spec explains them.
const EXTENSIONS: [&str; 4] = [view::OBSERVED, view::DOCUMENTED, WHEN, REQUIREMENT];

/// Contains the query to which a schema or an example applies.
const WHEN: &str = "x-when";

pub(super) fn check(lint: &mut Lint<'_>) {
    let mut nodes = Vec::new();
    grammar::visit(lint.document(), &mut |at, kind, node| {
        nodes.push((at.to_owned(), kind, node));
    });
    for (at, kind, node) in nodes {
        extensions(lint, &at, kind, node);
        observed(lint, &at, kind, node);
        documented(lint, &at, node);
    }
}

fn extensions(lint: &mut Lint<'_>, at: &str, kind: Kind, node: &Map<String, Value>) {
    for (name, value) in node.iter().filter(|(name, _)| name.starts_with("x-")) {
        let at = pointer::join(at, name);
        if !EXTENSIONS.contains(&name.as_str()) {
            let hint = suggestion(name, EXTENSIONS);
            lint.report(
                "unknown-extension",
                &at,
                format!("unknown extension `{name}`{hint}"),
            );
        }
        if name == WHEN {
            if matches!(kind, Kind::Schema | Kind::Example) {
                when(lint, &at, value);
            } else {
                let message = "`x-when` is allowed only in a schema or an example: it names the \
                               query to which the schema or example applies";
                lint.report("mark-form", &at, message);
            }
        }
    }
}

fn observed(lint: &mut Lint<'_>, at: &str, kind: Kind, node: &Map<String, Value>) {
    let at = pointer::join(at, view::OBSERVED);
    match node.get(view::OBSERVED) {
        None => {}
        Some(Value::Bool(true)) => {
            if matches!(kind, Kind::Document | Kind::Info | Kind::Components) {
                let message = format!("a view can't do without its {kind:?}");
                lint.report("mark-form", &at, message);
            }
        }
        Some(Value::Array(names)) if !names.is_empty() => {
            for name in names {
                let known = name.as_str().is_some_and(|name| node.contains_key(name));
                if !known {
                    let message = format!("{name} is not a keyword of this {kind:?}");
                    lint.report("mark-form", &at, message);
                }
            }
        }
        Some(_) => {
            let message = "`x-observed` must be true or a list of keywords beside it";
            lint.report("mark-form", &at, message);
        }
    }
}

fn documented(lint: &mut Lint<'_>, at: &str, node: &Map<String, Value>) {
    let Some(mark) = node.get(view::DOCUMENTED) else {
        return;
    };
    let at = pointer::join(at, view::DOCUMENTED);
    let Some(overlay) = mark.as_object().filter(|overlay| !overlay.is_empty()) else {
        let message = "`x-documented` must be an object with the keywords that hold instead";
        return lint.report("mark-form", &at, message);
    };
    for (name, value) in overlay {
        if node.get(name) == Some(value) {
            let message = format!("`{name}` is the same without `x-documented`");
            lint.report("mark-form", &pointer::join(&at, name), message);
        }
    }
}

/// Checks that `x-when` contains query parameters and values that they can have.
fn when(lint: &mut Lint<'_>, at: &str, mark: &Value) {
    let Some(query) = mark.as_object().filter(|query| !query.is_empty()) else {
        let message = "`x-when` must be an object of query parameters";
        return lint.report("mark-form", at, message);
    };
    let Ok(spec) = Spec::from_value(lint.document().clone()) else {
        return;
    };
    let operations = spec.operations(View::Full);
    for (name, value) in query {
        let at = pointer::join(at, name);
        let mut parameters = operations
            .iter()
            .flat_map(|operation| operation.parameters());
        let parameter =
            parameters.find(|parameter| parameter.location == "query" && parameter.name == name);
        let Some(parameter) = parameter else {
            let message = format!("no operation has a query parameter `{name}`");
            lint.report("mark-form", &at, message);
            continue;
        };
        let possible = spec.validator(View::Full, &parameter.schema);
        if possible.is_ok_and(|validator| !validator.is_valid(value)) {
            lint.report("mark-form", &at, format!("`{name}` can't be {value}"));
        }
    }
}
