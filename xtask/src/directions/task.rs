//! The task itself: runs every check, for the workspace or for the named packages.

use std::{fs, path::Path};

use clap::Args;

use super::{
    graph::check_files,
    metadata::{Metadata, Package},
    packages::check_packages,
    rules::LAYERS,
};

/// The options of `cargo xtask directions`.
#[derive(Debug, Default, Args)]
pub struct DirectionsArgs {
    /// Check the files of these packages only
    #[arg(value_name = "PACKAGE")]
    packages: Vec<String>,
}

/// Checks the dependencies between packages and the imports between files. Returns the problems.
///
/// # Errors
/// When cargo or a source file can't be read, or a named package does not exist.
pub fn check(args: &DirectionsArgs) -> Result<Vec<String>, String> {
    let metadata = Metadata::read()?;
    let mut problems = Vec::new();
    if args.packages.is_empty() {
        problems.extend(check_packages(&metadata));
        for package in metadata.members() {
            problems.extend(check_sources(&metadata, package)?);
        }
    }
    for name in &args.packages {
        let package = metadata.members().find(|package| package.name == *name);
        let package = package.ok_or_else(|| format!("the workspace has no package {name}"))?;
        problems.extend(check_sources(&metadata, package)?);
    }
    Ok(problems)
}

/// Checks the library, the programs and the build script of a package, but not its tests.
fn check_sources(metadata: &Metadata, package: &Package) -> Result<Vec<String>, String> {
    let mut problems = Vec::new();
    for root in roots(metadata, package) {
        let read = |path: &Path| fs::read_to_string(metadata.workspace_root.join(path)).ok();
        problems.extend(check_files(&root, layers(package), &read)?);
    }
    Ok(problems)
}

/// Returns the root files of a package, relative to the workspace's folder.
pub(super) fn roots(metadata: &Metadata, package: &Package) -> Vec<std::path::PathBuf> {
    let checked = ["lib", "bin", "custom-build", "proc-macro"];
    let targets = package.targets.iter();
    targets
        .filter(|target| target.kind.iter().any(|kind| checked.contains(&&**kind)))
        .map(|target| {
            let root = target.src_path.strip_prefix(&metadata.workspace_root);
            root.unwrap_or(&target.src_path).to_owned()
        })
        .collect()
}

fn layers(package: &Package) -> &'static [&'static str] {
    let row = LAYERS.iter().find(|(name, _)| *name == package.name);
    row.map_or(&[], |(_, layers)| layers)
}
