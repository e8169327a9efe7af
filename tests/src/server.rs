//! Serving a router on a free loopback port for as long as a test wants it.

use std::net::SocketAddr;

use axum::Router;
use tokio::{net::TcpListener, task::JoinHandle};

/// A server that ends when this is dropped.
#[derive(Debug)]
pub struct Server {
    /// Where it listens.
    pub address: SocketAddr,
    task: JoinHandle<()>,
}

impl Server {
    /// Starts serving on a free port.
    ///
    /// # Errors
    /// When no port can be had.
    pub async fn spawn(router: Router) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let task = tokio::spawn(async move {
            // It is ended from outside, by aborting the task.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self { address, task })
    }

    /// Its base URL.
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
