//! Time to parse a receipt, in the documented form and with one more member, and a block, compared with a
//! hand-written struct of strings.

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nodeproof_client::{Block, Receipt, from_json};
use serde::Deserialize;

/// A block as a minimal hand-written struct.
#[derive(Deserialize)]
#[expect(dead_code, reason = "what is measured is that all of it is read")]
struct PlainBlock {
    index: i64,
    timestamp: i64,
    proof: i64,
    status: i64,
    text: PlainText,
    creator_wallet: String,
    expected_miner: String,
    committee: Vec<String>,
    previous_hash: String,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "what is measured is that all of it is read")]
struct PlainText {
    transactions: Vec<serde_json::Value>,
    previous_block_receipts: Vec<PlainReceipt>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "what is measured is that all of it is read")]
struct PlainReceipt {
    data: PlainVote,
    public_key: String,
    signature: String,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "what is measured is that all of it is read")]
struct PlainVote {
    block_index: i64,
    block_hash: String,
    vote: i64,
    timestamp: i64,
    wallet_address: String,
}

fn receipt() -> String {
    format!(
        "{{\"data\":{{\"block_index\":8,\"block_hash\":\"{}\",\"vote\":1,\"timestamp\":1767225600000,\
         \"wallet_address\":\"0x{}\"}},\"public_key\":\"{}\",\"signature\":\"{}\"}}",
        "0a".repeat(32),
        "b1".repeat(20),
        "c2".repeat(64),
        "d3".repeat(64),
    )
}

fn block(receipts: usize) -> String {
    format!(
        "{{\"index\":9,\"timestamp\":1767225600000,\"proof\":42,\"status\":1,\
         \"text\":{{\"transactions\":[],\"previous_block_receipts\":[{}]}},\
         \"creator_wallet\":\"0x{wallet}\",\"expected_miner\":\"0x{wallet}\",\
         \"committee\":[\"0x{wallet}\"],\"previous_hash\":\"{}\"}}",
        vec![receipt(); receipts].join(","),
        "0a".repeat(32),
        wallet = "b1".repeat(20),
    )
}

fn receipts(c: &mut Criterion) {
    let plain = receipt();
    let odd = plain.replacen('{', "{\"note\":null,", 1);
    let mut group = c.benchmark_group("receipt");
    for (name, text) in [("as documented", plain), ("with a member more", odd)] {
        assert!(from_json::<Receipt>(text.as_bytes()).is_ok());
        group.bench_function(name, |b| b.iter(|| from_json::<Receipt>(text.as_bytes())));
    }
    group.finish();

    let mut group = c.benchmark_group("block of receipts");
    for count in [100, 1_000, 10_000] {
        let text = block(count);
        assert!(from_json::<Block>(text.as_bytes()).is_ok());
        assert!(serde_json::from_str::<PlainBlock>(&text).is_ok());
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::new("client", count), &text, |b, text| {
            let read = |()| from_json::<Block>(text.as_bytes());
            b.iter_batched(|| (), read, BatchSize::LargeInput);
        });
        group.bench_with_input(
            BenchmarkId::new("struct of strings", count),
            &text,
            |b, text| {
                let read = |()| serde_json::from_str::<PlainBlock>(text);
                b.iter_batched(|| (), read, BatchSize::LargeInput);
            },
        );
    }
    group.finish();
}

criterion_group!(benches, receipts);
criterion_main!(benches);
