//! The raw transaction of a contract call.

use blake2::{Blake2b, Digest, digest::consts::U20};
use nodeproof_primitives::{ContractAddress, TransactionCode};

use super::NATIVE_TOKEN;

/// A contract call. All members except the address are JSON text, so each value stays exactly as it was
/// sent.
pub(crate) struct ContractCall<'a> {
    pub(crate) address: ContractAddress,
    pub(crate) function: &'a str,
    pub(crate) signers: &'a str,
    pub(crate) params: &'a str,
}

impl ContractCall<'_> {
    /// Returns the transaction as JSON text. Its code is BLAKE2b-160 of the text without the code, which was
    /// observed on a real node. The number of calls that the node built before follows the text, unless it is 0:
    /// two equal calls at the same time get different codes.
    pub(crate) fn transaction(&self, timestamp: i64, fee: &str, earlier_calls: u64) -> String {
        let Self {
            address,
            function,
            signers,
            params,
        } = self;
        let head = format!("{{\"timestamp\":{timestamp},");
        let tail = format!(
            "\"type\":3,\"currency\":\"{NATIVE_TOKEN}\",\"fee\":{fee},\"descr\":\"\",\"valid\":1,\
             \"specific_data\":{{\"address\":\"{address}\",\"function\":{function},\
             \"signers\":{signers},\"params\":{params}}},\"is_child_txn\":false}}"
        );
        let mut digest = Blake2b::<U20>::new()
            .chain_update(&head)
            .chain_update(&tail);
        if earlier_calls > 0 {
            digest.update(earlier_calls.to_be_bytes());
        }
        let code = TransactionCode::from_bytes(digest.finalize().into());
        format!("{head}\"trans_code\":\"{code}\",{tail}")
    }
}
