//! Public keys and the wallet addresses derived from them.

use std::{fmt, str::FromStr};

use nodeproof_primitives::WalletAddress;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha3::{Digest as _, Keccak256};

use crate::{
    digest::digest_of,
    hex::{self, HexError},
    signature::{Signature, SignatureError},
};

/// The reason why a value is not a public key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PublicKeyError {
    /// The text is not 64 bytes in hexadecimal.
    #[error("a public key is 64 bytes in hexadecimal, x and then y: {0}")]
    Hex(#[from] HexError),
    /// The coordinates do not belong to a point on the curve.
    #[error("the public key is not a point on secp256k1")]
    NotOnCurve,
}

/// A public key: a point on secp256k1, with the address of its wallet.
///
/// Parsing checks that the point lies on the curve, and derives the address.
///
/// Observed on a real node: "64 bytes, x‖y, lower-case hex, no `04` prefix". Upper
/// case is accepted too.
///
/// ```
/// use nodeproof_wallet::{KeyPair, PublicKey};
///
/// let wallet = KeyPair::from_bytes(&[1; 32])?;
/// let public_key: PublicKey = wallet.public_key().to_string().parse()?;
/// assert_eq!(public_key.address(), wallet.address());
/// assert_eq!(PublicKey::from_bytes(public_key.as_bytes())?, public_key);
/// assert!(PublicKey::from_bytes(&[0; 64]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct PublicKey {
    point: secp256k1::PublicKey,
    bytes: [u8; 64],
    address: WalletAddress,
}

impl PublicKey {
    pub(crate) fn from_point(point: secp256k1::PublicKey) -> Self {
        let mut bytes = [0; 64];
        // The first byte is the tag 04.
        bytes.copy_from_slice(&point.serialize_uncompressed()[1..]);
        Self {
            point,
            address: address_of(&bytes),
            bytes,
        }
    }

    /// Creates a public key from the 32 bytes of x followed by the 32 bytes of y.
    ///
    /// # Errors
    /// If the bytes are not a point on the curve.
    pub fn from_bytes(bytes: &[u8; 64]) -> Result<Self, PublicKeyError> {
        let mut sec1 = [4; 65];
        sec1[1..].copy_from_slice(bytes);
        Self::from_sec1(&sec1)
    }

    /// Creates a public key from its SEC 1 encoding, compressed (33 bytes) or
    /// uncompressed (65 bytes).
    pub(crate) fn from_sec1(bytes: &[u8]) -> Result<Self, PublicKeyError> {
        secp256k1::PublicKey::from_slice(bytes)
            .map(Self::from_point)
            .map_err(|_| PublicKeyError::NotOnCurve)
    }

    /// Returns the uncompressed SEC 1 encoding: the tag `04`, x and y.
    pub(crate) fn to_sec1(self) -> [u8; 65] {
        self.point.serialize_uncompressed()
    }

    /// Returns the 32 bytes of x followed by the 32 bytes of y.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 64] {
        &self.bytes
    }

    /// Returns the address of this key's wallet: the last 20 bytes of the key's Keccak-256.
    #[must_use]
    pub const fn address(&self) -> WalletAddress {
        self.address
    }

    /// Verifies that this key signed a message. Both possible values of `s` are accepted.
    ///
    /// # Errors
    /// If the signature was not made with this key over this message.
    pub fn verify(&self, message: &[u8], signature: &Signature) -> Result<(), SignatureError> {
        self.point
            .verify(digest_of(message), &signature.with_low_s())
            .map_err(|_| SignatureError::new(self.address))
    }
}

fn address_of(bytes: &[u8; 64]) -> WalletAddress {
    let digest = Keccak256::digest(bytes);
    let mut address = [0; 20];
    address.copy_from_slice(&digest[12..]);
    WalletAddress::from_bytes(address)
}

impl FromStr for PublicKey {
    type Err = PublicKeyError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::from_bytes(&hex::decode(text)?)
    }
}

impl PartialEq for PublicKey {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for PublicKey {}

impl std::hash::Hash for PublicKey {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.bytes.hash(state);
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&const_hex::encode(self.bytes))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({self})")
    }
}

impl Serialize for PublicKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PublicKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The generator of secp256k1 (SEC 2, 2.4.1).
    const GENERATOR: &str = "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798\
                             483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8";
    /// The field prime of secp256k1 (SEC 2, 2.4.1).
    const PRIME: &str = "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f";

    #[test]
    fn is_read_in_either_case_and_written_in_lower() {
        let key: PublicKey = GENERATOR.to_uppercase().parse().unwrap();
        assert_eq!(key.to_string(), GENERATOR);
        assert_eq!(
            serde_json::to_string(&key).unwrap(),
            format!("{GENERATOR:?}")
        );
    }

    #[test]
    fn rejects_what_is_not_on_the_curve() {
        let (x, y) = GENERATOR.split_at(64);
        let beside = GENERATOR.replace("d4b8", "d4b9");
        for text in [
            beside.as_str(),
            &"0".repeat(128),
            &"f".repeat(128),
            &format!("{y}{x}"),
            &format!("{x}{}", "0".repeat(64)),
            &format!("{PRIME}{y}"),
            &format!("{x}{PRIME}"),
        ] {
            assert_eq!(
                text.parse::<PublicKey>().unwrap_err(),
                PublicKeyError::NotOnCurve,
                "{text}"
            );
        }
    }

    #[test]
    fn rejects_the_prefix_of_the_longer_form() {
        assert!(matches!(
            format!("04{GENERATOR}").parse::<PublicKey>(),
            Err(PublicKeyError::Hex(HexError::Length { .. }))
        ));
    }

    #[test]
    fn text_is_64_bytes_in_hexadecimal() {
        let (x, _) = GENERATOR.split_at(64);
        for text in ["", x, &format!("02{x}"), &GENERATOR[..126]] {
            assert!(
                matches!(
                    text.parse::<PublicKey>(),
                    Err(PublicKeyError::Hex(HexError::Length { wanted: 128, .. }))
                ),
                "{text}"
            );
        }
        assert_eq!(
            format!("0x{GENERATOR}").parse::<PublicKey>(),
            Err(PublicKeyError::Hex(HexError::Prefix))
        );
        assert_eq!(
            GENERATOR.replacen('7', "g", 1).parse::<PublicKey>(),
            Err(PublicKeyError::Hex(HexError::Digit { position: 1 }))
        );
    }
}
