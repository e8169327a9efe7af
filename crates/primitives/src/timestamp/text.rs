//! Times as text: RFC 3339, or a number of milliseconds.

use std::{fmt, str::FromStr};

use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::TimestampMs;

const NANOSECONDS: i128 = 1_000_000;

/// The text is not a time. Give RFC 3339 with `Z` or an offset, such as `2026-01-01T00:00:00Z`, or
/// milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{found:?} is not a time: expected RFC 3339, such as 2026-01-01T00:00:00Z, or milliseconds \
     since 1970, such as 1767225600000"
)]
pub struct ParseTimestampError {
    found: String,
}

/// Writes RFC 3339 in UTC, with milliseconds: `2026-01-01T00:00:00.000Z`. A year that RFC 3339 does
/// not have, before 0 or after 9999, is written as the number of milliseconds.
impl fmt::Display for TimestampMs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = self.as_millis();
        let time = OffsetDateTime::from_unix_timestamp_nanos(i128::from(millis) * NANOSECONDS);
        match time {
            Ok(time) if (0..=9999).contains(&time.year()) => f.pad(&format!(
                "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
                time.year(),
                u8::from(time.month()),
                time.day(),
                time.hour(),
                time.minute(),
                time.second(),
                time.millisecond()
            )),
            _ => millis.fmt(f),
        }
    }
}

impl FromStr for TimestampMs {
    type Err = ParseTimestampError;

    /// Parses RFC 3339 with any offset, or a number of milliseconds. Fractions of a millisecond are
    /// dropped.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let date_and_time = || {
            let time = OffsetDateTime::parse(text, &Rfc3339).ok()?;
            i64::try_from(time.unix_timestamp_nanos().div_euclid(NANOSECONDS)).ok()
        };
        let number = text.parse().ok();
        number
            .or_else(date_and_time)
            .map(Self::from_millis)
            .ok_or_else(|| ParseTimestampError {
                found: text.chars().take(40).collect(),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_written_and_read_again_at_both_ends() {
        for (millis, text) in [
            (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (0, "1970-01-01T00:00:00.000Z"),
            (951_827_696_789, "2000-02-29T12:34:56.789Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ] {
            let time = TimestampMs::from_millis(millis);
            assert_eq!(time.to_string(), text);
            assert_eq!(text.parse(), Ok(time));
        }
    }

    #[test]
    fn beyond_the_calendar_it_is_a_number() {
        for millis in [i64::MIN, -62_167_219_200_001, 253_402_300_800_000, i64::MAX] {
            let time = TimestampMs::from_millis(millis);
            assert_eq!(time.to_string(), millis.to_string());
            assert_eq!(millis.to_string().parse(), Ok(time));
        }
    }

    #[test]
    fn reads_offsets_fractions_and_milliseconds() {
        for (text, millis) in [
            ("2026-01-01T00:00:00Z", 1_767_225_600_000),
            ("2026-01-01t02:30:00.5+02:30", 1_767_225_600_500),
            ("2025-12-31 18:00:00.123987-06:00", 1_767_225_600_123),
            ("1767225600000", 1_767_225_600_000),
            ("-1", -1),
            ("2024-02-29T23:59:59.999z", 1_709_251_199_999),
        ] {
            assert_eq!(text.parse(), Ok(TimestampMs::from_millis(millis)), "{text}");
        }
    }

    #[test]
    fn rejects_what_is_no_time() {
        for text in [
            "",
            "yesterday",
            "2026-01-01",
            "2026-01-01T00:00:00",
            "2026-01-01T24:00:00Z",
            "2026-02-29T00:00:00Z",
            "2026-01-01T00:00:00+0100",
            "2026-01-01T00:00:00Zé",
            "9223372036854775808",
        ] {
            assert!(text.parse::<TimestampMs>().is_err(), "{text:?}");
        }
        let error = "now".parse::<TimestampMs>().unwrap_err().to_string();
        assert!(
            error.starts_with("\"now\" is not a time: expected RFC 3339"),
            "{error}"
        );
    }
}
