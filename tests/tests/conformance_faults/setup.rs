//! Shared parts of all tests in this program: a runtime, and a local node that only serves reads.

use std::{collections::BTreeSet, sync::Arc};

use integration_tests::proxy::{Fault, LocalProxy, Upstream};
use libtest_mimic::{Failed, Trial};
use nodeproof_conformance::{Options, report::NodeReport};
use nodeproof_devnode::{Config, Handle};
use tokio::runtime::Runtime;

use crate::{facts::Facts, generated::Generated};

/// Differs from the default seed. So no row can depend on the addresses and hashes of that seed.
const SEED: u64 = 5;

pub(crate) struct Setup {
    runtime: Runtime,
    pub(crate) node: Handle,
    pub(crate) facts: Facts,
    pub(crate) generated: Generated,
}

impl Setup {
    pub(crate) fn new() -> Arc<Self> {
        let runtime = Runtime::new().expect("a runtime");
        let (node, facts) = runtime.block_on(async {
            let node = nodeproof_devnode::spawn(Config::for_tests().with_seed(SEED));
            let node = node.await.expect("a local node");
            let facts = Facts::of(&node).await;
            (node, facts)
        });
        Arc::new(Self {
            runtime,
            node,
            facts,
            generated: Generated::new(),
        })
    }

    /// Returns a test with this name.
    pub(crate) fn trial<T>(
        self: &Arc<Self>,
        name: impl Into<String>,
        test: impl FnOnce(Arc<Self>) -> T + Send + 'static,
    ) -> Trial
    where
        T: Future<Output = Result<(), Failed>>,
    {
        let setup = Arc::clone(self);
        Trial::test(name, move || {
            let test = test(Arc::clone(&setup));
            setup.runtime.block_on(test)
        })
    }

    /// Runs the read tier against the shared node with this fault.
    pub(crate) async fn report(&self, fault: Fault) -> NodeReport {
        run(&self.node, fault).await
    }
}

/// Runs the read tier against a node with this fault.
pub(crate) async fn run(node: &Handle, fault: Fault) -> NodeReport {
    run_with(node, fault, &Options::default()).await
}

/// Runs with these options against a node with this fault, in this process. Faults of the transport, and
/// the tests of programs, use real connections.
pub(crate) async fn run_with(
    node: impl Into<Upstream>,
    fault: Fault,
    options: &Options,
) -> NodeReport {
    let proxy = LocalProxy::new(node, fault).expect("a proxy");
    proxy.check(options).await
}

/// Compares cases, in any order.
pub(crate) fn expect_cases(caught: &[String], expected: &[&str]) -> Result<(), Failed> {
    let caught: BTreeSet<&str> = caught.iter().map(String::as_str).collect();
    let expected: BTreeSet<&str> = expected.iter().copied().collect();
    if caught == expected {
        return Ok(());
    }
    Err(format!("expected these cases to fail: {expected:?}\nactual: {caught:?}").into())
}

/// Converts the name of a row to the name of a test, such as `a_receipts_block_hash_is_not_hexadecimal`.
pub(crate) fn test_name(row: &str) -> String {
    let letters = row.replace(['\'', '’'], "").to_lowercase();
    let words = letters.split(|letter: char| !letter.is_alphanumeric());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    words.join("_")
}
