//! A server with prepared responses, of any size and at almost no cost.

use std::{collections::HashMap, net::SocketAddr, sync::mpsc, thread};

use axum::{
    Router,
    body::Bytes,
    http::{Uri, header::CONTENT_TYPE},
};
use tokio::{net::TcpListener, runtime::Builder, sync::oneshot};

use super::BenchError;

/// A server on its own thread. It ends when this is dropped.
pub(super) struct ResponseServer {
    pub(super) address: SocketAddr,
    _stop: oneshot::Sender<()>,
}

impl ResponseServer {
    /// Serves JSON bodies, by the target of the request.
    pub(super) fn serve(bodies: HashMap<String, String>) -> Result<Self, BenchError> {
        let bodies: HashMap<String, Bytes> = bodies
            .into_iter()
            .map(|(target, body)| (target, body.into()))
            .collect();
        let router = Router::new().fallback(async move |target: Uri| {
            let body = bodies.get(&target.to_string()).cloned().unwrap_or_default();
            ([(CONTENT_TYPE, "application/json")], body)
        });
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (stop, stopped) = oneshot::channel::<()>();
        let (ready, is_ready) = mpsc::channel();
        thread::spawn(move || {
            runtime.block_on(async move {
                let listener = TcpListener::bind("127.0.0.1:0").await?;
                let _gone = ready.send(listener.local_addr());
                tokio::select! {
                    ended = async { axum::serve(listener, router).await } => ended,
                    _ = stopped => Ok(()),
                }
            })
        });
        Ok(Self {
            address: is_ready.recv()??,
            _stop: stop,
        })
    }
}
