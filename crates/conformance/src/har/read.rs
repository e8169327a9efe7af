//! Reads the exchanges of an HTTP Archive, whatever program wrote it. Nothing in the file is trusted.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::Arc,
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use nodeproof_client::{BaseUrl, InputError};
use nodeproof_primitives::{JsonLimits, JsonTooLarge, Network, TimestampMs, escape::escaped_up_to};
use serde::{
    Deserialize, Deserializer,
    de::{Error as _, SeqAccess, Visitor},
};
use serde_json::value::RawValue;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use url::Url;

use super::{
    claims,
    entry::{Entry, Response, header},
};
use crate::{
    api::NO_PATH,
    discovery::Wanted,
    http::{Exchange, Limits, LoggedExchange, Method, MissingStep, Request, Wording, fresh_for},
};

/// Maximum number of exchanges in a file.
const MAX_ENTRIES: usize = 100_000;
/// The paths of the endpoints.
const PATHS: [&str; 10] = [
    "/get-block",
    "/get-balances",
    "/sc-state",
    "/get-trustscore-wallets",
    "/docs",
    "/openapi.json",
    "/call-sc",
    "/submit-transaction",
    "/submit-transaction-batch",
    NO_PATH,
];
/// The query parameters of the endpoints.
const PARAMETERS: [&str; 10] = [
    "block_index",
    "balance_type",
    "token_code",
    "wallet_address",
    "table_name",
    "contract_address",
    "unique_column",
    "unique_value",
    "src_wallet_address",
    "dst_wallet_address",
];

/// The shortest duration of an exchange, in milliseconds.
const SHORTEST_MS: f64 = 0.001;
/// Maximum duration of an exchange.
const LONGEST: Duration = Duration::from_secs(24 * 3600);
/// The reason of an exchange that exceeds a limit.
const TOO_LARGE: &str = "beyond --max-body or --max-values";
/// The reason of an exchange whose body has more levels than are read.
const TOO_DEEP: &str = "nested too deeply";
/// The reason of an exchange that is not what an HTTP Archive has.
const OTHER_FORM: &str = "in another form";

/// The exchanges of a file with one node.
#[derive(Debug)]
pub(crate) struct Recording {
    /// The base URL of the node.
    pub(crate) base_url: BaseUrl,
    /// The network of the node, if `nodeproof` has written the file.
    pub(crate) network: Option<Network>,
    /// Number of exchanges in the file, with any server.
    pub(crate) entries: usize,
    pub(crate) exchanges: Vec<LoggedExchange>,
    /// What the run looked for on the chain, if `nodeproof` has written the file.
    pub(crate) wanted: Option<Wanted>,
    /// The steps that the run did not take, if `nodeproof` has written the file.
    pub(crate) missing: Vec<MissingStep>,
    /// The blocks that only a sweep has read, if `nodeproof` has written the file.
    pub(crate) of_sweep: Vec<Arc<Exchange>>,
    /// Number of exchanges that can't be judged, by the reason.
    pub(crate) unjudged: BTreeMap<&'static str, usize>,
    /// Where the first exchange in another form is, and what is wrong with it.
    pub(crate) first_wrong: Option<String>,
    /// The base URL of another node that has exchanges in the file.
    pub(crate) other_node: Option<String>,
}

/// Reads the exchanges with the node at this base URL, or else with the one that has the most exchanges.
///
/// # Errors
/// Returns what is wrong with the file, and where.
pub(crate) fn read(
    text: &str,
    base_url: Option<&BaseUrl>,
    limits: &Limits,
) -> Result<Recording, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let not_har = |error: serde_json::Error| {
        let error = escaped_up_to(&error.to_string(), 200);
        format!("it is not an HTTP Archive: {error}")
    };
    let Archive { log } = serde_json::from_str(text).map_err(not_har)?;
    let mut requests = Vec::new();
    let mut wrong = Vec::new();
    for (place, raw) in log.entries.0.iter().enumerate() {
        match serde_json::from_str(raw.get()) {
            Ok(entry) => requests.extend(Recorded::of(place, entry)),
            Err(error) => wrong.push((place, escaped_up_to(&error.to_string(), 200))),
        }
    }
    let base = match base_url {
        Some(base_url) => base_url.to_string(),
        None => most_frequent(&requests).ok_or_else(|| match wrong.first() {
            Some(first) => wrong_entry(first),
            None => {
                let entries = log.entries.0.len();
                format!("it has {entries} entries, and no request to an endpoint of a node")
            }
        })?,
    };
    let parsed: Result<BaseUrl, InputError> = base.parse();
    let base_url = parsed.map_err(|error| error.to_string())?;
    let is_of_node = |one: &Recorded| one.base == base.trim_end_matches('/');
    let (mut requests, others): (Vec<_>, Vec<_>) = requests.into_iter().partition(is_of_node);
    if requests.is_empty() {
        return Err(format!("it has no request to an endpoint of {base_url}"));
    }
    let own = requests.iter().find_map(|one| one.entry.own.as_ref());
    let network = own.and_then(|own| own.network.as_ref()?.parse().ok());
    let mut own = requests.iter_mut().filter_map(|one| one.entry.own.as_mut());
    let first = own.find(|own| own.wanted.is_some());
    let first = first.map(|own| (own.wanted.take(), std::mem::take(&mut own.missing)));
    let (wanted, missing) = first.unwrap_or_default();
    let mut recording = Recording {
        network,
        wanted,
        missing,
        entries: log.entries.0.len(),
        exchanges: Vec::new(),
        of_sweep: Vec::new(),
        unjudged: BTreeMap::new(),
        first_wrong: None,
        other_node: most_frequent(&others),
        base_url,
    };
    let base = Arc::new(recording.base_url.clone());
    let (mut judgeable, mut unanswered) = (Vec::new(), Vec::new());
    let is_of_others = !requests.iter().any(|one| one.entry.own.is_some());
    let mut values_left = limits.values;
    for request in requests {
        let (place, submitted) = (request.place, request.submitted());
        match request.judgeable(&base, limits, values_left) {
            Ok(one) => {
                values_left -= one.exchange.values;
                judgeable.push(one);
            }
            Err(fault) => {
                unanswered.extend(submitted);
                match fault {
                    Fault::Unjudged(why) => *recording.unjudged.entry(why).or_default() += 1,
                    Fault::Wrong(reason) => wrong.push((place, reason)),
                }
            }
        }
    }
    if let Some(first) = wrong.iter().min() {
        recording.unjudged.insert(OTHER_FORM, wrong.len());
        recording.first_wrong = Some(wrong_entry(first));
    }
    recording.add(judgeable, is_of_others);
    if is_of_others {
        claims::mark(&mut recording.exchanges, &unanswered);
    }
    Ok(recording)
}

impl Recording {
    /// Adds the exchanges, with their times since the first one began.
    fn add(&mut self, judgeable: Vec<Judgeable>, is_of_others: bool) {
        let Some(started_at) = judgeable.iter().map(|one| one.began_at).min() else {
            return;
        };
        // Some programs write whole seconds. What happened within one has no known order.
        let is_coarse = judgeable.iter().all(|one| one.began_at.nanosecond() == 0);
        let inexact = Duration::from_secs(u64::from(is_coarse && is_of_others));
        for mut one in judgeable {
            let began = (one.began_at - started_at).unsigned_abs();
            one.exchange.moment = Some(began);
            let exchange = Arc::new(one.exchange);
            if one.of_sweep {
                self.of_sweep.push(Arc::clone(&exchange));
            }
            self.exchanges.push(LoggedExchange {
                ended: began.saturating_add(exchange.elapsed + inexact),
                exchange,
                began,
                started_at,
            });
        }
    }
}

#[derive(Deserialize)]
struct Archive<'t> {
    #[serde(borrow)]
    log: Log<'t>,
}

#[derive(Deserialize)]
struct Log<'t> {
    #[serde(borrow)]
    entries: Entries<'t>,
}

/// The texts of the exchanges, up to a limit.
struct Entries<'t>(Vec<&'t RawValue>);

impl<'de: 't, 't> Deserialize<'de> for Entries<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Self(Vec::new()))
    }
}

impl<'de: 't, 't> Visitor<'de> for Entries<'t> {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of entries")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<Self, A::Error> {
        while let Some(entry) = seq.next_element()? {
            if self.0.len() == MAX_ENTRIES {
                return Err(A::Error::custom(format!("more than {MAX_ENTRIES} entries")));
            }
            self.0.push(entry);
        }
        Ok(self)
    }
}

/// Why an exchange is not used.
enum Fault {
    /// It can't be judged, with the reason in words.
    Unjudged(&'static str),
    /// It is not in the form of an HTTP Archive.
    Wrong(String),
}

/// An exchange that can be judged.
struct Judgeable {
    exchange: Exchange,
    of_sweep: bool,
    began_at: OffsetDateTime,
}

/// A request to an endpoint of a node, and its response.
struct Recorded {
    /// Its place in the file.
    place: usize,
    /// The base URL of the node.
    base: String,
    method: Method,
    path: &'static str,
    url: Url,
    entry: Entry,
}

impl Recorded {
    /// Returns `None` for a request to anything else.
    fn of(place: usize, entry: Entry) -> Option<Self> {
        let request = entry.request.as_ref()?;
        let method = match request.method.as_deref()? {
            "GET" => Method::Get,
            "POST" => Method::Post,
            _ => return None,
        };
        let mut url = Url::parse(request.url.as_deref()?).ok()?;
        // Nothing shows the credentials of a URL.
        let _ = (url.set_username(""), url.set_password(None));
        url.set_fragment(None);
        let moved = entry.own.as_ref().and_then(|own| own.endpoint.as_deref());
        let mut base = url.clone();
        base.set_query(None);
        let path = match moved {
            Some(endpoint) => {
                base.set_path("");
                PATHS.iter().find(|path| **path == endpoint)
            }
            None => PATHS.iter().find(|path| url.path().ends_with(*path)),
        };
        let path = *path?;
        let base = base.as_str();
        let base = base.strip_suffix(path).unwrap_or(base);
        Some(Self {
            place,
            base: base.trim_end_matches('/').to_owned(),
            method,
            path,
            url,
            entry,
        })
    }

    /// Returns the body of a submission, or an empty text if it was not recorded.
    fn submitted(&self) -> Option<String> {
        let sent = self.entry.request.as_ref()?.body();
        let is_one = self.path.starts_with("/submit");
        is_one.then(|| sent.unwrap_or_default().to_owned())
    }

    /// Returns when the request was sent, and how long the response took.
    fn time(&self) -> Result<(OffsetDateTime, Duration), String> {
        let text = self.entry.started_date_time.as_deref();
        let text = text.ok_or("startedDateTime is missing")?;
        let began_at = OffsetDateTime::parse(text, &Rfc3339).map_err(|_| {
            let text = escaped_up_to(text, 60);
            format!("startedDateTime is not a time in RFC 3339: {text:?}")
        })?;
        // Programs write -1 for a time that they do not know. A response comes after its request.
        let milliseconds = self.entry.time.unwrap_or(0.0).max(SHORTEST_MS);
        match Duration::try_from_secs_f64(milliseconds / 1000.0) {
            Ok(time) if time <= LONGEST => Ok((began_at, time)),
            _ => Err(format!("time is {milliseconds}, which is more than a day")),
        }
    }

    fn judgeable(
        self,
        base: &Arc<BaseUrl>,
        limits: &Limits,
        values_left: usize,
    ) -> Result<Judgeable, Fault> {
        let (began_at, elapsed) = self.time().map_err(Fault::Wrong)?;
        let request = self.request(base);
        let sent = self.entry.request.as_ref();
        let is_own = self.entry.own.is_some();
        let response = self.entry.response.as_ref();
        let status = response.and_then(|response| response.status);
        // Programs write the status 0 or -1 if there was no response.
        let (Some(response), Some(status)) = (response, status.filter(|status| *status > 0)) else {
            return Err(Fault::Unjudged("no response recorded"));
        };
        let status = u16::try_from(status)
            .map_err(|_| Fault::Wrong(format!("response.status is {status}")))?;
        // Programs write -1 for a size that they do not know.
        let lacks_body =
            sent.is_some_and(|sent| sent.body().is_none() && sent.body_size != Some(0));
        if self.method == Method::Post && lacks_body {
            return Err(Fault::Unjudged("no request body recorded"));
        }
        if let Some(reason) = self.shows_nothing(&request, status) {
            return Err(Fault::Unjudged(reason));
        }
        let own = self.entry.own.unwrap_or_default();
        if own.hidden {
            return Err(Fault::Unjudged("with a hidden signature or header value"));
        }
        let body = body(response).map_err(Fault::Wrong)?;
        let body = body.ok_or(Fault::Unjudged("no body recorded"))?;
        let most = JsonLimits {
            values: values_left,
            depth: limits.depth,
        };
        let values = match request.path {
            "/docs" => Ok(0),
            _ => most.check(&body),
        };
        let values = values.map_err(|error| {
            Fault::Unjudged(match error {
                JsonTooLarge::Depth { .. } => TOO_DEEP,
                JsonTooLarge::Values { .. } => TOO_LARGE,
            })
        })?;
        if body.len() > limits.body {
            return Err(Fault::Unjudged(TOO_LARGE));
        }
        let headers = response.headers.as_ref();
        let text = |name: &str| header(headers, name).map(ToOwned::to_owned);
        let media = response.content.as_ref();
        let media = media.and_then(|content| content.mime_type.clone());
        let media = text("content-type").or(media.filter(|media| !media.is_empty()));
        let ended = began_at.saturating_add(elapsed.try_into().unwrap_or_default());
        let ended = ended.unix_timestamp_nanos() / 1_000_000;
        let mut exchange = Exchange::new(request, base, status, media, body, elapsed);
        // Other programs record the decoded body.
        exchange.content_encoding = text("content-encoding").filter(|_| is_own);
        exchange.location = text("location");
        exchange.etag = text("etag");
        exchange.fresh_for = fresh_for(text);
        exchange.received_at = TimestampMs::from_millis(i64::try_from(ended).unwrap_or(i64::MAX));
        exchange.is_repeated = own.repeated;
        exchange.values = values;
        Ok(Judgeable {
            exchange,
            of_sweep: own.of_sweep,
            began_at,
        })
    }

    /// Returns why a response shows nothing about the node, if so.
    fn shows_nothing(&self, request: &Request, status: u16) -> Option<&'static str> {
        let sent = self.entry.request.as_ref();
        let headers = sent.and_then(|sent| sent.headers.as_ref());
        let for_less = ["range", "if-none-match", "if-modified-since"];
        let is_for_less = for_less.iter().any(|name| header(headers, name).is_some());
        let names: BTreeSet<_> = request.query.iter().map(|(name, _)| name).collect();
        match status {
            _ if is_for_less => Some("only a change or a part requested"),
            _ if self.entry.from_cache.is_some() => Some("from a cache"),
            _ if self.entry.own.is_some() => None,
            // Some programs leave out headers of requests.
            304 => Some("only a change or a part requested"),
            // The exchange that it led to follows.
            301..=308 => Some("a redirect"),
            // The node may limit a program, or want credentials that it did not send with this request.
            401 | 403 | 407 | 408 | 425 | 429 => Some("not authorized or too many"),
            // Any of the values may count.
            _ if names.len() < request.query.len() => Some("with a parameter twice"),
            _ => None,
        }
    }

    /// Returns the request. A query in another form than this program's stays as it is in a file of this program.
    fn request(&self, base: &BaseUrl) -> Request {
        let own = self.entry.own.as_ref();
        let mut request = match self.method {
            Method::Get => Request::get(self.path),
            Method::Post => {
                let sent = self.entry.request.as_ref();
                let body = sent.and_then(|sent| sent.body()).unwrap_or_default();
                Request::post(self.path, body.to_owned())
            }
        };
        request.wording = own.map_or(Wording::Usual, |own| own.wording);
        request.finds_nothing = own.is_some_and(|own| own.finds_nothing);
        request.step = own.and_then(|own| own.step.clone());
        request.wrongly_signed = own.and_then(|own| own.wrongly_signed.clone());
        request.unlike_signed = own.and_then(|own| own.unlike_signed.clone());
        // A recorded submission can be submitted again, so no command shows it.
        request.carries_signature = self.path.starts_with("/submit");
        if own.is_some_and(|own| own.endpoint.is_some()) {
            request.moved = Some(self.url[url::Position::BeforePath..].to_owned());
            return request;
        }
        let Some(query) = self.url.query().filter(|query| !query.is_empty()) else {
            return request;
        };
        let named = self.url.query_pairs().map(|(name, value)| {
            let name = PARAMETERS.iter().find(|known| **known == name)?;
            Some((*name, value.into_owned()))
        });
        let named = Request {
            query: named.collect::<Option<_>>().unwrap_or_default(),
            ..request.clone()
        };
        let is_equal = named.url(base) == self.url;
        if is_equal || own.is_none() && !named.query.is_empty() {
            return named;
        }
        request.with_raw(query)
    }
}

/// Returns the base URL with the most requests. Of several, returns the first one in the file.
fn most_frequent(requests: &[Recorded]) -> Option<String> {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    // Other servers have pages at these paths, too.
    let of_nodes = |one: &&Recorded| !matches!(one.path, "/docs" | "/openapi.json");
    for one in requests.iter().filter(of_nodes) {
        let (count, place) = counts.entry(&one.base).or_default();
        *count += 1;
        if *count == 1 {
            *place = usize::MAX - one.place;
        }
    }
    let most = counts.into_iter().max_by_key(|(_, found)| *found);
    most.map(|(base, _)| base.to_owned())
}

/// Says where an exchange in another form is, and what is wrong with it.
fn wrong_entry((place, reason): &(usize, String)) -> String {
    format!("log.entries[{place}]: {reason}")
}

/// Returns the body of a response, or `None` if it was not recorded, or only a part of it.
fn body(response: &Response) -> Result<Option<Vec<u8>>, String> {
    let Some(content) = &response.content else {
        return Ok(None);
    };
    let encoding = content.encoding.as_deref().unwrap_or_default();
    let body = match &content.text {
        None => Vec::new(),
        Some(text) if encoding.is_empty() => text.clone().into_bytes(),
        Some(text) if encoding.eq_ignore_ascii_case("base64") => {
            let text: String = text.split_ascii_whitespace().collect();
            let body = STANDARD.decode(text);
            body.map_err(|error| format!("response.content.text is not base64: {error}"))?
        }
        Some(_) => {
            let encoding = escaped_up_to(encoding, 40);
            return Err(format!(
                "response.content.encoding is {encoding:?}; base64 is known"
            ));
        }
    };
    // A size can be that of the compressed body, which is smaller.
    let is_whole = match content.size.and_then(|size| usize::try_from(size).ok()) {
        Some(size) => size <= body.len(),
        None => content.text.is_some(),
    };
    Ok(is_whole.then_some(body))
}
