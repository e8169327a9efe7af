//! Finding and hiding secrets in texts: private keys, signatures, and the values of headers.

use std::{
    collections::{BTreeMap, HashSet},
    fmt,
    ops::Range,
};

use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};

/// The number of hexadecimal digits of a private key.
const KEY_DIGITS: usize = 64;
/// The number of digits of the smallest piece of a private key that is hidden.
const KEY_PIECE: usize = 16;

/// Secrets, which are found in texts before the texts are shown.
///
/// A secret is found as it is written, in hexadecimal and in base64, in upper and lower case, percent-encoded, and
/// with the escapes of JSON. So are pieces of it, and the credentials in a value such as `Basic
/// dXNlcjpwYXNzd29yZA==`. Another encoding of a secret is not found, nor are pieces that are too short. `Debug`
/// shows no secret.
///
/// ```
/// use nodeproof_primitives::redact::Secrets;
///
/// let mut secrets = Secrets::default();
/// secrets.add("0123456789abcdef0123", 16);
/// assert!(!secrets.is_empty());
/// let shown = secrets.redact("refused: 0123456789ABCDEF…", "(not shown)");
/// assert_eq!(shown.as_deref(), Some("refused: (not shown)…"));
/// assert_eq!(secrets.redact("refused: 0123", "(not shown)"), None);
/// ```
#[derive(Clone, Default)]
pub struct Secrets {
    /// The pieces in all forms, by their length.
    pieces: BTreeMap<usize, HashSet<Vec<u8>>>,
    /// Whether each byte is in one of the pieces. Most texts have others in between, so few of their parts are looked up.
    has_byte: Vec<bool>,
}

impl Secrets {
    /// Adds a secret. Pieces of `shortest` characters or more are hidden. A secret with fewer characters
    /// is not.
    pub fn add(&mut self, secret: &str, shortest: usize) {
        let mut forms = vec![
            secret.to_owned(),
            const_hex::encode(secret),
            STANDARD_NO_PAD.encode(secret),
        ];
        if let Ok(bytes) = const_hex::decode(secret) {
            forms.push(STANDARD_NO_PAD.encode(bytes));
        }
        if let Some((scheme, credentials)) = secret.split_once(' ')
            && scheme.eq_ignore_ascii_case("basic")
            && let Ok(decoded) = STANDARD_NO_PAD.decode(credentials.trim_end_matches('='))
        {
            self.add(&String::from_utf8_lossy(&decoded), shortest);
        }
        let shortest = shortest.max(1);
        let pieces = self.pieces.entry(shortest).or_default();
        self.has_byte.resize(1 << 8, false);
        for form in forms {
            let (folded, _) = folded(&form);
            pieces.extend(folded.windows(shortest).map(<[u8]>::to_vec));
            for byte in folded {
                self.has_byte[usize::from(byte)] = true;
            }
        }
    }

    /// Adds everything in a text that looks like a private key.
    fn add_keys(&mut self, text: &str) {
        let words = text.split(|one: char| !one.is_ascii_hexdigit());
        for word in words.filter(|word| word.len() >= KEY_DIGITS) {
            self.add(word, KEY_PIECE);
        }
    }

    /// Returns whether there are no secrets.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Replaces the secrets in a text, and pieces of them. Returns `None` if the text has none.
    #[must_use]
    pub fn redact(&self, text: &str, replacement: &str) -> Option<String> {
        let (folded, places) = folded(text);
        let mut found: Vec<Range<usize>> = Vec::new();
        for (length, pieces) in &self.pieces {
            // The number of bytes up to this one that are in the pieces.
            let mut fitting = 0;
            for (last, byte) in folded.iter().enumerate() {
                let fits = self.has_byte.get(usize::from(*byte)) == Some(&true);
                fitting = if fits { fitting + 1 } else { 0 };
                if fitting >= *length {
                    let place = last + 1 - length..last + 1;
                    if pieces.contains(&folded[place.clone()]) {
                        found.push(places[place.start].start..places[last].end);
                    }
                }
            }
        }
        if found.is_empty() {
            return None;
        }
        found.sort_by_key(|place| place.start);
        let (mut shown, mut end) = (String::with_capacity(text.len()), 0);
        for place in found {
            if place.start >= end {
                shown.push_str(text.get(end..place.start).unwrap_or_default());
                shown.push_str(replacement);
            }
            end = end.max(place.end);
        }
        shown.push_str(text.get(end..).unwrap_or_default());
        Some(shown)
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secrets")
    }
}

/// Returns the bytes of a text, and the place of each. They are in lower case, without the escapes of JSON and URLs,
/// and in one of the two alphabets of base64.
fn folded(text: &str) -> (Vec<u8>, Vec<Range<usize>>) {
    let (mut folded, mut places) = (Vec::with_capacity(text.len()), Vec::new());
    // The backslashes before a character are part of its place.
    let (mut start, mut at) = (0, 0);
    while let Some(&byte) = text.as_bytes().get(at) {
        at += 1;
        let mut plain = if byte == b'\\' {
            // `\u0041`, also with several backslashes. Other escapes lose their backslash.
            let code = text.get(at..at + 5).and_then(|code| code.strip_prefix('u'));
            let Some(plain) = code.and_then(|code| u8::from_str_radix(code, 16).ok()) else {
                continue;
            };
            at += 5;
            plain
        } else {
            byte
        };
        // `%41`, also with several percent signs: `%2541`.
        while plain == b'%'
            && let Some(code) = text.get(at..at + 2)
            && let Ok(decoded) = u8::from_str_radix(code, 16)
        {
            at += 2;
            plain = decoded;
        }
        // An encoded backslash is an escape, too.
        if plain == b'\\' {
            continue;
        }
        folded.push(match plain {
            b'-' => b'+',
            b'_' => b'/',
            other => other.to_ascii_lowercase(),
        });
        places.push(start..at);
        start = at;
    }
    (folded, places)
}

/// Returns whether a text looks like a private key.
///
/// ```
/// use nodeproof_primitives::redact::looks_like_a_key;
///
/// assert!(looks_like_a_key(&"5e".repeat(32)));
/// assert!(!looks_like_a_key("wallet.json"));
/// ```
#[must_use]
pub fn looks_like_a_key(text: &str) -> bool {
    let text = text.trim();
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let digits = digits.unwrap_or(text);
    digits.len() == KEY_DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Replaces everything in a text that looks like a private key: 64 hexadecimal digits or more.
///
/// Use this for input from people: arguments, environment variables, file names. A transaction's hash
/// looks like a key, so do not redact text from a node.
///
/// ```
/// use nodeproof_primitives::redact::redact;
///
/// let text = format!("no such file: {}", "5e".repeat(32));
/// assert!(!redact(&text).contains("5e5e"));
/// ```
#[must_use]
pub fn redact(text: &str) -> String {
    redact_parts(text, &Secrets::default())
}

/// Returns everything in a text that looks like a private key, for [`redact_parts`].
#[must_use]
pub fn keys_in(text: &str) -> Secrets {
    let mut keys = Secrets::default();
    keys.add_keys(text);
    keys
}

/// Returns what [`keys_in`] finds in the arguments of this process, and in those variables of its environment
/// whose names begin with this prefix.
///
/// ```
/// use nodeproof_primitives::redact::{given_keys, redact_parts};
///
/// let message = redact_parts("unknown network \"main\"", &given_keys("NODECTL_"));
/// assert_eq!(message, "unknown network \"main\"");
/// ```
#[must_use]
pub fn given_keys(prefix: &str) -> Secrets {
    let settings = std::env::vars_os()
        .filter(|(name, _)| name.to_string_lossy().starts_with(prefix))
        .map(|(_, value)| value);
    let mut keys = Secrets::default();
    for text in std::env::args_os().chain(settings) {
        keys.add_keys(&text.to_string_lossy());
    }
    keys
}

/// Replaces everything that [`redact`] does, and also pieces of these keys with 16 digits or more. An error
/// can quote a part of a text that it can't read.
///
/// ```
/// use nodeproof_primitives::redact::{keys_in, redact_parts};
///
/// let key = "5e".repeat(32);
/// let keys = keys_in(&format!("--network {key}"));
/// let error = format!("unknown network \"{}\"", &key[..40]);
/// assert!(!redact_parts(&error, &keys).contains("5e5e"));
/// ```
#[must_use]
pub fn redact_parts(text: &str, known: &Secrets) -> String {
    let mut keys = known.clone();
    keys.add_keys(text);
    let shown = keys.redact(text, "(not shown, as it looks like a private key)");
    shown.unwrap_or_else(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use base64::engine::general_purpose::{STANDARD, URL_SAFE};

    use super::*;

    /// A signature in which no piece occurs twice.
    const SIGNATURE: &str = "2bdbf71e169bc31f5d9c63c327b6da11ae018faea6091c241f224fc1d3bf7872\
                             6feb7131b9824ca0ae4b772c33bf36244897ed96ccddb4deb31ea5207a9654db";

    #[test]
    fn a_secret_and_its_pieces_are_replaced_in_each_form() {
        let mut secrets = Secrets::default();
        secrets.add(SIGNATURE, 16);
        let bytes = const_hex::decode(SIGNATURE).unwrap();
        let escaped = |slashes| -> String {
            let codes = SIGNATURE.bytes().map(|one| format!("{slashes}u{one:04x}"));
            codes.collect()
        };
        for form in [
            SIGNATURE.to_owned(),
            SIGNATURE.to_uppercase(),
            SIGNATURE[..127].to_owned(),
            SIGNATURE[1..].to_owned(),
            SIGNATURE[37..53].to_uppercase(),
            const_hex::encode(SIGNATURE),
            STANDARD.encode(&bytes).replace('=', ""),
            URL_SAFE.encode(&bytes).replace('=', ""),
            STANDARD.encode(SIGNATURE).replace('=', ""),
            STANDARD.encode(&bytes)[3..40].to_owned(),
            escaped("\\"),
            escaped("\\\\"),
            SIGNATURE.bytes().map(|one| format!("%{one:02X}")).collect(),
        ] {
            let text = format!("é <{form}> é");
            let shown = secrets.redact(&text, "…");
            assert_eq!(shown.as_deref(), Some("é <…> é"), "{form}");
        }
        for harmless in [&"9a".repeat(64), &SIGNATURE[..15], "\\", "\\u00e", ""] {
            assert_eq!(secrets.redact(harmless, "…"), None, "{harmless}");
        }
        assert_eq!(format!("{secrets:?}"), "Secrets");
    }

    #[test]
    fn the_credentials_of_a_header_are_found_whatever_they_contain() {
        let (name, word) = ("some-user", "k3y&<%\"v\\alue 99");
        let mut secrets = Secrets::default();
        let credentials = STANDARD.encode(format!("{name}:{word}"));
        secrets.add(&format!("Basic {credentials}"), 8);
        let percent = |text: &str| -> String {
            let bytes = text.bytes().map(|one| match one.is_ascii_alphanumeric() {
                true => char::from(one).to_string(),
                false => format!("%{one:02x}"),
            });
            bytes.collect()
        };
        for form in [
            credentials,
            format!("{name}:{word}"),
            name.to_owned(),
            word.to_owned(),
            percent(word),
            percent(&percent(word)),
            serde_json::to_string(word)
                .unwrap()
                .trim_matches('"')
                .to_owned(),
        ] {
            let shown = secrets.redact(&format!("<{form}>"), "…");
            assert_eq!(shown.as_deref(), Some("<…>"), "{form}");
        }
    }

    #[test]
    fn keys_are_redacted_and_addresses_are_not() {
        let key = "5Ec2e7e1".repeat(8);
        for text in [
            format!("x '{key}' y"),
            format!("0x{key}"),
            format!("{key}00"),
        ] {
            let shown = redact(&text);
            assert!(!shown.contains("5Ec2e7"), "{shown}");
            assert!(shown.contains("not shown"), "{shown}");
        }
        let harmless = format!("of 0x{} é", "ab".repeat(20));
        assert_eq!(redact(&harmless), harmless);
        assert!(keys_in(&harmless).is_empty());
        assert!(looks_like_a_key(&key) && looks_like_a_key(&format!("0x{key}")));
        assert!(!looks_like_a_key("wallet.json") && !looks_like_a_key(&key[1..]));
    }

    #[test]
    fn pieces_of_a_key_that_was_given_are_redacted() {
        let key = "5Ec2e7e1".repeat(8);
        let keys = keys_in(&format!("--wallet 0x{key} --fee 1000000"));
        let error = format!(
            "unknown network \"{}\", with \"{}\"",
            &key[..40],
            &key[..16]
        );
        let shown = redact_parts(&error, &keys).to_lowercase();
        assert!(!shown.contains("5ec2"), "{shown}");
        let harmless = "port 8420, fee 1000000, 0xabcdef";
        assert_eq!(redact_parts(harmless, &keys), harmless);
    }
}
