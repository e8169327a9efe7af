//! The client against a local node: its blocks, a batch, and the generated client.

#![expect(clippy::unwrap_used, reason = "a test fails if its setup fails")]

use nodeproof_client::{BatchOutcome, Client, Clock, ContractCall, Fee};
use nodeproof_devnode::{Config, Handle};
use nodeproof_primitives::{MessageSignature, WalletAddress};
use nodeproof_wallet::SignatureEntry;
use serde_json::json;

async fn start() -> (Handle, Client) {
    let node = nodeproof_devnode::spawn(Config::for_tests()).await.unwrap();
    let client = Client::new(node.base_url()).unwrap();
    (node, client)
}

#[tokio::test]
async fn every_block_is_read_as_documented() {
    let (node, client) = start().await;
    let height = node.node().height();
    assert!(height > 2);
    for index in 1..=height {
        let block = client.block(index).await.unwrap().unwrap();
        assert_eq!(block.index, index);
        assert!(!block.committee.is_empty() && block.extra.is_empty());
        for entry in block.transactions().unwrap() {
            let signed = entry.signed().unwrap();
            let code = signed.transaction().unwrap().trans_code;
            assert_eq!(block.transaction(code), Some(entry));
            // Verify each signature of the entry separately.
            for signature in signed.signatures().unwrap() {
                let parts: (WalletAddress, MessageSignature) =
                    signature.clone().try_into().unwrap();
                let by_wallet = SignatureEntry::try_from(parts).unwrap();
                by_wallet.verify(signed.transaction_text()).unwrap();
                let back: (WalletAddress, MessageSignature) = by_wallet.into();
                assert_eq!(nodeproof_client::SignatureEntry::from(back), signature);
            }
        }
    }
    assert_eq!(client.block(height + 1).await.unwrap(), None);
}

#[tokio::test]
async fn other_calls_and_batches_are_built_and_submitted() {
    let (node, client) = start().await;
    let (from, to) = {
        let wallets = node.node().wallets();
        (wallets.first().unwrap(), wallets.get(1).unwrap().address())
    };
    let params =
        json!({ "amount_to_send": 1, "receiver": to, "asset_code": node.node().native_token() });
    let call = ContractCall::new(node.node().token_contract_address(), "transfer")
        .signers([from.address()])
        .params(&params)
        .unwrap();
    let fee = Fee::new(1_500_000.into(), node.node().native_token()).unwrap();
    let checked = client.build_call(&call, &fee, Clock::Local).await.unwrap();
    let signed = checked.sign(&[from.keys()]).await.unwrap();
    let batch = vec![signed];
    let response = client.generated().submit_transaction_batch(&batch).await;
    let response = response.unwrap().into_inner().response;
    let BatchOutcome::Result(result) = response else {
        panic!("{response:?}");
    };
    assert_eq!(result.accepted_transactions, [checked.trans_code()]);
}

#[tokio::test]
async fn an_unknown_table_has_no_record_and_the_message_is_available() {
    let (node, client) = start().await;
    let contract = node.node().contract_address();
    let state = client.contract_state("nosuch", contract, "asset_id", "a");
    assert_eq!(state.await.unwrap(), None);
    // The generated client returns the node's message.
    let request = client.generated();
    let failure = request.sc_state(&contract, "nosuch", "asset_id", "a").await;
    let error = nodeproof_client::Error::from_generated(failure.unwrap_err()).await;
    assert!(error.is_absent() && error.detail().is_some(), "{error}");
}
