//! Requests and their responses.

use maud::{Markup, html};

use super::{
    escape::{Line, Lines},
    parts::{count, exact_text, took},
};
use crate::model::{ExchangeReport, NodeReport};

/// Returns the ID of an exchange in the page.
pub(super) fn anchor(number: usize, index: usize) -> String {
    format!("x{number}-{index}")
}

/// Renders every exchange with a node. `number` distinguishes the sections of several nodes.
pub(super) fn section(node: &NodeReport, number: usize, title: &Markup) -> Markup {
    html! {
        section.exchanges id={ "exchanges-" (number) } {
            h2 { "Exchanges" (title) }
            @if node.exchanges.is_empty() { p { "No case received a response." } }
            div.list {
                @for (index, exchange) in node.exchanges.iter().enumerate() {
                    (whole(node, exchange, Some(&anchor(number, index)))) "\n"
                }
            }
        }
    }
}

/// Renders an exchange with its bodies, collapsed. With an ID, other places can link to it.
pub(super) fn whole(node: &NodeReport, exchange: &ExchangeReport, id: Option<&str>) -> Markup {
    let media_type = exchange.content_type.as_deref();
    html! {
        details.exchange id=[id] {
            (summary(node, exchange))
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
                @if let (Some(curl), Some(_)) = (&exchange.curl, id) { (exact_text(curl)) }
            }
        }
    }
}

/// Renders a reference to an exchange. The script copies the exchange here when a reader opens it.
pub(super) fn reference(node: &NodeReport, exchange: &ExchangeReport, id: &str) -> Markup {
    html! {
        details.exchange data-of=(id) {
            (summary(node, exchange))
            div.inside { a href={ "#" (id) } { "See it below" } }
        }
    }
}

fn summary(node: &NodeReport, exchange: &ExchangeReport) -> Markup {
    let base = node.target.base_url.trim_end_matches('/');
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
