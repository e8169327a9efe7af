//! The top of the page: the verdict, and what it rests on.

use super::{Html, took};
use crate::model::{CaseReport, Outcome, Report, SweepReport, Verdict};

/// The verdict as a sentence says it of the node.
pub(super) const fn words(report: &Report) -> &'static str {
    match report.verdict {
        Verdict::Conforms if report.exit_code != 0 => "conforms, but the run failed",
        Verdict::Conforms => "conforms",
        Verdict::Departs => "departs from the contract",
        Verdict::Unreachable => "has no verdict: unreachable",
        Verdict::Error => "has no verdict: the harness is at fault",
    }
}

const fn class(report: &Report) -> &'static str {
    match report.verdict {
        Verdict::Conforms if report.exit_code == 0 => "good",
        Verdict::Departs => "bad",
        _ => "unknown",
    }
}

pub(super) fn banner(page: &mut Html, report: &Report) {
    let (sign, headline) = match report.verdict {
        Verdict::Conforms if report.exit_code != 0 => ("!", "Conforms, but the run failed"),
        Verdict::Conforms => ("✓", "Conforms"),
        Verdict::Departs => ("✕", "Departs from the contract"),
        Verdict::Unreachable => ("?", "No verdict: unreachable"),
        Verdict::Error => ("?", "No verdict: the harness is at fault"),
    };
    page.raw("<header class=\"banner ")
        .raw(class(report))
        .raw("\">\n<h1>");
    page.raw("<span class=\"sign\" aria-hidden=\"true\">")
        .raw(sign)
        .raw("</span> ");
    page.raw(headline).raw("</h1>\n<p class=\"target\"><code>");
    page.text(&report.target.base_url)
        .raw("</code> <span class=\"network\">");
    page.text(&report.target.network).raw("</span></p>\n");
    if let Some(reason) = &report.reason {
        page.raw("<p class=\"reason\">").text(reason).raw("</p>\n");
    }
    let known = report.count(Outcome::Known);
    if known > 0 {
        page.raw("<p class=\"reason\">").count(known, "departure");
        page.raw(" known beforehand and expected</p>\n");
    }
    proportions(page, report);
    page.raw("<ul class=\"counts\">\n");
    for outcome in Outcome::WORST_FIRST {
        let word = outcome.participle();
        let count = report.count(outcome);
        if count > 0 || outcome == Outcome::Pass {
            page.raw("<li class=\"")
                .raw(outcome.name())
                .raw("\"><b>")
                .text(&count.to_string());
            page.raw("</b> ").raw(word).raw("</li>\n");
        }
    }
    page.raw("</ul>\n<p class=\"facts\">")
        .count(at_most_usize(report.requests), "request");
    page.raw(" in ");
    took(page, report.elapsed_ms);
    page.raw(" <span>")
        .text(&report.started_at.replace('T', " ").replace('Z', " UTC"));
    page.raw("</span> <span>exit status ")
        .number(report.exit_code);
    page.raw("</span>").raw(if report.strict {
        " <span>strict</span>"
    } else {
        ""
    });
    page.raw(" <span>nodeproof ")
        .raw(env!("CARGO_PKG_VERSION"))
        .raw("</span></p>\n");
    if let Some(sweep) = &report.sweep {
        swept(page, sweep);
    }
    page.raw("<nav aria-label=\"On this page\">");
    if !departing(report).is_empty() {
        page.raw("<a href=\"#departures\">What departs</a> ");
    }
    page.raw("<a href=\"#coverage\">Coverage</a> <a href=\"#cases\">Cases</a> ");
    page.raw("<a href=\"#exchanges\">Exchanges</a></nav>\n</header>\n");
}

/// How far a sweep went.
pub(super) fn swept(page: &mut Html, sweep: &SweepReport) {
    page.raw("<p class=\"facts\"><span>blocks ")
        .number(sweep.from)
        .raw(" to ")
        .number(sweep.to.saturating_sub(1))
        .raw("</span> <span>")
        .number(sweep.judged)
        .raw(" judged</span>");
    if let Some(lowest) = sweep.none_below {
        page.raw(" <span>the node has no block below ")
            .number(lowest)
            .raw("</span>");
    }
    for (count, what) in [
        (sweep.missing, " missing</span>"),
        (sweep.unread, " not read</span>"),
    ] {
        if count > 0 {
            page.raw(" <span>").number(count).raw(what);
        }
    }
    page.raw(" <span>").number(sweep.findings);
    page.raw(" found wrong</span>");
    if !sweep.done {
        page.raw(" <span>ended before block ")
            .number(sweep.next)
            .raw("</span>");
    }
    page.raw("</p>\n");
}

fn at_most_usize(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// A bar with a length for each outcome. Sizes are attributes, as the policy forbids inline styles.
fn proportions(page: &mut Html, report: &Report) {
    page.raw("<svg class=\"proportions\" viewBox=\"0 0 ")
        .text(&report.cases.len().to_string());
    page.raw(" 1\" preserveAspectRatio=\"none\" aria-hidden=\"true\">");
    let mut from = 0;
    for outcome in Outcome::WORST_FIRST {
        let count = report.count(outcome);
        if count > 0 {
            page.raw("<rect class=\"")
                .raw(outcome.name())
                .raw("\" height=\"1\" x=\"");
            page.text(&from.to_string())
                .raw("\" width=\"")
                .text(&count.to_string())
                .raw("\"/>");
        }
        from += count;
    }
    page.raw("</svg>\n");
}

fn departing(report: &Report) -> Vec<&CaseReport> {
    let mut cases = Vec::new();
    for outcome in Outcome::WORST_FIRST {
        if matches!(
            outcome,
            Outcome::Pass | Outcome::Inconclusive | Outcome::Skipped
        ) {
            continue;
        }
        cases.extend(report.cases.iter().filter(|case| case.outcome == outcome));
    }
    cases
}

/// What departs, in a line each.
pub(super) fn departures(page: &mut Html, report: &Report) {
    let cases = departing(report);
    if cases.is_empty() {
        return;
    }
    page.raw("<section id=\"departures\" aria-labelledby=\"departures-title\">\n");
    page.raw("<h2 id=\"departures-title\">What departs</h2>\n<ul class=\"list\">\n");
    for case in cases {
        page.raw("<li><span class=\"badge ")
            .raw(case.outcome.name())
            .raw("\">");
        page.raw(case.outcome.name())
            .raw("</span> <a href=\"#")
            .text(&case.id)
            .raw("\">");
        page.text(&case.id).raw("</a> <span class=\"why\">");
        let reason = case.reason.as_ref().or(case.note.as_ref());
        page.text(reason.map_or("", String::as_str))
            .raw("</span></li>\n");
    }
    page.raw("</ul>\n</section>\n");
}

/// What could not be found out, cases with one reason together.
pub(super) fn undecided(page: &mut Html, report: &Report) {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for case in &report.cases {
        if case.outcome != Outcome::Inconclusive {
            continue;
        }
        let reason = case.reason.as_deref().unwrap_or_default();
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, ids)) => ids.push(&case.id),
            None => reasons.push((reason, vec![&case.id])),
        }
    }
    if reasons.is_empty() {
        return;
    }
    page.raw("<section id=\"undecided\" aria-labelledby=\"undecided-title\">\n");
    page.raw("<h2 id=\"undecided-title\">What could not be found out</h2>\n<div class=\"list\">\n");
    for (reason, ids) in reasons {
        page.raw("<details><summary><span class=\"why\">")
            .text(reason)
            .raw("</span> ");
        page.raw("<span class=\"took\">")
            .count(ids.len(), "case")
            .raw("</span></summary>");
        page.raw("<ul class=\"ids\">");
        for id in ids {
            page.raw("<li><a href=\"#")
                .text(id)
                .raw("\">")
                .text(id)
                .raw("</a></li>");
        }
        page.raw("</ul></details>\n");
    }
    page.raw("</div>\n</section>\n");
}
