//! A program that only reads reports needs only this crate.

#![expect(clippy::expect_used, reason = "a test fails if its setup fails")]

use std::{collections::BTreeSet, process::Command};

use nodeproof_report::{
    AnyReport, NodesReport, Report, Style, case_line, case_text, compact, compare, github, html,
    json, junit, markdown_of_comparison, nodes_compact, nodes_github, nodes_html, nodes_junit,
    nodes_summary, nodes_text, summary, text, text_of_comparison,
};
use serde_json::Value;

/// Text that would be markup, move a terminal's cursor, or reverse the reading order.
const HOSTILE: &str = "</script><img src=x>\"'&amp;]]>`::error::%0A##[error]`` [a](b) *c*\u{1b}[31m\u{9b}2J\u{7}\u{202e}\u{200b}\u{ffff}\r\nend";

/// Returns the report of one node, with every member of the format and every outcome.
fn one_node(text: &str) -> Value {
    let outcomes = [
        "pass",
        "fail",
        "warn",
        "info",
        "inconclusive",
        "skipped",
        "known",
        "stale",
    ];
    let finding = |expected: &str| {
        serde_json::json!({
            "what": text, "pointer": "/proof", "expected": expected, "actual": text, "curl": text,
            "exchange": 0, "block": 7, "count": 3,
            "signed": {"message": text, "message_bytes": 9, "digest": text, "verify": text},
        })
    };
    let cases = outcomes.map(|outcome| {
        serde_json::json!({
            "id": format!("get-block/{outcome}"), "level": "must", "outcome": outcome, "aspect": "content",
            "reason": text, "note": text, "requirements": [{"id": text, "text": format!("`proof` {text}")}],
            "expected": text, "actual": text, "curl": text, "elapsed_ms": 1200,
            "snapshot": text, "findings": [finding(text), finding("one\nline")],
            "more_findings": 2, "exchanges": [0, 1],
        })
    });
    let exchange = serde_json::json!({
        "method": "POST", "url": text, "request_body": text, "status": 200, "content_type": text,
        "elapsed_ms": 3, "body": text, "body_bytes": 4000, "curl": text,
    });
    let part = serde_json::json!({"name": text, "exercised": false, "reason": text});
    serde_json::json!({
        "version": 1,
        "target": {"base_url": text, "network": text},
        "verdict": "does-not-conform", "exit_code": 1, "reason": text, "notes": [text],
        "requests": 3, "most_requests": 100,
        "started_at": "2026-11-20T23:40:00Z", "elapsed_ms": 1500, "strict": true,
        "cost": {
            "requests_per_second": 2.5, "latency": {
                "responses": 3, "median_ms": 0.4, "p95_ms": 12.0, "max_ms": 12.5,
            },
            "endpoints": [{
                "operation": text, "latency": {
                    "responses": 3, "median_ms": 0.4, "p95_ms": 12.0, "max_ms": 12.5,
                },
            }],
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

/// Returns the report of two nodes.
fn two_nodes(text: &str) -> Value {
    serde_json::json!({
        "version": 1, "verdict": "does-not-conform", "exit_code": 1,
        "nodes": [one_node(text), one_node(text)],
        "heights": [
            {"base_url": text, "height": 9}, {"base_url": text, "height": u64::MAX},
        ],
        "cross_check": [
            {
                "id": "cross-check/blocks", "outcome": "fail", "compared": 9,
                "findings": [{
                    "what": text, "place": text, "count": 2, "differs": [text],
                    "values": [{"value": text, "nodes": [text, text]}],
                }],
                "more_findings": 1,
            },
            {
                "id": "cross-check/height", "outcome": "inconclusive", "compared": 0,
                "reason": text,
            },
        ],
    })
}

/// Returns the characters that are invisible, or that a terminal acts on.
fn unseen(text: &str) -> String {
    let acts = |c: &char| c.is_control() && *c != '\n';
    let hidden =
        |c: &char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{ffff}');
    text.chars().filter(|c| acts(c) || hidden(c)).collect()
}

#[test]
fn a_report_read_back_is_the_same_and_renders_in_every_format() {
    let value = one_node("proof is missing");
    let report: Report = serde_json::from_value(value.clone()).expect("a report");
    let written = json(&report).expect("JSON");
    assert_eq!(
        serde_json::from_str::<Value>(&written).expect("JSON"),
        value
    );

    let page = html(&report);
    assert!(page.contains("Does not conform"));
    assert!(page.contains("href=\"#latency\""));
    assert!(page.contains("<td data-label=\"Maximum\">12 ms</td>"));
    assert!(junit(&report).expect("XML").contains("get-block/fail"));
    let plain = text(&report, Style::Plain);
    assert!(plain.contains("does not conform: proof is missing"));
    assert!(plain.contains(&case_text(&report.cases[1], Style::Plain)));
    assert_eq!(
        case_line(&report.cases[1], Style::Plain),
        "fail         get-block/fail: proof is missing"
    );
    assert!(text(&report, Style::Coloured).contains("\u{1b}[31;1m"));
}

#[test]
fn a_report_of_nodes_read_back_is_the_same_and_renders_in_every_format() {
    let value = two_nodes("proof is missing");
    let report: NodesReport = serde_json::from_value(value.clone()).expect("a report");
    let written = json(&report).expect("JSON");
    assert_eq!(
        serde_json::from_str::<Value>(&written).expect("JSON"),
        value
    );

    let page = nodes_html(&report);
    assert!(page.contains("<th>node 2</th>") && page.contains("id=\"latency-2\""));
    assert!(page.contains("<td data-label=\"Latest block\">9</td>"));
    let xml = nodes_junit(&report).expect("XML");
    assert_eq!(xml.matches("<testsuite ").count(), 3);
    let plain = nodes_text(&report, Style::Plain);
    assert!(plain.contains("the nodes disagree"));
}

/// Asserts that markup in Markdown is inside code spans.
fn assert_only_in_code<'t>(texts: impl Iterator<Item = &'t str>) {
    for line in texts.flat_map(str::lines) {
        let mut outside = String::new();
        let mut rest = line;
        while let Some(start) = rest.find('`') {
            outside.push_str(&rest[..start]);
            let ticks = rest[start..].chars().take_while(|c| *c == '`').count();
            let inside = &rest[start + ticks..];
            // The span ends at the next run of as many backticks.
            let mut at = 0;
            let end = loop {
                let next = inside[at..].find('`').map(|next| at + next);
                assert!(next.is_some(), "a span without an end: {line}");
                let next = next.unwrap_or_default();
                let run = inside[next..].chars().take_while(|c| *c == '`').count();
                if run == ticks {
                    break next;
                }
                at = next + run;
            };
            rest = &inside[end + ticks..];
        }
        outside.push_str(rest);
        for markup in ["<", "](", "*c*", "&amp;"] {
            assert!(!outside.contains(markup), "{outside}");
        }
    }
}

#[test]
fn no_format_lets_hostile_text_through() {
    let mut one: Report = serde_json::from_value(one_node(HOSTILE)).expect("a report");
    let mut nodes: NodesReport = serde_json::from_value(two_nodes(HOSTILE)).expect("a report");
    for case in nodes
        .nodes
        .iter_mut()
        .chain([&mut one])
        .flat_map(|node| &mut node.cases)
    {
        case.id = format!("{HOSTILE}/{}", case.id);
    }
    nodes.cross_check[0].id = HOSTILE.to_owned();
    for page in [html(&one), nodes_html(&nodes)] {
        assert_eq!(unseen(&page), "");
        assert_eq!(page.matches("<script").count(), 1);
        assert_eq!(page.matches("<img").count(), 0);
        assert!(page.contains("&lt;img src=x&gt;") && page.contains("\\u{202e}"));
    }
    let (mut comparisons, mut markdown) = (Vec::new(), Vec::new());
    for passing in [false, true] {
        let mut before = nodes.clone();
        for case in before.nodes.iter_mut().flat_map(|node| &mut node.cases) {
            case.findings.clear();
            if passing {
                case.outcome = nodeproof_report::Outcome::Pass;
            }
        }
        before.cross_check.remove(0);
        let pair = [AnyReport::from(before), AnyReport::from(nodes.clone())];
        for (before, after) in [(&pair[0], &pair[1]), (&pair[1], &pair[0])] {
            for comparison in compare(before, after).expect("reports of one kind") {
                comparisons.push(text_of_comparison(&comparison, Style::Plain));
                markdown.push(markdown_of_comparison(&comparison));
            }
        }
    }
    let annotations = [github(&one), nodes_github(&nodes)];
    for line in annotations.iter().flat_map(|text| text.lines()) {
        let ours = ["::error title=", "::warning title=", "::notice title="];
        assert!(ours.iter().any(|start| line.starts_with(start)), "{line}");
        assert!(!line.contains("##["), "{line}");
    }
    let summaries = [summary(&one), nodes_summary(&nodes)];
    assert_only_in_code(summaries.iter().chain(&markdown).map(String::as_str));
    let texts = [
        compact(&one, Style::Plain),
        nodes_compact(&nodes, Style::Plain),
        json(&one).expect("JSON"),
        json(&nodes).expect("JSON"),
        junit(&one).expect("XML"),
        nodes_junit(&nodes).expect("XML"),
        text(&one, Style::Plain),
        nodes_text(&nodes, Style::Plain),
    ];
    for text in texts
        .iter()
        .chain(&annotations)
        .chain(&summaries)
        .chain(&comparisons)
        .chain(&markdown)
    {
        assert_eq!(unseen(text), "");
    }
}

/// Text that would run a script as a link, as an attribute, or as markup.
const SCRIPT: &str = "javascript:alert(1)//\"'><script>alert(2)</script><a href=javascript:alert(3)>\
                      <svg onload=alert(4)>\" onmouseover=\"alert(5)";

/// Replaces each text in a report for which the report can still be read: all but the words of the format.
fn with_texts_everywhere<T: serde::de::DeserializeOwned>(report: &Value, text: &str) -> T {
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
        if serde_json::from_value::<T>(changed.clone()).is_ok() {
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

#[test]
fn no_text_of_a_report_becomes_a_script_a_link_or_an_attribute_of_its_page() {
    let mut with_more = one_node("x");
    with_more["cases"][4]["explained_by"] = "x".into();
    with_more["requested"] = serde_json::json!(["x"]);
    with_more["not_rechecked"] = serde_json::json!(["x"]);
    with_more["samples"] = serde_json::json!({
        "blocks": 1, "claims": 1, "wallets": 1, "tokens": 1, "contract": "x",
    });
    let one: Report = with_texts_everywhere(&with_more, SCRIPT);
    assert!(one.cases.iter().all(|case| case.id == SCRIPT), "texts");
    let nodes: NodesReport = with_texts_everywhere(&two_nodes("x"), SCRIPT);
    let plain: Report = serde_json::from_value(with_more).expect("a report");
    let plain_nodes: NodesReport = serde_json::from_value(two_nodes("x")).expect("a report");
    for (page, plain) in [
        (html(&one), html(&plain)),
        (nodes_html(&nodes), nodes_html(&plain_nodes)),
    ] {
        // Only escaped, as text to be read.
        assert!(page.contains("&lt;svg onload=alert(4)&gt;&quot; onmouseover"));
        let name = |tag: String| tag.split([' ', '/']).next().map(str::to_owned);
        let names =
            |page: &str| -> BTreeSet<_> { tags(page).into_iter().filter_map(name).collect() };
        assert!(names(&page).is_subset(&names(&plain)), "{:?}", names(&page));
        for tag in tags(&page) {
            for (name, value) in attributes(&tag) {
                assert!(!name.starts_with("on"), "{tag}");
                let is_link = ["href", "src", "action", "xlink:href"].contains(&name);
                assert!(!is_link || value.starts_with('#'), "{tag}");
            }
        }
    }
}

#[test]
fn reading_reports_takes_no_http_client_no_schema_validator_and_no_runtime() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["tree", "--locked", "--package", "nodeproof-report"])
        .args(["--edges", "normal,build", "--prefix", "none"])
        .args(["--format", "{p}"])
        .output()
        .expect("cargo starts");
    let tree = String::from_utf8(output.stdout).expect("text");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    let packages: Vec<_> = tree
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert!(packages.contains(&"quick-junit"), "{tree}");
    for forbidden in [
        "reqwest",
        "hyper",
        "jsonschema",
        "tokio",
        "nodeproof-client",
        "nodeproof-conformance",
    ] {
        assert!(!packages.contains(&forbidden), "{forbidden}: {tree}");
    }
}
