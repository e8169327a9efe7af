//! Requests and their responses.

use maud::{Markup, html};

use super::{
    escape::{Line, Lines},
    parts::{count, shell_command, took},
};
use crate::model::{ExchangeReport, Report};

/// Renders every exchange of a report.
pub(super) fn section(report: &Report) -> Markup {
    html! {
        section #exchanges aria-labelledby="exchanges-title" {
            h2 #exchanges-title { "Exchanges" }
            @if report.exchanges.is_empty() { p { "No case received a response." } }
            div.list {
                @for (place, exchange) in report.exchanges.iter().enumerate() {
                    (whole(report, exchange, Some(place))) "\n"
                }
            }
        }
    }
}

/// Renders an exchange with its bodies, collapsed. With an index, other places can link to it.
pub(super) fn whole(report: &Report, exchange: &ExchangeReport, index: Option<usize>) -> Markup {
    let media_type = exchange.content_type.as_deref();
    html! {
        details.exchange id=[index.map(|index| format!("x{index}"))] {
            (summary(report, exchange))
            div.inside {
                @if let Some(body) = &exchange.request_body {
                    p.part { "sent as application/json" }
                    pre tabindex="0" { (Lines(body)) }
                }
                p.part {
                    "responded with " (exchange.status)
                    " · " (Line(media_type.unwrap_or("no Content-Type")))
                    " · " (count(exchange.body_bytes, "byte"))
                }
                @if !exchange.body.is_empty() { pre tabindex="0" { (Lines(&exchange.body)) } }
                @if let (Some(curl), Some(_)) = (&exchange.curl, index) { (shell_command(curl)) }
            }
        }
    }
}

/// Renders a reference to an exchange. The script copies the exchange here when a reader opens it.
pub(super) fn reference(report: &Report, exchange: &ExchangeReport, index: usize) -> Markup {
    html! {
        details.exchange data-of={ "x" (index) } {
            (summary(report, exchange))
            div.inside { a href={ "#x" (index) } { "See it below" } }
        }
    }
}

fn summary(report: &Report, exchange: &ExchangeReport) -> Markup {
    let base = report.target.base_url.trim_end_matches('/');
    let path = exchange.url.strip_prefix(base).unwrap_or(&exchange.url);
    let good = (200..300).contains(&exchange.status);
    let class = if good { "good" } else { "other" };
    html! {
        summary {
            span.method { (Line(&exchange.method)) }
            " " span.url { (Line(path)) }
            " " span class={ "status " (class) } { (exchange.status) }
            " " (took(exchange.elapsed_ms))
        }
    }
}
