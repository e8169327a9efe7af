//! The whole page.

use maud::{Markup, html};

use super::{
    banner::banner,
    case::{Row, rows, section},
    coverage,
    document::document,
    escape::Line,
    exchange, findings, latency,
    parts::group_names,
};
use crate::model::{NodeReport, Report};

/// Renders a report as an HTML page.
///
/// The page shows the verdict, the findings, the coverage, the latency of each endpoint, every case,
/// and every exchange with its bodies. With several nodes, each case shows its outcome at each node.
/// The page can be searched and filtered. It loads nothing.
#[must_use]
pub fn html(report: &Report) -> String {
    let rows = rows(report);
    let name = |node: &NodeReport| html! { (Line(&node.target.base_url)) " " };
    document(
        &html! { @for node in &report.nodes { (name(node)) } (Line(&report.in_words())) },
        &html! {
            (banner(report))
            (tools(&rows))
            main {
                (findings::findings(report))
                (findings::inconclusive(report))
                (section(report, &rows))
                @for (number, node) in report.numbered() {
                    @let title = html! {
                        @if report.has_several() {
                            " of node " (number) " " code { (Line(&node.target.base_url)) }
                        }
                    };
                    (coverage::section(node, number, &title))
                    (latency::section(node, number, &title))
                    (exchange::section(node, number, &title))
                }
            }
        },
    )
}

/// Renders the search field, and a filter for each outcome. They are hidden until the script enables
/// them.
fn tools(rows: &[Row<'_>]) -> Markup {
    let count = |name| rows.iter().filter(|row| row.group == name).count();
    html! {
        form.tools #tools role="search" hidden {
            input #search type="search" placeholder="Search the cases"
                aria-label="Search the cases" autocomplete="off" spellcheck="false";
            div.filters role="group" aria-label="Show only cases that" {
                @for (name, words) in group_names() {
                    @if count(name) > 0 {
                        button type="button" class={ "filter " (name) } aria-pressed="false" value=(name) {
                            (words) " " b { (count(name)) }
                        }
                        "\n"
                    }
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
