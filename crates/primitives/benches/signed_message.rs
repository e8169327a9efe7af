//! Time to write the signed text, at three sizes.

use std::fmt::Write as _;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nodeproof_primitives::{signed_message, sorted_message};

/// Returns a transaction whose params have this number of members.
fn transaction(members: usize) -> String {
    let mut text = String::from("{\"timestamp\":1767225600000,\"fee\":1500000.0,\"params\":{");
    for at in 0..members {
        let comma = if at == 0 { "" } else { "," };
        let _ = write!(
            text,
            "{comma}\"key-{at}\":[{at},{at}.25e-3,\"größe \u{1f600}\",null]"
        );
    }
    text.push_str("}}");
    text
}

fn messages(c: &mut Criterion) {
    let mut group = c.benchmark_group("message");
    for members in [10, 100, 1_000] {
        let text = transaction(members);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::new("signed", members), &text, |b, text| {
            b.iter(|| signed_message(text));
        });
        group.bench_with_input(BenchmarkId::new("sorted", members), &text, |b, text| {
            b.iter(|| sorted_message(text));
        });
    }
    group.finish();
}

criterion_group!(benches, messages);
criterion_main!(benches);
