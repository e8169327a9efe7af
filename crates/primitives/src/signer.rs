//! The interface of everything that signs.

use std::{error::Error, future::Future, pin::Pin, sync::Arc};

use crate::{MessageSignature, Network, WalletAddress};

/// The future of [`Signer::sign_message`]: a signature, or the reason why there is none.
pub type Signing<'a> =
    Pin<Box<dyn Future<Output = Result<MessageSignature, SignerError>> + Send + 'a>>;

/// Something that signs for one wallet: a key in memory, a program, a device.
///
/// The caller passes the [signed message](crate::signed_message) and never sees the key.
///
/// ```
/// use nodeproof_primitives::{MessageSignature, Signer, SignerError, Signing, WalletAddress};
///
/// /// A signer that always refuses.
/// struct Refuses(WalletAddress);
///
/// impl Signer for Refuses {
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
    /// Returns the address of the wallet that it signs for.
    fn wallet_address(&self) -> WalletAddress;

    /// Returns the network that the wallet is used on, or `None` if it is not bound to one.
    ///
    /// A signature is not bound to a network. So a wallet that is used on two networks can pay on both
    /// for one transaction.
    fn network(&self) -> Option<Network> {
        None
    }

    /// Signs a message: ECDSA on secp256k1 over the message's SHA-1 digest, as observed on
    /// real nodes.
    ///
    /// The message is not hashed yet, so the signer can show it to a person first.
    ///
    /// # Errors
    /// The future returns an error if nothing was signed.
    fn sign_message<'a>(&'a self, message: &'a [u8]) -> Signing<'a>;
}

macro_rules! by_reference {
    ($($through:ty),*) => {$(
        impl<S: Signer + ?Sized> Signer for $through {
            fn wallet_address(&self) -> WalletAddress {
                (**self).wallet_address()
            }

            fn network(&self) -> Option<Network> {
                (**self).network()
            }

            fn sign_message<'a>(&'a self, message: &'a [u8]) -> Signing<'a> {
                (**self).sign_message(message)
            }
        }
    )*};
}

by_reference!(&S, Box<S>, Arc<S>);

/// The reason why a signer did not sign. The error never contains a key.
///
/// If [`is_refusal`](Self::is_refusal) is true, ask the wallet's owner. Otherwise unlock, connect
/// or correct the signer, and sign again.
///
/// ```
/// use std::{error::Error as _, io};
///
/// use nodeproof_primitives::SignerError;
///
/// let cause = io::Error::from(io::ErrorKind::BrokenPipe);
/// let lost = SignerError::failed("the device is lost").because(cause);
/// assert_eq!(lost.to_string(), "the signer failed: the device is lost");
/// assert!(lost.source().is_some() && !lost.is_refusal());
/// assert!(SignerError::refused("the owner pressed Cancel").is_refusal());
/// ```
#[derive(Debug, thiserror::Error)]
#[error("the signer {}: {reason}", if *refused { "refused" } else { "failed" })]
pub struct SignerError {
    refused: bool,
    reason: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl SignerError {
    /// Creates the error of a signer whose owner refuses to sign.
    #[must_use]
    pub fn refused(reason: impl Into<String>) -> Self {
        Self {
            refused: true,
            reason: reason.into(),
            source: None,
        }
    }

    /// Creates the error of a signer that can't sign, or returned an invalid signature.
    #[must_use]
    pub fn failed(reason: impl Into<String>) -> Self {
        Self {
            refused: false,
            reason: reason.into(),
            source: None,
        }
    }

    /// Adds the error that caused it.
    #[must_use]
    pub fn because(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Returns whether the owner refused, rather than the signer failing.
    #[must_use]
    pub const fn is_refusal(&self) -> bool {
        self.refused
    }
}
