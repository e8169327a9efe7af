//! Submitting one transaction until a response shows whether the node accepted it.

use std::time::{Duration, Instant};

use crate::{Client, Error, NotAccepted, SignedTransaction, SubmitResponse, UnclearResponse};

/// The number of submissions of one transaction, and the pauses between them.
///
/// [`Client::submit`] sends a transaction at most once. Sending the *same* transaction again is
/// safe, because nodes recognise its code and signature. It is sent again if it may not have
/// arrived, or if the node was busy.
///
/// ```
/// use std::time::Duration;
/// use nodeproof_client::contract_call::SubmitPolicy;
///
/// let policy = SubmitPolicy::default()
///     .most(10)
///     .pauses(Duration::from_secs(1), Duration::from_secs(10))
///     .deadline(Duration::from_secs(300));
/// assert_eq!((policy.most, policy.first_pause), (10, Duration::from_secs(1)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SubmitPolicy {
    /// The maximum number of submissions. 4.
    pub most: u32,
    /// The first pause. Each pause is twice as long as the one before. 500 ms.
    pub first_pause: Duration,
    /// The longest pause. A longer `Retry-After` ends the submissions. 30 seconds.
    pub longest_pause: Duration,
    /// The time limit for all submissions. Nothing is sent after that. 120 seconds.
    pub deadline: Duration,
}

impl Default for SubmitPolicy {
    fn default() -> Self {
        Self {
            most: 4,
            first_pause: Duration::from_millis(500),
            longest_pause: Duration::from_secs(30),
            deadline: Duration::from_secs(120),
        }
    }
}

impl SubmitPolicy {
    /// Submits once.
    #[must_use]
    pub fn once() -> Self {
        Self {
            most: 1,
            ..Self::default()
        }
    }

    /// Sets the maximum number of submissions.
    #[must_use]
    pub fn most(mut self, times: u32) -> Self {
        self.most = times;
        self
    }

    /// Sets the first and the longest pause.
    #[must_use]
    pub fn pauses(mut self, first: Duration, longest: Duration) -> Self {
        self.first_pause = first;
        self.longest_pause = longest;
        self
    }

    /// Sets the time limit for all submissions.
    #[must_use]
    pub fn deadline(mut self, longest: Duration) -> Self {
        self.deadline = longest;
        self
    }

    /// Returns the pause after an attempt, counted from 1, or `None` to give up.
    fn pause(&self, tried: u32, requested: Option<Duration>, left: Duration) -> Option<Duration> {
        if tried >= self.most {
            return None;
        }
        let pause = match requested {
            Some(requested) if requested > self.longest_pause => return None,
            Some(requested) => requested,
            None => {
                let doubled = self.first_pause.saturating_mul(1 << (tried - 1).min(20));
                doubled.min(self.longest_pause)
            }
        };
        (pause < left).then_some(pause)
    }
}

/// A node's response to a transaction: accepted or refused. See [`accepted`](Self::accepted).
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "the node may have refused the transaction; call `accepted()?`"]
#[non_exhaustive]
pub struct Submitted {
    /// The response.
    pub response: SubmitResponse,
    /// The number of times the transaction was sent.
    pub sent: u32,
    /// Whether the node may have accepted an earlier one of these submissions.
    pub maybe_accepted_before: bool,
}

impl Submitted {
    /// Checks that the node accepted the transaction.
    ///
    /// # Errors
    /// [`NotAccepted::Refused`] if the node refused it.
    pub fn accepted(&self) -> Result<(), NotAccepted> {
        self.response.accepted().map_err(|mut error| {
            if let NotAccepted::Refused { maybe_accepted, .. } = &mut error {
                *maybe_accepted = self.maybe_accepted_before;
            }
            error
        })
    }
}

/// No response shows whether the node accepted the transaction.
///
/// If [`maybe_sent`](Self::maybe_sent) is true, submit the *same* transaction again, or
/// [wait](Client::wait_for_inclusion) for it. A new transaction may pay twice. If it is false, the
/// node did not accept the transaction. Correct the cause, and submit the same transaction again.
///
/// ```no_run
/// # async fn example(
/// #     node: nodeproof_client::Client,
/// #     signed: nodeproof_client::SignedTransaction,
/// #     sent_in_an_earlier_run: bool,
/// # ) -> Result<(), Box<dyn std::error::Error>> {
/// use nodeproof_client::contract_call::SubmitPolicy;
///
/// let submitted = node
///     .submit_with_progress(&signed, &SubmitPolicy::default(), |earlier| {
///         println!("submission {}", earlier + 1);
///     })
///     .await;
/// match submitted.map_err(|error| error.or_sent_earlier(sent_in_an_earlier_run)) {
///     Ok(submitted) => submitted.accepted()?,
///     Err(error) if error.maybe_sent() => println!("the outcome is unknown: {error}"),
///     Err(error) => {
///         println!("not accepted: sent in {} of {} attempts", error.sent(), error.tried());
///         println!("{:?} {:?}", error.client_error(), error.response());
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, thiserror::Error)]
#[error("{fault}{}", times(*tried, *sent))]
pub struct SubmitError {
    #[source]
    fault: Fault,
    tried: u32,
    sent: u32,
    maybe_sent: bool,
}

#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error(transparent)]
    Client(#[from] Error),
    #[error("the node does not say whether it accepted the transaction: {}", .0.fault)]
    Unclear(Box<Unclear>),
}

#[derive(Debug)]
struct Unclear {
    fault: UnclearResponse,
    response: SubmitResponse,
}

impl SubmitError {
    /// Returns whether the node may have accepted the transaction, in one of these submissions or in
    /// an [earlier run](Self::or_sent_earlier).
    ///
    /// It is false if nothing was sent. It is also false if each response has a status that means
    /// that the transaction was not accepted: 400 to 499 except 408.
    #[must_use]
    pub fn maybe_sent(&self) -> bool {
        self.maybe_sent
    }

    /// Returns the number of times the transaction was sent: the attempts that got a connection.
    #[must_use]
    pub fn sent(&self) -> u32 {
        self.sent
    }

    /// Returns the number of attempts.
    #[must_use]
    pub fn tried(&self) -> u32 {
        self.tried
    }

    /// Returns the error of the last submission, if its request failed.
    #[must_use]
    pub fn client_error(&self) -> Option<&Error> {
        match &self.fault {
            Fault::Client(error) => Some(error),
            Fault::Unclear(_) => None,
        }
    }

    /// Returns the response to the last submission, if it does not show whether the node accepted the
    /// transaction.
    #[must_use]
    pub fn response(&self) -> Option<&SubmitResponse> {
        match &self.fault {
            Fault::Client(_) => None,
            Fault::Unclear(unclear) => Some(&unclear.response),
        }
    }

    /// Returns the message without the operation and the URL.
    pub(crate) fn reason(&self) -> String {
        let times = times(self.tried, self.sent);
        match self.client_error() {
            Some(error) => format!("{}{times}", error.reason()),
            None => self.to_string(),
        }
    }

    /// Returns the same error for a caller that may have sent this transaction in an earlier run. If
    /// `maybe_sent_earlier` is true, [`maybe_sent`](Self::maybe_sent) is true, too.
    #[must_use]
    pub fn or_sent_earlier(mut self, maybe_sent_earlier: bool) -> Self {
        self.maybe_sent |= maybe_sent_earlier;
        self
    }
}

fn times(tried: u32, sent: u32) -> String {
    match (tried, sent) {
        (0 | 1, _) => String::new(),
        (tried, 0) => format!(" (tried {tried} times, and never sent)"),
        (tried, sent) if tried == sent => format!(" (submitted {sent} times)"),
        (tried, sent) => format!(" (tried {tried} times, and sent in {sent} of them)"),
    }
}

impl Client {
    /// Submits a signed transaction, and submits it again if it may not have arrived.
    ///
    /// It is sent again after a failed or lost connection, a late or unreadable response, and the
    /// statuses 429 and 5xx. It is not sent again after any other status. A refused transaction is
    /// not an error here: see [`Submitted::accepted`].
    ///
    /// # Errors
    /// If no response shows whether the node [accepted](SubmitResponse::accepted) the transaction, or
    /// a response contradicts itself. [`maybe_sent`](SubmitError::maybe_sent) is true if the node
    /// may have accepted any one of the submissions.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     node: nodeproof_client::Client,
    /// #     signed: nodeproof_client::SignedTransaction,
    /// # ) -> Result<(), Box<dyn std::error::Error>> {
    /// use nodeproof_client::contract_call::SubmitPolicy;
    ///
    /// let submitted = node.submit_with_retries(&signed, &SubmitPolicy::default()).await?;
    /// submitted.accepted()?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn submit_with_retries(
        &self,
        transaction: &SignedTransaction,
        policy: &SubmitPolicy,
    ) -> Result<Submitted, SubmitError> {
        self.submit_with_progress(transaction, policy, |_| {}).await
    }

    /// Submits like [`submit_with_retries`](Self::submit_with_retries). Before each submission
    /// it calls `on_attempt` with the number of earlier ones.
    ///
    /// # Errors
    /// As for [`submit_with_retries`](Self::submit_with_retries).
    pub async fn submit_with_progress(
        &self,
        transaction: &SignedTransaction,
        policy: &SubmitPolicy,
        on_attempt: impl Fn(u32),
    ) -> Result<Submitted, SubmitError> {
        let started = Instant::now();
        let (mut tried, mut sent) = (0, 0);
        let mut maybe_sent = false;
        loop {
            on_attempt(tried);
            let outcome = self.submit(transaction).await;
            tried += 1;
            let (fault, requested, again) = match outcome {
                Ok(response) => {
                    sent += 1;
                    match response.accepted() {
                        Ok(()) | Err(NotAccepted::Refused { .. }) => {
                            return Ok(Submitted {
                                response,
                                sent,
                                maybe_accepted_before: maybe_sent,
                            });
                        }
                        Err(NotAccepted::Unclear(fault)) => {
                            maybe_sent = true;
                            let unclear = Box::new(Unclear { fault, response });
                            (Fault::Unclear(unclear), None, true)
                        }
                    }
                }
                Err(error) => {
                    sent += u32::from(error.maybe_sent());
                    maybe_sent |= error.maybe_sent() && !is_not_accepted(&error);
                    let (requested, again) = (error.retry_after(), may_pass(&error));
                    (Fault::Client(error), requested, again)
                }
            };
            let left = policy.deadline.saturating_sub(started.elapsed());
            let pause = policy.pause(tried, requested, left).filter(|_| again);
            let Some(pause) = pause else {
                return Err(SubmitError {
                    fault,
                    tried,
                    sent,
                    maybe_sent,
                });
            };
            tracing::debug!(%fault, ?pause, "submitting the same transaction again");
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
fn may_pass(error: &Error) -> bool {
    error.is_retryable()
        || error.is_decode()
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
        let policy = SubmitPolicy::default()
            .most(5)
            .pauses(Duration::from_secs(2), Duration::from_secs(5));
        let pauses: Vec<_> = (1..6)
            .map(|sent| policy.pause(sent, None, LONG).map(|pause| pause.as_secs()))
            .collect();
        assert_eq!(pauses, [Some(2), Some(4), Some(5), Some(5), None]);
    }

    #[test]
    fn a_node_is_given_the_pause_it_asks_for_unless_it_is_too_long() {
        let policy = SubmitPolicy::default();
        let seconds = Duration::from_secs;
        assert_eq!(policy.pause(1, Some(seconds(7)), LONG), Some(seconds(7)));
        assert_eq!(policy.pause(1, Some(seconds(31)), LONG), None);
        assert_eq!(policy.pause(1, Some(seconds(7)), seconds(7)), None);
        assert_eq!(SubmitPolicy::once().pause(1, None, LONG), None);
    }
}
