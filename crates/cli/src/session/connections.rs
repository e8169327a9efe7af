//! The threads of connections.

use std::sync::OnceLock;

use tokio::runtime::{Builder, Handle, Runtime};

/// Returns the runtime of all connections, or `None` if it can't be started. A node that keeps it busy delays neither time-outs
/// nor Ctrl-C.
pub(super) fn connection_runtime() -> Option<Handle> {
    static RUNTIME: OnceLock<Option<Runtime>> = OnceLock::new();
    let start = || {
        let mut runtime = Builder::new_multi_thread();
        runtime.worker_threads(1).enable_all().build().ok()
    };
    let runtime = RUNTIME.get_or_init(start).as_ref();
    runtime.map(|runtime| runtime.handle().clone())
}
