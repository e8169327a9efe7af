//! Serves a router on a free loopback port during a test.

use std::{io, net::SocketAddr};

use axum::{Router, serve::Listener};
use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

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
    pub async fn spawn(router: Router) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        Self::listen(listener, router)
    }

    /// Starts serving with TLS on a free port.
    ///
    /// # Errors
    /// When no port is free.
    pub async fn spawn_with_tls(router: Router, acceptor: TlsAcceptor) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        Self::listen(TlsListener { listener, acceptor }, router)
    }

    fn listen(listener: impl Listener<Addr = SocketAddr>, router: Router) -> io::Result<Self> {
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

struct TlsListener {
    listener: TcpListener,
    acceptor: TlsAcceptor,
}

impl Listener for TlsListener {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            if let Ok((stream, address)) = self.listener.accept().await
                && let Ok(stream) = self.acceptor.accept(stream).await
            {
                return (stream, address);
            }
        }
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}
