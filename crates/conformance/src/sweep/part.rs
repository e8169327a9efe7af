//! One of several equal parts of a range, so that several machines can share a sweep.

use std::{fmt, str::FromStr};

use super::range::BlockRange;

/// One of several equal parts of a range: `0/4` is the first of four, and `3/4` the last.
///
/// ```
/// use nodeproof_conformance::Part;
///
/// let part: Part = "1/4".parse()?;
/// assert_eq!(part.of("1..=400".parse()?)?.to_string(), "101..201");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its position, from 0.
    index: u64,
    /// Number of parts.
    count: u64,
}

/// The reason why there is no such part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PartError {
    /// The text does not have the form `I/N`, or `I` is not below `N`.
    #[error("{0:?} is not a part: write 0/4 for the first of 4 parts, and 3/4 for the last one")]
    Form(String),
    /// The range has no end.
    #[error(
        "--part needs a range with the same end for every part, such as --blocks ..=50000000: the latest \
         block is a different one for each part"
    )]
    NoEnd,
    /// The range has fewer blocks than parts.
    #[error("{blocks} has no block for part {part}: it has fewer blocks than there are parts")]
    Empty {
        /// The range.
        blocks: BlockRange,
        /// The part.
        part: Part,
    },
}

impl Part {
    /// Returns all parts, if there are `count`.
    pub(super) fn all(count: usize) -> impl Iterator<Item = Self> {
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        (0..count).map(move |index| Self { index, count })
    }

    /// Returns the blocks of this part of a range.
    ///
    /// # Errors
    /// Returns an error if the range has no end, or fewer blocks than parts.
    pub fn of(self, blocks: BlockRange) -> Result<BlockRange, PartError> {
        let end = blocks.end().ok_or(PartError::NoEnd)?;
        let from = blocks.first().unwrap_or(0);
        let all = u128::from(end - from);
        let boundary = |index: u64| {
            let offset = all * u128::from(index) / u128::from(self.count);
            // The offset is at most the length of the range.
            from + u64::try_from(offset).unwrap_or(u64::MAX - from)
        };
        let (first, end) = (boundary(self.index), boundary(self.index + 1));
        if first == end {
            return Err(PartError::Empty { blocks, part: self });
        }
        let first = match self.index {
            0 => blocks.first(),
            _ => Some(first),
        };
        Ok(BlockRange::between(first, end))
    }
}

impl FromStr for Part {
    type Err = PartError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = |text: &str| -> Option<u64> {
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| text.parse().ok()).flatten()
        };
        let part = text.split_once('/').and_then(|(index, count)| {
            Some(Self {
                index: number(index)?,
                count: number(count)?,
            })
        });
        part.filter(|part| part.index < part.count)
            .ok_or_else(|| PartError::Form(text.chars().take(40).collect()))
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(text: &str, blocks: &str) -> Result<String, String> {
        let part: Part = text.parse().map_err(|error: PartError| error.to_string())?;
        let range = part.of(blocks.parse().unwrap());
        range
            .map(|range| range.to_string())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn parts_cover_the_range_and_share_no_block() {
        let ranges = ["0/4", "1/4", "2/4", "3/4"].map(|text| part(text, "..=1001").unwrap());
        assert_eq!(ranges, ["..250", "250..501", "501..751", "751..1002"]);
        assert_eq!(part("0/1", "5..7").unwrap(), "5..7");
        assert_eq!(part("0/2", "5..7").unwrap(), "5..6");
        assert_eq!(part("1/2", "5..7").unwrap(), "6..7");
        let last = part("15/16", "1..=9223372036854775807").unwrap();
        assert!(last.ends_with("..9223372036854775808"), "{last}");
    }

    #[test]
    fn a_part_that_does_not_exist_is_refused() {
        for (text, blocks, reason) in [
            ("4/4", "..9", "3/4 for the last one"),
            ("0/0", "..9", "is not a part"),
            ("1", "..9", "is not a part"),
            ("-1/4", "..9", "is not a part"),
            ("0/4", "5..", "the same end for every part"),
            ("0/4", "5..7", "5..7 has no block for part 0/4"),
        ] {
            let error = part(text, blocks).unwrap_err();
            assert!(error.contains(reason), "{text} {blocks}: {error}");
        }
    }
}
