//! Public keys, and the addresses that follow from them.

use std::{fmt, str::FromStr};

use k256::ecdsa::{VerifyingKey, signature::hazmat::PrehashVerifier};
use nodeproof_primitives::WalletAddress;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha1::{Digest as _, Sha1};
use sha3::Keccak256;

use crate::{HexError, Signature, SignatureError, hex};

/// Why something is not a public key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PublicKeyError {
    /// The text is not 64 bytes in hexadecimal.
    #[error("a public key is 64 bytes in hexadecimal, x and then y: {0}")]
    Hex(#[from] HexError),
    /// The bytes are the coordinates of no point of the curve.
    #[error("the public key is no point of the curve secp256k1")]
    NotOnCurve,
}

/// A public key: a point of secp256k1, which is checked to lie on the curve.
///
/// Observed on a real node: "64 bytes, x‖y, lower-case hex, no `04` prefix". Upper
/// case is read as well.
#[derive(Clone, Copy)]
pub struct PublicKey {
    point: VerifyingKey,
    bytes: [u8; 64],
}

impl PublicKey {
    pub(crate) fn from_point(point: VerifyingKey) -> Self {
        let sec1 = point.to_sec1_point(false);
        let mut bytes = [0; 64];
        // The first byte says that both coordinates follow.
        bytes.copy_from_slice(&sec1.as_bytes()[1..]);
        Self { point, bytes }
    }

    /// Takes the key from the 32 bytes of x and the 32 bytes of y.
    ///
    /// # Errors
    /// When they are no point of the curve.
    pub fn from_bytes(bytes: &[u8; 64]) -> Result<Self, PublicKeyError> {
        let mut sec1 = [4; 65];
        sec1[1..].copy_from_slice(bytes);
        Self::from_sec1(&sec1)
    }

    /// Takes the key as other programs write it: behind a byte that says whether y follows.
    pub(crate) fn from_sec1(bytes: &[u8]) -> Result<Self, PublicKeyError> {
        VerifyingKey::from_sec1_bytes(bytes)
            .map(Self::from_point)
            .map_err(|_| PublicKeyError::NotOnCurve)
    }

    /// The 32 bytes of x and the 32 bytes of y.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 64] {
        &self.bytes
    }

    /// The address of the wallet that has this key: the last 20 bytes of the key's Keccak-256.
    #[must_use]
    pub fn address(&self) -> WalletAddress {
        let digest = Keccak256::digest(self.bytes);
        let mut address = [0; 20];
        address.copy_from_slice(&digest[12..]);
        WalletAddress::from_bytes(address)
    }

    /// Verifies that this key signed a message. Either of the two possible `s` is taken.
    ///
    /// # Errors
    /// When it did not.
    pub fn verify(&self, message: &[u8], signature: &Signature) -> Result<(), SignatureError> {
        self.point
            .verify_prehash(&Sha1::digest(message), &signature.scalars().normalize_s())
            .map_err(|_| SignatureError::new(self.address()))
    }
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
        hex::write(&self.bytes, f)
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
    use crate::KeyPair;

    /// The generator of secp256k1, by the curve's own definition (SEC 2, 2.4.1),
    /// is the public key of the private key 1.
    const GENERATOR: &str = "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798\
                             483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8";

    #[test]
    fn private_key_one_has_the_generator_and_its_well_known_address() {
        let wallet = KeyPair::from_hex(&format!("{:064}", 1)).unwrap();
        assert_eq!(wallet.public_key().to_string(), GENERATOR);
        assert_eq!(
            wallet.address().to_string(),
            "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"
        );
    }

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
        let beside = GENERATOR.replace("d4b8", "d4b9");
        for text in [beside.as_str(), &"0".repeat(128), &"f".repeat(128)] {
            assert_eq!(
                text.parse::<PublicKey>().unwrap_err(),
                PublicKeyError::NotOnCurve
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
}
