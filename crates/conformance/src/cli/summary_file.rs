//! The file to which summaries are appended.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    path::Path,
};

use super::error::UsageError;
use crate::platform::is_pipe;

/// A file for summaries, open for appending.
pub(crate) struct SummaryFile<'a> {
    path: &'a Path,
    file: File,
}

impl<'a> SummaryFile<'a> {
    /// Opens the file that the command line names. It is created if it does not exist.
    pub(crate) fn open(path: Option<&'a Path>) -> Result<Option<Self>, UsageError> {
        let Some(path) = path else {
            return Ok(None);
        };
        // To open a pipe, a program may wait forever.
        if path.metadata().is_ok_and(|about| is_pipe(&about)) {
            return Err(wrong(path, &io::Error::other("it is a pipe")));
        }
        let file = OpenOptions::new().append(true).create(true).open(path);
        let file = file.map_err(|error| wrong(path, &error))?;
        Ok(Some(Self { path, file }))
    }

    /// Appends a summary.
    pub(crate) fn append(&self, summary: &str) -> Result<(), UsageError> {
        let text = format!("{summary}\n");
        (&self.file)
            .write_all(text.as_bytes())
            .map_err(|error| wrong(self.path, &error))
    }
}

fn wrong(path: &Path, error: &io::Error) -> UsageError {
    UsageError::file("the summary can't be written to {}", path, error)
}
