//! The threads of a node's connections.

use std::sync::OnceLock;

use tokio::runtime::{Builder, Handle, Runtime};

/// A runtime for the connections to a node, which starts with the first one. A node that keeps it busy delays neither
/// time-outs nor other nodes.
#[derive(Debug, Default)]
pub(super) struct Threads(OnceLock<Option<Runtime>>);

impl Threads {
    /// Returns the runtime, or `None` if it can't be started.
    pub(super) fn handle(&self) -> Option<&Handle> {
        let start = || {
            let mut runtime = Builder::new_multi_thread();
            let runtime = runtime.worker_threads(1).thread_name("connections");
            runtime.enable_all().build().ok()
        };
        self.0.get_or_init(start).as_ref().map(Runtime::handle)
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        // Its tasks may be busy.
        if let Some(runtime) = self.0.take().flatten() {
            runtime.shutdown_background();
        }
    }
}
