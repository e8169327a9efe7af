//! The height of each node's chain.

use maud::{Markup, html};

use super::{escape::Line, parts::count};
use crate::model::NodesReport;

/// Renders the latest block of each node, or nothing if the latest blocks are unknown.
pub(super) fn section(report: &NodesReport) -> Markup {
    let Some(highest) = report.heights.iter().map(|node| node.height).max() else {
        return html! {};
    };
    html! {
        section #heights aria-labelledby="heights-title" {
            h2 #heights-title { "Latest blocks" }
            p.legend { "The latest block of each node, found at the same time." }
            div.scroll tabindex="0" {
                table {
                    thead { tr { th { "Node" } th { "Latest block" } th { "Behind by" } } }
                    tbody {
                        @for node in &report.heights {
                            tr {
                                th scope="row" { code { (Line(&node.base_url)) } }
                                td data-label="Latest block" { (node.height) }
                                td data-label="Behind by" {
                                    @match highest - node.height {
                                        0 => "–",
                                        behind => (count(behind, "block")),
                                    }
                                }
                            }
                            "\n"
                        }
                    }
                }
            }
        }
    }
}
