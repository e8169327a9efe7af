//! Reading parts of a JSON text without changing it.

use std::{borrow::Cow, fmt};

use nodeproof_primitives::{JsonLimits, escape::escaped_up_to};
use serde::{
    Deserialize,
    de::{Deserializer, MapAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::InputError;

/// Calls `each` with every member of an object and its text. Fails if `text` is not an object.
pub(crate) fn members<'t>(
    text: &'t str,
    each: impl FnMut(&str, &'t RawValue),
) -> Result<(), serde_json::Error> {
    struct Walk<F>(F);

    impl<'de, F: FnMut(&str, &'de RawValue)> Visitor<'de> for Walk<F> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
            while let Some(Name(name)) = map.next_key()? {
                (self.0)(&name, map.next_value()?);
            }
            Ok(())
        }
    }

    let mut deserializer = serde_json::Deserializer::from_str(text);
    deserializer.deserialize_map(Walk(each))?;
    deserializer.end()
}

/// A member's name. It is borrowed from the input if nothing in it is escaped.
#[derive(Deserialize)]
struct Name<'n>(#[serde(borrow)] Cow<'n, str>);

/// Returns the content of a JSON string. It is borrowed if nothing in it is escaped.
pub(crate) fn text_in(text: &str) -> Option<Cow<'_, str>> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        serde_json::from_str(text).ok().map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(inner))
    }
}

/// Checks a JSON text that was inside a string, before it is parsed: no other check counted its values.
pub(crate) fn check_inner(text: &str) -> Result<(), InputError> {
    let checked = JsonLimits::default().check(text.as_bytes());
    let too_large = |fault| InputError::new(format!("the text in a string is too large: {fault}"));
    checked.map(|_| ()).map_err(too_large)
}

/// Returns the kind of a JSON value, for a message.
pub(crate) fn kind_of(text: &str) -> String {
    match text.as_bytes().first() {
        Some(b'{') => "an object".to_owned(),
        Some(b'[') => "an array".to_owned(),
        Some(b'"') => format!("the string {}", escaped_up_to(text, 60)),
        Some(b't' | b'f') => format!("the boolean {text}"),
        Some(b'n') => "null".to_owned(),
        _ => format!("the number {}", escaped_up_to(text, 60)),
    }
}
