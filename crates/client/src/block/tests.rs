use super::{Block, PreviousHash};
use crate::from_json;

const A: &str = "0xe8cf534e934cf1d5fb523b8c3134a501037d470e";
const B: &str = "0xb21854c8df7c314b3778036b532c5438abfeff03";
const HASH: &str = "21f7581d94352dd63d9f5b0c5a7800573aa405d3f97755d249fb0548ca68e1c7";

/// Members of a block that replace its own. An empty one removes the member.
type Changes<'m> = &'m [(&'m str, &'m str)];

fn receipt_data() -> String {
    format!(
        r#"{{ "vote":1,"block_index":1199, "block_hash":"{HASH}","timestamp":1767225591000,"wallet_address":"{A}"}}"#
    )
}

fn text(transactions: &str, data: &str) -> String {
    format!(
        r#"{{"transactions":[{transactions}],"previous_block_receipts":[{{"data":{data},"public_key":"dc75","signature":"4b9f"}}]}}"#
    )
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

/// Returns the text of a documented block with changes.
fn documented(changes: Changes<'_>) -> String {
    let (content, creator) = (text("", &receipt_data()), quoted(B));
    let (committee, hash) = (format!(r#"["{A}","{B}"]"#), quoted(HASH));
    let mut members = vec![
        ("index", "1200"),
        ("timestamp", "1767225600000"),
        ("proof", "42"),
        ("status", "1"),
        ("text", &content),
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
    members.retain(|(_, value)| !value.is_empty());
    let members: Vec<String> = members
        .iter()
        .map(|(name, value)| format!("\"{name}\":{value}"))
        .collect();
    format!("{{{}}}", members.join(","))
}

fn decoded(changes: Changes<'_>) -> Result<Block, String> {
    from_json(documented(changes).as_bytes()).map_err(|error| error.to_string())
}

/// The committee as a text, in the row form and in that of 2022.
fn committee_text() -> String {
    quoted(&format!(r#"["{A}", "{B}"]"#))
}

#[test]
fn three_forms_and_their_mixtures_are_one_type() {
    let (committee, content) = (committee_text(), text("", &receipt_data()));
    let (spaced, data_text) = (quoted(&format!(" {content} ")), quoted(&receipt_data()));
    let data_in_text = text("", &data_text);
    let row = [
        ("index", ""),
        ("block_index", "1200"),
        ("text", ""),
        ("status", "null"),
        ("proof", "null"),
        ("creator_wallet", "null"),
        ("expected_miner", "null"),
        ("hash", "null"),
        ("committee", &*committee),
        ("previous_hash", "\"0\""),
    ];
    // Each with: is it a row, and has it a previous hash, a status and a creator?
    let forms: &[(Changes<'_>, [bool; 4])] = &[
        (&[], [false, true, true, true]),
        // The node of 2022.
        (
            &[("status", ""), ("committee", &committee)],
            [false, true, false, true],
        ),
        (&row, [true, false, false, false]),
        // Mixtures.
        (
            &[("index", ""), ("block_index", "1200")],
            [false, true, true, true],
        ),
        (&[("text", "")], [true, true, true, true]),
        (&[("text", "null")], [true, true, true, true]),
        (&[("text", "\"null\"")], [true, true, true, true]),
        (&[("text", &spaced)], [false, true, true, true]),
        (&[("text", &data_in_text)], [false, true, true, true]),
        (
            &[("status", "null"), ("previous_hash", "\"0\"")],
            [false, false, false, true],
        ),
        (
            &[("proof", ""), ("expected_miner", "")],
            [false, true, true, true],
        ),
        (
            &[("creator_wallet", ""), ("committee", &committee)],
            [false, true, true, false],
        ),
    ];
    for (changes, expected) in forms {
        let block = decoded(changes).unwrap();
        assert_eq!(block.index, 1200, "{changes:?}");
        assert_eq!(block.timestamp.as_millis(), 1_767_225_600_000);
        assert_eq!(
            block.committee,
            [A.parse().unwrap(), B.parse().unwrap()],
            "{changes:?}"
        );
        let has_previous = block.previous_hash.hash().is_some();
        let found = [
            block.text.is_none(),
            has_previous,
            block.status.is_some(),
            block.creator_wallet.is_some(),
        ];
        assert_eq!(found, *expected, "{changes:?}");
        assert!(block.extra.is_empty(), "{changes:?}: {:?}", block.extra);
        assert_eq!(
            block.transactions().ok().map(<[_]>::len),
            block.text.is_some().then_some(0)
        );
        if let Ok(receipts) = block.receipts() {
            assert_eq!(receipts[0].data.block_index, 1199);
            assert_eq!(receipts[0].data.text(), receipt_data());
        }
        // What is written is read back as the same block.
        let written = serde_json::to_vec(&block).unwrap();
        assert_eq!(from_json::<Block>(&written).unwrap(), block, "{changes:?}");
    }
}

#[test]
fn a_committee_is_a_list_a_text_or_nothing() {
    for (committee, length) in [
        ("", 0),
        ("null", 0),
        ("\"null\"", 0),
        ("[]", 0),
        ("\"[]\"", 0),
        ("\" [ ] \"", 0),
    ] {
        let block = decoded(&[("committee", committee)]).unwrap();
        assert_eq!(block.committee.len(), length, "{committee}");
    }
}

#[test]
fn unknown_members_are_kept() {
    let text = r#"{"transactions":[],"previous_block_receipts":[],"new":[1]}"#;
    let block = decoded(&[("text", text), ("more", r#"{"a":null}"#)]).unwrap();
    assert_eq!(block.extra["more"]["a"], serde_json::Value::Null);
    assert_eq!(block.text.unwrap().extra["new"][0], 1);
}

#[test]
fn the_first_wrong_place_is_named() {
    let receipts =
        |receipt: &str| format!(r#"{{"transactions":[],"previous_block_receipts":[{receipt}]}}"#);
    let (a_number, no_data) = (receipts("7"), receipts("{}"));
    let vote = text("", &receipt_data().replace("\"vote\":1", "\"vote\":\"1\""));
    let vote_in_text = quoted(&vote);
    let no_vote = text("", &receipt_data().replace("\"vote\"", "\"note\""));
    // Members that replace those of the block, and the start of the message.
    let table = r#"
        index= | `index` is missing
        index=null | `index`: expected an integer, received null
        index=1.5 | `index`: expected an integer, received the number 1.5
        index="1" | `index`: expected an integer, received the string "1"
        index= block_index="1" | `block_index`: expected an integer, received the string "1"
        block_index=1200 | `index` occurs more than once
        timestamp= | `timestamp` is missing
        previous_hash= | `previous_hash` is missing
        previous_hash=0 | `previous_hash`: expected 64 hexadecimal digits, or "0", received the number 0
        text=[] | `text`
        text=7 | `text`: expected an object or an array, or one inside a string
        text={} | `text.previous_block_receipts` is missing
        text="{}" | `text.previous_block_receipts` is missing
        text=A_NUMBER | `text.previous_block_receipts[0]`
        text=NO_DATA | `text.previous_block_receipts[0].data` is missing
        text=VOTE | `text.previous_block_receipts[0].data.vote`: expected an integer, received the string "1"
        text=VOTE_IN_TEXT | `text.previous_block_receipts[0].data.vote`: expected an integer, received the string "1"
        text=NO_VOTE | `text.previous_block_receipts[0].data.vote` is missing
        committee={} | `committee`
        committee=[7] | `committee[0]`
        committee="[7]" | `committee[0]`
        committee="x" | `committee`: expected value
        committee="7" | `committee`: expected an array, received the number 7
        creator_wallet="0x1" | `creator_wallet`
        hash="aa" | `hash`
    "#;
    for row in table.lines().filter(|line| line.contains('|')) {
        let (changes, expected) = row.trim().split_once(" | ").unwrap();
        let changes = changes.split(' ').map(|change| {
            let (name, value) = change.split_once('=').unwrap();
            let value = match value {
                "A_NUMBER" => &*a_number,
                "NO_DATA" => &no_data,
                "VOTE" => &vote,
                "VOTE_IN_TEXT" => &vote_in_text,
                "NO_VOTE" => &no_vote,
                value => value,
            };
            (name, value)
        });
        let reason = decoded(&changes.collect::<Vec<_>>()).expect_err("an error");
        assert!(reason.starts_with(expected), "{row}: {reason}");
        assert!(reason.len() < 500 && !reason.contains('\n'), "{reason}");
    }
    for (json, kind) in [("[]", "an array"), ("7", "the number 7"), ("null", "null")] {
        let reason = from_json::<Block>(json.as_bytes()).unwrap_err().to_string();
        assert_eq!(
            reason,
            format!("expected a block, which is an object, received {kind}")
        );
    }
}

#[test]
fn signed_texts_are_kept_byte_for_byte() {
    let data = receipt_data().replace("\"vote\":1,", "\"vote\" : 1, \"odd\":1E2,\n ");
    let transaction = "{ \"b\" : 1.50 ,\"a\":\"\\u00e9\u{e9}\", \"a\":1E400}";
    let content = text(transaction, &data);
    for content in [content.clone(), quoted(&content)] {
        let block = decoded(&[("text", &content)]).unwrap();
        assert_eq!(block.receipts().unwrap()[0].data.text(), data);
        assert_eq!(
            block.transactions().unwrap()[0].text().as_str(),
            transaction
        );
        let written = serde_json::to_string(&block).unwrap();
        assert!(
            written.contains(&data) && written.contains(transaction),
            "{written}"
        );
    }
}

#[test]
fn integers_are_exact_and_a_larger_one_is_an_error_of_its_field() {
    let huge = &i128::MAX.to_string();
    let content = text("", &receipt_data().replace("1199", huge));
    for index in ["index", "block_index"] {
        let changes = [
            ("index", ""),
            (index, huge),
            ("proof", huge),
            ("text", &content),
        ];
        let block = decoded(&changes).unwrap();
        assert_eq!(block.index.to_string(), *huge);
        assert_eq!(block.proof.unwrap().to_string(), *huge);
        assert_eq!(
            block.receipts().unwrap()[0].data.block_index.to_string(),
            *huge
        );
    }
    let error = decoded(&[("proof", &format!("{huge}0"))])
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("proof") && error.contains("128 bits"),
        "{error}"
    );
}

#[test]
fn deep_nesting_is_an_error() {
    for depth in [200, 100_000] {
        let deep = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let in_text =
            format!(r#"{{"transactions":[],"previous_block_receipts":[],"more":{deep}}}"#);
        let in_string = quoted(&in_text);
        let in_data = text("", &format!(r#"{{"more":{deep}}}"#));
        for (name, value, said) in [
            ("more", &deep, "recursion limit exceeded"),
            ("text", &in_text, "recursion limit exceeded"),
            ("text", &in_string, "nested more than 127 levels deep"),
            ("text", &in_data, "recursion limit exceeded"),
        ] {
            let reason = decoded(&[(name, value)]).expect_err("an error");
            assert!(reason.contains(said), "{reason}");
        }
    }
}

#[test]
fn a_block_without_a_previous_one_shows_a_zero() {
    let first = decoded(&[("previous_hash", "\"0\"")])
        .unwrap()
        .previous_hash;
    assert_eq!(
        (first, first.to_string().as_str()),
        (PreviousHash::None, "0")
    );
    assert_eq!(decoded(&[]).unwrap().previous_hash.to_string(), HASH);
}
