//! Cycles that must be found, and code without cycles.

use super::fixture::{Files, problems};

/// Asserts that there is one cycle, with these steps.
fn assert_cycle(files: &Files<'_>, steps: &[&str]) {
    let expected = format!(
        "import cycle of {} files:\n  {}",
        steps.len(),
        steps.join("\n  ")
    );
    assert_eq!(problems(&[], files), [expected]);
}

fn assert_none(files: &Files<'_>) {
    assert_eq!(problems(&[], files), [""; 0]);
}

#[test]
fn two_files() {
    assert_cycle(
        &[
            ("lib.rs", "mod a;\nmod b;\n"),
            ("a.rs", "use crate::b::B;\npub struct A(B);\n"),
            ("b.rs", "pub struct B;\nfn f(_: &crate::a::A) {}\n"),
        ],
        &[
            "src/a.rs:1 uses crate::b::B of src/b.rs",
            "src/b.rs:2 uses crate::a::A of src/a.rs",
        ],
    );
}

#[test]
fn three_files() {
    assert_cycle(
        &[
            ("lib.rs", "mod a; mod b; mod c; mod d;"),
            (
                "a.rs",
                "use crate::{b::{B as Renamed, Other}, d::D}; pub struct A(Renamed, Other, D);",
            ),
            (
                "b.rs",
                "use crate::c::C; pub struct B(C); pub struct Other;",
            ),
            (
                "c.rs",
                "use crate::d::D;\nuse crate::a::A; pub struct C(Box<A>, D);",
            ),
            ("d.rs", "pub struct D;"),
        ],
        &[
            "src/a.rs:1 uses crate::b::B of src/b.rs",
            "src/b.rs:1 uses crate::c::C of src/c.rs",
            "src/c.rs:2 uses crate::a::A of src/a.rs",
        ],
    );
}

#[test]
fn through_a_re_export() {
    assert_cycle(
        &[
            ("lib.rs", "mod group;\npub use group::First;"),
            (
                "group/mod.rs",
                "mod first;\nmod second;\npub use self::first::First; pub(crate) use second::*;",
            ),
            (
                "group/first.rs",
                "use super::Second;\npub struct First(Second);",
            ),
            (
                "group/second.rs",
                "pub(crate) struct Second;\nimpl Second { fn f(_: crate::First) {} }",
            ),
        ],
        &[
            "src/group/first.rs:1 uses super::Second of src/group/second.rs",
            "src/group/second.rs:2 uses crate::First of src/group/first.rs",
        ],
    );
}

#[test]
fn through_super() {
    assert_cycle(
        &[
            ("lib.rs", "mod parent;"),
            (
                "parent.rs",
                "mod child;\npub struct Shared;\nfn run() { child::work(&Shared) }",
            ),
            (
                "parent/child.rs",
                "pub(super) fn work(_: &super::Shared) {}",
            ),
        ],
        &[
            "src/parent.rs:3 uses child::work of src/parent/child.rs",
            "src/parent/child.rs:1 uses super::Shared of src/parent.rs",
        ],
    );
}

#[test]
fn through_what_a_parent_re_exports_and_uses_itself() {
    assert_cycle(
        &[
            ("lib.rs", "mod parent;"),
            (
                "parent.rs",
                "mod child;\npub use child::Child;\npub struct Shared;\nfn run(_: Child) {}",
            ),
            (
                "parent/child.rs",
                "use super::*;\npub struct Child(Shared);",
            ),
        ],
        &[
            "src/parent.rs:4 uses Child of src/parent/child.rs",
            "src/parent/child.rs:2 uses Shared of src/parent.rs",
        ],
    );
}

#[test]
fn through_arguments_of_a_macro() {
    assert_cycle(
        &[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "pub fn a() { println!(\"{}\", crate::b::b()) }"),
            (
                "b.rs",
                "pub fn b() -> u8 { select! { x = crate::a::a() => x } }",
            ),
        ],
        &[
            "src/a.rs:1 uses crate::b::b of src/b.rs",
            "src/b.rs:1 uses crate::a::a of src/a.rs",
        ],
    );
}

#[test]
fn each_of_several_cycles_is_shown_once_and_the_files_are_counted() {
    let found = problems(
        &[],
        &[
            ("lib.rs", "mod a; mod b; mod c; mod d;"),
            ("a.rs", "pub struct A(crate::b::B);"),
            ("b.rs", "pub struct B(crate::a::A);"),
            ("c.rs", "pub struct C(crate::d::D);"),
            ("d.rs", "pub struct D(crate::c::C, crate::a::A);"),
        ],
    );
    assert_eq!(found.len(), 3, "{found:#?}");
    assert_eq!(
        found[2],
        "src/lib.rs: 4 files of this crate are in import cycles"
    );
}

#[test]
fn a_test_may_use_anything() {
    assert_none(&[
        ("lib.rs", "mod a; mod b;"),
        (
            "a.rs",
            "pub struct A;\n#[cfg(test)] mod tests;\n#[cfg(test)] use crate::b::B;",
        ),
        ("a/tests.rs", "use crate::b::B; use super::*;"),
        (
            "b.rs",
            "use crate::a::A; pub struct B(A); #[cfg(all(test, unix))] fn t() { crate::a::f() }",
        ),
    ]);
}

#[test]
fn a_parent_may_declare_and_re_export_what_uses_it() {
    assert_none(&[
        ("lib.rs", "mod parent; pub use parent::{Child, Shared};"),
        (
            "parent/mod.rs",
            "mod child; mod sibling; pub use child::Child; pub use sibling::*;\npub struct Shared;",
        ),
        (
            "parent/child.rs",
            "use super::{Shared, Sibling}; use crate::Shared as Same; pub struct Child(Shared, Sibling, Same);",
        ),
        ("parent/sibling.rs", "pub struct Sibling;"),
    ]);
}

#[test]
fn children_may_use_each_other_in_one_direction() {
    assert_none(&[
        ("lib.rs", "mod parent;"),
        (
            "parent.rs",
            "mod one; mod two; use one::one; pub fn run() { one() }",
        ),
        (
            "parent/one.rs",
            "use super::two; pub fn one() { two::two() }",
        ),
        ("parent/two.rs", "pub fn two() {}"),
    ]);
}

#[test]
fn a_variable_is_not_what_a_re_export_of_its_name_leads_to() {
    assert_none(&[
        ("lib.rs", "mod parent;"),
        (
            "parent.rs",
            "mod child; pub use child::outcome; pub struct Shared;\nfn run(outcome: u8) -> u8 { outcome + 1 }",
        ),
        (
            "parent/child.rs",
            "use super::Shared; pub fn outcome(_: Shared) {}",
        ),
    ]);
}
