//! Submits transactions, one at a time.

use std::{
    collections::BTreeSet,
    sync::{Arc, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use futures_util::future::join_all;
use nodeproof_primitives::Network;
use nodeproof_wallet::KeyPair;
use tokio::{sync::Mutex, time::Instant};

use super::{
    holdings::other_token,
    samples::Samples,
    signing::{SigningWallet, Submitting},
};
use crate::{
    api::find,
    http::{Exchange, InconclusiveReason, MissingStep, Request, Step},
};

/// Number of times that a transaction is submitted at the same moment.
pub(super) const COPIES: usize = 3;

/// The smallest fee whose half distinguishes one fee from two.
const LEAST_FEE: i64 = 100;
/// Four times as much is exact in a number of JSON.
const MOST_FEE: i64 = 1 << 51;

/// The result of a submission.
pub(crate) type Response = Result<Arc<Exchange>, InconclusiveReason>;

/// Submits transactions, one at a time. A node may limit the rate of submissions.
pub(crate) struct Submitter {
    pub(crate) samples: Arc<Samples>,
    pub(crate) with: Submitting,
    turn: Mutex<()>,
    /// The codes of all transactions drafted so far.
    codes: std::sync::Mutex<BTreeSet<String>>,
    /// Generated when it is first needed.
    new_wallet: OnceLock<Option<SigningWallet>>,
    waits: std::sync::Mutex<Waits>,
}

/// How long transactions took to have an effect.
#[derive(Default)]
struct Waits {
    longest: Duration,
    /// How many had no effect for as long as the run waited.
    in_vain: u32,
}

impl Waits {
    /// Returns the settle timeout. After one wait in vain, it is a sixth of that, and after each further one half as long, but
    /// at least three times as long as any effect took so far: a run must still end.
    fn patience(&self, all: Duration) -> Duration {
        let Some(further) = self.in_vain.checked_sub(1) else {
            return all;
        };
        let shorter = all / (6 << further.min(MOST_HALVED));
        shorter.max(self.longest * 3).min(all)
    }

    fn note(&mut self, took: Duration, is_in_vain: bool, all: Duration) {
        if is_in_vain {
            // Some waits are short, because their effect need not come.
            self.in_vain += u32::from(took >= self.patience(all) / 2);
        } else {
            self.longest = self.longest.max(took);
        }
    }
}

/// How often the settle timeout is halved.
const MOST_HALVED: u32 = 4;

impl Submitter {
    pub(crate) fn new(samples: Arc<Samples>, with: Submitting) -> Self {
        Self {
            samples,
            with,
            turn: Mutex::default(),
            codes: std::sync::Mutex::default(),
            new_wallet: OnceLock::new(),
            waits: std::sync::Mutex::default(),
        }
    }

    /// Returns how long to wait for the effect of a transaction.
    pub(crate) fn patience(&self) -> Duration {
        self.waits().patience(self.with.settle_timeout)
    }

    /// Returns how long the effect of a transaction took at most: about the time of a block.
    pub(super) fn longest_wait(&self) -> Duration {
        self.waits().longest
    }

    /// Notes how a wait for an effect ended that began at this moment.
    pub(super) fn note_wait(&self, began: Instant, is_in_vain: bool) {
        self.waits()
            .note(began.elapsed(), is_in_vain, self.with.settle_timeout);
    }

    fn waits(&self) -> MutexGuard<'_, Waits> {
        self.waits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a wallet that no chain has, or `None` if the run must not give it tokens.
    pub(crate) fn new_wallet(&self) -> Option<&SigningWallet> {
        if !self.with.makes_a_claim || !self.is_without_value() || !self.signs_more() {
            return None;
        }
        let generate = || KeyPair::generate().ok().map(SigningWallet::from);
        self.new_wallet.get_or_init(generate).as_ref()
    }

    /// Whether the tokens of the network have no value.
    pub(super) fn is_without_value(&self) -> bool {
        self.samples.node.target().network == Network::Devnet
    }

    /// Returns the fee, if it is a number of which parts and sums are exact.
    pub(super) fn whole_fee(&self) -> Option<i64> {
        let fee = self.with.fee.as_str().parse().ok();
        fee.filter(|fee| (LEAST_FEE..MOST_FEE).contains(fee))
    }

    /// Whether a broken node may charge the wallet more than a fee for each claim: it is a test wallet, or the user asks
    /// for several claims.
    pub(super) fn may_pay_more(&self) -> bool {
        self.with.public_wallet.is_some() || self.with.claims.get() > 1
    }

    /// Whether the user's wallet signs more than its claims, which a broken node may charge for.
    pub(super) fn signs_more(&self) -> bool {
        self.with.public_wallet.is_none() && self.may_pay_more()
    }

    /// Notes why a step is not taken.
    pub(super) fn skip(&self, step: Step, reason: impl Into<InconclusiveReason>) {
        let reason = reason.into();
        self.samples
            .node
            .add_missing([MissingStep { step, reason }]);
    }

    /// Returns another token of the chain than this one: the one of which the user's wallet has most, if it has any.
    pub(crate) fn another_token(&self, token: &str) -> Option<String> {
        let wallet = self
            .with
            .wallet
            .as_ref()
            .map(|wallet| wallet.address().to_string());
        let held =
            wallet.and_then(|wallet| other_token(&self.samples.history(), &wallet, token, 1));
        let known = self.samples.discovered.tokens.iter();
        held.or_else(|| known.clone().find(|other| *other != token).cloned())
    }

    /// Returns the token that pays fees: the one that the user names, or that of built calls.
    pub(crate) fn fee_token(&self) -> Option<String> {
        let history = self.samples.history();
        let built = history.of_path("/call-sc").find_map(|entry| {
            let (_, token) = find(entry.exchange.success_object()?, "currency")?;
            token.as_str().map(ToOwned::to_owned)
        });
        let found = || self.samples.discovered.tokens.first().cloned();
        self.with.currency.clone().or(built).or_else(found)
    }

    /// Returns the contract to call: the one that the user names, or else one that was found.
    pub(crate) fn contract(&self) -> String {
        let named = self.with.contract.map(|contract| contract.to_string());
        named.unwrap_or_else(|| self.samples.contract())
    }

    /// Whether no other draft of this run has this code. A node may build every transaction with
    /// the same one.
    pub(crate) fn is_own_code(&self, code: &str) -> bool {
        let mut codes = self.codes.lock().unwrap_or_else(PoisonError::into_inner);
        codes.insert(code.to_owned())
    }

    /// Submits at the same moment, each request on a connection of its own. Returns the responses in this order.
    pub(super) async fn submit_at_once(&self, requests: Vec<Request>) -> Vec<Response> {
        let _turn = self.turn.lock().await;
        let sent = requests
            .into_iter()
            .map(|request| self.samples.node.send(request));
        join_all(sent).await
    }

    /// Submits a transaction when no other is being submitted. While the node responds that it is
    /// busy, retries for up to the settle timeout.
    pub(crate) async fn submit_serialized(&self, request: Request) -> Response {
        let _turn = self.turn.lock().await;
        let until = Instant::now() + self.with.settle_timeout;
        loop {
            match self.samples.node.send(request.clone()).await {
                Err(InconclusiveReason::Busy(reason))
                    if Instant::now() >= until || self.samples.node.is_stuck(request.path) =>
                {
                    return Err(InconclusiveReason::Busy(format!(
                        "{reason}; send fewer in a second with --rate, or wait longer with \
                         --settle-timeout"
                    )));
                }
                Err(InconclusiveReason::Busy(_)) => {}
                other => return other,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_each_wait_in_vain_others_are_shorter() {
        let seconds = Duration::from_secs;
        for (waits, patience) in [
            (&[][..], 60),
            (&[(50, false), (5, true)], 60),
            (&[(60, true)], 10),
            (&[(5, false), (60, true)], 15),
            (&[(60, true), (5, false), (1, false)], 15),
            (&[(30, false), (60, true)], 60),
            (&[(60, true), (10, true)], 5),
            (&[(60, true), (10, true), (5, true), (1, true)], 2),
            (&[(2, false), (60, true), (10, true), (6, true)], 6),
        ] {
            let mut all = Waits::default();
            for (took, is_in_vain) in waits {
                all.note(seconds(*took), *is_in_vain, seconds(60));
            }
            assert_eq!(all.patience(seconds(60)).as_secs(), patience, "{waits:?}");
        }
    }
}
