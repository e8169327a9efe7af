//! Finds private keys that got into a text by mistake, before the text is sent.

use std::fmt;

use base64::{
    Engine as _,
    alphabet::{STANDARD, URL_SAFE},
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use nodeproof_primitives::WalletAddress;
use zeroize::Zeroizing;

use crate::{
    key_file::KeyFile,
    private_key::{KeyPair, PrivateKey},
};

/// The number of hexadecimal characters of a private key.
const DIGITS: usize = 64;
/// The number of base64 characters of a private key, without padding.
const BASE64: usize = 43;
/// The largest number of possible keys that are tried. Each takes some tens of microseconds.
const MAX_TRIED: usize = 20_000;

/// A private key in a text. It does not contain the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Exposure {
    /// The text is a key file, or contains one.
    KeyFile,
    /// The text contains the private key of this wallet.
    KeyOf(WalletAddress),
    /// The text has so many possible keys that not all of them were tried.
    TooMany,
}

impl fmt::Display for Exposure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::KeyFile => f.write_str("a key file"),
            Self::KeyOf(wallet) => write!(f, "the private key of {wallet}"),
            Self::TooMany => write!(
                f,
                "more than {MAX_TRIED} numbers that could be the private key of a wallet that signs"
            ),
        }
    }
}

/// Returns the private key that a text would expose if it were sent: any key file, or the private
/// key of one of these wallets, in hexadecimal or base64.
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
    let owner = |key: PrivateKey| {
        let address = KeyPair::new(key).address();
        wallets.contains(&address).then_some(address)
    };
    for (tried, key) in candidates(text).enumerate() {
        if tried == MAX_TRIED {
            return Some(Exposure::TooMany);
        }
        if let Some(wallet) = key.and_then(owner) {
            return Some(Exposure::KeyOf(wallet));
        }
    }
    None
}

/// Returns whether a text is a key file, or contains something that only key files contain.
fn is_key_file(text: &str) -> bool {
    if KeyFile::from_text(text).is_ok() {
        return true;
    }
    let has_pem = text
        .match_indices("-----BEGIN ")
        .filter_map(|(at, _)| text.get(at..)?.lines().next())
        .any(|line| line.contains("PRIVATE KEY-----"));
    has_pem || has_private_member(text)
}

/// Returns whether a member `private` contains a key. The JSON around it may be damaged, or may be a
/// string with escaped quotes.
fn has_private_member(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    lower.match_indices("private").any(|(at, name)| {
        let after = lower.get(at + name.len()..).unwrap_or_default();
        let value = after.trim_start_matches(|one: char| {
            one.is_whitespace() || matches!(one, '"' | '\'' | '\\' | ':' | '=' | '_' | '-')
        });
        let value = value.strip_prefix("key").unwrap_or(value);
        let value = value.trim_start_matches(|one: char| {
            one.is_whitespace() || matches!(one, '"' | '\'' | '\\' | ':' | '=')
        });
        let value = value.strip_prefix("0x").unwrap_or(value);
        run(value, |one| one.is_ascii_hexdigit()) >= DIGITS
    })
}

/// Returns every number in a text that may be a private key, or `None` for one that is out of range.
fn candidates(text: &str) -> impl Iterator<Item = Option<PrivateKey>> {
    let hex = runs(text, |one| one.is_ascii_hexdigit())
        .filter(|run| run.len() >= DIGITS)
        .flat_map(|run| (0..=run.len() - DIGITS).filter_map(move |at| run.get(at..at + DIGITS)))
        .map(|digits| PrivateKey::from_hex(digits).ok());
    let is_base64 =
        |one: u8| one.is_ascii_alphanumeric() || matches!(one, b'+' | b'/' | b'-' | b'_');
    let base64 = runs(text, is_base64)
        .filter(|run| run.len() == BASE64)
        .map(from_base64);
    hex.chain(base64)
}

fn from_base64(text: &str) -> Option<PrivateKey> {
    let config = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    [&STANDARD, &URL_SAFE].into_iter().find_map(|alphabet| {
        let mut bytes = Zeroizing::new([0; 36]);
        let engine = GeneralPurpose::new(alphabet, config);
        let length = engine.decode_slice(text, bytes.as_mut_slice()).ok()?;
        let key = bytes.get(..length)?.try_into().ok()?;
        PrivateKey::from_bytes(key).ok()
    })
}

/// Returns the longest parts of a text that consist only of such characters.
fn runs(text: &str, belongs: impl Fn(u8) -> bool) -> impl Iterator<Item = &str> {
    text.split(move |one: char| !u8::try_from(one).is_ok_and(&belongs))
}

/// Returns the length of the run at the start of a text.
fn run(text: &str, belongs: impl Fn(u8) -> bool) -> usize {
    text.bytes().take_while(|one| belongs(*one)).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Protection;

    #[test]
    fn every_form_of_a_key_file_and_of_a_key_is_found() {
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
            format!("private key = 0x{}", "ab".repeat(32)),
        ] {
            assert_eq!(
                exposed_key(&text, &[]),
                Some(Exposure::KeyFile),
                "a form of key file is not found"
            );
        }

        let key = wallet.private_key().reveal();
        let base64 = |engine: GeneralPurpose| engine.encode(wallet.private_key().as_bytes());
        use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE};
        for text in [
            key.to_string(),
            key.to_uppercase(),
            format!("0x{}", *key),
            format!("00{}ff", *key),
            format!("{{\"a\":[\"{}\"]}}", *key),
            base64(STANDARD),
            format!("\"{}\"", base64(STANDARD_NO_PAD)),
            base64(URL_SAFE),
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
        ] {
            assert_eq!(exposed_key(text, &[wallet.address()]), None, "{text}");
        }
        let many = "ab".repeat(MAX_TRIED);
        assert_eq!(
            exposed_key(&many, &[wallet.address()]),
            Some(Exposure::TooMany)
        );
    }
}
