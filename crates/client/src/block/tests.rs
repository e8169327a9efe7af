use super::{Block, Mismatch, PreviousHash};

const A: &str = "0xe8cf534e934cf1d5fb523b8c3134a501037d470e";
const B: &str = "0xb21854c8df7c314b3778036b532c5438abfeff03";
const HASH: &str = "21f7581d94352dd63d9f5b0c5a7800573aa405d3f97755d249fb0548ca68e1c7";

fn block(text: &str) -> Block {
    Block::from_slice(text.as_bytes()).unwrap()
}

fn receipt(index: &str, vote: &str) -> String {
    format!(
        r#"{{"data":{{"block_index":{index},"block_hash":"{HASH}","vote":{vote},"timestamp":1767225591000,"wallet_address":"{A}"}},"public_key":"dc75","signature":"4b9f"}}"#
    )
}

/// Returns a documented block with `changes` in place of its own members. An empty change removes
/// the member.
fn documented(changes: &[(&str, &str)]) -> String {
    let text = format!(
        r#"{{"transactions":[],"previous_block_receipts":[{}]}}"#,
        receipt("1199", "9")
    );
    let (creator, committee, hash) = (
        format!("{B:?}"),
        format!(r#"["{A}","{B}"]"#),
        format!("{HASH:?}"),
    );
    let mut members = vec![
        ("index", "1200"),
        ("timestamp", "1767225600000"),
        ("proof", "42"),
        ("status", "1"),
        ("text", &text),
        ("creator_wallet", &creator),
        ("expected_miner", &creator),
        ("committee", &committee),
        ("previous_hash", &hash),
    ];
    for (name, value) in changes {
        match members.iter_mut().find(|(known, _)| known == name) {
            Some(member) => member.1 = value,
            None => members.push((name, value)),
        }
    }
    let members: Vec<String> = members
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("\"{name}\":{value}"))
        .collect();
    format!("{{{}}}", members.join(","))
}

fn mismatches(block: &Block) -> Vec<String> {
    block.mismatches().iter().map(Mismatch::to_string).collect()
}

#[test]
fn a_documented_block_departs_in_nothing() {
    let block = block(&documented(&[]));
    assert_eq!(mismatches(&block), Vec::<String>::new());
    assert_eq!(block.index().unwrap(), &1200);
    assert_eq!(block.timestamp().unwrap().as_millis(), 1_767_225_600_000);
    assert_eq!(block.previous_hash().unwrap().to_string(), HASH);
    assert_eq!(block.committee().unwrap().len(), 2);
    assert_eq!(block.creator_wallet().unwrap().to_string(), B);
    assert_eq!(block.receipts().unwrap()[0].vote().unwrap(), &9);
    assert!(block.transactions().unwrap().is_empty());
    assert!(block.extra().is_empty() && !block.is_row());
}

/// Changed members of the documented block, and the expected mismatches.
type Mixture<'m> = (Vec<(&'m str, &'m str)>, &'static [&'static str]);

/// Each mixture still has an index, time, previous hash and committee, and reports its mismatches.
#[test]
fn every_mixture_of_forms_gives_what_is_in_it() {
    let row_committee = format!(r#""[\"{A}\", \"{B}\"]""#);
    let text_in_text =
        serde_json::to_string(r#"{"transactions":[],"previous_block_receipts":[]}"#).unwrap();
    let receipts = format!("[{}]", receipt("1199", "1"));
    let inner_receipts = format!(
        r#"{{"transactions":[],"previous_block_receipts":"{}"}}"#,
        "[]"
    );
    let mixtures: Vec<Mixture<'_>> = vec![
        (
            vec![
                ("index", ""),
                ("block_index", "1200"),
                ("text", ""),
                ("status", "null"),
                ("creator_wallet", "null"),
                ("committee", &row_committee),
                ("hash", "\"aa\""),
            ],
            &[
                "`index` is found as `block_index`",
                "`status` is null",
                "`text` is missing",
                "`creator_wallet` is null",
                "`committee` is an array inside a string",
            ],
        ),
        (
            vec![("index", ""), ("block_index", "1200")],
            &["`index` is found as `block_index`"],
        ),
        (
            vec![("index", "null"), ("block_index", "1200")],
            &["`index` is null"],
        ),
        (
            vec![("index", "\"1200\""), ("block_index", "1200")],
            &["`index` is malformed: expected an integer, found the string \"1200\""],
        ),
        (vec![("block_index", "1200")], &[]),
        (
            vec![("committee", &row_committee)],
            &["`committee` is an array inside a string"],
        ),
        (vec![("text", "")], &["`text` is missing"]),
        (vec![("text", "null")], &["`text` is null"]),
        (
            vec![("text", "[]")],
            &["`text` is malformed: expected an object, found an array"],
        ),
        (
            vec![("text", "\"nothing\"")],
            &["`text` is malformed: expected an object, found the string \"nothing\""],
        ),
        (
            vec![("text", &text_in_text)],
            &["`text` is an object inside a string"],
        ),
        (
            vec![
                ("text", ""),
                ("transactions", "[]"),
                ("previous_block_receipts", &receipts),
            ],
            &[
                "`text` is missing",
                "`text.transactions` is found as `transactions`",
                "`text.previous_block_receipts` is found as `previous_block_receipts`",
            ],
        ),
        (
            vec![
                ("text", "{\"transactions\":[]}"),
                ("previous_block_receipts", &receipts),
            ],
            &["`text.previous_block_receipts` is found as `previous_block_receipts`"],
        ),
        (
            vec![("text", "{}")],
            &[
                "`text.transactions` is missing",
                "`text.previous_block_receipts` is missing",
            ],
        ),
        (
            vec![(
                "text",
                "{\"transactions\":null,\"previous_block_receipts\":{}}",
            )],
            &[
                "`text.transactions` is null",
                "`text.previous_block_receipts` is malformed: expected an array, found an object",
            ],
        ),
        (
            vec![("text", &inner_receipts)],
            &["`text.previous_block_receipts` is an array inside a string"],
        ),
        (
            vec![
                ("proof", ""),
                ("status", "1.5"),
                ("expected_miner", "\"0xAB\""),
            ],
            &[
                "`proof` is missing",
                "`status` is malformed: expected an integer, found the number 1.5",
                "`expected_miner` is malformed: a wallet address has 'A' at character 3; it has the form 0x followed by 40 lower-case hexadecimal digits",
            ],
        ),
        (vec![("extra", "{\"a\":[1.0]}"), ("hash", "null")], &[]),
    ];
    for (changes, expected) in &mixtures {
        let text = documented(changes);
        let block = block(&text);
        assert_eq!(mismatches(&block), *expected, "{text}");
        assert_eq!(block.index().unwrap(), &1200, "{text}");
        assert_eq!(
            block.timestamp().unwrap().as_millis(),
            1_767_225_600_000,
            "{text}"
        );
        assert_eq!(
            block.previous_hash().unwrap().hash().unwrap().to_string(),
            HASH,
            "{text}"
        );
        assert_eq!(block.committee().unwrap().len(), 2, "{text}");
    }
}

#[test]
fn the_row_of_a_real_node_is_read() {
    let block = block(&format!(
        r#"{{"block_index":1,"timestamp":1795207520000,"proof":1,"status":null,"previous_hash":"0","hash":"{HASH}","creator_wallet":null,"expected_miner":"{A}","committee":"[\"{A}\"]"}}"#
    ));
    assert!(block.is_row());
    assert_eq!(block.previous_hash().unwrap(), &PreviousHash::None);
    assert_eq!(block.hash().unwrap().to_string(), HASH);
    assert_eq!(block.missing(), ["index", "text"]);
    assert!(block.status().unwrap_err().is_null());
    assert!(block.receipts().unwrap_err().is_missing());
}

#[test]
fn one_bad_part_does_not_lose_the_rest() {
    let text = format!(
        r#"{{"transactions":[{{"a":1.0}},7],"previous_block_receipts":[{},{},null,[1, 2.50],{{"data":{{"vote":1}},"signature":"xyz","more":[]}},{{"data":null}},{{"data":3}}]}}"#,
        receipt("1199", "9"),
        receipt("1199", "\"9\""),
    );
    let committee = format!(r#"["{A}","treasury",null,7,"{B}"]"#);
    let block = block(&documented(&[("text", &text), ("committee", &committee)]));
    assert_eq!(block.committee().unwrap().len(), 2);
    let faults: Vec<String> = block
        .committee_faults()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        faults,
        [
            "`committee[1]` is malformed: a wallet address begins with \"0x\", but this is \"treasury\"; it has the form 0x followed by 40 lower-case hexadecimal digits",
            "`committee[2]` is null",
            "`committee[3]` is malformed: a wallet address is a string, and this is the number 7",
        ]
    );
    let receipts = block.receipts().unwrap();
    assert_eq!(receipts.len(), 7);
    assert!(receipts[0].faults().is_empty());
    let vote = receipts[1].vote().unwrap_err();
    assert_eq!(
        (vote.field(), vote.raw().unwrap().as_str()),
        ("data.vote", "\"9\"")
    );
    assert_eq!(receipts[1].wallet_address().unwrap().to_string(), A);
    assert_eq!(receipts[2].not_a_receipt().unwrap().as_str(), "null");
    assert_eq!(receipts[3].not_a_receipt().unwrap().as_str(), "[1, 2.50]");
    assert_eq!(receipts[4].vote().unwrap(), &1);
    assert_eq!(receipts[4].extra().get("more").unwrap().as_str(), "[]");
    assert!(receipts[4].public_key().unwrap_err().is_missing());
    assert!(receipts[5].vote().unwrap_err().is_null());
    assert!(receipts[6].data_text().is_err());
    assert_eq!(block.transactions().unwrap()[1].text().as_str(), "7");
    let told = mismatches(&block);
    assert!(
        told.contains(
            &"`text.previous_block_receipts[2]` is malformed: expected an object, found null"
                .to_owned()
        ),
        "{told:#?}"
    );
    assert!(
        told.contains(&"`text.previous_block_receipts[4].data.block_index` is missing".to_owned())
    );
    assert!(told.contains(&"`text.previous_block_receipts[5].data` is null".to_owned()));
}

#[test]
fn what_was_signed_keeps_every_byte() {
    let data = "{ \"vote\" : 9e0, \"x\":\"\\u00e9\u{e9}\",\"vote\":1, \"block_index\":99999999999999999999999999999999999999999999}";
    let text = format!(r#"{{"previous_block_receipts":[{{"data":{data}}}]}}"#);
    let block = block(&documented(&[("text", &text)]));
    let receipt = &block.receipts().unwrap()[0];
    assert_eq!(receipt.data_text().unwrap(), data);
    // Of several members with the same name, the last one counts, as on nodes.
    assert_eq!(receipt.vote().unwrap(), &1);
    assert_eq!(receipt.block_index().unwrap().to_string().len(), 44);
}

#[test]
fn data_inside_of_a_string_is_read() {
    let text = r#"{"previous_block_receipts":[{"data":"{\"vote\": 5}"}]}"#;
    let block = block(&documented(&[("text", text)]));
    let receipt = &block.receipts().unwrap()[0];
    assert_eq!(receipt.vote().unwrap(), &5);
    assert_eq!(receipt.data_text().unwrap(), "{\"vote\": 5}");
}

#[test]
fn integers_are_exact_and_names_may_be_escaped() {
    let huge = "123456789012345678901234567890123456789012345";
    let block = block(&format!(
        r#"{{"ind\u0065x":{huge},"proof":1e3,"extr\u0061":1}}"#
    ));
    assert_eq!(block.index().unwrap().to_string(), huge);
    assert_eq!(block.proof().unwrap(), &1000);
    assert_eq!(block.extra().get("extra").unwrap().as_str(), "1");
}

#[test]
fn transactions_are_kept_and_can_be_looked_into() {
    let text = format!(
        r#"{{"transactions":[{{"transaction":{{"type":3,"fee":1500000.0}},"signatures":[{{"wallet_address":"{A}","msgsign":"30c4"}}],"status":1}}]}}"#
    );
    let block = block(&documented(&[("text", &text)]));
    let transaction = &block.transactions().unwrap()[0];
    assert_eq!(transaction.status(), Some(1.into()));
    let signed = transaction.signed().unwrap();
    assert_eq!(signed.transaction_text(), r#"{"type":3,"fee":1500000.0}"#);
    assert_eq!(signed.signatures().unwrap()[0].msgsign.text(), "30c4");
}

#[test]
fn rejects_what_is_no_object_and_says_what_it_is() {
    for (body, reason) in [
        (&b""[..], "it is empty"),
        (
            b"<!DOCTYPE html>",
            "it looks like HTML or XML, and not like JSON",
        ),
        (
            b"\xef\xbb\xbf{}",
            "it begins with a byte order mark, which JSON does not have",
        ),
        (
            b"[1]",
            "invalid type: sequence, expected a block, which is an object",
        ),
        (
            b"null",
            "invalid type: null, expected a block, which is an object",
        ),
        (b"{\"index\":NaN}", "expected value"),
        (b"{\"index\":1", "EOF while parsing an object"),
        (b"{} {}", "trailing characters"),
        (b"{\"hash\":\"\xff\"}", "invalid unicode code point"),
    ] {
        let error = Block::from_slice(body).unwrap_err();
        assert!(error.reason().starts_with(reason), "{error}");
    }
    assert!(Block::from_slice(b"{").unwrap_err().is_syntax());
    assert!(!Block::from_slice(b"[]").unwrap_err().is_syntax());
}

#[test]
fn depth_costs_no_stack() {
    let deep = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
    for place in [
        "index",
        "text",
        "committee",
        "unknown",
        "transactions",
        "hash",
    ] {
        let block = Block::from_slice(format!("{{\"{place}\":{deep}}}").as_bytes());
        assert!(block.is_ok(), "{place}: {:?}", block.err());
    }
    let unclosed = format!("{{\"text\":{}", "[".repeat(10_000_000));
    assert!(Block::from_slice(unclosed.as_bytes()).is_err());
}

#[test]
fn the_specs_examples_are_read_and_mismatches_are_those_of_the_row() {
    let spec: serde_json::Value = serde_json::from_str(nodeproof_openapi::NODE_JSON).unwrap();
    let example = |name: &str| spec["components"]["examples"][name]["value"].to_string();
    for name in ["EmptyBlock", "BlockWithClaim"] {
        let text = example(name);
        assert_eq!(mismatches(&block(&text)), Vec::<String>::new(), "{name}");
    }
    assert!(block(&example("BlockRow")).is_row());
}
