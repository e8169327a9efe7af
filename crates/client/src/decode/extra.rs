//! Fields that nobody described.

use node_primitives::RawJson;

/// The fields of an answer that its description does not know, kept as they came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExtraFields(Vec<(Box<str>, RawJson)>);

impl ExtraFields {
    pub(crate) fn push(&mut self, name: &str, value: RawJson) {
        self.0.push((name.into(), value));
    }

    /// The value of a field; of several with one name, the last.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&RawJson> {
        self.0
            .iter()
            .rev()
            .find(|(known, _)| **known == *name)
            .map(|(_, value)| value)
    }

    /// The fields in the order in which they came.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &RawJson)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
