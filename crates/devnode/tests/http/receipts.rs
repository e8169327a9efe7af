//! Receipts and links between blocks.

use nodeproof_primitives::{RawJson, WalletAddress, sorted_message};
use nodeproof_wallet::{PublicKey, Signature, SignatureEntry, verify_receipt, verify_transaction};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::peer::Peer;

#[derive(Deserialize)]
struct Block {
    timestamp: i64,
    committee: Vec<WalletAddress>,
    text: Text,
    previous_hash: String,
}

#[derive(Deserialize)]
struct Text {
    transactions: Vec<Entry>,
    previous_block_receipts: Vec<Receipt>,
}

#[derive(Deserialize)]
struct Entry {
    transaction: RawJson,
    signatures: Vec<SignatureEntry>,
}

#[derive(Deserialize)]
struct Receipt {
    data: RawJson,
    public_key: PublicKey,
    signature: Signature,
}

#[derive(Deserialize)]
struct Data {
    block_index: u64,
    block_hash: String,
    vote: u8,
    timestamp: i64,
    wallet_address: WalletAddress,
}

async fn block(peer: &Peer, index: u64) -> (Block, String) {
    let text = peer
        .get(&format!("/get-block?block_index={index}"))
        .await
        .text;
    (serde_json::from_str(&text).unwrap(), text)
}

#[tokio::test]
async fn receipts_are_signed_by_the_committee_and_blocks_are_linked_by_their_hashes() {
    let peer = Peer::new().await;
    peer.node.make_block();
    let (mut before, mut before_text) = block(&peer, 1).await;
    for index in 2..=peer.node.height() {
        let (this, text) = block(&peer, index).await;
        let hash = sorted_message(&before_text).unwrap();
        let hash: String = Sha256::digest(hash)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(this.previous_hash, hash);
        assert!(this.timestamp > before.timestamp);
        let mut voters = Vec::new();
        let mut nines = 0;
        for receipt in &this.text.previous_block_receipts {
            verify_receipt(
                receipt.data.as_str(),
                &receipt.public_key,
                &receipt.signature,
            )
            .unwrap();
            let data: Data = receipt.data.decode().unwrap();
            assert_eq!((data.block_index, &data.block_hash), (index - 1, &hash));
            assert!((before.timestamp..this.timestamp).contains(&data.timestamp));
            nines += usize::from(data.vote == 9);
            voters.push(data.wallet_address);
        }
        assert_eq!(voters, before.committee);
        assert_eq!(nines, 1);
        (before, before_text) = (this, text);
    }
}

#[tokio::test]
async fn transactions_in_blocks_carry_signatures_that_hold() {
    let peer = Peer::new().await;
    let mut most_signers = 0;
    for index in 1..=12 {
        for entry in block(&peer, index).await.0.text.transactions {
            verify_transaction(entry.transaction.as_str(), &entry.signatures).unwrap();
            most_signers = most_signers.max(entry.signatures.len());
        }
    }
    assert_eq!(most_signers, 2);
}
