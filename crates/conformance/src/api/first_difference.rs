//! The first place where two JSON values differ.

use nodeproof_client::contract_call::shown_apart;
use serde_json::Value;

use super::inner_json::inner_json;

/// The first place where two values differ. Both are shown around the first character that differs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FirstDifference {
    /// The place, as a JSON pointer.
    pub(crate) pointer: String,
    pub(crate) expected: String,
    pub(crate) actual: String,
}

impl FirstDifference {
    /// Returns the first difference. A missing member is shown as nothing.
    pub(crate) fn between(expected: &Value, actual: &Value) -> Option<Self> {
        Self::at(String::new(), Some(expected), Some(actual))
    }

    /// Returns the first difference of two values at this place.
    pub(crate) fn at(
        mut pointer: String,
        expected: Option<&Value>,
        actual: Option<&Value>,
    ) -> Option<Self> {
        let (expected, actual) = first(&mut pointer, expected, actual)?;
        let text =
            |value: Option<&Value>| value.map_or_else(|| "nothing".to_owned(), Value::to_string);
        let (expected, actual) = shown_apart(&text(expected), &text(actual));
        Some(Self {
            pointer,
            expected,
            actual,
        })
    }

    /// Returns the first difference of a stored value. A list or an object may be stored as its text.
    pub(crate) fn of_stored(expected: &Value, stored: &Value) -> Option<Self> {
        let text = stored
            .as_str()
            .filter(|_| expected.is_array() || expected.is_object());
        let inner: Option<Value> = text.and_then(inner_json);
        Self::between(expected, inner.as_ref().unwrap_or(stored))
    }
}

/// Returns the pointer to a member of an object.
pub(crate) fn member(name: &str) -> String {
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}

type Pair<'v> = (Option<&'v Value>, Option<&'v Value>);

fn first<'v>(
    pointer: &mut String,
    expected: Option<&'v Value>,
    actual: Option<&'v Value>,
) -> Option<Pair<'v>> {
    let length = pointer.len();
    match (expected, actual) {
        (Some(Value::Object(left)), Some(Value::Object(right))) => {
            let more = right.keys().filter(|name| !left.contains_key(*name));
            left.keys().chain(more).find_map(|name| {
                pointer.truncate(length);
                pointer.push_str(&member(name));
                first(pointer, left.get(name), right.get(name))
            })
        }
        (Some(Value::Array(left)), Some(Value::Array(right))) => (0..left.len().max(right.len()))
            .find_map(|at| {
                pointer.truncate(length);
                pointer.push_str(&format!("/{at}"));
                first(pointer, left.get(at), right.get(at))
            }),
        _ if expected == actual => None,
        pair => Some(pair),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_first_difference_is_found_wherever_it_is() {
        let long = "long ".repeat(200);
        for (expected, actual, pointer, shown) in [
            (json!(1), json!(2), "", ["1", "2"]),
            (
                json!({"a": 1}),
                json!({"a": 1, "b/c": 2}),
                "/b~1c",
                ["nothing", "2"],
            ),
            (
                json!({"a": [1, 2]}),
                json!({"a": [1]}),
                "/a/1",
                ["2", "nothing"],
            ),
            (
                json!({"a": [1, {"b": 1}]}),
                json!({"a": [1, {"b": 1.0}]}),
                "/a/1/b",
                ["1", "1.0"],
            ),
            (
                json!("\u{e9}"),
                json!("e\u{301}"),
                "",
                ["\"\\u00e9\"", "\"e\\u0301\""],
            ),
        ] {
            let found = FirstDifference::between(&expected, &actual).unwrap();
            assert_eq!(found.pointer, pointer);
            assert_eq!([found.expected, found.actual], shown);
        }
        assert_eq!(
            FirstDifference::between(&json!({"a": [1]}), &json!({"a": [1]})),
            None
        );
        let found =
            FirstDifference::between(&json!(format!("{long}x")), &json!(format!("{long}y")))
                .unwrap();
        assert!(
            found.expected.contains('x') && found.actual.contains('y'),
            "{found:?}"
        );
    }
}
