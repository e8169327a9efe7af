//! The page of one node.

use maud::html;

use super::{
    case, coverage, document::document, escape::Line, exchange, latency, parts::groups,
    tools::tools, verdict,
};
use crate::model::Report;

/// Renders a report as an HTML page.
///
/// The page shows the verdict, the findings, the coverage, the latency of each
/// endpoint, every case, and every exchange with its bodies. It can be searched and filtered. It
/// loads nothing.
#[must_use]
pub fn html(report: &Report) -> String {
    document(
        &html! { (Line(&report.target.base_url)) " " (report.in_words()) },
        &html! {
            (verdict::banner(report))
            (tools(groups(&report.cases).iter().map(|group| (group.name, group.words, group.cases.len()))))
            main {
                (verdict::findings(report))
                (verdict::inconclusive(report))
                (coverage::section(report))
                (latency::section(report, &html! { "Latency" }, ""))
                (case::section(report))
                (exchange::section(report))
            }
        },
    )
}
