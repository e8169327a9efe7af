//! The licences of the packages in the programs, which have to go with them.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use super::{
    dependencies::Dependency,
    error::DistError,
    tools::{at, read},
};

/// The beginnings of the names of files with licences.
const NAMES: [&str; 6] = [
    "license",
    "licence",
    "copying",
    "copyright",
    "notice",
    "unlicense",
];
/// The depth to which folders are searched. Some packages have C code with a licence of its own.
const DEPTH: usize = 4;

/// Returns all licences, each one once, with the packages that it is for.
pub(super) fn notices(dependencies: &[Dependency]) -> Result<String, DistError> {
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut list = String::new();
    for package in dependencies
        .iter()
        .filter(|package| package.checksum.is_some())
    {
        let Dependency {
            name,
            version,
            licence,
            ..
        } = package;
        let licence = licence.as_deref().unwrap_or("see its text below");
        list.push_str(&format!("{name} {version}: {licence}\n"));
        let mut files = Vec::new();
        search(&package.folder, DEPTH, &mut files)?;
        for file in files {
            let text = String::from_utf8_lossy(&read(&file)?).replace('\r', "");
            texts
                .entry(text)
                .or_default()
                .push(format!("{name} {version}"));
        }
    }
    let mut all = format!("The programs contain code of these packages:\n\n{list}");
    let mut texts: Vec<_> = texts.into_iter().collect();
    texts.sort_by(|(_, one), (_, other)| one.cmp(other));
    for (text, mut packages) in texts {
        packages.dedup();
        let line = "-".repeat(80);
        all.push_str(&format!(
            "\n{line}\n{}\n{line}\n\n{}\n",
            packages.join(", "),
            text.trim_end()
        ));
    }
    Ok(all)
}

/// Finds the files with licences in a folder, in the order of their paths.
fn search(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<(), DistError> {
    let entries = fs::read_dir(folder).map_err(at(folder))?;
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(entry.map_err(at(folder))?.path());
    }
    paths.sort();
    for path in paths {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .to_lowercase();
        let is_licence = NAMES.iter().any(|start| name.starts_with(start));
        if path.is_dir() && depth > 0 {
            search(&path, depth - 1, found)?;
        } else if path.is_file() && is_licence && !name.ends_with(".rs") {
            found.push(path);
        }
    }
    Ok(())
}
