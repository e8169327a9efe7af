//! Checks who can read a file with secrets.

use std::fs::File;

/// Returns whether users other than the owner can read an open file.
#[cfg(unix)]
pub(crate) fn is_readable_by_others(file: &File) -> bool {
    use std::os::unix::fs::PermissionsExt;
    // A pipe has a mode too, but no other user can open it.
    file.metadata()
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o044 != 0)
}

/// Returns `false`, because this system has no such permissions.
#[cfg(not(unix))]
pub(crate) fn is_readable_by_others(_: &File) -> bool {
    false
}
