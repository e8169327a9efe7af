//! Finding and hiding private keys in text.
//!
//! Use this for input from people: arguments, environment variables, file names. A transaction's hash
//! looks like a key, so do not redact text from a node.

/// The number of hexadecimal digits of a private key.
const DIGITS: usize = 64;
/// The minimum number of digits of a known key's part that is redacted.
const PART: usize = 6;

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

/// Replaces everything in a text that looks like a private key: 64 hexadecimal digits or more.
///
/// ```
/// let text = format!("no such file: {}", "5e".repeat(32));
/// assert!(!nodeproof_primitives::redact::redact(&text).contains("5e5e"));
/// ```
#[must_use]
pub fn redact(text: &str) -> String {
    redact_parts(text, &[])
}

/// Returns everything in a text that looks like a private key, in lower case, for
/// [`redact_parts`].
#[must_use]
pub fn keys_in(text: &str) -> Vec<String> {
    let runs = text.split(|one: char| !one.is_ascii_hexdigit());
    let keys = runs.filter(|run| run.len() >= DIGITS);
    keys.map(str::to_ascii_lowercase).collect()
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
pub fn redact_parts(text: &str, keys: &[String]) -> String {
    let is_secret = |digits: &str| {
        let lower = digits.to_ascii_lowercase();
        digits.len() >= DIGITS
            || digits.len() >= PART && keys.iter().any(|key| key.contains(&lower))
    };
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|character: char| character.is_ascii_hexdigit()) {
        let (before, from) = rest.split_at(at);
        let end = from
            .find(|character: char| !character.is_ascii_hexdigit())
            .unwrap_or(from.len());
        let (digits, after) = from.split_at(end);
        shown.push_str(before);
        if is_secret(digits) {
            shown.push_str("(not shown, as it looks like a private key)");
        } else {
            shown.push_str(digits);
        }
        rest = after;
    }
    shown.push_str(rest);
    shown
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
