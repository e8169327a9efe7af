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

use std::{path::PathBuf, sync::Arc, time::Duration};

use integration_tests::{
    proxy::{Fault, Proxy},
    restart,
};
use nodeproof_claims::{
    Claim, ClaimError, ClaimOptions, ClaimOutcome, ClaimStep, Document, OnStep, SavedTransaction,
};
use nodeproof_client::{
    CallOptions, Client,
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
        Claim {
            links: vec!["https://documents.example.org/a".to_owned()],
            remarks: "na\u{ef}ve \"quoted\"".to_owned(),
            ..Claim::new(self.node.contract_address(), asset, 99, fee)
        }
    }

    fn claim_with(&self, asset: &str, document: impl Into<Document>) -> Claim {
        Claim {
            documents: vec![document.into()],
            ..self.claim(asset)
        }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("claim.json")
    }

    fn saved(&self) -> SavedTransaction {
        SavedTransaction::open(&self.file()).unwrap().unwrap()
    }

    /// Returns options that request the record once, and pause as briefly as possible.
    fn options(&self) -> ClaimOptions {
        let short = Duration::from_millis(1);
        ClaimOptions {
            wait: Duration::ZERO,
            interval: short,
            call: CallOptions {
                submit: SubmitPolicy {
                    first_pause: short,
                    longest_pause: short,
                    ..SubmitPolicy::default()
                },
                ..CallOptions::default()
            },
            ..ClaimOptions::default()
        }
    }

    /// Returns the same options. A block is made as soon as the node has taken the transaction.
    fn with_blocks(&self) -> ClaimOptions {
        let node = Arc::clone(self.node.node());
        ClaimOptions {
            on_step: OnStep::new(move |step| make_block(&node, step)),
            ..self.options()
        }
    }

    /// Makes a claim of the first wallet at the node, saved in the file.
    async fn make(
        &self,
        claim: &Claim,
        options: &ClaimOptions,
    ) -> Result<ClaimOutcome, ClaimError> {
        self.make_at(&self.client, claim, options).await
    }

    /// Makes such a claim through another client.
    async fn make_at(
        &self,
        client: &Client,
        claim: &Claim,
        options: &ClaimOptions,
    ) -> Result<ClaimOutcome, ClaimError> {
        let wallet = self.wallet(0);
        claim.make(client, &[&wallet], self.file(), options).await
    }

    /// Makes a claim of the first wallet, saved elsewhere. It must succeed.
    async fn claimed(&self, asset: &str) -> ClaimOutcome {
        let (claim, wallet) = (self.claim(asset), self.wallet(0));
        let folder = self.folder.path().join("other");
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join(asset.replace(|c: char| !c.is_alphanumeric(), "-"));
        let made = claim
            .make(&self.client, &[&wallet], file, &self.with_blocks())
            .await;
        made.unwrap()
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
