//! What must be found, and what must not.

use super::{check, files, packages};

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
        ("lib.rs", "mod top;\nmod low;\npub use top::A;"),
        (
            "top/mod.rs",
            "mod a;\npub use a::A;\npub(crate) use self::a::{\n    b as c,\n};",
        ),
        (
            "top/a.rs",
            "pub struct A;\npub fn b() {}\nuse crate::low::{self, Low};",
        ),
        ("low.rs", low),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let found = files::check(folder.path(), &["top", "low"]).unwrap();
    found.join("\n")
}

#[test]
fn upward_imports_and_cycles_are_found() {
    for (low, path) in [
        ("use crate::top::{self, a::A as B, x};", "crate::top::a::A"),
        ("use crate::A;", "crate::A"),
        ("fn f() { g!(x, super::A::new()) }", "super::A::new"),
        (
            "#[serde(with = \"crate::top::c\")] struct X;",
            "crate::top::c",
        ),
    ] {
        let found = problems(&format!("pub struct Low;\n{low}"));
        let low = format!("low.rs:2 uses {path} of crate::top::a");
        assert!(found.contains("upward import: "), "{found}");
        assert_eq!(found.matches(&low).count(), 2, "{found}");
        let high = "top/a.rs:3 uses crate::low of crate::low";
        assert!(found.contains("import cycle: "), "{found}");
        assert_eq!(found.matches(high).count(), 1, "{found}");
    }
}

#[test]
fn tests_docs_and_other_crates_do_not_count() {
    for low in [
        "#[cfg(test)]\nmod tests { use crate::top::A; }",
        "#[cfg(test)]\nuse crate::top::A;",
        "/// See [`crate::top::A`].\nuse std::fmt; use ::top::A;\nuse top::{A, B,};\nfn f() { top::A }",
    ] {
        assert_eq!(problems(&format!("pub struct Low;\n{low}")), "");
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
    let mut found = files::check(sources, &[]).unwrap();
    found.sort();
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].contains("a/other.rs:1 "), "{found:?}");
    assert!(found[1].contains("lib.rs:1 "), "{found:?}");
}
