//! Checks the dependencies between packages.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    metadata::{Metadata, Package},
    rules::{
        ALLOWED_PRE_RELEASES, FORBIDDEN, FORBIDDEN_EVERYWHERE, FORBIDDEN_FEATURES, MAY_KNOW,
        ONE_VERSION,
    },
};

/// Returns a problem for every dependency that the tables forbid.
pub(super) fn check_packages(metadata: &Metadata) -> Vec<String> {
    let mut problems = Vec::new();
    for package in metadata.members() {
        unknown(package, &mut problems);
        forbidden(metadata, package, &mut problems);
    }
    everywhere(metadata, &mut problems);
    versions(metadata, &mut problems);
    problems
}

fn unknown(package: &Package, problems: &mut Vec<String>) {
    let Some(row) = MAY_KNOW.iter().find(|row| row.package == package.name) else {
        return;
    };
    for dependency in package
        .dependencies
        .iter()
        .filter(|known| known.path.is_some())
    {
        let name = dependency.name.as_str();
        let not_shipped = dependency.kind.is_some() && row.not_shipped.contains(&name);
        if !row.always.contains(&name) && !not_shipped {
            let allowed = if row.always.is_empty() {
                "none of our packages".to_owned()
            } else {
                row.always.join(", ")
            };
            problems.push(format!(
                "{} depends on {name}, which it must not know: it may know {allowed}",
                package.name
            ));
        }
    }
}

fn forbidden(metadata: &Metadata, package: &Package, problems: &mut Vec<String>) {
    for row in FORBIDDEN.iter().filter(|row| row.package == package.name) {
        let direct = package
            .dependencies
            .iter()
            .filter(|known| known.kind.is_none());
        let names: BTreeSet<&str> = if row.transitive {
            metadata
                .tree(package)
                .into_iter()
                .map(|known| &*known.name)
                .collect()
        } else {
            direct.map(|known| &*known.name).collect()
        };
        for name in row.dependencies.iter().filter(|name| names.contains(*name)) {
            let way = if row.transitive { "" } else { "directly " };
            problems.push(format!(
                "{} {way}depends on {name}: {}",
                row.package, row.why
            ));
        }
    }
}

fn everywhere(metadata: &Metadata, problems: &mut Vec<String>) {
    for package in &metadata.packages {
        for (name, why) in FORBIDDEN_EVERYWHERE {
            if package.name == *name {
                problems.push(format!("{name} is in the tree: {why}"));
            }
        }
        for (name, feature, why) in FORBIDDEN_FEATURES {
            if package.name == *name && metadata.features(package).iter().any(|on| on == feature) {
                problems.push(format!("{name} is built with {feature}: {why}"));
            }
        }
    }
}

/// Reports pre-releases and second versions among the normal dependencies of the workspace.
fn versions(metadata: &Metadata, problems: &mut Vec<String>) {
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in metadata.members().flat_map(|member| metadata.tree(member)) {
        versions
            .entry(&package.name)
            .or_default()
            .insert(&package.version);
    }
    for (name, versions) in versions {
        for version in &versions {
            let without_build = version.split('+').next().unwrap_or_default();
            let allowed = ALLOWED_PRE_RELEASES.iter().any(|(known, _)| *known == name);
            if without_build.contains('-') && !allowed {
                problems.push(format!("{name} {version} is a pre-release"));
            }
        }
        if versions.len() > 1 && ONE_VERSION.contains(&name) {
            let all: Vec<_> = versions.into_iter().collect();
            problems.push(format!(
                "{name} is in the tree more than once: {}",
                all.join(", ")
            ));
        }
    }
}
