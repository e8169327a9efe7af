//! `cargo xtask conformance`: against a node by its URL, or against one of our own.

use std::path::Path;

use devnode::{BlockTime, Config};
use node_conformance::cli::{LocalNode, StartLocal};

/// Starts a local node on a free loopback port for the run's duration.
#[must_use]
pub fn start_local() -> StartLocal {
    Box::new(|network| {
        Box::pin(async move {
            let mut config = Config::new(network);
            config.port = Some(0);
            config.block_time = BlockTime::Manual;
            let handle = devnode::spawn(config)
                .await
                .map_err(|error| error.to_string())?;
            let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../crates/conformance/snapshots/common");
            Ok(LocalNode {
                base_url: handle.base_url().to_string(),
                reviewable_snapshots: folder.canonicalize().ok(),
                guard: Box::new(handle),
            })
        })
    })
}
