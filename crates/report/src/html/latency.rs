//! The latency of each endpoint, as a bar on a common scale.

use maud::{Markup, html};

use super::{
    escape::Line,
    scale::{LogScale, percent},
};
use crate::model::{EndpointCost, LatencyReport, Report, figure};

/// Renders the latency of each endpoint, or nothing if no endpoint responded. `suffix`
/// distinguishes the sections of several nodes.
pub(super) fn section(report: &Report, title: &Markup, suffix: &str) -> Markup {
    let endpoints = report.cost.as_ref().map_or(&[][..], |cost| &cost.endpoints);
    if endpoints.is_empty() {
        return html! {};
    }
    let scale = LogScale::of(endpoints.iter().flat_map(|endpoint| {
        let LatencyReport {
            median_ms, max_ms, ..
        } = endpoint.latency;
        [median_ms, max_ms]
    }));
    html! {
        section.chart id={ "latency" (suffix) } aria-labelledby={ "latency-title" (suffix) } {
            h2 id={ "latency-title" (suffix) } { (title) }
            p.legend {
                "The time from sending a request to the last byte of its response. The dot is the \
                 median, the thick line ends at the 95th percentile, and the thin line at the \
                 maximum. The scale is logarithmic."
            }
            div.scroll tabindex="0" {
                table {
                    thead {
                        tr {
                            th { "Endpoint" }
                            th { (axis(&scale)) }
                            th { "Responses" }
                            th { "Median" }
                            th { "95% within" }
                            th { "Maximum" }
                        }
                    }
                    tbody { @for endpoint in endpoints { (row(endpoint, &scale)) "\n" } }
                }
            }
        }
    }
}

fn row(endpoint: &EndpointCost, scale: &LogScale) -> Markup {
    let latency = &endpoint.latency;
    html! {
        tr {
            th scope="row" { (Line(&endpoint.operation)) }
            td { (strip(latency, scale)) }
            td data-label="Responses" { (latency.responses) }
            td data-label="Median" { (figure(latency.median_ms)) " ms" }
            td data-label="95% within" { (figure(latency.p95_ms)) " ms" }
            td data-label="Maximum" { (figure(latency.max_ms)) " ms" }
        }
    }
}

/// Renders one bar. The row has its values as text.
fn strip(latency: &LatencyReport, scale: &LogScale) -> Markup {
    let place = |value| percent(scale.place(value));
    let (median, p95, maximum) = (
        place(latency.median_ms),
        place(latency.p95_ms),
        place(latency.max_ms),
    );
    html! {
        svg.strip aria-hidden="true" {
            @for (_, place) in scale.marks() {
                line.grid x1=(percent(place)) x2=(percent(place)) y1="0" y2="100%" {}
            }
            line.thin x1=(median) x2=(maximum) y1="50%" y2="50%" {}
            line.thick x1=(median) x2=(p95) y1="50%" y2="50%" {}
            line.end x1=(maximum) x2=(maximum) y1="25%" y2="75%" {}
            circle cx=(median) cy="50%" r="4" {}
        }
    }
}

fn axis(scale: &LogScale) -> Markup {
    html! {
        svg.axis role="img" aria-label="The scale, in milliseconds" {
            @for (label, place) in scale.marks() {
                text x=(percent(place)) y="75%" { (label) " ms" }
            }
        }
    }
}
