//! Values that are never shown.

use std::fmt;

use serde::{Deserialize, Deserializer};

/// A secret that is not a wallet's key, such as the key of a gateway. `Debug` does not show it.
///
/// ```
/// use nodeproof_primitives::Hidden;
///
/// let key = Hidden::from("5ec2e7".to_owned());
/// assert_eq!(format!("{key:?}"), "<hidden>");
/// assert_eq!(key.expose(), "5ec2e7");
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Hidden<T>(T);

impl<T> Hidden<T> {
    /// Returns the secret.
    ///
    /// ```
    /// assert_eq!(nodeproof_primitives::Hidden::from(7).expose(), &7);
    /// ```
    #[must_use]
    pub const fn expose(&self) -> &T {
        &self.0
    }
}

impl<T> From<T> for Hidden<T> {
    fn from(secret: T) -> Self {
        Self(secret)
    }
}

impl<T> fmt::Debug for Hidden<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<hidden>")
    }
}

/// Reads one secret text or a list of them, as a setting in a file.
///
/// ```
/// use nodeproof_primitives::{Hidden, one_or_several_hidden};
///
/// #[derive(serde::Deserialize)]
/// struct Settings {
///     #[serde(default, deserialize_with = "one_or_several_hidden")]
///     headers: Vec<Hidden<String>>,
/// }
/// let one: Settings = serde_json::from_str(r#"{"headers": "x-key: 5ec2e7"}"#)?;
/// assert_eq!(one.headers[0].expose(), "x-key: 5ec2e7");
/// let two: Settings = serde_json::from_str(r#"{"headers": ["x-key: 5ec2e7", "x-more: 1"]}"#)?;
/// assert_eq!(two.headers.len(), 2);
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Errors
/// Returns an error if the value is neither a text nor a list of texts.
pub fn one_or_several_hidden<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<Hidden<String>>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        One(String),
        Several(Vec<String>),
    }

    let texts = match Written::deserialize(deserializer)? {
        Written::One(text) => vec![text],
        Written::Several(texts) => texts,
    };
    Ok(texts.into_iter().map(Hidden::from).collect())
}
