//! The height of each node's chain.

use maud::{Markup, html};

use super::{
    escape::Line,
    parts::count,
    scale::{percent, place_between},
};
use crate::model::{NodeHeight, NodesReport};

/// Renders the latest block of each node, or nothing if the latest blocks are unknown.
pub(super) fn section(report: &NodesReport) -> Markup {
    let heights = || report.heights.iter().map(|node| node.height);
    let (Some(lowest), Some(highest)) = (heights().min(), heights().max()) else {
        return html! {};
    };
    html! {
        section.chart #heights aria-labelledby="heights-title" {
            h2 #heights-title { "Latest blocks" }
            p.legend {
                "The latest block of each node, found at the same time. The scale begins at the \
                 lowest node."
            }
            div.scroll tabindex="0" {
                table {
                    thead {
                        tr {
                            th { "Node" }
                            th { (axis(lowest, highest)) }
                            th { "Latest block" }
                            th { "Behind by" }
                        }
                    }
                    tbody {
                        @for node in &report.heights { (row(node, lowest, highest)) "\n" }
                    }
                }
            }
        }
    }
}

fn row(node: &NodeHeight, lowest: u64, highest: u64) -> Markup {
    let place = percent(place_between(node.height, lowest, highest));
    html! {
        tr {
            th scope="row" { code { (Line(&node.base_url)) } }
            td {
                svg.strip aria-hidden="true" {
                    line.grid x1="0" x2="100%" y1="50%" y2="50%" {}
                    circle cx=(place) cy="50%" r="5" {}
                }
            }
            td data-label="Latest block" { (node.height) }
            td data-label="Behind by" {
                @match highest - node.height {
                    0 => "–",
                    behind => (count(behind, "block")),
                }
            }
        }
    }
}

fn axis(lowest: u64, highest: u64) -> Markup {
    html! {
        svg.axis role="img" aria-label="The scale, in blocks" {
            @if lowest < highest { text.from x="0" y="75%" { "block " (lowest) } }
            text.to x="100%" y="75%" { "block " (highest) }
        }
    }
}
