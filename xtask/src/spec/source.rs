//! Reads the spec as the build does, and finds the line of every node.

use std::collections::BTreeMap;

use nodeproof_openapi::pointer;
use saphyr_parser::{Event, Parser};
use serde_json::Value;

use super::problem::Problem;

/// A YAML document as JSON, with the place of each node.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) value: Value,
    places: BTreeMap<String, (usize, usize)>,
}

impl Source {
    /// Reads `text`.
    ///
    /// # Errors
    /// The first problem of `text` as YAML, such as a key that occurs twice.
    pub(super) fn read(text: &str) -> Result<Self, Problem> {
        // Only a value of this library rejects a key that occurs twice.
        let read = yaml_serde::from_str::<yaml_serde::Value>(text);
        let value = read
            .and_then(|_| yaml_serde::from_str(text))
            .map_err(|error| {
                let place = error.location();
                Problem {
                    line: place.as_ref().map_or(1, yaml_serde::Location::line),
                    column: place.as_ref().map_or(1, yaml_serde::Location::column),
                    pointer: String::new(),
                    rule: "yaml",
                    message: format!("not YAML: {error}"),
                }
            })?;
        let places = places(text);
        Ok(Self { value, places })
    }

    /// Returns line and column of the node at `pointer`, or of the nearest node that contains it.
    ///
    /// For a member of a mapping, they are those of its key.
    pub(super) fn place(&self, pointer: &str) -> (usize, usize) {
        let mut pointer = pointer;
        loop {
            if let Some(place) = self.places.get(pointer) {
                return *place;
            }
            match pointer::parent(pointer) {
                Some(parent) => pointer = parent,
                None => return (1, 1),
            }
        }
    }
}

/// A mapping or sequence that is being read.
struct Open {
    at: String,
    /// The number of complete elements, for a sequence.
    elements: Option<usize>,
    /// The key whose value comes next, for a mapping.
    key: Option<String>,
}

/// Returns line and column of each node, by its JSON pointer.
fn places(text: &str) -> BTreeMap<String, (usize, usize)> {
    let mut places = BTreeMap::new();
    let mut open: Vec<Open> = Vec::new();
    for (event, span) in Parser::new_from_str(text).map_while(Result::ok) {
        let place = (span.start.line(), span.start.col() + 1);
        if matches!(event, Event::SequenceEnd | Event::MappingEnd) {
            open.pop();
        } else if let (Some(mapping), Event::Scalar(name, ..)) = (open.last_mut(), &event)
            && mapping.elements.is_none()
            && mapping.key.is_none()
        {
            places.insert(pointer::join(&mapping.at, name), place);
            mapping.key = Some(name.to_string());
            continue;
        } else {
            let at = open.last().map_or_else(String::new, |parent| {
                let element = parent.elements.map(|position| position.to_string());
                let step = element.or(parent.key.clone()).unwrap_or_default();
                pointer::join(&parent.at, &step)
            });
            let (elements, key) = match event {
                Event::SequenceStart(..) => (Some(0), None),
                Event::MappingStart(..) => (None, None),
                Event::Scalar(..) | Event::Alias(_) => {
                    places.entry(at).or_insert(place);
                    complete(open.last_mut());
                    continue;
                }
                _ => continue,
            };
            places.entry(at.clone()).or_insert(place);
            open.push(Open { at, elements, key });
            continue;
        }
        complete(open.last_mut());
    }
    places
}

/// Notes that a value of a mapping or sequence is complete.
fn complete(parent: Option<&mut Open>) {
    if let Some(parent) = parent {
        parent.key = None;
        parent.elements = parent.elements.map(|count| count + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn reads_values_with_their_lines() -> Result<(), Problem> {
        let source = Source::read("a:\n  b: [1, '2', {x: y}, 3]\n  c: {d: 1.5}\n200: null\n")?;
        let expected = json!({"a": {"b": [1, "2", {"x": "y"}, 3], "c": {"d": 1.5}}, "200": null});
        assert_eq!(source.value, expected);
        assert_eq!(source.place("/a/b"), (2, 3));
        assert_eq!(source.place("/a/b/1"), (2, 10));
        assert_eq!(source.place("/a/b/2/x"), (2, 16));
        assert_eq!(source.place("/a/b/3"), (2, 23));
        assert_eq!(source.place("/a/c/d/deeper/still"), (3, 7));
        Ok(())
    }

    #[test]
    fn reports_where_text_is_not_yaml_and_where_a_key_occurs_twice() {
        for (text, line) in [("a: 1\nb: [1, 2\nc: 3\n", 3), ("a:\n  b: 1\n  b: 2\n", 2)] {
            let problem = Source::read(text).err();
            assert_eq!(
                problem.as_ref().map(|found| found.line),
                Some(line),
                "{problem:?}"
            );
        }
    }
}
