//! Finding and hiding private keys in text.
//!
//! Use this for input from people: arguments, environment variables, file names. A transaction's hash
//! looks like a key, so do not redact text from a node.

use std::ops::{Range, RangeInclusive};

/// The number of hexadecimal digits of a private key.
const DIGITS: usize = 64;
/// The minimum number of digits of a known key's part that is redacted.
const PART: usize = 6;
/// The number of characters of a key in base64, without padding.
const BASE64: usize = 43;
/// The maximum number of characters between two pieces of a key.
const BETWEEN: usize = 4;

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
    digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Replaces everything in a text that looks like a private key: 64 hexadecimal digits or more, in one piece
/// or in pieces of one length, the decimal numbers of 32 bytes, or 32 bytes in base64.
///
/// ```
/// use nodeproof_primitives::redact::redact;
///
/// let text = format!("no such file: {}", "5e".repeat(32));
/// assert!(!redact(&text).contains("5e5e"));
/// assert!(!redact(&["5e"; 32].join(":")).contains("5e:5e"));
/// ```
#[must_use]
pub fn redact(text: &str) -> String {
    redact_parts(text, &[])
}

/// Returns everything in a text that looks like a private key, for [`redact_parts`]: hexadecimal digits in
/// lower case without anything between them, and other forms as they are.
#[must_use]
pub fn keys_in(text: &str) -> Vec<String> {
    let key = |place: Range<usize>| {
        let text = text.get(place).unwrap_or_default();
        let digits: String = words(text).map(|word| word.digits).collect();
        if digits.bytes().all(|one| one.is_ascii_hexdigit()) {
            digits.to_ascii_lowercase()
        } else {
            text.to_owned()
        }
    };
    keys(text).into_iter().map(key).collect()
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
pub fn given_keys(prefix: &str) -> Vec<String> {
    let settings = std::env::vars_os()
        .filter(|(name, _)| name.to_string_lossy().starts_with(prefix))
        .map(|(_, value)| value);
    let given = std::env::args_os().chain(settings);
    given
        .flat_map(|text| keys_in(&text.to_string_lossy()))
        .collect()
}

/// Replaces everything that [`redact`] does, and also parts of these keys. An error can quote the
/// first characters of a text that it can't read.
///
/// ```
/// use nodeproof_primitives::redact::{keys_in, redact_parts};
///
/// let key = "5e".repeat(32);
/// let keys = keys_in(&format!("--network {key}"));
/// assert_eq!(keys, [key.as_str()]);
///
/// let error = format!("unknown network \"{}\"", &key[..40]);
/// assert!(!redact_parts(&error, &keys).contains("5e5e"));
/// ```
#[must_use]
pub fn redact_parts(text: &str, known: &[String]) -> String {
    let mut places = keys(text);
    if !known.is_empty() {
        places.extend(parts(text, known));
    }
    replace_places(text, places, "(not shown, as it looks like a private key)")
}

/// Replaces these places of a text, in bytes. They can have any order, and can overlap.
///
/// ```
/// use nodeproof_primitives::redact::replace_places;
///
/// assert_eq!(replace_places("a secret text", vec![4..8, 2..5], "…"), "a … text");
/// ```
#[must_use]
pub fn replace_places(text: &str, mut places: Vec<Range<usize>>, replacement: &str) -> String {
    places.sort_by_key(|place| place.start);
    let mut shown = String::with_capacity(text.len());
    let mut end = 0;
    for place in places {
        if place.start >= end {
            shown.push_str(text.get(end..place.start).unwrap_or_default());
            shown.push_str(replacement);
        }
        end = end.max(place.end);
    }
    shown.push_str(text.get(end..).unwrap_or_default());
    shown
}

/// A run of letters and digits in a text.
struct Word<'a> {
    /// Its text without `0x` or `x`.
    digits: &'a str,
    place: Range<usize>,
}

impl Word<'_> {
    fn is_hexadecimal(&self) -> bool {
        !self.digits.is_empty() && self.digits.bytes().all(|one| one.is_ascii_hexdigit())
    }

    fn is_byte(&self) -> bool {
        self.digits.parse::<u8>().is_ok()
    }

    /// Whether the other word belongs to the same list: at most [`BETWEEN`] characters are between them.
    fn is_near(&self, next: &Self) -> bool {
        next.place.start - self.place.end <= BETWEEN
    }
}

fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let runs = text.split(|one: char| !one.is_ascii_alphanumeric());
    let mut start = 0;
    runs.filter_map(move |run| {
        // A separator is one character, but may be several bytes.
        let at = start;
        let end = at + run.len();
        let separator = text.get(end..)?.chars().next().map_or(0, char::len_utf8);
        start = end + separator;
        let prefixes = ["0x", "0X", "x"].into_iter();
        let digits = prefixes
            .filter_map(|prefix| run.strip_prefix(prefix))
            .next();
        (!run.is_empty()).then(|| Word {
            digits: digits.unwrap_or(run),
            place: at..end,
        })
    })
}

/// Returns the places of everything that looks like a private key.
fn keys(text: &str) -> Vec<Range<usize>> {
    let long = runs(text, |one| one.is_ascii_hexdigit(), DIGITS..=usize::MAX);
    // The last of 32 bytes leaves one character for padding.
    let base64 = runs(text, is_base64, BASE64..=BASE64).filter(|place| {
        let text = text.get(place.clone()).unwrap_or_default();
        let has = |kind: fn(&u8) -> bool| text.bytes().any(|one| kind(&one));
        has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase)
    });
    let words: Vec<_> = words(text).collect();
    let hexadecimal = words
        .chunk_by(|one, next| one.is_near(next) && one.is_hexadecimal() && next.is_hexadecimal());
    // A piece is at most half of a key. A longer word between two pieces, such as a hash, is skipped.
    let possible: Vec<Vec<&Word<'_>>> = hexadecimal
        .map(|list| {
            list.iter()
                .filter(|word| word.digits.len() <= DIGITS / 2)
                .collect()
        })
        .collect();
    let pieces = possible
        .iter()
        .flat_map(|list| list.chunk_by(|one, next| next.digits.len() <= one.digits.len()))
        .filter(|list| list.iter().map(|word| word.digits.len()).sum::<usize>() >= DIGITS)
        .filter_map(|list| Some((*list.first()?, *list.last()?)));
    let bytes = words
        .chunk_by(|one, next| one.is_near(next) && one.is_byte() && next.is_byte())
        .filter(|list| list.len() >= DIGITS / 2);
    let bytes = bytes.filter_map(|list| Some((list.first()?, list.last()?)));
    let lists = pieces.chain(bytes);
    let lists = lists.map(|(first, last)| first.place.start..last.place.end);
    long.chain(base64).chain(lists).collect()
}

/// Returns the places of parts of these keys, [`PART`] digits or more.
fn parts(text: &str, known: &[String]) -> Vec<Range<usize>> {
    let is_part = |part: &str| {
        let lower = part.to_ascii_lowercase();
        known
            .iter()
            .any(|key| key.contains(&lower) || key.contains(part))
    };
    let words: Vec<_> = words(text).collect();
    // From each word on, as many as are a part together.
    let lists = words.iter().enumerate().filter_map(|(at, first)| {
        let mut digits = String::new();
        let mut end = first.place.end;
        for word in words.get(at..)? {
            let longer = format!("{digits}{}", word.digits);
            if word.place.start > end + BETWEEN || !is_part(&longer) {
                break;
            }
            (digits, end) = (longer, word.place.end);
        }
        (digits.len() >= PART).then_some(first.place.start..end)
    });
    let base64 = runs(text, is_base64, PART..=usize::MAX);
    let base64 = base64.filter(|place| text.get(place.clone()).is_some_and(is_part));
    lists.chain(base64).collect()
}

fn is_base64(one: u8) -> bool {
    one.is_ascii_alphanumeric() || matches!(one, b'+' | b'/' | b'-' | b'_')
}

/// Returns the places of the longest runs of such characters, if they have one of these lengths.
fn runs(
    text: &str,
    belongs: impl Fn(u8) -> bool,
    lengths: RangeInclusive<usize>,
) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let start = at;
            while bytes.get(at).is_some_and(|one| belongs(*one)) {
                at += 1;
            }
            if lengths.contains(&(at - start)) {
                return Some(start..at);
            }
            at += 1;
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!(looks_like_a_key(&key) && looks_like_a_key(&format!("0x{key}")));
        assert!(!looks_like_a_key("wallet.json") && !looks_like_a_key(&key[1..]));
    }

    #[test]
    fn every_form_of_a_key_is_redacted() {
        // The bytes of SHA-256 of nothing.
        let key = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        let pieces = |length: usize| (0..64 / length).map(move |at| &key[at * length..][..length]);
        let bytes = pieces(2).map(|pair| u8::from_str_radix(pair, 16).unwrap().to_string());
        let bytes: Vec<_> = bytes.collect();
        let base64 = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU";
        for (form, start) in [
            (pieces(2).collect::<Vec<_>>().join(" "), 20),
            (pieces(2).collect::<Vec<_>>().join(":"), 20),
            (pieces(2).collect::<Vec<_>>().join(", 0x"), 40),
            (pieces(2).collect::<Vec<_>>().join("\\x"), 30),
            (pieces(4).collect::<Vec<_>>().join(" ").to_uppercase(), 20),
            (pieces(8).collect::<Vec<_>>().join("\n"), 20),
            (pieces(32).collect::<Vec<_>>().join("\" \""), 20),
            (bytes.join(","), 20),
            (format!("[{}]", bytes.join(", ")), 20),
            // With a hash, or an address, between two halves.
            (
                format!("{}, {}, {}", &key[..32], "ab".repeat(32), &key[32..]),
                20,
            ),
            (
                format!("{} 0x{} {}", &key[..32], "ab".repeat(20), &key[32..]),
                20,
            ),
            (base64.to_owned(), 20),
            (format!("{base64}="), 20),
            (base64.replace('+', "-").replace('/', "_"), 20),
        ] {
            let text = format!("can't open '{form}': not found");
            let shown = redact(&text);
            assert!(shown.starts_with("can't open '"), "{form}: {shown}");
            assert!(shown.ends_with("': not found"), "{form}: {shown}");
            assert!(shown.len() < 80, "{form}: {shown}");
            // Also if an error quotes only its start.
            let keys = keys_in(&text);
            assert!(!keys.is_empty(), "{form}");
            let cut = format!("unknown: {}…", &form[..start]);
            if !form.contains(',') {
                let shown = redact_parts(&cut, &keys);
                assert!(shown.contains("not shown"), "{form}: {shown}");
                assert!(!shown.contains(&form[..4]), "{form}: {shown}");
            }
        }
        let codes = ["5a".repeat(20), "6b".repeat(20)].join(", ");
        for harmless in [
            codes.as_str(),
            "a bad cafe, a fee, 1, 2, 3 and 255 be added",
            "/home/user/folder-with-a-long-name-in-it-abc",
            "2026-11-23T12:00:00Z 127.0.0.1:8420 0x1f",
        ] {
            assert_eq!(redact(harmless), harmless);
        }
    }

    #[test]
    fn parts_of_a_key_that_was_given_are_redacted() {
        let key = "5Ec2e7e1".repeat(8);
        let keys = keys_in(&format!("--wallet 0x{key} --fee 1000000"));
        assert_eq!(keys, [key.to_lowercase()]);
        let error = format!(
            "unknown network \"{}\", begins with \"{}\"",
            &key[..40],
            &key[..8]
        );
        let shown = redact_parts(&error, &keys).to_lowercase();
        assert!(!shown.contains("5ec2"), "{shown}");
        let harmless = "port 8420, fee 1000000, 0xabcdef";
        assert_eq!(redact_parts(harmless, &keys), harmless);
    }
}
