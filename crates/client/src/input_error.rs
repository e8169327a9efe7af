//! The error for invalid input of the caller.

use std::error::Error as StdError;

use nodeproof_primitives::{SignerError, WalletAddress};

use crate::CallErrorKind;

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
/// assert!(error.signer_error().is_none());
/// ```
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct InputError {
    message: String,
    kind: CallErrorKind,
    wallet: Option<WalletAddress>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl InputError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            kind: CallErrorKind::NotMade,
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

    /// Creates the error for a wallet of another network than the node's.
    pub(crate) fn other_network(message: String) -> Self {
        Self {
            kind: CallErrorKind::OtherNetwork,
            ..Self::new(message)
        }
    }

    /// Returns what the error means for a call: [`NotMade`](CallErrorKind::NotMade), or
    /// [`OtherNetwork`](CallErrorKind::OtherNetwork).
    #[must_use]
    pub fn kind(&self) -> CallErrorKind {
        self.kind
    }

    /// Returns the wallet whose signer failed or refused, and the signer's error, if that is the reason.
    /// [`SignerError::is_refusal`] distinguishes the two.
    #[must_use]
    pub fn signer_error(&self) -> Option<(WalletAddress, &SignerError)> {
        let error = self.source.as_ref()?.downcast_ref()?;
        Some((self.wallet?, error))
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
