//! Finds private keys that got into a text by mistake, before the text is sent.

use std::fmt;

use nodeproof_primitives::WalletAddress;

use crate::{
    key_file::KeyFile,
    possible_keys::{DIGITS, decoded, possible_keys},
    private_key::{KeyPair, PrivateKey},
};

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
/// key of one of these wallets. A key may be in hexadecimal, in one piece or in several with anything
/// between them, a decimal number, or base64. So may a key file in base64.
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
    let encoded: Vec<_> = decoded(text)
        .filter_map(|bytes| String::from_utf8(bytes.to_vec()).ok())
        .map(zeroize::Zeroizing::new)
        .collect();
    if is_key_file(text) || encoded.iter().any(|text| is_key_file(text)) {
        return Some(Exposure::KeyFile);
    }
    if wallets.is_empty() {
        return None;
    }
    let owner = |key: PrivateKey| {
        let address = KeyPair::new(key).address();
        wallets.contains(&address).then_some(address)
    };
    let of_encoded = encoded
        .iter()
        .flat_map(|text| possible_keys(text, MAX_TRIED + 1));
    let keys = possible_keys(text, MAX_TRIED + 1)
        .into_iter()
        .chain(of_encoded);
    for (tried, key) in keys.enumerate() {
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

/// Returns the length of the run at the start of a text.
fn run(text: &str, belongs: impl Fn(u8) -> bool) -> usize {
    text.bytes().take_while(|one| belongs(*one)).count()
}

#[cfg(test)]
mod tests {
    use base64::{
        Engine as _,
        engine::{
            GeneralPurpose,
            general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE},
        },
    };

    use super::*;
    use crate::Protection;

    /// The key of the tests as a decimal number.
    const DECIMAL: &str =
        "42861776908126837576238456395988071431340385891227096344720822019711771535345";

    fn in_lines(text: &str, end: &str) -> String {
        let lines = text.as_bytes().chunks(76);
        let lines = lines.map(|line| std::str::from_utf8(line).unwrap());
        lines.collect::<Vec<_>>().join(end)
    }

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
            STANDARD.encode(&plain),
            STANDARD.encode(&sealed),
            format!("{{\"remarks\":\"{}\"}}", URL_SAFE.encode(&sealed)),
            in_lines(&STANDARD.encode(&sealed), "\n"),
            in_lines(&STANDARD.encode(&plain), "\\r\\n"),
        ] {
            assert_eq!(
                exposed_key(&text, &[]),
                Some(Exposure::KeyFile),
                "a form of key file is not found"
            );
        }

        let key = wallet.private_key().reveal();
        let base64 = |engine: GeneralPurpose| engine.encode(wallet.private_key().as_bytes());
        let pairs: Vec<&str> = (0..32).map(|at| &key[2 * at..2 * at + 2]).collect();
        let encode = |text: &str| STANDARD.encode(text);
        let lines: Vec<String> = encode(&format!("{{\"key\":\"{}\"}}", *key))
            .as_bytes()
            .chunks(64)
            .map(|line| String::from_utf8(line.to_vec()).unwrap())
            .collect();
        for text in [
            pairs.join(" "),
            pairs.join(":"),
            pairs.join(", ").to_uppercase(),
            format!("0x{}", pairs.join(", 0x")),
            format!("\\x{}", pairs.join("\\x")),
            format!("{{\"remarks\":\"{}\"}}", pairs.join("\\n")),
            format!("{{\"remarks\":\"my key: {}.\"}}", pairs.join("-")),
            format!("{{\"a\":\"{}\",\"b\":\"{}\"}}", &key[..32], &key[32..]),
            format!("first half {} and second half {}", &key[..32], &key[32..]),
            format!(
                "{} {} {} {}",
                &key[..16],
                &key[16..32],
                &key[32..48],
                &key[48..]
            ),
            // With a hash, or an address, between the parts.
            format!("{} {} {}", &key[..32], "ab".repeat(32), &key[32..]),
            format!("{}, 0x{}, {}", &key[..32], "ab".repeat(40), &key[32..]),
            format!("{}, 0x{}, {}", &key[..32], "ab".repeat(20), &key[32..]),
            pairs.join(&format!(" {} ", "ab".repeat(32))),
            format!(
                "{} {} and 0x{} and {} {}",
                &key[..16],
                &key[16..32],
                "ab".repeat(20),
                &key[32..48],
                &key[48..]
            ),
            DECIMAL.to_owned(),
            format!("{{\"n\":{DECIMAL}}}"),
            format!("{}_{}", &DECIMAL[..20], &DECIMAL[20..]),
            encode(&key),
            lines.join("\n"),
            lines.join("\\n"),
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
            &"12 ".repeat(40),
            &"1234567890".repeat(8)[..77],
            &STANDARD.encode("a claim about a container that was weighed and sealed at noon"),
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
