//! Parsing and writing signatures, and the error for a wrong signature.

use std::{fmt, str::FromStr};

use nodeproof_primitives::{MessageSignature, WalletAddress};
use secp256k1::ecdsa;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::hex::{self, HexError};

/// The reason why a value does not have the form of a signature.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignatureParseError {
    /// The text is not 64 bytes in hexadecimal. Give 128 hexadecimal digits, without `0x`.
    #[error("a signature is 64 bytes in hexadecimal, r and then s: {0}")]
    Hex(#[from] HexError),
    /// `r` or `s` is zero, or not below the order of the curve. Treat the signature as invalid, and
    /// sign again.
    #[error("r and s of a signature lie between 1 and the order of secp256k1, and these do not")]
    OutOfRange,
}

/// The signature was not made with the wallet's key over this message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the signature does not match the address {address} and this message")]
pub struct SignatureError {
    address: WalletAddress,
}

impl SignatureError {
    pub(crate) const fn new(address: WalletAddress) -> Self {
        Self { address }
    }

    /// Returns the wallet that should have signed.
    #[must_use]
    pub const fn address(&self) -> WalletAddress {
        self.address
    }
}

/// A signature: the numbers r and s of ECDSA on secp256k1.
///
/// Observed on a real node: "64 bytes r‖s, hex. High s is accepted".
///
/// ```
/// use nodeproof_wallet::{KeyPair, Signature};
///
/// let wallet = KeyPair::from_bytes(&[1; 32])?;
/// let signature = wallet.sign(b"message");
/// assert_eq!(Signature::from_bytes(&signature.to_bytes())?, signature);
///
/// // The message and the signature are enough to find the signer.
/// let mut candidates = signature.recover_public_keys(b"message");
/// assert!(candidates.any(|key| key == *wallet.public_key()));
/// let signer = signature.verify_by_address(b"message", wallet.address())?;
/// assert_eq!(signer, *wallet.public_key());
/// assert!(signature.verify_by_address(b"another message", wallet.address()).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Signature(ecdsa::Signature);

impl Signature {
    pub(crate) const fn from_scalars(scalars: ecdsa::Signature) -> Self {
        Self(scalars)
    }

    /// Returns r and the lower of the two possible `s`, the only one that the library verifies.
    pub(crate) fn with_low_s(self) -> ecdsa::Signature {
        let mut scalars = self.0;
        scalars.normalize_s();
        scalars
    }

    /// Creates a signature from the 32 bytes of r followed by the 32 bytes of s.
    ///
    /// # Errors
    /// If r or s is zero, or not below the order of the curve.
    pub fn from_bytes(bytes: &[u8; 64]) -> Result<Self, SignatureParseError> {
        let (r, s) = bytes.split_at(32);
        // The library rejects large numbers here, but rejects zero only in verification.
        if [r, s].contains(&[0; 32].as_slice()) {
            return Err(SignatureParseError::OutOfRange);
        }
        ecdsa::Signature::from_compact(bytes)
            .map(Self)
            .map_err(|_| SignatureParseError::OutOfRange)
    }

    /// Returns the 32 bytes of r followed by the 32 bytes of s.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; 64] {
        self.0.serialize_compact()
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
        f.write_str(&const_hex::encode(self.to_bytes()))
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

    /// The order of secp256k1 (SEC 2, 2.4.1).
    const ORDER: &str = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";

    #[test]
    fn rejects_zero_and_numbers_from_the_order_on() {
        let (zero, one, large) = ("0".repeat(64), format!("{:064x}", 1), "f".repeat(64));
        let below = ORDER.replace("4141", "4140");
        for (r, s) in [
            (zero.as_str(), zero.as_str()),
            (&zero, &one),
            (&one, &zero),
            (ORDER, &one),
            (&one, ORDER),
            (&large, &one),
            (&one, &large),
            (&large, &large),
        ] {
            assert_eq!(
                format!("{r}{s}").parse::<Signature>().unwrap_err(),
                SignatureParseError::OutOfRange,
                "{r} {s}"
            );
        }
        for (r, s) in [(&one, &one), (&below, &one), (&one, &below)] {
            let text = format!("{r}{s}");
            assert_eq!(text.parse::<Signature>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn text_is_64_bytes_in_hexadecimal() {
        let text = "7f".repeat(64);
        for wrong in ["", &text[2..], &format!("{text}7f")] {
            assert!(
                matches!(
                    wrong.parse::<Signature>(),
                    Err(SignatureParseError::Hex(HexError::Length {
                        wanted: 128,
                        ..
                    }))
                ),
                "{wrong}"
            );
        }
        assert_eq!(
            format!("0x{text}").parse::<Signature>(),
            Err(SignatureParseError::Hex(HexError::Prefix))
        );
        assert_eq!(
            text.replacen('f', "g", 1).parse::<Signature>(),
            Err(SignatureParseError::Hex(HexError::Digit { position: 2 }))
        );
    }

    #[test]
    fn text_survives_a_round_trip() {
        let signature = Signature::from_bytes(&[0x7e; 64]).unwrap();
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
