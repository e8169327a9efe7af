//! Time to parse a receipt: in the documented form, and with one more member.

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nodeproof_client::{Block, Receipt};

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

fn receipts(c: &mut Criterion) {
    let plain = receipt();
    // An undocumented member needs the slower, lenient parser.
    let odd = plain.replacen('{', "{\"note\":null,", 1);
    let mut group = c.benchmark_group("receipt");
    group.bench_function("as documented", |b| b.iter(|| Receipt::from_text(&plain)));
    group.bench_function("with a member more", |b| {
        b.iter(|| Receipt::from_text(&odd))
    });
    group.finish();

    let mut group = c.benchmark_group("block of receipts");
    for count in [100, 1_000, 10_000] {
        let text = format!(
            "{{\"index\":9,\"text\":{{\"transactions\":[],\"previous_block_receipts\":[{}]}}}}",
            vec![plain.as_str(); count].join(",")
        );
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(count), &text, |b, text| {
            b.iter_batched(
                || (),
                |()| Block::from_slice(text.as_bytes()),
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, receipts);
criterion_main!(benches);
