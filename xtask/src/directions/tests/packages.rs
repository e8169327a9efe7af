//! Dependencies between packages.

use serde_json::{Value, json};

use super::super::{metadata::Metadata, packages::check_packages};

/// A package's name, and its dependencies: the name and the kind of each.
type Row<'a> = (&'a str, &'a [(&'a str, Option<&'a str>)]);

/// Checks a workspace of these packages, each built with this feature.
fn problems(packages: &[Row<'_>], feature: &str) -> Vec<String> {
    let ours = |name: &str| name.starts_with("nodeproof-");
    // A name can end in a version, such as `reqwest@1.0.0`.
    let split = |id: &str| {
        let (name, version) = id.split_once('@').unwrap_or((id, "1.0.0"));
        (name.to_owned(), version.to_owned())
    };
    let mut ids: Vec<&str> = packages.iter().map(|(name, _)| *name).collect();
    ids.extend(
        packages
            .iter()
            .flat_map(|(_, known)| known.iter().map(|(name, _)| *name)),
    );
    ids.sort_unstable();
    ids.dedup();
    let dependencies = |id: &str| {
        let row = packages.iter().find(|(name, _)| *name == id);
        row.map_or(&[][..], |(_, known)| known)
    };
    let package = |id: &&str| {
        let (name, version) = split(id);
        let known: Vec<Value> = dependencies(id)
            .iter()
            .map(|(id, kind)| {
                let name = split(id).0;
                json!({"name": name, "path": ours(id).then_some("/x"), "kind": kind})
            })
            .collect();
        json!({"id": id, "name": name, "version": version, "dependencies": known, "targets": []})
    };
    let node = |id: &&str| {
        let deps: Vec<Value> = dependencies(id)
            .iter()
            .map(|(id, kind)| json!({"pkg": id, "dep_kinds": [{"kind": kind}]}))
            .collect();
        json!({"id": id, "features": [feature], "deps": deps})
    };
    let members: Vec<_> = ids.iter().filter(|id| ours(id)).collect();
    let metadata: Metadata = serde_json::from_value(json!({
        "packages": ids.iter().map(package).collect::<Vec<_>>(),
        "workspace_members": members,
        "workspace_root": "/",
        "resolve": {"nodes": ids.iter().map(node).collect::<Vec<_>>()},
    }))
    .unwrap();
    check_packages(&metadata)
}

#[test]
fn what_the_tables_allow_is_accepted() {
    let found = problems(
        &[
            (
                "nodeproof-conformance",
                &[("nodeproof-client", None), ("tokio", None)],
            ),
            (
                "nodeproof-client",
                &[("nodeproof-openapi", Some("build")), ("reqwest", None)],
            ),
            ("nodeproof-report", &[("tokio", Some("dev"))]),
        ],
        "raw_value",
    );
    assert_eq!(found, [""; 0]);
}

#[test]
fn a_dependency_in_the_wrong_direction_is_named() {
    let found = problems(
        &[(
            "nodeproof-conformance",
            &[("nodeproof-devnode", Some("dev"))],
        )],
        "",
    );
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with("nodeproof-conformance depends on nodeproof-devnode"),
        "{found:?}"
    );
}

#[test]
fn what_only_a_build_step_may_use_is_named_when_it_ships() {
    let found = problems(&[("nodeproof-client", &[("nodeproof-openapi", None)])], "");
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn a_forbidden_dependency_is_named_however_deep_it_is() {
    let found = problems(
        &[
            ("nodeproof-report", &[("indicatif", None)]),
            (
                "indicatif",
                &[("tokio", None), ("jsonschema", Some("build"))],
            ),
        ],
        "",
    );
    assert_eq!(
        found,
        [
            "nodeproof-report depends on tokio: a program that only reads reports needs no HTTP and no schemas"
        ]
    );
}

#[test]
fn a_feature_that_must_stay_off_is_named() {
    let found = problems(
        &[("nodeproof-client", &[("serde_json", None)])],
        "arbitrary_precision",
    );
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("arbitrary_precision"), "{found:?}");
}

#[test]
fn a_crate_that_must_not_be_there_is_named() {
    let found = problems(
        &[("nodeproof-client", &[("openssl-sys", Some("build"))])],
        "",
    );
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn pre_releases_and_second_versions_are_named() {
    let found = problems(
        &[
            (
                "nodeproof-wallet",
                &[("blake2@0.11.0-rc.3", None), ("wasi@1.0.0+wasi-0.2", None)],
            ),
            (
                "nodeproof-client",
                &[
                    ("http@0.2.0", None),
                    ("http@1.0.0", None),
                    ("a@1.0.0-rc", Some("dev")),
                ],
            ),
        ],
        "",
    );
    assert_eq!(
        found,
        [
            "blake2 0.11.0-rc.3 is a pre-release",
            "http is in the tree more than once: 0.2.0, 1.0.0"
        ]
    );
}
