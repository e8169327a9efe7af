//! What earlier searches of a folder have read.

use std::{
    collections::BTreeMap,
    fs::Metadata,
    path::Path,
    time::{Duration, SystemTime},
};

use nodeproof_files::file_stamp;
use serde::{Deserialize, Serialize};

use super::file;

/// The value of `format`. The version is part of it.
const FORMAT: &str = "nodeproof-claims/index-1";
/// Age from which a file's stamp is trusted. Two changes within one tick of the clock have one stamp.
const SETTLED: Duration = Duration::from_secs(2);
/// The number of files that are read in each search before the index is written.
pub(super) const MAX_UNLISTED: usize = 32;

/// For each file of a folder: its stamp when it was read, and the asset of its claim.
///
/// A search reads only files that are not listed, that were changed since, or whose claim is about the
/// asset. So a wrong, old or missing index costs time, and hides no claim.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Index {
    format: String,
    files: BTreeMap<String, Entry>,
    /// The number of new entries.
    #[serde(skip)]
    added: usize,
}

/// A file that was read.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    stamp: String,
    /// The [digest](file::digest_name) of the asset ID. `None` if the file has no claim.
    asset: Option<String>,
}

impl Index {
    fn empty() -> Self {
        Self {
            format: FORMAT.to_owned(),
            files: BTreeMap::new(),
            added: 0,
        }
    }

    /// Reads the index of a folder. It is empty if there is none that can be read.
    pub(super) fn read(folder: &Path) -> Self {
        let text = file::read(&folder.join(file::INDEX)).ok().flatten();
        let read = text.and_then(|text| serde_json::from_str(&text).ok());
        read.filter(|index: &Self| index.format == FORMAT)
            .unwrap_or_else(Self::empty)
    }

    /// Returns the index for the next search, without entries.
    pub(super) fn next() -> Self {
        Self::empty()
    }

    /// Moves the entry of a file that has not changed since it was read, and is not about an asset, to the
    /// next index. Returns whether there is such an entry.
    pub(super) fn keeps(
        &mut self,
        name: &str,
        found: &Metadata,
        asset: &str,
        next: &mut Self,
    ) -> bool {
        let stamp = file_stamp(found).map(|(stamp, _)| stamp);
        let is_same = |entry: &Entry| Some(&entry.stamp) == stamp.as_ref();
        let Some(entry) = self.files.remove(name).filter(is_same) else {
            return false;
        };
        let is_about_it = entry.asset.as_deref() == Some(asset);
        next.files.insert(name.to_owned(), entry);
        !is_about_it
    }

    /// Lists a file that was read, unless it was changed in the last seconds. `found` is from before that.
    pub(super) fn add(&mut self, name: &str, found: &Metadata, asset: Option<String>) {
        let Some((stamp, changed)) = file_stamp(found) else {
            return;
        };
        let is_settled = SystemTime::now()
            .duration_since(changed)
            .is_ok_and(|age| age >= SETTLED);
        if is_settled && !name.is_empty() && !self.files.contains_key(name) {
            self.added += 1;
            let entry = Entry { stamp, asset };
            self.files.insert(name.to_owned(), entry);
        }
    }

    /// Writes the index, if it has many new entries. The folder has to be locked. A failure only costs time.
    pub(super) fn save(&self, folder: &Path) {
        if self.added <= MAX_UNLISTED {
            return;
        }
        if let Err(error) = file::replace(&folder.join(file::INDEX), self) {
            tracing::debug!(%error, "the index of saved claims can't be written");
        }
    }
}
