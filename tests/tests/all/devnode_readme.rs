//! The test in the local node's README is run exactly as printed there.

mod in_a_test;

#[test]
fn the_page_shows_the_test_that_is_run() {
    let readme = include_str!("../../../crates/devnode/README.md");
    let code = include_str!("devnode_readme/in_a_test.rs");
    assert!(readme.contains(&format!("```rust\n{code}```\n")));
}
