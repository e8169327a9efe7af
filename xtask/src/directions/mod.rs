//! `cargo xtask directions`: checks the dependencies between packages and the imports between files.
//!
//! ARCHITECTURE.md has the rules: which package may depend on which, and the layers of `conformance`.

mod files;
#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, fs, path::Path};

/// Packages of which there may be only one version, because others exchange values of their types.
const ONE_VERSION: &str =
    "axum clap digest http hyper jsonschema reqwest rustls schemars serde_json sha2 tokio url";

/// Checks the workspace. Returns the problems.
///
/// # Errors
/// When cargo fails, or ARCHITECTURE.md or a source file can't be read.
pub fn check() -> Result<Vec<String>, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let unreadable = |error| format!("the workspace can't be read: {error}");
    let rules = fs::read_to_string(root.join("ARCHITECTURE.md")).map_err(unreadable)?;
    let mut problems = packages(&rules, &|arguments| {
        let all = format!("tree --locked --prefix none {arguments} --format");
        let mut command = crate::cargo::cargo();
        command
            .args(all.split(' '))
            .arg("{p} {f}")
            .current_dir(&root);
        let output = command.output().map_err(unreadable)?;
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        let tree = output.status.success().then(|| text(&output.stdout));
        tree.ok_or_else(|| text(&output.stderr))
    })?;
    let block = rules
        .split("folders are layers")
        .nth(1)
        .and_then(|text| text.split("```").nth(1));
    let words = block
        .unwrap_or_default()
        .lines()
        .map(|line| line.split(' ').next());
    let layers: Vec<_> = words.flatten().filter(|word| !word.is_empty()).collect();
    let crates = fs::read_dir(root.join("crates"))
        .map_err(unreadable)?
        .flatten();
    let others = ["openapi", "xtask"].map(|name| root.join(name));
    for folder in crates.map(|folder| folder.path()).chain(others) {
        let layers = match folder.ends_with("conformance") {
            true => &*layers,
            false => &[],
        };
        problems.extend(files::check(&folder.join("src"), layers).map_err(unreadable)?);
    }
    Ok(problems)
}

/// Checks the dependencies between packages: `cargo tree` with some arguments prints them.
///
/// A rule is a line `package -> packages; in tests: packages; never: others`. What must never be
/// there must not come through another package either.
fn packages(
    rules: &str,
    tree: &dyn Fn(&str) -> Result<String, String>,
) -> Result<Vec<String>, String> {
    let mut problems = Vec::new();
    for (package, rule) in rules.lines().filter_map(|line| line.split_once(" -> ")) {
        let (allowed, never) = rule.split_once("; never: ").unwrap_or((rule, ""));
        let ships = allowed.split(';').next().unwrap_or_default();
        let package = package.trim();
        let mut report = |tree: String, forbidden: &dyn Fn(&str) -> bool| {
            let names = tree
                .lines()
                .skip(1)
                .filter_map(|line| line.split(' ').next());
            let found = names.filter(|name| forbidden(name));
            problems.extend(found.map(|to| format!("{package} must not depend on {to}: {rule}")));
        };
        let listed = |list: &str, name: &str| list.split([' ', ',', ';']).any(|word| word == name);
        for (kinds, allowed) in [("normal", ships), ("build,dev", allowed)] {
            let direct = tree(&format!("-p nodeproof-{package} --depth 1 -e {kinds}"))?;
            report(direct, &|name| {
                name.strip_prefix("nodeproof-")
                    .is_some_and(|name| !listed(allowed, name))
            });
        }
        if !never.is_empty() {
            let all = tree(&format!("-p nodeproof-{package} -e normal"))?;
            report(all, &|name| listed(never, name));
        }
    }
    let mut versions = BTreeMap::new();
    for line in tree("--workspace -e normal")?
        .lines()
        .filter(|line| !line.is_empty())
    {
        let (name, version) = line.split_once(" v").unwrap_or((line, ""));
        let version = version.split(['+', ' ']).next().unwrap_or_default();
        let another = versions
            .insert(name, version)
            .is_some_and(|other| other != version);
        let problem = match name {
            "openssl-sys" => "is in the tree: TLS is rustls here",
            "serde_json" if line.contains("arbitrary_precision") => "breaks untagged types",
            _ if version.contains('-') => "is a pre-release",
            _ if another && ONE_VERSION.split(' ').any(|one| one == name) => "is a second version",
            _ => continue,
        };
        problems.push(format!("{name} {version} {problem}"));
    }
    problems.sort();
    problems.dedup();
    Ok(problems)
}
