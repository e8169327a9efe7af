//! Checks each published package's metadata and README, which help users find and understand it.

#![expect(clippy::unwrap_used, reason = "a test fails if its setup fails")]

use std::path::Path;

use serde_json::{Value, json};

/// The categories of crates.io that we use. crates.io drops unknown categories.
const CATEGORIES: [&str; 10] = [
    "api-bindings",
    "authentication",
    "command-line-utilities",
    "cryptography",
    "data-structures",
    "development-tools",
    "development-tools::testing",
    "encoding",
    "filesystem",
    "web-programming::http-client",
];

fn texts<'p>(package: &'p Value, field: &str) -> Vec<&'p str> {
    let list = package[field].as_array().into_iter().flatten();
    list.filter_map(Value::as_str).collect()
}

/// Returns whether crates.io accepts this keyword.
fn is_keyword(word: &str) -> bool {
    let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || "_-+".contains(letter);
    word.len() <= 20
        && word.starts_with(|first: char| first.is_ascii_alphanumeric())
        && word.chars().all(is_allowed)
}

/// Returns the fields of a package that are missing or wrong. `readme` is the text of its README.
fn faults(package: &Value, readme: Option<&str>) -> Vec<&'static str> {
    let text = |field: &str| package[field].as_str().unwrap_or_default();
    let (keywords, categories) = (texts(package, "keywords"), texts(package, "categories"));
    let name = text("name");
    let starts_with_name = |page: &str| {
        let title = page.lines().next().unwrap_or_default();
        title == format!("# {name}")
    };
    [
        (
            "description",
            (20..=200).contains(&text("description").len()),
        ),
        ("license", !text("license").is_empty()),
        ("rust-version", !text("rust_version").is_empty()),
        (
            "keywords",
            (1..=5).contains(&keywords.len()) && keywords.into_iter().all(is_keyword),
        ),
        (
            "categories",
            (1..=5).contains(&categories.len())
                && categories.iter().all(|one| CATEGORIES.contains(one)),
        ),
        (
            "package.metadata.docs.rs",
            package["metadata"]["docs"]["rs"].is_object(),
        ),
        ("readme", readme.is_some_and(starts_with_name)),
        (
            "an example in the README",
            readme.is_some_and(|page| page.contains("```")),
        ),
    ]
    .into_iter()
    .filter_map(|(field, is_right)| (!is_right).then_some(field))
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
        let found = faults(&package, readme.as_deref());
        assert!(found.is_empty(), "{name}: {found:?}");
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

#[test]
fn each_missing_or_wrong_field_is_found() {
    let readme = "# some-package\n\n```rust\n```\n";
    let whole = json!({
        "name": "some-package",
        "description": "A package with everything",
        "license": "MIT",
        "rust_version": "1.89",
        "keywords": ["blockchain"],
        "categories": ["api-bindings"],
        "metadata": {"docs": {"rs": {"all-features": true}}},
    });
    assert_eq!(faults(&whole, Some(readme)), [""; 0]);
    for (member, value, field) in [
        ("description", json!(null), "description"),
        ("description", json!("short"), "description"),
        ("license", json!(null), "license"),
        ("rust_version", json!(null), "rust-version"),
        ("keywords", json!([]), "keywords"),
        ("keywords", json!(["two words"]), "keywords"),
        (
            "keywords",
            json!(["longer-than-twenty-letters"]),
            "keywords",
        ),
        (
            "keywords",
            json!(["a", "b", "c", "d", "e", "f"]),
            "keywords",
        ),
        ("categories", json!([]), "categories"),
        ("categories", json!(["blockchain-things"]), "categories"),
        ("metadata", json!(null), "package.metadata.docs.rs"),
    ] {
        let mut package = whole.clone();
        package[member] = value;
        assert_eq!(faults(&package, Some(readme)), [field], "{package}");
    }
    assert_eq!(faults(&whole, None), ["readme", "an example in the README"]);
    assert_eq!(faults(&whole, Some("# another\n```\n```\n")), ["readme"]);
    let plain = Some("# some-package\n");
    assert_eq!(faults(&whole, plain), ["an example in the README"]);
}
