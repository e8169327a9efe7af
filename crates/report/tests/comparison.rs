//! The differences between two runs.

#![expect(clippy::expect_used, reason = "a test fails if its setup fails")]

use nodeproof_report::{
    Change, Comparison, NodeReport, Report, Style, compare, text_of_comparison,
};
use serde_json::json;

/// Returns a report with these cases: ID, outcome and finding.
fn report(exit_code: u8, cases: &[(&str, &str, &str)]) -> NodeReport {
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
        "target": {"base_url": "http://127.0.0.1:1/", "network": "devnet"},
        "verdict": verdict, "exit_code": exit_code, "requests": 3, "elapsed_ms": 1,
        "started_at": "2026-11-20T23:40:00Z", "strict": false,
        "cases": cases.collect::<Vec<_>>(),
        "coverage": {"operations": [], "unseen_fields": []},
    });
    serde_json::from_value(report).expect("a report")
}

/// Returns the changes of a comparison, except the cases that still have the same findings.
fn changes<'r>(comparison: &Comparison<'r>) -> Vec<(Change, &'r str)> {
    let changes = comparison.changes.iter();
    let changes = changes.filter(|change| change.kind != Change::Remaining);
    changes
        .map(|change| (change.kind, change.case.id.as_str()))
        .collect()
}

#[test]
fn each_change_of_one_case_is_in_its_list() {
    use Change::{Changed, Fixed, Judged, New, NotJudged};

    // Outcome and finding before and after, the change, and whether the run is worse.
    let table = [
        ("pass", "", "pass", "", None, false),
        ("pass", "", "fail", "x", Some(New), true),
        ("pass", "", "warn", "x", Some(New), false),
        ("pass", "", "info", "x", Some(New), false),
        ("pass", "", "stale", "", Some(New), true),
        ("pass", "", "inconclusive", "none", Some(NotJudged), false),
        ("pass", "", "skipped", "", Some(NotJudged), false),
        ("pass", "", "known", "", None, false),
        ("inconclusive", "", "fail", "x", Some(New), true),
        ("inconclusive", "", "pass", "", Some(Judged), false),
        ("inconclusive", "a", "inconclusive", "b", None, false),
        ("inconclusive", "", "skipped", "", None, false),
        ("skipped", "", "pass", "", Some(Judged), false),
        ("known", "", "fail", "x", Some(New), true),
        ("known", "", "known", "", None, false),
        ("warn", "x", "fail", "x", Some(New), true),
        ("fail", "x", "warn", "x", Some(Changed), false),
        ("fail", "x", "fail", "x", None, false),
        ("fail", "x", "fail", "y", Some(Changed), false),
        (
            "fail",
            "block 7 is late",
            "fail",
            "block 18 is late",
            None,
            false,
        ),
        ("fail", "0xab01 votes", "fail", "0xcd99 votes", None, false),
        ("fail", "x", "pass", "", Some(Fixed), false),
        ("fail", "x", "known", "", Some(Changed), false),
        ("fail", "x", "inconclusive", "", Some(NotJudged), false),
        ("warn", "x", "pass", "", Some(Fixed), false),
        ("info", "x", "pass", "", Some(Fixed), false),
    ];
    for (before, what, after, what_now, change, worse) in table {
        // Both reports have the same exit status, so only the cases decide.
        let before_report = report(1, &[("a/b", before, what)]);
        let after_report = report(1, &[("a/b", after, what_now)]);
        let comparison = Comparison::of_nodes(&before_report, &after_report);
        let row = format!("{before} {what:?} -> {after} {what_now:?}");
        let expected: Vec<_> = change.map(|change| (change, "a/b")).into_iter().collect();
        assert_eq!(changes(&comparison), expected, "{row}");
        assert_eq!(comparison.is_worse(), worse, "{row}");
        assert_eq!(comparison.is_same(), change.is_none(), "{row}");
    }
}

#[test]
fn an_earlier_finding_that_was_not_checked_again_is_open() {
    for (before, after, is_open) in [
        ("fail", "skipped", true),
        ("fail", "inconclusive", true),
        ("warn", "skipped", true),
        ("fail", "pass", false),
        ("pass", "skipped", false),
    ] {
        let earlier = report(1, &[("a/b", before, "x")]);
        let later = report(1, &[("a/b", after, "")]);
        let comparison = Comparison::of_nodes(&earlier, &later);
        assert_eq!(comparison.is_open(), is_open, "{before} -> {after}");
    }
    // Its node was not checked.
    let [good, mut bad, mut other] = [
        report(0, &[("a/b", "pass", "")]),
        report(1, &[("a/b", "fail", "x")]),
        report(0, &[("a/b", "pass", "")]),
    ];
    for (node, host) in [(&mut bad, "two"), (&mut other, "three")] {
        let mut value = serde_json::to_value(&*node).expect("JSON");
        value["target"]["base_url"] = json!(format!("http://{host}/"));
        *node = serde_json::from_value(value).expect("a report");
    }
    let of = |nodes: &[&NodeReport]| Report {
        nodes: nodes.iter().map(|node| (*node).clone()).collect(),
        ..Report::from(good.clone())
    };
    for (dropped, is_open) in [(&bad, true), (&other, false)] {
        let (before, after) = (of(&[&good, dropped]), of(&[&good]));
        let comparisons = compare(&before, &after);
        assert!(!comparisons.iter().any(Comparison::is_worse));
        assert_eq!(comparisons.iter().any(Comparison::is_open), is_open);
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
    let comparison = Comparison::of_nodes(&before, &after);
    assert_eq!(
        changes(&comparison),
        [
            (Change::New, "a/bad"),
            (Change::Appeared, "a/good"),
            (Change::Vanished, "a/old"),
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
    let comparison = Comparison::of_nodes(&good, &lost);
    assert!(comparison.is_worse() && changes(&comparison).is_empty());
    let text = text_of_comparison(&comparison, Style::Plain);
    assert!(
        text.contains("no verdict") && text.ends_with("\nworse than before\n"),
        "{text}"
    );
    for (before, after, worse) in [(0, 5, true), (1, 3, true), (3, 1, false), (1, 0, false)] {
        let (earlier, later) = (report(before, &[]), report(after, &[]));
        let comparison = Comparison::of_nodes(&earlier, &later);
        assert_eq!(comparison.is_worse(), worse, "{before} -> {after}");
    }
}

#[test]
fn a_new_warning_is_worse_if_warnings_fail_the_run() {
    let mut after = report(0, &[("a/b", "warn", "x")]);
    let before = report(0, &[("a/b", "pass", "")]);
    assert!(!Comparison::of_nodes(&before, &after).is_worse());
    after.strict = true;
    assert!(Comparison::of_nodes(&before, &after).is_worse());
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
    let explained = "  for the same reason: 2 more cases\n";
    let broken = text_of_comparison(&Comparison::of_nodes(&good, &bad), Style::Plain);
    let expected = format!("\nnew\nfail         a/a: x\n{explained}\nworse than before\n");
    assert!(broken.ends_with(&expected), "{broken}");
    let fixed = text_of_comparison(&Comparison::of_nodes(&bad, &good), Style::Plain);
    let expected = format!(
        "\nfixed\npass         a/a: \n  was fail: x\n{explained}\nnothing is worse than before\n"
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
        serde_json::from_value::<NodeReport>(value).expect("a report")
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
        let (before_report, after_report) = (one(before), one(after));
        let comparison = Comparison::of_nodes(&before_report, &after_report);
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
            node
        });
        let mut check = report(0, &[("cross-check/blocks", between, "")]).cases;
        let mut report = Report::new(nodes.collect(), Vec::new());
        report.cross_check.append(&mut check);
        report.exit_code = 1;
        report
    };
    let before = nodes(&[("http://a/", "fail"), ("http://b/", "pass")], "pass");
    let after = nodes(&[("http://c/", "pass"), ("http://a/", "pass")], "fail");
    let all = compare(&before, &after);
    let all: Vec<_> = all
        .iter()
        .map(|one| (changes(one), one.is_worse()))
        .collect();
    assert_eq!(
        all,
        [
            (vec![], false),
            (vec![(Change::Fixed, "a/b")], false),
            (vec![], false),
            (vec![(Change::New, "cross-check/blocks")], true),
        ]
    );
    // A report of one node has no comparison between nodes. Two of them need not be of one URL.
    let one = Report::from(report(0, &[("a/b", "pass", "")]));
    let mut moved = one.clone();
    moved.nodes[0].target.base_url = "http://d/".to_owned();
    assert_eq!(compare(&one, &before).len(), 4);
    assert!(compare(&one, &moved).iter().all(Comparison::is_same));
}
