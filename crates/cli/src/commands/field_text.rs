//! Formats fields of responses as text and as JSON.

use std::fmt::Display;

use nodeproof_primitives::TimestampMs;

/// Returns a field's value, or `-` if it is missing.
pub(super) fn written<T: Display>(field: Option<T>) -> String {
    field.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

/// Formats a timestamp as a date and a time in UTC, such as `2026-01-01 00:00:00.000 UTC`, or as a number
/// if it is not a valid date.
pub(super) fn date_and_time(timestamp: TimestampMs) -> String {
    let text = timestamp.to_string();
    text.replace('T', " ").replace('Z', " UTC")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_date_where_the_calendar_has_it() {
        let time = |millis| date_and_time(TimestampMs::from_millis(millis));
        assert_eq!(time(1_767_225_593_007), "2025-12-31 23:59:53.007 UTC");
        assert_eq!(time(0), "1970-01-01 00:00:00.000 UTC");
        assert_eq!(time(i64::MAX), i64::MAX.to_string());
    }
}
