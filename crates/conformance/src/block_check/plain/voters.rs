//! Whose public key is whose.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use nodeproof_primitives::WalletAddress;
use nodeproof_wallet::PublicKey;

/// The most that are remembered. Those who vote are few; a node that shows ever new ones takes no
/// more place.
const MOST: usize = 4_096;
/// How long the text of a public key is.
const KEY: usize = 128;
/// How long the text of an address is.
const ADDRESS: usize = 42;

/// Voters whose address was found to follow from their public key, by the texts of both.
#[derive(Debug, Default)]
pub(crate) struct Voters(Mutex<HashMap<[u8; ADDRESS], [u8; KEY]>>);

impl Voters {
    /// Whether an address is that of a public key.
    pub(super) fn has(&self, address: &str, key: &str) -> bool {
        let (Ok(address_text), Ok(key_text)) =
            (address.as_bytes().try_into(), key.as_bytes().try_into())
        else {
            return false;
        };
        // An entry is whole or not there, so a lock that is poisoned guards whole ones.
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known().get(&address_text) == Some(&key_text) {
            return true;
        }
        let (Ok(key), Ok(address)) = (key.parse::<PublicKey>(), address.parse::<WalletAddress>())
        else {
            return false;
        };
        let right = key.address() == address;
        if right {
            let mut known = known();
            if known.len() >= MOST {
                known.clear();
            }
            known.insert(address_text, key_text);
        }
        right
    }
}

#[cfg(test)]
mod tests {
    use nodeproof_wallet::KeyPair;

    use super::*;

    fn voter(seed: u8) -> (String, String) {
        let keys = KeyPair::from_bytes(&[seed; 32]).unwrap();
        (keys.address().to_string(), keys.public_key().to_string())
    }

    #[test]
    fn who_was_right_once_is_not_taken_for_another() {
        let (one, other) = (voter(5), voter(6));
        let voters = Voters::default();
        for _ in 0..2 {
            assert!(voters.has(&one.0, &one.1));
            assert!(voters.has(&one.0, &one.1.to_uppercase()));
            assert!(!voters.has(&one.0, &other.1));
            assert!(!voters.has(&other.0, &one.1));
            assert!(!voters.has(&one.0, &one.1[2..]));
        }
        assert!(voters.has(&other.0, &other.1));
    }
}
