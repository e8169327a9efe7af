//! A cache of parsed public keys.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use crate::public_key::{PublicKey, PublicKeyError};

/// The maximum number of cached keys. Few wallets vote, so this is ample.
const CAPACITY: usize = 4096;

/// A cache of parsed public keys, with their addresses.
///
/// The same wallets vote on block after block. Caching saves the check that the key is on the
/// curve, and the hash for its address. Threads can share the cache. It has room for 4096 keys,
/// about 1.5 MB. When it is full, it is emptied.
///
/// ```
/// use nodeproof_wallet::{KeyPair, PublicKeyCache, verify_receipt};
///
/// let known = PublicKeyCache::default();
/// let voter = KeyPair::generate()?;
/// let data = format!(r#"{{"vote": 1, "wallet_address": "{}"}}"#, voter.address());
/// let signature = voter.sign(data.as_bytes());
///
/// let public_key = known.parse(&voter.public_key().to_string())?;
/// verify_receipt(&data, &public_key, &signature)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct PublicKeyCache(Mutex<HashMap<Box<str>, PublicKey>>);

impl PublicKeyCache {
    /// Returns the public key with this text. Parses it if it is not cached yet.
    ///
    /// # Errors
    /// The errors of [`PublicKey`]'s `FromStr`. They are not cached.
    pub fn parse(&self, text: &str) -> Result<PublicKey, PublicKeyError> {
        // A panic can't leave a map half changed, so the data behind a poisoned lock is still valid.
        let keys = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(key) = keys().get(text) {
            return Ok(*key);
        }
        // The key is parsed without the lock, so other threads need not wait.
        let key: PublicKey = text.parse()?;
        let mut keys = keys();
        if keys.len() >= CAPACITY {
            keys.clear();
        }
        keys.insert(text.into(), key);
        Ok(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::private_key::KeyPair;

    fn public_key(number: usize) -> PublicKey {
        *KeyPair::from_hex(&format!("{number:064x}"))
            .unwrap()
            .public_key()
    }

    #[test]
    fn a_known_key_is_the_one_that_parsing_returns() {
        let (known, key) = (PublicKeyCache::default(), public_key(5));
        let text = key.to_string();
        for _ in 0..2 {
            let found = known.parse(&text).unwrap();
            assert_eq!((found, found.address()), (key, key.address()));
            assert_eq!(known.parse(&text.to_uppercase()), Ok(key));
            assert_eq!(known.parse(&text[2..]), text[2..].parse());
            assert_eq!(
                known.parse(&"0".repeat(128)),
                Err(PublicKeyError::NotOnCurve)
            );
        }
        assert_ne!(known.parse(&public_key(6).to_string()), Ok(key));
    }

    #[test]
    fn the_number_of_keys_is_bounded() {
        let known = PublicKeyCache::default();
        for number in 1..=CAPACITY + 10 {
            let key = public_key(number);
            assert_eq!(known.parse(&key.to_string()), Ok(key));
            assert!(known.0.lock().unwrap().len() <= CAPACITY);
        }
        assert_eq!(known.0.lock().unwrap().len(), 10);
    }
}
