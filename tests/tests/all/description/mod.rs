//! The description of the API, `openapi/node.yaml`: unchanged, and with one fault at a time.
#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, its functions too"
)]

mod public_linters;
mod rules;

use nodeproof_openapi::{NODE_JSON, NODE_YAML, Spec};

fn problems(text: &str) -> Vec<String> {
    rules::problems(&yaml_serde::from_str(text).unwrap())
}

/// Replaces a text that occurs once.
fn changed(find: &str, replace: &str) -> String {
    assert_eq!(
        NODE_YAML.matches(find).count(),
        1,
        "not there once:\n{find}"
    );
    NODE_YAML.replacen(find, replace, 1)
}

/// The package needs the text in its own folder, but readers look for it in `docs`.
#[test]
fn the_package_has_the_specification_of_the_docs() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = std::fs::read_to_string(root.join("docs/specification.md")).unwrap();
    if std::env::var_os("UPDATE_SPECIFICATION").is_some_and(|value| value == "1") {
        std::fs::write(root.join("openapi/specification.md"), text).unwrap();
        return;
    }
    assert!(
        text == nodeproof_openapi::SPECIFICATION_MD,
        "openapi/specification.md is not docs/specification.md: set UPDATE_SPECIFICATION=1 and run this test again"
    );
}

/// Generators of clients in other languages read the view from a file. It is JSON, because readers of YAML
/// disagree about unquoted addresses such as `0x12`.
#[test]
fn the_documented_view_is_in_its_file() {
    let file =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../openapi/node-documented.json");
    let spec = Spec::from_json(NODE_JSON).unwrap();
    let text = format!("{:#}\n", spec.documented());
    if std::env::var_os("UPDATE_DOCUMENTED_VIEW").is_some_and(|value| value == "1") {
        std::fs::write(file, text).unwrap();
        return;
    }
    assert!(
        std::fs::read_to_string(file).is_ok_and(|written| written == text),
        "openapi/node-documented.json is not the documented view: set UPDATE_DOCUMENTED_VIEW=1 and run this test again"
    );
}

#[test]
fn the_description_has_no_problems() {
    let found = problems(NODE_YAML);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_marked_addition_is_not_a_problem() {
    let proof = "        proof:\n          x-requirement: BLOCK-4\n";
    let addition = "        colour:\n          x-observed: true\n          type: string\n";
    let found = problems(&changed(proof, &format!("{addition}{proof}")));
    assert!(found.is_empty(), "{found:#?}");
}

/// A fault of the description, and a part of the problem.
#[derive(serde::Deserialize)]
struct Fault {
    find: String,
    replace: String,
    problem: String,
}

#[test]
fn each_fault_is_found() {
    let faults: Vec<Fault> = yaml_serde::from_str(include_str!("faults.yaml")).unwrap();
    assert!(faults.len() > 25, "{}", faults.len());
    for Fault {
        find,
        replace,
        problem: expected,
    } in faults
    {
        let found = problems(&changed(&find, &replace));
        assert!(
            found.iter().any(|problem| problem.contains(&expected)),
            "{replace}\nexpected {expected}, found {found:#?}"
        );
    }
}
