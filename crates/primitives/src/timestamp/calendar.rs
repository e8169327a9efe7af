//! Days of the Gregorian calendar, counted from 1970-01-01.

/// Returns the year, month and day.
///
/// Here the year begins in March, so the leap day is its last day. A period of 400 years always has
/// the same number of days.
pub(crate) fn date_of(day: i64) -> (i64, i64, i64) {
    // 719,468 days lie between 0000-03-01 and 1970-01-01.
    let day = day + 719_468;
    let (period, day) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    (400 * period + year + next, month, day)
}

/// Returns the day's number, or `None` if the date does not exist.
pub(crate) fn day_of(year: i64, month: i64, day: i64) -> Option<i64> {
    let (in_year, shifted) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let (period, in_period) = (in_year.div_euclid(400), in_year.rem_euclid(400));
    let number = 146_097 * period + 365 * in_period + in_period / 4 - in_period / 100
        + (153 * shifted + 2) / 5
        + (day - 1)
        - 719_468;
    (date_of(number) == (year, month, day)).then_some(number)
}
