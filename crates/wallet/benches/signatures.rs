//! Benchmarks of signing and verifying, compared with the library for the curve alone.
#![expect(clippy::expect_used, reason = "a bench that can't go on ends")]

use criterion::{Criterion, criterion_group, criterion_main};
use nodeproof_wallet::{KeyPair, sign_transaction, verify_receipt, verify_transaction};
use secp256k1::{Message, ecdsa};
use sha1::{Digest, Sha1};

fn signatures(c: &mut Criterion) {
    let wallet = KeyPair::from_bytes(&[7; 32]).expect("a key");
    let transaction = format!(
        "{{\"fee\":1000000,\"specific_data\":{{\"signers\":[\"{}\"],\"params\":{{\"n\":1.5}}}}}}",
        wallet.address()
    );
    let entry = sign_transaction(&wallet, &transaction).expect("a signature");
    let data = format!(
        "{{\"block_index\":8,\"vote\":1,\"wallet_address\":\"{}\"}}",
        wallet.address()
    );
    let message = nodeproof_primitives::signed_message(&data).expect("a message");
    let signature = wallet.sign(message.as_bytes());
    let mut group = c.benchmark_group("signature");
    group.bench_function("sign a transaction", |b| {
        b.iter(|| sign_transaction(&wallet, &transaction));
    });
    group.bench_function("verify a transaction, by address", |b| {
        b.iter(|| verify_transaction(&transaction, &[entry]));
    });
    group.bench_function("verify a receipt, by public key", |b| {
        b.iter(|| verify_receipt(&data, wallet.public_key(), &signature));
    });
    group.bench_function("verify a digest, by secp256k1 alone", |b| {
        b.iter(|| {
            let key = format!("04{}", wallet.public_key());
            let key: secp256k1::PublicKey = key.parse().expect("a key");
            let signature = ecdsa::Signature::from_compact(&bytes(&signature.to_string()));
            let mut number = [0; 32];
            number[12..].copy_from_slice(&Sha1::digest(message.as_bytes()));
            let number = Message::from_digest(number);
            key.verify(number, &signature.expect("a signature"))
        });
    });
    group.finish();
}

fn bytes(hex: &str) -> Vec<u8> {
    let pairs = (0..hex.len()).step_by(2);
    pairs
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).expect("a byte"))
        .collect()
}

criterion_group!(benches, signatures);
criterion_main!(benches);
