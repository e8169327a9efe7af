//! The Rust code in the pages for developers. `cargo test --doc` compiles it with all crates at hand.

#[doc = include_str!("../../README.md")]
mod repository {}
#[doc = include_str!("../../docs/client.md")]
mod client_guide {}
