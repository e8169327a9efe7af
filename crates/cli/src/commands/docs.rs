//! `nodectl docs`.

use clap::Args;
use nodeproof_primitives::escape::{escaped, excerpt};
use serde::Serialize;

use crate::{failure::Failure, io::output::CommandResult, session::settings::Session};

#[derive(Debug, Args)]
pub(crate) struct DocsArgs {
    /// Also print the page's HTML, with everything that a terminal would act on escaped
    #[arg(long)]
    html: bool,
}

#[derive(Serialize)]
struct Docs {
    url: String,
    /// Length of the page, in bytes.
    bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    html: Option<String>,
}

impl CommandResult for Docs {
    fn for_a_person(&self) -> String {
        match &self.html {
            None => format!("{} returns a page of {} bytes\n", self.url, self.bytes),
            Some(html) => {
                let lines: Vec<String> = html.lines().map(line).collect();
                format!("{}\n", lines.join("\n"))
            }
        }
    }
}

/// Returns an escaped line of the page. Tabs are common and harmless, so they stay.
fn line(text: &str) -> String {
    let parts: Vec<String> = text.split('\t').map(escaped).collect();
    parts.join("\t")
}

/// Maximum length of the excerpt if the response is not a page, in bytes.
const MAX_CHARACTERS: usize = 120;
/// An HTML page has at least one of these texts, in lower case.
const MARKS: [&str; 6] = [
    "<!doctype html",
    "<html",
    "<head",
    "<body",
    "<title",
    "<script",
];

/// Whether a text looks like an HTML page.
fn is_html(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let lower = text.to_ascii_lowercase();
    lower.starts_with('<') && MARKS.iter().any(|mark| lower.contains(mark))
}

pub(crate) async fn run(args: &DocsArgs, session: &Session) -> Result<(), Failure> {
    let target = session.target()?;
    let url = target.base_url.join("/docs").to_string();
    let client = session.client_of(&target)?;
    let page = client.docs().await.map_err(|error| {
        Failure::from(error).with_suffix(&format!("; the listing would be at {url}"))
    })?;
    if !is_html(&page) {
        return Err(Failure::unexpected(format!(
            "{url} responds, but not with an HTML page: {}",
            excerpt(page.as_bytes(), MAX_CHARACTERS)
        )));
    }
    session.output.show(&Docs {
        url,
        bytes: page.len(),
        html: args.html.then_some(page),
    })
}
