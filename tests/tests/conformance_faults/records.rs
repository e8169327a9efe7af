//! Parts of the responses of `/sc-state`.

use serde_json::Value;

pub(crate) const STATE: &str = "/sc-state";

/// Changes the record in a response of a local node, in both members that contain it.
pub(crate) fn rows_of(response: &mut Value, change: impl Fn(Value) -> Value) {
    for name in ["value", "data"] {
        if response[name].is_array() {
            response[name] = change(response[name].take());
        }
    }
}
