//! The documented view as a flat list, one line a fact, and its comparison with the reviewed list.
//!
//! What the contract says does not change, so neither does this list. Whatever alters it, a
//! `nullable` without its mark, a pattern that was loosened, a property that is no longer required,
//! is a departure from the contract, or has to be reviewed as a better reading of it.

mod facts;
mod listing;

use std::collections::BTreeMap;

use nodeproof_openapi::view;
use serde_json::Value;

use super::lint::Lint;
use listing::{Entry, entries};

/// The whole list, as it is written into the file.
pub(super) fn text(view: &Value) -> String {
    let mut text = String::from(
        "# What the contract documents, one fact a line, as derived from node.yaml.\n\
         # Reviewed by hand: README.md says when it may change, and how.\n\n",
    );
    for Entry { key, facts, .. } in entries(view) {
        text.push_str(&format!("{key} {facts}\n"));
    }
    text
}

/// Tells where the documented view is not what the reviewed list says.
pub(super) fn check(lint: &mut Lint<'_>, reviewed: &str) {
    let mut expected: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    for (number, line) in reviewed.lines().enumerate() {
        let line = line.trim();
        if !line.is_empty() && !line.starts_with('#') {
            let (key, facts) = split(line);
            expected.insert(key, (number + 1, facts));
        }
    }
    let derived = entries(&lint.documented);
    let places = entries(&lint.full);
    for Entry {
        key,
        facts,
        pointer,
        used,
    } in &derived
    {
        match expected.get(key.as_str()) {
            Some((_, known)) if known == facts => {}
            Some((line, known)) => {
                let message = format!(
                    "unmarked departure from the contract: `{key}` is `{facts}`, and \
                     contract-inventory.txt has `{known}` in line {line}"
                );
                // Whether it is required is said where it is used, the rest where it is defined.
                let shared = facts.trim_end_matches(" required");
                let is_shared = shared == known.trim_end_matches(" required");
                lint.report(
                    "unmarked-departure",
                    if is_shared { used } else { pointer },
                    message,
                );
            }
            // Of a new part with all that is in it, the part is what has to be marked.
            None if ancestors(key).any(|above| {
                !expected.contains_key(above) && derived.iter().any(|entry| entry.key == above)
            }) => {}
            None => {
                let message = format!(
                    "unmarked departure from the contract: `{key} {facts}` is not in \
                     contract-inventory.txt; is it `{}`?",
                    view::OBSERVED
                );
                lint.report("unmarked-departure", pointer, message);
            }
        }
    }
    let has = |key: &str| derived.iter().any(|entry| entry.key == key);
    let mut gone: Vec<_> = expected.iter().filter(|(key, _)| !has(key)).collect();
    gone.sort_by_key(|(_, (line, _))| *line);
    for (key, (line, facts)) in gone {
        if ancestors(key).any(|above| expected.contains_key(above) && !has(above)) {
            continue;
        }
        // If only its mark is wrong, it is still there in the full view.
        let place = std::iter::once(*key)
            .chain(ancestors(key))
            .find_map(|key| places.iter().chain(&derived).find(|entry| entry.key == key));
        let pointer = place.map_or("", |entry| entry.pointer.as_str());
        let message = format!(
            "unmarked departure from the contract: `{key} {facts}`, line {line} of \
             contract-inventory.txt, is no longer documented"
        );
        lint.report("unmarked-departure", pointer, message);
    }
}

/// A line's key and facts.
fn split(line: &str) -> (&str, &str) {
    let words: Vec<&str> = line.splitn(4, ' ').collect();
    let of_key = match words.as_slice() {
        ["SECURITY", ..] => 1,
        ["SERVER", ..] => 3,
        [_, _, "operationId", ..] => 2,
        _ => 4,
    };
    let end = line
        .match_indices(' ')
        .nth(of_key - 1)
        .map_or(line.len(), |(end, _)| end);
    (&line[..end], line[end..].trim_start())
}

/// The keys of what holds the thing that `key` is about, from the nearest on.
fn ancestors(key: &str) -> impl Iterator<Item = &str> {
    let field = key
        .match_indices(' ')
        .nth(2)
        .map_or(key.len(), |(at, _)| at + 1);
    let mut ends: Vec<usize> = key[field..]
        .match_indices(['.', '[', '<'])
        .map(|(at, _)| field + at)
        .filter(|at| *at > field)
        .collect();
    ends.reverse();
    // The operation, of which everything is a part.
    ends.extend(key.match_indices(' ').nth(1).map(|(at, _)| at));
    ends.into_iter().map(|end| &key[..end])
}
