//! Private keys and the wallets that they belong to.

use std::fmt;

use nodeproof_primitives::{Network, Signer, Signing, WalletAddress};
use secp256k1::SecretKey;
use zeroize::Zeroizing;

use crate::{
    digest::digest_of,
    hex::{self, HexError},
    public_key::PublicKey,
    signature::Signature,
};

/// The reason why a value is not a private key. The error does not contain the value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The text is not 32 bytes in hexadecimal. Give 64 hexadecimal digits, without `0x`.
    #[error("a private key is 32 bytes in hexadecimal: {0}")]
    Hex(#[from] HexError),
    /// The number is zero, or not below the order of the curve. Check the value: no wallet has this
    /// key.
    #[error("a private key lies between 1 and the order of secp256k1, and this one does not")]
    OutOfRange,
}

/// The operating system did not return random numbers for a new key.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the operating system gives no random numbers for a new key: {0}")]
pub struct GenerateError(pub(crate) getrandom::Error);

/// A private key of secp256k1.
///
/// Its bytes are erased when it is dropped. `Debug` does not show them.
///
/// Observed on a real node: "Private key: 32 bytes, hex".
///
/// ```
/// use nodeproof_wallet::PrivateKey;
///
/// let key = PrivateKey::from_bytes(&[1; 32])?;
/// assert_eq!(*key.reveal(), "01".repeat(32));
/// assert_eq!(format!("{key:?}"), "PrivateKey(not shown)");
/// # Ok::<(), nodeproof_wallet::KeyError>(())
/// ```
#[derive(Clone)]
pub struct PrivateKey(SecretKey);

impl PrivateKey {
    /// Creates a private key from its 32 bytes, the most significant first.
    ///
    /// # Errors
    /// If the number is zero, or not below the order of the curve.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, KeyError> {
        SecretKey::from_secret_bytes(*bytes)
            .map(Self)
            .map_err(|_| KeyError::OutOfRange)
    }

    /// Parses a private key from 64 hexadecimal characters, without a prefix.
    ///
    /// # Errors
    /// If the text has a different form, or the number is out of range.
    pub fn from_hex(text: &str) -> Result<Self, KeyError> {
        let bytes = Zeroizing::new(hex::decode::<32>(text)?);
        Self::from_bytes(&bytes)
    }

    pub(crate) fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_secret_bytes()
    }

    /// Derives the public key.
    #[must_use]
    pub fn public_key(&self) -> PublicKey {
        PublicKey::from_point(self.0.public_key())
    }

    /// Returns the key as 64 hexadecimal characters, which are erased when they are dropped.
    ///
    /// Only this method and [`KeyFile::write`](crate::KeyFile::write) export a private key.
    /// Use it for a file that only its owner can read, or for the published keys of a test network.
    #[must_use]
    pub fn reveal(&self) -> Zeroizing<String> {
        Zeroizing::new(const_hex::encode(self.as_bytes()))
    }

    /// Signs a message with ECDSA over its SHA-1 digest.
    ///
    /// The nonce follows RFC 6979 with HMAC-SHA-256, so the same message always has the
    /// same signature. `s` is the lower of the two possible values.
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> Signature {
        Signature::from_scalars(self.0.sign_ecdsa(digest_of(message)))
    }
}

impl Drop for PrivateKey {
    fn drop(&mut self) {
        self.0.non_secure_erase();
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrivateKey(not shown)")
    }
}

/// A wallet: a private key and its public key.
///
/// ```
/// use nodeproof_wallet::{KeyPair, PrivateKey};
///
/// let wallet = KeyPair::new(PrivateKey::from_bytes(&[1; 32])?);
/// assert_eq!(*wallet.private_key().reveal(), "01".repeat(32));
/// assert_eq!(wallet.address(), wallet.public_key().address());
///
/// let signature = wallet.sign(b"message");
/// wallet.public_key().verify(b"message", &signature)?;
/// assert!(wallet.public_key().verify(b"another message", &signature).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct KeyPair {
    private: PrivateKey,
    public: PublicKey,
    network: Option<Network>,
}

impl KeyPair {
    /// Creates a wallet with a new random key.
    ///
    /// # Errors
    /// If the operating system does not return random numbers.
    pub fn generate() -> Result<Self, GenerateError> {
        let mut bytes = Zeroizing::new([0; 32]);
        loop {
            getrandom::fill(bytes.as_mut_slice()).map_err(GenerateError)?;
            // About one number in 2^128 is out of range.
            if let Ok(wallet) = Self::from_bytes(&bytes) {
                return Ok(wallet);
            }
        }
    }

    /// Creates the wallet of a private key.
    #[must_use]
    pub fn new(private: PrivateKey) -> Self {
        let public = private.public_key();
        Self {
            private,
            public,
            network: None,
        }
    }

    /// Binds the wallet to a network, or to none. A wallet from a
    /// [key file](crate::KeyFile::key_pair) is bound to the network that the file records.
    ///
    /// A claim or a contract call is not signed for another network.
    ///
    /// ```
    /// use nodeproof_wallet::{KeyPair, Network, Signer};
    ///
    /// let wallet = KeyPair::from_bytes(&[1; 32])?.for_network(Some(Network::Testnet));
    /// assert_eq!(wallet.network(), Some(Network::Testnet));
    /// # Ok::<(), nodeproof_wallet::KeyError>(())
    /// ```
    #[must_use]
    pub fn for_network(mut self, network: Option<Network>) -> Self {
        self.network = network;
        self
    }

    /// Creates the wallet of a private key, given as 32 bytes.
    ///
    /// # Errors
    /// The errors of [`PrivateKey::from_bytes`].
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, KeyError> {
        PrivateKey::from_bytes(bytes).map(Self::new)
    }

    /// Creates the wallet of a private key, given as 64 hexadecimal characters.
    ///
    /// # Errors
    /// The errors of [`PrivateKey::from_hex`].
    pub fn from_hex(text: &str) -> Result<Self, KeyError> {
        PrivateKey::from_hex(text).map(Self::new)
    }

    /// Returns the private key.
    #[must_use]
    pub const fn private_key(&self) -> &PrivateKey {
        &self.private
    }

    /// Returns the public key.
    #[must_use]
    pub const fn public_key(&self) -> &PublicKey {
        &self.public
    }

    /// Returns the wallet's address.
    #[must_use]
    pub const fn address(&self) -> WalletAddress {
        self.public.address()
    }

    /// Signs a message like [`PrivateKey::sign`].
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> Signature {
        self.private.sign(message)
    }
}

impl Signer for KeyPair {
    fn wallet_address(&self) -> WalletAddress {
        self.address()
    }

    fn network(&self) -> Option<Network> {
        self.network
    }

    fn sign_message<'a>(&'a self, message: &'a [u8]) -> Signing<'a> {
        Box::pin(async move { Ok(self.sign(message).into()) })
    }
}

impl fmt::Debug for KeyPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyPair")
            .field("address", &self.address())
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
    fn private_key_one_has_the_generator_and_its_well_known_address() {
        // The generator of secp256k1 (SEC 2, 2.4.1).
        let generator = "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798\
                         483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8";
        let wallet = KeyPair::from_hex(&format!("{:064}", 1)).unwrap();
        assert_eq!(wallet.public_key().to_string(), generator);
        assert_eq!(
            wallet.address().to_string(),
            "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"
        );
    }

    #[test]
    fn signing_twice_gives_the_same_signature() {
        let wallet = KeyPair::from_bytes(&[3; 32]).unwrap();
        assert_eq!(wallet.sign(b"x"), wallet.sign(b"x"));
        assert_ne!(wallet.sign(b"x"), wallet.sign(b"y"));
    }

    #[test]
    fn erasing_a_key_overwrites_its_bytes() {
        assert!(std::mem::needs_drop::<PrivateKey>());
        let mut key = PrivateKey::from_bytes(&[0x7f; 32]).unwrap();
        key.0.non_secure_erase();
        assert!(!key.as_bytes().contains(&0x7f));
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
