//! Time to parse a receipt: in the documented form, and with one more member.

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nodeproof_client::{Block, Receipt, from_json};

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
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(count), &text, |b, text| {
            b.iter_batched(
                || (),
                |()| from_json::<Block>(text.as_bytes()),
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, receipts);
criterion_main!(benches);
