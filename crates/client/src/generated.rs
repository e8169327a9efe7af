//! The operations and types that are generated from the API's description.
//!
//! Every operation of the description is callable here, with the limits, retries and connections of
//! the [`Client`](crate::Client). Start with [`Client::generated`](crate::Client::generated). Prefer
//! the methods of [`Client`](crate::Client) if there is one for your request: they return one error
//! type, and handle observed responses that the description does not specify.
//!
//! **This module is not stable.** A change of the description can change its names and types in any
//! release. The promises of semantic versioning cover only the rest of this crate.
//!
//! ```no_run
//! # async fn example(node: nodeproof_client::Client) -> Result<(), Box<dyn std::error::Error>> {
//! let response = node.generated().get_block(&1_u64.into()).await?;
//! println!("{}: {}", response.status(), response.into_inner().index);
//! # Ok(())
//! # }
//! ```
//!
//! Parameters are in alphabetical order: `get_trustscore_wallets` takes `dst_wallet_address` before
//! `src_wallet_address`. [`types`] has every schema that no hand-written type replaces.

#[expect(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "generated: the spec does not describe every property, and not every item is exported"
)]
mod code {
    include!(concat!(env!("OUT_DIR"), "/generated.rs"));
}

// `Client` has a constructor that follows redirects, and panics if it can't set up TLS. So the type
// is not public.
pub(crate) use code::Client;
pub use code::{ByteStream, Error, ResponseValue, types};
