//! The members of a JSON object in a request body, by name and type.

use std::collections::HashMap;

use nodeproof_primitives::Integer;
use serde_json::value::RawValue;

use super::response::{Fault, Place};

/// The members of an object as raw text. If a name occurs twice, the last one counts, as in the signed
/// message.
pub(super) struct Fields<'a> {
    place: Vec<Place>,
    members: HashMap<String, &'a RawValue>,
}

impl<'a> Fields<'a> {
    /// Parses the JSON text at `place`.
    pub(super) fn read(text: &'a str, place: Vec<Place>) -> Result<Self, Fault> {
        match serde_json::from_str(text) {
            Ok(members) => Ok(Self { place, members }),
            Err(_) => Err(wrong_kind(place, "dict")),
        }
    }

    fn at(&self, name: &'static str) -> Vec<Place> {
        let mut place = self.place.clone();
        place.push(name.into());
        place
    }

    /// Returns the raw text of a member.
    pub(super) fn raw(&self, name: &'static str) -> Result<&'a str, Fault> {
        self.members
            .get(name)
            .map(|value| value.get())
            .ok_or_else(|| Fault::missing(self.at(name)))
    }

    fn of_kind<T>(
        &self,
        name: &'static str,
        kind: &'static str,
        read: impl FnOnce(&'a str) -> Option<T>,
    ) -> Result<T, Fault> {
        read(self.raw(name)?).ok_or_else(|| wrong_kind(self.at(name), kind))
    }

    /// Returns the value of a string.
    pub(super) fn string(&self, name: &'static str) -> Result<String, Fault> {
        self.of_kind(name, "str", |raw| serde_json::from_str(raw).ok())
    }

    /// Checks that a member is an integer. Unlike other nodes, this one takes at most 128 bits.
    pub(super) fn integer(&self, name: &'static str) -> Result<(), Fault> {
        self.of_kind(name, "integer", |raw| raw.parse::<Integer>().ok())
            .map(drop)
    }

    /// Checks that a member is a number.
    pub(super) fn number(&self, name: &'static str) -> Result<(), Fault> {
        let number = |raw: &str| raw.starts_with(|c: char| c == '-' || c.is_ascii_digit());
        self.of_kind(name, "float", |raw| number(raw).then_some(()))
    }

    /// Returns the raw text of an object.
    pub(super) fn object(&self, name: &'static str) -> Result<&'a str, Fault> {
        self.of_kind(name, "dict", |raw| raw.starts_with('{').then_some(raw))
    }

    /// Returns the members of an object.
    pub(super) fn fields(&self, name: &'static str) -> Result<Self, Fault> {
        Self::read(self.raw(name)?, self.at(name))
    }

    /// Returns the raw text of each element of an array, with its location.
    pub(super) fn elements(&self, name: &'static str) -> Result<Vec<(Vec<Place>, &'a str)>, Fault> {
        elements(self.raw(name)?, &self.at(name))
    }
}

/// Returns the raw text of each element of an array, with its location.
pub(super) fn elements<'a>(
    text: &'a str,
    place: &[Place],
) -> Result<Vec<(Vec<Place>, &'a str)>, Fault> {
    let elements: Vec<&RawValue> =
        serde_json::from_str(text).map_err(|_| wrong_kind(place.to_vec(), "list"))?;
    Ok(elements
        .into_iter()
        .enumerate()
        .map(|(position, element)| {
            let mut place = place.to_vec();
            place.push(Place::Position(position));
            (place, element.get())
        })
        .collect())
}

pub(super) fn wrong_kind(loc: Vec<Place>, kind: &'static str) -> Fault {
    let (msg, kind) = match kind {
        "str" => ("str type expected", "type_error.str"),
        "integer" => ("value is not a valid integer", "type_error.integer"),
        "float" => ("value is not a valid float", "type_error.float"),
        "list" => ("value is not a valid list", "type_error.list"),
        _ => ("value is not a valid dict", "type_error.dict"),
    };
    Fault {
        loc,
        msg: msg.into(),
        kind,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_keep_their_text_and_of_two_the_last_counts() {
        let text = r#"{"a":1.50,"b":"\u00e9","a": 2E3 ,"c":[1, 2]}"#;
        let fields = Fields::read(text, vec!["body".into()]).ok().unwrap();
        assert_eq!(fields.raw("a"), Ok("2E3"));
        assert_eq!(fields.string("b"), Ok("é".into()));
        assert_eq!(fields.elements("c").unwrap().len(), 2);
        assert_eq!(fields.integer("a"), Ok(()));
    }

    #[test]
    fn a_fault_names_its_place() {
        let fields = Fields::read(r#"{"s":[{},"x"]}"#, vec!["body".into()])
            .ok()
            .unwrap();
        assert_eq!(fields.raw("t").unwrap_err().loc.len(), 2);
        let (place, element) = fields.elements("s").unwrap().pop().unwrap();
        let fault = Fields::read(element, place).err().unwrap();
        assert_eq!(
            serde_json::to_string(&fault).unwrap(),
            r#"{"loc":["body","s",1],"msg":"value is not a valid dict","type":"type_error.dict"}"#
        );
    }
}
