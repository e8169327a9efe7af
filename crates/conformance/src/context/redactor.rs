//! Redacts the signatures of the user's wallet, and the values of the user's headers, in reports.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashSet, VecDeque},
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};
use nodeproof_client::transport::SecretHeaders;
use nodeproof_primitives::redact::replace_places;
use nodeproof_report::{NodesReport, Report};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::left_out::WithoutTexts;

/// The text that replaces a signature, or a part of one, in a report.
const REDACTED: &str = "(signature redacted)";
/// The smallest number of hexadecimal digits of a signature that is redacted.
const DIGITS: usize = 16;
/// How often an escape may be escaped again.
const ESCAPED_AGAIN: usize = 3;
/// The largest number of characters of a byte in a list, with leading zeros and `0x`.
const BYTE: usize = 10;
/// The largest distance, in words, of two bytes in a list.
const WORDS_BETWEEN: usize = 4;
/// Parts in hexadecimal.
const HEX: Form = Form {
    length: DIGITS,
    bits: 4,
    mask: u64::MAX,
    value: |one| char::from(one).to_digit(16).map(u64::from),
};
/// Parts in base64. [`DIGITS`] digits always fill 9 characters, wherever they begin.
const BASE64: Form = Form {
    length: 9,
    bits: 6,
    mask: u64::MAX >> (64 - 9 * 6),
    value: |one| {
        let place = match one {
            b'A'..=b'Z' => one - b'A',
            b'a'..=b'z' => one - b'a' + 26,
            b'0'..=b'9' => one - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        Some(place.into())
    },
};
/// The number of characters of the shortest text that can hold a part.
const SHORTEST: usize = BASE64.length;

/// The signatures of the user's wallet that this run has sent, and the headers of its requests.
///
/// A node can repeat a signature anywhere in a response, in any form, and reports cut long texts. So
/// every text of the finished report is searched for every part of a signature: 16 digits or more, in
/// upper or lower case, forwards or backwards, with anything between the digits, and in base64; and for
/// lists of its bytes, such as `0x2b, 0xdb` or `[43, 219]`. Clones share their signatures. `Debug` does
/// not show them.
#[derive(Clone, Default)]
pub(crate) struct Redactor(Arc<Mutex<Parts>>);

/// All parts of the signatures that are searched for.
#[derive(Default)]
struct Parts {
    hex: HashSet<u64>,
    base64: HashSet<u64>,
    /// The bytes of each signature, forwards and backwards.
    lists: Vec<ByteList>,
    headers: Vec<SecretHeaders>,
}

impl Redactor {
    /// Adds a hexadecimal signature. Everything that is reported from now on is redacted.
    pub(crate) fn add(&self, signature: &str) {
        let mut parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        parts.add(&signature.to_ascii_lowercase());
    }

    /// Adds the values of headers.
    pub(crate) fn add_headers(&self, headers: &SecretHeaders) {
        let mut parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !headers.is_empty() && !parts.headers.contains(headers) {
            parts.headers.push(headers.clone());
        }
    }

    /// Whether there is nothing to redact.
    pub(crate) fn is_empty(&self) -> bool {
        let parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        parts.is_empty()
    }

    /// Returns the value without the signatures and the headers' values in any of its strings. If that
    /// fails, returns it without its texts.
    pub(crate) fn redact<T: Serialize + DeserializeOwned + WithoutTexts>(&self, value: T) -> T {
        if self.is_empty() {
            return value;
        }
        match self.try_redact(&value) {
            Ok(redacted) => redacted,
            Err(_) => value.without_texts(),
        }
    }

    /// Returns a report without signatures. A part that can't be redacted leaves out only its own texts.
    pub(crate) fn redact_report(&self, mut report: Report) -> Report {
        let cases = std::mem::take(&mut report.cases).into_iter();
        let exchanges = std::mem::take(&mut report.exchanges).into_iter();
        let sweep = report.sweep.take();
        Report {
            cases: cases.map(|case| self.redact(case)).collect(),
            exchanges: exchanges.map(|exchange| self.redact(exchange)).collect(),
            sweep: self.redact(sweep),
            ..self.redact(report)
        }
    }

    /// Does the same for the report of several nodes.
    pub(crate) fn redact_nodes(&self, mut report: NodesReport) -> NodesReport {
        let nodes = std::mem::take(&mut report.nodes).into_iter();
        NodesReport {
            nodes: nodes.map(|node| self.redact_report(node)).collect(),
            ..self.redact(report)
        }
    }

    /// Returns the value without the signatures and the headers' values in any of its strings.
    ///
    /// # Errors
    /// The value has no form in JSON, or its redacted form can't be read back.
    pub(crate) fn try_redact<T: Serialize + DeserializeOwned>(
        &self,
        value: &T,
    ) -> serde_json::Result<T> {
        let mut json = serde_json::to_value(value)?;
        let parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        redact(&mut json, &parts);
        drop(parts);
        serde_json::from_value(json)
    }
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Redactor")
    }
}

fn redact(value: &mut Value, parts: &Parts) {
    match value {
        Value::String(text) => *text = parts.redact(text),
        Value::Array(items) => items.iter_mut().for_each(|item| redact(item, parts)),
        Value::Object(members) => {
            let names = std::mem::take(members).into_iter();
            *members = names
                .map(|(name, mut member)| {
                    redact(&mut member, parts);
                    (parts.redact(&name), member)
                })
                .collect();
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

impl Parts {
    fn is_empty(&self) -> bool {
        self.hex.is_empty() && self.headers.is_empty()
    }

    /// Adds all parts of a signature, which is written in lower case.
    fn add(&mut self, signature: &str) {
        let digits = signature.as_bytes();
        let pairs: Vec<&[u8]> = digits.chunks(2).collect();
        let bytes: Vec<u8> = pairs
            .iter()
            .filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
            .collect();
        let backwards: Vec<u8> = digits.iter().rev().copied().collect();
        let bytes_backwards: Vec<u8> = pairs.iter().rev().copied().flatten().copied().collect();
        for form in [digits, &backwards, &bytes_backwards] {
            self.hex.extend(HEX.parts(form.iter().copied()));
        }
        self.lists.push(ByteList::new(bytes.iter().rev()));
        self.lists.push(ByteList::new(bytes.iter()));
        for form in [
            &bytes[..],
            digits,
            signature.to_ascii_uppercase().as_bytes(),
        ] {
            // What stands before a signature decides where its first group of three bytes begins.
            for start in 0..3 {
                let encoded = STANDARD_NO_PAD.encode(form.get(start..).unwrap_or_default());
                self.base64.extend(BASE64.parts(encoded.bytes()));
            }
        }
    }

    fn redact(&self, text: &str) -> String {
        let mut without_headers = Cow::Borrowed(text);
        for headers in &self.headers {
            if let Some(harmless) = headers.redact(&without_headers) {
                without_headers = harmless.into();
            }
        }
        let text = &*without_headers;
        if self.hex.is_empty() || text.len() < SHORTEST {
            return text.to_owned();
        }
        let mut characters = characters(text);
        let mut found = self.found(&characters);
        // An escape can be escaped again, for example in a string of JSON in a page.
        let has_escapes = text.contains(['\\', '&', '%']);
        for _ in 0..if has_escapes { ESCAPED_AGAIN } else { 0 } {
            let decoded = decoded(&characters);
            if decoded.len() == characters.len() {
                break;
            }
            found.extend(self.found(&decoded));
            characters = decoded;
        }
        replace_places(text, found, REDACTED)
    }

    /// Returns the places of the parts of signatures.
    fn found(&self, characters: &[Character]) -> Vec<Range<usize>> {
        let mut found = HEX.places(characters, &self.hex);
        found.extend(BASE64.places(characters, &self.base64));
        let words = words(characters);
        for list in &self.lists {
            found.extend(list.places(&words, |word| word.hex));
            found.extend(list.places(&words, |word| word.decimal));
        }
        found
    }
}

/// A form of digits. A part of a signature in it has as many digits as fit into a number.
struct Form {
    /// The number of digits in a part.
    length: usize,
    /// The bits of a digit.
    bits: u32,
    /// The bits of a part.
    mask: u64,
    /// Returns a digit's value, or nothing for another character.
    value: fn(u8) -> Option<u64>,
}

impl Form {
    /// Returns all parts of a text.
    fn parts(&self, text: impl Iterator<Item = u8>) -> impl Iterator<Item = u64> {
        let digits = text.filter_map(self.value);
        let parts = digits.scan(0, |part, digit| {
            *part = (*part << self.bits | digit) & self.mask;
            Some(*part)
        });
        parts.skip(self.length - 1)
    }

    /// Returns the places of the parts of signatures, with anything between their digits.
    fn places(&self, characters: &[Character], parts: &HashSet<u64>) -> Vec<Range<usize>> {
        let is_digit = |one: &&Character| (self.value)(one.byte).is_some();
        let digits: Vec<&Range<usize>> = characters
            .iter()
            .filter(is_digit)
            .map(|one| &one.place)
            .collect();
        let found = self
            .parts(characters.iter().map(|one| one.byte))
            .zip(digits.windows(self.length));
        let found = found.filter(|(part, _)| parts.contains(part));
        found
            .filter_map(|(_, digits)| Some(digits.first()?.start..digits.last()?.end))
            .collect()
    }
}

/// A word that can be a byte.
struct Word {
    hex: Option<u8>,
    decimal: Option<u8>,
    place: Range<usize>,
}

/// Returns the words of letters and digits that can be a byte. `0x` and `x` before one do not count.
fn words(characters: &[Character]) -> Vec<Word> {
    let in_word = |one: &Character, other: &Character| {
        one.byte.is_ascii_alphanumeric() && other.byte.is_ascii_alphanumeric()
    };
    let words = characters.chunk_by(in_word);
    let short = words.filter(|word| word.len() <= BYTE);
    let words = short.filter_map(|word| {
        let text: String = word.iter().map(|one| char::from(one.byte)).collect();
        let lower = text.to_ascii_lowercase();
        let prefix = ["0x", "x", ""].into_iter();
        let digits = prefix
            .filter_map(|start| lower.strip_prefix(start))
            .next()?;
        let hex = u8::from_str_radix(digits, 16).ok();
        let decimal = lower.parse().ok();
        let place = word.first()?.place.start..word.last()?.place.end;
        (hex.is_some() || decimal.is_some()).then_some(Word {
            hex,
            decimal,
            place,
        })
    });
    words.collect()
}

/// The bytes of a signature in one order: for each byte, its places.
#[derive(Clone, Default)]
struct ByteList(BTreeMap<u8, Vec<usize>>);

/// A list of successive bytes that ends at a word.
struct List {
    /// The place of its last byte in the signature.
    end: usize,
    length: usize,
    /// Its first character in the text.
    start: usize,
}

impl ByteList {
    fn new<'b>(bytes: impl Iterator<Item = &'b u8>) -> Self {
        let mut list = Self::default();
        for (place, byte) in bytes.enumerate() {
            list.0.entry(*byte).or_default().push(place);
        }
        list
    }

    /// Returns where words list successive bytes, eight or more. Between two of them may be other words,
    /// such as their numbers.
    fn places(&self, words: &[Word], value: impl Fn(&Word) -> Option<u8>) -> Vec<Range<usize>> {
        // The lists that end at each of the last words.
        let mut last: VecDeque<Vec<List>> = VecDeque::new();
        let mut found = Vec::new();
        for word in words {
            let places = value(word).and_then(|byte| self.0.get(&byte));
            let continued = |end: &usize| {
                let before = last.iter().flatten().filter(|list| list.end + 1 == *end);
                let longest = before.max_by_key(|list| list.length);
                List {
                    end: *end,
                    length: longest.map_or(1, |list| list.length + 1),
                    start: longest.map_or(word.place.start, |list| list.start),
                }
            };
            let lists: Vec<_> = places.into_iter().flatten().map(continued).collect();
            let long = lists.iter().filter(|list| list.length >= DIGITS / 2);
            found.extend(long.map(|list| list.start..word.place.end));
            last.push_back(lists);
            if last.len() > WORDS_BETWEEN {
                last.pop_front();
            }
        }
        found
    }
}

/// An ASCII character and its place in a text.
#[derive(Clone)]
struct Character {
    byte: u8,
    place: Range<usize>,
}

fn characters(text: &str) -> Vec<Character> {
    let ascii = text.char_indices().filter_map(|(at, one)| {
        Some(Character {
            byte: u8::try_from(one).ok().filter(u8::is_ascii)?,
            place: at..at + one.len_utf8(),
        })
    });
    ascii.collect()
}

/// The escapes of characters: how they begin and end, the base of the number, and its largest length.
const ESCAPES: [(&str, &str, u32, usize); 6] = [
    ("\\u{", "}", 16, 6),
    ("\\u", "", 16, 4),
    ("\\x", "", 16, 2),
    ("&#x", ";", 16, 6),
    ("&#", ";", 10, 7),
    ("%", "", 16, 2),
];

/// Returns the characters with escaped ones in their plain form.
fn decoded(characters: &[Character]) -> Vec<Character> {
    let text: String = characters.iter().map(|one| char::from(one.byte)).collect();
    let mut decoded = Vec::with_capacity(characters.len());
    let mut at = 0;
    while let Some(first) = characters.get(at) {
        let (byte, length) = escape(&text[at..]).unwrap_or((first.byte, 1));
        let end = characters.get(at + length - 1).unwrap_or(first).place.end;
        decoded.push(Character {
            byte,
            place: first.place.start..end,
        });
        at += length;
    }
    decoded
}

/// Returns the ASCII character that is escaped at the start of a text, and the length of the escape.
fn escape(text: &str) -> Option<(u8, usize)> {
    if text.starts_with("&amp;") {
        return Some((b'&', 5));
    }
    ESCAPES.iter().find_map(|(start, end, base, most)| {
        let number = text.strip_prefix(start)?;
        let is_digit = |one: &u8| char::from(*one).is_digit(*base);
        let digits = number.bytes().take(*most).take_while(is_digit).count();
        let code = u32::from_str_radix(number.get(..digits)?, *base).ok()?;
        number.get(digits..)?.strip_prefix(end)?;
        let byte = u8::try_from(code).ok().filter(u8::is_ascii)?;
        Some((byte, start.len() + digits + end.len()))
    })
}

#[cfg(test)]
mod tests {
    use base64::engine::general_purpose::{STANDARD, URL_SAFE};
    use serde_json::json;

    use super::*;
    use crate::context::left_out::tests::{SIGNATURE, report, shown};

    fn redactor() -> Redactor {
        let redactor = Redactor::default();
        redactor.add(SIGNATURE);
        redactor
    }

    fn bytes() -> Vec<u8> {
        let pairs = (0..64).map(|at| u8::from_str_radix(&SIGNATURE[2 * at..2 * at + 2], 16));
        pairs.map(Result::unwrap).collect()
    }

    fn joined(pieces: &[&str], between: &str) -> String {
        pieces.join(between)
    }

    #[test]
    fn every_form_and_every_part_of_a_signature_is_redacted() {
        let (s, bytes) = (SIGNATURE, bytes());
        let pairs: Vec<&str> = (0..64).map(|at| &s[2 * at..2 * at + 2]).collect();
        let groups: Vec<&str> = (0..8).map(|at| &s[16 * at..16 * at + 16]).collect();
        let escaped = |form: fn(u8) -> String| s.bytes().map(form).collect::<String>();
        let base64 = STANDARD.encode(&bytes);
        let numbered = |form: fn(usize, u8) -> String| {
            let items = bytes.iter().enumerate();
            items.map(|(at, byte)| form(at, *byte)).collect::<String>()
        };
        let texts = [
            s.to_owned(),
            s.to_uppercase(),
            s[1..].to_owned(),
            s[..127].to_owned() + "…",
            s[..16].to_owned(),
            s[112..].to_owned(),
            s[37..60].to_uppercase(),
            joined(&[&s[..64], &s[64..]], "\", \"s\": \""),
            joined(&pairs, ":"),
            joined(&pairs, " "),
            joined(&pairs, ", 0x").replace("0x", "\\x"),
            joined(&groups, "\n    "),
            joined(&pairs, "\u{a0}"),
            s.chars().rev().collect(),
            pairs.iter().rev().copied().collect(),
            base64.clone(),
            URL_SAFE.encode(&bytes),
            STANDARD.encode([b"xy", &bytes[..]].concat()),
            STANDARD.encode([b"x", &bytes[..], b"yz"].concat()),
            STANDARD.encode(&bytes[8..24]),
            STANDARD.encode(&bytes[11..19]),
            STANDARD.encode(s),
            STANDARD.encode(format!("y{}", s.to_uppercase())),
            joined(&[&base64[..20], &base64[20..50], &base64[50..]], "\r\n"),
            escaped(|one| format!("\\u{one:04x}")),
            escaped(|one| format!("\\u{{{one:x}}}")),
            escaped(|one| format!("&#{one};")),
            escaped(|one| format!("&#x{one:X};")),
            escaped(|one| format!("%{one:02x}")),
            escaped(|one| format!("%25{one:02x}")),
            escaped(|one| format!("\\x{one:02x}")),
            escaped(|one| format!("&amp;#{one};")),
            escaped(|one| format!("\\\\u{one:04x}")),
            joined(&pairs, ", 0x"),
            joined(&pairs, "x"),
            numbered(|at, byte| format!("\"{at}\":\"{byte:02x}\",")),
            numbered(|at, byte| format!("{at}: {byte},\n")),
            numbered(|_, byte| format!("{byte} ")),
            numbered(|_, byte| format!("{byte:x},")),
            bytes[9..17]
                .iter()
                .rev()
                .map(|byte| format!("{byte};"))
                .collect(),
        ];
        for text in texts {
            let shown = redactor().redact(format!("its <{text}> is it"));
            assert!(shown.starts_with("its <"), "{text}: {shown}");
            assert!(shown.ends_with("> is it"), "{text}: {shown}");
            // At most the ends of a cut part stay.
            let rest = shown.replace(REDACTED, "");
            assert!(rest.len() < "its <> is it".len() + 12, "{text}: {shown}");
            assert!(shown.contains(REDACTED), "{text}: {shown}");
        }
    }

    #[test]
    fn nothing_else_is_redacted() {
        let other = "9a".repeat(64);
        for text in [
            &other,
            &SIGNATURE[..15],
            "the node returned 0xab12 and \u{1f600} in block 17",
            "YWJjZGVmZ2hpamtsbW5vcA==",
            "",
        ] {
            assert_eq!(redactor().redact(text.to_owned()), text);
        }
        let value = serde_json::json!({"a": [SIGNATURE, 7], SIGNATURE: {"b": null}});
        assert_eq!(Redactor::default().try_redact(&value).unwrap(), value);
        assert_eq!(
            redactor().try_redact(&value).unwrap(),
            serde_json::json!({"a": [REDACTED, 7], REDACTED: {"b": null}})
        );
        assert_eq!(format!("{:?}", redactor()), "Redactor");
    }

    #[test]
    fn a_report_is_redacted_although_one_of_its_parts_can_not_be_read_back() {
        let mut report = report();
        // JSON has no such number. It becomes null, which is not a number.
        let latency = json!({"responses": 1, "median_ms": 1.0, "p95_ms": 1.0, "max_ms": 1.0});
        let cost = json!({"requests_per_second": 1.0, "latency": latency});
        report.cost = serde_json::from_value(cost).unwrap();
        report.cost.as_mut().unwrap().requests_per_second = f64::NAN;
        let report = shown(&redactor().redact_report(report));
        assert_eq!(report["notes"][0], report["reason"]);
        assert_eq!(
            report["notes"],
            json!(["(left out: this text could not be searched for signatures)"])
        );
        assert_eq!(report["verdict"], "does-not-conform");
        // The others are redacted as usual.
        assert_eq!(report["cases"][0]["actual"], "(signature redacted)");
        assert_eq!(report["exchanges"][0]["body"], "(signature redacted)");
        assert_eq!(report["sweep"]["kinds"][0]["what"], "(signature redacted)");
    }
}
