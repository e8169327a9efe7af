//! The files of the repository.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Folders without files of this project.
const EXCLUDED: [&str; 3] = ["target", ".git", "node_modules"];

/// Returns the files in a folder and below it whose names end with one of these extensions.
pub(crate) fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default();
        if path.is_dir() {
            if EXCLUDED.iter().all(|excluded| name != *excluded) {
                found.append(&mut files(&path, extensions));
            }
        } else if let Some(extension) = path.extension()
            && extensions.iter().any(|wanted| extension == *wanted)
        {
            found.push(path);
        }
    }
    found
}
