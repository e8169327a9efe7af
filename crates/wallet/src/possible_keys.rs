//! The private keys that a text may contain, in every form in which people write them.
//!
//! A text is normalised once: escapes become spaces, and the text is split into words of letters and
//! digits. A key is then a word, or several words that follow each other.

use std::ops::Range;

use base64::{
    Engine as _,
    alphabet::{STANDARD, URL_SAFE},
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use zeroize::Zeroizing;

use crate::private_key::PrivateKey;

/// The number of hexadecimal digits of a private key.
pub(crate) const DIGITS: usize = 64;
/// The number of base64 characters of a private key, without padding.
const BASE64: usize = 43;
/// The numbers of decimal digits of a private key. Of ten million keys, one has fewer.
const DECIMAL: std::ops::RangeInclusive<usize> = 71..=78;
/// The smallest part of a key that counts although other words are between the parts.
const PART: usize = 8;
/// The lengths of the parts of a key in two, four or eight.
const PARTS_OF_ONE_LENGTH: [usize; 3] = [32, 16, 8];
/// The longest data in base64 that is searched for the bytes of a key. Key files are shorter.
const MAX_BYTES: usize = 512;

/// Returns the first `most` numbers in a text that may be a private key, or `None` for one that is out
/// of range.
pub(crate) fn possible_keys(text: &str, most: usize) -> Vec<Option<PrivateKey>> {
    let text = without_escapes(text);
    let words: Vec<&str> = words(&text).collect();
    let mut keys = Vec::new();
    let mut add = |found: &mut dyn Iterator<Item = Option<PrivateKey>>| {
        let left = most.saturating_sub(keys.len());
        keys.extend(found.take(left));
    };
    let hex: Vec<&str> = words.iter().map(|word| hex_part(word)).collect();
    for word in hex.iter().filter(|word| word.len() >= DIGITS) {
        let starts = 0..=word.len() - DIGITS;
        let parts = starts.filter_map(|at| word.get(at..at + DIGITS));
        add(&mut parts.map(|digits| PrivateKey::from_hex(digits).ok()));
    }
    // The parts of a key are shorter. A hash between them does not separate them.
    let hex: Vec<&str> = hex.into_iter().filter(|word| word.len() < DIGITS).collect();
    let mut add_joined = |words: &[&str]| {
        add(&mut joined(words, DIGITS..=DIGITS).map(|digits| PrivateKey::from_hex(&digits).ok()));
    };
    // An empty part is a word without digits, and ends a group: `b4 d3 86` or `b4:d3:86`.
    add_joined(&hex);
    // Longer parts may have words between them: `first half: 5ec2…, second half: 7f5e…`.
    let long = |lengths: Range<usize>| -> Vec<&str> {
        let parts = hex.iter().copied();
        parts.filter(|word| lengths.contains(&word.len())).collect()
    };
    add_joined(&long(PART..DIGITS));
    // Parts of one length may also have other digits between them, such as an address.
    for length in PARTS_OF_ONE_LENGTH {
        add_joined(&long(length..length + 1));
    }
    let decimal = |word: &&str| word.bytes().all(|one| one.is_ascii_digit());
    let decimal: Vec<&str> = words
        .iter()
        .map(|word| if decimal(word) { *word } else { "" })
        .collect();
    add(&mut joined(&decimal, DECIMAL).map(|digits| from_decimal(&digits)));
    let single = decimal.iter().filter(|word| DECIMAL.contains(&word.len()));
    add(&mut single.map(|word| from_decimal(word)));
    for bytes in decoded(&text).filter(|bytes| bytes.len() <= MAX_BYTES) {
        let parts = bytes.windows(32).filter_map(|part| part.try_into().ok());
        add(&mut parts.map(|bytes| PrivateKey::from_bytes(bytes).ok()));
    }
    keys
}

/// Returns the data in base64 that a text contains, in lines or in one piece.
pub(crate) fn decoded(text: &str) -> impl Iterator<Item = Zeroizing<Vec<u8>>> {
    let is_base64 =
        |one: char| one.is_ascii_alphanumeric() || matches!(one, '+' | '/' | '-' | '_' | '=');
    let text = without_escapes(text);
    let mut pieces: Vec<Zeroizing<String>> = Vec::new();
    // Lines of base64 follow each other directly. Their last one may be short.
    let mut lines = Zeroizing::new(String::new());
    for word in text.split(|one: char| !is_base64(one)) {
        let word = word.trim_end_matches('=');
        if word.len() >= BASE64 && !is_hex(word) {
            pieces.push(Zeroizing::new(word.to_owned()));
            lines.push_str(word);
        } else if !word.is_empty() {
            lines.push_str(word);
            pieces.push(std::mem::take(&mut lines));
        }
    }
    pieces.push(lines);
    let long = pieces.into_iter().filter(|piece| piece.len() >= BASE64);
    long.filter_map(|piece| from_base64(&piece))
}

/// Replaces the escapes of JSON by spaces, so that they do not become part of a word.
fn without_escapes(text: &str) -> Zeroizing<String> {
    let mut plain = Zeroizing::new(String::with_capacity(text.len()));
    let mut characters = text.chars().peekable();
    while let Some(one) = characters.next() {
        let is_escape = one == '\\'
            && characters
                .next_if(|next| matches!(next, 'n' | 'r' | 't' | 'x' | '\\' | '"' | '/'))
                .is_some();
        plain.push(if is_escape { ' ' } else { one });
    }
    plain
}

/// Returns the words of a text: letters and digits.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|one: char| !one.is_ascii_alphanumeric());
    words.filter(|word| !word.is_empty())
}

fn is_hex(word: &str) -> bool {
    word.bytes().all(|one| one.is_ascii_hexdigit())
}

/// Returns the hexadecimal digits of a word, without `0x`. Of a word with other letters, returns the
/// longest run of digits if it may be a key, and nothing else.
fn hex_part(word: &str) -> &str {
    let digits = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
    let digits = digits.unwrap_or(word);
    if is_hex(digits) {
        return digits;
    }
    let runs = word.split(|one: char| !one.is_ascii_hexdigit());
    let longest = runs.max_by_key(|run| run.len()).unwrap_or_default();
    if longest.len() >= PART { longest } else { "" }
}

/// Returns every text of an allowed length that consists of two or more whole words in a row. An empty
/// word ends a row.
fn joined(
    words: &[&str],
    lengths: std::ops::RangeInclusive<usize>,
) -> impl Iterator<Item = Zeroizing<String>> {
    let most = *lengths.end();
    (0..words.len()).filter_map(move |start| {
        let mut joined = Zeroizing::new(String::with_capacity(most));
        let row = words
            .get(start..)?
            .iter()
            .take_while(|word| !word.is_empty());
        for (count, word) in row.enumerate() {
            if joined.len() + word.len() > most {
                break;
            }
            joined.push_str(word);
            if count > 0 && joined.len() == most {
                break;
            }
        }
        let is_one_word = words
            .get(start)
            .is_some_and(|word| word.len() == joined.len());
        (lengths.contains(&joined.len()) && !is_one_word).then_some(joined)
    })
}

/// Converts a decimal number of any length into a key.
fn from_decimal(digits: &str) -> Option<PrivateKey> {
    let mut bytes = Zeroizing::new([0_u8; 32]);
    for digit in digits.bytes() {
        let mut carry = u16::from(digit.checked_sub(b'0').filter(|digit| *digit < 10)?);
        for byte in bytes.iter_mut().rev() {
            let value = u16::from(*byte) * 10 + carry;
            let [high, low] = value.to_be_bytes();
            *byte = low;
            carry = u16::from(high);
        }
        if carry > 0 {
            return None;
        }
    }
    PrivateKey::from_bytes(&bytes).ok()
}

fn from_base64(text: &str) -> Option<Zeroizing<Vec<u8>>> {
    let config = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    // A last group of one character is not complete.
    let whole = text.len() - usize::from(text.len() % 4 == 1);
    let text = text.get(..whole)?;
    [&STANDARD, &URL_SAFE].into_iter().find_map(|alphabet| {
        let mut bytes = Zeroizing::new(vec![0; text.len()]);
        let engine = GeneralPurpose::new(alphabet, config);
        let length = engine.decode_slice(text, bytes.as_mut_slice()).ok()?;
        bytes.truncate(length);
        Some(bytes)
    })
}
