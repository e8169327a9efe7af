//! What the programs are built from.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{
    error::DistError,
    tools::{cargo, printed, read},
};

/// A package whose code is in one of the programs.
#[derive(Debug)]
pub(super) struct Dependency {
    pub(super) name: String,
    pub(super) version: String,
    /// The licence as an SPDX expression.
    pub(super) licence: Option<String>,
    /// The SHA-256 sum of its package file. `None` for a package of this workspace.
    pub(super) checksum: Option<String>,
    /// The folder of its sources.
    pub(super) folder: PathBuf,
}

/// Returns the version of the programs, and the packages below them for a target, in the order of their
/// names.
pub(super) fn dependencies(
    workspace: &Path,
    target: &str,
    programs: &[(&str, &str)],
) -> Result<(String, Vec<Dependency>), DistError> {
    let mut tree = cargo();
    tree.args(["tree", "--locked", "--edges", "normal", "--prefix", "none"]);
    tree.args(["--format", "{p}", "--target", target]);
    for (_, package) in programs {
        tree.args(["--package", package]);
    }
    let lines = printed(&mut tree)?;
    let used: BTreeSet<(&str, &str)> = lines.lines().filter_map(name_and_version).collect();

    let metadata = printed(cargo().args(["metadata", "--locked", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_str(&metadata)
        .map_err(|error| DistError::Unexpected(format!("cargo metadata: {error}")))?;
    let checksums = checksums(workspace)?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let mut all: Vec<_> = packages
        .filter_map(|package| {
            let text = |name: &str| Some(package.get(name)?.as_str()?.to_owned());
            let (name, version) = (text("name")?, text("version")?);
            used.contains(&(name.as_str(), version.as_str()))
                .then_some(())?;
            Some(Dependency {
                // An older form of the same expression.
                licence: text("license").map(|licence| licence.replace('/', " OR ")),
                checksum: checksums.get(&(name.clone(), version.clone())).cloned(),
                folder: Path::new(&text("manifest_path")?).parent()?.to_owned(),
                name,
                version,
            })
        })
        .collect();
    all.sort_by(|one, other| (&one.name, &one.version).cmp(&(&other.name, &other.version)));
    if all.len() != used.len() {
        let (found, used) = (all.len(), used.len());
        let reason =
            format!("cargo metadata describes {found} of the {used} packages of cargo tree");
        return Err(DistError::Unexpected(reason));
    }
    let main = all
        .iter()
        .find(|package| programs.iter().any(|(_, name)| *name == package.name));
    let version = main.map(|package| package.version.clone()).ok_or_else(|| {
        DistError::Unexpected("cargo tree shows none of the programs' packages".to_owned())
    })?;
    Ok((version, all))
}

/// Reads a line such as `serde v1.0.228 (*)`.
fn name_and_version(line: &str) -> Option<(&str, &str)> {
    let mut words = line.split(' ');
    Some((words.next()?, words.next()?.strip_prefix('v')?))
}

/// Returns the checksums in `Cargo.lock`, by name and version.
fn checksums(workspace: &Path) -> Result<BTreeMap<(String, String), String>, DistError> {
    let path = workspace.join("Cargo.lock");
    let text = String::from_utf8_lossy(&read(&path)?).into_owned();
    let lock: toml::Table = text
        .parse()
        .map_err(|error| DistError::Unexpected(format!("{}: {error}", path.display())))?;
    let packages = lock.get("package").and_then(toml::Value::as_array);
    let all = packages.into_iter().flatten().filter_map(|package| {
        let text = |name: &str| Some(package.get(name)?.as_str()?.to_owned());
        Some(((text("name")?, text("version")?), text("checksum")?))
    });
    Ok(all.collect())
}
