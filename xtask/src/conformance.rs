//! `cargo xtask conformance`: checks a node by its URL, or a local node.

use std::{
    path::Path,
    sync::{Arc, Weak},
    time::Duration,
};

use nodeproof_conformance::cli::{LocalNode, StartLocal};
use nodeproof_devnode::{BlockTime, Config, Node};

/// Makes a block only when a transaction waits for one, until the node is dropped. Otherwise the chain stays
/// at its height.
async fn make_blocks_on_demand(node: Weak<Node>) {
    let mut looks = tokio::time::interval(Duration::from_millis(20));
    loop {
        looks.tick().await;
        let Some(node) = node.upgrade() else { return };
        if node.pending() > 0 {
            node.make_block();
        }
    }
}

/// Returns a function that starts a local node on a free loopback port for the run's duration.
#[must_use]
pub fn start_local() -> StartLocal {
    Box::new(|network| {
        Box::pin(async move {
            let mut config = Config::new(network);
            config.port = Some(0);
            config.block_time = BlockTime::Manual;
            let handle = nodeproof_devnode::spawn(config)
                .await
                .map_err(|error| error.to_string())?;
            let wallet = handle
                .wallet("alice")
                .map(|alice| alice.keys().clone().into());
            tokio::spawn(make_blocks_on_demand(Arc::downgrade(handle.node())));
            let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../crates/conformance/snapshots/common");
            Ok(LocalNode {
                base_url: handle.base_url().to_string(),
                reviewable_snapshots: folder.canonicalize().ok(),
                wallet,
                guard: Box::new(handle),
            })
        })
    })
}
