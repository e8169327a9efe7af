//! Finds private keys that got into a text by mistake, before the text is sent.

use std::fmt;

use nodeproof_primitives::WalletAddress;

use crate::{key_file::KeyFile, private_key::KeyPair};

/// The number of hexadecimal digits of a private key.
const DIGITS: usize = 64;

/// A private key in a text. It does not contain the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Exposure {
    /// The text is a key file, or contains one.
    KeyFile,
    /// The text contains the private key of this wallet.
    KeyOf(WalletAddress),
}

impl fmt::Display for Exposure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::KeyFile => f.write_str("a key file"),
            Self::KeyOf(wallet) => write!(f, "the private key of {wallet}"),
        }
    }
}

/// Returns the private key that a text would expose if it were sent: the text of any key file, or the private
/// key of one of these wallets as 64 hexadecimal digits. A key in another encoding, or in pieces, is not found.
///
/// The wallets need not be unlocked: their addresses distinguish their keys from other numbers.
///
/// ```
/// use nodeproof_wallet::{Exposure, KeyPair, exposed_key};
///
/// let wallet = KeyPair::from_hex(&"5e".repeat(32))?;
/// let text = format!("my key is 0x{}", "5E".repeat(32));
/// let found = exposed_key(&text, &[wallet.address()]);
/// assert_eq!(found, Some(Exposure::KeyOf(wallet.address())));
/// assert_eq!(exposed_key(&"7f".repeat(32), &[wallet.address()]), None);
/// # Ok::<(), nodeproof_wallet::KeyError>(())
/// ```
#[must_use]
pub fn exposed_key(text: &str, wallets: &[WalletAddress]) -> Option<Exposure> {
    if is_key_file(text) {
        return Some(Exposure::KeyFile);
    }
    if wallets.is_empty() {
        return None;
    }
    let words = text.split(|one: char| !one.is_ascii_hexdigit());
    words
        .filter(|word| word.len() == DIGITS)
        .filter_map(|word| Some(KeyPair::from_hex(word).ok()?.address()))
        .find(|address| wallets.contains(address))
        .map(Exposure::KeyOf)
}

/// Returns whether a text is a key file, or contains something that only key files contain.
fn is_key_file(text: &str) -> bool {
    let has_pem = text
        .match_indices("-----BEGIN ")
        .filter_map(|(at, _)| text.get(at..)?.lines().next())
        .any(|line| line.contains("PRIVATE KEY-----"));
    has_pem || has_private_member(text) || KeyFile::from_text(text).is_ok()
}

/// Returns whether a member `private` contains a key. The JSON around it may be damaged, or may be a
/// string with escaped quotes.
fn has_private_member(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    lower.match_indices("private").any(|(at, name)| {
        let after = lower.get(at + name.len()..).unwrap_or_default();
        let value = after.trim_start_matches(|one: char| !one.is_ascii_alphanumeric());
        let value = value.strip_prefix("0x").unwrap_or(value);
        value
            .bytes()
            .take_while(u8::is_ascii_hexdigit)
            .take(DIGITS)
            .count()
            == DIGITS
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Protection;

    #[test]
    fn key_files_and_keys_are_found() {
        let wallet = KeyPair::from_hex(&"5ec2e7f1".repeat(8)).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let written = |name: &str, protection| {
            let path = folder.path().join(name);
            KeyFile::write(&path, &wallet, protection).unwrap();
            std::fs::read_to_string(path).unwrap()
        };
        let plain = written("plain", Protection::Plain);
        let sealed = written("sealed", Protection::Passphrase("correct horse"));
        for text in [
            plain.clone(),
            sealed.clone(),
            plain.to_uppercase(),
            format!("\u{feff}{plain}"),
            format!("{{\"remarks\":{plain}}}"),
            serde_json::to_string(&plain).unwrap(),
            plain.replace("{\"public\"", "[\"public\""),
            plain.replace("\"address\"", "\"adress\""),
            format!("my wallet:\n{sealed}"),
            format!("private = 0x{}", "ab".repeat(32)),
        ] {
            let found = exposed_key(&text, &[]);
            assert_eq!(found, Some(Exposure::KeyFile), "a key file is not found");
        }

        let key = wallet.private_key().reveal();
        for text in [
            key.to_string(),
            key.to_uppercase(),
            format!("0x{}", *key),
            format!("{{\"a\":[\"{}\"]}}", *key),
        ] {
            let found = exposed_key(&text, &[wallet.address()]);
            assert_eq!(found, Some(Exposure::KeyOf(wallet.address())));
            assert!(!found.unwrap().to_string().contains("5ec2e7"));
        }
    }

    #[test]
    fn other_numbers_are_no_keys() {
        let wallet = KeyPair::from_bytes(&[5; 32]).unwrap();
        for text in [
            r#"{"doc_hash_list":["5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef"]}"#,
            "a private matter, kept by the private key of nobody",
            "-----BEGIN CERTIFICATE-----",
            &"7f".repeat(32),
            &"ab".repeat(20_000),
        ] {
            assert_eq!(exposed_key(text, &[wallet.address()]), None, "{text}");
        }
    }
}
