//! Exchanges in the form that reports show: shortened and escaped.

use std::sync::Arc;

use nodeproof_primitives::escape::{escaped_lines, escaped_up_to, excerpt};
use nodeproof_report::ExchangeReport;

use super::exchange::Exchange;

/// Maximum length of a body, in bytes.
const MAX_BODY: usize = 8 * 1024;
/// Maximum length of a URL, in characters.
const MAX_URL: usize = 2 * 1024;
/// Maximum length of a shell command, in bytes. A longer one is left out: shortened, it would send
/// something else.
const MAX_CURL: usize = 16 * 1024;
/// Maximum length of a body that is indented, in bytes.
const MAX_INDENTED: usize = 1024 * 1024;

/// Returns the report of an exchange.
///
/// It is created once for each exchange, because reports list each exchange once.
pub(crate) fn report_of(exchange: &Exchange) -> Arc<ExchangeReport> {
    let report = || Arc::new(exchange_report(exchange));
    Arc::clone(exchange.derived.report.get_or_init(report))
}

/// Converts an exchange into its report.
fn exchange_report(exchange: &Exchange) -> ExchangeReport {
    let is_json = |body: &[u8]| body.len() <= MAX_INDENTED && exchange.json().is_ok();
    let curl = exchange.curl();
    let sent = exchange.request.body.as_deref();
    ExchangeReport {
        method: exchange.request.method.name().to_owned(),
        url: escaped_up_to(exchange.url().as_str(), MAX_URL),
        request_body: sent.map(|body| {
            let is_json = body.len() <= MAX_INDENTED
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
        curl: (curl.len() <= MAX_CURL && !exchange.request.carries_signature).then_some(curl),
    }
}

/// Returns the start of a body as escaped text. Line ends are preserved.
fn shown(body: &[u8], is_json: bool) -> String {
    if is_json {
        let (text, cut) = indented(&String::from_utf8_lossy(body), MAX_BODY);
        return escaped_lines(&text) + if cut { "…" } else { "" };
    }
    // The excerpt handles a line end or a character that the limit splits.
    let kept = body.get(..MAX_BODY).unwrap_or(body);
    let lines: Vec<_> = kept
        .split(|byte| *byte == b'\n')
        .map(|line| excerpt(line, usize::MAX))
        .collect();
    lines.join("\n") + if kept.len() < body.len() { "…" } else { "" }
}

/// Returns a JSON document with line ends and indentation, and whether it was cut at `most` bytes.
///
/// Values are not parsed, so numbers, escapes and duplicate members stay unchanged.
pub(crate) fn indented(json: &str, most: usize) -> (String, bool) {
    let mut out = String::with_capacity(json.len().min(most) * 2);
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut after_backslash = false;
    // An empty object or array stays on one line, so the line end after an opening bracket is delayed.
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
