//! Seconds, on the command line and in the configuration file.

use std::time::Duration;

/// Parses a number of seconds above zero, such as `10` or `0.5`.
pub(crate) fn positive(text: &str) -> Result<Duration, String> {
    let wrong = || format!("{text:?} is not a number of seconds, such as 10 or 0.5");
    let seconds: f64 = text.parse().map_err(|_| wrong())?;
    if !(seconds > 0.0 && seconds <= 1e6) {
        return Err(wrong());
    }
    Duration::try_from_secs_f64(seconds).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_fractions_and_nothing_below() {
        assert_eq!(positive("0.5"), Ok(Duration::from_millis(500)));
        for text in ["0", "-1", "NaN", "inf", "1e7", "", "5s"] {
            assert!(positive(text).is_err(), "{text}");
        }
    }
}
