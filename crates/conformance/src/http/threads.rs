//! The threads of a node's connections.

use std::{
    future::{Future, pending},
    panic::resume_unwind,
    sync::OnceLock,
};

use tokio::{
    runtime::{Builder, Handle, Runtime},
    task::JoinHandle,
};

/// A runtime for the connections to a node, which starts with the first one. A node that keeps it busy delays neither
/// time-outs nor other nodes.
#[derive(Debug, Default)]
pub(super) struct Threads(OnceLock<Option<Runtime>>);

impl Threads {
    /// Sends a request on these threads. It ends if its response is not waited for.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        request: impl Future<Output = T> + Send + 'static,
    ) -> T {
        let Some(runtime) = self.handle() else {
            return request.await;
        };
        let mut sending = Sending(runtime.spawn(request));
        match (&mut sending.0).await {
            Ok(response) => response,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                // The runtime ends with the program.
                Err(_) => pending().await,
            },
        }
    }

    /// Sends a request whose response nobody waits for.
    pub(super) fn spawn(&self, request: impl Future<Output: Send> + Send + 'static) {
        match self.handle() {
            Some(runtime) => drop(runtime.spawn(request)),
            None => drop(tokio::spawn(request)),
        }
    }

    /// Returns the runtime, or `None` if it can't be started.
    fn handle(&self) -> Option<&Handle> {
        let start = || {
            let mut runtime = Builder::new_multi_thread();
            let runtime = runtime.worker_threads(1).thread_name("connections");
            runtime.enable_all().build().ok()
        };
        self.0.get_or_init(start).as_ref().map(Runtime::handle)
    }
}

/// A request that is being sent.
struct Sending<T>(JoinHandle<T>);

impl<T> Drop for Sending<T> {
    fn drop(&mut self) {
        self.0.abort();
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
