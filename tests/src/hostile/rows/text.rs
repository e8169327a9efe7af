//! Faults of the text in a document.

use nodeproof_client::ErrorKind::Decode;
use serde_json::Value;

use super::row::{both, does_not_conform, each, fails, good_documents, row};
use crate::hostile::{
    Client, Ended, Hostile, Start,
    front::{Act, Do},
};

/// Characters that a terminal, a page, a log or a header acts on. They clear the screen, rename the
/// window, read backwards, run a script, begin a new header, and end the text early.
pub(super) const HOSTILE: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}gnp.exe\u{2066}\
     <script>alert(1)</script><img src=x onerror=alert(2)>]]>\r\nX-Injected: yes\r\n\u{0}end";

/// Appends a text to texts of the good node's documents. `names` are the members to change, or all
/// members if it is empty.
fn behind_texts(names: &'static [&'static str], more: &'static str) -> Do {
    good_documents(move |good| match serde_json::from_slice(&good.body) {
        Ok(mut document) => {
            put(&mut document, names.is_empty(), names, more);
            Act::send(good.changed(document.to_string()))
        }
        Err(_) => Act::Right,
    })
}

fn put(value: &mut Value, here: bool, names: &[&str], more: &str) {
    match value {
        Value::String(text) if here => text.push_str(more),
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| put(item, here, names, more)),
        Value::Object(members) => {
            for (name, member) in members {
                let here = names.is_empty() || names.contains(&name.as_str());
                put(member, here, names, more);
            }
        }
        _ => {}
    }
}

pub(super) fn rows() -> Vec<Hostile> {
    vec![
        row(
            "hostile-text",
            "puts terminal escapes, bidi marks, HTML, line breaks and NUL into every string",
            Start::Instead(|_| behind_texts(&[], HOSTILE)),
            each(
                fails(Decode, "\\u{1b}"),
                Client::Response,
                does_not_conform("\\u{1b}[2J"),
            )
            .nodectl_submitting(Ended {
                exit: 5,
                says: "the node does not say whether it accepted the transaction",
                maybe_sent: true,
            }),
        ),
        row(
            "injection",
            "puts line breaks and a header into identifiers that clients use in later requests",
            Start::Instead(|_| {
                behind_texts(
                    &["currency", "token_code", "asset_id", "asset_code"],
                    "\r\nX-Injected: yes\r\n\r\n",
                )
            }),
            both(Client::Response, does_not_conform("get-balances/")),
        ),
    ]
}
