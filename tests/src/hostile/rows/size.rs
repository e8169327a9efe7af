//! Faults of the size, in memory and during transfer.

use std::{io::Read, sync::OnceLock, time::Duration};

use bytes::Bytes;
use flate2::{Compression, read::GzEncoder};
use nodeproof_client::ErrorKind::{BodyTooLarge, Connection, Decode};

use super::row::{
    TOO_LARGE, both, does_not_conform, doing, each, fails, good_documents, row, unreachable,
};
use crate::hostile::{
    Client, Hostile, Start,
    front::{Act, Do, Good, raw},
};

const JSON: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
const MIB: usize = 1024 * 1024;

/// Returns the same document for every request. It is made once.
fn document(make: fn() -> Vec<u8>) -> Do {
    let made = OnceLock::new();
    doing(move |_, _| {
        let whole: &Bytes = made.get_or_init(|| {
            let body = make();
            let head = format!("{JSON}Content-Length: {}\r\n", body.len());
            raw(&head, &body).into()
        });
        Act::send(whole.clone())
    })
}

/// Changes the body of a good node's blocks.
fn blocks(change: fn(&str) -> String) -> Do {
    doing(move |seen, good| {
        if seen.path == "/get-block" && good.is_ok() {
            Act::send(good.changed(change(&good.text())))
        } else {
            Act::Right
        }
    })
}

/// Returns a valid block of that many bytes. An undocumented member fills it.
fn grown(block: &str, bytes: usize) -> String {
    let end = block.rfind('}').unwrap_or(block.len());
    let (before, after) = block.split_at(end);
    let frame = before.len() + ",\"more\":\"\"".len() + after.len();
    let filler = "x".repeat(bytes.saturating_sub(frame));
    format!("{before},\"more\":\"{filler}\"{after}")
}

/// Returns a block with that many bytes of nested arrays of one element.
fn nested(block: &str, bytes: usize) -> String {
    const DEPTH: usize = 100;
    let one = format!("{}{}", "[".repeat(DEPTH), "]".repeat(DEPTH));
    let all = vec![one; bytes / (2 * DEPTH + 1)].join(",");
    let end = block.rfind('}').unwrap_or(block.len());
    let (before, after) = block.split_at(end);
    format!("{before},\"more\":[{all}]{after}")
}

/// Returns a block with that many receipts, which repeat its own.
fn with_receipts(block: &str, count: usize) -> String {
    const NAME: &str = "\"previous_block_receipts\":[";
    let Some((before, rest)) = block.split_once(NAME) else {
        return block.to_owned();
    };
    // No receipt contains a list.
    let Some((receipts, after)) = rest.split_once(']') else {
        return block.to_owned();
    };
    let there = receipts.matches("\"signature\"").count();
    if there == 0 {
        return block.to_owned();
    }
    let all = vec![receipts; count.div_ceil(there)].join(",");
    format!("{before}{NAME}{all}]{after}")
}

/// Returns that many MiB of blanks as gzip. It repeats one MiB, because gzip files can be concatenated.
fn blanks_in_gzip(mebibytes: usize) -> Vec<u8> {
    let mut packed = Vec::new();
    // Reading from memory into memory does not fail.
    let _ = GzEncoder::new(&vec![b' '; MIB][..], Compression::best()).read_to_end(&mut packed);
    packed.repeat(mebibytes)
}

fn bomb(good: &Good) -> Act {
    static PACKED: OnceLock<Vec<u8>> = OnceLock::new();
    let packed = PACKED.get_or_init(|| blanks_in_gzip(512));
    let head = format!(
        "{}Content-Encoding: gzip\r\nContent-Length: {}\r\n",
        good.head,
        packed.len()
    );
    Act::send(raw(&head, packed))
}

pub(super) fn rows() -> Vec<Hostile> {
    vec![
        row(
            "gzip-bomb",
            "sends 512 MiB as half a megabyte of unrequested gzip",
            Start::Instead(|_| good_documents(bomb)),
            both(
                fails(Decode, "compressed with gzip"),
                does_not_conform("encoded as gzip, which was not requested"),
            ),
        ),
        row(
            "chunk-bomb",
            "sends an endless body in chunks of 512 bytes",
            Start::Instead(|_| {
                doing(|_, good| {
                    let head = format!("{}Transfer-Encoding: chunked\r\n", good.head);
                    let chunk = format!("200\r\n{}\r\n", " ".repeat(512));
                    Act::endless(raw(&head, b""), chunk.repeat(1000), Duration::ZERO)
                })
            }),
            TOO_LARGE,
        ),
        row(
            "chunk-extensions",
            "sends an endless chunk extension",
            Start::Instead(|_| {
                doing(|_, good| {
                    let head = format!("{}Transfer-Encoding: chunked\r\n", good.head);
                    Act::endless(raw(&head, b"1;"), "x".repeat(10_000), Duration::ZERO)
                })
            }),
            both(
                fails(Connection, "the connection failed: "),
                unreachable("chunk extensions over limit"),
            ),
        ),
        row(
            "brackets",
            "responds with 8 million opening brackets",
            Start::Instead(|_| document(|| vec![b'['; 8_000_000])),
            both(
                fails(
                    BodyTooLarge,
                    "the response is nested more than 127 levels deep",
                ),
                unreachable("has more than 250000 values; --max-values raises that limit"),
            ),
        ),
        row(
            "deep",
            "sends a document nested 100,000 levels deep",
            Start::Instead(|_| {
                document(|| {
                    let (open, close) = ("[".repeat(100_000), "]".repeat(100_000));
                    format!("{{\"index\":1,\"more\":{open}{close}}}").into_bytes()
                })
            }),
            both(
                fails(
                    BodyTooLarge,
                    "the response is nested more than 127 levels deep",
                ),
                unreachable("nested more than 127 levels deep"),
            ),
        ),
        row(
            "zeros",
            "returns a list of 4 million zeros instead of receipts",
            Start::Instead(|_| {
                document(|| {
                    let zeros = vec!["0"; 4_000_000].join(",");
                    format!("{{\"index\":1,\"text\":{{\"previous_block_receipts\":[{zeros}]}}}}")
                        .into_bytes()
                })
            }),
            both(
                fails(BodyTooLarge, "the response has more than 250000 values"),
                unreachable("has more than 250000 values; --max-values raises that limit"),
            ),
        ),
        row(
            "nested-arrays",
            "sends blocks with 947 kB of nested arrays of one element",
            Start::Instead(|_| blocks(|block| nested(block, 947_000))),
            each(
                fails(BodyTooLarge, "the response has more than 250000 values"),
                Client::Response,
                unreachable("has more than 250000 values"),
            ),
        ),
        row(
            "nested-at-limit",
            "sends blocks with 240,000 nested arrays of one element",
            Start::Instead(|_| blocks(|block| nested(block, 480_000))),
            both(
                Client::Response,
                unreachable("more than what the other responses in use leave"),
            ),
        ),
        row(
            "members",
            "responds with an object of 60,000 members",
            Start::Instead(|_| {
                document(|| {
                    let members: Vec<_> = (0..60_000).map(|at| format!("\"m{at}\":{{}}")).collect();
                    format!("{{\"index\":5,{}}}", members.join(",")).into_bytes()
                })
            }),
            both(
                fails(Decode, "is missing"),
                does_not_conform("get-block/timestamp"),
            ),
        ),
        row(
            "50-mb-blocks",
            "sends valid blocks of 50 MB",
            Start::Instead(|_| blocks(|block| grown(block, 50_000_000))),
            each(
                fails(BodyTooLarge, "the response is larger than 8388608 bytes"),
                Client::Response,
                unreachable("longer than 8 MiB"),
            ),
        ),
        row(
            "2000-receipts",
            "sends blocks with 2,000 repeated receipts",
            Start::Instead(|_| blocks(|block| with_receipts(block, 2_000))),
            each(
                Client::Response,
                Client::Response,
                does_not_conform("get-block/receipts-of-preceding-block"),
            ),
        ),
        row(
            "8-mb-of-everything",
            "responds to everything with a JSON document of 8 MB",
            Start::Instead(|_| {
                good_documents(|good| Act::send(good.changed(grown(&good.text(), 8 * MIB))))
            }),
            both(
                Client::Response,
                unreachable("more than what the other responses in use leave"),
            ),
        ),
        row(
            "8-mb-in-chunks",
            "responds to everything with a JSON document of 8 MB, without Content-Length",
            Start::Instead(|_| {
                good_documents(|good| {
                    let body = grown(&good.text(), 8 * MIB);
                    let head = format!("{}Transfer-Encoding: chunked\r\n", good.head);
                    let chunk = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
                    Act::send(raw(&head, chunk.as_bytes()))
                })
            }),
            both(
                Client::Response,
                unreachable("more than what the other responses in use leave"),
            ),
        ),
    ]
}
