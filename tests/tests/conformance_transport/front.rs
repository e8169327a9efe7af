//! A server of raw TCP in front of a good node, which says what it likes instead of what that said.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::{JoinHandle, JoinSet},
};

/// A request, as far as a fault looks at it.
pub(crate) struct Seen {
    pub(crate) path: String,
    /// Its place among all requests, from 1 on.
    pub(crate) place: usize,
    /// Its place on its connection, from 1 on.
    pub(crate) on_connection: usize,
}

/// What the good node answered.
pub(crate) struct Good {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Good {
    pub(crate) fn whole(&self) -> Vec<u8> {
        self.with_length(self.body.len())
    }

    /// With a length that may not be that of the body.
    pub(crate) fn with_length(&self, length: usize) -> Vec<u8> {
        raw(
            &format!("{}Content-Length: {length}\r\n", self.head),
            &self.body,
        )
    }

    /// The same, from a body that was changed.
    pub(crate) fn changed(&self, body: impl Into<Vec<u8>>) -> Vec<u8> {
        let body = body.into();
        let length = body.len();
        raw(&format!("{}Content-Length: {length}\r\n", self.head), &body)
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

pub(crate) fn raw(head: &str, body: &[u8]) -> Vec<u8> {
    [head.as_bytes(), b"\r\n", body].concat()
}

/// What is done instead of answering well.
pub(crate) enum Act {
    /// Sends the good answer.
    Right,
    /// Sends these bytes, and goes on.
    Send(Vec<u8>),
    /// Sends these bytes, and closes.
    Close(Vec<u8>),
    /// Sends these bytes, and resets the connection.
    Reset(Vec<u8>),
    /// Sends these bytes, and then the others again and again, with a pause in between.
    Endless(Vec<u8>, Vec<u8>, Duration),
    /// Never answers.
    Silence,
    /// Resets this connection, and all others from now on.
    Gone,
}

pub(crate) type Do = Arc<dyn Fn(&Seen, &Good) -> Act + Send + Sync>;

/// Answers each connection as the fault says, in front of a good node.
pub(crate) struct Front {
    pub(crate) address: SocketAddr,
    task: JoinHandle<()>,
}

impl Drop for Front {
    fn drop(&mut self) {
        self.task.abort();
    }
}

struct Shared {
    upstream: String,
    http: reqwest::Client,
    act: Do,
    asked: AtomicUsize,
    gone: AtomicBool,
}

pub(crate) async fn front(upstream: &str, act: Do) -> Front {
    let base = upstream.parse().expect("a base URL");
    let options = node_client::transport::TransportOptions::default();
    let shared = Arc::new(Shared {
        upstream: upstream.trim_end_matches('/').to_owned(),
        http: node_client::transport::http_client(&base, &options).expect("a client"),
        act,
        asked: AtomicUsize::new(0),
        gone: AtomicBool::new(false),
    });
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let task = tokio::spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((stream, _)) = listener.accept().await {
            connections.spawn(serve(stream, Arc::clone(&shared)));
        }
    });
    Front { address, task }
}

/// Until something goes wrong, which for some of these peers is the rule.
async fn serve(mut stream: TcpStream, shared: Arc<Shared>) {
    let mut on_connection = 0;
    while let Some((head, body)) = request(&mut stream).await {
        on_connection += 1;
        let mut line = head.split_whitespace();
        let (method, target) = (line.next().unwrap_or("GET"), line.next().unwrap_or("/"));
        let seen = Seen {
            path: target.split('?').next().unwrap_or("/").to_owned(),
            place: shared.asked.fetch_add(1, Ordering::SeqCst) + 1,
            on_connection,
        };
        let method = method.parse().expect("a method");
        let answer = shared
            .http
            .request(method, format!("{}{target}", shared.upstream))
            .header("content-type", "application/json")
            .body(body)
            .send()
            .await
            .expect("the good node answers");
        let media = answer.headers().get("content-type");
        let media = media
            .and_then(|media| media.to_str().ok())
            .unwrap_or("text/plain");
        let good = Good {
            head: format!(
                "HTTP/1.1 {} \r\nContent-Type: {media}\r\n",
                answer.status().as_str()
            ),
            body: answer.bytes().await.expect("its body").to_vec(),
        };
        let act = if shared.gone.load(Ordering::SeqCst) {
            Act::Gone
        } else {
            (shared.act)(&seen, &good)
        };
        let bytes = match act {
            Act::Right => good.whole(),
            Act::Send(bytes) => bytes,
            Act::Close(bytes) => {
                let _ = stream.write_all(&bytes).await;
                let _ = stream.shutdown().await;
                return;
            }
            Act::Reset(bytes) => {
                let _ = stream.write_all(&bytes).await;
                let _ = stream.set_zero_linger();
                return;
            }
            Act::Gone => {
                shared.gone.store(true, Ordering::SeqCst);
                let _ = stream.set_zero_linger();
                return;
            }
            Act::Silence => {
                // Until the other side gives up.
                let _ = stream.read(&mut [0]).await;
                return;
            }
            Act::Endless(head, again, pause) => {
                let mut sent = stream.write_all(&head).await;
                while sent.is_ok() {
                    sent = stream.write_all(&again).await;
                    tokio::time::sleep(pause).await;
                }
                return;
            }
        };
        if stream.write_all(&bytes).await.is_err() {
            return;
        }
    }
}

/// A request's head and body; none where the connection is over.
async fn request(stream: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end + 4;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let length = head
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .map_or(0, |(_, length)| length.trim().parse().expect("a length"));
    while bytes.len() < end + length {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    Some((head, bytes.split_off(end)))
}
