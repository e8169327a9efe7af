//! One request and its response.

use std::{
    borrow::Cow,
    sync::{Arc, OnceLock},
    time::Duration,
};

use nodeproof_client::{BaseUrl, transport::BoundedResponse};
use nodeproof_primitives::{JsonLimits, TimestampMs, escape};
use nodeproof_report::ExchangeReport;
use serde_json::Value;

use super::{
    freshness::fresh_for, request_line::request_line, room::Share, step::Step, wording::Wording,
};

/// The method of a request. No other methods are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Reads.
    #[default]
    Get,
    /// Sends a JSON body.
    Post,
}

impl Method {
    /// Returns the method's name in HTTP.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
        }
    }
}

/// A request to the node under test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Request {
    /// The operation as case IDs name it, such as `get-block`.
    pub(crate) operation: &'static str,
    /// The HTTP method.
    pub(crate) method: Method,
    /// The path below the base URL, such as `/get-block`.
    pub(crate) path: &'static str,
    /// The path and query of a redirect within the node's origin, which replace `path`.
    pub(crate) moved: Option<String>,
    /// The query parameters, in the order in which they are sent.
    pub(crate) query: Vec<(&'static str, String)>,
    /// Further query parameters, already encoded.
    pub(crate) raw_query: Option<String>,
    /// The JSON body of a POST.
    pub(crate) body: Option<String>,
    /// How it is written and sent, if not in the usual way.
    pub(crate) wording: Wording,
    /// Whether the body has a signature that anyone could submit and that costs the wallet money. Reports
    /// have no shell command for such a request.
    pub(crate) carries_signature: bool,
    /// Whether it names something that does not exist, or that is only similar to what exists.
    pub(crate) finds_nothing: bool,
    /// What the request is for, if a case looks for it.
    pub(crate) step: Option<Step>,
    /// What is wrong with the signatures of a submission, if they are wrong.
    pub(crate) wrongly_signed: Option<String>,
    /// Where the transaction differs from the one that was signed.
    pub(crate) unlike_signed: Option<String>,
}

/// The usual header of a body.
const CONTENT_TYPE: (&str, &str) = ("content-type", "application/json");
/// The number of bytes of a body that every node reads.
const MOST_READ: usize = 16 << 10;

impl Request {
    /// Creates a GET of a path. The operation has the path's name.
    pub(crate) fn get(path: &'static str) -> Self {
        let operation = path.trim_start_matches('/');
        Self {
            operation,
            path,
            ..Self::default()
        }
    }

    /// Creates a POST of a JSON document. The operation has the path's name.
    pub(crate) fn post(path: &'static str, body: String) -> Self {
        Self {
            method: Method::Post,
            body: Some(body),
            ..Self::get(path)
        }
    }

    /// Writes it in another way.
    pub(crate) const fn worded(mut self, wording: Wording) -> Self {
        self.wording = wording;
        self
    }

    /// Returns the headers that depend on the request, with lower-case names.
    pub(crate) fn headers(&self) -> Vec<(&'static str, &'static str)> {
        let mut headers = vec![(
            "accept",
            match self.path {
                "/docs" => "text/html",
                _ => "application/json",
            },
        )];
        headers.extend(self.body.is_some().then_some(CONTENT_TYPE));
        for (name, value) in self.wording.headers() {
            headers.retain(|(usual, _)| usual != name);
            headers.push((*name, *value));
        }
        headers
    }

    /// Marks a request whose body has a valuable signature.
    pub(crate) fn carrying_signature(mut self) -> Self {
        self.carries_signature = true;
        self
    }

    /// Notes that it must find nothing.
    pub(crate) const fn finding_nothing(mut self) -> Self {
        self.finds_nothing = true;
        self
    }

    /// Notes what the request is for.
    pub(crate) fn for_step(mut self, step: Step) -> Self {
        self.step = Some(step);
        self
    }

    /// Marks a submission that is not signed as it must be, with a description of it.
    pub(crate) fn wrongly_signed(mut self, what: impl Into<String>) -> Self {
        self.wrongly_signed = Some(what.into());
        self
    }

    /// Returns what is expected of a node: a refusal, and why if the transaction was changed after it was signed.
    pub(crate) fn expected_refusal(&self) -> Cow<'static, str> {
        let reason = self.unlike_signed.as_ref();
        reason.map_or("a refusal".into(), |reason| {
            format!("a refusal: {reason}").into()
        })
    }

    /// Adds a query parameter.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.query.push((name, value.into()));
        self
    }

    /// Adds query parameters that are already encoded.
    pub(crate) fn with_raw(mut self, query: impl Into<String>) -> Self {
        self.raw_query = Some(query.into());
        self
    }

    /// Replaces the value of an existing query parameter. It is for something else then.
    pub(crate) fn setting(mut self, name: &str, value: String) -> Self {
        self.step = None;
        if let Some((_, given)) = self.query.iter_mut().find(|(given, _)| *given == name) {
            *given = value;
        }
        self
    }

    /// Removes a query parameter. It is for something else then.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.step = None;
        self.query.retain(|(given, _)| *given != name);
        self
    }

    /// Whether the request can't change the node's state.
    pub(crate) fn only_reads(&self) -> bool {
        self.method == Method::Get || self.path == "/call-sc"
    }

    /// Whether it costs nothing to send the request again, and a node that reads no more of it than it wants to has no
    /// reason to close the connection.
    pub(crate) fn may_be_repeated(&self) -> bool {
        let body = self.body.as_deref().unwrap_or_default();
        !self.carries_signature && body.len() <= MOST_READ
    }

    /// Returns the JSON document in the body, with numbers as those of responses are read.
    pub(crate) fn body_json(&self) -> Option<Value> {
        nodeproof_openapi::read_for_validation(self.body.as_deref()?).ok()
    }

    /// Returns the path and the parameters as readable text.
    pub(crate) fn query_text(&self) -> String {
        let parameters: Vec<_> = self
            .query
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        format!("{} {}", self.path, parameters.join(" "))
    }

    /// Returns the URL.
    pub(crate) fn url(&self, base: &BaseUrl) -> url::Url {
        let mut url = base.join(self.path);
        if let Some(place) = &self.moved {
            // Not joined to the base URL: a path that begins with two slashes would name another server.
            let (path, query) = match place.split_once('?') {
                Some((path, query)) => (path, Some(query)),
                None => (place.as_str(), None),
            };
            url.set_path(path);
            url.set_query(query);
        }
        if !self.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&self.query);
        }
        if let Some(raw) = &self.raw_query {
            let query = match url.query() {
                Some(query) if !query.is_empty() => format!("{query}&{raw}"),
                _ => raw.clone(),
            };
            url.set_query(Some(&query));
        }
        url
    }

    /// Returns a shell command that sends this request, and no other: curl would expand the brackets in a
    /// URL, such as `/docs[1-9]` of a redirect, to many URLs.
    ///
    /// `options` are more options of curl. Each ends with a space.
    pub(crate) fn curl(&self, base: &BaseUrl, options: &str) -> String {
        let url = quoted(self.url(base).as_str());
        let mut headers = self.wording.headers().to_vec();
        if self.body.is_some() && headers.iter().all(|(name, _)| *name != CONTENT_TYPE.0) {
            headers.push(CONTENT_TYPE);
        }
        let headers: String = headers
            .into_iter()
            .map(|(name, value)| format!("-H {} ", quoted(&format!("{name}: {value}"))))
            .collect();
        match &self.body {
            None => format!("curl -sS --globoff {options}{headers}{url}"),
            Some(body) => format!(
                "curl -sS --globoff -X POST {options}{headers}--data-binary {} {url}",
                quoted(&seen(body))
            ),
        }
    }
}

/// Returns the body in a form that can be copied from a terminal: an equal JSON document in ASCII.
/// A body that is not JSON is returned unchanged.
fn seen(body: &str) -> Cow<'_, str> {
    if body.is_ascii() || serde_json::from_str::<serde::de::IgnoredAny>(body).is_err() {
        return body.into();
    }
    escape::escaped_json(body).into()
}

/// Quotes text for a POSIX shell.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// A request and its response.
///
/// A case, a rule, a report and a recording each need some of the fields, and no two the same ones.
#[derive(Debug)]
pub(crate) struct Exchange {
    /// The request.
    pub(crate) request: Request,
    /// The node's base URL.
    base: Arc<BaseUrl>,
    /// More options of a curl command that sends the request again.
    pub(super) curl_options: Arc<str>,
    /// The HTTP status.
    pub(crate) status: u16,
    /// The `Content-Type`, if there is one.
    pub(crate) content_type: Option<String>,
    /// The `Content-Encoding`, if there is one. Requests do not accept any.
    pub(crate) content_encoding: Option<String>,
    /// The `Location`, if there is one.
    pub(crate) location: Option<String>,
    /// The `ETag`, if there is one.
    pub(crate) etag: Option<String>,
    /// How long a program may keep the response, if its headers permit that.
    pub(crate) fresh_for: Option<Duration>,
    /// The body, at most as long as the run's limit.
    pub(crate) body: Vec<u8>,
    /// The time from sending the request to the end of the body.
    pub(crate) elapsed: Duration,
    /// Whether the node may have received the request before: the first connection broke, or its client left.
    pub(crate) is_repeated: bool,
    /// When the response arrived, by the clock of this computer.
    pub(crate) received_at: TimestampMs,
    /// When the request was sent, from the start of a run that was recorded.
    pub(crate) moment: Option<Duration>,
    /// Number of JSON values in the body.
    pub(crate) values: usize,
    /// The body's share of what all responses in use may have together.
    pub(super) share: Option<Share>,
    /// Maximum nesting of its JSON document.
    pub(crate) max_depth: usize,
    pub(super) derived: Derived,
}

/// What is derived from an exchange, each once.
#[derive(Debug, Default)]
pub(super) struct Derived {
    json: OnceLock<Result<Value, String>>,
    sent: OnceLock<Option<Value>>,
    question: OnceLock<Arc<str>>,
    /// The exchange's report, which `exchange_report` creates.
    pub(super) report: OnceLock<Arc<ExchangeReport>>,
}

impl Exchange {
    pub(crate) fn new(
        request: Request,
        base: &Arc<BaseUrl>,
        status: u16,
        content_type: Option<String>,
        body: Vec<u8>,
        elapsed: Duration,
    ) -> Self {
        Self {
            request,
            base: Arc::clone(base),
            curl_options: Arc::default(),
            status,
            content_type,
            content_encoding: None,
            location: None,
            etag: None,
            fresh_for: None,
            body,
            elapsed,
            is_repeated: false,
            received_at: TimestampMs::now(),
            moment: None,
            values: 0,
            share: None,
            max_depth: MAX_DEPTH,
            derived: Derived::default(),
        }
    }

    /// Returns the exchange of a response whose body was read.
    pub(super) fn of_response(
        request: &Request,
        base: &Arc<BaseUrl>,
        response: BoundedResponse,
        elapsed: Duration,
    ) -> Self {
        let headers = response.response.headers();
        let text = |name: &str| {
            let value = headers.get(name)?.as_bytes();
            Some(String::from_utf8_lossy(value).into_owned())
        };
        let status = response.response.status().as_u16();
        let content_type = text("content-type");
        Self {
            content_encoding: text("content-encoding"),
            location: text("location"),
            etag: text("etag"),
            fresh_for: fresh_for(text),
            ..Self::new(
                request.clone(),
                base,
                status,
                content_type,
                response.body,
                elapsed,
            )
        }
    }

    /// Frees the memory of the parsed body. It is parsed again when it is needed.
    pub(crate) fn forget_json(&mut self) {
        self.derived.json = OnceLock::new();
    }

    /// Returns the URL of the request.
    pub(crate) fn url(&self) -> url::Url {
        self.request.url(&self.base)
    }

    /// Returns the path and the parameters, in a form that is equal for equal requests in other words.
    pub(crate) fn question(&self) -> &Arc<str> {
        self.derived
            .question
            .get_or_init(|| request_line(self.request.path, self.url().query_pairs()).into())
    }

    /// Returns a shell command that sends the request again.
    pub(crate) fn curl(&self) -> String {
        self.request.curl(&self.base, &self.curl_options)
    }

    /// Whether the status is 2xx.
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Returns the path and query of a redirect that stays within the origin.
    pub(crate) fn moved_within_origin(&self) -> Option<String> {
        if !matches!(self.status, 301 | 302 | 303 | 307 | 308) {
            return None;
        }
        let location = self.location.as_deref()?;
        let requested = self.url();
        let place = requested.join(location).ok()?;
        let stays =
            place.origin() == requested.origin() && place.as_str().len() <= MAX_REDIRECT_LENGTH;
        stays.then(|| place[url::Position::BeforePath..url::Position::AfterQuery].to_owned())
    }

    /// Returns the body as JSON.
    ///
    /// # Errors
    /// Returns a description of the fault.
    pub(crate) fn json(&self) -> Result<&Value, &str> {
        self.derived
            .json
            .get_or_init(|| match self.content_encoding.as_deref() {
                None | Some("identity") => read(&self.body, self.max_depth),
                Some(encoding) => Err(format!(
                    "encoded as {}, which was not requested",
                    escape::escaped_up_to(encoding, 40)
                )),
            })
            .as_ref()
            .map_err(String::as_str)
    }

    /// Returns the JSON document in the body of the request.
    pub(crate) fn sent(&self) -> Option<&Value> {
        let sent = || self.request.body_json();
        self.derived.sent.get_or_init(sent).as_ref()
    }

    /// Returns the submissions in the body of the request: one, or those of a batch.
    pub(crate) fn submissions(&self) -> &[Value] {
        match self.sent() {
            Some(Value::Array(batch)) => batch,
            one => one.map_or(&[], std::slice::from_ref),
        }
    }

    /// Returns the body of a successful response if it is a JSON object.
    ///
    /// Any 2xx status counts, because the specification does not name one.
    pub(crate) fn success_object(&self) -> Option<&Value> {
        if !self.is_success() {
            return None;
        }
        self.json().ok().filter(|value| value.is_object())
    }

    /// Returns the first `most` bytes of the body as escaped text.
    pub(crate) fn excerpt(&self, most: usize) -> String {
        escape::excerpt(&self.body, most)
    }

    /// Returns the status and the start of the body, on one line.
    pub(crate) fn summary(&self) -> String {
        if let (300..=399, Some(place)) = (self.status, &self.location) {
            format!("{} to {}", self.status, escape::escaped_up_to(place, 160))
        } else if self.body.is_empty() {
            format!("{} with an empty body", self.status)
        } else {
            format!("{} {}", self.status, self.excerpt(160))
        }
    }
}

fn read(body: &[u8], max_depth: usize) -> Result<Value, String> {
    let text = std::str::from_utf8(body)
        .map_err(|error| format!("not UTF-8: byte {} is invalid", error.valid_up_to()))?;
    if text.starts_with('\u{feff}') {
        return Err("a byte order mark before the JSON document".to_owned());
    }
    if text.trim().is_empty() {
        return Err("an empty body".to_owned());
    }
    let deep = || format!("nested more than {max_depth} levels deep, {LIMIT_MESSAGE}");
    let value = nodeproof_openapi::read_for_validation(text).map_err(|error| {
        if error.to_string().starts_with("recursion limit") {
            return deep();
        }
        format!("not a JSON document: {error}")
    })?;
    let limits = JsonLimits {
        values: usize::MAX,
        depth: max_depth,
    };
    if max_depth < MAX_DEPTH && limits.check(body).is_err() {
        return Err(deep());
    }
    Ok(value)
}

/// Maximum length of a redirect's URL, in characters. Longer ones are not followed.
const MAX_REDIRECT_LENGTH: usize = 2000;
/// Maximum nesting of a JSON document, in levels. The JSON parser allows no more.
pub(crate) const MAX_DEPTH: usize = 127;
/// The end of a message about a limit of the run. Such a limit is not the node's fault.
pub(crate) const LIMIT_MESSAGE: &str = "which exceeds this run's limits";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curl_line_survives_a_shell_whatever_a_node_named() {
        let base: BaseUrl = "http://127.0.0.1:8420/node/".parse().unwrap();
        let request = Request::get("/sc-state").with("unique_value", "it's; rm -rf & é");
        assert_eq!(
            request.curl(&base, ""),
            "curl -sS --globoff 'http://127.0.0.1:8420/node/sc-state?unique_value=it%27s%3B+rm+-rf+%26+%C3%A9'"
        );
        let post = Request::post("/call-sc", "{\"a\":\"it's\"}".into());
        assert!(
            post.curl(&base, "")
                .contains(r#"--data-binary '{"a":"it'\''s"}'"#)
        );
        let unseen = Request::post("/call-sc", "{\"a\":\"\u{202e}é\"}".into());
        assert!(
            unseen
                .curl(&base, "-H 'x-key: <hidden>' ")
                .contains(r#"--data-binary '{"a":"\u202eé"}'"#)
        );
    }

    #[test]
    fn a_redirect_is_followed_within_the_origin_only() {
        let http: BaseUrl = "http://127.0.0.1:8420/node".parse().unwrap();
        let https: BaseUrl = "https://127.0.0.1:8420/node".parse().unwrap();
        let moved_of = |base: &BaseUrl, status, location: &str| {
            let request = Request::get("/docs");
            let requested = Arc::new(base.clone());
            let mut exchange = Exchange::new(
                request,
                &requested,
                status,
                None,
                Vec::new(),
                Duration::ZERO,
            );
            exchange.location = Some(location.to_owned());
            let moved = Some(exchange.moved_within_origin()?);
            let request = Request {
                moved,
                ..exchange.request
            };
            Some(request.url(base).to_string())
        };
        let moved = |status, location: &str| moved_of(&http, status, location);
        let origin = "http://127.0.0.1:8420";
        for (location, place) in [
            ("/docs/", "/docs/"),
            ("docs/?a=b#c", "/node/docs/?a=b"),
            ("http://127.0.0.1:8420/x", "/x"),
            ("http://127.0.0.1:8420//example.org/x", "//example.org/x"),
        ] {
            assert_eq!(moved(307, location), Some(format!("{origin}{place}")));
        }
        for location in [
            "http://127.0.0.1:8421/docs/",
            "https://127.0.0.1:8420/docs/",
            "//example.org/docs",
            "javascript:alert(1)",
            "http://[",
        ] {
            assert_eq!(moved(307, location), None, "{location}");
        }
        assert_eq!(moved_of(&https, 307, "http://127.0.0.1:8420/docs/"), None);
        assert_eq!(moved(304, "/docs/"), None);
        assert_eq!(moved(200, "/docs/"), None);
    }

    #[test]
    fn depth_is_bounded_where_it_is_set_to_be() {
        assert!(read(b"{\"a\":[[0]]}", 3).is_ok());
        let fault = read(b"{\"a\":[[0]]}", 2).unwrap_err();
        assert!(
            fault.starts_with("nested more than 2 levels deep") && fault.ends_with(LIMIT_MESSAGE)
        );
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        let fault = read(deep.as_bytes(), MAX_DEPTH).unwrap_err();
        assert!(fault.ends_with(LIMIT_MESSAGE), "{fault}");
    }

    #[test]
    fn a_body_that_is_not_json_is_told_in_words() {
        for (body, start) in [
            (&b"\xff"[..], "not UTF-8"),
            (b"\xef\xbb\xbf{}", "a byte order mark"),
            (b" ", "an empty body"),
            (b"{} x", "not a JSON document"),
            (b"{\"a\":NaN}", "not a JSON document"),
        ] {
            assert!(
                read(body, MAX_DEPTH).unwrap_err().starts_with(start),
                "{body:?}"
            );
        }
    }
}
