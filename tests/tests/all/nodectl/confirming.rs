//! `nodectl sign`: the message is shown before signing, and nothing is signed without confirmation.

use nodeproof_primitives::TimestampMs;
use nodeproof_wallet::KeyPair;
use serde_json::{Value, json};

use crate::nodectl::program::Home;

fn keys() -> KeyPair {
    KeyPair::from_bytes(&[5; 32]).expect("a key")
}

type Change = fn(&mut Value);

/// Returns a raw contract call with these changes.
pub(crate) fn raw(change: impl FnOnce(&mut Value)) -> String {
    let mut document = json!({
        "transaction": {
            "timestamp": 1_767_225_612_000_i64, "trans_code": "5a".repeat(20), "type": 3,
            "currency": "DEVN", "fee": 1_000_000, "descr": "", "valid": 1,
            "specific_data": {
                "address": format!("ct{}", "ab".repeat(20)), "function": "f",
                "signers": [keys().address()], "params": {"a": 1},
            },
            "is_child_txn": false,
        },
        "signatures": [],
    });
    change(&mut document);
    document.to_string()
}

/// Gives a transaction the time of this computer.
pub(crate) fn of_now(document: &mut Value) {
    document["transaction"]["timestamp"] = json!(TimestampMs::now());
}

#[test]
fn a_time_that_nobody_sees_is_within_a_day_of_the_clock() {
    let home = Home::new();
    let wallet = home.wallet("w.json", &keys());
    let now = TimestampMs::now().as_millis();
    let hours = |hours: i64| json!(now + hours * 60 * 60 * 1_000);
    for (time, is_signed) in [
        (hours(0), true),
        (hours(23), true),
        (hours(-23), true),
        (hours(25), false),
        (hours(-25), false),
        (json!(now / 1_000), false),
        (json!(1), false),
        (json!(-1), false),
        (json!(i64::MAX), false),
        (json!(u64::MAX), false),
        (json!("now"), false),
        (json!(null), false),
    ] {
        let text = raw(|document| document["transaction"]["timestamp"] = time.clone());
        let file = home.file("raw.json", &text);
        let sign = ["sign", &file, "--yes", "--wallet", &wallet];
        let ran = home.run(&sign).ended(if is_signed { 0 } else { 2 });
        assert_eq!(ran.out.contains("msgsign"), is_signed, "{time}: {ran:?}");
        assert!(is_signed || ran.err.contains("clock"), "{time}: {ran:?}");
    }
}

#[test]
fn without_a_terminal_and_without_yes_nothing_is_signed() {
    let home = Home::new();
    let (file, wallet) = (
        home.file("raw.json", &raw(|_| {})),
        home.wallet("w.json", &keys()),
    );
    for more in [
        &[][..],
        &["-q"],
        &["--json"],
        &["-q", "--json"],
        &["--out", "signed.json"],
    ] {
        let sign = ["sign", &file, "--wallet", &wallet];
        let ran = home.run(&[&sign[..], more].concat()).ended(2);
        assert_eq!(ran.out, "");
        assert!(ran.err.contains("--yes"), "{ran:?}");
        assert!(ran.err.contains("nothing was signed"), "{ran:?}");
        assert!(!home.path("signed.json").exists());
    }
    // The same holds if standard input could pass for a reply to the prompt.
    let ran = home.run_with_input(&["sign", &file, "--wallet", &wallet], "yes\ny\n");
    assert_eq!(ran.ended(2).out, "");
    let ran = home.run_with_input(&["sign", "-", "--wallet", &wallet], &raw(|_| {}));
    assert_eq!(ran.ended(2).out, "");
    // The same holds for a program that has the key.
    let address = keys().address().to_string();
    let device = ["--signer", &address, "--signer-command", "touch asked"];
    home.run(&[&["sign", &file][..], &device].concat()).ended(2);
    assert!(!home.path("asked").exists());

    let file = home.file("now.json", &raw(of_now));
    let yes = home
        .run(&["sign", "--yes", "-q", &file, "--wallet", &wallet])
        .ended(0);
    assert!(yes.out.contains("msgsign"), "{yes:?}");
}

#[test]
fn every_member_is_shown_and_unknown_ones_are_called_that() {
    let home = Home::new();
    let wallet = home.wallet("w.json", &keys());
    let changes: [(Change, &str); 12] = [
        (|_| {}, "timestamp: 1767225612000"),
        (|_| {}, "of 2026-01-01 00:00:12.000 UTC"),
        (|_| {}, "is_child_txn: false"),
        (
            |it| it["transaction"]["is_child_txn"] = json!(true),
            "is_child_txn: true",
        ),
        (|it| it["transaction"]["valid"] = json!([0]), "valid: [0]"),
        (
            |it| it["transaction"]["pay_to"] = json!({"thief": "0xb0b\u{1b}[2J"}),
            r#"unknown member pay_to: {"thief":"0xb0b\u001b[2J"}"#,
        ),
        (
            |it| it["transaction"]["specific_data"]["amount"] = json!(7),
            "unknown member specific_data.amount: 7",
        ),
        (
            |it| it["transaction"]["specific_data"]["params"]["b"] = json!([{"c": 9}]),
            r#"specific_data.params: {"a":1,"b":[{"c":9}]}"#,
        ),
        (
            |it| {
                it["transaction"]["specific_data"]["signers"] =
                    json!([keys().address(), format!("0x{}", "cd".repeat(20))])
            },
            "cdcdcdcd",
        ),
        (
            |it| it["transaction"]["fee\u{202e}"] = json!(5),
            "unknown member fee\\u{202e}: 5",
        ),
        (
            |it| it["also"] = json!("x"),
            "beside the transaction, unknown member also: \"x\"",
        ),
        (
            |it| it["transaction"]["currency"] = json!(["X"]),
            "currency: [\"X\"]",
        ),
    ];
    for (change, words) in changes {
        let file = home.file("raw.json", &raw(change));
        // Try it with --yes, and in the cases where a prompt would appear.
        for more in [&["--yes"][..], &["--dry-run"], &[]] {
            let ran = home.run(&[&["sign", &file, "--wallet", &wallet], more].concat());
            if ran.err.contains("error: ") && !ran.err.contains("--yes") {
                // It is refused, without a signature.
                assert_eq!((ran.status, &*ran.out), (2, ""), "{words}: {ran:?}");
                continue;
            }
            assert!(ran.err.contains(words), "{words}: {ran:?}");
            assert!(!ran.err.contains(['\u{1b}', '\u{202e}']), "{ran:?}");
        }
    }
}

#[test]
fn a_number_that_would_be_signed_as_another_is_refused_wherever_it_is() {
    let home = Home::new();
    let wallet = home.wallet("w.json", &keys());
    type Place = (&'static str, fn(&mut Value, Value));
    let places: [Place; 6] = [
        ("transaction.fee", |it, n| it["transaction"]["fee"] = n),
        ("transaction.timestamp", |it, n| {
            it["transaction"]["timestamp"] = n;
        }),
        ("transaction.more", |it, n| it["transaction"]["more"] = n),
        ("transaction.specific_data.params.a", |it, n| {
            it["transaction"]["specific_data"]["params"]["a"] = n;
        }),
        ("transaction.specific_data.params.b[1].c", |it, n| {
            it["transaction"]["specific_data"]["params"]["b"] = json!([1, {"c": n}]);
        }),
        ("transaction.specific_data.x[0][0]", |it, n| {
            it["transaction"]["specific_data"]["x"] = json!([[n]]);
        }),
    ];
    const NUMBERS: [&str; 7] = [
        "9007199254740993.0",
        "9007199254740993e0",
        "1e400",
        "-1e400",
        "1e-400",
        "1000000.00000000001",
        "0.1000000000000000055511151231257827",
    ];
    // One number in each place, and each number in one place.
    let in_places = places.map(|place| ("1e400", place, "--yes"));
    let numbers = NUMBERS.map(|number| (number, places[4], "--yes"));
    let shown = [("1e400", places[4], "--dry-run")];
    for (number, (place, put), more) in in_places.into_iter().chain(numbers).chain(shown) {
        // A JSON library would change the number, so its text is inserted.
        let text = raw(|document| put(document, json!("number")));
        let file = home.file("raw.json", &text.replace("\"number\"", number));
        let ran = home.run(&["sign", &file, more, "--wallet", &wallet]);
        let ran = ran.ended(2);
        assert!(ran.err.contains(&format!("`{place}`")), "{number}: {ran:?}");
        assert!(ran.err.contains("nothing was signed"), "{number}: {ran:?}");
        assert_eq!(ran.out, "", "{number} at {place}");
    }
    for number in [
        "9007199254740993",
        "1e2",
        "100.0",
        "-0",
        "0.1",
        "1e22",
        "5e-324",
    ] {
        let text = raw(|document| {
            of_now(document);
            document["transaction"]["more"] = json!("number");
        });
        let file = home.file("raw.json", &text.replace("\"number\"", number));
        home.run(&["sign", &file, "--yes", "--wallet", &wallet])
            .ended(0);
    }
}
