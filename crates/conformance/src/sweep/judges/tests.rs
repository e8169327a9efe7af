//! The quick way to judge a block says what the long one says, whatever is done to the block.

use std::{collections::BTreeSet, time::Duration};

use nodeproof_client::BaseUrl;
use nodeproof_primitives::signed_message;
use nodeproof_wallet::KeyPair;
use serde_json::{Value, json};

use super::*;
use crate::{cases, discovery::block_request, exchange::MOST_DEPTH};

const INDEX: u64 = 7;
/// Stands in a tree of values for a text that none could hold.
const HOLE: &str = "@a text of its own@";

/// Both ways, over the same selection of cases.
struct Both {
    quick: Judges,
    long: Judges,
}

impl Both {
    fn of(selects: fn(&str) -> bool, offset: Option<i128>) -> Self {
        let spec = Spec::from_json(nodeproof_openapi::NODE_JSON).unwrap();
        let mut cases = cases::all();
        cases.retain(|case| selects(case.id));
        let chain = Extent {
            offset,
            ..Extent::default()
        };
        let judges = |quick| Judges::of(&cases, &spec, &chain, quick).unwrap();
        Self {
            quick: judges(true),
            long: judges(false),
        }
    }

    /// Holds one way against the other, and tells whether the quick one took the block.
    fn judge(&self, exchange: Exchange) -> bool {
        let exchange = Arc::new(exchange);
        let body = || String::from_utf8_lossy(&exchange.body).into_owned();
        let taken = self.quick.plain(INDEX, &exchange).is_some();
        for judges in [&self.quick, &self.long] {
            // What was seen before is not counted again.
            judges
                .seen
                .iter()
                .for_each(|seen| seen.store(false, Ordering::Relaxed));
        }
        let long = self.long.judge(INDEX, Arc::clone(&exchange));
        if taken {
            let quick = self.quick.judge(INDEX, Arc::clone(&exchange));
            assert_eq!(told(&quick), told(&long), "{}", body());
            if let Some(at_once) = self.quick.judge_at_once(INDEX, &exchange) {
                let What::Said(said) = at_once.what else {
                    unreachable!("it is a block")
                };
                assert!(said.findings.is_empty() && said.obstacles.is_empty());
                assert!(finds_nothing(&long), "{}", body());
            }
        }
        taken
    }

    fn take(&self, body: impl Into<Vec<u8>>) -> bool {
        self.judge(answer(body))
    }
}

/// All that is said, but how often a field was seen before.
fn told(passed: &Passed) -> String {
    match &passed.what {
        What::Said(said) => format!(
            "{:?} {:?} {:?} {:?} {:?}",
            said.kind, said.counts, said.findings, said.obstacles, said.links
        ),
        What::Nothing(_) => "nothing".to_owned(),
    }
}

fn finds_nothing(passed: &Passed) -> bool {
    match &passed.what {
        What::Said(said) => {
            said.kind == Kind::Block && said.findings.is_empty() && said.obstacles.is_empty()
        }
        What::Nothing(_) => false,
    }
}

fn answer(body: impl Into<Vec<u8>>) -> Exchange {
    let base: BaseUrl = "http://127.0.0.1:8420".parse().unwrap();
    let media = Some("application/json".to_owned());
    let request = block_request(INDEX);
    Exchange::new(
        request,
        &Arc::new(base),
        200,
        media,
        body.into(),
        Duration::ZERO,
    )
}

/// A vote as a member of the committee signs it.
fn receipt(seed: u8) -> Value {
    let keys = KeyPair::from_bytes(&[seed; 32]).unwrap();
    let data = json!({
        "block_index": INDEX - 1,
        "block_hash": "ab".repeat(32),
        "vote": 1,
        "timestamp": 1_767_225_591_000_i64 + i64::from(seed),
        "wallet_address": keys.address().to_string(),
    });
    let message = signed_message(&data.to_string()).unwrap();
    json!({
        "data": data,
        "public_key": keys.public_key().to_string(),
        "signature": keys.sign(message.as_bytes()).to_string(),
    })
}

/// A block as nodes tell it, with that many votes.
fn block(votes: u8, transactions: &[Value]) -> Value {
    let wallet = receipt(9)["data"]["wallet_address"].clone();
    json!({
        "index": INDEX,
        "timestamp": 1_767_225_600_000_i64,
        "proof": 42,
        "status": 1,
        "text": {
            "transactions": transactions,
            "previous_block_receipts": (1..=votes).map(receipt).collect::<Vec<_>>(),
        },
        "creator_wallet": wallet,
        "expected_miner": wallet,
        "committee": [wallet],
        "previous_hash": "ab".repeat(32),
    })
}

/// A transaction as it was seen in blocks: signed by nobody, as it adds a wallet.
fn transaction() -> Value {
    json!({
        "transaction": {
            "timestamp": 1_767_225_593_000_i64,
            "trans_code": "04087cb4c58f389c80bef882e3392f1b3b0e9e3c",
            "type": 1,
            "currency": "TKN",
            "fee": 1.5,
            "descr": "New \"wallet\" \u{e9}",
            "valid": 1,
            "specific_data": {"kyc_docs": [], "linked_wallet": null},
            "is_child_txn": false,
        },
        "signatures": [],
        "status": 1,
    })
}

/// Each place in a tree of values, as a pointer.
fn places(value: &Value, at: &str, all: &mut Vec<String>) {
    all.push(at.to_owned());
    let below: Vec<(String, &Value)> = match value {
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(place, item)| (place.to_string(), item))
            .collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, item)| (name.clone(), item))
            .collect(),
        _ => Vec::new(),
    };
    for (name, item) in below {
        places(item, &format!("{at}/{name}"), all);
    }
}

/// Texts to put in a value's place, of which some are right there.
fn texts(of: &Value) -> Vec<String> {
    let written = of.to_string();
    let mut texts: Vec<String> = [
        "null",
        "true",
        "0",
        "-0",
        "00",
        "-1",
        "1",
        "6",
        "7",
        "8",
        "+1",
        "1.0",
        "1.",
        ".5",
        "7e0",
        "1e400",
        "1e-400",
        "123456789012345678",
        "1234567890123456789",
        "9223372036854775808",
        "99999999999999999999999",
        "1767225600",
        "1767225600000000",
        "1767225600000.0",
        "\"\"",
        "\"0\"",
        "\"0x\"",
        "\"ab\"",
        "\"\\u0061\\u0062\"",
        "\"\\ud800\"",
        "\"\\x\"",
        "\"\t\"",
        "[]",
        "{}",
        "[[]]",
        "{\"a\":1}",
        "{\"a\":1,\"a\":1}",
        "{\"a\":1,\"\\u0061\":1}",
        "{\"$serde_json::private::RawValue\":\"1\"}",
        "{\"$serde_json::private::Number\":\"1\"}",
        "[1,]",
        "[1 2]",
        "[\"\\\"\",\"\\u00e9\u{e9}\",12.5,-3,false,null]",
        "NaN",
        "nul",
        "",
        "\"0x0123456789abcdef0123456789abcdef01234567\"",
        "\"0x0123456789ABCDEF0123456789abcdef01234567\"",
        "\"ct0123456789abcdef0123456789abcdef01234567\"",
    ]
    .map(str::to_owned)
    .to_vec();
    texts.push(format!("{}{}", "[".repeat(130), "]".repeat(130)));
    texts.push(format!("{}{}", "[".repeat(60), "]".repeat(60)));
    for count in [62, 63, 64, 65, 127, 128, 129, 130] {
        texts.push(format!("\"{}\"", "a".repeat(count)));
    }
    texts.push(format!("\"{}\"", "aB".repeat(32)));
    texts.push(format!("\"{}\"", "AB".repeat(32)));
    texts.push(format!("\"{}\\u0062\"", "ab".repeat(31) + "a"));
    // The value itself in another form.
    texts.push(written.to_uppercase());
    texts.push(format!(" \n\r\t{written} "));
    texts.push(format!("\u{b}{written}"));
    texts.push(json!(written).to_string());
    if let Some(text) = of.as_str() {
        texts.push(format!("\"{text}0\""));
        texts.push(format!("\" {text}\""));
        texts.push(format!("\"{}\"", text.get(1..).unwrap_or_default()));
        texts.push(format!("\"{}\"", text.to_uppercase()));
    }
    texts
}

/// The block with a text in a value's place.
fn with(block: &Value, at: &str, text: &str) -> Option<String> {
    let mut block = block.clone();
    *block.pointer_mut(at)? = json!(HOLE);
    Some(block.to_string().replace(&format!("\"{HOLE}\""), text))
}

/// Numbers that are the same in each run, and of no pattern.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }
}

#[test]
fn blocks_as_nodes_tell_them_are_taken() {
    let both = Both::of(|_| true, None);
    for votes in [0, 1, 3, 12] {
        for transactions in [&[][..], &[transaction()], &[json!(1), json!("a")]] {
            let block = block(votes, transactions);
            assert!(both.take(block.to_string()), "{block}");
            assert!(both.take(serde_json::to_vec_pretty(&block).unwrap()));
        }
    }
    let mut more = block(2, &[]);
    more["hash"] = json!("cd".repeat(32));
    more["text"]["more"] = json!({"a": [1, 2.5, "\u{e9}\n"], "b": {"a": true}});
    more["text"]["previous_block_receipts"][0]["more"] = json!(null);
    assert!(
        both.take(more.to_string()),
        "what nobody described is no fault"
    );
}

#[test]
fn transactions_of_the_submitted_form_are_judged_at_once_and_others_are_looked_at() {
    let both = Both::of(|id| !id.contains("signature"), None);
    let at_once = |transactions: &[Value]| {
        let exchange = Arc::new(answer(block(2, transactions).to_string()));
        both.quick.judge_at_once(INDEX, &exchange).is_some()
    };
    let submitted = transaction();
    assert!(at_once(&[]));
    assert!(at_once(&[submitted.clone(), submitted.clone()]));
    let mut unsigned = submitted.clone();
    unsigned.as_object_mut().unwrap().shift_remove("signatures");
    let mut in_seconds = submitted.clone();
    in_seconds["transaction"]["timestamp"] = json!(1_767_225_593);
    let mut without_code = submitted.clone();
    without_code["transaction"]["trans_code"] = json!("04087c");
    for other in [unsigned, in_seconds, without_code, json!(1)] {
        assert!(!at_once(&[submitted.clone(), other.clone()]), "{other}");
        let block = block(2, &[other, submitted.clone()]);
        both.take(block.to_string());
    }
}

#[test]
fn each_value_replaced_each_member_removed_renamed_doubled_or_moved() {
    let both = Both::of(|_| true, None);
    let (mut taken, mut left) = (0, 0);
    let mut take = |body: String| match both.take(body) {
        true => taken += 1,
        false => left += 1,
    };
    let block = block(2, &[transaction()]);
    let mut all = Vec::new();
    places(&block, "", &mut all);
    for at in &all {
        for text in texts(block.pointer(at).unwrap()) {
            take(with(&block, at, &text).unwrap());
        }
        let Some((parent, name)) = at.rsplit_once('/') else {
            continue;
        };
        let written = block.to_string();
        let own = block.pointer(at).unwrap().to_string();
        if block.pointer(parent).unwrap().is_object() {
            let member = format!("\"{name}\":{own}");
            let escaped = format!("\\u{:04x}{}", name.as_bytes()[0], &name[1..]);
            for (of, by) in [
                (&*member, format!("{member},{member}")),
                (&member, format!("{member},\"{name}\":null")),
                (&member, format!("\"{name}\":null,{member}")),
                (&member, format!("\"{escaped}\":{own}")),
                (&member, format!("\"{name} \":{own}")),
                (&member, format!("\"{}\":{own}", name.to_uppercase())),
                (&member, format!("{member},\"block_index\":7")),
                (&member, format!("{member},\"more\":1,\"more\":2")),
                (&member, format!("{member},\"transactions\":[7]")),
                (&member, format!("\"previous_block_receipts\":[7],{member}")),
                (&member, format!("{member},")),
                (&member, format!("\"{name}\" : {own} ")),
                (&member, format!("\"{name}\"{own}")),
                (&member, format!("'{name}':{own}")),
            ] {
                take(written.replacen(of, &by, 1));
            }
            let mut without = block.clone();
            let members = without.pointer_mut(parent).and_then(Value::as_object_mut);
            let members = members.unwrap();
            let moved = members.shift_remove(name).unwrap();
            members.insert(name.to_owned(), moved);
            take(without.to_string());
            let members = without.pointer_mut(parent).and_then(Value::as_object_mut);
            members.unwrap().shift_remove(name);
            take(without.to_string());
        } else {
            take(written.replacen(&own, &format!("{own},{own}"), 1));
            take(written.replacen(&own, "", 1));
        }
    }
    assert!(taken > 300 && left > 1_000, "{taken} {left}");
}

#[test]
fn texts_with_several_changes_at_any_place() {
    let both = Both::of(|_| true, None);
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let blocks = [
        block(1, &[]).to_string(),
        block(2, &[transaction()]).to_string(),
        serde_json::to_string_pretty(&block(1, &[])).unwrap(),
    ];
    let puts = [
        "", " ", "\n", "\t", "\"", "\\", "0", "1", "9", "a", "F", "g", "{", "}", "[", "]", ",",
        ":", "-", ".", "e1", "\u{e9}", "\u{feff}", "\\u0041", "null", "{}", "[]", "\u{0}",
    ];
    let (mut taken, mut left) = (0, 0);
    for round in 0..4_000 {
        let mut text = blocks[round % blocks.len()].clone();
        for _ in 0..=numbers.below(3) {
            let at = numbers.below(text.len());
            let end = at + numbers.below(3);
            if text.get(at..end).is_some() {
                text.replace_range(at..end, puts[numbers.below(puts.len())]);
            }
        }
        match both.take(text) {
            true => taken += 1,
            false => left += 1,
        }
    }
    assert!(taken > 100 && left > 1_000, "{taken} {left}");
}

#[test]
fn values_with_several_changes() {
    let both = Both::of(|_| true, None);
    let mut numbers = Numbers(0x2545_f491_4f6c_dd1d);
    let right = block(2, &[transaction()]);
    let mut all = Vec::new();
    places(&right, "", &mut all);
    let mut taken = 0;
    for _ in 0..2_000 {
        let mut block = right.clone();
        let mut put = Vec::new();
        for number in 0..=numbers.below(3) {
            let at = &all[numbers.below(all.len())];
            let Some(value) = block.pointer_mut(at) else {
                continue;
            };
            let texts = texts(value);
            put.push((number, texts[numbers.below(texts.len())].clone()));
            *value = json!(format!("{HOLE}{number}"));
        }
        let mut text = block.to_string();
        for (number, by) in put {
            text = text.replace(&format!("\"{HOLE}{number}\""), &by);
        }
        taken += usize::from(both.take(text));
    }
    assert!(taken > 50, "{taken}");
}

#[test]
fn what_stands_around_the_document_counts() {
    let both = Both::of(|_| true, None);
    let right = block(1, &[]).to_string();
    for (before, after, taken) in [
        ("", "", true),
        (" \n", "\r\n\t ", true),
        ("\u{feff}", "", false),
        ("", " x", false),
        ("", "{}", false),
        ("", "\u{0}", false),
        ("", "\u{a0}", false),
        ("[", "]", false),
    ] {
        let text = format!("{before}{right}{after}");
        assert_eq!(both.take(text.clone()), taken, "{text}");
    }
    for end in 0..right.len() {
        assert!(!both.take(&right.as_bytes()[..end]));
    }
    let mut broken = right
        .replace("\"proof\"", "\"a\":\"?\",\"proof\"")
        .into_bytes();
    let at = broken.iter().position(|byte| *byte == b'?').unwrap();
    broken[at] = 0xff;
    assert!(!both.take(broken));
}

#[test]
fn status_headers_and_limits_count() {
    let both = Both::of(|_| true, None);
    let right = block(1, &[]).to_string();
    let with = |change: fn(&mut Exchange)| {
        let mut exchange = answer(right.clone());
        change(&mut exchange);
        both.judge(exchange)
    };
    assert!(with(|_| {}));
    assert!(with(|exchange| exchange.content_type = None));
    assert!(with(
        |exchange| exchange.content_type = Some("Application/JSON; q".into())
    ));
    assert!(with(
        |exchange| exchange.content_encoding = Some("identity".into())
    ));
    assert!(!with(
        |exchange| exchange.content_type = Some("text/html".into())
    ));
    assert!(!with(
        |exchange| exchange.content_encoding = Some("gzip".into())
    ));
    assert!(!with(|exchange| exchange.status = 201));
    assert!(!with(|exchange| exchange.status = 404));
    // Block, text, receipts, receipt and data.
    assert!(with(|exchange| exchange.most_depth = 5));
    assert!(!with(|exchange| exchange.most_depth = 4));
    assert!(with(|exchange| exchange.most_depth = MOST_DEPTH));
}

#[test]
fn another_selection_of_cases_is_judged_as_it_is_the_long_way() {
    let right = block(2, &[transaction()]);
    let mut wrong = right.clone();
    wrong["text"]["previous_block_receipts"][1]["public_key"] = json!("ab");
    let without: [fn(&str) -> bool; 5] = [
        |id| id != VOTER_ADDRESS,
        |id| id.starts_with("chain/"),
        |id| id.starts_with("get-block/"),
        |id| !id.contains("signature") && id != VOTER_ADDRESS,
        |id| id == "get-block/receipt-vote",
    ];
    let mut taken = BTreeSet::new();
    for (place, selects) in without.into_iter().enumerate() {
        let both = Both::of(selects, None);
        assert!(both.take(right.to_string()));
        if both.take(wrong.to_string()) {
            taken.insert(place);
        }
    }
    assert_eq!(taken, BTreeSet::from([0, 2, 3, 4]));
}

#[test]
fn a_chain_that_is_off_by_one_everywhere_goes_the_long_way() {
    let right = block(1, &[]).to_string();
    assert!(Both::of(|_| true, Some(0)).take(right.clone()));
    assert!(!Both::of(|_| true, Some(1)).take(right));
}

#[test]
fn who_is_told_twice_and_what_is_about_another_block_goes_the_long_way() {
    let both = Both::of(|_| true, None);
    let right = block(3, &[]);
    assert!(both.take(right.to_string()));
    let receipts = "/text/previous_block_receipts";
    let other = "ac".repeat(32);
    let changes: [(&str, Value); 6] = [
        (&format!("{receipts}/2"), receipt(1)),
        (&format!("{receipts}/2/data/block_hash"), json!(other)),
        (&format!("{receipts}/0/data/block_index"), json!(INDEX)),
        (
            &format!("{receipts}/1/public_key"),
            receipt(4)["public_key"].clone(),
        ),
        ("/previous_hash", json!(other)),
        ("/index", json!(INDEX + 1)),
    ];
    for (at, value) in changes {
        let mut block = right.clone();
        *block.pointer_mut(at).unwrap() = value;
        assert!(!both.take(block.to_string()), "{at}");
    }
    let mut upper = right;
    upper["previous_hash"] = json!("AB".repeat(32));
    assert!(
        both.take(upper.to_string()),
        "the case of a hash is not stated"
    );
}

#[test]
fn long_lists_go_the_long_way() {
    let both = Both::of(|id| id == "get-block/receipt-vote", None);
    let many = vec![json!(null); 501];
    assert!(!both.take(block(1, &many).to_string()));
    assert!(both.take(block(1, &many[..500]).to_string()));
}
