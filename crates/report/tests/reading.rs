//! A program that only reads reports needs only this crate.

#![expect(clippy::expect_used, reason = "a test fails if its setup fails")]

use std::collections::BTreeSet;

use nodeproof_report::{
    NodeReport, Outcome, Report, Style, case_line, case_text, compact, compare, github, html, json,
    junit, markdown_of_comparison, summary, text, text_of_changes, text_of_comparison,
};
use serde_json::{Value, json};

/// Text that would be markup, run a script, move a terminal's cursor, or reverse the reading order.
const HOSTILE: &str = "javascript:alert(1)//\"'></script><script>alert(2)</script><a href=javascript:alert(3)>\
                       <svg onload=alert(4)>\" onmouseover=\"alert(5)<img src=x>&amp;]]>`::error::%0A\
                       ##[error]`` [a](b) *c*\u{1b}[31m\u{9b}2J\u{7}\u{202e}\u{200b}\u{ffff}\r\nend";

/// Returns the report of one node, with every member of the format and every outcome.
fn one_node(text: &str) -> Value {
    let finding = |expected: &str| {
        json!({
            "what": text, "pointer": "/proof", "expected": expected, "actual": text, "curl": text,
            "exchange": 0, "block": 7, "count": 3, "sample": text,
            "signed": {"message": text, "message_bytes": 9, "digest": text, "verify": text},
        })
    };
    let cases = Outcome::WORST_FIRST.map(|outcome| {
        let outcome = outcome.name();
        json!({
            "id": format!("get-block/{outcome}"), "level": "must", "outcome": outcome, "aspect": "content",
            "reason": text, "note": text, "requirements": [{"id": text, "text": format!("`proof` {text}")}],
            "elapsed_ms": 1200, "snapshot": text, "findings": [finding(text), finding("one\nline")],
            "more_findings": 2, "exchanges": [0, 1],
        })
    });
    let mut cases = cases.to_vec();
    cases.push(json!({
        "id": "get-block/other", "level": "must", "outcome": "fail", "aspect": "content",
        "explained_by": text, "reason": text, "requirements": [], "elapsed_ms": 1,
    }));
    let exchange = json!({
        "method": "POST", "url": text, "request_body": text, "status": 200, "content_type": text,
        "elapsed_ms": 3, "body": text, "body_bytes": 4000, "curl": text,
    });
    let part = json!({"name": text, "exercised": false, "reason": text});
    let latency = json!({"responses": 3, "median_ms": 0.4, "p95_ms": 12.0, "max_ms": 12.5});
    json!({
        "target": {"base_url": text, "network": text},
        "verdict": "does-not-conform", "exit_code": 1, "reason": text, "notes": [text],
        "requests": 3, "most_requests": 100, "started_at": "2026-11-20T23:40:00Z", "elapsed_ms": 1500,
        "height": 9, "requested": [text], "not_rechecked": [text], "strict": true,
        "samples": {"blocks": 1, "claims": 1, "wallets": 1, "tokens": 1, "contract": text},
        "cost": {
            "requests_per_second": 2.5, "retries": 1, "latency": latency,
            "endpoints": [{"operation": text, "latency": latency}],
        },
        "sweep": {
            "blocks": "..", "from": 2, "to": 9, "none_below": 2, "next": 8, "done": false,
            "judged": 5, "missing": 1, "unread": 1, "findings": 3,
            "kinds": [{"case": "get-block/fail", "what": text, "count": 3, "blocks": [7]}],
            "trouble": text,
        },
        "cases": cases,
        "coverage": {
            "operations": [
                {
                    "operation": "get-block", "requests": 3, "statuses": [200, 404],
                    "parameters": [part], "fields": [part],
                },
                {
                    "operation": "submit-transaction", "requests": 0, "statuses": [],
                    "parameters": [], "fields": [], "reason": "it was not requested",
                },
            ],
            "unseen_fields": [text],
        },
        "exchanges": [exchange, exchange],
    })
}

/// Returns the report of one node.
fn alone(text: &str) -> Value {
    json!({
        "version": 2, "verdict": "does-not-conform", "exit_code": 1, "nodes": [one_node(text)],
    })
}

/// Returns the report of two nodes.
fn two_nodes(text: &str) -> Value {
    json!({
        "version": 2, "verdict": "does-not-conform", "exit_code": 1,
        "nodes": [one_node(text), one_node(text)],
        "cross_check": [
            {
                "id": "cross-check/blocks", "level": "must", "outcome": "fail", "aspect": "consistency",
                "reason": text, "requirements": [], "elapsed_ms": 0,
                "findings": [{
                    "what": text, "expected": text, "actual": text, "count": 2, "place": text,
                    "differs": [text], "values": [{"value": text, "nodes": [text, text]}],
                }],
                "more_findings": 1, "compared": 9,
            },
            {
                "id": "cross-check/height", "level": "must", "outcome": "inconclusive",
                "aspect": "consistency", "reason": text, "requirements": [], "elapsed_ms": 0,
                "compared": 0,
            },
        ],
    })
}

#[test]
fn a_report_read_back_is_the_same_and_renders_in_every_format() {
    for value in [alone("proof is missing"), two_nodes("proof is missing")] {
        let report = Report::from_json(&value.to_string()).expect("a report");
        let written = json(&report).expect("JSON");
        let written: Value = serde_json::from_str(&written).expect("JSON");
        assert_eq!(written, value);

        let nodes = report.nodes.len();
        let page = html(&report);
        assert_eq!(
            page.matches("<td data-label=\"Maximum\">12 ms</td>")
                .count(),
            nodes
        );
        assert_eq!(page.matches(" id=\"get-block/fail\"").count(), 1);
        assert!(page.contains("latest block 9") && page.contains("href=\"#latency-1\""));
        let xml = junit(&report).expect("XML");
        assert_eq!(xml.matches("name=\"get-block/fail\"").count(), nodes);
        let plain = text(&report, Style::Plain);
        let case = report.nodes[0]
            .cases
            .iter()
            .find(|case| case.outcome == Outcome::Fail);
        let case = case.expect("a case");
        assert!(
            plain.contains("does not conform: proof is missing"),
            "{plain}"
        );
        assert!(plain.contains(&case_text(case, Style::Plain)), "{plain}");
        assert_eq!(plain.contains("  at node   1, 2\n"), nodes == 2, "{plain}");
        assert_eq!(plain.contains("the nodes disagree"), nodes == 2, "{plain}");
        assert_eq!(
            case_line(case, Style::Plain),
            "fail         get-block/fail: proof is missing"
        );
        assert!(text(&report, Style::Coloured).contains("\u{1b}[31;1m"));
    }
}

/// Returns the characters that are invisible, or that a terminal acts on.
fn unseen(text: &str) -> String {
    let acts = |c: &char| c.is_control() && *c != '\n';
    let hidden =
        |c: &char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{ffff}');
    text.chars().filter(|c| acts(c) || hidden(c)).collect()
}

/// Asserts that markup in Markdown is inside code spans or blocks.
fn assert_only_in_code(text: &str) {
    let mut rest = text;
    let mut outside = String::new();
    while let Some(start) = rest.find('`') {
        outside.push_str(&rest[..start]);
        let ticks = rest[start..].chars().take_while(|c| *c == '`').count();
        let inside = &rest[start + ticks..];
        // The code ends at the next run of as many backticks.
        let mut at = 0;
        let end = loop {
            let next = inside[at..].find('`').map(|next| at + next);
            let next = next.expect("an end of the code");
            let run = inside[next..].chars().take_while(|c| *c == '`').count();
            if run == ticks {
                break next;
            }
            at = next + run;
        };
        let is_block = inside[..end].contains('\n');
        assert!(!is_block || ticks >= 3, "a span of several lines: {inside}");
        rest = &inside[end + ticks..];
    }
    outside.push_str(rest);
    for markup in ["<", "](", "*c*", "&amp;"] {
        assert!(!outside.contains(markup), "{outside}");
    }
}

/// Replaces each text in a report for which the report can still be read: all but the words of the format.
fn with_texts_everywhere(report: &Value, text: &str) -> Report {
    fn places(value: &Value, at: &str, found: &mut Vec<String>) {
        match value {
            Value::String(_) => found.push(at.to_owned()),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    places(item, &format!("{at}/{index}"), found);
                }
            }
            Value::Object(members) => {
                for (name, member) in members {
                    places(member, &format!("{at}/{name}"), found);
                }
            }
            _ => {}
        }
    }
    let (mut report, mut found) = (report.clone(), Vec::new());
    places(&report, "", &mut found);
    for place in found {
        let mut changed = report.clone();
        *changed.pointer_mut(&place).expect("a text") = text.into();
        if serde_json::from_value::<Report>(changed.clone()).is_ok() {
            report = changed;
        }
    }
    serde_json::from_value(report).expect("a report")
}

/// Returns the tags of a page, without its script and its style, whose content is not markup. What the
/// templates write has no `<` or `>` inside an attribute.
fn tags(page: &str) -> Vec<String> {
    let mut markup = page.to_owned();
    for name in ["script", "style"] {
        let (start, end) = (format!("<{name}"), format!("</{name}>"));
        assert_eq!(markup.matches(&start).count(), 1, "{name}");
        let (before, rest) = markup.split_once(&start).expect("a start");
        let (_, after) = rest.split_once(&end).expect("an end");
        markup = format!("{before}{after}");
    }
    let starts = markup.split('<').skip(1);
    let tags = starts.filter_map(|rest| rest.split_once('>'));
    tags.map(|(tag, _)| tag.to_owned()).collect()
}

/// Returns the names and values of a tag's attributes. A value without quotation marks is empty.
fn attributes(tag: &str) -> Vec<(&str, &str)> {
    let (_, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
    let mut found = Vec::new();
    while !rest.trim_start().is_empty() {
        let end = rest.find([' ', '=']).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let (value, after) = match after.strip_prefix("=\"") {
            Some(quoted) => quoted.split_once('"').expect("an end"),
            None => ("", after.strip_prefix('=').unwrap_or(after)),
        };
        found.push((name, value));
        rest = after.trim_start();
    }
    found
}

/// Asserts that no text of a report is a script, a link or an attribute of its page.
fn assert_harmless(page: &str, plain: &str) {
    // Only escaped, as text to be read.
    assert!(
        page.contains("&lt;svg onload=alert(4)&gt;&quot; onmouseover")
            && page.contains("\\u{202e}")
    );
    let name = |tag: String| tag.split([' ', '/']).next().map(str::to_owned);
    let names = |page: &str| -> BTreeSet<_> { tags(page).into_iter().filter_map(name).collect() };
    assert!(names(page).is_subset(&names(plain)), "{:?}", names(page));
    for tag in tags(page) {
        for (name, value) in attributes(&tag) {
            assert!(!name.starts_with("on"), "{tag}");
            let is_link = ["href", "src", "action", "xlink:href"].contains(&name);
            assert!(!is_link || value.starts_with('#'), "{tag}");
        }
    }
}

/// Returns the report of an earlier run, which found less.
fn earlier(report: &Report, passes: bool) -> Report {
    let mut before = report.clone();
    for case in before.nodes.iter_mut().flat_map(|node| &mut node.cases) {
        case.findings.clear();
        if passes {
            case.outcome = Outcome::Pass;
        }
    }
    before.cross_check.truncate(1);
    before
}

#[test]
fn no_format_lets_hostile_text_through() {
    for value in [alone("x"), two_nodes("x")] {
        let report = with_texts_everywhere(&value, HOSTILE);
        let ids = |node: &NodeReport| node.cases.iter().all(|case| case.id == HOSTILE);
        assert!(report.nodes.iter().all(ids), "texts");
        // Cases with one ID are one row, so each has its own, too.
        let mut apart = report.clone();
        for node in &mut apart.nodes {
            for (place, case) in node.cases.iter_mut().enumerate() {
                case.id = format!("{place}/{HOSTILE}");
            }
        }
        let plain: Report = serde_json::from_value(value).expect("a report");
        for report in [report, apart] {
            let page = html(&report);
            assert_harmless(&page, &html(&plain));
            let annotations = github(&report);
            for line in annotations.lines() {
                let ours = ["::error title=", "::warning title=", "::notice title="];
                assert!(ours.iter().any(|start| line.starts_with(start)), "{line}");
                assert!(!line.contains("##["), "{line}");
            }
            let mut markdown = vec![summary(&report)];
            let mut texts = vec![
                page,
                annotations,
                compact(&report, Style::Plain),
                json(&report).expect("JSON"),
                junit(&report).expect("XML"),
                text(&report, Style::Plain),
            ];
            for earlier in [false, true].map(|passes| earlier(&report, passes)) {
                for (before, after) in [(&earlier, &report), (&report, &earlier)] {
                    for comparison in compare(before, after) {
                        texts.push(text_of_comparison(&comparison, Style::Plain));
                        texts.push(text_of_changes(&comparison, Style::Plain));
                        markdown.push(markdown_of_comparison(&comparison));
                    }
                }
            }
            for text in &markdown {
                assert_only_in_code(text);
            }
            for text in texts.iter().chain(&markdown) {
                assert_eq!(unseen(text), "");
            }
        }
    }
}
