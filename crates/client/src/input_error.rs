//! The error for invalid input of the caller.

use std::{error::Error as StdError, fmt};

use nodeproof_primitives::{SignerError, WalletAddress};

/// Something that the caller gave is not valid, and nothing was sent: a base URL, a fee, the
/// parameters of a call, a saved text, or a signer.
///
/// The message describes the fault and how to correct it. It is safe to print.
///
/// ```
/// use nodeproof_client::BaseUrl;
///
/// let error = "localhost:8420".parse::<BaseUrl>().unwrap_err();
/// assert_eq!(error.to_string(), "\"localhost:8420\" has no scheme: write http://localhost:8420");
/// assert_eq!(error.failed_signer(), None);
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct InputError {
    message: String,
    wallet: Option<WalletAddress>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl InputError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            wallet: None,
            source: None,
        }
    }

    pub(crate) fn because(
        message: impl Into<String>,
        source: impl StdError + Send + Sync + 'static,
    ) -> Self {
        Self {
            source: Some(Box::new(source)),
            ..Self::new(message)
        }
    }

    /// Creates the error for a signer that did not sign.
    pub(crate) fn not_signed(wallet: WalletAddress, source: SignerError) -> Self {
        Self {
            wallet: Some(wallet),
            ..Self::because(format!("{wallet} did not sign"), source)
        }
    }

    /// Returns the wallet whose signer failed, if that is the reason. The signer's error is the
    /// [`source`](StdError::source).
    #[must_use]
    pub fn failed_signer(&self) -> Option<WalletAddress> {
        self.wallet
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl StdError for InputError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_ref().map(|source| &**source as _)
    }
}

/// Errors of types of `nodeproof-primitives`, and of JSON texts of the caller.
macro_rules! from_errors {
    ($($source:ty),* $(,)?) => {$(
        impl From<$source> for InputError {
            fn from(source: $source) -> Self {
                Self::new(source.to_string())
            }
        }
    )*};
}

from_errors!(
    nodeproof_primitives::InexactAmountError,
    nodeproof_primitives::MessageError,
    serde_json::Error,
);

impl From<std::convert::Infallible> for InputError {
    fn from(never: std::convert::Infallible) -> Self {
        match never {}
    }
}
