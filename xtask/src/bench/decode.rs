//! The cost of reading a block, compared with a hand-written struct of strings.

use std::fmt::Write as _;

use nodeproof_client::{Block, from_json};
use nodeproof_primitives::Hash256;
use serde::Deserialize;

use super::{BenchError, cpu::Pair, table::Row};

/// A block as a minimal hand-written struct.
#[derive(Deserialize)]
#[expect(dead_code, reason = "what is measured is that all of it is read")]
pub(super) struct PlainBlock {
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

/// The sizes for which the cost is shown, in receipts.
const SIZES: [usize; 3] = [100, 1_000, 10_000];
/// The number of receipts that are read in a round, for every size.
const WORK: usize = 20_000;

pub(super) fn measure(rounds: u16) -> Result<Vec<Row>, BenchError> {
    let mut rows = Vec::new();
    for size in SIZES {
        let text = block_of(size);
        let times = WORK / size;
        let pair = Pair::measure(
            rounds,
            || {
                for _ in 0..times {
                    let block = from_json::<Block>(text.as_bytes())?;
                    let receipts = block.receipts().unwrap_or_default();
                    if receipts.len() != size {
                        return Err("a receipt was lost".into());
                    }
                    std::hint::black_box(&block);
                }
                Ok(())
            },
            || {
                for _ in 0..times {
                    let block: PlainBlock = serde_json::from_slice(text.as_bytes())?;
                    std::hint::black_box(&block);
                }
                Ok(())
            },
        )?;
        #[expect(clippy::cast_precision_loss, reason = "a figure for a person")]
        let each = |seconds: &f64| seconds * 1e9 / (times * size) as f64;
        let row = Row::new(
            format!("block of {size} receipts : struct of strings, CPU"),
            "x",
            pair.cost(),
        );
        rows.push(if size == 10_000 {
            row.at_most(1.2)
        } else {
            row
        });
        rows.push(Row::new(
            "  a receipt",
            "ns",
            pair.ours.iter().map(each).collect(),
        ));
    }
    Ok(rows)
}

/// Returns a block with that many receipts of about 500 bytes each.
pub(super) fn block_of(receipts: usize) -> String {
    let hex = |seed: usize, bytes: usize| {
        let mut state = (seed as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut text = String::with_capacity(2 * bytes);
        for _ in 0..bytes {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let _ = write!(text, "{:02x}", state & 0xff);
        }
        text
    };
    let hash = Hash256::from_bytes([7; 32]);
    // The benchmark of requests asks for it by this index.
    let mut text = format!(
        "{{\"index\":{receipts},\"timestamp\":1767225600000,\"proof\":42,\"status\":1,\
         \"text\":{{\"transactions\":[],\"previous_block_receipts\":["
    );
    for at in 0..receipts {
        let comma = if at == 0 { "" } else { "," };
        let _ = write!(
            text,
            "{comma}{{\"data\":{{\"block_index\":8,\"block_hash\":\"{hash}\",\"vote\":1,\
             \"timestamp\":17672256{at:05},\"wallet_address\":\"0x{}\"}},\"public_key\":\"{}\",\
             \"signature\":\"{}\"}}",
            hex(3 * at + 1, 20),
            hex(3 * at + 2, 64),
            hex(3 * at + 3, 64),
        );
    }
    let _ = write!(
        text,
        "]}},\"creator_wallet\":\"0x{0}\",\"expected_miner\":\"0x{0}\",\"committee\":[\"0x{0}\"],\
         \"previous_hash\":\"{hash}\"}}",
        hex(5, 20),
    );
    text
}
