//! Claims from the first to the last step, against a local node and against a dishonest one.

#![expect(clippy::unwrap_used, reason = "a test fails if its setup fails")]

mod again;
mod batch;
mod busy;
mod calls;
mod crashes;
mod example;
mod flow;
mod latest;
mod memory;
mod networks;
mod provenance;
mod refusals;
mod tampering;

use std::{path::PathBuf, sync::Arc, time::Duration};

use integration_tests::{
    proxy::{Fault, Proxy},
    restart,
};
use nodeproof_claims::{Claim, ClaimOptions, ClaimOutcome, ClaimStep, SavedTransaction};
use nodeproof_client::{
    Client,
    contract_call::{Fee, SubmitPolicy},
};
use nodeproof_devnode::{Config, Handle, Node};
use nodeproof_primitives::Signer;
use nodeproof_wallet::KeyPair;

/// A node, a client for it, and a folder for saved transactions.
struct TestEnvironment {
    node: Handle,
    client: Client,
    folder: tempfile::TempDir,
}

impl TestEnvironment {
    async fn new() -> Self {
        let node = restart::start(Config::for_tests()).await;
        Self {
            client: Client::new(node.base_url()).unwrap(),
            node,
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn wallet(&self, index: usize) -> KeyPair {
        self.node.wallets().get(index).unwrap().keys().clone()
    }

    fn claim(&self, asset: &str) -> Claim {
        let fee = Fee::new(1_500_000.into(), self.node.native_token()).unwrap();
        Claim::new(self.node.contract_address(), asset, 99, fee)
            .link("https://documents.example.org/a")
            .remarks("na\u{ef}ve \"quoted\"")
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("claim.json")
    }

    fn saved(&self) -> SavedTransaction {
        SavedTransaction::open(&self.file()).unwrap().unwrap()
    }

    /// Returns options that save the transaction, request the record once, and pause as briefly as possible.
    fn options(&self) -> ClaimOptions {
        let short = Duration::from_millis(1);
        ClaimOptions::default()
            .save_to(self.file())
            .wait(Duration::ZERO)
            .pauses(short, short)
            .submit(SubmitPolicy {
                first_pause: short,
                longest_pause: short,
                ..SubmitPolicy::default()
            })
    }

    /// Returns the same options. A block is made as soon as the node has taken the transaction.
    fn with_blocks(&self) -> ClaimOptions {
        let node = Arc::clone(self.node.node());
        self.options().on_step(move |step| make_block(&node, step))
    }

    /// Makes a claim of the first wallet. It must succeed.
    async fn claimed(&self, asset: &str) -> ClaimOutcome {
        let mut options = self.with_blocks();
        options.save_to = None;
        let claim = self.claim(asset);
        let wallet = self.wallet(0);
        claim
            .make(&self.client, &[&wallet], &options)
            .await
            .unwrap()
    }

    /// Returns a client that reaches the node through a proxy.
    async fn behind(&self, fault: Fault) -> (Proxy, Client) {
        let proxy = Proxy::spawn(&self.node, fault).await.unwrap();
        let client = Client::new(&*proxy.server.base_url()).unwrap();
        (proxy, client)
    }
}

fn make_block(node: &Node, step: &ClaimStep<'_>) {
    if matches!(step, ClaimStep::Submitted { .. }) {
        node.make_block();
    }
}

/// Returns the name of a step.
fn name(step: &ClaimStep<'_>) -> String {
    let shown = format!("{step:?}");
    shown.chars().take_while(|c| c.is_alphabetic()).collect()
}

fn signer(wallet: &KeyPair) -> &dyn Signer {
    wallet
}
