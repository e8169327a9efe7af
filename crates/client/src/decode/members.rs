//! Visiting an object's members.

use std::{borrow::Cow, fmt};

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A member's name. It is borrowed from the input if nothing in it is escaped.
pub(crate) type Name<'de> = Cow<'de, str>;

/// Reads a member's name.
pub(crate) struct NameVisitor;

impl<'de> DeserializeSeed<'de> for NameVisitor {
    type Value = Name<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Name<'de>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for NameVisitor {
    type Value = Name<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_borrowed_str<E: de::Error>(self, name: &'de str) -> Result<Name<'de>, E> {
        Ok(Cow::Borrowed(name))
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Name<'de>, E> {
        Ok(Cow::Owned(name.to_owned()))
    }
}

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
            while let Some(name) = map.next_key_seed(NameVisitor)? {
                (self.0)(&name, map.next_value()?);
            }
            Ok(())
        }
    }

    let mut deserializer = serde_json::Deserializer::from_str(text);
    deserializer.deserialize_map(Walk(each))?;
    deserializer.end()
}
