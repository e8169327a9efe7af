//! Upward imports.

use super::fixture::problems;

const LAYERS: [&str; 3] = ["top", "middle", "bottom"];

#[test]
fn an_import_of_a_higher_layer_is_found() {
    let found = problems(
        &LAYERS,
        &[
            ("lib.rs", "mod top; mod bottom;"),
            ("top/mod.rs", "mod inner; pub use inner::Options;"),
            ("top/inner.rs", "pub struct Options;"),
            (
                "bottom.rs",
                "\nuse crate::top::Options;\npub struct B(Options);",
            ),
        ],
    );
    assert_eq!(
        found,
        [
            "src/bottom.rs:2: upward import of crate::top::Options, which src/top/inner.rs defines: \
          layer bottom is below layer top"
        ]
    );
}

#[test]
fn a_plain_path_in_an_expression_is_found() {
    let found = problems(
        &LAYERS,
        &[
            ("lib.rs", "mod middle; mod bottom;"),
            ("middle.rs", "pub fn f(_: u8) {}"),
            ("bottom/mod.rs", "mod deep;"),
            (
                "bottom/deep.rs",
                "fn g() {\n    let x = 1;\n    super::super::middle::f(x)\n}",
            ),
        ],
    );
    assert_eq!(
        found,
        [
            "src/bottom/deep.rs:3: upward import of super::super::middle::f, which src/middle.rs defines: \
          layer bottom is below layer middle"
        ]
    );
}

#[test]
fn a_re_export_of_a_higher_layer_is_found() {
    let found = problems(
        &LAYERS,
        &[
            ("lib.rs", "mod middle; mod bottom;"),
            ("middle.rs", "pub struct M;"),
            ("bottom.rs", "pub use crate::middle::M;"),
        ],
    );
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn the_root_is_above_all_layers() {
    let found = problems(
        &LAYERS,
        &[
            ("lib.rs", "mod top; mod bottom; pub struct Root(top::T);"),
            ("top.rs", "pub struct T(crate::bottom::B);"),
            ("bottom.rs", "pub struct B; fn f(_: crate::Root) {}"),
        ],
    );
    assert!(
        found[0].contains("layer bottom is below the root of the crate"),
        "{found:?}"
    );
}

#[test]
fn a_file_in_no_layer_is_found() {
    let found = problems(
        &LAYERS,
        &[
            ("lib.rs", "mod other;"),
            ("other.rs", "mod more;"),
            ("other/more.rs", ""),
        ],
    );
    assert_eq!(
        found,
        ["src/other.rs: other is not one of the layers top, middle, bottom"]
    );
}

#[test]
fn imports_downwards_within_a_layer_and_in_tests_are_fine() {
    let found = problems(
        &LAYERS,
        &[
            ("lib.rs", "mod top; mod middle; mod bottom; pub use top::T;"),
            (
                "top.rs",
                "mod one; mod two; pub struct T(crate::middle::M, crate::bottom::B);",
            ),
            ("top/one.rs", "use super::two::Two; use crate::bottom::B;"),
            ("top/two.rs", "pub struct Two;"),
            ("middle.rs", "pub use crate::bottom::B; pub struct M;"),
            (
                "bottom.rs",
                "pub struct B; #[cfg(test)] mod tests { use crate::top::T; }",
            ),
        ],
    );
    assert_eq!(found, [""; 0]);
}
