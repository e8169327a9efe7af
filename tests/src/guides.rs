//! The Rust code in the pages for developers. `cargo test --doc` compiles it with all crates available.

#[doc = include_str!("../../README.md")]
mod repository {}
#[doc = include_str!("../../docs/client.md")]
mod client_guide {}
#[doc = include_str!("../../crates/claims/README.md")]
mod claims {}
#[doc = include_str!("../../crates/client/README.md")]
mod client {}
#[doc = include_str!("../../crates/files/README.md")]
mod files {}
#[doc = include_str!("../../openapi/README.md")]
mod openapi {}
#[doc = include_str!("../../crates/primitives/README.md")]
mod primitives {}
#[doc = include_str!("../../crates/report/README.md")]
mod report {}
#[doc = include_str!("../../crates/wallet/README.md")]
mod wallet {}
