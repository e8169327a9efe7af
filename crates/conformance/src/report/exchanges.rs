//! What was asked and answered, as reports tell it: cut short, escaped, and each exchange once.

use std::{collections::HashMap, sync::Arc};

use nodeproof_primitives::escape::{escaped, escaped_up_to, excerpt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::CaseReport;
use crate::{http::Exchange, run::Ended};

/// The most that is kept of a body, in bytes.
const MOST_BODY: usize = 8 * 1024;
/// The most that is kept of a URL, in characters.
const MOST_URL: usize = 2 * 1024;
/// The longest shell line; a longer one would be cut, and then ask something else.
const MOST_CURL: usize = 16 * 1024;
/// The largest body that is read again in order to indent it.
const MOST_INDENTED: usize = 1024 * 1024;
/// The most exchanges that are listed for a case, besides those of its findings.
const MOST_LISTED: usize = 10;
/// Once so many bytes of bodies are in a report, those that no finding is about are cut to a line.
const MOST_BODIES: usize = 2 * 1024 * 1024;

/// One request and its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ExchangeReport {
    /// `GET` or `POST`.
    pub method: String,
    /// The URL that was asked.
    pub url: String,
    /// The start of what was sent, indented where it is JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_body: Option<String>,
    /// The HTTP status.
    pub status: u16,
    /// The `Content-Type`, if the answer had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// From sending the request until the answer's last byte, in milliseconds.
    pub elapsed_ms: u64,
    /// The start of the answer's body, indented where it is JSON, with unseen characters written
    /// out as `\u{…}`; it ends with `…` where it is cut.
    pub body: String,
    /// How many bytes the body has.
    pub body_bytes: u64,
    /// A shell line that asks again; none where it would be too long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curl: Option<String>,
}

impl ExchangeReport {
    pub(crate) fn of(exchange: &Exchange) -> Self {
        let is_json = |body: &[u8]| body.len() <= MOST_INDENTED && exchange.json().is_ok();
        let curl = exchange.curl();
        let sent = exchange.request.body.as_deref();
        Self {
            method: exchange.request.method.name().to_owned(),
            url: escaped_up_to(exchange.url().as_str(), MOST_URL),
            request_body: sent.map(|body| {
                let is_json = body.len() <= MOST_INDENTED
                    && serde_json::from_str::<serde::de::IgnoredAny>(body).is_ok();
                shown(body.as_bytes(), is_json)
            }),
            status: exchange.status,
            content_type: exchange
                .content_type
                .as_deref()
                .map(|media| escaped_up_to(media, 200)),
            elapsed_ms: u64::try_from(exchange.elapsed.as_millis()).unwrap_or(u64::MAX),
            body: shown(&exchange.body, is_json(&exchange.body)),
            body_bytes: u64::try_from(exchange.body.len()).unwrap_or(u64::MAX),
            curl: (curl.len() <= MOST_CURL).then_some(curl),
        }
    }

    /// The same with no more of the body than fits in a line or two.
    fn without_most_of_its_body(&self) -> Self {
        Self {
            body: escaped_up_to(&self.body, 200),
            ..self.clone()
        }
    }
}

/// The start of a body as harmless text; only its line ends are left as they are.
fn shown(body: &[u8], is_json: bool) -> String {
    if is_json {
        let (text, cut) = indented(&String::from_utf8_lossy(body), MOST_BODY);
        return escaped_lines(&text) + if cut { "…" } else { "" };
    }
    // What is cut within a line end or a character is seen to by the excerpt.
    let kept = body.get(..MOST_BODY).unwrap_or(body);
    let lines: Vec<_> = kept
        .split(|byte| *byte == b'\n')
        .map(|line| excerpt(line, usize::MAX))
        .collect();
    lines.join("\n") + if kept.len() < body.len() { "…" } else { "" }
}

/// The text with everything escaped but its line ends.
pub(crate) fn escaped_lines(text: &str) -> String {
    text.split('\n').map(escaped).collect::<Vec<_>>().join("\n")
}

/// A JSON document's own text with line ends and indentation, until it is `most` bytes long; and
/// whether something was cut.
///
/// No value is read and written again, so numbers, escapes and duplicate members show as they came.
fn indented(json: &str, most: usize) -> (String, bool) {
    let mut out = String::with_capacity(json.len().min(most) * 2);
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut after_backslash = false;
    // An empty object or array stays on its line, so what opens one waits for what comes next.
    let mut opened = false;
    for character in json.chars() {
        if out.len() >= most {
            return (out, true);
        }
        if in_string {
            out.push(character);
            in_string = after_backslash || character != '"';
            after_backslash = !after_backslash && character == '\\';
            continue;
        }
        if character.is_whitespace() {
            continue;
        }
        let closes = matches!(character, '}' | ']');
        if closes {
            depth = depth.saturating_sub(1);
        }
        if opened != closes {
            new_line(&mut out, depth);
        }
        opened = matches!(character, '{' | '[');
        match character {
            '{' | '[' => depth += 1,
            ',' => {}
            _ => in_string = character == '"',
        }
        out.push(character);
        match character {
            ',' => new_line(&mut out, depth),
            ':' => out.push(' '),
            _ => {}
        }
    }
    (out, false)
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    out.push_str(&"  ".repeat(depth.min(20)));
}

/// The exchanges of a report, each once, in the order in which its cases name them.
#[derive(Debug, Default)]
pub(crate) struct Exchanges {
    listed: Vec<ExchangeReport>,
    /// By address: the same exchange is shared, and not merely equal.
    places: HashMap<*const ExchangeReport, usize>,
    bodies: usize,
}

impl Exchanges {
    /// The case's report with the places of what it looked at: all that its findings are about, and
    /// the first others.
    pub(crate) fn named_by(&mut self, ended: &Ended, mut case: CaseReport) -> CaseReport {
        for (told, finding) in case.findings.iter_mut().zip(&ended.findings) {
            let place = finding
                .exchange
                .as_ref()
                .map(|exchange| self.place(exchange, true));
            told.exchange = place;
            if let Some(place) = place.filter(|place| !case.exchanges.contains(place)) {
                case.exchanges.push(place);
            }
        }
        for exchange in ended.asked.iter().take(MOST_LISTED) {
            let place = self.place(exchange, false);
            if !case.exchanges.contains(&place) {
                case.exchanges.push(place);
            }
        }
        case
    }

    fn place(&mut self, exchange: &Arc<ExchangeReport>, found: bool) -> usize {
        if let Some(place) = self.places.get(&Arc::as_ptr(exchange)) {
            if found && self.listed[*place].body != exchange.body {
                self.listed[*place] = ExchangeReport::clone(exchange);
            }
            return *place;
        }
        let told = if found || self.bodies < MOST_BODIES {
            ExchangeReport::clone(exchange)
        } else {
            exchange.without_most_of_its_body()
        };
        self.bodies += told.body.len();
        let place = self.listed.len();
        self.listed.push(told);
        self.places.insert(Arc::as_ptr(exchange), place);
        place
    }

    pub(crate) fn into_list(self) -> Vec<ExchangeReport> {
        self.listed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indents_a_document_and_leaves_its_text_alone() {
        let (text, cut) = indented(
            r#"{"a":[ ],"b" : [1E3,-0, 9007199254740993],"a":"x, {y}: \" z","c":{}}"#,
            1000,
        );
        assert!(!cut);
        assert_eq!(
            text,
            "{\n  \"a\": [],\n  \"b\": [\n    1E3,\n    -0,\n    9007199254740993\n  ],\n  \
             \"a\": \"x, {y}: \\\" z\",\n  \"c\": {}\n}"
        );
    }

    #[test]
    fn what_is_nested_without_end_stays_short() {
        let (text, cut) = indented(&"[".repeat(100_000), 4096);
        assert!(cut && text.len() < 4200);
    }

    #[test]
    fn a_body_is_harmless_whatever_it_holds() {
        let json = shown("{\"a\":\"\u{202e}\u{9b}\"}".as_bytes(), true);
        assert_eq!(json, "{\n  \"a\": \"\\u{202e}\\u{9b}\"\n}");
        let other = shown(b"a\x1b[31m\n\xff\0", false);
        assert_eq!(other, "a\\u{1b}[31m\n\u{fffd}\\u{0}");
        let long = shown(&b"x".repeat(10_000), false);
        assert!(long.ends_with("x…") && long.len() < 8200);
    }
}
