//! The latency of each endpoint.

use maud::{Markup, html};

use super::escape::Line;
use crate::model::{EndpointCost, Report, figure};

/// Renders the latency of each endpoint, or nothing if no endpoint responded. `suffix`
/// distinguishes the sections of several nodes.
pub(super) fn section(report: &Report, title: &Markup, suffix: &str) -> Markup {
    let endpoints = report.cost.as_ref().map_or(&[][..], |cost| &cost.endpoints);
    if endpoints.is_empty() {
        return html! {};
    }
    html! {
        section.latency id={ "latency" (suffix) } aria-labelledby={ "latency-title" (suffix) } {
            h2 id={ "latency-title" (suffix) } { (title) }
            p.legend { "The time from sending a request to the last byte of its response." }
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
