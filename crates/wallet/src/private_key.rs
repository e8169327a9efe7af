//! Private keys, and the wallets that they make.

use std::fmt;

use k256::ecdsa::SigningKey;
use nodeproof_primitives::{Signer, Signing, WalletAddress};
use sha1::{Digest, Sha1};
use zeroize::Zeroizing;

use crate::{HexError, PublicKey, Signature, hex};

/// Why something is not a private key. It says nothing of what was given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The text is not 32 bytes in hexadecimal.
    #[error("a private key is 32 bytes in hexadecimal: {0}")]
    Hex(#[from] HexError),
    /// The bytes are zero, or not below the order of the curve.
    #[error("a private key lies between 1 and the order of secp256k1, and this one does not")]
    OutOfRange,
}

/// The operating system gave no random numbers, so there is no new wallet.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the operating system gives no random numbers for a new key: {0}")]
pub struct GenerateError(pub(crate) getrandom::Error);

/// A private key of secp256k1.
///
/// Its bytes are wiped when it is dropped, and no formatting shows them.
///
/// Observed on a real node: "Private key: 32 bytes, hex".
#[derive(Clone)]
pub struct PrivateKey(SigningKey);

impl PrivateKey {
    /// Takes the key from its 32 bytes, the most significant first.
    ///
    /// # Errors
    /// When they are zero, or not below the order of the curve.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, KeyError> {
        SigningKey::from_slice(bytes)
            .map(Self)
            .map_err(|_| KeyError::OutOfRange)
    }

    /// Reads the key from 64 hexadecimal digits, without a prefix.
    ///
    /// # Errors
    /// When the text is something else, or names no key of the curve.
    pub fn from_hex(text: &str) -> Result<Self, KeyError> {
        let bytes = Zeroizing::new(hex::decode::<32>(text)?);
        Self::from_bytes(&bytes)
    }

    pub(crate) const fn signing_key(&self) -> &SigningKey {
        &self.0
    }

    /// The public key that belongs to it.
    #[must_use]
    pub fn public_key(&self) -> PublicKey {
        PublicKey::from_point(*self.0.verifying_key())
    }

    /// The key itself, as 64 hexadecimal digits that are wiped when they are dropped.
    ///
    /// This is the one way out for a private key: for a file that only its owner
    /// can read, or for the keys of a test network that are public anyway.
    #[must_use]
    pub fn reveal(&self) -> Zeroizing<String> {
        let bytes = Zeroizing::new(<[u8; 32]>::from(self.0.to_bytes()));
        // With room for all of it from the start, no copy is left behind by growing.
        let mut text = Zeroizing::new(String::with_capacity(64));
        hex::encode_to(bytes.as_slice(), &mut text);
        text
    }

    /// Signs a message: ECDSA over its SHA-1 digest, deterministic by RFC 6979
    /// with HMAC-SHA-256, and with the lower of the two possible `s`.
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> Signature {
        let (signature, _) = self.0.sign_prehash_recoverable(&Sha1::digest(message));
        Signature::from_scalars(signature)
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrivateKey(not shown)")
    }
}

/// A wallet: a private key with its public key and its address.
#[derive(Clone)]
pub struct KeyPair {
    private: PrivateKey,
    public: PublicKey,
    address: WalletAddress,
}

impl KeyPair {
    /// A new wallet, whose key is of the operating system's random numbers.
    ///
    /// # Errors
    /// When the system has none to give.
    pub fn generate() -> Result<Self, GenerateError> {
        let mut bytes = Zeroizing::new([0; 32]);
        loop {
            getrandom::fill(bytes.as_mut_slice()).map_err(GenerateError)?;
            // Of 2^128 draws, one is not below the order of the curve.
            if let Ok(wallet) = Self::from_bytes(&bytes) {
                return Ok(wallet);
            }
        }
    }

    /// The wallet of a private key.
    #[must_use]
    pub fn new(private: PrivateKey) -> Self {
        let public = private.public_key();
        Self {
            private,
            address: public.address(),
            public,
        }
    }

    /// The wallet whose private key has these bytes.
    ///
    /// # Errors
    /// As [`PrivateKey::from_bytes`].
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, KeyError> {
        PrivateKey::from_bytes(bytes).map(Self::new)
    }

    /// The wallet whose private key these 64 hexadecimal digits are.
    ///
    /// # Errors
    /// As [`PrivateKey::from_hex`].
    pub fn from_hex(text: &str) -> Result<Self, KeyError> {
        PrivateKey::from_hex(text).map(Self::new)
    }

    /// The private key.
    #[must_use]
    pub const fn private_key(&self) -> &PrivateKey {
        &self.private
    }

    /// The public key.
    #[must_use]
    pub const fn public_key(&self) -> &PublicKey {
        &self.public
    }

    /// The wallet's address.
    #[must_use]
    pub const fn address(&self) -> WalletAddress {
        self.address
    }

    /// Signs a message, as [`PrivateKey::sign`] does.
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> Signature {
        self.private.sign(message)
    }
}

impl Signer for KeyPair {
    fn wallet_address(&self) -> WalletAddress {
        self.address
    }

    fn sign_message<'a>(&'a self, message: &'a [u8]) -> Signing<'a> {
        Box::pin(async move { Ok(self.sign(message).into()) })
    }
}

impl fmt::Debug for KeyPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyPair")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_zero_and_the_order_of_the_curve() {
        let order = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
        for text in ["0".repeat(64).as_str(), order] {
            assert_eq!(
                PrivateKey::from_hex(text).unwrap_err(),
                KeyError::OutOfRange
            );
        }
        assert!(PrivateKey::from_hex(&order.replace("4141", "4140")).is_ok());
    }

    #[test]
    fn new_wallets_differ() {
        let (first, second) = (KeyPair::generate().unwrap(), KeyPair::generate().unwrap());
        assert_ne!(first.address(), second.address());
    }

    #[test]
    fn neither_debug_text_nor_an_error_shows_the_key() {
        let secret = "5ec2e7".to_owned() + &"7f".repeat(29);
        let wallet = KeyPair::from_hex(&secret).unwrap();
        let shown = format!("{wallet:?} {:?}", wallet.private_key());
        let refused = PrivateKey::from_hex(&format!("{secret}0g")).unwrap_err();
        for text in [shown, refused.to_string(), format!("{refused:?}")] {
            assert!(!text.contains("7f7f"), "{text}");
        }
        assert_eq!(*wallet.private_key().reveal(), secret);
    }
}
