//! `nodectl docs`.

use clap::Args;
use node_client::escape::escaped;
use serde::Serialize;

use crate::{failure::Failure, output::Answer, settings::Session};

#[derive(Debug, Args)]
pub(crate) struct DocsArgs {
    /// Print the page's HTML, too, with what a terminal would act on written out
    #[arg(long)]
    html: bool,
}

#[derive(Serialize)]
struct Docs {
    url: String,
    /// Length of the page.
    bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    html: Option<String>,
}

impl Answer for Docs {
    fn for_a_person(&self) -> String {
        match &self.html {
            None => format!("{} answers with a page of {} bytes\n", self.url, self.bytes),
            Some(html) => {
                let lines: Vec<String> = html.lines().map(line).collect();
                format!("{}\n", lines.join("\n"))
            }
        }
    }
}

/// A line of the page; tabs are as harmless as they are usual there.
fn line(text: &str) -> String {
    let parts: Vec<String> = text.split('\t').map(escaped).collect();
    parts.join("\t")
}

pub(crate) async fn run(args: &DocsArgs, session: &Session) -> Result<(), Failure> {
    let target = session.target()?;
    let url = target.base_url.join("/docs").to_string();
    let client = session.client_of(&target)?;
    let page = client
        .docs()
        .await
        .map_err(|error| Failure::from(error).and(&format!("; the listing would be at {url}")))?;
    session.output.show(&Docs {
        url,
        bytes: page.len(),
        html: args.html.then_some(page),
    })
}
