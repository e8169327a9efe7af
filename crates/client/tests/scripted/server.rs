//! A server with scripted responses that stores its requests.

use std::sync::{Arc, Mutex};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpListener,
    task::JoinHandle,
};

/// The reaction to one request.
#[derive(Clone)]
pub(crate) enum Reply {
    /// Sends these bytes, and leaves the connection open.
    Bytes(Vec<u8>),
    /// Sends these bytes, and closes the connection.
    Last(Vec<u8>),
    /// Sends these bytes, and then nothing more.
    Hang(Vec<u8>),
}

impl Reply {
    pub(crate) fn json(body: &str) -> Self {
        Self::status(200, body)
    }

    pub(crate) fn status(status: u16, body: &str) -> Self {
        Self::with(status, "content-type: application/json\r\n", body)
    }

    /// Creates a whole response. Each of `headers` ends with a line end.
    pub(crate) fn with(status: u16, headers: &str, body: &str) -> Self {
        let length = body.len();
        Self::Bytes(
            format!("HTTP/1.1 {status} X\r\n{headers}content-length: {length}\r\n\r\n{body}")
                .into_bytes(),
        )
    }
}

/// A request, as received.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) line: String,
    pub(crate) headers: Vec<String>,
    pub(crate) body: String,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find_map(|header| {
            let (known, value) = header.split_once(':')?;
            known.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

pub(crate) struct Server {
    pub(crate) base: String,
    requests: Arc<Mutex<Vec<Request>>>,
    task: JoinHandle<()>,
}

impl Server {
    /// Starts a server that sends these replies in turn, and then repeats the last one.
    pub(crate) async fn start(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (seen, replies) = (Arc::clone(&requests), Arc::new(replies));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&seen), Arc::clone(&replies)));
            }
        });
        Self {
            base,
            requests,
            task,
        }
    }

    pub(crate) async fn responding(reply: Reply) -> Self {
        Self::start(vec![reply]).await
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    pub(crate) fn count(&self) -> usize {
        self.requests().len()
    }

    /// Returns the request. Fails if there is not exactly one.
    pub(crate) fn request(&self) -> Request {
        let requests = self.requests();
        assert_eq!(requests.len(), 1, "{requests:?}");
        requests[0].clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

pub(crate) async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    seen: Arc<Mutex<Vec<Request>>>,
    replies: Arc<Vec<Reply>>,
) {
    while let Some(request) = read(&mut stream).await {
        let number = {
            let mut seen = seen.lock().unwrap();
            seen.push(request);
            seen.len() - 1
        };
        let reply = replies.get(number).or(replies.last()).cloned().unwrap();
        if !respond(&mut stream, reply).await {
            return;
        }
    }
}

/// Sends a reply. Returns whether the connection stays open.
async fn respond<S: AsyncWrite + Unpin>(stream: &mut S, reply: Reply) -> bool {
    match reply {
        Reply::Bytes(bytes) => stream.write_all(&bytes).await.is_ok(),
        Reply::Last(bytes) => {
            let _ = stream.write_all(&bytes).await;
            let _ = stream.shutdown().await;
            false
        }
        Reply::Hang(bytes) => {
            let _ = stream.write_all(&bytes).await;
            let _ = stream.flush().await;
            std::future::pending().await
        }
    }
}

async fn read<S: AsyncRead + Unpin>(stream: &mut S) -> Option<Request> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let mut lines = head.lines().map(str::to_owned);
    let mut request = Request {
        line: lines.next()?,
        headers: lines.collect(),
        body: String::new(),
    };
    let length: usize = request
        .header("content-length")
        .map_or(0, |text| text.parse().unwrap());
    let mut body = bytes.split_off(end + 4);
    while body.len() < length {
        if stream.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    request.body = String::from_utf8(body).unwrap();
    Some(request)
}
