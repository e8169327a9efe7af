//! Serves a router on a free loopback port during a test.

use std::net::SocketAddr;

use axum::Router;
use tokio::{net::TcpListener, task::JoinHandle};

/// A server that stops when this is dropped.
#[derive(Debug)]
pub struct Server {
    /// Its address.
    pub address: SocketAddr,
    task: JoinHandle<()>,
}

impl Server {
    /// Starts serving on a free port.
    ///
    /// # Errors
    /// When no port is free.
    pub async fn spawn(router: Router) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let task = tokio::spawn(async move {
            // Aborting the task ends it.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self { address, task })
    }

    /// Returns its base URL.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}
