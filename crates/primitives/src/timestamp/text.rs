//! Times as text: RFC 3339, or a number of milliseconds.

use std::{fmt, str::FromStr};

use super::{
    TimestampMs,
    calendar::{date_of, day_of},
};

const DAY_MS: i64 = 86_400_000;

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
        let (year, month, day) = date_of(millis.div_euclid(DAY_MS));
        if !(0..=9999).contains(&year) {
            return millis.fmt(f);
        }
        let time = millis.rem_euclid(DAY_MS);
        let (seconds, millis) = (time / 1000, time % 1000);
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        f.pad(&format!(
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z"
        ))
    }
}

impl FromStr for TimestampMs {
    type Err = ParseTimestampError;

    /// Parses RFC 3339 with any offset, or a number of milliseconds. Fractions of a millisecond are
    /// dropped. Leap seconds are rejected.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = text.parse().ok();
        number
            .or_else(|| rfc_3339(text))
            .map(Self::from_millis)
            .ok_or_else(|| ParseTimestampError {
                found: text.chars().take(40).collect(),
            })
    }
}

fn rfc_3339(text: &str) -> Option<i64> {
    let (date, time) = text.split_at_checked(10)?;
    let [year, month, day] = fields(date, '-', [4, 2, 2])?;
    let time = time.strip_prefix(['T', 't', ' '])?;
    let (time, rest) = time.split_at_checked(8)?;
    let [hour, minute, second] = fields(time, ':', [2, 2, 2])?;
    let (millis, offset) = match rest.strip_prefix('.') {
        None => (0, rest),
        Some(fraction) => {
            let end = fraction.find(|digit: char| !digit.is_ascii_digit())?;
            let (digits, offset) = fraction.split_at(end);
            let kept: String = digits.chars().chain("00".chars()).take(3).collect();
            ((!digits.is_empty()).then(|| number(&kept))??, offset)
        }
    };
    let minutes_ahead = match offset {
        "Z" | "z" => 0,
        offset => {
            let sign = match offset.get(..1)? {
                "+" => 1,
                "-" => -1,
                _ => return None,
            };
            let [hours, minutes] = fields(offset.get(1..)?, ':', [2, 2])?;
            (hours < 24 && minutes < 60).then_some(sign * (60 * hours + minutes))?
        }
    };
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let seconds = 3600 * hour + 60 * (minute - minutes_ahead) + second;
    Some(day_of(year, month, day)? * DAY_MS + seconds * 1000 + millis)
}

/// Parses numbers with this many digits each, with a separator in between.
fn fields<const N: usize>(text: &str, separator: char, widths: [usize; N]) -> Option<[i64; N]> {
    let mut parts = text.split(separator);
    let mut values = [0; N];
    for (value, width) in values.iter_mut().zip(widths) {
        let part = parts.next().filter(|part| part.len() == width)?;
        *value = number(part)?;
    }
    parts.next().is_none().then_some(values)
}

fn number(digits: &str) -> Option<i64> {
    let all = digits.bytes().all(|digit| digit.is_ascii_digit());
    all.then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests {
    use time::{OffsetDateTime, format_description::well_known::Rfc3339};

    use super::*;

    #[test]
    fn is_written_as_a_calendar_says_and_read_again() {
        // The steps cover every hour and month from year 0 to 9999, and both ends.
        let (first, last) = (-62_167_219_200_000_i64, 253_402_300_799_999);
        let steps = (first..=last).step_by(7_919_000_003_777);
        let near: Vec<i64> = (-800..800).map(|day| day * DAY_MS - 1).collect();
        for millis in steps.chain(near).chain([first, last, 0, 951_827_696_789]) {
            let time = TimestampMs::from_millis(millis);
            let text = time.to_string();
            let read = OffsetDateTime::parse(&text, &Rfc3339).unwrap();
            assert_eq!(read.unix_timestamp_nanos(), i128::from(millis) * 1_000_000);
            assert_eq!(text.parse(), Ok(time), "{text}");
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
            "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00.5",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:60:00Z",
            "2026-01-01T00:00:60Z",
            "2026-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-00-10T00:00:00Z",
            "2026-01-32T00:00:00Z",
            "2026-01-01T00:00:00+24:00",
            "2026-01-01T00:00:00+0100",
            "26-01-01T00:00:00Z",
            "2026-1-01T00:00:00Z0",
            "+026-01-01T00:00:00Z",
            "2026-01-01T00:00:00Zé",
            "２０２６-01-01T00:00:00Z",
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
