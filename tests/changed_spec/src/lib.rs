//! A client that is generated from `node.yaml` with additions.
//!
//! The additions are a field, an endpoint and a value of an enum; and path, header and list
//! parameters and a second media type, which the API does not use today. The tests show that an edit
//! of the description is enough to get them.

// The generated code finds the types that are written by hand at the root of its crate.
use nodeproof_client::{
    Block, BlockTransaction, ExactText, IntegerParameter, RawTransaction, SignedTransaction,
};
use progenitor_client::ClientHooks;

#[expect(
    missing_docs,
    clippy::unwrap_used,
    reason = "generated: the spec does not describe every property"
)]
pub mod generated {
    include!(concat!(env!("OUT_DIR"), "/generated.rs"));
}

pub use generated::{Client, Error, ResponseValue, types};

/// The state of the hooks, at the path where the generated code finds it.
pub mod transport {
    /// No state: this client has no limits.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct HookState;
}

impl ClientHooks<transport::HookState> for Client {}

#[cfg(test)]
mod tests;
