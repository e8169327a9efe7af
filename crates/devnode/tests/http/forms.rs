//! The forms of responses.

use nodeproof_devnode::{BlockTime, ChainTime, Config, InjectedFault};
use serde_json::{Value, json};

use crate::peer::Peer;

async fn peer(forms: InjectedFault) -> Peer {
    let config = Config::for_tests().with_time(ChainTime::FIXED);
    Peer::with(config.with_fault(forms)).await
}

fn inside(text: &Value) -> Value {
    serde_json::from_str(text.as_str().unwrap()).unwrap()
}

#[tokio::test]
async fn rows_have_the_fields_of_the_observed_node() {
    let (documented, rows) = (Peer::new().await, peer(InjectedFault::ObservedForms).await);
    for index in 1..=12 {
        let (block, row) = (documented.block(index).await, rows.block(index).await);
        let fields: Vec<_> = row.as_object().unwrap().keys().collect();
        assert_eq!(
            fields,
            [
                "block_index",
                "hash",
                "timestamp",
                "status",
                "proof",
                "previous_hash",
                "creator_wallet",
                "expected_miner",
                "committee"
            ]
        );
        assert_eq!(row["block_index"], index);
        for field in ["timestamp", "proof", "expected_miner"] {
            assert_eq!(row[field], block[field], "{field}");
        }
        assert_eq!(
            (&row["status"], &row["creator_wallet"]),
            (&Value::Null, &Value::Null)
        );
        assert_eq!(inside(&row["committee"]), block["committee"]);
        let previous = match index {
            1 => json!("0"),
            _ => rows.block(index - 1).await["hash"].clone(),
        };
        assert_eq!(row["previous_hash"], previous);
    }
    let record = rows.record("warehouse-receipt-0001").await.json();
    let whole = documented.record("warehouse-receipt-0001").await.json();
    assert_eq!(record, json!({"status": "SUCCESS", "data": whole["data"]}));
    let none = rows.record("nosuch").await.json();
    assert_eq!(none, json!({"status": "SUCCESS", "data": null}));

    let alice = rows.keys("alice").address();
    for (token, held) in [
        ("nosuch", json!(null)),
        ("GRAIN", json!(documented.balance(alice, "GRAIN").await)),
    ] {
        let path = format!(
            "/get-balances?balance_type=TOKEN_IN_WALLET&wallet_address={alice}&token_code={token}"
        );
        assert_eq!(rows.get(&path).await.json(), json!({ "balance": held }));
    }
}

#[tokio::test]
async fn text_is_the_documented_form_with_json_inside_of_strings() {
    let (documented, text) = (Peer::new().await, peer(InjectedFault::TextForms).await);
    for index in 1..=12 {
        let block = documented.block(index).await;
        let mut read = text.block(index).await;
        for field in ["text", "committee"] {
            read[field] = inside(&read[field]);
        }
        assert_eq!(read, block);
    }
    let whole = documented.record("warehouse-receipt-0001").await.json();
    let record = text.record("warehouse-receipt-0001").await.json();
    for field in ["data", "value"] {
        assert_eq!(inside(&record[field]), whole[field]);
    }
    let none = text.record("nosuch").await.text;
    assert_eq!(none, documented.record("nosuch").await.text);
}

#[tokio::test]
async fn each_transaction_is_in_a_block_at_once_if_asked_for() {
    let config = Config::for_tests().with_block_time(BlockTime::OnSubmission);
    let peer = Peer::with(config).await;
    let height = peer.node.height();
    let signed = peer.signed_claim("alice", "at-once").await;
    assert!(peer.submit(signed.clone()).await.verdict().0);
    assert_eq!(peer.node.height(), height + 1);
    let record = peer.record("at-once").await.json();
    assert_eq!(record["value"][1], "at-once");
    // A known or refused transaction does not create a block.
    let (valid, _, new) = peer.submit(signed).await.verdict();
    assert_eq!((valid, new), (true, false));
    let unsigned = peer.raw(&peer.claim_request(&["alice"], "unsigned")).await;
    let unsigned = crate::peer::with_signatures(&unsigned, &[]);
    assert!(!peer.submit(unsigned).await.verdict().0);
    assert_eq!(peer.node.height(), height + 1);
}
