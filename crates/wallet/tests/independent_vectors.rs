//! Compares keys, addresses, messages and signatures with those of an independent implementation.
//!
//! `vectors.py` in the same folder made `vectors.json`. It uses python-ecdsa for keys and signatures,
//! pycryptodome for Keccak-256, and CPython's own `json` and `hashlib` for message and digest.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use nodeproof_primitives::signed_message;
use nodeproof_wallet::{KeyPair, PublicKey, Signature};
use serde::Deserialize;

#[derive(Deserialize)]
struct Vector {
    private: String,
    public: String,
    address: String,
    document: String,
    message: String,
    deterministic: String,
    low_s: String,
    high_s: String,
}

fn vectors() -> Vec<Vector> {
    serde_json::from_str(include_str!("vectors.json")).unwrap()
}

#[test]
fn keys_addresses_and_messages_are_the_independent_ones() {
    for vector in vectors() {
        let wallet = KeyPair::from_hex(&vector.private).unwrap();
        assert_eq!(wallet.public_key().to_string(), vector.public);
        assert_eq!(wallet.address().to_string(), vector.address);
        assert_eq!(signed_message(&vector.document).unwrap(), vector.message);
    }
}

#[test]
fn signing_is_deterministic_as_rfc_6979_has_it() {
    for vector in vectors() {
        let wallet = KeyPair::from_hex(&vector.private).unwrap();
        let signature = wallet.sign(vector.message.as_bytes());
        assert_eq!(signature.to_string(), vector.deterministic);
    }
}

#[test]
fn signatures_with_either_s_verify_by_key_and_by_address() {
    for vector in vectors() {
        let key: PublicKey = vector.public.parse().unwrap();
        for text in [&vector.deterministic, &vector.low_s, &vector.high_s] {
            let signature: Signature = text.parse().unwrap();
            let message = vector.message.as_bytes();
            assert_eq!(key.verify(message, &signature), Ok(()));
            assert_eq!(
                signature.verify_by_address(message, vector.address.parse().unwrap()),
                Ok(key)
            );
            assert!(key.verify(b"another message", &signature).is_err());
        }
    }
}
