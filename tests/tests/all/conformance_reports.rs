//! The reports of real runs, as a CI server, a browser or a program reads them.

#![expect(clippy::expect_used, reason = "a test fails if its setup fails")]

use std::sync::Arc;

use integration_tests::{
    observed_node,
    proxy::Proxy,
    watch::{WHOLE_RUN, check},
};
use nodeproof_conformance::{
    Options,
    report::{self, NodeReport, Outcome, Report, Style},
};
use nodeproof_devnode::{BlockTime, ChainTime, Config};
use nodeproof_primitives::Network;
use roxmltree::{Document, Node};
use serde_json::{Value, json};

async fn devnode() -> nodeproof_devnode::Handle {
    let mut config = Config::new(Network::Devnet);
    config.port = Some(0);
    config.block_time = BlockTime::Manual;
    config.time = ChainTime::FIXED;
    nodeproof_devnode::spawn(config)
        .await
        .expect("a local node")
}

async fn of_observed_node() -> NodeReport {
    let node = observed_node::spawn().await.expect("a node");
    check(&node.base_url(), &Options::default()).await
}

fn test_case<'d>(document: &'d Document<'_>, id: &str) -> Node<'d, 'd> {
    let mut elements = document.descendants();
    elements
        .find(|node| node.has_tag_name("testcase") && node.attribute("name") == Some(id))
        .expect("the case is in the document")
}

fn child<'d>(node: Node<'d, 'd>, name: &str) -> Option<Node<'d, 'd>> {
    node.children().find(|child| child.has_tag_name(name))
}

fn total(document: &Document<'_>, name: &str) -> usize {
    let root = document.root_element();
    root.attribute(name)
        .expect("a total")
        .parse()
        .expect("a number")
}

#[tokio::test]
async fn junit_shows_a_finding_in_full() {
    let report = of_observed_node().await;
    let xml = report::junit(&report.clone().into()).expect("JUnit XML");
    let document = Document::parse(&xml).expect("well-formed XML");

    let failure = child(test_case(&document, "get-block/committee"), "failure").expect("a failure");
    assert_eq!(failure.attribute("type"), Some("must"));
    let message = failure.attribute("message").expect("a message");
    assert_eq!(message, "committee is a string that contains a JSON array");
    let text = failure.text().expect("text");
    for part in [
        "requires  BLOCK-11: `committee` is an array",
        "at        /committee",
        "found     committee is a string",
        "actual    ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(
        text.contains("try       curl -sS --globoff 'http://127.0.0.1:"),
        "{text}"
    );

    let skipped =
        child(test_case(&document, "get-block/receipt-vote"), "skipped").expect("skipped");
    assert!(
        skipped
            .attribute("message")
            .is_some_and(|message| message.contains("no response had a place"))
    );

    let properties: Vec<_> = document
        .descendants()
        .find(|node| node.has_tag_name("properties"))
        .expect("properties")
        .children()
        .filter_map(|node| Some((node.attribute("name")?, node.attribute("value")?)))
        .collect();
    assert!(properties.contains(&("base_url", report.target.base_url.as_str())));
    for property in [
        ("network", "devnet"),
        ("verdict", "does-not-conform"),
        ("exit_code", "1"),
    ] {
        assert!(properties.contains(&property), "{properties:?}");
    }
}

#[tokio::test]
async fn a_run_that_reaches_nothing_is_red_in_ci_and_says_so_on_its_page() {
    let report = check("http://127.0.0.1:1", &Options::default()).await;
    assert_eq!(report.exit_code, 3);
    let xml = report::junit(&report.clone().into()).expect("JUnit XML");
    let document = Document::parse(&xml).expect("well-formed XML");
    assert_eq!(
        (total(&document, "errors"), total(&document, "failures")),
        (1, 0)
    );
    let error = child(test_case(&document, "run/has-verdict"), "error").expect("an error");
    assert_eq!(error.attribute("type"), Some("unreachable"));
    assert!(error.text().is_some_and(|text| !text.trim().is_empty()));
    assert!(report::html(&report.into()).contains("has no verdict"));
}

/// The counts of the terminal are those of the page.
#[tokio::test]
async fn the_page_counts_cases_as_the_terminal_does() {
    let report = Report::from(of_observed_node().await);
    let text = report::text(&report, Style::Plain);
    let counts = text
        .lines()
        .find(|line| line.contains(" explained by others;"));
    let (counts, _) = counts
        .and_then(|line| line.split_once(';'))
        .expect("the counts");
    let page = report::html(&report);
    for part in counts.split(", ") {
        let (count, words) = part.split_once(' ').expect("a count");
        assert!(
            page.contains(&format!("<b>{count}</b> {words}</li>")),
            "{part}"
        );
        let filter = format!("{words} <b>{count}</b></button>");
        assert!(page.contains(&filter), "{filter}");
    }
}

#[tokio::test]
async fn every_finding_comes_with_its_exchange() {
    let report = of_observed_node().await;
    for case in &report.cases {
        for finding in &case.findings {
            let place = finding.exchange.expect("a place");
            assert!(case.exchanges.contains(&place));
            let exchange = report.exchanges.get(place).expect("an exchange");
            assert_eq!(exchange.curl, finding.curl);
        }
        for place in &case.exchanges {
            assert!(*place < report.exchanges.len(), "{}", case.id);
        }
        let decided = matches!(case.outcome, Outcome::Pass | Outcome::Fail | Outcome::Warn);
        assert!(
            // These cases look at the requests of the whole run, and find nothing here.
            !decided
                || !case.exchanges.is_empty()
                || WHOLE_RUN.contains(&case.id.as_str())
                || ["http/caching", "http/no-retries", "http/responds"].contains(&case.id.as_str()),
            "{} looked at nothing",
            case.id
        );
    }
    let committee = report
        .cases
        .iter()
        .find(|case| case.id == "get-block/committee");
    let first = committee.expect("the case").exchanges[0];
    let body = &report.exchanges[first].body;
    assert!(body.starts_with("{\n  \"block_index\": 1,\n"), "{body}");
}

/// Returns the report without times.
fn timeless(report: &NodeReport) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(members) => {
                members.retain(|name, _| {
                    !["elapsed_ms", "started_at", "cost"].contains(&name.as_str())
                });
                // Each built transaction has its own code and time.
                if members.get("pointer") == Some(&Value::from("/transaction/timestamp")) {
                    members.remove("actual");
                }
                if let Some(Value::String(body)) = members.get_mut("body")
                    && body.contains("trans_code")
                {
                    body.clear();
                }
                members.values_mut().for_each(strip);
            }
            Value::Array(items) => items.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let mut value = serde_json::to_value(report).expect("JSON");
    strip(&mut value);
    value
}

#[tokio::test]
async fn runs_against_an_idle_node_differ_in_nothing_but_times() {
    let good = devnode().await;
    let failing = observed_node::spawn().await.expect("a node");
    for base_url in [good.base_url().to_string(), failing.base_url()] {
        let mut first = None;
        for jobs in [1, 4, 16, 1] {
            let mut options = Options::default();
            options.limits.jobs = jobs;
            let mut report = timeless(&check(&base_url, &options).await);
            if jobs == 1 {
                // With one connection, half of a call is not held on another one, and no GET is sent beside it.
                let requests = report["requests"].as_u64().expect("a number");
                report["requests"] = (requests + 2).into();
            }
            let first = first.get_or_insert_with(|| report.clone());
            let text = |report: &Value| serde_json::to_string_pretty(report).expect("JSON");
            let (before, now) = (text(first), text(&report));
            assert!(
                before == now,
                "{jobs} jobs make another report of {base_url}:\n{}",
                similar::TextDiff::from_lines(&before, &now).unified_diff()
            );
        }
    }
}

#[tokio::test]
async fn the_page_allows_its_own_script_and_style_and_nothing_else() {
    let html = report::html(&of_observed_node().await.into());
    let policy = html
        .split_once("http-equiv=\"Content-Security-Policy\" content=\"")
        .and_then(|(_, rest)| rest.split_once('"'))
        .expect("a policy")
        .0
        .replace("&#39;", "'");
    let parts: Vec<_> = policy.split("; ").collect();
    assert_eq!(parts[0], "default-src 'none'");
    assert!(parts.contains(&"base-uri 'none'") && parts.contains(&"form-action 'none'"));
    for unsafe_source in ["unsafe", "*", "http", "data:", "self"] {
        assert!(!policy.contains(unsafe_source), "{policy}");
    }
    // The page loads nothing, so it looks the same in every place.
    for fetched in ["src=", "url(", "@import", "<link", "<base", "<iframe"] {
        assert!(!html.contains(fetched), "{fetched}");
    }
    let at = |part: &str| html.find(part).expect("it is there");
    assert!(at("Content-Security-Policy") < at("<style") && at("<style") < at("<script"));
}

#[tokio::test]
async fn what_is_asked_many_times_does_not_make_a_report_grow_without_end() {
    let good = devnode().await;
    let padding = "x".repeat(300_000);
    let proxy = Proxy::spawn(
        good.base_url(),
        Arc::new(move |_, response| response.with_json(|value| value["padding"] = json!(padding))),
    )
    .await
    .expect("a proxy");
    let report = check(&proxy.server.base_url(), &Options::default()).await;
    let json = report::json(&report.clone().into()).expect("JSON");
    assert!(json.len() < 2_000_000, "{} bytes", json.len());
    assert!(
        report
            .exchanges
            .iter()
            .any(|one| one.body_bytes > 300_000 && one.body.ends_with('…'))
    );
}
