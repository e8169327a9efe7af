//! Reads YAML and records the line of every node.
//!
//! It uses the parser's events instead of a loader. A loader stops at the first duplicate key, but the
//! linter reports all problems of a file in one run.

use std::collections::BTreeMap;

use nodeproof_openapi::pointer;
use saphyr_parser::{Event, Parser, ScalarStyle, Span};
use serde_json::{Map, Number, Value};

use super::problem::Problem;

/// A YAML document as JSON, with the place of each node.
#[derive(Debug, Default)]
pub(super) struct Source {
    pub(super) value: Value,
    places: BTreeMap<String, (usize, usize)>,
    pub(super) problems: Vec<Problem>,
}

impl Source {
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

    /// Reads `text`. Its problems as YAML are in `problems`.
    pub(super) fn read(text: &str) -> Self {
        let mut reader = Reader::default();
        for event in Parser::new_from_str(text) {
            match event {
                Ok((event, span)) => reader.take(event, span),
                Err(error) => {
                    let at = *error.marker();
                    let message = format!("not YAML: {}", error.info());
                    reader.report_at((at.line(), at.col() + 1), "yaml", "", message);
                    break;
                }
            }
        }
        reader.source
    }
}

/// A mapping or sequence that is being read.
struct Open {
    at: String,
    holds: Holds,
}

enum Holds {
    Sequence(Vec<Value>),
    Mapping {
        members: Map<String, Value>,
        /// The key whose value comes next, or `None` if a key comes next.
        key: Option<Key>,
    },
}

struct Key {
    name: String,
    duplicate: bool,
}

#[derive(Default)]
struct Reader {
    source: Source,
    open: Vec<Open>,
    documents: usize,
}

impl Reader {
    fn take(&mut self, event: Event<'_>, span: Span) {
        let place = (span.start.line(), span.start.col() + 1);
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    self.report_at(place, "yaml", "", "more than one document in the file");
                }
            }
            Event::SequenceStart(anchor, tag) => {
                self.refuse_anchor_and_tag(place, anchor, tag.is_some());
                self.start(place, Holds::Sequence(Vec::new()));
            }
            Event::MappingStart(anchor, tag) => {
                self.refuse_anchor_and_tag(place, anchor, tag.is_some());
                self.start(
                    place,
                    Holds::Mapping {
                        members: Map::new(),
                        key: None,
                    },
                );
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let value = match self.open.pop().map(|open| open.holds) {
                    Some(Holds::Sequence(items)) => Value::Array(items),
                    Some(Holds::Mapping { members, .. }) => Value::Object(members),
                    None => return,
                };
                self.put(value);
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.refuse_anchor_and_tag(place, anchor, tag.is_some());
                self.scalar(&text, style, place);
            }
            Event::Alias(_) => {
                self.report(
                    place,
                    "yaml-alias",
                    "aliases are not used here: refer with `$ref`",
                );
                self.start_scalar(place);
                self.put(Value::Null);
            }
            _ => {}
        }
    }

    fn scalar(&mut self, text: &str, style: ScalarStyle, place: (usize, usize)) {
        if let Some(Open {
            at,
            holds:
                Holds::Mapping {
                    members,
                    key: key @ None,
                },
        }) = self.open.last_mut()
        {
            let at = pointer::join(at, text);
            let duplicate = members.contains_key(text);
            *key = Some(Key {
                name: text.to_owned(),
                duplicate,
            });
            let plain = style == ScalarStyle::Plain;
            if duplicate {
                let first = self.source.places.get(&at).map_or(0, |place| place.0);
                let message = format!("duplicate key `{text}`, first in line {first}");
                self.report_at(place, "duplicate-key", &at, message);
                return;
            }
            self.source.places.insert(at.clone(), place);
            if plain && (!matches!(core_schema(text), Value::String(_)) || is_ambiguous(text)) {
                let message = format!("key `{text}` is not a string: put it in quotes");
                self.report_at(place, "yaml-key", &at, message);
            }
            return;
        }
        self.start_scalar(place);
        let value = if style == ScalarStyle::Plain {
            core_schema(text)
        } else {
            text.into()
        };
        if style == ScalarStyle::Plain && is_ambiguous(text) {
            let message = format!("readers differ about what `{text}` is: put it in quotes");
            self.report(place, "yaml-ambiguous", &message);
        }
        self.put(value);
    }

    /// Returns the pointer of the value that comes next.
    fn here(&self) -> String {
        match self.open.last() {
            None => String::new(),
            Some(Open {
                at,
                holds: Holds::Sequence(items),
            }) => pointer::join(at, &items.len().to_string()),
            Some(Open {
                at,
                holds: Holds::Mapping { key, .. },
            }) => pointer::join(at, key.as_ref().map_or("", |key| &key.name)),
        }
    }

    fn start(&mut self, place: (usize, usize), holds: Holds) {
        if let Some(Open {
            at,
            holds: Holds::Mapping {
                key: key @ None, ..
            },
        }) = self.open.last_mut()
        {
            let at = at.clone();
            *key = Some(Key {
                name: String::new(),
                duplicate: true,
            });
            self.report_at(place, "yaml-key", &at, "a key must be a string");
        }
        let at = self.here();
        self.source.places.entry(at.clone()).or_insert(place);
        self.open.push(Open { at, holds });
    }

    fn start_scalar(&mut self, place: (usize, usize)) {
        let at = self.here();
        self.source.places.entry(at).or_insert(place);
    }

    fn put(&mut self, value: Value) {
        match self.open.last_mut().map(|open| &mut open.holds) {
            None if self.documents <= 1 => self.source.value = value,
            None => {}
            Some(Holds::Sequence(items)) => items.push(value),
            Some(Holds::Mapping { members, key }) => {
                if let Some(Key {
                    name,
                    duplicate: false,
                }) = key.take()
                {
                    members.insert(name, value);
                }
            }
        }
    }

    fn refuse_anchor_and_tag(&mut self, place: (usize, usize), anchor: usize, tagged: bool) {
        if anchor > 0 {
            self.report(
                place,
                "yaml-alias",
                "anchors are not used here: refer with `$ref`",
            );
        }
        if tagged {
            self.report(place, "yaml-tag", "tags are not used here");
        }
    }

    fn report(&mut self, place: (usize, usize), rule: &'static str, message: &str) {
        let at = self.here();
        self.report_at(place, rule, &at, message);
    }

    fn report_at(
        &mut self,
        (line, column): (usize, usize),
        rule: &'static str,
        at: &str,
        message: impl Into<String>,
    ) {
        let (pointer, message) = (at.to_owned(), message.into());
        self.source.problems.push(Problem {
            line,
            column,
            pointer,
            rule,
            message,
        });
    }
}

/// Returns the value of a plain scalar in the core schema of YAML 1.2.
fn core_schema(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let numeric = digits
        .bytes()
        .next()
        .is_some_and(|b| b.is_ascii_digit() || b == b'.')
        && digits
            .bytes()
            .all(|b| b.is_ascii_digit() || b".eE+-".contains(&b));
    if !numeric {
        return text.into();
    }
    let text = text.strip_prefix('+').unwrap_or(text);
    if let Ok(integer) = text.parse::<i64>() {
        return integer.into();
    }
    if let Ok(integer) = text.parse::<u64>() {
        return integer.into();
    }
    let float = text.parse::<f64>().ok().and_then(Number::from_f64);
    float.map_or_else(|| text.into(), Value::Number)
}

/// Returns whether YAML 1.1 and YAML 1.2 read the plain scalar differently.
///
/// Readers of both kinds process the spec. Some of them read `no` and `12:30` as a boolean and a
/// number of seconds. All of them read a hash of digits with one `e` as a number.
fn is_ambiguous(text: &str) -> bool {
    const YAML_1_1_BOOLEANS: [&str; 6] = ["y", "n", "yes", "no", "on", "off"];
    let lower = text.to_ascii_lowercase();
    let digits = lower.trim_start_matches(['-', '+']);
    let is_number = |text: &str| {
        text.bytes()
            .all(|b| b.is_ascii_digit() || b":-_.".contains(&b))
    };
    YAML_1_1_BOOLEANS.contains(&lower.as_str())
        || matches!(digits, ".inf" | ".nan")
        || digits.starts_with("0x") && digits[2..].bytes().all(|b| b.is_ascii_hexdigit())
        || digits.starts_with("0o")
        || digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit())
        || digits.starts_with(|c: char| c.is_ascii_digit())
            && is_number(digits)
            && digits.contains([':', '-', '_'])
        || digits.len() > 8 && matches!(core_schema(text), Value::Number(_)) && digits.contains('e')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn reads_values_with_their_lines() {
        let source = Source::read("a:\n  b: [1, '2']\n  c: {d: 1.5}\ne: null\n");
        assert_eq!(source.problems, []);
        assert_eq!(
            source.value,
            json!({"a": {"b": [1, "2"], "c": {"d": 1.5}}, "e": null})
        );
        assert_eq!(source.place("/a/b"), (2, 3));
        assert_eq!(source.place("/a/b/1"), (2, 10));
        assert_eq!(source.place("/a/c/d/deeper/still"), (3, 7));
    }

    #[test]
    fn tells_every_duplicate_key_and_keeps_the_first() {
        let source = Source::read("a: 1\nb: {c: 1, c: 2}\na: 2\n");
        let found: Vec<_> = source
            .problems
            .iter()
            .map(|p| (p.line, p.pointer.as_str()))
            .collect();
        assert_eq!(found, [(2, "/b/c"), (3, "/a")]);
        assert_eq!(source.value["a"], 1);
    }

    #[test]
    fn tells_scalars_that_readers_disagree_about() {
        let text = "a: no\nb: 12:30\nc: 0x1f\nd: 2026-01-02\ne: 0777\nf: 1234567e12\n200: x\n";
        let source = Source::read(text);
        let lines: Vec<_> = source.problems.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [1, 2, 3, 4, 5, 6, 7], "{:?}", source.problems);
    }

    #[test]
    fn tells_where_text_stops_being_yaml() {
        let source = Source::read("a: 1\nb: [1, 2\nc: 3\n");
        assert_eq!(source.problems.len(), 1);
        assert_eq!(source.problems[0].rule, "yaml");
        assert!(source.problems[0].line >= 2);
    }
}
