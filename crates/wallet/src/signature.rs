//! Signatures, and who made them.

use std::{fmt, str::FromStr};

use k256::ecdsa::{RecoveryId, VerifyingKey};
use nodeproof_primitives::{MessageSignature, WalletAddress};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha1::{Digest, Sha1};

use crate::{HexError, PublicKey, hex};

/// Why something has not even the form of a signature.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignatureParseError {
    /// The text is not 64 bytes in hexadecimal.
    #[error("a signature is 64 bytes in hexadecimal, r and then s: {0}")]
    Hex(#[from] HexError),
    /// One of the two numbers is zero, or not below the order of the curve.
    #[error("r and s of a signature lie between 1 and the order of secp256k1, and these do not")]
    OutOfRange,
}

/// A signature that this wallet did not make over this message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the signature is not one of {address} over this message")]
pub struct SignatureError {
    address: WalletAddress,
}

impl SignatureError {
    pub(crate) const fn new(address: WalletAddress) -> Self {
        Self { address }
    }

    /// The wallet that was said to have signed.
    #[must_use]
    pub const fn address(&self) -> WalletAddress {
        self.address
    }
}

/// A signature: the numbers r and s of ECDSA on secp256k1.
///
/// Observed on a real node: "64 bytes r‖s, hex. High s is accepted".
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Signature(k256::ecdsa::Signature);

impl Signature {
    pub(crate) const fn from_scalars(scalars: k256::ecdsa::Signature) -> Self {
        Self(scalars)
    }

    pub(crate) const fn scalars(&self) -> &k256::ecdsa::Signature {
        &self.0
    }

    /// Takes a signature from the 32 bytes of r and the 32 bytes of s.
    ///
    /// # Errors
    /// When one of them is zero, or not below the order of the curve.
    pub fn from_bytes(bytes: &[u8; 64]) -> Result<Self, SignatureParseError> {
        k256::ecdsa::Signature::from_slice(bytes)
            .map(Self)
            .map_err(|_| SignatureParseError::OutOfRange)
    }

    /// The 32 bytes of r and the 32 bytes of s.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; 64] {
        self.0.to_bytes().into()
    }

    /// The public keys that can have made this signature over a message: two as a
    /// rule, and one more pair in the rare case that r was reduced.
    ///
    /// A signature entry names a wallet and no key, so this is how it is verified.
    pub fn possible_signers(&self, message: &[u8]) -> impl Iterator<Item = PublicKey> + use<> {
        let (scalars, digest) = (self.0, Sha1::digest(message));
        (0..=RecoveryId::MAX)
            .filter_map(RecoveryId::from_byte)
            .filter_map(move |id| VerifyingKey::recover_from_prehash(&digest, &scalars, id).ok())
            .map(PublicKey::from_point)
    }

    /// Verifies that the wallet with this address signed a message, and tells its public key.
    ///
    /// # Errors
    /// When it did not.
    pub fn verify_by_address(
        &self,
        message: &[u8],
        address: WalletAddress,
    ) -> Result<PublicKey, SignatureError> {
        self.possible_signers(message)
            .find(|key| key.address() == address)
            .ok_or(SignatureError::new(address))
    }
}

impl From<Signature> for MessageSignature {
    fn from(signature: Signature) -> Self {
        Self::from_bytes(signature.to_bytes())
    }
}

impl TryFrom<MessageSignature> for Signature {
    type Error = SignatureParseError;

    fn try_from(text: MessageSignature) -> Result<Self, Self::Error> {
        Self::from_bytes(text.as_bytes())
    }
}

impl FromStr for Signature {
    type Err = SignatureParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::from_bytes(&hex::decode(text)?)
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex::write(&self.to_bytes(), f)
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signature({self})")
    }
}

impl Serialize for Signature {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Signature {
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

    fn wallet(seed: u8) -> KeyPair {
        KeyPair::from_bytes(&[seed; 32]).unwrap()
    }

    #[test]
    fn a_signature_names_its_wallet_and_no_other() {
        let (signer, other) = (wallet(1), wallet(2));
        let signature = signer.sign(b"message");
        let key = signature
            .verify_by_address(b"message", signer.address())
            .unwrap();
        assert_eq!(&key, signer.public_key());
        let refused = signature
            .verify_by_address(b"message", other.address())
            .unwrap_err();
        assert_eq!(refused.address(), other.address());
        assert!(
            signature
                .verify_by_address(b"messagE", signer.address())
                .is_err()
        );
    }

    #[test]
    fn signing_twice_gives_the_same_signature() {
        assert_eq!(wallet(3).sign(b"x"), wallet(3).sign(b"x"));
        assert_ne!(wallet(3).sign(b"x"), wallet(3).sign(b"y"));
    }

    #[test]
    fn rejects_zero_and_numbers_from_the_order_on() {
        for text in ["0".repeat(128), "f".repeat(128)] {
            assert_eq!(
                text.parse::<Signature>().unwrap_err(),
                SignatureParseError::OutOfRange
            );
        }
    }

    #[test]
    fn text_survives_a_round_trip() {
        let signature = wallet(4).sign(b"z");
        let text = serde_json::to_string(&signature).unwrap();
        assert_eq!(serde_json::from_str::<Signature>(&text).unwrap(), signature);
        let form = MessageSignature::from(signature);
        assert_eq!(form.to_string(), signature.to_string());
        assert_eq!(Signature::try_from(form), Ok(signature));
        assert_eq!(
            Signature::try_from(MessageSignature::from_bytes([0; 64])),
            Err(SignatureParseError::OutOfRange)
        );
    }
}
