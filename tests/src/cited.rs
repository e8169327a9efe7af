//! The requirements that a part of `node.yaml` cites.

use serde_json::{Map, Value};

/// Contains the requirements that a part comes from: an ID, or a list of IDs.
pub const REQUIREMENT: &str = "x-requirement";

/// Returns the IDs of the requirements that a part of the description cites.
#[must_use]
pub fn cited(node: &Map<String, Value>) -> Vec<&str> {
    let ids = match node.get(REQUIREMENT) {
        Some(Value::Array(ids)) => ids.as_slice(),
        one => one.map(std::slice::from_ref).unwrap_or_default(),
    };
    ids.iter().filter_map(Value::as_str).collect()
}
