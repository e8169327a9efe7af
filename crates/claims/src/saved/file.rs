//! The file of a saved transaction: atomic writes and bounded reads.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use nodeproof_files::{
    Access, FOLDER_LOCK, FolderLock, StagedFile, is_staged_name, link, parent_folder,
    remove_leftovers, sync_folder,
};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::error::SavedTransactionError;

/// The largest file that is read, in bytes.
pub(super) const MAX_LENGTH: u64 = 8 * 1024 * 1024;
/// The name of a folder's index.
pub(super) const INDEX: &str = ".claims-index.json";
/// Prefix of the temporary name of a file while it is written.
const STAGED_PREFIX: &str = ".saved-";
/// Age after which a temporary file counts as left behind by a killed process.
const LEFTOVER_AGE: Duration = Duration::from_secs(24 * 60 * 60);
/// The longest time to wait for a lock. A process holds it while it reads the folder and writes one
/// small file.
const LOCK_WAIT: Duration = Duration::from_secs(30);
/// Admits one writer of this process at a time. It also works where the file system has no locks. The
/// others wait here and not for a folder's lock, whose wait has a limit.
static WRITING: Mutex<()> = Mutex::new(());

/// How a file gets its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placement {
    /// The name must be free.
    New,
    /// The file replaces an existing file with the name.
    Over,
    /// An existing file with the name is put aside first.
    Aside,
}

/// The folder of a file, locked against other writers of saved transactions.
pub(super) struct LockedFolder {
    path: PathBuf,
    locks: Vec<FolderLock>,
    /// Released after the locks.
    _writing: MutexGuard<'static, ()>,
}

impl LockedFolder {
    /// Locks the folder of a file.
    pub(super) fn of(file: &Path) -> Result<Self, SavedTransactionError> {
        Self::with_others(file, &[])
    }

    /// Locks the folder of a file, and the other folders that exist.
    pub(super) fn with_others(
        file: &Path,
        others: &[PathBuf],
    ) -> Result<Self, SavedTransactionError> {
        // A panic of another writer leaves nothing half done: files are written whole or not at all.
        let writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
        let path = parent_folder(file).to_owned();
        // Real paths are used: each folder is locked once, and every process locks in the same order.
        let mut folders: Vec<PathBuf> = others
            .iter()
            .filter_map(|one| one.canonicalize().ok())
            .collect();
        folders.push(path.canonicalize().unwrap_or_else(|_| path.clone()));
        folders.sort();
        folders.dedup();
        let locks: Result<Vec<_>, _> = folders
            .iter()
            .map(|folder| FolderLock::take(folder, LOCK_WAIT))
            .collect();
        let locks = locks.map_err(|error| {
            let error = match error {
                nodeproof_files::LockError::Io(error) => error,
                nodeproof_files::LockError::Held => {
                    io::Error::other("another program holds a lock on its folder")
                }
            };
            unusable(file, "written", error)
        })?;
        Ok(Self {
            path,
            locks,
            _writing: writing,
        })
    }

    /// Returns whether other processes are kept out, too. If not, a file system has no locks.
    pub(super) fn is_locked(&self) -> bool {
        self.locks.iter().all(FolderLock::is_held)
    }

    /// Writes a whole file or nothing, and syncs it to disk. Returns the new path of the old file if
    /// it was put aside.
    ///
    /// A file that is put aside has one of its two names at any time.
    pub(super) fn write(
        &self,
        path: &Path,
        contents: &impl Serialize,
        placement: Placement,
    ) -> Result<Option<PathBuf>, SavedTransactionError> {
        let failed = |source| unusable(path, "written", source);
        let staged = stage(&self.path, contents).map_err(failed)?;
        let aside = match placement {
            Placement::Aside => put_aside(path).map_err(failed)?,
            Placement::New | Placement::Over => None,
        };
        if aside.is_some() {
            sync_folder(&self.path).map_err(failed)?;
        }
        let placed = if placement == Placement::Over || aside.is_some() {
            staged.replace(path)
        } else {
            staged.create(path)
        };
        if let Err(error) = placed {
            // The earlier file still has its first name, so remove the second one.
            if let Some(aside) = aside {
                let _removed = fs::remove_file(aside);
            }
            return Err(match error.kind() {
                io::ErrorKind::AlreadyExists => SavedTransactionError::Exists {
                    path: path.to_owned(),
                },
                _ => failed(error),
            });
        }
        sync_folder(&self.path).map_err(failed)?;
        Ok(aside)
    }

    /// Removes the files that killed processes left behind. Their transactions were never sent.
    pub(super) fn remove_leftovers(&self) {
        remove_leftovers(&self.path, STAGED_PREFIX, LEFTOVER_AGE);
    }
}

fn stage(folder: &Path, contents: &impl Serialize) -> io::Result<StagedFile> {
    let mut text = serde_json::to_string_pretty(contents)?;
    text.push('\n');
    StagedFile::write(folder, STAGED_PREFIX, text.as_bytes(), Access::Owner)
}

/// Writes a whole file or nothing.
pub(super) fn replace(path: &Path, contents: &impl Serialize) -> io::Result<()> {
    stage(parent_folder(path), contents)?.replace(path)
}

/// The first part of the names of links.
const LINK: &str = "elsewhere-";

/// Makes a link to the file of a claim about an asset in each of these folders that exists, except the file's own
/// folder. It does so only on Unix, where every user may make links.
pub(super) fn link_from(
    file: &Path,
    asset_id: &str,
    folders: &[PathBuf],
) -> Result<(), SavedTransactionError> {
    let failed = |source| unusable(file, "written", source);
    let own = parent_folder(file).canonicalize().map_err(failed)?;
    let target = own.join(file.file_name().unwrap_or_default());
    let digits = digest_name(target.as_os_str().as_encoded_bytes());
    let name = format!("{}{digits}.json", link_prefix(asset_id));
    for folder in folders.iter().filter_map(|one| one.canonicalize().ok()) {
        if folder != own {
            link(&target, &folder.join(&name)).map_err(failed)?;
        }
    }
    Ok(())
}

/// Returns the first part of the names of links to claims about an asset. Whoever can't read such a claim knows
/// nevertheless that there is one.
pub(super) fn link_prefix(asset_id: &str) -> String {
    format!("{LINK}{}-", digest_name(asset_id.as_bytes()))
}

/// Returns whether this is the name of a link to a claim in another folder.
pub(super) fn is_link_name(name: &str) -> bool {
    name.starts_with(LINK)
}

/// Returns a name for these bytes: the first 32 hexadecimal characters of their SHA-256.
pub(super) fn digest_name(bytes: &[u8]) -> String {
    const_hex::encode(&Sha256::digest(bytes)[..16])
}

/// Returns the name of a claim's file where its user does not choose one: some digits of the asset's digest, and the digest of
/// the claim. Like that of a link, it tells what the claim is about if the file is damaged.
pub(crate) fn claim_name(asset_id: &str, claim: &[u8]) -> String {
    format!("{}{}.json", claim_prefix(asset_id), digest_name(claim))
}

/// Returns the first part of the names of claims about an asset.
pub(super) fn claim_prefix(asset_id: &str) -> String {
    let digits = digest_name(asset_id.as_bytes());
    format!("claim-{}-", &digits[..16])
}

/// Returns whether this is the temporary name of a file that is being written, or the name of the
/// folder's lock file or index.
pub(super) fn is_not_saved(name: &str) -> bool {
    name == FOLDER_LOCK || name == INDEX || is_staged_name(name, STAGED_PREFIX)
}

/// Gives a file a second name, the first of `FILE.1`, `FILE.2` and so on that is free.
///
/// It keeps its first name too, until another file takes that name.
fn put_aside(path: &Path) -> io::Result<Option<PathBuf>> {
    const MAX_ATTEMPTS: u32 = 10_000;
    for number in 1..=MAX_ATTEMPTS {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{number}"));
        let aside = PathBuf::from(name);
        // Unlike a rename, a link fails if the name is taken.
        match fs::hard_link(path, &aside) {
            Ok(()) => return Ok(Some(aside)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other(format!(
        "{MAX_ATTEMPTS} backups of this file already exist"
    )))
}

fn unusable(path: &Path, action: &'static str, source: io::Error) -> SavedTransactionError {
    SavedTransactionError::Unusable {
        path: path.to_owned(),
        action,
        source,
    }
}

/// Reads a file's text. Returns `None` if there is no such file.
pub(super) fn read(path: &Path) -> Result<Option<String>, SavedTransactionError> {
    let unusable = |source| unusable(path, "read", source);
    let not_saved = |reason: &str| SavedTransactionError::NotSavedTransaction {
        path: path.to_owned(),
        reason: reason.to_owned(),
    };
    let kind = match fs::metadata(path) {
        Ok(kind) => kind,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unusable(error)),
    };
    if !kind.is_file() {
        return Err(not_saved("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unusable)?;
    file.take(MAX_LENGTH + 1)
        .read_to_end(&mut bytes)
        .map_err(unusable)?;
    if bytes.len() as u64 > MAX_LENGTH {
        return Err(not_saved("it is too long"));
    }
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|_| not_saved("it is not text"))
}
