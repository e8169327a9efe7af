//! A client that is generated from `node.yaml` with more paths.
//!
//! The added paths have path, header and list parameters, and a second media type. The API uses
//! none of these today. The tests show that an edit of the spec is enough to get them.

// The generated code finds the types that replace schemas at the root of its crate.
use nodeproof_client::{
    BalanceResponse, BatchResponse, Block, ContractCall, ContractState, IntegerParameter,
    RawTransaction, SignatureEntry, SignedTransaction, SubmitResponse, TrustScore,
};
use progenitor_client::ClientHooks;

#[expect(
    missing_docs,
    unreachable_pub,
    unused_imports,
    clippy::unwrap_used,
    reason = "generated: the spec does not describe every property"
)]
mod code {
    include!(concat!(env!("OUT_DIR"), "/generated.rs"));
}

pub use code::{Client, Error, ResponseValue, builder, types};

/// The state of the hooks, at the path where the generated code finds it.
pub mod transport {
    /// No state: this client has no limits.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct HookState;
}

impl ClientHooks<transport::HookState> for Client {}

#[cfg(test)]
mod tests;
