//! Undocumented fields.

use nodeproof_primitives::RawJson;

use crate::error::{of_members, says_absent};

/// The undocumented fields of a response, unchanged.
///
/// ```
/// let score = nodeproof_client::TrustScore::from_slice(
///     br#"{"level": 1.50, "detail": "Trust score not available"}"#,
/// )?;
/// let extra = score.extra();
/// assert_eq!(extra.get("level").map(|level| level.as_str()), Some("1.50"));
/// let names: Vec<&str> = extra.iter().map(|(name, _)| name).collect();
/// assert_eq!(names, ["level", "detail"]);
/// assert_eq!(extra.detail().as_deref(), Some("Trust score not available"));
/// assert!(extra.say_absent());
/// assert!(extra.len() == 2 && !extra.is_empty());
/// # Ok::<(), nodeproof_client::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExtraFields(Vec<(Box<str>, RawJson)>);

impl ExtraFields {
    pub(crate) fn push(&mut self, name: &str, value: RawJson) {
        self.0.push((name.into(), value));
    }

    /// Returns the value of a field. Of several fields with the same name, the last counts.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&RawJson> {
        self.0
            .iter()
            .rev()
            .find(|(known, _)| **known == *name)
            .map(|(_, value)| value)
    }

    /// Returns the fields in their order in the response.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &RawJson)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }

    /// Returns the node's message about a failure from the field `detail`, `error`, `message` or
    /// `msg`, for a response with a successful status. It is one line, and safe to print.
    #[must_use]
    pub fn detail(&self) -> Option<String> {
        of_members(|name| self.get(name).map(RawJson::as_str))
    }

    /// Returns whether the [detail](Self::detail) reports that the requested thing is missing.
    #[must_use]
    pub fn say_absent(&self) -> bool {
        self.detail().is_some_and(|detail| says_absent(&detail))
    }

    /// Returns the number of fields.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no fields.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
