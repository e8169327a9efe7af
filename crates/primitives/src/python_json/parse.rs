//! A JSON parser that writes the document as CPython does.

use std::collections::HashMap;

use super::{error::MessageError, number};

/// The maximum nesting. CPython's own limit depends on its version and on the depth of its
/// caller's stack. No transaction comes near it.
const MAX_DEPTH: usize = 900;

/// The order in which an object's members are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Members {
    Unsorted,
    Sorted,
}

pub(super) struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    members: Members,
}

/// A member's name as code points. Lone surrogates compare and sort as they do in CPython.
type Name = Vec<u32>;

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str, members: Members) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
            members,
        }
    }

    pub(super) fn document(mut self) -> Result<String, MessageError> {
        if self.text.starts_with('\u{feff}') {
            return Err(self.syntax("a byte order mark"));
        }
        let mut out = String::with_capacity(self.text.len() + self.text.len() / 8);
        self.space();
        self.value(&mut out)?;
        self.space();
        if self.at < self.text.len() {
            return Err(self.syntax("more text after the document"));
        }
        Ok(out)
    }

    fn syntax(&self, what: &'static str) -> MessageError {
        MessageError::Syntax { what, at: self.at }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, wanted: u8) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn word(&mut self, word: &str) -> bool {
        let found = self.text.as_bytes()[self.at..].starts_with(word.as_bytes());
        self.at += if found { word.len() } else { 0 };
        found
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn value(&mut self, out: &mut String) -> Result<(), MessageError> {
        match self.peek() {
            Some(b'{') => self.nested(out, Self::object),
            Some(b'[') => self.nested(out, Self::array),
            Some(b'"') => {
                let points = self.string()?;
                write_string(&points, out);
                Ok(())
            }
            Some(b'-' | b'0'..=b'9') => self.number(out),
            _ => self.literal(out),
        }
    }

    fn literal(&mut self, out: &mut String) -> Result<(), MessageError> {
        // CPython also reads and writes the last two, which JSON does not have.
        for word in ["null", "true", "false", "NaN", "Infinity"] {
            if self.word(word) {
                out.push_str(word);
                return Ok(());
            }
        }
        Err(self.syntax(if self.at < self.text.len() {
            "no JSON value begins like this"
        } else {
            "the text ends where a value is expected"
        }))
    }

    fn nested(
        &mut self,
        out: &mut String,
        inner: fn(&mut Self, &mut String) -> Result<(), MessageError>,
    ) -> Result<(), MessageError> {
        if self.depth == MAX_DEPTH {
            return Err(MessageError::TooDeep { limit: MAX_DEPTH });
        }
        self.depth += 1;
        self.at += 1;
        inner(self, out)?;
        self.depth -= 1;
        Ok(())
    }

    fn array(&mut self, out: &mut String) -> Result<(), MessageError> {
        out.push('[');
        self.space();
        if !self.eat(b']') {
            loop {
                self.space();
                self.value(out)?;
                self.space();
                if self.eat(b']') {
                    break;
                }
                if !self.eat(b',') {
                    return Err(self.syntax("neither a comma nor the array's end"));
                }
                out.push_str(", ");
            }
        }
        out.push(']');
        Ok(())
    }

    fn object(&mut self, out: &mut String) -> Result<(), MessageError> {
        let mut members: Vec<(Name, String)> = Vec::new();
        let mut places: HashMap<Name, usize> = HashMap::new();
        self.space();
        if !self.eat(b'}') {
            loop {
                self.space();
                if self.peek() != Some(b'"') {
                    return Err(self.syntax("no member's name in double quotes"));
                }
                let name = self.string()?;
                self.space();
                if !self.eat(b':') {
                    return Err(self.syntax("no colon after a member's name"));
                }
                self.space();
                let mut value = String::new();
                self.value(&mut value)?;
                match places.get(&name) {
                    // A dict has a key in its first place, with its last value.
                    Some(&place) => members[place].1 = value,
                    None => {
                        places.insert(name.clone(), members.len());
                        members.push((name, value));
                    }
                }
                self.space();
                if self.eat(b'}') {
                    break;
                }
                if !self.eat(b',') {
                    return Err(self.syntax("neither a comma nor the object's end"));
                }
            }
        }
        if self.members == Members::Sorted {
            members.sort_by(|left, right| left.0.cmp(&right.0));
        }
        out.push('{');
        for (index, (name, value)) in members.iter().enumerate() {
            if index > 0 {
                out.push_str(", ");
            }
            write_string(name, out);
            out.push_str(": ");
            out.push_str(value);
        }
        out.push('}');
        Ok(())
    }

    fn number(&mut self, out: &mut String) -> Result<(), MessageError> {
        let start = self.at;
        let negative = self.eat(b'-');
        if negative && self.word("Infinity") {
            out.push_str("-Infinity");
            return Ok(());
        }
        if !self.eat(b'0') && !self.digits() {
            return Err(self.syntax("no digit after a minus sign"));
        }
        // Like CPython's pattern, this stops before a point or an exponent without digits.
        // The caller then rejects it.
        self.optional(|parser| parser.eat(b'.') && parser.digits());
        self.optional(|parser| {
            (parser.eat(b'e') || parser.eat(b'E')) && {
                let _sign = parser.eat(b'+') || parser.eat(b'-');
                parser.digits()
            }
        });
        number::write(&self.text[start..self.at], start, out)
    }

    fn optional(&mut self, part: fn(&mut Self) -> bool) {
        let before = self.at;
        if !part(self) {
            self.at = before;
        }
    }

    fn digits(&mut self) -> bool {
        let before = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at > before
    }

    /// Reads a string as code points. Lone surrogates stay.
    fn string(&mut self) -> Result<Name, MessageError> {
        self.at += 1;
        let mut points = Vec::new();
        loop {
            let Some(character) = self.text[self.at..].chars().next() else {
                return Err(self.syntax("the text ends inside a string"));
            };
            match character {
                '"' => {
                    self.at += 1;
                    return Ok(points);
                }
                '\\' => points.push(self.escape()?),
                '\0'..='\u{1f}' => return Err(self.syntax("a bare control character in a string")),
                _ => {
                    self.at += character.len_utf8();
                    points.push(u32::from(character));
                }
            }
        }
    }

    fn escape(&mut self) -> Result<u32, MessageError> {
        let bytes = self.text.as_bytes();
        let Some(&letter) = bytes.get(self.at + 1) else {
            return Err(self.syntax("the text ends inside a string"));
        };
        let plain = match letter {
            b'"' | b'\\' | b'/' => letter,
            b'b' => 0x08,
            b'f' => 0x0c,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => return self.unicode_escape(),
            _ => return Err(self.syntax("an escape that JSON does not have")),
        };
        self.at += 2;
        Ok(u32::from(plain))
    }

    fn unicode_escape(&mut self) -> Result<u32, MessageError> {
        let Some(high) = self.unit(self.at) else {
            return Err(self.syntax("\\u without four hexadecimal digits"));
        };
        self.at += 6;
        if (0xd800..0xdc00).contains(&high)
            && let Some(low @ 0xdc00..0xe000) = self.unit(self.at)
        {
            self.at += 6;
            return Ok(0x10000 + ((high - 0xd800) << 10 | (low - 0xdc00)));
        }
        Ok(high)
    }

    /// Returns the value of the `\uXXXX` escape at byte `at`, if there is one.
    fn unit(&self, at: usize) -> Option<u32> {
        let digits = self.text.as_bytes().get(at..at + 6)?.strip_prefix(b"\\u")?;
        digits.iter().try_fold(0, |value, digit| {
            char::from(*digit)
                .to_digit(16)
                .map(|nibble| value << 4 | nibble)
        })
    }
}

/// Writes a string as `json.dumps` does with `ensure_ascii`.
fn write_string(points: &[u32], out: &mut String) {
    out.push('"');
    for &point in points {
        match u8::try_from(point) {
            Ok(b'"') => out.push_str("\\\""),
            Ok(b'\\') => out.push_str("\\\\"),
            Ok(b'\n') => out.push_str("\\n"),
            Ok(b'\r') => out.push_str("\\r"),
            Ok(b'\t') => out.push_str("\\t"),
            Ok(0x08) => out.push_str("\\b"),
            Ok(0x0c) => out.push_str("\\f"),
            // DEL is ASCII, but CPython escapes it.
            Ok(plain @ 0x20..=0x7e) => out.push(char::from(plain)),
            _ if point >= 0x10000 => {
                let offset = point - 0x10000;
                push_unit(0xd800 | offset >> 10, out);
                push_unit(0xdc00 | offset & 0x3ff, out);
            }
            _ => push_unit(point, out),
        }
    }
    out.push('"');
}

fn push_unit(unit: u32, out: &mut String) {
    out.push_str(&format!("\\u{unit:04x}"));
}
