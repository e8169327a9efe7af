//! Requests and their answers.

use super::{Html, shell_line, took};
use crate::model::{ExchangeReport, Report};

/// Every exchange that a case or a finding names.
pub(super) fn section(page: &mut Html, report: &Report) {
    page.raw("<section id=\"exchanges\" aria-labelledby=\"exchanges-title\">\n");
    page.raw("<h2 id=\"exchanges-title\">Exchanges</h2>\n");
    if report.exchanges.is_empty() {
        page.raw("<p>No case got an answer to look at.</p>\n");
    }
    page.raw("<div class=\"list\">\n");
    for (place, exchange) in report.exchanges.iter().enumerate() {
        whole(page, report, exchange, Some(place));
    }
    page.raw("</div>\n</section>\n");
}

/// An exchange with its bodies, folded.
pub(super) fn whole(
    page: &mut Html,
    report: &Report,
    exchange: &ExchangeReport,
    place: Option<usize>,
) {
    page.raw("<details class=\"exchange\"");
    if let Some(place) = place {
        page.raw(" id=\"x").text(&place.to_string()).raw("\"");
    }
    page.raw(">");
    summary(page, report, exchange);
    page.raw("<div class=\"inside\">\n");
    if let Some(body) = &exchange.request_body {
        page.raw("<p class=\"part\">sent as application/json</p>\n<pre tabindex=\"0\">");
        page.lines(body).raw("</pre>\n");
    }
    page.raw("<p class=\"part\">answered ")
        .number(exchange.status)
        .raw(" · ");
    page.text(
        exchange
            .content_type
            .as_deref()
            .unwrap_or("no Content-Type"),
    )
    .raw(" · ");
    page.count(
        usize::try_from(exchange.body_bytes).unwrap_or(usize::MAX),
        "byte",
    );
    page.raw("</p>\n");
    if !exchange.body.is_empty() {
        page.raw("<pre tabindex=\"0\">")
            .lines(&exchange.body)
            .raw("</pre>\n");
    }
    if let Some(curl) = exchange.curl.as_ref().filter(|_| place.is_some()) {
        shell_line(page, curl);
    }
    page.raw("</div></details>\n");
}

/// An exchange that stands in full further down; the script fetches it from there when it is opened.
pub(super) fn reference(page: &mut Html, report: &Report, exchange: &ExchangeReport, place: usize) {
    page.raw("<details class=\"exchange\" data-of=\"x")
        .text(&place.to_string())
        .raw("\">");
    summary(page, report, exchange);
    page.raw("<div class=\"inside\"><a href=\"#x")
        .text(&place.to_string());
    page.raw("\">See it below</a></div></details>\n");
}

fn summary(page: &mut Html, report: &Report, exchange: &ExchangeReport) {
    let base = report.target.base_url.trim_end_matches('/');
    let path = exchange.url.strip_prefix(base).unwrap_or(&exchange.url);
    let good = (200..300).contains(&exchange.status);
    page.raw("<summary><span class=\"method\">")
        .text(&exchange.method)
        .raw("</span> ");
    page.raw("<span class=\"url\">")
        .text(path)
        .raw("</span> <span class=\"status ");
    page.raw(if good { "good" } else { "other" })
        .raw("\">")
        .number(exchange.status);
    page.raw("</span> ");
    took(page, exchange.elapsed_ms);
    page.raw("</summary>\n");
}
