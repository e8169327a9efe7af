//! JSON texts inside strings, as some nodes write lists.

use nodeproof_primitives::JsonLimits;
use serde::Deserialize;

/// Parses the content of a string. Returns `None` if it is not JSON of this form, or has more values than
/// a response has by default: nothing counted them when the response arrived.
pub(crate) fn inner_json<'t, T: Deserialize<'t>>(text: &'t str) -> Option<T> {
    JsonLimits::default().check(text.as_bytes()).ok()?;
    serde_json::from_str(text).ok()
}
