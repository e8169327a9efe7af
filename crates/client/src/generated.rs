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
//! let response = node.generated().get_block().block_index(1_u64).send().await?;
//! println!("{}: {:?}", response.status(), response.into_inner().index());
//! # Ok(())
//! # }
//! ```
//!
//! [`builder`] has one type for each operation, with a method for each parameter. Requests and
//! responses are types of this crate, such as [`Block`](crate::Block). [`types`] has the schemas for
//! which there is no such type. They are strict: they read the documented forms only.

#[expect(
    missing_docs,
    unreachable_pub,
    unused_imports,
    clippy::unwrap_used,
    rustdoc::private_intra_doc_links,
    reason = "generated: the spec does not describe every property, and not every item is exported"
)]
mod code {
    include!(concat!(env!("OUT_DIR"), "/generated.rs"));
}

// `Client` has a constructor that follows redirects, and panics if it can't set up TLS. So the type
// is not public.
pub(crate) use code::Client;
pub use code::{ByteStream, Error, ResponseValue, builder, types};
