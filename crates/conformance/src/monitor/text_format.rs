//! The older text format of Prometheus, made from OpenMetrics text.

use axum::http::{HeaderMap, header::ACCEPT};

/// The content type of the older text format.
pub(super) const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Whether a scraper prefers the older format. Without a preference, it gets OpenMetrics.
pub(super) fn prefers_text(headers: &HeaderMap) -> bool {
    let quality = |kind: &str| {
        let ranges = headers
            .get_all(ACCEPT)
            .iter()
            .filter_map(|value| value.to_str().ok());
        let ranges = ranges
            .flat_map(|value| value.split(','))
            .filter_map(|range| {
                let mut parts = range.split(';').map(str::trim);
                parts
                    .next()
                    .filter(|name| name.eq_ignore_ascii_case(kind))?;
                let quality = parts.find_map(|part| part.strip_prefix("q=")?.parse::<f32>().ok());
                Some(quality.unwrap_or(1.0))
            });
        ranges.fold(0.0, f32::max)
    };
    quality("text/plain") > quality("application/openmetrics-text")
}

/// Converts OpenMetrics text. The older format has no units, no type `info`, and names counters with
/// their ending.
pub(super) fn text_format(open_metrics: &str) -> String {
    let mut text = String::with_capacity(open_metrics.len());
    let mut help = None;
    for line in open_metrics.lines() {
        if let Some(described) = line.strip_prefix("# HELP ") {
            help = described.split_once(' ');
        } else if let Some((name, kind)) = line
            .strip_prefix("# TYPE ")
            .and_then(|typed| typed.split_once(' '))
        {
            let (ending, kind) = match kind {
                "counter" => ("_total", kind),
                "info" => ("_info", "gauge"),
                _ => ("", kind),
            };
            if let Some((_, help)) = help.take() {
                text.push_str(&format!("# HELP {name}{ending} {help}\n"));
            }
            text.push_str(&format!("# TYPE {name}{ending} {kind}\n"));
        } else if !line.starts_with('#') {
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}
