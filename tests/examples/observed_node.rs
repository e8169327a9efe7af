//! Serves a node that responds in the forms observed on real nodes, until it is stopped.
//!
//! It is what the checks of findings run against: `cargo run -p integration-tests --example
//! observed_node`, then `cargo xtask conformance --base-url URL --network devnet`.

use integration_tests::observed_node;

#[expect(clippy::print_stdout, reason = "its user needs its URL")]
#[tokio::main]
async fn main() -> std::io::Result<()> {
    let node = observed_node::spawn().await?;
    println!("{}", node.base_url());
    tokio::signal::ctrl_c().await
}
