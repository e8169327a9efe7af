//! The latency of each endpoint.

use maud::{Markup, html};

use super::escape::Line;
use crate::model::{EndpointCost, NodeReport, figure};

/// Renders the latency of each endpoint. `number`
/// distinguishes the sections of several nodes.
pub(super) fn section(node: &NodeReport, number: usize, title: &Markup) -> Markup {
    let endpoints = node.cost.as_ref().map_or(&[][..], |cost| &cost.endpoints);
    html! {
        section.latency id={ "latency-" (number) } {
            h2 { "Latency" (title) }
            p.legend { "The time from sending a request to the last byte of its response." }
            @if endpoints.is_empty() { p { "No endpoint responded." } }
            div.scroll tabindex="0" {
                table {
                    thead {
                        tr {
                            th { "Endpoint" }
                            th { "Responses" }
                            th { "Median" }
                            th { "95% within" }
                            th { "Maximum" }
                        }
                    }
                    tbody { @for endpoint in endpoints { (row(endpoint)) "\n" } }
                }
            }
        }
    }
}

fn row(endpoint: &EndpointCost) -> Markup {
    let latency = &endpoint.latency;
    html! {
        tr {
            th scope="row" { (Line(&endpoint.operation)) }
            td data-label="Responses" { (latency.responses) }
            td data-label="Median" { (figure(latency.median_ms)) " ms" }
            td data-label="95% within" { (figure(latency.p95_ms)) " ms" }
            td data-label="Maximum" { (figure(latency.max_ms)) " ms" }
        }
    }
}
