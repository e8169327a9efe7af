//! Whether the time that a node gave a transaction is one of these days.

use nodeproof_primitives::TimestampMs;

use super::{CheckedTransaction, EchoError};
use crate::Client;

/// How far apart two clocks may be, in milliseconds: a day.
const MOST: u64 = 24 * 60 * 60 * 1000;

impl Client {
    /// Checks that a transaction that this node has just built bears the time at which it was
    /// built: it is within a day of the clock here, or, where clocks are odd, of the node's
    /// newest block.
    ///
    /// The node sets the time, so it is the one number in the transaction that nobody asked for.
    /// One in seconds, or of another century, is signed by nobody who is told of it. The newest
    /// block is asked for only where the clock here is far away.
    ///
    /// Source: the contract, "All timestamps are integers in milliseconds since the Unix epoch".
    ///
    /// # Errors
    /// If it is further from both.
    pub async fn check_timely(&self, transaction: &CheckedTransaction) -> Result<(), EchoError> {
        let (built, here) = (transaction.timestamp(), TimestampMs::now());
        if apart(built, here) <= MOST {
            return Ok(());
        }
        let newest = self.newest_time().await;
        if newest.is_some_and(|newest| apart(built, newest) <= MOST) {
            return Ok(());
        }
        Err(EchoError::Untimely {
            built,
            here,
            newest,
        })
    }

    /// When the newest block was made, as far as that can be found out.
    async fn newest_time(&self) -> Option<TimestampMs> {
        let newest = self.newest_block().await.ok()??;
        self.block(newest).await.ok()?.timestamp().ok()
    }
}

fn apart(one: TimestampMs, other: TimestampMs) -> u64 {
    one.as_millis().abs_diff(other.as_millis())
}

/// Times that are too far apart, in words.
pub(super) fn told(built: TimestampMs, here: TimestampMs, newest: Option<TimestampMs>) -> String {
    let block = newest
        .map(|newest| format!(", and of the newest block, {newest}"))
        .unwrap_or_default();
    let in_seconds = TimestampMs::from_millis(built.as_millis().saturating_mul(1000));
    let hint = if [Some(here), newest]
        .iter()
        .flatten()
        .any(|time| apart(in_seconds, *time) <= MOST)
    {
        "; it looks like seconds, and milliseconds belong there"
    } else {
        ""
    };
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
        let (here, newest) = (1_795_263_198_902, 1_767_225_679_000);
        for (built, words) in [
            (here / 1000, true),
            (newest / 1000, true),
            (4_102_444_800_000, false),
            (i64::MAX, false),
        ] {
            let told = told(time(built), time(here), Some(time(newest)));
            assert_eq!(told.contains("looks like seconds"), words, "{told}");
            for number in [built, here, newest] {
                assert!(told.contains(&number.to_string()), "{told}");
            }
        }
    }
}
