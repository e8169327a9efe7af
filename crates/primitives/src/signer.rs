//! Who signs, whatever holds the key.

use std::{error::Error, fmt, future::Future, pin::Pin, sync::Arc};

use crate::{MessageSignature, WalletAddress};

/// A signature that is being made, or the reason why there will be none.
pub type Signing<'a> =
    Pin<Box<dyn Future<Output = Result<MessageSignature, SignerError>> + Send + 'a>>;

/// Something that signs for one wallet: a key in memory, a program, a device.
///
/// Whoever asks for a signature hands over the [signed message](crate::signed_message)
/// and learns nothing of the key.
///
/// ```
/// use nodeproof_primitives::{MessageSignature, Signer, SignerError, Signing, WalletAddress};
///
/// /// Somebody who is asked, and says no.
/// struct Cautious(WalletAddress);
///
/// impl Signer for Cautious {
///     fn wallet_address(&self) -> WalletAddress {
///         self.0
///     }
///
///     fn sign_message<'a>(&'a self, _message: &'a [u8]) -> Signing<'a> {
///         Box::pin(async { Err(SignerError::refused("not today")) })
///     }
/// }
/// ```
pub trait Signer: Send + Sync {
    /// The wallet that it signs for.
    fn wallet_address(&self) -> WalletAddress;

    /// Signs a message: ECDSA on secp256k1 over the message's SHA-1 digest, as observed on
    /// real nodes.
    ///
    /// The message is not hashed yet, so that what signs can show it to a person first.
    ///
    /// # Errors
    /// The future's outcome is an error where nothing was signed.
    fn sign_message<'a>(&'a self, message: &'a [u8]) -> Signing<'a>;
}

macro_rules! by_reference {
    ($($through:ty),*) => {$(
        impl<S: Signer + ?Sized> Signer for $through {
            fn wallet_address(&self) -> WalletAddress {
                (**self).wallet_address()
            }

            fn sign_message<'a>(&'a self, message: &'a [u8]) -> Signing<'a> {
                (**self).sign_message(message)
            }
        }
    )*};
}

by_reference!(&S, Box<S>, Arc<S>);

/// Why a signer did not sign. It never says anything of a key.
#[derive(Debug)]
pub struct SignerError {
    refused: bool,
    reason: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl SignerError {
    /// Whoever has the key does not want to sign.
    #[must_use]
    pub fn refused(reason: impl Into<String>) -> Self {
        Self {
            refused: true,
            reason: reason.into(),
            source: None,
        }
    }

    /// The signer can't sign, or what it returned is no signature of its wallet.
    #[must_use]
    pub fn failed(reason: impl Into<String>) -> Self {
        Self {
            refused: false,
            reason: reason.into(),
            source: None,
        }
    }

    /// Keeps what caused it.
    #[must_use]
    pub fn because(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Whether it was a decision, rather than a failure.
    #[must_use]
    pub const fn is_refusal(&self) -> bool {
        self.refused
    }
}

impl fmt::Display for SignerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.refused {
            "the signer refused: "
        } else {
            "the signer failed: "
        })?;
        f.write_str(&self.reason)
    }
}

impl Error for SignerError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source
            .as_ref()
            .map(|source| -> &(dyn Error + 'static) { source.as_ref() })
    }
}
