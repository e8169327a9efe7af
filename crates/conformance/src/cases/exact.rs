//! JSON without loss: numbers of any size as they are written, compared by value.

use std::collections::BTreeMap;

use node_primitives::Amount;
use serde_json::value::RawValue;

use crate::spec::pointer;

/// A JSON value whose numbers are exact.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Exact {
    /// `null`, `true` or `false`, as it is written.
    Word(String),
    Number(Amount),
    Text(String),
    List(Vec<Exact>),
    Object(BTreeMap<String, Exact>),
}

/// The first place where two values differ.
pub(super) struct Difference {
    /// Its JSON pointer.
    pub(super) place: String,
    pub(super) expected: String,
    pub(super) actual: String,
}

/// Each level of nesting reads what is within it again, so both are bounded.
const DEEPEST: usize = 127;
/// The longest text that is read.
const LONGEST: usize = 1 << 20;

/// Reads a JSON document; `None` if it is none, or more than is read.
pub(super) fn read(text: &str) -> Option<Exact> {
    if text.len() > LONGEST {
        return None;
    }
    read_within(text, DEEPEST)
}

fn read_within(text: &str, deepest: usize) -> Option<Exact> {
    let deepest = deepest.checked_sub(1)?;
    let inner = |raw: &RawValue| read_within(raw.get(), deepest);
    let text = text.trim_ascii();
    Some(match text.bytes().next()? {
        b'{' => {
            let members: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
            let members = members
                .into_iter()
                .map(|(name, raw)| Some((name, inner(raw)?)));
            Exact::Object(members.collect::<Option<_>>()?)
        }
        b'[' => {
            let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
            Exact::List(items.into_iter().map(inner).collect::<Option<_>>()?)
        }
        b'"' => Exact::Text(serde_json::from_str(text).ok()?),
        b'n' | b't' | b'f' => Exact::Word(text.to_owned()),
        _ => Exact::Number(text.parse().ok()?),
    })
}

impl Exact {
    /// What stands at a JSON pointer that goes through objects.
    pub(super) fn at(&self, place: &str) -> Option<&Self> {
        let mut found = self;
        for step in place.split('/').skip(1) {
            let Self::Object(members) = found else {
                return None;
            };
            found = members.get(&step.replace("~1", "/").replace("~0", "~"))?;
        }
        Some(found)
    }

    /// The first place where the other one differs from this.
    pub(super) fn difference(&self, other: &Self) -> Option<Difference> {
        self.difference_at(other, "")
    }

    fn difference_at(&self, other: &Self, at: &str) -> Option<Difference> {
        if self == other {
            return None;
        }
        let differ = |expected: String, actual: String, place: String| {
            Some(Difference {
                place,
                expected,
                actual,
            })
        };
        match (self, other) {
            (Self::Object(ours), Self::Object(theirs)) => {
                for (name, ours) in ours {
                    let place = pointer::join(at, name);
                    let Some(theirs) = theirs.get(name) else {
                        return differ(ours.told(), "nothing".to_owned(), place);
                    };
                    if let Some(found) = ours.difference_at(theirs, &place) {
                        return Some(found);
                    }
                }
                let added = theirs.iter().find(|(name, _)| !ours.contains_key(*name))?;
                let place = pointer::join(at, added.0);
                differ("nothing".to_owned(), added.1.told(), place)
            }
            (Self::List(ours), Self::List(theirs)) if ours.len() == theirs.len() => {
                let mut pairs = ours.iter().zip(theirs).enumerate();
                pairs.find_map(|(index, (ours, theirs))| {
                    ours.difference_at(theirs, &pointer::join(at, &index.to_string()))
                })
            }
            _ => differ(self.told(), other.told(), at.to_owned()),
        }
    }

    /// A value in a few words.
    fn told(&self) -> String {
        match self {
            Self::Word(word) => word.clone(),
            Self::Number(number) => number.to_string(),
            Self::Text(text) => format!("{text:?}"),
            Self::List(items) => format!("a list of {}", items.len()),
            Self::Object(members) => format!("an object of {}", members.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(ours: &str, theirs: &str) -> Option<String> {
        let (ours, theirs) = (read(ours).expect("JSON"), read(theirs).expect("JSON"));
        ours.difference(&theirs).map(|found| found.place)
    }

    #[test]
    fn numbers_are_the_same_if_their_values_are() {
        assert_eq!(place("[1e-7, 0.1, 100]", "[1e-07,0.10,1E2]"), None);
        let big = "123456789012345678901234567890";
        assert_eq!(
            place(big, "123456789012345680000000000000"),
            Some(String::new())
        );
        assert_eq!(
            place(big, "\"123456789012345678901234567890\""),
            Some(String::new())
        );
    }

    #[test]
    fn members_have_no_order_and_texts_no_spelling() {
        assert_eq!(
            place(r#"{"a":"\u00e9","b":null}"#, r#"{"b":null,"a":"é"}"#),
            None
        );
    }

    #[test]
    fn the_place_of_a_difference_is_told() {
        let ours = r#"{"a":[1,{"b/c":true}]}"#;
        assert_eq!(
            place(ours, r#"{"a":[1,{"b/c":false}]}"#).as_deref(),
            Some("/a/1/b~1c")
        );
        assert_eq!(place(ours, r#"{"a":[1,{}]}"#).as_deref(), Some("/a/1/b~1c"));
        assert_eq!(place(ours, r#"{"a":[1]}"#).as_deref(), Some("/a"));
        assert_eq!(place("{}", r#"{"x":1}"#).as_deref(), Some("/x"));
    }

    #[test]
    fn what_is_too_deep_or_no_json_is_not_read() {
        let deep = "[".repeat(4000) + &"]".repeat(4000);
        for text in ["", "{", "[1,]", "NaN", deep.as_str()] {
            assert_eq!(read(text), None);
        }
    }
}
