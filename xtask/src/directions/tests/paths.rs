//! How paths are resolved.

use super::fixture::{Files, uses};

/// Asserts which of these files uses which.
fn assert_uses(files: &Files<'_>, expected: &[&str]) {
    assert_eq!(uses(files), expected);
}

#[test]
fn modules_are_found_where_the_compiler_finds_them() {
    assert_uses(
        &[
            (
                "lib.rs",
                "mod a; mod inline { mod deep; } #[path = \"odd/name.rs\"] mod named; mod target;",
            ),
            ("a.rs", "mod b; mod nested { mod c; }"),
            ("a/b.rs", "use crate::target::T;"),
            ("a/nested/c.rs", "use super::super::super::target::T;"),
            ("inline/deep.rs", "use crate::target::T;"),
            ("odd/name.rs", "mod child;"),
            ("odd/child.rs", "use crate::target::T;"),
            ("target.rs", "pub struct T;"),
        ],
        &[
            "a/b.rs:1 crate::target::T target.rs",
            "a/nested/c.rs:1 super::super::super::target::T target.rs",
            "inline/deep.rs:1 crate::target::T target.rs",
            "odd/child.rs:1 crate::target::T target.rs",
        ],
    );
}

#[test]
fn a_path_is_followed_through_imports_of_modules() {
    assert_uses(
        &[
            ("lib.rs", "mod a; mod group;"),
            (
                "a.rs",
                "use crate::group::{self, inner as renamed};\nfn f() { group::Item; renamed::f() }",
            ),
            (
                "group/mod.rs",
                "pub mod inner; mod item; pub use item::Item; pub struct Own;",
            ),
            ("group/inner.rs", "pub fn f() {}"),
            ("group/item.rs", "pub struct Item;"),
        ],
        &[
            "a.rs:2 renamed::f group/inner.rs",
            "a.rs:2 group::Item group/item.rs",
        ],
    );
}

#[test]
fn an_import_in_a_function_holds_within_it() {
    assert_uses(
        &[
            ("lib.rs", "mod a; mod b; mod c;"),
            (
                "a.rs",
                "fn f() { use crate::b as m;\n m::f() }\nfn g() { use crate::c as m;\n m::f() }",
            ),
            ("b.rs", "pub fn f() {}"),
            ("c.rs", "pub fn f() {}"),
        ],
        &["a.rs:2 m::f b.rs", "a.rs:4 m::f c.rs"],
    );
}

#[test]
fn other_crates_do_not_count() {
    assert_uses(
        &[
            ("lib.rs", "mod serde; mod a; pub use std::fmt;"),
            (
                "a.rs",
                "use ::serde::Serialize; use std::fmt::Debug; use crate::fmt::Display; use log::log;\nfn f(_: u8) { log::log!(\"{}\", String::new()) }",
            ),
            ("serde.rs", "pub struct Serialize;"),
        ],
        &[],
    );
}

#[test]
fn a_private_import_is_seen_by_children_only() {
    assert_uses(
        &[
            ("lib.rs", "mod a; mod b; mod c;"),
            (
                "a.rs",
                "use crate::c::Result; mod child; fn f(_: Result) {}",
            ),
            ("a/child.rs", "use super::*; fn f(_: Result) {}"),
            ("b.rs", "use crate::a::*; fn f(_: Result<u8, ()>) {}"),
            ("c.rs", "pub struct Result;"),
        ],
        &[
            "a.rs:1 crate::c::Result c.rs",
            "a/child.rs:1 Result c.rs",
            // Another name must come through this glob.
            "b.rs:1 crate::a::* a.rs",
        ],
    );
}

#[test]
fn an_associated_item_counts_as_its_type() {
    assert_uses(
        &[
            ("lib.rs", "mod a; mod b;"),
            (
                "a.rs",
                "use crate::b::*;\nfn f() -> u8 { Kind::new().x(); <Kind as Clone>::clone(&Kind::A); match 1 { MAX => 0 } }",
            ),
            ("b.rs", "pub enum Kind { A } pub const MAX: u8 = 1;"),
        ],
        &["a.rs:2 Kind b.rs"].map(|_| "a.rs:2 Kind::new b.rs"),
    );
}

#[test]
fn what_a_macro_makes_belongs_to_the_file_that_calls_it() {
    assert_uses(
        &[
            (
                "lib.rs",
                "#[macro_use] mod macros; mod made; mod a; pub use made::Made;",
            ),
            (
                "macros.rs",
                "macro_rules! make { ($name:ident) => { pub struct $name(crate::a::Inner); } }",
            ),
            ("made.rs", "make!(Made);"),
            ("a.rs", "pub struct Inner;"),
            ("unused.rs", ""),
        ],
        &[
            "macros.rs:1 crate::a::Inner a.rs",
            "made.rs:1 make macros.rs",
        ],
    );
}

#[test]
fn a_macro_can_be_imported_as_an_item() {
    assert_uses(
        &[
            ("lib.rs", "mod macros; mod a; mod write;"),
            (
                "macros.rs",
                "macro_rules! local { () => {} }\npub(crate) use local;",
            ),
            (
                "a.rs",
                "use crate::macros::local;\npub use crate::write::write;\nfn f() { local!(); write!(x, \"\") }",
            ),
            ("write.rs", "pub fn write() {}"),
        ],
        &[
            "a.rs:1 crate::macros::local macros.rs",
            "a.rs:2 crate::write::write write.rs",
        ],
    );
}

#[test]
fn paths_in_attributes_count() {
    assert_uses(
        &[
            ("lib.rs", "mod a; mod hex; mod parse;"),
            (
                "a.rs",
                "/// See [`crate::doc::Doc`].\n#[derive(Deserialize)]\npub struct A {\n#[serde(with = \"crate::hex\", rename = \"parse::x\")]\na: u8,\n#[arg(value_parser = crate::parse::number)]\nb: u8 }",
            ),
            ("hex.rs", "pub fn serialize() {}"),
            ("parse.rs", "pub fn number() {}"),
        ],
        &[
            "a.rs:4 crate::hex::serialize hex.rs",
            "a.rs:6 crate::parse::number parse.rs",
        ],
    );
}
