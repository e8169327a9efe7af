//! Where a baseline is, and whether it is recorded.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Where a baseline is, and what is to be done with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Baseline {
    /// The folder of its snapshots.
    pub folder: PathBuf,
    /// Whether answers are pinned, or only compared.
    pub record: bool,
}

/// Why a baseline can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// Its name would lead out of its folder, or can't be a folder's.
    #[error(
        "{0:?} is not a valid name of a baseline: use letters, digits, '-', '_' and '.', not first"
    )]
    Name(String),
    /// There is no such baseline.
    #[error("there is no baseline {0}: record it first, with --record")]
    Missing(PathBuf),
    /// Its folder can't be made.
    #[error("the baseline {folder} can't be written: {source}")]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What was in the way.
        source: io::Error,
    },
}

impl Baseline {
    /// The baseline of that name below a folder; made where it is to be recorded.
    ///
    /// # Errors
    /// When the name can't be one, or there is no such baseline and none is recorded.
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
