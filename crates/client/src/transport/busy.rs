//! Connections on threads of their own.

use std::{
    future::{Future, poll_fn},
    pin::pin,
};

use tokio::runtime::Handle;

/// Runs a request so that its connection is on the threads of another runtime, and its time-outs stay on this one.
///
/// A server can keep a thread busy, for example with endless responses of the status 103, which no caller sees. On this
/// runtime, that would delay each time-out, and Ctrl-C.
///
/// ```
/// use nodeproof_client::transport::on_runtime;
///
/// # async fn example(http: reqwest::Client, url: &str) -> Result<(), Box<dyn std::error::Error>> {
/// let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
/// let response = on_runtime(Some(threads.handle()), http.get(url).send()).await?;
/// # threads.shutdown_background();
/// # Ok(())
/// # }
/// ```
pub async fn on_runtime<F: Future>(runtime: Option<&Handle>, request: F) -> F::Output {
    let mut request = pin!(request);
    poll_fn(|context| {
        // What the request spawns belongs to the runtime that is entered.
        let _entered = runtime.map(Handle::enter);
        request.as_mut().poll(context)
    })
    .await
}
