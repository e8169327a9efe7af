//! The ways to write a request and to send it, apart from the usual one.

use serde::{Deserialize, Serialize};

/// How a request is written and sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Wording {
    /// On a connection that stays open, with the whole body at once.
    #[default]
    Usual,
    /// It accepts any type, as curl and many libraries do.
    AnyType,
    /// It prefers JSON, as a widespread library for JavaScript does.
    SeveralTypes,
    /// It asks the node to close the connection after the response.
    Closing,
    /// The content type has a parameter, as libraries for Java and for C# write it.
    Charset,
    /// The body comes in two pieces, as a slow connection or a proxy may send it.
    InPieces,
    /// Half of the same request has arrived on another connection. The other half follows after the response.
    BesideHalf,
    /// The same request was sent before on another connection, which was closed before the response.
    AfterLeaving,
    /// The same was requested with HEAD before, on a connection that stays open.
    AfterHead,
    /// The body comes in chunks, without its length.
    Chunked,
    /// It takes a compressed response.
    Compressed,
    /// It asks for a part of the response, as a download that goes on.
    Part,
    /// It wants a response only if that has changed, as browsers do.
    IfChanged,
    /// It prefers a page, as browsers do.
    Page,
    /// It comes from a page of another site, as the requests of a dapp in a browser do.
    FromPage,
    /// It offers a newer version of HTTP, as a widespread library for Java does.
    Upgrading,
    /// It has a long cookie of another service on the same host.
    WithCookie,
    /// It has the type of a body, and none, as some libraries write each request.
    Typed,
    /// The client would wait for the node's consent before it sends a long body.
    Expecting,
    /// It has the older version of HTTP that some proxies use by default.
    Old,
    /// A call as another type of text, which a node may refuse before it reads the body.
    PlainText,
}

macro_rules! five_times {
    ($text:expr) => {
        concat!($text, $text, $text, $text, $text)
    };
}

/// A long cookie, as users of a host with several services have.
const COOKIE: &str = concat!(
    "session=",
    five_times!(five_times!(
        "0123456789abcdef0123456789abcdef0123456789abcdef"
    ))
);

impl Wording {
    /// Returns the headers that replace the usual ones.
    pub(crate) const fn headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Usual
            | Self::InPieces
            | Self::BesideHalf
            | Self::AfterLeaving
            | Self::AfterHead
            | Self::Old => &[],
            Self::AnyType => &[("accept", "*/*")],
            Self::SeveralTypes => &[("accept", "application/json, text/plain, */*")],
            Self::Closing => &[("connection", "close")],
            Self::Charset => &[("content-type", "application/json; charset=utf-8")],
            Self::Chunked => &[("transfer-encoding", "chunked")],
            Self::Compressed => &[("accept-encoding", "gzip, deflate, br")],
            Self::Part => &[("range", "bytes=0-9")],
            Self::IfChanged => &[("if-none-match", "*")],
            Self::Page => &[("accept", "text/html,application/xhtml+xml,*/*;q=0.8")],
            Self::FromPage => &[
                ("origin", "https://dapp.example.org"),
                ("sec-fetch-mode", "cors"),
                ("sec-fetch-site", "cross-site"),
            ],
            Self::Upgrading => &[
                ("upgrade", "h2c"),
                ("connection", "Upgrade, HTTP2-Settings"),
                ("http2-settings", "AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA"),
            ],
            Self::WithCookie => &[("cookie", COOKIE)],
            Self::Typed => &[("content-type", "application/json")],
            Self::Expecting => &[("expect", "100-continue")],
            Self::PlainText => &[("content-type", "text/plain")],
        }
    }

    /// Returns what a request is like, in a few words.
    pub(crate) fn description(self) -> String {
        match (self, self.headers()) {
            (Self::InPieces, _) => {
                "whose body arrives in two pieces, a tenth of a second apart".to_owned()
            }
            (Self::BesideHalf, _) => "beside half of an equal one on another connection".to_owned(),
            (Self::AfterLeaving, _) => "after a client that left before the response".to_owned(),
            (Self::AfterHead, _) => "after the same with HEAD".to_owned(),
            (Self::Old, _) => "of HTTP/1.0".to_owned(),
            (Self::WithCookie, _) => format!("with a cookie of {} characters", COOKIE.len()),
            (_, [(name, value), ..]) => format!("with `{name}: {value}`"),
            (_, []) => "of the usual form".to_owned(),
        }
    }

    /// Whether the body is not sent at once.
    pub(super) const fn is_in_pieces(self) -> bool {
        matches!(self, Self::InPieces | Self::Chunked)
    }
}
