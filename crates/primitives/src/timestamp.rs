//! Timestamps.

pub(crate) mod text;

use std::{
    cmp::Ordering,
    ops::Sub,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

#[cfg(feature = "schemars")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A point in time, in whole milliseconds since the Unix epoch.
///
/// It is displayed as RFC 3339. It is parsed from RFC 3339 or from a number of milliseconds. In JSON
/// it is the number.
///
/// Source: FORM-1 of the specification.
///
/// ```
/// use std::time::Duration;
/// use nodeproof_primitives::TimestampMs;
///
/// let made = TimestampMs::from_millis(1_767_225_600_000);
/// assert_eq!(made.to_string(), "2026-01-01T00:00:00.000Z");
/// assert_eq!("2026-01-01T01:00:00+01:00".parse(), Ok(made));
/// let next = made.checked_add(Duration::from_secs(10)).ok_or("the last millisecond")?;
/// assert_eq!((next - made).to_string(), "10000");
/// assert_eq!(next.duration_since(made), Some(Duration::from_secs(10)));
/// assert_eq!(made.duration_since(next), None);
/// assert_eq!(next.checked_sub(Duration::from_secs(10)), Some(made));
/// assert_eq!(made.as_millis(), 1_767_225_600_000);
/// assert!(TimestampMs::now().as_millis() > 0);
/// # Ok::<(), &'static str>(())
/// ```
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schemars", derive(JsonSchema))]
#[serde(transparent)]
pub struct TimestampMs(i64);

impl TimestampMs {
    /// Creates a timestamp from milliseconds since the Unix epoch.
    #[must_use]
    pub const fn from_millis(milliseconds: i64) -> Self {
        Self(milliseconds)
    }

    /// Returns the milliseconds since the Unix epoch. They are negative before it.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Returns the current time of the system clock.
    #[must_use]
    pub fn now() -> Self {
        SystemTime::now().into()
    }

    /// Returns the time that is later by `duration`, or `None` if it is out of range. Fractions of a
    /// millisecond are dropped.
    #[must_use]
    pub fn checked_add(self, duration: Duration) -> Option<Self> {
        let millis = i64::try_from(duration.as_millis()).ok()?;
        self.0.checked_add(millis).map(Self)
    }

    /// Returns the time that is earlier by `duration`, or `None` if it is out of range. Fractions of
    /// a millisecond are dropped.
    #[must_use]
    pub fn checked_sub(self, duration: Duration) -> Option<Self> {
        let millis = i64::try_from(duration.as_millis()).ok()?;
        self.0.checked_sub(millis).map(Self)
    }

    /// Returns the time since `earlier`, or `None` if `earlier` is later than this time.
    #[must_use]
    pub fn duration_since(self, earlier: Self) -> Option<Duration> {
        (self >= earlier).then(|| Duration::from_millis(self.0.abs_diff(earlier.0)))
    }
}

/// Returns the difference in milliseconds. It is negative if the other time is later.
impl Sub for TimestampMs {
    type Output = i128;

    fn sub(self, other: Self) -> i128 {
        i128::from(self.0) - i128::from(other.0)
    }
}

/// Converts the system's time. Fractions of a millisecond are dropped. A time out of range becomes
/// the nearest timestamp.
impl From<SystemTime> for TimestampMs {
    fn from(time: SystemTime) -> Self {
        let millis = match time.duration_since(UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_millis()).unwrap_or(i64::MAX),
            Err(before) => {
                i64::try_from(before.duration().as_millis()).map_or(i64::MIN, |millis| -millis)
            }
        };
        Self(millis)
    }
}

/// The system's clock can't represent this time. Use the [`TimestampMs`] instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the system's clock cannot have the time of {0} milliseconds since 1970")]
pub struct SystemTimeRangeError(i64);

impl TryFrom<TimestampMs> for SystemTime {
    type Error = SystemTimeRangeError;

    fn try_from(time: TimestampMs) -> Result<Self, SystemTimeRangeError> {
        let distance = Duration::from_millis(time.0.unsigned_abs());
        let system = if time.0 < 0 {
            UNIX_EPOCH.checked_sub(distance)
        } else {
            UNIX_EPOCH.checked_add(distance)
        };
        system.ok_or(SystemTimeRangeError(time.0))
    }
}

/// Converts milliseconds since the Unix epoch.
impl From<i64> for TimestampMs {
    fn from(milliseconds: i64) -> Self {
        Self(milliseconds)
    }
}

/// Returns the milliseconds since the Unix epoch.
impl From<TimestampMs> for i64 {
    fn from(time: TimestampMs) -> Self {
        time.0
    }
}

/// Compares the milliseconds since the Unix epoch.
impl PartialEq<i64> for TimestampMs {
    fn eq(&self, milliseconds: &i64) -> bool {
        self.0 == *milliseconds
    }
}

/// Compares the milliseconds since the Unix epoch.
impl PartialOrd<i64> for TimestampMs {
    fn partial_cmp(&self, milliseconds: &i64) -> Option<Ordering> {
        self.0.partial_cmp(milliseconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_systems_time_and_back() {
        for millis in [0, 1, -1, 1_767_225_600_123, -62_167_219_200_000] {
            let time = TimestampMs::from_millis(millis);
            assert_eq!(SystemTime::try_from(time).map(TimestampMs::from), Ok(time));
            assert_eq!(TimestampMs::from(millis), millis);
            assert_eq!(i64::from(time), millis);
        }
        assert_eq!(TimestampMs::default(), 0);
    }

    #[test]
    fn arithmetic_ends_where_timestamps_do() {
        let (second, last) = (Duration::from_secs(1), TimestampMs::from_millis(i64::MAX));
        let time = TimestampMs::from_millis(500);
        assert_eq!(time.checked_add(second), Some(1500.into()));
        assert_eq!(time.checked_sub(second), Some((-500).into()));
        assert_eq!(last.checked_add(second), None);
        assert_eq!(TimestampMs::from_millis(i64::MIN).checked_sub(second), None);
        assert_eq!(time.checked_add(Duration::MAX), None);
        assert!(time > 499 && time < 501);

        let first = TimestampMs::from_millis(i64::MIN);
        assert_eq!(
            last.duration_since(first),
            Some(Duration::from_millis(u64::MAX))
        );
        assert_eq!(first.duration_since(last), None);
        assert_eq!(last - first, i128::from(u64::MAX));
        assert_eq!(first - last, -i128::from(u64::MAX));
    }
}
