//! A raw TCP server in front of a good node. It can replace the node's responses.

use std::{
    error::Error,
    io,
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::{JoinHandle, JoinSet},
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

/// The parts of a request that a fault can use.
#[derive(Debug)]
pub struct Seen {
    /// Its method.
    pub method: String,
    /// Its path, without the query.
    pub path: String,
    /// Its query.
    pub query: String,
    /// Its number among all requests, from 1.
    pub place: usize,
    /// Its number on its connection, from 1.
    pub on_connection: usize,
    /// How its body came.
    pub arrival: Arrival,
}

/// How a request's body came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// At once.
    Whole,
    /// Its rest came later than its start.
    InPieces,
    /// In chunks, without its length.
    Chunked,
}

/// The good node's response.
#[derive(Debug)]
pub struct Good {
    /// The status line, and the content type.
    pub head: String,
    /// The body.
    pub body: Bytes,
}

impl Good {
    /// Returns whether the status is 200.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.head.starts_with("HTTP/1.1 200")
    }

    /// Returns the unchanged response.
    #[must_use]
    pub fn whole(&self) -> Vec<u8> {
        self.with_length(self.body.len())
    }

    /// Returns the response with a length that may differ from that of the body.
    #[must_use]
    pub fn with_length(&self, length: usize) -> Vec<u8> {
        raw(
            &format!("{}Content-Length: {length}\r\n", self.head),
            &self.body,
        )
    }

    /// Returns the response with another body.
    #[must_use]
    pub fn changed(&self, body: impl AsRef<[u8]>) -> Vec<u8> {
        let body = body.as_ref();
        let length = body.len();
        raw(&format!("{}Content-Length: {length}\r\n", self.head), body)
    }

    /// Returns the body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// Returns a response with this head and body. Each line of the head must include its line end.
#[must_use]
pub fn raw(head: &str, body: &[u8]) -> Vec<u8> {
    [head.as_bytes(), b"\r\n", body].concat()
}

/// An action in place of a good response.
#[derive(Clone, Debug)]
pub enum Act {
    /// Sends the good response.
    Right,
    /// Sends these bytes, and keeps the connection open.
    Send(Bytes),
    /// Sends these bytes, and closes the connection.
    Close(Bytes),
    /// Sends these bytes, and resets the connection.
    Reset(Bytes),
    /// Sends the first bytes, and then the second again and again, with a pause in between.
    Endless(Bytes, Bytes, Duration),
    /// Sends the first bytes at once, and the second one by one, with a pause before each.
    Slowly(Bytes, Bytes, Duration),
    /// Never responds.
    Silence,
    /// Resets this connection, and all later ones.
    Gone,
}

impl Act {
    /// Sends these bytes, and keeps the connection open.
    pub fn send(bytes: impl Into<Bytes>) -> Self {
        Self::Send(bytes.into())
    }

    /// Sends these bytes, and closes the connection.
    pub fn close(bytes: impl Into<Bytes>) -> Self {
        Self::Close(bytes.into())
    }

    /// Sends these bytes, and resets the connection.
    pub fn reset(bytes: impl Into<Bytes>) -> Self {
        Self::Reset(bytes.into())
    }

    /// Sends the first bytes, and then the second again and again, with a pause in between.
    pub fn endless(first: impl Into<Bytes>, again: impl Into<Bytes>, pause: Duration) -> Self {
        Self::Endless(first.into(), again.into(), pause)
    }

    /// Sends the first bytes at once, and the second one by one, with a pause before each.
    pub fn slowly(first: impl Into<Bytes>, then: impl Into<Bytes>, pause: Duration) -> Self {
        Self::Slowly(first.into(), then.into(), pause)
    }
}

/// Selects the action for each request.
pub type Do = Arc<dyn Fn(&Seen, &Good) -> Act + Send + Sync>;

/// How to treat a connection.
#[derive(Clone)]
pub enum Door {
    /// Reads its requests, and selects the response to each.
    Http(Do),
    /// Does the same, with one connection at a time.
    OneByOne(Do),
    /// Does the same behind TLS.
    Tls(TlsAcceptor, Do),
    /// Does this without reading a request.
    OnConnect(Act),
}

/// A front server that runs until it is dropped.
#[derive(Debug)]
pub struct Front {
    /// Its address.
    pub address: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Front {
    /// Returns the heads of all received requests, in order.
    #[must_use]
    pub fn heads(&self) -> Vec<String> {
        self.heads
            .lock()
            .map(|heads| heads.clone())
            .unwrap_or_default()
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        self.task.abort();
    }
}

struct Shared {
    upstream: String,
    http: reqwest::Client,
    requests: AtomicUsize,
    gone: AtomicBool,
    heads: Arc<Mutex<Vec<String>>>,
}

/// Starts a front server that acts on each request, in front of the good node at a base URL.
///
/// # Errors
/// When no port is free, or no client can be made.
pub async fn front(upstream: &str, act: Do) -> Result<Front, Box<dyn Error + Send + Sync>> {
    behind(upstream, Door::Http(act)).await
}

/// Starts a front server with this door, in front of the good node at a base URL.
///
/// # Errors
/// When no port is free, or no client can be made.
pub async fn behind(upstream: &str, door: Door) -> Result<Front, Box<dyn Error + Send + Sync>> {
    let options = nodeproof_client::transport::TransportOptions::default();
    let heads = Arc::default();
    let shared = Arc::new(Shared {
        upstream: upstream.trim_end_matches('/').to_owned(),
        http: nodeproof_client::transport::http_client(&upstream.parse()?, &options)?,
        requests: AtomicUsize::new(0),
        gone: AtomicBool::new(false),
        heads: Arc::clone(&heads),
    });
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    let task = tokio::spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((stream, _)) = listener.accept().await {
            let admitted = admit(stream, Arc::clone(&shared), door.clone());
            match door {
                Door::OneByOne(_) => admitted.await,
                _ => drop(connections.spawn(admitted)),
            }
        }
    });
    Ok(Front {
        address,
        heads,
        task,
    })
}

/// Serves a connection until an error occurs. For some of these peers, that is normal.
async fn admit(mut stream: TcpStream, shared: Arc<Shared>, door: Door) {
    match door {
        Door::Http(act) | Door::OneByOne(act) => drop(serve(stream, &shared, &act).await),
        Door::Tls(acceptor, act) => {
            if let Ok(stream) = acceptor.accept(stream).await {
                let _ = serve(stream, &shared, &act).await;
            }
        }
        Door::OnConnect(act) => {
            let _ = perform(&mut stream, act).await;
        }
    }
}

/// A connection that can be reset.
trait Peer: AsyncRead + AsyncWrite + Unpin + Send {
    /// Makes the connection end with a reset instead of a close.
    fn break_off(&self);
}

impl Peer for TcpStream {
    fn break_off(&self) {
        let _ = self.set_zero_linger();
    }
}

impl Peer for TlsStream<TcpStream> {
    fn break_off(&self) {
        self.get_ref().0.break_off();
    }
}

async fn serve(mut stream: impl Peer, shared: &Shared, act: &Do) -> Option<()> {
    let mut on_connection = 0;
    while let Some((head, body, arrival)) = request(&mut stream).await {
        on_connection += 1;
        let mut line = head.split_whitespace();
        let (method, target) = (line.next()?, line.next()?);
        let seen = Seen {
            method: method.to_owned(),
            path: target.split('?').next()?.to_owned(),
            query: target.split('?').nth(1).unwrap_or_default().to_owned(),
            place: shared.requests.fetch_add(1, Ordering::SeqCst) + 1,
            on_connection,
            arrival,
        };
        if let Ok(mut heads) = shared.heads.lock() {
            heads.push(head.clone());
        }
        let response = shared
            .http
            .request(method.parse().ok()?, format!("{}{target}", shared.upstream))
            .header("content-type", "application/json")
            .body(body)
            .send()
            .await
            .ok()?;
        let media = response.headers().get("content-type");
        let media = media
            .and_then(|media| media.to_str().ok())
            .unwrap_or("text/plain");
        let good = Good {
            head: format!(
                "HTTP/1.1 {} \r\nContent-Type: {media}\r\n",
                response.status().as_str()
            ),
            body: response.bytes().await.ok()?,
        };
        let act = if shared.gone.load(Ordering::SeqCst) {
            Act::Gone
        } else {
            act(&seen, &good)
        };
        let act = match act {
            Act::Right => Act::send(good.whole()),
            Act::Gone => {
                shared.gone.store(true, Ordering::SeqCst);
                Act::Gone
            }
            other => other,
        };
        if !perform(&mut stream, act).await.ok()? {
            return None;
        }
    }
    None
}

/// Performs the action. Returns whether the connection stays open.
async fn perform(stream: &mut impl Peer, act: Act) -> io::Result<bool> {
    match act {
        Act::Right => {}
        Act::Send(bytes) => {
            stream.write_all(&bytes).await?;
            stream.flush().await?;
            return Ok(true);
        }
        Act::Close(bytes) => {
            stream.write_all(&bytes).await?;
            stream.shutdown().await?;
            // Wait until the other side has received everything.
            while stream.read(&mut [0; 1024]).await? > 0 {}
        }
        Act::Reset(bytes) => {
            stream.write_all(&bytes).await?;
            stream.break_off();
        }
        Act::Gone => stream.break_off(),
        Act::Silence => {
            // Wait until the other side gives up.
            while stream.read(&mut [0; 1024]).await? > 0 {}
        }
        Act::Endless(first, again, pause) => {
            stream.write_all(&first).await?;
            loop {
                stream.write_all(&again).await?;
                tokio::time::sleep(pause).await;
            }
        }
        Act::Slowly(first, then, pause) => {
            stream.write_all(&first).await?;
            for byte in then {
                tokio::time::sleep(pause).await;
                stream.write_all(&[byte]).await?;
                stream.flush().await?;
            }
            return Ok(true);
        }
    }
    Ok(false)
}

/// How long the rest of a body that is sent at once can take to arrive.
const AT_ONCE: Duration = Duration::from_millis(50);

/// Reads a request's head and body, and how the body came. Returns `None` if the connection has ended.
async fn request(stream: &mut impl Peer) -> Option<(String, Vec<u8>, Arrival)> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end + 4;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8_lossy(bytes.get(..end)?).into_owned();
    let header = |wanted: &str| {
        let mut headers = head.lines().filter_map(|line| line.split_once(':'));
        let found = headers.find(|(name, _)| name.eq_ignore_ascii_case(wanted));
        found.map(|(_, value)| value.trim().to_owned())
    };
    if header("transfer-encoding").is_some() {
        let body = chunks(stream, bytes.split_off(end)).await?;
        return Some((head, body, Arrival::Chunked));
    }
    let length = header("content-length").map_or(Some(0), |length| length.parse().ok())?;
    let mut arrival = Arrival::Whole;
    while bytes.len() < end + length {
        let read = match tokio::time::timeout(AT_ONCE, stream.read_buf(&mut bytes)).await {
            Ok(read) => read,
            Err(_) => {
                if bytes.len() > end {
                    arrival = Arrival::InPieces;
                }
                stream.read_buf(&mut bytes).await
            }
        };
        if read.ok()? == 0 {
            return None;
        }
    }
    Some((head, bytes.split_off(end), arrival))
}

/// Reads a body in chunks, of which the first bytes have been read. The last chunk is empty.
async fn chunks(stream: &mut impl Peer, mut bytes: Vec<u8>) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = bytes.windows(2).position(|two| two == b"\r\n");
        let chunk = line.and_then(|line| {
            let length = std::str::from_utf8(&bytes[..line]).ok()?;
            let length = usize::from_str_radix(length, 16).ok()?;
            let rest = bytes.get(line + 2..line + 2 + length + 2)?;
            Some((rest[..length].to_vec(), line + 2 + length + 2))
        });
        match chunk {
            Some((chunk, _)) if chunk.is_empty() => return Some(body),
            Some((chunk, end)) => {
                body.extend(chunk);
                bytes.drain(..end);
            }
            None if stream.read_buf(&mut bytes).await.ok()? == 0 => return None,
            None => {}
        }
    }
}
