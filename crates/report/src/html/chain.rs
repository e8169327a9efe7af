//! The blocks of a sweep over the chain: the intervals between them, and their votes.

use maud::{Markup, html};

use super::{
    duration::duration,
    scale::{LogScale, percent, place_between},
};
use crate::model::{BlockSpan, Report, Spread};

/// A chart of one measured value.
struct Chart<'c> {
    title: &'c str,
    /// Returns the values of a span.
    spread: fn(&BlockSpan) -> Option<&Spread>,
    /// Writes a value with its unit.
    words: fn(u64) -> String,
    /// Returns the position of a value, from the bottom.
    place: &'c dyn Fn(u64) -> f64,
    /// Labels, with their positions from the bottom.
    marks: Vec<(String, f64)>,
    /// The text if no span has values.
    none: &'c str,
}

/// Renders the charts of a sweep, or nothing if there was no sweep or it has no blocks. `suffix`
/// distinguishes the sections of several nodes.
pub(super) fn section(report: &Report, title: &Markup, suffix: &str) -> Markup {
    let spans = report.sweep.as_ref().map_or(&[][..], |sweep| &sweep.spans);
    if spans.is_empty() {
        return html! {};
    }
    let intervals = spans.iter().filter_map(interval_of);
    let times = LogScale::of(
        intervals.flat_map(|spread| [at_least_one(spread.min), at_least_one(spread.max)]),
    );
    let most_votes = spans.iter().filter_map(votes_of).map(|spread| spread.max);
    let most_votes = most_votes.max().unwrap_or_default().max(1);
    html! {
        section.chart id={ "chain" (suffix) } aria-labelledby={ "chain-title" (suffix) } {
            h2 id={ "chain-title" (suffix) } { (title) }
            p.legend {
                "Each bar stands for a span of blocks, from the lowest to the highest value. The line \
                 across it is the median."
            }
            (chart(spans, &Chart {
                title: "Block intervals (logarithmic scale)",
                spread: interval_of,
                words: duration,
                place: &|value| times.place(at_least_one(value)),
                marks: times.marks().map(|(value, place)| (duration_of_mark(value), place)).collect(),
                none: "No two blocks in a row have times that go forward.",
            }))
            (chart(spans, &Chart {
                title: "Votes per block, on the block before it",
                spread: votes_of,
                words: |votes| votes.to_string(),
                place: &|value| place_between(value, 0, most_votes),
                marks: [0, most_votes]
                    .map(|value| (value.to_string(), place_between(value, 0, most_votes)))
                    .to_vec(),
                none: "No block shows its votes.",
            }))
            (table(spans))
        }
    }
}

const fn interval_of(span: &BlockSpan) -> Option<&Spread> {
    span.interval_ms.as_ref()
}

const fn votes_of(span: &BlockSpan) -> Option<&Spread> {
    span.votes.as_ref()
}

#[expect(clippy::cast_precision_loss, reason = "a pixel stands for many values")]
fn at_least_one(value: u64) -> f64 {
    value.max(1) as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the scale is between 0.1 and 1e9"
)]
fn duration_of_mark(value: f64) -> String {
    duration(value.round() as u64)
}

fn chart(spans: &[BlockSpan], chart: &Chart<'_>) -> Markup {
    let found = || spans.iter().filter_map(chart.spread);
    let (Some(lowest), Some(highest)) = (
        found().map(|spread| spread.min).min(),
        found().map(|spread| spread.max).max(),
    ) else {
        return html! { h3 { (chart.title) } p { (chart.none) } };
    };
    let first = spans.first().map_or(0, |span| span.from);
    let end = spans.last().map_or(0, |span| span.to);
    let last = end.saturating_sub(1);
    let height = |value| 1.0 - (chart.place)(value);
    html! {
        h3 { (chart.title) }
        div.plot {
            svg.scale aria-hidden="true" {
                @for (label, place) in &chart.marks {
                    text x="100%" y=(percent(1.0 - place)) dy="0.3em" { (label) }
                }
            }
            svg.bars role="img" aria-label={
                (chart.title) ", blocks " (first) " to " (last) ": from " ((chart.words)(lowest))
                " to " ((chart.words)(highest))
            } {
                @for (_, place) in &chart.marks {
                    @let place = percent(1.0 - place);
                    line.grid x1="0" x2="100%" y1=(place) y2=(place) {}
                }
                @for span in spans {
                    @if let Some(spread) = (chart.spread)(span) {
                        @let left = share(span.from, first, end);
                        @let width = share(span.to, first, end) - left;
                        @let (top, middle) = (height(spread.max), height(spread.median));
                        g {
                            title {
                                (blocks(span)) ": " ((chart.words)(spread.min)) " to "
                                ((chart.words)(spread.max)) ", median " ((chart.words)(spread.median))
                            }
                            rect x=(percent(left)) width=(percent(width)) y=(percent(top))
                                height=(percent((height(spread.min) - top).max(0.0))) {}
                            line.median x1=(percent(left)) x2=(percent(left + width))
                                y1=(percent(middle)) y2=(percent(middle)) {}
                        }
                        "\n"
                    }
                }
            }
            svg.axis aria-hidden="true" {
                text.from x="0" y="75%" { "block " (first) }
                @if last > first { text.to x="100%" y="75%" { "block " (last) } }
            }
        }
    }
}

/// Returns the position of a block on the horizontal axis.
#[expect(clippy::cast_precision_loss, reason = "a pixel stands for many blocks")]
fn share(block: u64, first: u64, end: u64) -> f64 {
    let blocks = end.saturating_sub(first).max(1);
    (block.saturating_sub(first) as f64 / blocks as f64).min(1.0)
}

fn blocks(span: &BlockSpan) -> String {
    match span.to.saturating_sub(1) {
        last if last <= span.from => format!("block {}", span.from),
        last => format!("blocks {} to {last}", span.from),
    }
}

/// Renders the same figures as a table.
fn table(spans: &[BlockSpan]) -> Markup {
    html! {
        details.gaps {
            summary { "The same as a table" }
            div.scroll tabindex="0" {
                table {
                    thead {
                        tr {
                            th { "Blocks" }
                            th { "Interval: lowest" }
                            th { "median" }
                            th { "highest" }
                            th { "Votes: lowest" }
                            th { "median" }
                            th { "highest" }
                        }
                    }
                    tbody {
                        @for span in spans {
                            tr {
                                th scope="row" { (blocks(span)) }
                                (cells("Interval", span.interval_ms.as_ref(), duration))
                                (cells("Votes", span.votes.as_ref(), |votes| votes.to_string()))
                            }
                            "\n"
                        }
                    }
                }
            }
        }
    }
}

fn cells(label: &str, spread: Option<&Spread>, words: fn(u64) -> String) -> Markup {
    let Some(Spread {
        min, median, max, ..
    }) = spread
    else {
        return html! { td colspan="3" { (label) ": none" } };
    };
    html! {
        td data-label={ (label) ", lowest" } { (words(*min)) }
        td data-label={ (label) ", median" } { (words(*median)) }
        td data-label={ (label) ", highest" } { (words(*max)) }
    }
}
