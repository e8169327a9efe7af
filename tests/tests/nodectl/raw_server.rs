//! A server that answers with the very bytes it is told to, or not at all.

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

/// What is done with a request.
pub(crate) enum Reply {
    /// These bytes, and the connection is closed.
    Bytes(Vec<u8>),
    /// The connection is closed without an answer.
    Nothing,
    /// No answer, for as long as the other side waits.
    Silence,
}

impl Reply {
    /// An answer with a status line, such as `200 OK`, and a JSON body.
    pub(crate) fn json(status: &str, body: &str) -> Self {
        Self::with_headers(status, "", body)
    }

    /// The same with more header lines, each ended by `\r\n`.
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

/// A server for one test; its thread ends with the process.
pub(crate) struct RawServer {
    pub(crate) base_url: String,
    requests: Arc<AtomicUsize>,
}

impl RawServer {
    /// Answers each request, given as its first line, with what the function says.
    pub(crate) fn spawn(reply: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let base_url = format!("http://{}", listener.local_addr().expect("an address"));
        let requests = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&requests);
        let reply = Arc::new(reply);
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let (reply, counted) = (Arc::clone(&reply), Arc::clone(&counted));
                thread::spawn(move || answer(connection, &*reply, &counted));
            }
        });
        Self { base_url, requests }
    }

    pub(crate) fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }

    /// Waits until so many requests have come.
    pub(crate) fn wait_for(&self, requests: usize) {
        let begun = Instant::now();
        while self.requests() < requests {
            let waited = begun.elapsed();
            assert!(waited < Duration::from_secs(60), "{} came", self.requests());
            thread::sleep(Duration::from_millis(1));
        }
    }
}

fn answer(mut connection: TcpStream, reply: &dyn Fn(&str) -> Reply, counted: &AtomicUsize) {
    let Some(first_line) = request(&mut connection) else {
        return;
    };
    counted.fetch_add(1, Ordering::SeqCst);
    match reply(&first_line) {
        Reply::Bytes(bytes) => {
            // Who has gone away needs no answer.
            let _written = connection.write_all(&bytes);
        }
        Reply::Nothing => {}
        Reply::Silence => {
            let _gone = connection.read_to_end(&mut Vec::new());
        }
    }
}

/// Reads a request to its end, as closing before that would reset the connection.
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
