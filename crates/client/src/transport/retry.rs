//! Retries of GETs.

use std::time::{Duration, SystemTime};

use nodeproof_primitives::doubled_pause;
use reqwest::{
    StatusCode,
    header::{HeaderMap, RETRY_AFTER},
};

/// How often a GET is retried, and the pauses before.
///
/// A GET is retried after failures that are likely to be temporary: a failed connection, a broken
/// or late response, and the statuses 408, 429, 502, 503 and 504. A POST is never retried.
///
/// The pause before a retry doubles from `first_pause` up to `longest_pause`. It is shortened by a
/// random part of up to a quarter. A `Retry-After` header replaces it. If the header names more than
/// `longest_retry_after`, the request fails at once, and its error has the named pause.
///
/// ```
/// use std::time::Duration;
/// use nodeproof_client::transport::RetryPolicy;
///
/// let policy = RetryPolicy {
///     retries: 4,
///     longest_retry_after: Duration::from_secs(30),
///     ..RetryPolicy::default()
/// };
/// assert_eq!(policy.longest_pause, Duration::from_secs(2));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The maximum number of retries. 2.
    pub retries: u32,
    /// The pause before the first retry. 100 ms.
    pub first_pause: Duration,
    /// The longest pause without a `Retry-After` header. 2 seconds.
    pub longest_pause: Duration,
    /// The longest `Retry-After` that the client waits for. 10 seconds.
    pub longest_retry_after: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            retries: 2,
            ..Self::NEVER
        }
    }
}

impl RetryPolicy {
    /// Sends each request once.
    pub const NEVER: Self = Self {
        retries: 0,
        first_pause: Duration::from_millis(100),
        longest_pause: Duration::from_secs(2),
        longest_retry_after: Duration::from_secs(10),
    };

    /// Returns the pause before a retry, counted from 0, or `None` to give up.
    pub(super) fn pause(&self, repetition: u32, requested: Option<Duration>) -> Option<Duration> {
        if repetition >= self.retries {
            return None;
        }
        match requested {
            Some(requested) => (requested <= self.longest_retry_after).then_some(requested),
            None => Some(doubled_pause(
                self.first_pause,
                self.longest_pause,
                repetition,
            )),
        }
    }
}

/// Returns whether the failure that a status reports is likely to be temporary.
pub(crate) fn is_transient(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::REQUEST_TIMEOUT
            | StatusCode::TOO_MANY_REQUESTS
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT
    )
}

/// Returns the pause in the header `Retry-After`, given in seconds or as a date.
///
/// ```
/// use std::time::Duration;
/// use nodeproof_client::transport::retry_after;
///
/// let headers = http::HeaderMap::from_iter([(http::header::RETRY_AFTER, "7".parse()?)]);
/// assert_eq!(retry_after(&headers), Some(Duration::from_secs(7)));
/// # Ok::<(), http::header::InvalidHeaderValue>(())
/// ```
#[must_use]
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    pause_until(headers, SystemTime::now)
}

fn pause_until(headers: &HeaderMap, now: impl FnOnce() -> SystemTime) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number of seconds that is too large counts as the largest one.
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::MAX)));
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(now()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requested(text: &str) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, text.parse().unwrap());
        let now = httpdate::parse_http_date("Fri, 20 Nov 2026 12:00:00 GMT").unwrap();
        pause_until(&headers, || now)
    }

    #[test]
    fn reads_seconds_and_dates() {
        assert_eq!(requested("7"), Some(Duration::from_secs(7)));
        assert_eq!(requested(" 0 "), Some(Duration::ZERO));
        assert_eq!(
            requested("Fri, 20 Nov 2026 12:01:30 GMT"),
            Some(Duration::from_secs(90))
        );
        assert_eq!(
            requested("Fri, 20 Nov 2026 11:00:00 GMT"),
            Some(Duration::ZERO)
        );
        assert_eq!(
            requested("99999999999999999999999"),
            Some(Duration::from_secs(u64::MAX))
        );
        for nonsense in ["", "-1", "1.5", "soon", "\u{e9}"] {
            assert_eq!(requested(nonsense), None, "{nonsense:?}");
        }
    }

    #[test]
    fn pauses_end_after_as_many_retries_as_are_allowed() {
        let policy = RetryPolicy {
            retries: 30,
            ..RetryPolicy::default()
        };
        assert!(policy.pause(29, None).is_some());
        assert_eq!(policy.pause(30, None), None);
    }

    #[test]
    fn a_node_is_given_the_pause_it_asks_for_unless_it_is_too_long() {
        let policy = RetryPolicy {
            longest_retry_after: Duration::from_secs(3),
            ..RetryPolicy::default()
        };
        assert_eq!(
            policy.pause(0, Some(Duration::from_secs(3))),
            Some(Duration::from_secs(3))
        );
        assert_eq!(policy.pause(0, Some(Duration::from_secs(4))), None);
        assert_eq!(RetryPolicy::NEVER.pause(0, None), None);
    }
}
