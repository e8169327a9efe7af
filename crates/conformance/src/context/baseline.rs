//! The location of a baseline, and whether the run records it.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The location of a baseline, and whether the run records it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Baseline {
    /// The folder with its snapshots.
    pub folder: PathBuf,
    /// Whether the run pins responses that are not pinned yet, or only compares.
    pub record: bool,
}

/// An error that prevents the use of a baseline.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// The name is not a valid name of a folder below the baselines' folder.
    #[error(
        "{0:?} is not a valid name of a baseline: use letters, digits, '-', '_' and '.', not first"
    )]
    Name(String),
    /// The baseline does not exist.
    #[error("there is no baseline {0}: record it first, with --record")]
    Missing(PathBuf),
    /// The folder could not be created.
    #[error("the baseline {folder} can't be written: {source}")]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

impl Baseline {
    /// Returns the baseline with this name below a folder. Creates its folder if `record` is true.
    ///
    /// # Errors
    /// If the name is not valid, if the folder can't be created, or if the baseline does not exist and
    /// `record` is false.
    pub fn named(name: &str, below: &Path, record: bool) -> Result<Self, BaselineError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || name.starts_with('.') || !name.chars().all(plain) || name.len() > 100
        {
            return Err(BaselineError::Name(name.to_owned()));
        }
        let folder = below.join(name);
        if record {
            fs::create_dir_all(&folder).map_err(|source| BaselineError::Folder {
                folder: folder.clone(),
                source,
            })?;
        } else if !folder.is_dir() {
            return Err(BaselineError::Missing(folder));
        }
        Ok(Self { folder, record })
    }
}
