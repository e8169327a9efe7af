//! The page of one node.

use maud::{Markup, html};

use super::{
    case, chain, coverage, document::document, escape::Line, exchange, latency, parts::groups,
    verdict,
};
use crate::model::Report;

/// Renders a report as an HTML page.
///
/// The page shows the verdict, the findings, the blocks of a sweep, the coverage, the latency of each
/// endpoint, every case, and every exchange with its bodies. It can be searched and filtered. It
/// loads nothing.
#[must_use]
pub fn html(report: &Report) -> String {
    document(
        &html! { (Line(&report.target.base_url)) " " (report.in_words()) },
        &html! {
            (verdict::banner(report))
            (tools(report))
            main {
                (verdict::findings(report))
                (verdict::inconclusive(report))
                (chain::section(report, &html! { "Blocks" }, ""))
                (coverage::section(report))
                (latency::section(report, &html! { "Latency" }, ""))
                (case::section(report))
                (exchange::section(report))
            }
        },
    )
}

/// Renders the search field and the filters. They are hidden until the script enables them.
fn tools(report: &Report) -> Markup {
    html! {
        form.tools #tools role="search" hidden {
            input #search type="search" placeholder="Search the cases"
                aria-label="Search the cases" autocomplete="off" spellcheck="false";
            div.filters role="group" aria-label="Show only cases that" {
                @for group in groups(&report.cases) {
                    button type="button" class={ "filter " (group.name) }
                        aria-pressed="false" value=(group.name) {
                        (group.words) " " b { (group.cases.len()) }
                    }
                    "\n"
                }
            }
            div.folding {
                output #shown {}
                "\n" button #unfold type="button" { "Open all" }
                "\n" button #fold type="button" { "Close all" }
            }
        }
    }
}
