//! The client against a local node: each endpoint, and all steps of a claim.

#![expect(clippy::unwrap_used, reason = "a test fails if its setup fails")]

use nodeproof_client::{
    AddVerification, Client, ContractCall, HolderAddress, RawTransaction, VerificationRecord,
};
use nodeproof_devnode::{Config, Handle};
use nodeproof_primitives::{MessageSignature, WalletAddress};
use nodeproof_wallet::{SignatureEntry, sign_transaction, verify_receipt, verify_signed};
use serde_json::json;

async fn start() -> (Handle, Client) {
    let node = nodeproof_devnode::spawn(Config::for_tests()).await.unwrap();
    let client = Client::new(node.base_url()).unwrap();
    (node, client)
}

#[tokio::test]
async fn every_block_is_read_as_documented_and_its_receipts_verify() {
    let (node, client) = start().await;
    let height = node.node().height();
    assert!(height > 2);
    for index in 1..=height {
        let block = client.block(index).await.unwrap().unwrap();
        assert_eq!(block.index, index);
        assert!(!block.committee.is_empty() && block.extra.is_empty());
        for receipt in block.receipts().unwrap() {
            assert_eq!(receipt.data.value().block_index, index - 1);
            let key = receipt.public_key.as_str().parse().unwrap();
            let signature = receipt.signature.as_str().parse().unwrap();
            verify_receipt(receipt.data.text(), &key, &signature).unwrap();
        }
        for entry in block.transactions().unwrap() {
            verify_signed(entry.text()).unwrap();
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
async fn balances_agree_whichever_way_they_are_asked_for() {
    let (node, client) = start().await;
    let token = node.node().native_token();
    let wallet = node.node().wallets().first().unwrap().address();
    let held = client.token_balance(token, wallet).await.unwrap();
    assert!(held.is_some());
    let tokens = client.balances(wallet).await.unwrap();
    assert_eq!(
        tokens
            .iter()
            .find(|entry| entry.token_code == token)
            .unwrap()
            .balance,
        held
    );
    let holders = client.holders(token).await.unwrap();
    let mine = holders
        .iter()
        .find(|entry| entry.wallet == HolderAddress::Wallet(wallet));
    assert_eq!(mine.unwrap().balance, held);
    let unknown = client.token_balance("NO-SUCH-TOKEN", wallet).await.unwrap();
    assert!(unknown.is_none_or(|held| held == 0));
}

#[tokio::test]
async fn trust_is_told_and_unknown_trust_is_none() {
    let (node, client) = start().await;
    let wallets: Vec<_> = node
        .node()
        .wallets()
        .iter()
        .map(|wallet| wallet.address())
        .chain([WalletAddress::from_bytes([9; 20])])
        .collect();
    let (mut known, mut unknown) = (0, 0);
    for from in &wallets {
        for to in &wallets {
            match client.trust_score(*from, *to).await.unwrap() {
                Some(trust) => {
                    assert_eq!(trust.status, "SUCCESS");
                    known += 1;
                }
                None => unknown += 1,
            }
        }
    }
    assert!(known > 0 && unknown > 0);
}

#[tokio::test]
async fn a_claim_is_built_signed_submitted_and_read_back() {
    let (node, client) = start().await;
    let contract = node.node().contract_address();
    let verifier = node.node().wallets().first().unwrap();
    let asset = "crate \u{2116} 7 \"caf\u{e9}\"";
    assert_eq!(client.verification(contract, asset).await.unwrap(), None);

    let claim = AddVerification {
        doc_hash_list: vec!["ab".repeat(32)],
        doc_link_list: vec!["https://documents.example.org/a".to_owned()],
        remarks: "na\u{ef}ve".to_owned(),
        ..AddVerification::new(asset, verifier.address(), 99)
    };
    let call = claim.call(contract).unwrap();
    let raw = client.build_call(&call).await.unwrap();
    let call = raw.transaction().unwrap().contract_call().unwrap();
    assert_eq!(call.signers, [verifier.address()]);
    let raw = raw.with_fee(&1_500_000.into()).unwrap();

    let unsigned = raw
        .with_signatures::<nodeproof_client::SignatureEntry>([])
        .unwrap();
    let refused = client.submit(&unsigned).await.unwrap();
    assert!(!refused.is_accepted());
    assert!(!refused.messages().is_empty());

    let entry = sign_transaction(verifier.keys(), raw.transaction_text().unwrap()).unwrap();
    let signed = raw.with_signatures([entry]).unwrap();
    let accepted = client.submit(&signed).await.unwrap();
    accepted.accepted().unwrap();
    assert_eq!(accepted.response.new_transaction, Some(true));
    let again = client.submit(&signed).await.unwrap();
    assert_eq!(again.response.new_transaction, Some(false));

    node.node().make_block();
    let record = client.verification(contract, asset).await.unwrap().unwrap();
    assert_eq!(record.asset_id, asset);
    assert_eq!(record.verifier_address, verifier.address());
    assert_eq!(record.doc_hash_list, ["ab".repeat(32)]);
    assert_eq!(record.remarks, "na\u{ef}ve");
    let state = client
        .contract_state("verification", contract, "asset_id", asset)
        .await
        .unwrap();
    let stored = VerificationRecord::from_json(&state.unwrap()).unwrap();
    assert_eq!(stored, record);

    let height = node.node().height();
    let block = client.block(height).await.unwrap().unwrap();
    let transaction = block
        .transactions()
        .unwrap()
        .first()
        .unwrap()
        .signed()
        .unwrap();
    assert_eq!(
        transaction.transaction().unwrap().trans_code,
        signed.transaction().unwrap().trans_code
    );
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
    let raw: RawTransaction = client
        .build_call(&call)
        .await
        .unwrap()
        .with_fee(&1_500_000.into())
        .unwrap();
    let entry = sign_transaction(from.keys(), raw.transaction_text().unwrap()).unwrap();
    let signed = raw.with_signatures([entry]).unwrap();
    let response = client
        .submit_batch(std::slice::from_ref(&signed))
        .await
        .unwrap();
    let code = signed.transaction().unwrap().trans_code;
    assert_eq!(response.accepted(1).unwrap(), [code]);
}

#[tokio::test]
async fn the_listing_is_a_page() {
    let (_node, client) = start().await;
    assert!(
        client
            .docs()
            .await
            .unwrap()
            .to_lowercase()
            .contains("<html")
    );
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
