//! Values that are read from their own JSON text.

use std::{borrow::Cow, fmt, str::FromStr};

use nodeproof_primitives::{
    ContractAddress, Hash256, Integer, RawJson, TimestampMs, TransactionCode, WalletAddress,
    escape::escaped_up_to,
};

use super::hex_bytes;

/// A value that is read from the text of one JSON value. The text is never `null`.
pub(crate) trait Leaf: Sized {
    /// Reads the value, or returns the reason why the text is not valid.
    fn read(text: &str) -> Result<Self, String>;
}

/// Returns the kind of a JSON value, for a message.
pub(crate) fn kind_of(text: &str) -> String {
    match text.as_bytes().first() {
        Some(b'{') => "an object".to_owned(),
        Some(b'[') => "an array".to_owned(),
        Some(b'"') => format!("the string {}", escaped_up_to(text, 60)),
        Some(b't' | b'f') => format!("the boolean {text}"),
        Some(b'n') => "null".to_owned(),
        _ => format!("the number {}", escaped_up_to(text, 60)),
    }
}

/// Returns the reason for a field that is not an object, but has to be.
pub(crate) fn not_an_object(text: &str) -> String {
    format!("expected an object, found {}", kind_of(text))
}

/// Returns the content of a JSON string. It is borrowed if nothing in it is escaped.
pub(crate) fn text_in(text: &str) -> Option<Cow<'_, str>> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        serde_json::from_str(text).ok().map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(inner))
    }
}

/// Reads a value that is written as a string. `name` names it in the reason.
fn from_string<T: FromStr<Err: fmt::Display>>(text: &str, name: &str) -> Result<T, String> {
    match text_in(text) {
        Some(text) => text.parse().map_err(|error: T::Err| error.to_string()),
        None => Err(format!("{name} is a string, and this is {}", kind_of(text))),
    }
}

macro_rules! read_from_strings {
    ($($kind:ty: $name:literal),* $(,)?) => {$(
        impl Leaf for $kind {
            fn read(text: &str) -> Result<Self, String> {
                from_string(text, $name)
            }
        }
    )*};
}

impl Leaf for WalletAddress {
    fn read(text: &str) -> Result<Self, String> {
        let digits = text
            .as_bytes()
            .strip_prefix(b"\"0x")
            .and_then(|rest| rest.strip_suffix(b"\""));
        match digits.and_then(|digits| hex_bytes::<40, 20>(digits.try_into().ok()?, false)) {
            Some(bytes) => Ok(Self::from_bytes(bytes)),
            None => from_string(text, "a wallet address"),
        }
    }
}

impl Leaf for Hash256 {
    fn read(text: &str) -> Result<Self, String> {
        let digits = text
            .as_bytes()
            .strip_prefix(b"\"")
            .and_then(|rest| rest.strip_suffix(b"\""));
        match digits.and_then(|digits| hex_bytes::<64, 32>(digits.try_into().ok()?, true)) {
            Some(bytes) => Ok(Self::from_bytes(bytes)),
            None => from_string(text, "a hash"),
        }
    }
}

read_from_strings! {
    ContractAddress: "a contract address",
    TransactionCode: "a transaction code",
    crate::HexText: "hexadecimal text",
    crate::HolderAddress: "an address",
}

impl Leaf for String {
    fn read(text: &str) -> Result<Self, String> {
        text_in(text)
            .map(Cow::into_owned)
            .ok_or_else(|| format!("expected a string, found {}", kind_of(text)))
    }
}

impl Leaf for Integer {
    fn read(text: &str) -> Result<Self, String> {
        // Nearly all integers fit, and are read without a copy.
        match text.parse::<i64>() {
            Ok(value) => Ok(value.into()),
            Err(_) => text
                .parse()
                .map_err(|_| format!("expected an integer, found {}", kind_of(text))),
        }
    }
}

impl Leaf for TimestampMs {
    fn read(text: &str) -> Result<Self, String> {
        Integer::read(text)?
            .as_i64()
            .map(Self::from_millis)
            .ok_or_else(|| format!("expected a time in milliseconds, found {}", kind_of(text)))
    }
}

impl Leaf for bool {
    fn read(text: &str) -> Result<Self, String> {
        match text {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(format!("expected true or false, found {}", kind_of(text))),
        }
    }
}

impl Leaf for RawJson {
    fn read(text: &str) -> Result<Self, String> {
        Self::from_text(text.to_owned()).map_err(|error| error.to_string())
    }
}
