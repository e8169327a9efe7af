//! Several nodes on one page, a column a node.

use super::{Html, begin, end, style};
use crate::model::{CaseReport, CrossCheck, NodesReport, Outcome, Report};

/// The page of several nodes' reports.
#[must_use]
pub fn html_of_nodes(report: &NodesReport) -> String {
    let mut page = Html::default();
    begin(&mut page);
    page.count(report.nodes.len(), "node").raw("</title>\n");
    style(&mut page);
    banner(&mut page, report);
    page.raw("<main>\n");
    cross_checks(&mut page, report);
    table(&mut page, report);
    departures(&mut page, report);
    page.raw("</main>\n");
    end(page)
}

fn banner(page: &mut Html, report: &NodesReport) {
    let (class, sign, words) = match report.exit_code {
        0 => (
            "good",
            "✓",
            "All conform, and agree as far as they were compared",
        ),
        1 => ("bad", "✕", "Not all conform, or they do not agree"),
        _ => ("unknown", "?", "Not all have a verdict"),
    };
    page.raw("<header class=\"banner ").raw(class);
    page.raw("\">\n<h1><span class=\"sign\" aria-hidden=\"true\">")
        .raw(sign)
        .raw("</span> ");
    page.raw(words).raw("</h1>\n");
    for (place, node) in report.nodes.iter().enumerate() {
        page.raw("<p class=\"target\">node ")
            .text(&(place + 1).to_string());
        page.raw(" <code>").text(&node.target.base_url);
        page.raw("</code> <span class=\"network\">")
            .text(&node.target.network)
            .raw("</span> ");
        page.raw(super::verdict::words(node));
        if let Some(reason) = &node.reason {
            page.raw(": ").text(reason);
        }
        page.raw("</p>\n");
        if let Some(sweep) = &node.sweep {
            super::verdict::swept(page, sweep);
        }
    }
    page.raw("<p class=\"facts\">exit status ")
        .number(report.exit_code)
        .raw(" <span>nodeproof ")
        .raw(env!("CARGO_PKG_VERSION"))
        .raw("</span></p>\n</header>\n");
}

fn badge(page: &mut Html, outcome: Outcome) {
    page.raw("<span class=\"badge ")
        .raw(outcome.name())
        .raw("\">")
        .raw(outcome.name())
        .raw("</span>");
}

fn cross_checks(page: &mut Html, report: &NodesReport) {
    page.raw("<section id=\"cross-check\" aria-labelledby=\"cross-check-title\">\n");
    page.raw("<h2 id=\"cross-check-title\">Held against one another</h2>\n<div class=\"list\">\n");
    if report.cross_check.is_empty() {
        page.raw("<p>Nothing was compared.</p>\n");
    }
    for check in &report.cross_check {
        cross_check(page, check);
    }
    page.raw("</div>\n</section>\n");
}

fn cross_check(page: &mut Html, check: &CrossCheck) {
    page.raw("<details class=\"case\"")
        .raw(if check.outcome == Outcome::Fail {
            " open>"
        } else {
            ">"
        })
        .raw("<summary>");
    badge(page, check.outcome);
    page.raw(" <span class=\"id\">")
        .text(&check.id)
        .raw("</span> ");
    page.raw("<span class=\"why\">");
    match &check.reason {
        Some(reason) => page.text(reason),
        None => page.number(check.compared).raw(" compared"),
    };
    page.raw("</span></summary>\n<div class=\"inside\">\n");
    for finding in &check.findings {
        page.raw("<div class=\"finding\">\n<p class=\"what\">")
            .text(&finding.what)
            .raw("</p>\n<dl><dt>at</dt><dd>")
            .text(&finding.place);
        if finding.count > 1 {
            page.raw(", the first of ")
                .number(finding.count)
                .raw(" places");
        }
        page.raw("</dd>");
        for value in &finding.values {
            page.raw("<dt>actual</dt><dd class=\"actual\">")
                .text(&value.value)
                .raw(" at ")
                .text(&value.nodes.join(", "))
                .raw("</dd>");
        }
        page.raw("</dl>\n</div>\n");
    }
    if check.more_findings > 0 {
        page.raw("<p class=\"part\">and ")
            .number(check.more_findings)
            .raw(" more</p>\n");
    }
    page.raw("</div></details>\n");
}

/// Every case, a column a node.
fn table(page: &mut Html, report: &NodesReport) {
    page.raw("<section id=\"cases\" aria-labelledby=\"cases-title\">\n");
    page.raw("<h2 id=\"cases-title\">Cases</h2>\n<div class=\"scroll\" tabindex=\"0\"><table>\n");
    page.raw("<thead><tr><th>Case</th>");
    for place in 1..=report.nodes.len() {
        page.raw("<th>node ").text(&place.to_string()).raw("</th>");
    }
    page.raw("</tr></thead>\n<tbody>\n");
    let first = report.nodes.first().map_or(&[][..], |node| &node.cases);
    for (place, case) in first.iter().enumerate() {
        page.raw("<tr><th scope=\"row\">")
            .text(&case.id)
            .raw("</th>");
        for node in &report.nodes {
            page.raw("<td>");
            if let Some(case) = node.cases.get(place) {
                badge(page, case.outcome);
            }
            page.raw("</td>");
        }
        page.raw("</tr>\n");
    }
    page.raw("</tbody>\n</table></div>\n</section>\n");
}

/// What departs, node by node.
fn departures(page: &mut Html, report: &NodesReport) {
    for (place, node) in report.nodes.iter().enumerate() {
        let departs = |case: &&CaseReport| {
            matches!(
                case.outcome,
                Outcome::Fail | Outcome::Stale | Outcome::Warn | Outcome::Info
            )
        };
        let cases: Vec<_> = node.cases.iter().filter(departs).collect();
        if cases.is_empty() {
            continue;
        }
        page.raw("<section class=\"operation\">\n<h2>What departs at node ");
        page.text(&(place + 1).to_string()).raw(" <code>");
        page.text(&node.target.base_url)
            .raw("</code></h2>\n<div class=\"list\">\n");
        for case in cases {
            departure(page, node, case);
        }
        page.raw("</div>\n</section>\n");
    }
}

fn departure(page: &mut Html, node: &Report, case: &CaseReport) {
    page.raw("<details class=\"case\"><summary>");
    badge(page, case.outcome);
    page.raw(" <span class=\"id\">").text(&case.id);
    page.raw("</span> <span class=\"why\">");
    let reason = case.reason.as_ref().or(case.note.as_ref());
    page.text(reason.map_or("", String::as_str));
    page.raw("</span></summary>\n<div class=\"inside\">\n<blockquote>");
    super::case::quoted(page, &case.requirement);
    page.raw("</blockquote>\n");
    super::case::findings(page, node, case);
    page.raw("</div></details>\n");
}
