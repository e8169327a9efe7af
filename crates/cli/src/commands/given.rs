//! A transaction that a person names: its text, or the file in which `claim add` kept it.

use std::path::Path;

use nodeproof_client::claim::Kept;
use serde::Deserialize;

use crate::{failure::Failure, files};

/// What tells a kept transaction from any other file.
const FORMAT: &str = "nodeproof-client/kept-transaction";

/// What was given.
pub(super) enum Given {
    Text(String),
    Kept(Box<Kept>),
}

impl Given {
    /// Reads a file, or standard input where the path is `-`.
    pub(super) fn read(what: &str, path: &Path) -> Result<Self, Failure> {
        let text = files::text(what, path)?;
        if !is_kept(&text) {
            return Ok(Self::Text(text));
        }
        if path == Path::new("-") {
            return Err(Failure::usage(
                "this is a file in which `claim add` keeps a transaction: name the file itself, as \
                 it is checked where it lies",
            ));
        }
        match Kept::open(path).map_err(Failure::usage)? {
            Some(kept) => Ok(Self::Kept(Box::new(kept))),
            None => Err(Failure::usage(format!("{} has gone away", path.display()))),
        }
    }

    /// The transaction's text, as it would be submitted.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Text(text) => text.trim(),
            Self::Kept(kept) => kept.signed().text().as_str(),
        }
    }
}

fn is_kept(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Head {
        format: String,
    }
    text.trim_start().starts_with('{')
        && serde_json::from_str(text).is_ok_and(|head: Head| head.format == FORMAT)
}
