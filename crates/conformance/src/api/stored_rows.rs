//! The records in a response of `GET /sc-state`.
//!
//! The specification does not show the shape of a record. Nodes were seen to return a row in the
//! order of the table's columns, with lists as JSON text. An object with the submitted fields'
//! names is read as well, and so are arrays of either. Other forms are skipped.

use nodeproof_client::VerificationRecord;
use serde_json::Value;

/// Maximum number of records to read in one response.
const MAX_ROWS: usize = 1_000;

/// A record in a known form.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Row<'v> {
    Named(&'v serde_json::Map<String, Value>),
    Positional(&'v [Value]),
}

impl<'v> Row<'v> {
    /// Reads a value as a record. Returns `None` if it has an unknown form.
    fn of(value: &'v Value) -> Option<Self> {
        match value {
            Value::Object(members) if members.contains_key("asset_id") => {
                Some(Self::Named(members))
            }
            // The full list of columns is not specified. Others follow the known ones, of which the first is the contract.
            Value::Array(items) if items.len() >= VerificationRecord::COLUMNS.len() => {
                let has_more = items.len() > VerificationRecord::COLUMNS.len();
                let first = items.first().and_then(Value::as_str);
                let is_row = first.is_some_and(|text| !has_more || text.starts_with("ct"));
                is_row.then_some(Self::Positional(items))
            }
            _ => None,
        }
    }

    /// Returns the value of a column, or `None` if the column is missing.
    pub(crate) fn column(self, name: &str) -> Option<&'v Value> {
        match self {
            Self::Named(members) => members.get(name),
            Self::Positional(items) => {
                let place = VerificationRecord::COLUMNS
                    .iter()
                    .position(|column| *column == name)?;
                items.get(place)
            }
        }
    }

    /// Whether a column has this text.
    pub(crate) fn has(self, name: &str, wanted: &str) -> bool {
        self.column(name).and_then(Value::as_str) == Some(wanted)
    }
}

/// Returns the records in a stored value, or `None` if any of them has an unknown form.
pub(crate) fn rows(stored: &Value) -> Option<Vec<Row<'_>>> {
    if let Some(row) = Row::of(stored) {
        return Some(vec![row]);
    }
    let items = stored.as_array()?;
    items.iter().take(MAX_ROWS).map(Row::of).collect()
}

/// Returns the records in a known form, and ignores all others.
pub(crate) fn known_rows(stored: &Value) -> Vec<Row<'_>> {
    match (Row::of(stored), stored) {
        (Some(row), _) => vec![row],
        (None, Value::Array(items)) => items.iter().take(MAX_ROWS).filter_map(Row::of).collect(),
        _ => Vec::new(),
    }
}

/// Whether a value occurs anywhere in another value, including a text that holds JSON.
pub(crate) fn mentions(value: &Value, wanted: &str) -> bool {
    match value {
        Value::String(text) if text == wanted => true,
        Value::String(text) if text.starts_with(['[', '{']) => {
            serde_json::from_str(text).is_ok_and(|inner: Value| mentions(&inner, wanted))
        }
        Value::String(_) => false,
        Value::Array(items) => items.iter().any(|item| mentions(item, wanted)),
        Value::Object(members) => members.values().any(|member| mentions(member, wanted)),
        Value::Null => false,
        Value::Bool(_) | Value::Number(_) => value.to_string().as_str() == wanted,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reads_rows_of_each_known_form() {
        let row = json!(["ct1", "a", "token", "0x1", 1, "[]", "[]", "text", 5]);
        let object = json!({"asset_id": "a", "remarks": "text"});
        for stored in [
            row.clone(),
            object.clone(),
            json!([row.clone(), row]),
            json!([object]),
        ] {
            let rows = rows(&stored).unwrap_or_default();
            assert!(!rows.is_empty(), "{stored}");
            assert!(rows.iter().all(|row| row.has("asset_id", "a")));
            assert!(rows.iter().all(|row| row.has("remarks", "text")));
        }
        for stored in [
            json!(["a"]),
            json!("a"),
            json!({"job": 1}),
            json!([row_of(3)]),
        ] {
            assert!(rows(&stored).is_none(), "{stored}");
        }
    }

    fn row_of(columns: usize) -> Value {
        vec![Value::from("a"); columns].into()
    }
}
