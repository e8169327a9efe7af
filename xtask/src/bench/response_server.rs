//! A server with prepared responses, of any size and at almost no cost.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, mpsc},
    thread,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    runtime::Builder,
    sync::oneshot,
};

use super::BenchError;

/// A response, and the request target that it belongs to.
pub(super) struct Response {
    pub(super) target: String,
    pub(super) body: String,
}

/// A server on its own thread. It ends when this is dropped.
pub(super) struct ResponseServer {
    pub(super) address: SocketAddr,
    _stop: oneshot::Sender<()>,
}

impl ResponseServer {
    pub(super) fn serve(responses: Vec<Response>) -> Result<Self, BenchError> {
        let whole = responses.into_iter().map(|Response { target, body }| {
            let response = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
                 date: Thu, 01 Jan 2026 00:00:00 GMT\r\n\r\n{body}",
                body.len()
            );
            (format!("GET {target} HTTP/1.1\r\n"), response)
        });
        let whole: Arc<[(String, String)]> = whole.collect();
        let (stop, stopped) = oneshot::channel::<()>();
        let (ready, is_ready) = mpsc::channel();
        thread::spawn(move || {
            let runtime = match Builder::new_current_thread().enable_all().build() {
                Ok(runtime) => runtime,
                Err(error) => {
                    let _gone = ready.send(Err(error));
                    return;
                }
            };
            runtime.block_on(async move {
                let listener = match TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await {
                    Ok(listener) => listener,
                    Err(error) => {
                        let _gone = ready.send(Err(error));
                        return;
                    }
                };
                let _gone = ready.send(listener.local_addr());
                let accepting = async {
                    while let Ok((stream, _)) = listener.accept().await {
                        // The peer notices a broken connection by itself.
                        tokio::spawn(respond(stream, Arc::clone(&whole)));
                    }
                };
                tokio::select! {
                    () = accepting => {}
                    _ = stopped => {}
                }
            });
        });
        let ended = |_| BenchError::Node("its thread ended".to_owned());
        Ok(Self {
            address: is_ready.recv().map_err(ended)??,
            _stop: stop,
        })
    }
}

/// Responds to requests one after the other, until one has no prepared response.
async fn respond(mut stream: TcpStream, responses: Arc<[(String, String)]>) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut received = Vec::new();
    loop {
        while !received.ends_with(b"\r\n\r\n") {
            if stream.read_buf(&mut received).await? == 0 {
                return Ok(());
            }
        }
        let found = responses
            .iter()
            .find(|(begin, _)| received.starts_with(begin.as_bytes()));
        let Some((_, whole)) = found else {
            return Ok(());
        };
        stream.write_all(whole.as_bytes()).await?;
        received.clear();
    }
}
