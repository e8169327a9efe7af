//! Arrays, and arrays inside a string.

use std::{fmt, marker::PhantomData};

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::{Field, Odd, kind_of, odd_scalars, odd_value, read_odd};

/// An element of a list. Reading it does not fail, whatever its value is.
pub(crate) trait Element: Sized {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;

    /// Returns whether a part of it could not be read, and is stored with its text and the reason.
    fn is_odd(&self) -> bool {
        false
    }
}

/// The maximum number of elements of a list that are stored with their faults. Each takes hundreds
/// of bytes, even if its text has only one.
pub(crate) const MAX_INVALID: usize = 10_000;

/// Returns the reason why a list with more of them is not read.
pub(crate) fn too_many_odd() -> String {
    format!("more than {MAX_INVALID} elements of the list are not what belongs there")
}

/// A list, and its form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct List<T> {
    pub(crate) items: Vec<T>,
    /// Whether it was a JSON array inside a string.
    pub(crate) in_text: bool,
}

/// Reads a list from an array, or from a string that contains one.
pub(crate) struct ListSeed<T>(PhantomData<T>);

impl<T> ListSeed<T> {
    pub(crate) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<'de, T: Element> DeserializeSeed<'de> for ListSeed<T> {
    type Value = Field<List<T>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<T: Element> ListSeed<T> {
    fn odd<E: de::Error>(self, odd: Odd) -> Result<Field<List<T>>, E> {
        Ok(match odd {
            Odd::Null => Field::Null,
            Odd::Text(text) => in_text(&text),
            Odd::Value(raw) => Field::malformed(
                format!("expected an array, found {}", kind_of(raw.as_str())),
                raw,
            ),
        })
    }
}

/// Reads the list inside a string.
fn in_text<T: Element>(text: &str) -> Field<List<T>> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let read = if text.trim_start().starts_with('[') {
        ListSeed::new()
            .deserialize(&mut deserializer)
            .and_then(|list| deserializer.end().map(|()| list))
    } else {
        Ok(Field::Missing)
    };
    match read {
        Ok(Field::Value(list)) => Field::Value(List {
            in_text: true,
            ..list
        }),
        _ => {
            let raw = odd_value(text);
            let found = kind_of(raw.as_str());
            Field::malformed(format!("expected an array, found {found}"), raw)
        }
    }
}

impl<'de, T: Element> Visitor<'de> for ListSeed<T> {
    type Value = Field<List<T>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        struct ElementSeed<T>(PhantomData<T>);

        impl<'de, T: Element> DeserializeSeed<'de> for ElementSeed<T> {
            type Value = T;

            fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
                T::read(deserializer)
            }
        }

        let mut items: Vec<T> = Vec::new();
        let mut odd = 0;
        while let Some(item) = seq.next_element_seed(ElementSeed(PhantomData::<T>))? {
            odd += usize::from(item.is_odd());
            if odd > MAX_INVALID {
                return Err(de::Error::custom(too_many_odd()));
            }
            items.push(item);
        }
        Ok(Field::Value(List {
            items,
            in_text: false,
        }))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        read_odd().visit_map(map).and_then(|odd| self.odd(odd))
    }

    odd_scalars!();
}
