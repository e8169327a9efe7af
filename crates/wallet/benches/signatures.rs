//! Benchmarks of signing and verifying.
#![expect(clippy::expect_used, reason = "a bench that can't go on ends")]

use criterion::{Criterion, criterion_group, criterion_main};
use nodeproof_wallet::{KeyPair, sign_transaction, verify_receipt, verify_transaction};

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
    group.finish();
}

criterion_group!(benches, signatures);
criterion_main!(benches);
