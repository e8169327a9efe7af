//! Who may know whom, checked against cargo's own account of the workspace.
//!
//! ARCHITECTURE.md says why each direction is as it is.

use std::{collections::BTreeMap, process::Command};

use serde::Deserialize;

/// What each of our crates may depend on, of our crates; whoever is not listed may use all.
const MAY_KNOW: &[(&str, &[&str])] = &[
    ("nodeproof-primitives", &[]),
    ("nodeproof-wallet", &["nodeproof-primitives"]),
    ("nodeproof-client", &["nodeproof-primitives"]),
    ("nodeproof-report", &["nodeproof-primitives"]),
    (
        "nodeproof-conformance",
        &[
            "nodeproof-primitives",
            "nodeproof-client",
            "nodeproof-report",
            "nodeproof-wallet",
        ],
    ),
    (
        "nodeproof-cli",
        &[
            "nodeproof-primitives",
            "nodeproof-client",
            "nodeproof-wallet",
        ],
    ),
    (
        "nodeproof-devnode",
        &["nodeproof-primitives", "nodeproof-wallet"],
    ),
];

/// Features that must stay off in the whole build, and why.
const FORBIDDEN_FEATURES: &[(&str, &str, &str)] = &[(
    "serde_json",
    "arbitrary_precision",
    "it is switched on for every crate at once, and breaks untagged and flattened types",
)];

/// Crates that must not be in the tree, and why.
const FORBIDDEN_CRATES: &[(&str, &str)] = &[(
    "openssl-sys",
    "TLS is rustls' here; nothing has to be installed for it",
)];

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_members: Vec<String>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    path: Option<String>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    features: Vec<String>,
}

/// Asks cargo for the workspace, and tells every dependency that should not be.
///
/// # Errors
/// When cargo can't be asked.
pub fn check() -> Result<Vec<String>, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked"])
        .output()
        .map_err(|error| format!("cargo metadata can't be started: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    judge(&output.stdout)
}

/// Judges the output of `cargo metadata`.
///
/// # Errors
/// When it is not that.
pub fn judge(metadata: &[u8]) -> Result<Vec<String>, String> {
    let metadata: Metadata = serde_json::from_slice(metadata)
        .map_err(|error| format!("cargo metadata wrote something else: {error}"))?;
    let may_know: BTreeMap<_, _> = MAY_KNOW.iter().copied().collect();
    let mut problems = Vec::new();
    let members = metadata
        .packages
        .iter()
        .filter(|package| metadata.workspace_members.contains(&package.id));
    for package in members {
        let Some(allowed) = may_know.get(package.name.as_str()) else {
            continue;
        };
        for dependency in package
            .dependencies
            .iter()
            .filter(|dependency| dependency.path.is_some())
        {
            if !allowed.contains(&dependency.name.as_str()) {
                problems.push(format!(
                    "{} depends on {}, which it must not know: it may know {}",
                    package.name,
                    dependency.name,
                    if allowed.is_empty() {
                        "none of ours".to_owned()
                    } else {
                        allowed.join(", ")
                    }
                ));
            }
        }
    }
    for package in &metadata.packages {
        for (name, why) in FORBIDDEN_CRATES {
            if package.name == *name {
                problems.push(format!("{name} is in the tree: {why}"));
            }
        }
        let node = metadata
            .resolve
            .nodes
            .iter()
            .find(|node| node.id == package.id);
        for (name, feature, why) in FORBIDDEN_FEATURES {
            if package.name == *name
                && node.is_some_and(|node| node.features.iter().any(|on| on == feature))
            {
                problems.push(format!("{name} is built with {feature}: {why}"));
            }
        }
    }
    Ok(problems)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn workspace(depends: &str, feature: &str) -> Vec<u8> {
        let package = |name: &str, dependencies: serde_json::Value| json!({"id": name, "name": name, "dependencies": dependencies});
        json!({
            "packages": [
                package("nodeproof-conformance", json!([{"name": depends, "path": "/x"}])),
                package("serde_json", json!([])),
            ],
            "workspace_members": ["nodeproof-conformance"],
            "resolve": {"nodes": [{"id": "serde_json", "features": [feature]}]},
        })
        .to_string()
        .into_bytes()
    }

    #[test]
    fn accepts_what_the_architecture_allows() {
        assert_eq!(
            judge(&workspace("nodeproof-client", "raw_value")).unwrap(),
            Vec::<String>::new()
        );
    }

    #[test]
    fn names_a_dependency_in_the_wrong_direction() {
        let problems = judge(&workspace("nodeproof-devnode", "raw_value")).unwrap();
        assert_eq!(problems.len(), 1);
        assert!(
            problems[0].starts_with("nodeproof-conformance depends on nodeproof-devnode"),
            "{problems:?}"
        );
    }

    #[test]
    fn names_a_feature_that_must_stay_off() {
        let problems = judge(&workspace("nodeproof-client", "arbitrary_precision")).unwrap();
        assert!(problems[0].contains("arbitrary_precision"), "{problems:?}");
    }

    #[test]
    fn this_workspace_keeps_its_directions() {
        assert_eq!(check().unwrap(), Vec::<String>::new());
    }
}
