//! The quick way to read a receipt: for those that are written as documented.
//!
//! A large block is nearly all receipts, and nearly all receipts are as documented.
//! So each is first read by going through its text once, without telling what
//! would be wrong. Whatever is written otherwise is left to the tolerant way,
//! which tests hold this one against.

use nodeproof_primitives::{Hash256, TimestampMs, WalletAddress};

use super::Receipt;
use crate::{
    HexText,
    decode::{Field, hex_bytes},
};

/// Reads a receipt from text that is known to be JSON; `None` if it is not plainly as documented.
pub(super) fn read(text: &str) -> Option<Receipt> {
    let mut cursor = Cursor { rest: text };
    let mut receipt = Receipt::default();
    cursor.object(|name, cursor| match name {
        "data" => {
            let from = cursor.rest;
            cursor.object(|name, cursor| data_member(&mut receipt, name, cursor))?;
            let length = from.len().checked_sub(cursor.rest.len())?;
            receipt.data = Field::Value(from.get(..length)?.into());
            Some(())
        }
        "public_key" => {
            receipt.public_key = Field::Value(cursor.hex_text()?);
            Some(())
        }
        "signature" => {
            receipt.signature = Field::Value(cursor.hex_text()?);
            Some(())
        }
        _ => None,
    })?;
    cursor.rest.is_empty().then_some(receipt)
}

fn data_member(receipt: &mut Receipt, name: &str, cursor: &mut Cursor<'_>) -> Option<()> {
    match name {
        "block_index" => receipt.block_index = Field::Value(cursor.integer()?.into()),
        "vote" => receipt.vote = Field::Value(cursor.integer()?.into()),
        "timestamp" => {
            receipt.timestamp = Field::Value(TimestampMs::from_millis(cursor.integer()?));
        }
        "block_hash" => {
            let digits = cursor.string_of(64)?;
            receipt.block_hash = Field::Value(Hash256::from_bytes(hex_bytes(
                digits.first_chunk::<64>()?,
                true,
            )?));
        }
        "wallet_address" => {
            let digits = cursor.string_of(42)?.strip_prefix(b"0x")?;
            receipt.wallet_address = Field::Value(WalletAddress::from_bytes(hex_bytes(
                digits.first_chunk::<40>()?,
                false,
            )?));
        }
        _ => return None,
    }
    Some(())
}

/// What is left of a text that is known to be JSON.
struct Cursor<'t> {
    rest: &'t str,
}

impl<'t> Cursor<'t> {
    fn next(&mut self) -> Option<u8> {
        let byte = *self.rest.as_bytes().first()?;
        // Only ASCII is ever taken, so this stays between characters.
        self.rest = self.rest.get(1..)?;
        Some(byte)
    }

    fn past_space(&mut self) -> Option<u8> {
        loop {
            let byte = self.next()?;
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return Some(byte);
            }
        }
    }

    /// Goes through an object, and hands over each name with the cursor before its value.
    fn object(&mut self, mut member: impl FnMut(&'t str, &mut Self) -> Option<()>) -> Option<()> {
        if self.next()? != b'{' {
            return None;
        }
        loop {
            if self.past_space()? != b'"' {
                return None;
            }
            let length = self
                .rest
                .bytes()
                .position(|byte| matches!(byte, b'"' | b'\\'))?;
            let name = self.rest.get(..length)?;
            self.rest = self.rest.get(length..)?;
            if self.next()? != b'"' || self.past_space()? != b':' {
                return None;
            }
            let before = self.rest.trim_start_matches([' ', '\n', '\r', '\t']);
            self.rest = before;
            member(name, self)?;
            match self.past_space()? {
                b',' => {}
                b'}' => return Some(()),
                _ => return None,
            }
        }
    }

    /// The content of a string of that many bytes, in which nothing may be escaped.
    ///
    /// That it has no quote and no backslash in it is for the caller to find out.
    fn string_of(&mut self, length: usize) -> Option<&'t [u8]> {
        let text = self.rest.as_bytes();
        let content = text.get(1..length.checked_add(1)?)?;
        if text.first() != Some(&b'"') || text.get(length.checked_add(1)?) != Some(&b'"') {
            return None;
        }
        self.rest = self.rest.get(length.checked_add(2)?..)?;
        Some(content)
    }

    /// Hexadecimal text of any length.
    fn hex_text(&mut self) -> Option<HexText> {
        let inner = self.rest.strip_prefix('"')?;
        // The length that was seen is tried first: then nothing has to be looked for.
        let length = match inner.as_bytes().get(128) {
            Some(b'"') => 128,
            _ => inner.find('"')?,
        };
        let digits = inner.get(..length)?;
        self.rest = inner.get(length.checked_add(1)?..)?;
        HexText::of_digits(digits)
    }

    /// An integer of at most 18 digits, written without fraction and exponent.
    fn integer(&mut self) -> Option<i64> {
        let (negative, digits) = match self.rest.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, self.rest),
        };
        let mut value = 0_i64;
        let mut count = 0_usize;
        for digit in digits.bytes().take_while(u8::is_ascii_digit) {
            count += 1;
            if count > 18 {
                return None;
            }
            value = value * 10 + i64::from(digit - b'0');
        }
        let rest = digits.get(count..)?;
        if count == 0 || matches!(rest.as_bytes().first(), Some(b'.' | b'e' | b'E')) {
            return None;
        }
        self.rest = rest;
        Some(if negative { -value } else { value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &str = r#"{"data": {"block_index": 1199, "block_hash": "21f7581d94352dd63d9f5b0c5a7800573aa405d3f97755d249fb0548ca68e1c7", "vote": -9, "timestamp": 1767225591000, "wallet_address": "0xe8cf534e934cf1d5fb523b8c3134a501037d470e"}, "public_key": "dC75", "signature" : "4b9f"}"#;

    #[test]
    fn reads_what_is_as_documented() {
        let receipt = read(PLAIN).unwrap();
        assert_eq!(receipt, Receipt::tolerantly(PLAIN));
        assert!(receipt.faults().is_empty());
        assert_eq!(receipt.public_key().unwrap().text(), "dC75");
    }

    /// Wherever a text is changed, the quick way either reads what the tolerant one does, or nothing.
    #[test]
    fn never_reads_anything_else_than_the_tolerant_way() {
        let long = PLAIN.replace("4b9f", &"ab".repeat(64));
        let (mut quick, mut left) = (0, 0);
        for text in [PLAIN, &long] {
            for at in 0..text.len() {
                for put in [
                    "", " ", "\"", "\\", "0", "F", "g", "{", "}", ",", ":", "1.5", "e1", "\u{e9}",
                    "\\u0041", "null", "\n",
                ] {
                    for removed in 0..3 {
                        let Some(end) = text.get(at + removed..) else {
                            continue;
                        };
                        let changed = format!("{}{put}{end}", &text[..at]);
                        // Only JSON ever gets there.
                        if serde_json::from_str::<&serde_json::value::RawValue>(&changed).is_err() {
                            continue;
                        }
                        match read(changed.trim()) {
                            Some(receipt) => {
                                assert_eq!(
                                    receipt,
                                    Receipt::tolerantly(changed.trim()),
                                    "{changed}"
                                );
                                quick += 1;
                            }
                            None => left += 1,
                        }
                    }
                }
            }
        }
        assert!(quick > 1000 && left > 1000, "{quick} {left}");
    }
}
