//! A connection of one's own, for who asks a node for one thing after the other.
//!
//! The HTTP client keeps connections for whoever comes, speaks TLS and knows proxies. For that, a
//! request goes through many hands, which costs as much as all that the system does to send it. A
//! sweep asks for nothing but blocks, over as many connections as it was told. So it has them to
//! itself where there is nothing between it and the node; and whatever goes wrong there is left to
//! the HTTP client.

use std::{env, future::poll_fn, pin::Pin, sync::Arc, time::Duration};

use http::{HeaderMap, HeaderValue, header, request, response};
use hyper::{
    body::{Body, Bytes, Incoming},
    client::conn::http1::{self, SendRequest},
};
use hyper_util::rt::TokioIo;
use nodeproof_client::BaseUrl;
use tokio::net::TcpStream;

use crate::exchange::{Method, Request};

/// How long connecting may take before it is left to the HTTP client, which tries a host's addresses
/// side by side.
const CONNECT: Duration = Duration::from_secs(2);
/// The variables that name a proxy.
const PROXIES: [&str; 4] = ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];

/// How a node is reached with nothing in between.
#[derive(Debug)]
pub(super) struct Way {
    /// The host's name or address, without brackets.
    host: String,
    port: u16,
    /// The base URL's path, without a slash at its end.
    prefix: String,
    /// What is sent along with each request.
    headers: HeaderMap,
}

impl Way {
    /// How this node is reached; nothing where that takes TLS, or may take a proxy.
    pub(super) fn to(base: &BaseUrl, user_agent: &'static str) -> Option<Self> {
        let proxied = || PROXIES.iter().any(|name| env::var_os(name).is_some());
        if base.is_https() || (!base.is_loopback() && proxied()) {
            return None;
        }
        // A port that the scheme implies is not named.
        let authority = match base.as_url().port() {
            Some(port) => format!("{}:{port}", base.host()),
            None => base.host().to_owned(),
        };
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::try_from(authority).ok()?);
        headers.insert(header::USER_AGENT, HeaderValue::from_static(user_agent));
        let accepted = HeaderValue::from_static("application/json");
        headers.insert(header::ACCEPT, accepted);
        Some(Self {
            host: base.host().trim_matches(['[', ']']).to_owned(),
            port: base.port(),
            prefix: base.as_url().path().trim_end_matches('/').to_owned(),
            headers,
        })
    }

    /// The request as it is sent; nothing for what is asked otherwise than a block is.
    fn request(&self, request: &Request) -> Option<http::Request<String>> {
        let plain = |value: &str| value.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let (Method::Get, None, [(name, value)]) =
            (request.method, &request.moved, request.query.as_slice())
        else {
            return None;
        };
        // What would have to be escaped is left to who knows how.
        plain(value).then_some(())?;
        let target = format!("{}{}?{name}={value}", self.prefix, request.path);
        let (mut parts, body) = http::Request::new(String::new()).into_parts();
        let request::Parts { uri, headers, .. } = &mut parts;
        *uri = target.try_into().ok()?;
        headers.clone_from(&self.headers);
        Some(http::Request::from_parts(parts, body))
    }

    async fn connect(&self) -> Option<SendRequest<String>> {
        let connecting = TcpStream::connect((self.host.as_str(), self.port));
        let stream = tokio::time::timeout(CONNECT, connecting).await.ok()?.ok()?;
        stream.set_nodelay(true).ok()?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.ok()?;
        // It ends when nobody can send on it any more; what goes wrong is told to who has sent.
        tokio::spawn(connection);
        Some(sender)
    }
}

/// A connection to a node, if there is one just now.
pub(crate) struct Connection {
    way: Arc<Way>,
    sender: Option<SendRequest<String>>,
    /// Whether there could be none, so that the HTTP client is asked from then on.
    given_up: bool,
}

/// An answer whose body has not come yet, and what it comes over.
pub(super) struct Answer {
    pub(super) head: response::Parts,
    body: Incoming,
    sender: SendRequest<String>,
}

impl Connection {
    pub(super) const fn new(way: Arc<Way>) -> Self {
        Self {
            way,
            sender: None,
            given_up: false,
        }
    }

    /// Sends a request; nothing is sent, and nothing comes back, where it is for the HTTP client.
    pub(super) async fn send(&mut self, asked: &Request) -> Result<Option<Answer>, hyper::Error> {
        loop {
            let Some(request) = self.way.request(asked).filter(|_| !self.given_up) else {
                return Ok(None);
            };
            // Only a connection that was used may have been closed in the meantime.
            let kept = self.kept().await;
            let used = kept.is_some();
            let Some(mut sender) = (match kept {
                Some(sender) => Some(sender),
                None => self.way.connect().await,
            }) else {
                self.given_up = true;
                return Ok(None);
            };
            match sender.try_send_request(request).await {
                Ok(response) => {
                    let (head, body) = response.into_parts();
                    return Ok(Some(Answer { head, body, sender }));
                }
                // It was closed before anything was sent.
                Err(error) if used && error.message().is_some() => {}
                Err(error) => return Err(error.into_error()),
            }
        }
    }

    /// The connection that was used before, if it is still there.
    async fn kept(&mut self) -> Option<SendRequest<String>> {
        let mut sender = self.sender.take()?;
        sender.ready().await.ok().map(|()| sender)
    }

    /// Takes the connection back for the next request, once the answer's body has come to its end.
    pub(super) fn take_back(&mut self, answer: Answer) -> response::Parts {
        self.sender = Some(answer.sender);
        answer.head
    }
}

impl Answer {
    /// How long the body says it is; 0 where it does not.
    pub(super) fn announced(&self) -> u64 {
        self.body.size_hint().exact().unwrap_or(0)
    }

    /// What comes next of the body.
    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>, hyper::Error> {
        loop {
            let frame = poll_fn(|context| Pin::new(&mut self.body).poll_frame(context)).await;
            match frame.transpose()?.map(|frame| frame.into_data()) {
                None => return Ok(None),
                Some(Ok(data)) => return Ok(Some(data)),
                // What comes behind the body is none of it.
                Some(Err(_)) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discovery::block_request;

    fn way(base: &str) -> Option<Way> {
        Way::to(&base.parse().unwrap(), "test")
    }

    #[test]
    fn a_block_is_asked_for_as_the_http_client_asks() {
        for text in [
            "http://127.0.0.1:8420",
            "http://127.0.0.1:8420/a/b/",
            "http://localhost/%20a",
            "http://[::1]:80",
        ] {
            let base: BaseUrl = text.parse().unwrap();
            let way = way(text).unwrap();
            let asked = block_request(77);
            let sent = way.request(&asked).unwrap();
            let url = asked.url(&base);
            let target = &url[url::Position::BeforePath..url::Position::AfterQuery];
            assert_eq!(sent.uri().to_string(), target);
            let host = &url[url::Position::BeforeHost..url::Position::AfterPort];
            assert_eq!(sent.headers()[header::HOST], host);
            let to = (way.host.as_str(), way.port);
            let known = url.socket_addrs(|| None).unwrap();
            let found: Vec<_> = std::net::ToSocketAddrs::to_socket_addrs(&to)
                .unwrap()
                .collect();
            assert_eq!(found, known, "{text}");
        }
    }

    #[test]
    fn what_takes_tls_or_other_words_is_left_to_the_http_client() {
        assert!(way("https://127.0.0.1:8420").is_none());
        let way = way("http://127.0.0.1:8420").unwrap();
        for request in [
            Request::get("/docs"),
            Request::get("/sc-state").with("a", "b").with("c", "d"),
            Request::get("/get-block").with("block_index", "a b"),
            Request::post("/call-sc", "{}".to_owned()),
        ] {
            assert!(way.request(&request).is_none(), "{request:?}");
        }
    }
}
