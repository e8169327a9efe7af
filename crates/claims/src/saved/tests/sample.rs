//! Sample data for the tests of this module: a call, a conforming node's response to it, and signers.

use nodeproof_client::{
    ContractCall, RawTransaction,
    contract_call::{BuiltCallMismatch, CheckedTransaction, Fee},
};
use nodeproof_primitives::{MessageSignature, RawJson, Signer, Signing, WalletAddress};

pub(super) const CONTRACT: &str = "ctcc8321d6375c494d043fdd0260f21bc0ec51dacc";
pub(super) const FIRST: &str = "0xc8111e8386bed918b8068b3f719c53a2e76810c3";
pub(super) const SECOND: &str = "0xe8cf534e934cf1d5fb523b8c3134a501037d470e";
pub(super) const PARAMS: &str = r#"{"asset_id":"token é","n":9007199254740993,"one":1,"half":0.5,"big":1e2,"none":null,"yes":true,"list":["a","b"],"in":{"x":{"deep":[{"y":2}]}}}"#;

pub(super) fn call() -> ContractCall {
    ContractCall::new(CONTRACT.parse().unwrap(), "add_verification")
        .signers([FIRST.parse().unwrap(), SECOND.parse().unwrap()])
        .params(&PARAMS.parse::<RawJson>().unwrap())
        .unwrap()
}

pub(super) fn fee() -> Fee {
    Fee::new("1500000.25".parse().unwrap(), "TKN \"é\"").unwrap()
}

/// Returns the response of a conforming node.
pub(super) fn honest() -> String {
    format!(
        r#"{{"transaction":{{"timestamp":1767225593000,"trans_code":"04087cb4c58f389c80bef882e3392f1b3b0e9e3c","type":3,"currency":"NWRL","fee":0.0,"descr":"","valid":1,"specific_data":{{"address":"{CONTRACT}","function":"add_verification","signers":["{FIRST}","{SECOND}"],"params":{PARAMS}}},"is_child_txn":false}},"signatures":[]}}"#
    )
}

/// Checks a response against the sample call.
pub(super) fn check(text: &str) -> Result<CheckedTransaction, BuiltCallMismatch> {
    CheckedTransaction::check(&call(), &RawTransaction::from_json(text).unwrap(), &fee())
}

/// A signer that signs everything. Its signatures are not valid.
pub(super) struct FakeSigner {
    pub(super) wallet: WalletAddress,
}

impl FakeSigner {
    pub(super) fn of(wallet: &str) -> Self {
        Self {
            wallet: wallet.parse().unwrap(),
        }
    }
}

impl Signer for FakeSigner {
    fn wallet_address(&self) -> WalletAddress {
        self.wallet
    }

    fn sign_message<'a>(&'a self, message: &'a [u8]) -> Signing<'a> {
        Box::pin(async move {
            let mut bytes = [message[2]; 64];
            bytes[..20].copy_from_slice(self.wallet.as_bytes());
            Ok(MessageSignature::from_bytes(bytes))
        })
    }
}
