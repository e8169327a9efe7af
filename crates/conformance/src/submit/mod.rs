//! What a run submits where it is allowed to: bad transactions that a node must refuse, and one
//! claim that it must take.

mod claim;
mod draft;
mod refusal;

use std::{array, fmt, sync::Arc, time::Duration};

use nodeproof_primitives::{Amount, Signer, WalletAddress};
use tokio::{
    sync::{Mutex, OnceCell},
    time::Instant,
};

pub(crate) use claim::{Claim, Refused};
pub(crate) use draft::{Unsigned, unique, unlike};
pub(crate) use refusal::{Alteration, Refusal};

use crate::{
    http::{self, Exchange, Obstacle, Request},
    sample::Context,
};

/// A wallet that signs what a run submits, whatever holds its key.
#[derive(Clone)]
pub struct SigningWallet(Arc<dyn Signer>);

impl SigningWallet {
    /// The wallet's address.
    #[must_use]
    pub fn address(&self) -> WalletAddress {
        self.0.wallet_address()
    }

    pub(crate) fn signer(&self) -> &dyn Signer {
        &*self.0
    }
}

impl<S: Signer + 'static> From<S> for SigningWallet {
    fn from(signer: S) -> Self {
        Self(Arc::new(signer))
    }
}

impl fmt::Debug for SigningWallet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningWallet({})", self.address())
    }
}

/// With what a run signs and pays for what it submits.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Submitting {
    /// The wallet that signs; a throw-away one signs what is to be refused where there is none.
    pub wallet: Option<SigningWallet>,
    /// The fee, written as it is submitted.
    pub fee: Amount,
    /// The token that the fee is paid in; the one that `/call-sc` writes, if not given.
    pub currency: Option<String>,
    /// How long a claim is waited for until it can be read.
    pub settle_timeout: Duration,
}

impl Default for Submitting {
    fn default() -> Self {
        Self {
            wallet: None,
            fee: Amount::from(1_000_000_u64),
            currency: None,
            settle_timeout: Duration::from_secs(60),
        }
    }
}

type Answer = Result<Arc<Exchange>, Obstacle>;

/// What has been submitted in a run, each thing once, whichever cases look at it.
pub(crate) struct Submissions {
    pub(crate) with: Submitting,
    /// Who submits something holds this: a node that limits submissions takes them one by one.
    turn: Mutex<()>,
    refusals: [OnceCell<Answer>; Refusal::ALL.len()],
    one_signer: OnceCell<String>,
    claim: OnceCell<Result<Claim, Obstacle>>,
}

impl Submissions {
    pub(crate) fn new(with: Submitting) -> Self {
        Self {
            with,
            turn: Mutex::default(),
            refusals: array::from_fn(|_| OnceCell::new()),
            one_signer: OnceCell::new(),
            claim: OnceCell::new(),
        }
    }
}

impl Default for Submissions {
    fn default() -> Self {
        Self::new(Submitting::default())
    }
}

impl Context {
    /// Submits something when nothing else is being submitted, and waits as long as a claim is
    /// waited for where the node says that it has had too much.
    async fn submit_in_turn(&self, request: Request) -> Answer {
        let _turn = self.submissions.turn.lock().await;
        let until = Instant::now() + self.submissions.with.settle_timeout;
        loop {
            match self.node.send(request.clone()).await {
                Err(Obstacle::Busy(reason)) if Instant::now() >= until => {
                    return Err(Obstacle::Busy(format!(
                        "{reason}; send fewer in a second with --rate, or wait longer with \
                         --settle-timeout"
                    )));
                }
                Err(Obstacle::Busy(_)) => {}
                answered => return answered,
            }
        }
    }

    /// What the node answered to a bad submission.
    pub(crate) async fn refusal(&self, refusal: Refusal) -> Answer {
        let place = refusal
            .place()
            .and_then(|at| self.submissions.refusals.get(at));
        let Some(place) = place else {
            return Err(Obstacle::Harness(format!("{refusal:?} has no place")));
        };
        let answer = http::shared(place.get_or_init(|| refusal::submit(self, refusal))).await;
        answer.iter().for_each(|answer| http::record(answer));
        answer.clone()
    }

    /// What the node answered to all bad submissions.
    pub(crate) async fn refusals(&self) -> Result<Vec<Arc<Exchange>>, Obstacle> {
        let mut answers = Vec::new();
        let mut missing = None;
        for refusal in Refusal::ALL {
            match self.refusal(refusal).await {
                Ok(answer) => answers.push(answer),
                Err(obstacle) => missing = missing.or(Some(obstacle)),
            }
        }
        match missing {
            Some(obstacle) if answers.is_empty() => Err(obstacle),
            _ => Ok(answers),
        }
    }

    /// The claim that this run makes: the same one for all cases that look at it.
    pub(crate) async fn claim(&self) -> Result<&Claim, Obstacle> {
        let place = &self.submissions.claim;
        let made = http::shared(place.get_or_init(|| claim::make(self))).await;
        let claim = made.as_ref().map_err(Clone::clone)?;
        for exchange in [Ok(&claim.built), claim.submitted.as_ref()]
            .into_iter()
            .flatten()
        {
            http::record(exchange);
        }
        Ok(claim)
    }
}
