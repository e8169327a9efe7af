//! Values that are never shown.

use std::fmt;

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
