//! `cargo xtask conformance`: checks a node by its URL, or a local node.

use std::{path::Path, sync::Arc, time::Duration};

use nodeproof_conformance::cli::{LocalNode, StartLocal};
use nodeproof_devnode::{BlockTime, Config};
use tokio::task::JoinHandle;

/// Makes a block only when a transaction waits for one. Otherwise the chain stays at its height.
struct BlocksOnDemand(JoinHandle<()>);

impl BlocksOnDemand {
    fn of(handle: &nodeproof_devnode::Handle) -> Self {
        let node = Arc::clone(handle.node());
        Self(tokio::spawn(async move {
            let mut looks = tokio::time::interval(Duration::from_millis(20));
            loop {
                looks.tick().await;
                if node.pending() > 0 {
                    node.make_block();
                }
            }
        }))
    }
}

impl Drop for BlocksOnDemand {
    fn drop(&mut self) {
        self.0.abort();
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
            let blocks = BlocksOnDemand::of(&handle);
            let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../crates/conformance/snapshots/common");
            Ok(LocalNode {
                base_url: handle.base_url().to_string(),
                reviewable_snapshots: folder.canonicalize().ok(),
                wallet,
                guard: Box::new((blocks, handle)),
            })
        })
    })
}
