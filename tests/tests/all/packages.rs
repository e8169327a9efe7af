//! Checks each published package's metadata and README, which help users find and understand it.

#![expect(clippy::unwrap_used, reason = "a test fails if its setup fails")]

use std::path::Path;

use serde_json::{Value, json};

/// Returns the fields of a package that are missing. crates.io checks what is in them. `readme` is the text of its README.
fn missing(package: &Value, readme: Option<&str>) -> Vec<&'static str> {
    let title = format!("# {}\n", package["name"].as_str().unwrap());
    let readme = readme.unwrap_or_default();
    [
        ("description", package["description"].is_string()),
        ("license", package["license"].is_string()),
        ("rust-version", package["rust_version"].is_string()),
        ("keywords", package["keywords"][0].is_string()),
        ("categories", package["categories"][0].is_string()),
        (
            "package.metadata.docs.rs",
            package["metadata"]["docs"]["rs"].is_object(),
        ),
        ("readme", readme.starts_with(&title)),
        ("an example in the README", readme.contains("```")),
    ]
    .into_iter()
    .filter_map(|(field, is_there)| (!is_there).then_some(field))
    .collect()
}

/// Returns the packages of this workspace that can be published.
fn published() -> Vec<Value> {
    let output = xtask::cargo::cargo()
        .args([
            "metadata",
            "--format-version",
            "1",
            "--no-deps",
            "--offline",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let mut metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut packages: Vec<Value> = serde_json::from_value(metadata["packages"].take()).unwrap();
    // An empty list of registries means `publish = false`.
    packages.retain(|package| package["publish"] != json!([]));
    packages
}

#[test]
fn each_published_package_has_its_metadata_and_a_readme() {
    let packages = published();
    assert!(packages.len() >= 10, "{} packages", packages.len());
    for package in packages {
        let folder = Path::new(package["manifest_path"].as_str().unwrap());
        let readme = package["readme"]
            .as_str()
            .map(|name| folder.with_file_name(name));
        let readme = readme.and_then(|path| std::fs::read_to_string(path).ok());
        let name = package["name"].as_str().unwrap();
        assert_eq!(missing(&package, readme.as_deref()), [""; 0], "{name}");
    }
}

/// Returns whether a package depends on TLS, with these arguments for cargo.
fn depends_on_tls(package: &str, arguments: &[&str]) -> bool {
    let tree = xtask::cargo::cargo()
        .args(["tree", "--offline", "--edges", "normal", "--prefix", "none"])
        .args(["--package", package])
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(tree.status.success(), "{tree:?}");
    let tree = String::from_utf8(tree.stdout).unwrap();
    assert!(tree.contains("nodeproof-client "), "{tree}");
    tree.lines().any(|line| line.starts_with("rustls "))
}

#[test]
fn tls_can_be_left_out() {
    for package in ["nodeproof-client", "nodeproof-claims"] {
        assert!(depends_on_tls(package, &[]), "{package}");
        let without = ["--no-default-features"];
        assert!(!depends_on_tls(package, &without), "{package}");
    }
}
