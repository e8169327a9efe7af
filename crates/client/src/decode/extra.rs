//! Fields that nobody described.

use nodeproof_primitives::RawJson;

use crate::error::{of_members, says_absent};

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

    /// What the node says of a failure, in an answer that is none by its status: one harmless
    /// line, from the field `detail`, `error`, `message` or `msg`.
    #[must_use]
    pub fn detail(&self) -> Option<String> {
        of_members(|name| self.get(name).map(RawJson::as_str))
    }

    /// Whether the [detail](Self::detail) says that what was asked for is not there.
    #[must_use]
    pub fn say_absent(&self) -> bool {
        self.detail().is_some_and(|detail| says_absent(&detail))
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
