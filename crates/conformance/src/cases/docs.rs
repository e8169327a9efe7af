//! `GET /docs`.

use super::Case;
use crate::{
    outcome::{Finding, Findings},
    sample::{Context, Sample},
};
use node_client::escape::escaped_up_to as shown;

const LISTING: &str = "Every node serves an interactive API listing at `{base_url}/docs`.";

pub(super) const CASES: &[Case] = &[
    Case::must("docs/answers", LISTING, |c| Box::pin(answers(c))),
    Case::must("docs/page", LISTING, |c| Box::pin(page(c))),
];

async fn answers(context: &Context) -> Findings {
    let exchanges = context.sample(Sample::Docs).await?;
    Ok(exchanges
        .iter()
        .filter(|exchange| exchange.status != 200)
        .map(|exchange| {
            let what = format!("answered with status {}", exchange.status);
            Finding::new(exchange, what, "200 with the listing", exchange.summary())
        })
        .collect())
}

/// A page that a browser shows: it says that it is HTML, and it is.
async fn page(context: &Context) -> Findings {
    let mut findings = Vec::new();
    for exchange in context.sample(Sample::Docs).await? {
        if exchange.status != 200 {
            continue;
        }
        let media = exchange.content_type.as_deref().unwrap_or("none");
        let essence = media.split(';').next().unwrap_or_default().trim();
        if !essence.eq_ignore_ascii_case("text/html") {
            let actual = format!("Content-Type: {}", shown(media, 80));
            let what = "the listing does not say that it is a page";
            findings.push(Finding::new(
                &exchange,
                what,
                "Content-Type: text/html",
                actual,
            ));
        }
        let text = String::from_utf8_lossy(&exchange.body).to_ascii_lowercase();
        if !text.contains("<html") && !text.contains("<!doctype html") {
            let what = "the listing is no HTML page";
            findings.push(Finding::new(
                &exchange,
                what,
                "an HTML page",
                exchange.excerpt(160),
            ));
        }
    }
    Ok(findings)
}
