//! The output of `cargo metadata`.

use std::{collections::BTreeSet, path::PathBuf, process::Command};

use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct Metadata {
    pub(super) packages: Vec<Package>,
    pub(super) workspace_members: Vec<String>,
    pub(super) workspace_root: PathBuf,
    resolve: Resolve,
}

#[derive(Deserialize)]
pub(super) struct Package {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) version: String,
    pub(super) dependencies: Vec<Dependency>,
    pub(super) targets: Vec<Target>,
}

#[derive(Deserialize)]
pub(super) struct Dependency {
    pub(super) name: String,
    pub(super) path: Option<String>,
    /// `dev`, `build`, or `None` for a normal dependency.
    pub(super) kind: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Target {
    pub(super) kind: Vec<String>,
    pub(super) src_path: PathBuf,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    features: Vec<String>,
    deps: Vec<Resolved>,
}

#[derive(Deserialize)]
struct Resolved {
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Deserialize)]
struct DependencyKind {
    kind: Option<String>,
}

impl Metadata {
    /// Runs `cargo metadata` for the workspace.
    ///
    /// # Errors
    /// When cargo can't be started, or fails.
    pub(super) fn read() -> Result<Self, String> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo)
            .args(["metadata", "--format-version", "1", "--locked"])
            .output()
            .map_err(|error| format!("cargo metadata can't be started: {error}"))?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        serde_json::from_slice(&output.stdout)
            .map_err(|error| format!("the output of cargo metadata can't be read: {error}"))
    }

    /// Returns the packages of the workspace.
    pub(super) fn members(&self) -> impl Iterator<Item = &Package> {
        let ours = |package: &&Package| self.workspace_members.contains(&package.id);
        self.packages.iter().filter(ours)
    }

    /// Returns the features with which a package is built.
    pub(super) fn features(&self, package: &Package) -> &[String] {
        self.node(&package.id).map_or(&[], |node| &node.features)
    }

    /// Returns a package's normal dependencies, direct and indirect. Features are those of a build of
    /// the whole workspace.
    pub(super) fn tree(&self, package: &Package) -> Vec<&Package> {
        let mut reached = BTreeSet::new();
        let mut open = vec![&*package.id];
        while let Some(id) = open.pop() {
            let deps = self.node(id).map_or(&[][..], |node| &node.deps);
            for dep in deps {
                let normal = dep.dep_kinds.iter().any(|kind| kind.kind.is_none());
                if normal && reached.insert(&*dep.pkg) {
                    open.push(&dep.pkg);
                }
            }
        }
        let within = |package: &&Package| reached.contains(&*package.id);
        self.packages.iter().filter(within).collect()
    }

    fn node(&self, id: &str) -> Option<&Node> {
        self.resolve.nodes.iter().find(|node| node.id == id)
    }
}
