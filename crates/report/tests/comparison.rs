//! The differences between two runs.

#![expect(clippy::expect_used, reason = "a test fails if its setup fails")]

use nodeproof_report::{AnyReport, Comparison, Report, Style, compare, text_of_comparison};
use serde_json::{Value, json};

/// Returns a report with these cases: ID, outcome and finding.
fn report(exit_code: u8, cases: &[(&str, &str, &str)]) -> Report {
    let verdict = match exit_code {
        0 | 5 => "conforms",
        1 => "does-not-conform",
        _ => "unreachable",
    };
    let cases = cases.iter().map(|(id, outcome, what)| {
        let fails = matches!(*outcome, "fail" | "warn" | "info");
        let finding = json!({"what": what, "expected": "a", "actual": "b"});
        json!({
            "id": id, "level": "must", "outcome": outcome, "elapsed_ms": 1, "reason": what,
            "findings": if fails { vec![finding] } else { vec![] },
        })
    });
    let report = json!({
        "version": 1, "target": {"base_url": "http://127.0.0.1:1/", "network": "devnet"},
        "verdict": verdict, "exit_code": exit_code, "requests": 3, "elapsed_ms": 1,
        "started_at": "2026-11-20T23:40:00Z", "strict": false,
        "cases": cases.collect::<Vec<_>>(),
        "coverage": {"operations": [], "unseen_fields": []},
    });
    serde_json::from_value(report).expect("a report")
}

/// Returns the IDs of a comparison's lists, by the names of the lists.
fn lists(comparison: &Comparison) -> Vec<(&'static str, &str)> {
    let lists = [
        ("new", &comparison.new),
        ("fixed", &comparison.fixed),
        ("changed", &comparison.changed),
        ("judged", &comparison.judged),
        ("not checked", &comparison.not_judged),
    ];
    let changes = lists
        .into_iter()
        .flat_map(|(name, list)| list.iter().map(move |change| (name, change.id.as_str())));
    let ids = [
        ("appeared", &comparison.appeared),
        ("vanished", &comparison.vanished),
    ];
    let ids = ids
        .into_iter()
        .flat_map(|(name, list)| list.iter().map(move |id| (name, id.as_str())));
    changes.chain(ids).collect()
}

#[test]
fn each_change_of_one_case_is_in_its_list() {
    // Outcome and finding before and after, the list, and whether the run is worse.
    type Row = (
        &'static str,
        &'static str,
        &'static str,
        &'static str,
        Option<&'static str>,
        bool,
    );
    let table: &[Row] = &[
        ("pass", "", "pass", "", None, false),
        ("pass", "", "fail", "x", Some("new"), true),
        ("pass", "", "warn", "x", Some("new"), false),
        ("pass", "", "info", "x", Some("new"), false),
        ("pass", "", "stale", "", Some("new"), true),
        (
            "pass",
            "",
            "inconclusive",
            "none",
            Some("not checked"),
            false,
        ),
        ("pass", "", "skipped", "", Some("not checked"), false),
        ("pass", "", "known", "", None, false),
        ("inconclusive", "", "fail", "x", Some("new"), true),
        ("inconclusive", "", "pass", "", Some("judged"), false),
        ("inconclusive", "a", "inconclusive", "b", None, false),
        ("inconclusive", "", "skipped", "", None, false),
        ("skipped", "", "pass", "", Some("judged"), false),
        ("known", "", "fail", "x", Some("new"), true),
        ("known", "", "known", "", None, false),
        ("warn", "x", "fail", "x", Some("new"), true),
        ("fail", "x", "warn", "x", Some("changed"), false),
        ("fail", "x", "fail", "x", None, false),
        ("fail", "x", "fail", "y", Some("changed"), false),
        (
            "fail",
            "block 7 is late",
            "fail",
            "block 18 is late",
            None,
            false,
        ),
        (
            "fail",
            "0xab01 votes twice",
            "fail",
            "0xcd99 votes twice",
            None,
            false,
        ),
        ("fail", "x", "pass", "", Some("fixed"), false),
        ("fail", "x", "known", "", Some("changed"), false),
        ("fail", "x", "inconclusive", "", Some("not checked"), false),
        ("warn", "x", "pass", "", Some("fixed"), false),
        ("info", "x", "pass", "", Some("fixed"), false),
    ];
    for (before, what, after, what_now, list, worse) in table {
        // Both reports have the same exit status, so only the cases decide.
        let before_report = report(1, &[("a/b", before, what)]);
        let after_report = report(1, &[("a/b", after, what_now)]);
        let comparison = Comparison::of_runs(&before_report, &after_report);
        let row = format!("{before} {what:?} -> {after} {what_now:?}");
        let expected: Vec<_> = list.map(|list| (list, "a/b")).into_iter().collect();
        assert_eq!(lists(&comparison), expected, "{row}");
        assert_eq!(comparison.is_worse(), *worse, "{row}");
        assert_eq!(comparison.is_same(), list.is_none(), "{row}");
    }
}

#[test]
fn cases_appear_and_vanish_and_a_new_case_that_fails_is_new() {
    let before = report(0, &[("a/old", "pass", ""), ("a/b", "pass", "")]);
    let after = report(
        1,
        &[
            ("a/b", "pass", ""),
            ("a/good", "pass", ""),
            ("a/bad", "fail", "x"),
        ],
    );
    let comparison = Comparison::of_runs(&before, &after);
    assert_eq!(
        lists(&comparison),
        [
            ("new", "a/bad"),
            ("appeared", "a/good"),
            ("appeared", "a/bad"),
            ("vanished", "a/old"),
        ]
    );
    assert!(comparison.is_worse());
}

#[test]
fn a_lost_verdict_is_worse_and_cases_that_did_not_run_are_not_listed() {
    let cut = "the run ended before this case did";
    let good = report(0, &[("a/b", "pass", ""), ("a/c", "pass", "")]);
    let lost = report(
        3,
        &[("a/b", "inconclusive", cut), ("a/c", "inconclusive", cut)],
    );
    let comparison = Comparison::of_runs(&good, &lost);
    assert!(comparison.is_worse() && lists(&comparison).is_empty());
    let text = text_of_comparison(&comparison, Style::Plain);
    assert!(
        text.contains("no verdict") && text.ends_with("\nworse than before\n"),
        "{text}"
    );
    for (before, after, worse) in [(0, 5, true), (1, 3, true), (3, 1, false), (1, 0, false)] {
        let comparison = Comparison::of_runs(&report(before, &[]), &report(after, &[]));
        assert_eq!(comparison.is_worse(), worse, "{before} -> {after}");
    }
}

#[test]
fn a_new_warning_is_worse_if_warnings_fail_the_run() {
    let mut after = report(0, &[("a/b", "warn", "x")]);
    let before = report(0, &[("a/b", "pass", "")]);
    assert!(!Comparison::of_runs(&before, &after).is_worse());
    after.strict = true;
    assert!(Comparison::of_runs(&before, &after).is_worse());
}

#[test]
fn one_fault_is_one_new_finding_and_fixed_as_one() {
    let good = report(
        0,
        &[
            ("a/a", "pass", ""),
            ("a/b", "pass", ""),
            ("a/c", "pass", ""),
        ],
    );
    let cases = [
        ("a/a", "fail", "x"),
        ("a/b", "fail", "y"),
        ("a/c", "inconclusive", "z"),
    ];
    let mut bad = report(1, &cases);
    for case in &mut bad.cases[1..] {
        case.explained_by = Some("a/a".to_owned());
    }
    let explained = "  for the same reason: 1 more case, 1 more case not checked\n";
    let broken = text_of_comparison(&Comparison::of_runs(&good, &bad), Style::Plain);
    let expected = format!("\nnew\nfail         a/a: x\n{explained}\nworse than before\n");
    assert!(broken.ends_with(&expected), "{broken}");
    let fixed = text_of_comparison(&Comparison::of_runs(&bad, &good), Style::Plain);
    let expected = format!(
        "\nfixed\npass         a/a (was fail: x)\n{explained}\nnothing is worse than before\n"
    );
    assert!(fixed.ends_with(&expected), "{fixed}");
}

#[test]
fn an_endpoint_is_slower_if_it_takes_twice_as_long_and_the_difference_can_be_felt() {
    let with = |median: f64, p95: f64, responses: u64| {
        let mut value = serde_json::to_value(report(0, &[])).expect("JSON");
        let latency = json!({
            "responses": responses, "median_ms": median, "p95_ms": p95, "max_ms": p95,
        });
        value["cost"] = json!({
            "requests_per_second": 1.0, "latency": latency,
            "endpoints": [{"operation": "get-block", "latency": latency}],
        });
        serde_json::from_value::<Report>(value).expect("a report")
    };
    for (before, after, slower) in [
        ((1.0, 2.0, 9), (1.5, 3.0, 9), None),
        ((1.0, 2.0, 9), (15.0, 16.0, 9), None),
        ((1.0, 2.0, 9), (30.0, 31.0, 9), Some("median")),
        ((1.0, 2.0, 19), (1.0, 31.0, 20), None),
        ((1.0, 2.0, 20), (1.0, 31.0, 20), Some("95th percentile")),
        ((100.0, 100.0, 9), (150.0, 150.0, 9), None),
        ((1.0, 2.0, 4), (30.0, 31.0, 9), None),
        ((30.0, 31.0, 9), (1.0, 2.0, 9), None),
    ] {
        let one = |(median, p95, responses)| with(median, p95, responses);
        let comparison = Comparison::of_runs(&one(before), &one(after));
        let measured = comparison.slower.first().map(|slow| slow.measure);
        assert_eq!(measured, slower, "{before:?} -> {after:?}");
        // Times differ between machines, so they do not make a run worse.
        assert!(!comparison.is_worse());
    }
}

#[test]
fn nodes_are_compared_by_their_urls() {
    let nodes = |urls: &[(&str, &str)], between: &str| {
        let nodes = urls.iter().map(|(url, outcome)| {
            let mut node = report(u8::from(*outcome == "fail"), &[("a/b", outcome, "x")]);
            node.target.base_url = (*url).to_owned();
            serde_json::to_value(node).expect("JSON")
        });
        let check = json!({"id": "cross-check/blocks", "outcome": between, "compared": 3});
        let value = json!({
            "version": 1, "verdict": "does-not-conform", "exit_code": 1,
            "nodes": nodes.collect::<Vec<Value>>(), "cross_check": [check],
        });
        AnyReport::from_json(&value.to_string()).expect("a report")
    };
    let before = nodes(&[("http://a/", "fail"), ("http://b/", "pass")], "pass");
    let after = nodes(&[("http://c/", "pass"), ("http://a/", "pass")], "fail");
    let all = compare(&before, &after).expect("reports of one kind");
    let all: Vec<_> = all.iter().map(|one| (lists(one), one.is_worse())).collect();
    assert_eq!(
        all,
        [
            (vec![], false),
            (vec![("fixed", "a/b")], false),
            (vec![], false),
            (vec![("new", "cross-check/blocks")], true),
        ]
    );
    let one = AnyReport::from(report(0, &[]));
    assert!(compare(&one, &after).is_err() && compare(&before, &one).is_err());
}
