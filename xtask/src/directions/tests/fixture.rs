//! A crate in memory.

use std::{collections::BTreeMap, path::Path};

use super::super::{collect::collect, graph::check_files, resolve::edges};

/// Files below `src`, each with its text.
pub(super) type Files<'a> = [(&'a str, &'a str)];

/// Checks a crate with these layers, and returns the problems.
pub(super) fn problems(layers: &[&str], files: &Files<'_>) -> Vec<String> {
    let files: BTreeMap<_, _> = files.iter().copied().collect();
    let read = |path: &Path| {
        let name = path.strip_prefix("src").unwrap().to_str().unwrap();
        files.get(name).map(|text| (*text).to_owned())
    };
    check_files(Path::new("src/lib.rs"), layers, &read).unwrap()
}

/// Returns which file uses which, in the form `from:line path to`.
pub(super) fn uses(files: &Files<'_>) -> Vec<String> {
    let files: BTreeMap<_, _> = files.iter().copied().collect();
    let read = |path: &Path| {
        let name = path.strip_prefix("src").unwrap().to_str().unwrap();
        files.get(name).map(|text| (*text).to_owned())
    };
    let tree = collect(Path::new("src/lib.rs"), &read).unwrap();
    let name = |file: usize| {
        let path = tree.files[file].path.strip_prefix("src").unwrap();
        path.display().to_string()
    };
    edges(&tree)
        .iter()
        .map(|edge| {
            let (from, to) = (name(edge.from), name(edge.to));
            format!("{from}:{} {} {to}", edge.line, edge.path)
        })
        .collect()
}
