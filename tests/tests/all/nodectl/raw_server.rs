//! A server that responds with exactly the given bytes, or not at all.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// The reply to a request.
pub(crate) enum Reply {
    /// Sends these bytes, and closes the connection.
    Bytes(Vec<u8>),
    /// Closes the connection without a response.
    Nothing,
    /// Does not respond for as long as the other side waits.
    Silence,
}

impl Reply {
    /// Returns a block with this index.
    pub(crate) fn block(index: impl std::fmt::Display) -> Self {
        let hash = format!("{index:0>64}");
        let body =
            format!(r#"{{"index":{index},"timestamp":1767225600000,"previous_hash":"{hash}"}}"#);
        Self::json("200 OK", &body)
    }

    /// Returns a response with a status line, such as `200 OK`, and a JSON body.
    pub(crate) fn json(status: &str, body: &str) -> Self {
        Self::with_headers(status, "", body)
    }

    /// Does the same with additional header lines, each ended by `\r\n`.
    pub(crate) fn with_headers(status: &str, headers: &str, body: &str) -> Self {
        let length = body.len();
        Self::Bytes(
            format!(
                "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\
                 connection: close\r\n{headers}\r\n{body}"
            )
            .into_bytes(),
        )
    }
}

/// A server for one test. Its thread ends with the process.
pub(crate) struct RawServer {
    pub(crate) base_url: String,
    requests: Arc<AtomicUsize>,
}

impl RawServer {
    /// Replies to each request with the result of the function. Its argument is the request line.
    pub(crate) fn spawn(reply: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let base_url = format!("http://{}", listener.local_addr().expect("an address"));
        let requests = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&requests);
        let reply = Arc::new(reply);
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let (reply, counted) = (Arc::clone(&reply), Arc::clone(&counted));
                thread::spawn(move || respond(connection, &*reply, &counted));
            }
        });
        Self { base_url, requests }
    }

    pub(crate) fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }

    /// Waits until this many requests have arrived.
    pub(crate) fn wait_for(&self, requests: usize) {
        let begun = Instant::now();
        while self.requests() < requests {
            let waited = begun.elapsed();
            assert!(waited < Duration::from_secs(60), "{} came", self.requests());
            thread::sleep(Duration::from_millis(1));
        }
    }
}

fn respond(mut connection: TcpStream, reply: &dyn Fn(&str) -> Reply, counted: &AtomicUsize) {
    let Some(first_line) = request(&mut connection) else {
        return;
    };
    counted.fetch_add(1, Ordering::SeqCst);
    match reply(&first_line) {
        Reply::Bytes(bytes) => {
            // The other side may be gone, so errors do not matter.
            let _written = connection.write_all(&bytes);
        }
        Reply::Nothing => {}
        Reply::Silence => {
            let _gone = connection.read_to_end(&mut Vec::new());
        }
    }
}

/// Reads a whole request. Closing the connection earlier would reset it.
fn request(connection: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| {
                    line.to_lowercase()
                        .strip_prefix("content-length:")
                        .map(str::to_owned)
                })
                .and_then(|length| length.trim().parse::<usize>().ok())
                .unwrap_or(0);
            if body.len() >= length {
                return head.lines().next().map(str::to_owned);
            }
        }
        match connection.read(&mut piece) {
            Ok(0) | Err(_) => return None,
            Ok(count) => bytes.extend_from_slice(&piece[..count]),
        }
    }
}
