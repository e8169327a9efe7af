//! The cases, by operation: those that depart open, the others folded.

use similar::{ChangeTag, TextDiff};

use super::{Html, exchange, shell_line, took};
use crate::model::{CaseReport, FindingReport, Outcome, Report};

/// The longest text that is compared line by line, in bytes.
const MOST_COMPARED: usize = 64 * 1024;

pub(super) fn section(page: &mut Html, report: &Report) {
    page.raw("<section id=\"cases\" aria-labelledby=\"cases-title\">\n");
    page.raw("<h2 id=\"cases-title\">Cases</h2>\n");
    page.raw("<p id=\"none\" class=\"none\" hidden>No case is like that.</p>\n");
    let mut rest = report.cases.as_slice();
    while let Some(first) = rest.first() {
        let operation = operation(&first.id);
        let end = rest
            .iter()
            .position(|case| self::operation(&case.id) != operation);
        let (own, others) = rest.split_at(end.unwrap_or(rest.len()));
        group(page, report, operation, own);
        rest = others;
    }
    page.raw("</section>\n");
}

fn operation(id: &str) -> &str {
    id.split('/').next().unwrap_or(id)
}

fn group(page: &mut Html, report: &Report, operation: &str, cases: &[CaseReport]) {
    page.raw("<section class=\"operation\" aria-label=\"")
        .text(operation)
        .raw("\">\n<h3>");
    page.text(operation).raw(" <span class=\"tally\">");
    for outcome in Outcome::WORST_FIRST {
        let word = outcome.participle();
        let count = cases.iter().filter(|case| case.outcome == outcome).count();
        if count > 0 {
            page.raw("<span class=\"")
                .raw(outcome.name())
                .raw("\">")
                .text(&count.to_string());
            page.raw(" ").raw(word).raw("</span> ");
        }
    }
    page.raw("</span></h3>\n<div class=\"list\">\n");
    // The worst first, and otherwise in the report's order.
    for outcome in Outcome::WORST_FIRST {
        for case in cases.iter().filter(|case| case.outcome == outcome) {
            one(page, report, case);
        }
    }
    page.raw("</div>\n</section>\n");
}

fn one(page: &mut Html, report: &Report, case: &CaseReport) {
    let open = matches!(case.outcome, Outcome::Fail | Outcome::Stale | Outcome::Warn);
    page.raw("<details class=\"case\" data-outcome=\"")
        .raw(case.outcome.name())
        .raw("\" id=\"");
    page.text(&case.id)
        .raw(if open { "\" open>" } else { "\">" });
    page.raw("<summary><span class=\"badge ")
        .raw(case.outcome.name())
        .raw("\">");
    page.raw(case.outcome.name())
        .raw("</span> <span class=\"id\">")
        .text(&case.id);
    page.raw("</span> ");
    match (&case.reason, case.outcome) {
        (Some(reason), Outcome::Fail | Outcome::Warn | Outcome::Info | Outcome::Inconclusive) => {
            page.raw("<span class=\"why\">")
                .text(reason)
                .raw("</span> ");
        }
        _ => {
            page.raw("<span class=\"says\">");
            quoted(page, &case.requirement);
            page.raw("</span> ");
        }
    }
    took(page, case.elapsed_ms);
    page.raw("</summary>\n<div class=\"inside\">\n<blockquote><span class=\"level\">");
    page.raw(case.level.name()).raw("</span> ");
    quoted(page, &case.requirement);
    page.raw("</blockquote>\n");
    if let Some(note) = &case.note {
        page.raw("<p class=\"note\"><b>Expectation:</b> ")
            .text(note)
            .raw("</p>\n");
    }
    if let (Some(reason), true) = (&case.reason, case.findings.is_empty()) {
        page.raw("<p>").text(reason).raw("</p>\n");
    }
    findings(page, report, case);
    if let Some(snapshot) = &case.snapshot {
        page.raw("<p class=\"snapshot\">Snapshot <code>")
            .text(snapshot)
            .raw("</code></p>\n");
    }
    looked_at(page, report, case);
    page.raw("</div></details>\n");
}

/// The contract's words, what stands between its backticks as code.
pub(super) fn quoted(page: &mut Html, text: &str) {
    for (index, part) in text.split('`').enumerate() {
        let code = index % 2 == 1;
        page.raw(if code { "<code>" } else { "" }).text(part);
        page.raw(if code { "</code>" } else { "" });
    }
}

/// What is wrong in the same way in several places is told once, with the other places folded.
pub(super) fn findings(page: &mut Html, report: &Report, case: &CaseReport) {
    let mut kinds: Vec<(&FindingReport, Vec<&FindingReport>)> = Vec::new();
    for finding in &case.findings {
        match kinds
            .iter_mut()
            .find(|(first, _)| first.what == finding.what)
        {
            Some((_, others)) => others.push(finding),
            None => kinds.push((finding, Vec::new())),
        }
    }
    let mut told = Vec::new();
    for (first, others) in kinds {
        page.raw("<div class=\"finding\">\n<p class=\"what\">")
            .text(&first.what)
            .raw("</p>\n");
        finding(page, report, first, &mut told);
        if !others.is_empty() {
            page.raw("<details class=\"more\"><summary>The same in ");
            page.count(others.len(), "more place")
                .raw("</summary><div class=\"inside\">\n");
            for other in others {
                page.raw("<div class=\"finding\">\n");
                finding(page, report, other, &mut told);
                page.raw("</div>\n");
            }
            page.raw("</div></details>\n");
        }
        page.raw("</div>\n");
    }
    if case.more_findings > 0 {
        page.raw("<p class=\"part\">and ")
            .count(case.more_findings, "more finding");
        page.raw("</p>\n");
    }
}

/// One finding, and its exchange unless that is one of those told.
fn finding(page: &mut Html, report: &Report, finding: &FindingReport, told: &mut Vec<usize>) {
    values(page, finding);
    if let Some(curl) = &finding.curl {
        shell_line(page, curl);
    }
    let place = finding.exchange.filter(|place| !told.contains(place));
    if let Some((place, exchange)) = place.and_then(|at| Some((at, report.exchanges.get(at)?))) {
        exchange::whole(page, report, exchange, None);
        told.push(place);
    }
}

fn values(page: &mut Html, finding: &FindingReport) {
    page.raw("<dl>");
    if let Some(pointer) = &finding.pointer {
        page.raw("<dt>at</dt><dd>");
        if pointer.is_empty() {
            page.raw("the whole body");
        } else {
            page.raw("<code>").text(pointer).raw("</code>");
        }
        page.raw("</dd>");
    }
    if let Some(block) = finding.block {
        page.raw("<dt>in block</dt><dd>").number(block);
        if let Some(count @ 2..) = finding.count {
            page.raw(", the first of ").number(count).raw(" places");
        }
        page.raw("</dd>");
    }
    let (expected, actual) = (&finding.expected, &finding.actual);
    if expected.contains('\n') || actual.contains('\n') {
        page.raw("</dl>\n");
        diff(page, expected, actual);
        return;
    }
    page.raw("<dt>expected</dt><dd class=\"expected\">")
        .text(expected);
    page.raw("</dd><dt>actual</dt><dd class=\"actual\">")
        .text(actual)
        .raw("</dd></dl>\n");
}

/// What differs, with a few lines around it.
fn diff(page: &mut Html, expected: &str, actual: &str) {
    page.raw("<p class=\"legend\"><del>− expected</del> <ins>+ actual</ins></p>\n");
    page.raw("<pre class=\"diff\" tabindex=\"0\">");
    let diff = TextDiff::from_lines(start(expected), start(actual));
    for (index, group) in diff.grouped_ops(3).iter().enumerate() {
        if index > 0 {
            page.raw("<span class=\"gap\">⋯</span>\n");
        }
        for change in group
            .iter()
            .flat_map(|operation| diff.iter_changes(operation))
        {
            let (open, close) = match change.tag() {
                ChangeTag::Delete => ("<del>", "</del>\n"),
                ChangeTag::Insert => ("<ins>", "</ins>\n"),
                ChangeTag::Equal => ("<span>", "</span>\n"),
            };
            page.raw(open)
                .text(change.value().trim_end_matches('\n'))
                .raw(close);
        }
    }
    page.raw("</pre>\n");
}

fn start(text: &str) -> &str {
    let mut end = text.len().min(MOST_COMPARED);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// What the case looked at besides what its findings show.
fn looked_at(page: &mut Html, report: &Report, case: &CaseReport) {
    let shown: Vec<_> = case
        .findings
        .iter()
        .filter_map(|finding| finding.exchange)
        .collect();
    let others: Vec<_> = case
        .exchanges
        .iter()
        .filter(|place| !shown.contains(place))
        .filter_map(|place| Some((*place, report.exchanges.get(*place)?)))
        .collect();
    if others.is_empty() {
        return;
    }
    page.raw("<details class=\"looked\"><summary>Looked at ");
    let word = if shown.is_empty() {
        "exchange"
    } else {
        "more exchange"
    };
    page.count(others.len(), word)
        .raw("</summary><div class=\"inside\">\n");
    for (place, exchange) in others {
        exchange::reference(page, report, exchange, place);
    }
    page.raw("</div></details>\n");
}
