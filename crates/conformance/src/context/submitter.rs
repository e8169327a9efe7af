//! Submits transactions, one at a time.

use std::sync::Arc;

use tokio::{
    sync::{Mutex, OnceCell},
    time::Instant,
};

use super::{samples::Samples, signing::Submitting};
use crate::http::{Exchange, InconclusiveReason, Request};

/// The result of a submission.
pub(crate) type Answer = Result<Arc<Exchange>, InconclusiveReason>;

/// Submits transactions, one at a time: a node may limit the number of submissions.
pub(crate) struct Submitter {
    pub(crate) samples: Arc<Samples>,
    pub(crate) with: Submitting,
    turn: Mutex<()>,
    /// The transaction that names the payer, which none of its submissions is signed by.
    pub(crate) of_payer: OnceCell<String>,
    /// The transaction that the public or throw-away wallet signs.
    pub(crate) of_signer: OnceCell<String>,
}

impl Submitter {
    pub(crate) fn new(samples: Arc<Samples>, with: Submitting) -> Self {
        Self {
            samples,
            with,
            turn: Mutex::default(),
            of_payer: OnceCell::new(),
            of_signer: OnceCell::new(),
        }
    }

    /// The contract that is called: the named one, else one that was found.
    pub(crate) fn contract(&self) -> String {
        let named = self.with.contract.map(|contract| contract.to_string());
        named.unwrap_or_else(|| self.samples.contract())
    }

    /// Submits something when nothing else is being submitted, and waits as long as a claim is
    /// waited for where the node says that it has had too much.
    pub(crate) async fn submit_in_turn(&self, request: Request) -> Answer {
        let _turn = self.turn.lock().await;
        let until = Instant::now() + self.with.settle_timeout;
        loop {
            match self.samples.node.send(request.clone()).await {
                Err(InconclusiveReason::Busy(reason)) if Instant::now() >= until => {
                    return Err(InconclusiveReason::Busy(format!(
                        "{reason}; send fewer in a second with --rate, or wait longer with \
                         --settle-timeout"
                    )));
                }
                Err(InconclusiveReason::Busy(_)) => {}
                answered => return answered,
            }
        }
    }
}
