//! The range of blocks of a sweep.

use std::{fmt, str::FromStr};

/// A range of blocks, by index, in the syntax of Rust ranges. Either end may be open.
/// ```
/// use nodeproof_conformance::BlockRange;
///
/// let range: BlockRange = "5..=9".parse()?;
/// assert_eq!(range.to_string(), "5..10");
/// assert!(range.contains(9) && !range.contains(10));
/// assert!("9..5".parse::<BlockRange>().is_err());
/// # Ok::<(), nodeproof_conformance::ParseBlockRangeError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockRange {
    /// The first index, or `None` for the chain's first block.
    from: Option<u64>,
    /// The index after the last block, or `None` for the end of the chain.
    to: Option<u64>,
}

/// The highest possible index, because nodes use signed 64-bit integers.
const MAX_INDEX: u64 = i64::MAX as u64;

/// The reason why a text is not a range of blocks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseBlockRangeError {
    /// The text does not have two dots.
    #[error(
        "{0:?} is not a range of blocks: write 5..10 for 5 to 9, 5..=10 for 5 to 10, 5.. for 5 and \
         all after it, ..10 for all before 10, .. for all"
    )]
    Form(String),
    /// An end is not an index.
    #[error("{0:?} is not an index of a block: a whole number without sign")]
    Index(String),
    /// An end is above the highest possible index.
    #[error(
        "block {0} is past the last index that a block can have, {MAX_INDEX}; leave the end open for all \
         blocks that there are"
    )]
    TooHigh(String),
    /// The range contains no block.
    #[error("no block is in {0}: the end is not in a range, so 5..6 is block 5 alone")]
    Empty(String),
}

impl BlockRange {
    /// Returns the range from this block to the end of the chain.
    #[must_use]
    pub const fn starting_at(index: u64) -> Self {
        Self {
            from: Some(index),
            to: None,
        }
    }

    /// Returns the first index, if the range names it.
    #[must_use]
    pub const fn first(&self) -> Option<u64> {
        self.from
    }

    /// Returns the index after the last block, if the range names it.
    #[must_use]
    pub const fn end(&self) -> Option<u64> {
        self.to
    }

    /// Returns the range of these blocks. `to` is exclusive.
    pub(super) const fn between(from: Option<u64>, to: u64) -> Self {
        Self { from, to: Some(to) }
    }

    /// Whether the range contains a block.
    #[must_use]
    pub fn contains(&self, index: u64) -> bool {
        self.from.is_none_or(|from| index >= from) && self.to.is_none_or(|to| index < to)
    }
}

impl FromStr for BlockRange {
    type Err = ParseBlockRangeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let kept = || text.chars().take(80).collect::<String>();
        let (from, to) = text
            .split_once("..")
            .ok_or_else(|| ParseBlockRangeError::Form(kept()))?;
        let index = |text: &str, most: u64| -> Result<Option<u64>, ParseBlockRangeError> {
            let text = text.trim();
            let shown = || text.chars().take(40).collect();
            if text.is_empty() {
                return Ok(None);
            }
            if !text.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(ParseBlockRangeError::Index(shown()));
            }
            // The text has only digits, so if it can't be parsed, it is too large.
            let index = text.parse().ok().filter(|index| *index <= most);
            index
                .map(Some)
                .ok_or_else(|| ParseBlockRangeError::TooHigh(shown()))
        };
        let from = index(from, MAX_INDEX)?;
        let to = match to.trim_start().strip_prefix('=') {
            None => index(to, MAX_INDEX + 1)?,
            Some(last) => match index(last, MAX_INDEX)? {
                None => return Err(ParseBlockRangeError::Form(kept())),
                Some(last) => Some(last + 1),
            },
        };
        let empty = to.is_some_and(|to| to <= from.unwrap_or(0));
        if empty {
            return Err(ParseBlockRangeError::Empty(kept()));
        }
        Ok(Self { from, to })
    }
}

impl fmt::Display for BlockRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let index = |index: Option<u64>| index.map(|index| index.to_string()).unwrap_or_default();
        write!(f, "{}..{}", index(self.from), index(self.to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_read_as_rust_reads_them() {
        for (text, from, to) in [
            ("..", None, None),
            ("5..", Some(5), None),
            ("..7", None, Some(7)),
            ("5..7", Some(5), Some(7)),
            ("5..=7", Some(5), Some(8)),
            ("..=0", None, Some(1)),
            (" 5 .. 7 ", Some(5), Some(7)),
            ("..9223372036854775808", None, Some(1 << 63)),
            ("..=9223372036854775807", None, Some(1 << 63)),
        ] {
            assert_eq!(text.parse(), Ok(BlockRange { from, to }), "{text}");
        }
    }

    #[test]
    fn what_is_no_range_is_refused_with_what_is_one() {
        for (text, part) in [
            ("7", "5..10"),
            ("", "5..10"),
            ("5..=", "5..10"),
            ("a..7", "\"a\""),
            ("-1..7", "\"-1\""),
            ("1...7", "\".7\""),
            ("5..99999999999999999999", "leave the end open"),
            ("99999999999999999999..", "past the last index"),
            ("..18446744073709551615", "past the last index"),
            ("..=18446744073709551615", "past the last index"),
            ("..9223372036854775809", "past the last index"),
            ("..=9223372036854775808", "past the last index"),
            ("7..5", "no block is in"),
            ("7..7", "no block is in"),
            ("..0", "no block is in"),
        ] {
            let message = text.parse::<BlockRange>().unwrap_err().to_string();
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
