//! The test in the local node's README and in the client's guide is run exactly as printed there.

mod in_a_test;

#[test]
fn both_pages_show_the_test_that_is_run() {
    let readme = include_str!("../../../crates/devnode/README.md");
    let guide = include_str!("../../../docs/client.md");
    let code = include_str!("devnode_readme/in_a_test.rs");
    for page in [readme, guide] {
        assert!(page.contains(&format!("```rust\n{code}```\n")));
    }
}
