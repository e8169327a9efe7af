//! A value of the wrong type.

use std::fmt;

use nodeproof_primitives::RawJson;
use serde::{
    Serialize,
    de::{self, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

/// A value in the place of another type.
pub(crate) enum Odd {
    Null,
    Text(String),
    Value(RawJson),
}

/// Writes a value that is already parsed as JSON text.
pub(crate) fn odd_value<T: Serialize + ?Sized>(value: &T) -> RawJson {
    RawJson::from_value(value).unwrap_or_else(|_| RawJson::from(RawValue::NULL.to_owned()))
}

/// Accepts every value. Visitors of an object or an array delegate all other types to it.
pub(crate) struct OddVisitor;

pub(crate) fn read_odd() -> OddVisitor {
    OddVisitor
}

impl<'de> Visitor<'de> for OddVisitor {
    type Value = Odd;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Odd, E> {
        Ok(Odd::Null)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Odd, E> {
        Ok(Odd::Text(text.to_owned()))
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Odd, E> {
        Ok(Odd::Value(odd_value(&value)))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Odd, E> {
        Ok(Odd::Value(odd_value(&value)))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Odd, E> {
        Ok(Odd::Value(odd_value(&value)))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Odd, E> {
        Ok(Odd::Value(odd_value(&value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Odd, A::Error> {
        let mut text = String::from("[");
        while let Some(item) = seq.next_element::<&RawValue>()? {
            if text.len() > 1 {
                text.push(',');
            }
            text.push_str(item.get());
        }
        text.push(']');
        rebuilt(text)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Odd, A::Error> {
        let mut text = String::from("{");
        while let Some(name) = map.next_key_seed(super::NameVisitor)? {
            if text.len() > 1 {
                text.push(',');
            }
            text.push_str(odd_value(&name).as_str());
            text.push(':');
            text.push_str(map.next_value::<&RawValue>()?.get());
        }
        text.push('}');
        rebuilt(text)
    }
}

fn rebuilt<E: de::Error>(text: String) -> Result<Odd, E> {
    RawJson::from_text(text).map(Odd::Value).map_err(E::custom)
}

/// Implements the `visit_…` methods for the wrong types. `odd` makes the value from them.
macro_rules! odd_scalars {
    () => {
        fn visit_unit<E: serde::de::Error>(self) -> Result<Self::Value, E> {
            $crate::decode::read_odd()
                .visit_unit()
                .and_then(|odd| self.odd(odd))
        }

        fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
            $crate::decode::read_odd()
                .visit_str(text)
                .and_then(|odd| self.odd(odd))
        }

        fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<Self::Value, E> {
            $crate::decode::read_odd()
                .visit_bool(value)
                .and_then(|odd| self.odd(odd))
        }

        fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Self::Value, E> {
            $crate::decode::read_odd()
                .visit_i64(value)
                .and_then(|odd| self.odd(odd))
        }

        fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Self::Value, E> {
            $crate::decode::read_odd()
                .visit_u64(value)
                .and_then(|odd| self.odd(odd))
        }

        fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Self::Value, E> {
            $crate::decode::read_odd()
                .visit_f64(value)
                .and_then(|odd| self.odd(odd))
        }
    };
}

pub(crate) use odd_scalars;
