//! Checks whether only the user controls a folder.

use std::{
    io,
    path::{Path, PathBuf},
};

use thiserror::Error;

use crate::platform::{only_for_owner, ownership};

/// Other users control a folder, so its content can't be trusted.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FolderError {
    /// It belongs to another user.
    #[error(
        "the folder {} belongs to another user, who can change its contents: use a folder of your own",
        path.display()
    )]
    OfAnotherUser {
        /// The folder.
        path: PathBuf,
    },
    /// Other users can write to it.
    #[error(
        "other users can write to the folder {}, and change what is in it: `chmod go-w {}` keeps it to yourself",
        path.display(),
        quoted(path)
    )]
    WritableByOthers {
        /// The folder.
        path: PathBuf,
    },
    /// Its metadata can't be read.
    #[error("the folder {} can't be inspected: {source}", path.display())]
    Io {
        /// The folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

/// Returns a path as one word of a POSIX shell, for a command that a person copies.
///
/// ```
/// use std::path::Path;
///
/// assert_eq!(nodeproof_files::quoted(Path::new("/a/b-1.json")), "/a/b-1.json");
/// assert_eq!(nodeproof_files::quoted(Path::new("it's $HOME")), r"'it'\''s $HOME'");
/// ```
#[must_use]
pub fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    let is_plain =
        |character: char| character.is_ascii_alphanumeric() || "/._-+@%:,".contains(character);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.into_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// Checks that a folder belongs to this user or to root, and that no other user can write to it, or to one of its
/// parents, where they could put another folder in its place.
///
/// A missing folder is empty, and passes. With [`Shared::Sticky`], a folder like `/tmp` passes too:
/// other users can create files there, but not change this user's. Such a folder may also be a parent, and a parent may
/// belong to anyone: a container can hide who it is. Where the system has no such permissions, every folder passes.
///
/// # Errors
/// The reason why the folder, or the first of its parents, can't be trusted.
pub fn check_private_folder(path: &Path, shared: Shared) -> Result<(), FolderError> {
    check(path, shared)?;
    // Also the parents of a link, which others could replace, and those of its target.
    let places = [std::path::absolute(path), path.canonicalize()];
    let places: Vec<_> = places.into_iter().flatten().collect();
    let parents = places.iter().flat_map(|place| place.ancestors().skip(1));
    for parent in parents {
        if let Ok(Some(found)) = ownership(parent)
            && found.is_shared
            && !found.is_sticky
        {
            let path = parent.to_owned();
            return Err(FolderError::WritableByOthers { path });
        }
    }
    Ok(())
}

fn check(path: &Path, shared: Shared) -> Result<(), FolderError> {
    let path = || path.to_owned();
    let found = match ownership(&path()) {
        Ok(Some(found)) => found,
        Ok(None) => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(source) => {
            let path = path();
            return Err(FolderError::Io { path, source });
        }
    };
    if !found.is_own {
        return Err(FolderError::OfAnotherUser { path: path() });
    }
    let may_be_shared = shared == Shared::Sticky && found.is_sticky;
    if found.is_shared && !may_be_shared {
        return Err(FolderError::WritableByOthers { path: path() });
    }
    Ok(())
}

/// Creates a folder and its parents for this user alone. Existing folders stay unchanged.
///
/// # Errors
/// If the system refuses.
pub fn create_private_folder(path: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    only_for_owner(&mut builder);
    builder.create(path)
}

/// Whether a folder may be shared with other users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shared {
    /// No.
    No,
    /// Yes, if it has the sticky bit, like `/tmp`.
    Sticky,
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, chown};

    use super::*;

    #[test]
    fn a_folder_that_others_can_rename_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let parent = folder.path().join("parent");
        let [own, missing] = ["own", "missing"].map(|name| parent.join("between").join(name));
        std::fs::create_dir_all(&own).unwrap();
        std::fs::set_permissions(&own, std::fs::Permissions::from_mode(0o700)).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&own, &link).unwrap();
        for (mode, passes) in [
            (0o700, true),
            (0o755, true),
            (0o775, false),
            (0o777, false),
            (0o1777, true),
        ] {
            std::fs::set_permissions(&parent, std::fs::Permissions::from_mode(mode)).unwrap();
            for path in [&own, &missing, &link] {
                let checked = check_private_folder(path, Shared::No);
                assert_eq!(checked.is_ok(), passes, "{mode:o}: {checked:?}");
            }
        }
    }

    #[test]
    fn a_folder_that_others_can_write_to_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        for (mode, passes, shared_passes) in [
            (0o700, true, true),
            (0o755, true, true),
            (0o770, false, false),
            (0o702, false, false),
            (0o777, false, false),
            (0o1777, false, true),
        ] {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
            let checked = check_private_folder(path, Shared::No);
            assert_eq!(checked.is_ok(), passes, "{mode:o}: {checked:?}");
            let checked = check_private_folder(path, Shared::Sticky);
            assert_eq!(checked.is_ok(), shared_passes, "{mode:o}: {checked:?}");
        }
        assert!(check_private_folder(&path.join("none"), Shared::No).is_ok());
    }

    #[test]
    fn a_folder_of_another_user_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        // Only root can give a folder away. Other users test only with their own folder and root's.
        let of_other = match chown(folder.path(), Some(4711), None) {
            Ok(()) => folder.path().to_owned(),
            Err(_) => {
                assert!(check_private_folder(Path::new("/"), Shared::Sticky).is_ok());
                return;
            }
        };
        let error = check_private_folder(&of_other, Shared::Sticky).unwrap_err();
        assert!(matches!(error, FolderError::OfAnotherUser { .. }));
        assert!(error.to_string().contains("belongs to another user"));
    }
}
