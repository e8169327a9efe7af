//! A server of raw TCP in front of a good node, which says what it likes instead of what that said.

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

/// A request, as far as a fault looks at it.
#[derive(Debug)]
pub struct Seen {
    /// Its method.
    pub method: String,
    /// Its path, without the query.
    pub path: String,
    /// Its query.
    pub query: String,
    /// Its place among all requests, from 1 on.
    pub place: usize,
    /// Its place on its connection, from 1 on.
    pub on_connection: usize,
}

/// What the good node answered.
#[derive(Debug)]
pub struct Good {
    /// The status line, and the type of the body.
    pub head: String,
    /// The body.
    pub body: Bytes,
}

impl Good {
    /// Whether the status is 200.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.head.starts_with("HTTP/1.1 200")
    }

    /// The answer as it was.
    #[must_use]
    pub fn whole(&self) -> Vec<u8> {
        self.with_length(self.body.len())
    }

    /// With a length that may not be that of the body.
    #[must_use]
    pub fn with_length(&self, length: usize) -> Vec<u8> {
        raw(
            &format!("{}Content-Length: {length}\r\n", self.head),
            &self.body,
        )
    }

    /// The same with another body.
    #[must_use]
    pub fn changed(&self, body: impl AsRef<[u8]>) -> Vec<u8> {
        let body = body.as_ref();
        let length = body.len();
        raw(&format!("{}Content-Length: {length}\r\n", self.head), body)
    }

    /// The body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// An answer of a head, each line of which has its end, and a body.
#[must_use]
pub fn raw(head: &str, body: &[u8]) -> Vec<u8> {
    [head.as_bytes(), b"\r\n", body].concat()
}

/// What is done instead of answering well.
#[derive(Clone, Debug)]
pub enum Act {
    /// Sends the good answer.
    Right,
    /// Sends these bytes, and goes on.
    Send(Bytes),
    /// Sends these bytes, and closes.
    Close(Bytes),
    /// Sends these bytes, and resets the connection.
    Reset(Bytes),
    /// Sends these bytes, and then the others again and again, with a pause in between.
    Endless(Bytes, Bytes, Duration),
    /// Sends these bytes at once, and the others one by one, with a pause before each.
    Slowly(Bytes, Bytes, Duration),
    /// Never answers.
    Silence,
    /// Resets this connection, and all others from now on.
    Gone,
}

impl Act {
    /// Sends these bytes, and goes on.
    pub fn send(bytes: impl Into<Bytes>) -> Self {
        Self::Send(bytes.into())
    }

    /// Sends these bytes, and closes.
    pub fn close(bytes: impl Into<Bytes>) -> Self {
        Self::Close(bytes.into())
    }

    /// Sends these bytes, and resets the connection.
    pub fn reset(bytes: impl Into<Bytes>) -> Self {
        Self::Reset(bytes.into())
    }

    /// Sends the first, and then the others again and again, with a pause in between.
    pub fn endless(first: impl Into<Bytes>, again: impl Into<Bytes>, pause: Duration) -> Self {
        Self::Endless(first.into(), again.into(), pause)
    }

    /// Sends the first at once, and the others one by one, with a pause before each.
    pub fn slowly(first: impl Into<Bytes>, then: impl Into<Bytes>, pause: Duration) -> Self {
        Self::Slowly(first.into(), then.into(), pause)
    }
}

/// What is done to each request.
pub type Do = Arc<dyn Fn(&Seen, &Good) -> Act + Send + Sync>;

/// What happens to a connection.
#[derive(Clone)]
pub enum Door {
    /// Its requests are read, and answered as this says.
    Http(Do),
    /// The same behind TLS.
    Tls(TlsAcceptor, Do),
    /// This, whatever is asked.
    AtOnce(Act),
}

/// A front that serves until it is dropped.
#[derive(Debug)]
pub struct Front {
    /// Where it listens.
    pub address: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Front {
    /// The heads of all requests that came, in order.
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
    asked: AtomicUsize,
    gone: AtomicBool,
    heads: Arc<Mutex<Vec<String>>>,
}

/// Answers each request as `act` says, in front of the good node at a base URL.
///
/// # Errors
/// When no port can be had, or no client can be made.
pub async fn front(upstream: &str, act: Do) -> Result<Front, Box<dyn Error + Send + Sync>> {
    behind(upstream, Door::Http(act)).await
}

/// Listens behind a door, in front of the good node at a base URL.
///
/// # Errors
/// When no port can be had, or no client can be made.
pub async fn behind(upstream: &str, door: Door) -> Result<Front, Box<dyn Error + Send + Sync>> {
    let options = nodeproof_client::transport::TransportOptions::default();
    let heads = Arc::default();
    let shared = Arc::new(Shared {
        upstream: upstream.trim_end_matches('/').to_owned(),
        http: nodeproof_client::transport::http_client(&upstream.parse()?, &options)?,
        asked: AtomicUsize::new(0),
        gone: AtomicBool::new(false),
        heads: Arc::clone(&heads),
    });
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    let task = tokio::spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((stream, _)) = listener.accept().await {
            connections.spawn(admit(stream, Arc::clone(&shared), door.clone()));
        }
    });
    Ok(Front {
        address,
        heads,
        task,
    })
}

/// Until something goes wrong, which for some of these peers is the rule.
async fn admit(mut stream: TcpStream, shared: Arc<Shared>, door: Door) {
    match door {
        Door::Http(act) => drop(serve(stream, &shared, &act).await),
        Door::Tls(acceptor, act) => {
            if let Ok(stream) = acceptor.accept(stream).await {
                let _ = serve(stream, &shared, &act).await;
            }
        }
        Door::AtOnce(act) => {
            let _ = perform(&mut stream, act).await;
        }
    }
}

/// A connection that can be broken off.
trait Peer: AsyncRead + AsyncWrite + Unpin + Send {
    /// Has its end be a reset instead of a close.
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
    while let Some((head, body)) = request(&mut stream).await {
        on_connection += 1;
        let mut line = head.split_whitespace();
        let (method, target) = (line.next()?, line.next()?);
        let seen = Seen {
            method: method.to_owned(),
            path: target.split('?').next()?.to_owned(),
            query: target.split('?').nth(1).unwrap_or_default().to_owned(),
            place: shared.asked.fetch_add(1, Ordering::SeqCst) + 1,
            on_connection,
        };
        if let Ok(mut heads) = shared.heads.lock() {
            heads.push(head.clone());
        }
        let answer = shared
            .http
            .request(method.parse().ok()?, format!("{}{target}", shared.upstream))
            .header("content-type", "application/json")
            .body(body)
            .send()
            .await
            .ok()?;
        let media = answer.headers().get("content-type");
        let media = media
            .and_then(|media| media.to_str().ok())
            .unwrap_or("text/plain");
        let good = Good {
            head: format!(
                "HTTP/1.1 {} \r\nContent-Type: {media}\r\n",
                answer.status().as_str()
            ),
            body: answer.bytes().await.ok()?,
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

/// Does it; whether the connection goes on.
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
            // What was sent reaches the other side before the connection ends.
            while stream.read(&mut [0; 1024]).await? > 0 {}
        }
        Act::Reset(bytes) => {
            stream.write_all(&bytes).await?;
            stream.break_off();
        }
        Act::Gone => stream.break_off(),
        Act::Silence => {
            // Until the other side gives up.
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

/// A request's head and body; none where the connection is over.
async fn request(stream: &mut impl Peer) -> Option<(String, Vec<u8>)> {
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
    let length = head
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .map_or(Some(0), |(_, length)| length.trim().parse::<usize>().ok())?;
    while bytes.len() < end + length {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    Some((head, bytes.split_off(end)))
}
