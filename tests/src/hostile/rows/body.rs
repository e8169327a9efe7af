//! Faults of the document in the body.

use nodeproof_client::ErrorKind::Decode;

use super::row::{both, does_not_conform, doing, each, fails, good_documents, row, unreachable};
use crate::hostile::{
    Client, Hostile, Start,
    front::{Act, Do, Good, raw},
};

/// Replaces the documents of a good node.
fn changed(change: fn(&str) -> Vec<u8>) -> Do {
    good_documents(move |good: &Good| Act::send(good.changed(change(&good.text()))))
}

/// Returns a document with one more member, whose value is this text.
fn with_member(document: &str, value: &[u8]) -> Vec<u8> {
    let end = document.rfind('}').unwrap_or(document.len());
    let (before, after) = document.split_at(end);
    [before.as_bytes(), b",\"more\":", value, after.as_bytes()].concat()
}

pub(super) fn rows() -> Vec<Hostile> {
    vec![
        row(
            "byte-order-mark",
            "puts a byte order mark before its documents",
            Start::Instead(|_| changed(|text| format!("\u{feff}{text}").into_bytes())),
            both(
                fails(Decode, "it begins with a byte order mark"),
                does_not_conform("a byte order mark before the JSON document"),
            ),
        ),
        row(
            "latin-1",
            "writes its documents in Latin-1",
            Start::Instead(|_| changed(|text| with_member(text, b"\"\xe9\""))),
            both(
                fails(Decode, "invalid unicode code point"),
                does_not_conform("not UTF-8"),
            ),
        ),
        row(
            "nan",
            "writes NaN for a number",
            Start::Instead(|_| changed(|text| with_member(text, b"NaN"))),
            both(
                fails(Decode, "expected value"),
                does_not_conform("not a JSON document: expected value"),
            ),
        ),
        row(
            "trailing-data",
            "sends extra data after its JSON documents",
            Start::Instead(|_| changed(|text| format!("{text} {{}}").into_bytes())),
            both(
                fails(Decode, "trailing characters"),
                does_not_conform("not a JSON document: trailing characters"),
            ),
        ),
        row(
            "duplicate-member",
            "sends a duplicate member with two values",
            Start::Instead(|_| {
                changed(|text| {
                    let again = with_member(text, b"1");
                    with_member(&String::from_utf8_lossy(&again), b"2")
                })
            }),
            both(Client::Response, does_not_conform("get-block/responds")),
        ),
        row(
            "html",
            "responds to everything with an HTML page",
            Start::Instead(|_| {
                doing(|_, _| {
                    Act::send(raw(
                        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 19\r\n",
                        b"<h1>It works!</h1>\n",
                    ))
                })
            }),
            both(
                fails(Decode, "it looks like HTML"),
                unreachable("is not a node"),
            ),
        ),
        row(
            "empty",
            "responds with 200 and an empty body",
            Start::Instead(|_| good_documents(|good| Act::send(good.changed("")))),
            both(
                fails(Decode, "it is empty"),
                does_not_conform("an empty body"),
            ),
        ),
        row(
            "long-numbers",
            "writes numbers of 10,000 digits",
            Start::Instead(|_| {
                changed(|text| {
                    let digits = "7".repeat(10_000);
                    let mut out = text.to_owned();
                    for name in [
                        "index",
                        "timestamp",
                        "proof",
                        "balance",
                        "trust_score",
                        "fee",
                    ] {
                        let member = format!("\"{name}\":");
                        let Some(at) = out.find(&member) else {
                            continue;
                        };
                        let at = at + member.len();
                        let rest = out.split_off(at);
                        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
                        out.push_str(&digits);
                        out.push_str(rest);
                    }
                    out.into_bytes()
                })
            }),
            each(
                fails(Decode, "does not fit into 128 bits"),
                Client::Response,
                does_not_conform("get-block/"),
            ),
        ),
    ]
}
