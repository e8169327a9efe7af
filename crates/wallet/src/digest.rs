//! The digest that ECDSA signs.

use secp256k1::Message;
use sha1::{Digest as _, Sha1};

/// Returns the SHA-1 digest of a message in the form that the library for the curve takes.
///
/// ECDSA reads a digest as a number. The library wants 32 bytes, so the 20 bytes of
/// SHA-1 follow 12 zeros, which leaves the number unchanged.
pub(crate) fn digest_of(message: &[u8]) -> Message {
    let mut number = [0; 32];
    number[12..].copy_from_slice(&Sha1::digest(message));
    Message::from_digest(number)
}
