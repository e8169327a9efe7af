//! Checks that descriptions of the specification do not also report what real nodes do.

use nodeproof_openapi::pointer;
use serde_json::Value;

use super::lint::{Lint, source_of};

/// Words that report what nodes do.
const WORDS: [&str; 4] = ["seen", "observed", "some nodes", "nodes were"];

pub(super) fn check(lint: &mut Lint<'_>) {
    let mut found = Vec::new();
    // The introduction explains the marks.
    let mut documented = lint.documented.clone();
    if let Some(document) = documented.as_object_mut() {
        document.remove("info");
    }
    collect(&documented, &mut found);
    for (at, word) in found {
        lint.report(
            "unmarked-observation",
            &at,
            format!(
                "`{word}` is about real nodes: put it after `Observed:` at the end of the paragraph, or mark the \
                 node with `x-observed`"
            ),
        );
    }
}

fn collect(value: &Value, found: &mut Vec<(String, &'static str)>) {
    match value {
        Value::Object(members) => {
            for name in ["description", "summary"] {
                let text = members.get(name).and_then(Value::as_str);
                let text = text.unwrap_or_default().to_lowercase();
                let word = WORDS.into_iter().find(|word| {
                    text.split(|letter: char| !letter.is_alphanumeric() && letter != ' ')
                        .any(|part| format!(" {part} ").contains(&format!(" {word} ")))
                });
                if let (Some(word), Some(at)) = (word, source_of(value)) {
                    found.push((pointer::join(at, name), word));
                }
            }
            members.values().for_each(|value| collect(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| collect(value, found)),
        _ => {}
    }
}
