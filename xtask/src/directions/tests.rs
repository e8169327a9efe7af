//! What must be found, and what must not.

use super::{check, files, packages, platforms};

#[test]
fn this_workspace_keeps_its_directions() {
    assert_eq!(check().unwrap(), [""; 0]);
}

#[test]
fn forbidden_dependencies_are_found() {
    let rules = include_str!("../../../ARCHITECTURE.md");
    for (arguments, tree, expected) in [
        (
            "conformance --depth 1 -e normal",
            "nodeproof-claims v1",
            "conformance must not depend on",
        ),
        (
            "conformance --depth 1 -e build,dev",
            "nodeproof-devnode v1",
            "conformance must not",
        ),
        (
            "client --depth 1 -e normal",
            "nodeproof-openapi v1",
            "client must not depend on",
        ),
        ("client --depth 1 -e build,dev", "nodeproof-openapi v1", ""),
        (
            "report -e normal",
            "tokio v1.0.0",
            "report must not depend on tokio",
        ),
        (
            "space -e normal",
            "serde_json v1.0.0 a,arbitrary_precision",
            "serde_json 1.0.0 breaks",
        ),
        (
            "space -e normal",
            "http v0.1.0\nhttp v1.0.0+x",
            "http 1.0.0 is a second version",
        ),
        (
            "space -e normal",
            "blake2 v0.11.0-rc.3",
            "blake2 0.11.0-rc.3 is a pre-release",
        ),
        (
            "space -e normal",
            "openssl-sys v0.9.0",
            "openssl-sys 0.9.0 is in the tree",
        ),
    ] {
        let print = |all: &str| {
            let tree = if all.ends_with(arguments) { tree } else { "" };
            Ok(format!("itself v1.0.0\n{tree}"))
        };
        let found = packages(rules, &print).unwrap().join("\n");
        assert!(found.starts_with(expected), "{tree}: {found}");
        assert_eq!(found.is_empty(), expected.is_empty(), "{tree}: {found}");
    }
}

/// Returns the problems of a crate with the layers `top` and `low`. `low.rs` has this text.
fn problems(low: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("top")).unwrap();
    for (name, text) in [
        ("lib.rs", "mod top; mod low; pub use top::*;"),
        (
            "top/mod.rs",
            "mod a; pub use a::A; pub(crate) use self::a::{b as c,};",
        ),
        (
            "top/a.rs",
            "pub struct A; pub fn b() {} use crate::low::{self, Low};",
        ),
        ("low.rs", low),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    files::check(&folder.path().join("lib.rs"), &["top", "low"])
        .unwrap()
        .join("\n")
}

#[test]
fn upward_imports_and_cycles_are_found() {
    for (low, path) in [
        ("use crate::top::{self, a::A as B, x};", "crate::top::a::A"),
        ("fn f() { g!(x, super::A::new()) }", "super::A::new"),
        (
            "#[serde(with = \"crate::top::c\")] struct X;",
            "crate::top::c",
        ),
        ("use crate::top as t; fn f() { t::A::new() }", "t::A::new"),
        (
            "use crate::top::a::made_by_a_macro;",
            "crate::top::a::made_by_a_macro",
        ),
    ] {
        let found = problems(&format!("pub struct Low;\n{low}"));
        let (low, high) = (
            format!("low.rs:2 uses {path} of top/a.rs"),
            "top/a.rs:1 uses crate::low::Low",
        );
        for expected in ["upward import: ", "import cycle: "].map(|kind| format!("{kind}{low}")) {
            assert!(found.contains(&expected), "{expected}: {found}");
        }
        assert!(
            found.contains(&format!("import cycle: {high} of low.rs")),
            "{found}"
        );
    }
}

#[test]
fn tests_docs_and_other_crates_do_not_count() {
    for low in [
        "#[cfg(test)] mod tests { use crate::top::A; }",
        "/// See [`crate::top::A`].\nuse std::fmt; use ::top::A; use top::{A, B,}; fn f() { top::A }",
        "#[cfg(all(test, unix))] use crate::top::A; #[test] fn f() { crate::A }",
    ] {
        assert_eq!(problems(&format!("{low} pub struct Low;")), "");
    }
}

#[test]
fn code_for_one_system_outside_of_the_module_for_it_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let sources = folder.path();
    std::fs::create_dir_all(sources.join("a/platform")).unwrap();
    for (file, lines) in [
        (
            "lib.rs",
            "#[cfg(unix)]\nfn f() {}\n#[cfg(test)]\nmod tests {\n#[cfg(unix)]",
        ),
        ("a/other.rs", "fn g() { if cfg!(not(windows)) {} }"),
        ("a/fine.rs", "#[cfg(feature = \"x\")]\nfn cfg(unix: u8) {}"),
        ("a/platform/unix.rs", "#[cfg(unix)]"),
        ("platform.rs", "#[cfg(not(unix))]"),
        ("tests.rs", "#[cfg(unix)]"),
    ] {
        std::fs::write(sources.join(file), lines).unwrap();
    }
    let mut found = platforms::check(sources).unwrap();
    found.sort();
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].contains("a/other.rs:1 "), "{found:?}");
    assert!(found[1].contains("lib.rs:1 "), "{found:?}");
}
