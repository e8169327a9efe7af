//! The kinds of faults that one documented field can have.

use serde_json::{Number, Value, json};

use super::field::{Field, Shape};

/// A kind of fault in a field of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Missing,
    Null,
    WrongType,
    WrongUnit,
    Malformed,
    Empty,
    Constant,
    Stale,
    Swapped,
    Truncated,
    Rounded,
    Duplicated,
    FromAnotherObject,
    TooOld,
    InTheFuture,
    Contradicting,
    WrongLater,
}

/// A decade in milliseconds.
const TEN_YEARS: i64 = 10 * 365 * 24 * 3600 * 1000;

impl Kind {
    pub(crate) const ALL: [Self; 17] = [
        Self::Missing,
        Self::Null,
        Self::WrongType,
        Self::WrongUnit,
        Self::Malformed,
        Self::Empty,
        Self::Constant,
        Self::Stale,
        Self::Swapped,
        Self::Truncated,
        Self::Rounded,
        Self::Duplicated,
        Self::FromAnotherObject,
        Self::TooOld,
        Self::InTheFuture,
        Self::Contradicting,
        Self::WrongLater,
    ];

    /// Returns the heading of its column, and a description of the change.
    pub(crate) const fn named(self) -> (&'static str, &'static str) {
        match self {
            Self::Missing => ("missing", "the member is removed"),
            Self::Null => ("null", "the value is null"),
            Self::WrongType => (
                "wrong type",
                "an integer becomes a string of its digits, a string a number, a list an object, an object a list",
            ),
            Self::WrongUnit => ("wrong unit", "a timestamp is in seconds"),
            Self::Malformed => (
                "malformed",
                "an integer gets a fraction; the last character of a string with a documented format becomes invalid",
            ),
            Self::Empty => ("empty", "a string, a list or an object is empty"),
            Self::Constant => (
                "constant",
                "every response has the value of the first response",
            ),
            Self::Stale => (
                "stale",
                "each response has the correct value of the previous response",
            ),
            Self::Swapped => (
                "swapped",
                "the values of two fields of the same type are exchanged",
            ),
            Self::Truncated => (
                "truncated",
                "a string loses its second half, a list its last element, an integer its last digit",
            ),
            Self::Rounded => (
                "rounded",
                "a number is rounded to a multiple of 1000, or of 10 below 1000",
            ),
            Self::Duplicated => (
                "duplicated",
                "a list repeats its first element; any other member appears twice in its object",
            ),
            Self::FromAnotherObject => (
                "from another object",
                "the value belongs to another receipt, or to another requested object",
            ),
            Self::TooOld => (
                "too old",
                "every second response has a timestamp ten years too early",
            ),
            Self::InTheFuture => (
                "in the future",
                "every second response has a timestamp ten years too late",
            ),
            Self::Contradicting => (
                "alternating",
                "every second response to the same request has a different, well-formed value",
            ),
            Self::WrongLater => (
                "wrong when repeated",
                "the first response is correct; later responses to the same request have a different, well-formed value",
            ),
        }
    }

    /// Returns whether a field of this shape can have such a fault.
    pub(crate) fn applies_to(self, field: &Field) -> bool {
        let shape = &field.shape;
        let number = matches!(shape, Shape::Integer { .. } | Shape::Number);
        let object = matches!(shape, Shape::Object);
        match self {
            Self::Missing | Self::Null | Self::Duplicated => true,
            Self::WrongType => !matches!(shape, Shape::Open),
            Self::WrongUnit | Self::TooOld | Self::InTheFuture => {
                matches!(shape, Shape::Integer { is_time: true })
            }
            Self::Malformed => match shape {
                Shape::Integer { .. } => true,
                Shape::Text { has_form } | Shape::List { has_form } => *has_form,
                _ => false,
            },
            Self::Empty => !number && !matches!(shape, Shape::Boolean | Shape::Open),
            Self::Rounded => number,
            // The members of an object have their own rows.
            Self::Truncated => !object && !matches!(shape, Shape::Boolean | Shape::Open),
            Self::Swapped => field.sibling.is_some(),
            Self::Constant | Self::Stale | Self::FromAnotherObject => !object,
            Self::Contradicting | Self::WrongLater => !object && !matches!(shape, Shape::Open),
        }
    }

    /// Returns whether the fault may change nothing, for example with equal, small or empty values.
    pub(crate) const fn depends_on_values(self) -> bool {
        matches!(
            self,
            Self::Empty
                | Self::Constant
                | Self::Stale
                | Self::Swapped
                | Self::Truncated
                | Self::Rounded
                | Self::FromAnotherObject
                | Self::Contradicting
                | Self::WrongLater
        )
    }

    /// Returns the value with this fault, if it follows from the value alone.
    pub(crate) fn of(self, value: &Value) -> Option<Value> {
        match self {
            Self::Null => Some(Value::Null),
            Self::WrongType => Some(match value {
                Value::Number(number) => number.to_string().into(),
                Value::Bool(truth) => truth.to_string().into(),
                Value::String(_) => 7.into(),
                Value::Array(_) => json!({}),
                Value::Object(_) | Value::Null => json!([]),
            }),
            Self::WrongUnit => Some((value.as_i64()? / 1000).into()),
            Self::Malformed => malformed(value),
            Self::Empty => Some(match value {
                Value::String(_) => "".into(),
                Value::Array(_) => json!([]),
                _ => json!({}),
            }),
            Self::Truncated => Some(match value {
                Value::String(text) => text
                    .chars()
                    .take(text.chars().count() / 2)
                    .collect::<String>()
                    .into(),
                Value::Array(items) => items.iter().rev().skip(1).rev().cloned().collect(),
                _ => (value.as_i64()? / 10).into(),
            }),
            Self::Rounded => {
                let number = value.as_i64()?;
                let to = if number.abs() < 1000 { 10 } else { 1000 };
                Some((number.checked_add(to / 2)? / to * to).into())
            }
            Self::TooOld => Some(value.as_i64()?.checked_sub(TEN_YEARS)?.into()),
            Self::InTheFuture => Some(value.as_i64()?.checked_add(TEN_YEARS)?.into()),
            Self::Contradicting | Self::WrongLater => other(value),
            _ => None,
        }
    }
}

/// Returns a value that does not have the form in the specification.
fn malformed(value: &Value) -> Option<Value> {
    match value {
        Value::String(text) => {
            let mut text = text.clone();
            text.pop();
            text.push('g');
            Some(text.into())
        }
        Value::Array(items) => {
            let mut items = items.clone();
            let first = items.first_mut()?;
            *first = malformed(first)?;
            Some(items.into())
        }
        _ => Number::from_f64(value.as_f64()? + 0.5).map(Value::Number),
    }
}

/// Returns another value of the same form.
fn other(value: &Value) -> Option<Value> {
    Some(match value {
        Value::Bool(truth) => (!truth).into(),
        Value::Number(number) => match number.as_i64() {
            Some(number) => number.checked_add(1).unwrap_or(number - 1).into(),
            None => json!(number.as_f64()? + 1.0),
        },
        Value::String(text) => {
            let mut text = text.clone();
            let last = text.pop();
            text.push(if last == Some('a') { 'b' } else { 'a' });
            text.into()
        }
        Value::Array(items) if items.iter().any(Value::is_object) => json!([]),
        Value::Array(items) => {
            let mut items = items.clone();
            let first = items.first_mut()?;
            *first = other(first)?;
            items.into()
        }
        Value::Null | Value::Object(_) => return None,
    })
}
