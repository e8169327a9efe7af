//! The distance between the time in a transaction and a clock.

use nodeproof_primitives::TimestampMs;

/// The maximum distance between a transaction's time and a clock, in milliseconds: a day.
pub(crate) const MAX_DISTANCE: u64 = 24 * 60 * 60 * 1000;

/// Returns the distance between two times, in milliseconds.
pub(crate) fn distance(one: TimestampMs, other: TimestampMs) -> u64 {
    one.as_millis().abs_diff(other.as_millis())
}

/// Returns the message for times that are too far apart.
pub(super) fn untimely(
    built: TimestampMs,
    here: TimestampMs,
    latest: Option<TimestampMs>,
) -> String {
    let block = latest
        .map(|latest| format!(", and of the latest block, {}", latest.as_millis()))
        .unwrap_or_default();
    let in_seconds = TimestampMs::from_millis(built.as_millis().saturating_mul(1000));
    let hint = if [Some(here), latest]
        .iter()
        .flatten()
        .any(|time| distance(in_seconds, *time) <= MAX_DISTANCE)
    {
        "; it looks like seconds, and milliseconds belong there"
    } else {
        ""
    };
    let (built, here) = (built.as_millis(), here.as_millis());
    format!(
        "the node gave the transaction the time {built}, which is more than a day from the time \
         here, {here}{block} (milliseconds since 1970){hint}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_called_that_by_whichever_clock_they_fit() {
        let time = TimestampMs::from_millis;
        let (here, latest) = (1_795_263_198_902, 1_767_225_679_000);
        for (built, words) in [
            (here / 1000, true),
            (latest / 1000, true),
            (4_102_444_800_000, false),
            (i64::MAX, false),
        ] {
            let message = untimely(time(built), time(here), Some(time(latest)));
            assert_eq!(message.contains("looks like seconds"), words, "{message}");
            for number in [built, here, latest] {
                assert!(message.contains(&number.to_string()), "{message}");
            }
        }
    }
}
