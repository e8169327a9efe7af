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
    /// Returns the transaction as JSON text. Its code is BLAKE2b-160 of the text without the code.
    ///
    /// Observed on a real node.
    pub(crate) fn transaction(&self, timestamp: i64, fee: &str) -> String {
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
        let digest = Blake2b::<U20>::new()
            .chain_update(&head)
            .chain_update(&tail)
            .finalize();
        let code = TransactionCode::from_bytes(digest.into());
        format!("{head}\"trans_code\":\"{code}\",{tail}")
    }
}
