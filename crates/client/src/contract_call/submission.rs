//! Submitting one transaction until a response shows whether the node accepted it.

use std::time::{Duration, Instant};

use nodeproof_primitives::doubled_pause;

use crate::{Client, Error, ErrorKind, SignedTransaction, SubmitError, SubmitResponse};

/// The number of submissions of one transaction, and the pauses between them.
///
/// Sending the *same* transaction again is safe, because nodes recognise its code and signature. It is sent again if it may not have
/// arrived, or if the node was busy.
///
/// The status 429 means that the node did not take the transaction, because it received too many
/// requests. It does not count as an attempt. So the transaction is sent again until the deadline,
/// unless `attempts` is 1 or a `Retry-After` header names more than `longest_pause`.
///
/// Each pause is shortened by a random part of up to a quarter. A `Retry-After` header replaces it.
/// After the status 429, the header counts as at least `first_pause`, and each pause is at least 100 ms.
///
/// ```
/// use std::time::Duration;
/// use nodeproof_client::contract_call::SubmitPolicy;
///
/// let policy = SubmitPolicy {
///     attempts: 10,
///     longest_pause: Duration::from_secs(10),
///     ..SubmitPolicy::default()
/// };
/// assert_eq!(policy.first_pause, Duration::from_millis(500));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubmitPolicy {
    /// The maximum number of submissions that get another response than the status 429, or none. 4.
    /// At 1, the transaction is sent once, whatever the response.
    pub attempts: u32,
    /// The first pause. Each pause is twice as long as the one before. 500 ms.
    pub first_pause: Duration,
    /// The longest pause. A longer `Retry-After` ends the submissions. 30 seconds.
    pub longest_pause: Duration,
    /// The time in which submissions begin. No pause ends after it. The last submission can take its own
    /// time limit longer, and can wait for the client's rate limit. 120 seconds.
    pub deadline: Duration,
}

/// The shortest pause after the status 429, whatever the policy and the node name.
const SHORTEST_BUSY_PAUSE: Duration = Duration::from_millis(100);

impl Default for SubmitPolicy {
    fn default() -> Self {
        Self {
            attempts: 4,
            ..Self::ONCE
        }
    }
}

impl SubmitPolicy {
    /// Submits once.
    pub const ONCE: Self = Self {
        attempts: 1,
        first_pause: Duration::from_millis(500),
        longest_pause: Duration::from_secs(30),
        deadline: Duration::from_secs(120),
    };

    /// Returns the pause after an attempt, counted from 1, or `None` to give up. The node responded
    /// to `rate_limited` of the attempts with the status 429.
    fn pause(
        &self,
        attempts: u32,
        rate_limited: u32,
        requested: Option<Duration>,
        left: Duration,
    ) -> Option<Duration> {
        if self.attempts <= 1 || attempts - rate_limited >= self.attempts {
            return None;
        }
        let pause = match requested {
            Some(requested) if requested > self.longest_pause => return None,
            // A node can't have the same transaction sent again and again without a pause.
            Some(requested) if rate_limited > 0 => requested.max(self.first_pause),
            Some(requested) => requested,
            None => doubled_pause(self.first_pause, self.longest_pause, attempts - 1),
        };
        let shortest = match rate_limited {
            0 => Duration::ZERO,
            _ => SHORTEST_BUSY_PAUSE,
        };
        let pause = pause.max(shortest);
        (pause < left).then_some(pause)
    }
}

/// The acceptance of a transaction by a node.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Submitted {
    /// The response.
    pub response: SubmitResponse,
    /// The number of times the transaction was sent.
    pub sent: u32,
}

impl Client {
    #[doc(alias = "submit-transaction")]
    /// Submits the text of a signed transaction, byte for byte. Submits it again if it may not have
    /// arrived.
    ///
    /// It is sent again after a failed or lost connection, a late or unreadable response, and the
    /// statuses 429 and 5xx, with the limits of the [policy](SubmitPolicy). It is not sent again after
    /// any other status. The status 429 does not use up one of the policy's
    /// [attempts](SubmitPolicy::attempts). Nodes were seen to return 500 for a signature that does not
    /// verify, and 429 for too many submissions.
    ///
    /// # Errors
    /// If the node [refuses](SubmitError::refusal) the transaction, or no response shows whether
    /// it accepted the transaction. [`maybe_sent`](SubmitError::maybe_sent) is true if the
    /// node may have accepted any one of the submissions.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     node: nodeproof_client::Client,
    /// #     signed: nodeproof_client::SignedTransaction,
    /// # ) -> Result<(), Box<dyn std::error::Error>> {
    /// use nodeproof_client::SubmitPolicy;
    ///
    /// node.submit(&signed, &SubmitPolicy::default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn submit(
        &self,
        transaction: &SignedTransaction,
        policy: &SubmitPolicy,
    ) -> Result<Submitted, SubmitError> {
        self.submit_with_progress(transaction, policy, |_| {}).await
    }

    /// Submits like [`submit`](Self::submit). Before each submission
    /// it calls `on_attempt` with the number of earlier ones.
    ///
    /// # Errors
    /// As for [`submit`](Self::submit).
    pub async fn submit_with_progress(
        &self,
        transaction: &SignedTransaction,
        policy: &SubmitPolicy,
        on_attempt: impl Fn(u32),
    ) -> Result<Submitted, SubmitError> {
        let started = Instant::now();
        let (mut attempts, mut rate_limited, mut sent) = (0, 0, 0);
        let mut maybe_sent = false;
        loop {
            on_attempt(attempts);
            let outcome = self.submit_once(transaction).await;
            attempts += 1;
            let (failure, requested, is_final) = match outcome {
                Ok(response) => {
                    sent += 1;
                    match response.accepted() {
                        Ok(()) => return Ok(Submitted { response, sent }),
                        Err(refused) if !refused.maybe_sent() => {
                            let new = response.response.new_transaction;
                            let refusal = self.refusal(transaction, refused.messages()).await;
                            let refused = refused.with_new_transaction(new).with_refusal(refusal);
                            (refused, None, true)
                        }
                        Err(unclear) => {
                            maybe_sent = true;
                            (unclear, None, false)
                        }
                    }
                }
                Err(error) => {
                    sent += u32::from(error.maybe_sent());
                    rate_limited += u32::from(error.is_rate_limited());
                    maybe_sent |= error.maybe_sent() && !is_not_accepted(&error);
                    let (requested, is_final) = (error.retry_after(), !may_succeed_later(&error));
                    (SubmitError::request(error), requested, is_final)
                }
            };
            let left = policy.deadline.saturating_sub(started.elapsed());
            let pause = policy
                .pause(attempts, rate_limited, requested, left)
                .filter(|_| !is_final);
            let Some(pause) = pause else {
                return Err(failure.attempted(attempts, sent, maybe_sent));
            };
            tracing::debug!(%failure, ?pause, "submitting the same transaction again");
            tokio::time::sleep(pause).await;
        }
    }
}

/// Returns whether the status means that the transaction was not accepted.
fn is_not_accepted(error: &Error) -> bool {
    // After 408, the server may have the transaction.
    error
        .status()
        .is_some_and(|status| status.is_client_error() && status.as_u16() != 408)
}

/// Returns whether the same submission may succeed later.
fn may_succeed_later(error: &Error) -> bool {
    error.is_retryable()
        || error.kind() == ErrorKind::Decode
        || error
            .status()
            .is_some_and(|status| status.is_server_error())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(1000);

    #[test]
    fn pauses_double_up_to_the_longest_and_end() {
        let policy = SubmitPolicy {
            attempts: 5,
            first_pause: Duration::from_secs(2),
            longest_pause: Duration::from_secs(5),
            ..SubmitPolicy::default()
        };
        for (attempts, longest) in [(1, 2), (2, 4), (3, 5), (4, 5)] {
            let pause = policy.pause(attempts, 0, None, LONG).unwrap();
            assert!(pause <= Duration::from_secs(longest), "{pause:?}");
            assert!(pause >= Duration::from_secs(longest) * 3 / 4, "{pause:?}");
        }
        assert_eq!(policy.pause(5, 0, None, LONG), None);
    }

    #[test]
    fn only_the_deadline_limits_submissions_to_a_node_that_is_busy() {
        let policy = SubmitPolicy::default();
        assert!(policy.pause(100, 100, None, LONG).is_some());
        assert!(policy.pause(100, 97, None, LONG).is_some());
        assert_eq!(policy.pause(100, 96, None, LONG), None);
        assert_eq!(policy.pause(100, 100, None, Duration::from_secs(1)), None);
        assert_eq!(SubmitPolicy::ONCE.pause(1, 1, None, LONG), None);
        let at_once = policy.pause(100, 100, Some(Duration::ZERO), LONG);
        assert_eq!(at_once, Some(policy.first_pause));
    }

    #[test]
    fn a_busy_node_always_has_a_pause() {
        let policy = SubmitPolicy {
            first_pause: Duration::ZERO,
            longest_pause: Duration::ZERO,
            ..SubmitPolicy::default()
        };
        for requested in [None, Some(Duration::ZERO)] {
            let pause = |rate_limited| policy.pause(3, rate_limited, requested, LONG);
            assert_eq!(pause(3), Some(Duration::from_millis(100)));
            assert_eq!(pause(0), Some(Duration::ZERO));
        }
    }

    #[test]
    fn a_node_is_given_the_pause_it_asks_for_unless_it_is_too_long() {
        let policy = SubmitPolicy::default();
        let seconds = Duration::from_secs;
        assert_eq!(policy.pause(1, 0, Some(seconds(7)), LONG), Some(seconds(7)));
        assert_eq!(policy.pause(1, 0, Some(seconds(31)), LONG), None);
        assert_eq!(policy.pause(1, 0, Some(seconds(7)), seconds(7)), None);
        assert_eq!(SubmitPolicy::ONCE.pause(1, 0, None, LONG), None);
    }
}
