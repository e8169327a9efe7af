//! Reading single JSON values, with errors that name the place.

use serde_json::value::RawValue;

use super::{
    error::BuiltCallMismatch,
    place::{Place, quoted},
};
use crate::json_text::{members, text_in};

/// Checks that a value has exactly this text.
pub(super) fn literal(raw: &str, wanted: &str, place: &Place<'_>) -> Result<(), BuiltCallMismatch> {
    if raw == wanted {
        Ok(())
    } else {
        Err(BuiltCallMismatch::changed(place, wanted, raw))
    }
}

/// Checks that a value is a string with exactly this unescaped text.
pub(super) fn is_text(raw: &str, wanted: &str, place: &Place<'_>) -> Result<(), BuiltCallMismatch> {
    if text_in(raw).is_some_and(|text| text == wanted) {
        Ok(())
    } else {
        Err(BuiltCallMismatch::changed(place, &quoted(wanted), raw))
    }
}

pub(super) fn is_number(raw: &str) -> bool {
    raw.starts_with(|first: char| first == '-' || first.is_ascii_digit())
}

/// Returns the members of an object, in their order.
pub(super) fn object<'t>(
    text: &'t str,
    place: &Place<'_>,
) -> Result<Vec<(String, &'t RawValue)>, BuiltCallMismatch> {
    let mut found = Vec::new();
    // Names with half a surrogate pair fail here, too. No caller requests one.
    members(text, |name, value| found.push((name.to_owned(), value)))
        .map_err(|_| BuiltCallMismatch::malformed(place, "an object with readable names", text))?;
    Ok(found)
}

pub(super) fn array<'t>(
    text: &'t str,
    place: &Place<'_>,
) -> Result<Vec<&'t RawValue>, BuiltCallMismatch> {
    serde_json::from_str(text).map_err(|_| BuiltCallMismatch::malformed(place, "an array", text))
}

/// Returns the first byte of a value, which shows its type.
pub(super) fn first_byte(text: &str) -> u8 {
    text.as_bytes().first().copied().unwrap_or_default()
}
