//! The values of the claims that a run makes.

use nodeproof_primitives::WalletAddress;
use serde_json::{Value, json};

use super::draft::call;
use crate::history::{IN_OTHER_TOKEN, OF_CO_SIGNER, OF_SAME_ASSET};

/// The values of a claim that a run chooses.
struct Values {
    asset_type: String,
    outcome: i64,
    doc_hash_list: Vec<String>,
    doc_link_list: Vec<String>,
    remarks: String,
    deletable_after: i64,
}

/// Gives a claim about an asset that its wallet has claimed other values than those of the first claim.
pub(super) fn take_second_values(params: &mut Value) {
    for (name, value) in [
        ("asset_type", json!("a second claim")),
        ("outcome", json!(2)),
        ("doc_hash_list", json!(["22".repeat(32)])),
        ("doc_link_list", json!(["https://example.org/second"])),
        ("remarks", json!("second remarks")),
        ("deletable_after", json!(2_893_456_000_000_u64)),
    ] {
        params[name] = value;
    }
}

/// Number of claims whose values are on this page. Further claims have the same values again, the last ones first: a run
/// with few claims makes only the first of the others.
const DIFFERENT: u8 = 8;

impl Values {
    /// Returns the values of a run's claim with this number, from 0. A careless node changes them when it
    /// stores, signs or shows them. All values of a claim are different, apart from two empty lists. Two thresholds may be past:
    /// a node may delete those records.
    fn of(number: u8, run: u128) -> Self {
        let link = |page: u8| format!("https://example.org/{page}");
        match number {
            0 => Self::unusual(run),
            // A text of digits, nothing and zero, a long list, and an integer that a float rounds.
            1 => Self {
                asset_type: "12".to_owned(),
                outcome: 0,
                doc_hash_list: Vec::new(),
                doc_link_list: (1..=24).rev().map(link).collect(),
                remarks: String::new(),
                deletable_after: 9_007_199_254_740_993,
            },
            // Texts that look like numbers, and a negative integer.
            2 => Self {
                asset_type: "1e3".to_owned(),
                outcome: -1,
                doc_hash_list: (1..=24_u8)
                    .rev()
                    .map(|byte| format!("{byte:02x}").repeat(32))
                    .collect(),
                doc_link_list: Vec::new(),
                remarks: "0012".to_owned(),
                deletable_after: 0,
            },
            3 => Self {
                asset_type: "true".to_owned(),
                outcome: i64::from(i32::MAX),
                doc_hash_list: vec!["00".repeat(32)],
                // Longer than a narrow column.
                doc_link_list: vec!["null".to_owned(), link(0).repeat(14)],
                remarks: "false".to_owned(),
                // Like a time in seconds.
                deletable_after: 1_893_456_007,
            },
            4 => Self::unusual_entries(),
            // Long texts, two empty lists, and integers beyond 32 bits.
            5 => Self {
                asset_type: "a long kind of asset, ".repeat(14),
                outcome: 1 << 31,
                doc_hash_list: Vec::new(),
                doc_link_list: Vec::new(),
                remarks: (0..560_u16).map(|number| format!("{number} ")).collect(),
                deletable_after: 1 << 41,
            },
            // A text of blanks, a very long list, and the largest integer of 64 bits.
            6 => Self {
                asset_type: "2024-01-02".to_owned(),
                outcome: -(1 << 31) - 1,
                // The entries of the first claim, in another order.
                doc_hash_list: vec!["C3".repeat(32), "5a".repeat(32), "5a".repeat(32)],
                doc_link_list: (1..=160_u8).rev().map(|page| format!("/{page}")).collect(),
                remarks: "   ".to_owned(),
                deletable_after: i64::MAX,
            },
            // Texts that look like JSON or like parts of programs, and an empty entry.
            _ => Self {
                asset_type:
                    "  two  blanks \\n \\u0041 %s {0} $1 /* */ '' \u{feff}\u{a0}\u{2028}\rend\n"
                        .to_owned(),
                outcome: 9_007_199_254_740_993,
                doc_hash_list: vec!["ff".repeat(32)],
                doc_link_list: vec![String::new()],
                remarks: "{\"b\": 1.0, \"a\": [1e3, \"\\u00e9\"], \"b\": null}".to_owned(),
                deletable_after: 9_007_199_254_740_991,
            },
        }
    }

    /// Returns long and unusual texts, equal entries, and a number that looks like a time. A short text and this number are
    /// those of no other run.
    fn unusual(run: u128) -> Self {
        let digits = "5a".repeat(32);
        let milliseconds = i64::try_from(run / 1_000_000 % 100_000_000_000).unwrap_or_default();
        let document = "https://example.org/A-Document?pages=1,2&q=a%20b#p.3".to_owned();
        Self {
            asset_type: format!("Land Parcel {run:x}"),
            outcome: 1,
            doc_hash_list: vec![digits.clone(), "C3".repeat(32), digits],
            doc_link_list: vec![
                document.clone(),
                "http://example.org/gr\u{f6}\u{df}e".to_owned(),
                document,
            ],
            remarks: format!(
                "  {}made by a conformance check: \"Größe\" 'x' \\ \u{1f600}, composed \u{e9} and not \
                 e\u{301}, <b>&amp;</b> %41 1+1 \u{200d} ${{x}} --;\r\n\tlength: {}  ",
                // A program that cuts a text after a multiple of four bytes cuts one of these characters.
                "\u{1f600}".repeat(64),
                "long ".repeat(20)
            ),
            deletable_after: 1_893_456_000_000 + milliseconds,
        }
    }

    /// Returns entries that look like other values or like several entries, and hashes that look like numbers.
    fn unusual_entries() -> Self {
        let entries = [
            "1e3",
            "007",
            "-0",
            "true",
            "",
            "  ",
            " x ",
            "a,b",
            "a;b|c",
            "[1]",
            "{\"a\": 1.0}",
            "it's",
            "say \"x\"",
            "\\n",
            "two\nlines",
            "NaN",
            "2024-01-02",
            "=1+1",
        ];
        // Wherever a program cuts a body into pieces of equal length, it cuts one of these characters.
        let characters = "\u{1f600}".repeat(100);
        Self {
            asset_type: "null".to_owned(),
            outcome: 2,
            doc_hash_list: vec![
                format!("0e{}12", "1234567890".repeat(6)),
                format!("0e{}98", "9876543210".repeat(6)),
                "1234".repeat(16),
            ],
            doc_link_list: entries
                .map(ToOwned::to_owned)
                .into_iter()
                .chain([characters])
                .collect(),
            remarks: "-0".to_owned(),
            deletable_after: 1 << 41 | 1 << 31,
        }
    }
}

/// Returns the asset ID of a run's claim with this number. An asset ID can be any string, including one with
/// characters that a query must escape, and a part that looks escaped. Some differ only a little, as careless stores
/// take them for one.
fn asset_id(number: u8, run: u128) -> String {
    let start = format!("conformance-{run:x}: 50%+1/2%2B&';");
    let long = |last: &str| format!("{start}{}{last}", "long ".repeat(50));
    match number {
        0 => format!("{start}A=B?C#\u{e9}"),
        // The first one in lower case, with its last letter decomposed, and with a blank.
        1 => format!("{start}a=b?c#\u{e9}"),
        2 => format!("{start}A=B?C#e\u{301}"),
        3 => format!("{start}A=B?C#\u{e9} "),
        // They look like numbers, and like the same one.
        4 => format!("00{run}"),
        IN_OTHER_TOKEN => format!("0{run}"),
        // These two differ in their last letter.
        5 => long("A"),
        6 => long("B"),
        // It looks like JSON.
        7 => format!(" [\"conformance-{run:x}\", \"O'Neil \\\\ 1.0\"]"),
        _ => format!("{start}{number}"),
    }
}

/// Returns the kind of asset of one of two claims about the same asset. No other record has it.
pub(super) fn own_type(number: u8, run: u128) -> String {
    format!("of the claim {number} of {run:x}")
}

/// Returns the body of the call that builds a new claim. `run` is a number that no other run has used.
pub(super) fn claim_call(contract: &str, wallet: WalletAddress, number: u8, run: u128) -> Value {
    let asset = match number {
        OF_SAME_ASSET => asset_id(OF_CO_SIGNER, run),
        _ => asset_id(number, run),
    };
    let values = match number.checked_sub(DIFFERENT) {
        None => Values::of(number, run),
        Some(further) => Values::of(DIFFERENT - 1 - further % DIFFERENT, run),
    };
    let mut call = call(contract, &[wallet], &asset, "");
    call["params"] = json!({
        "asset_id": asset,
        "asset_type": match number {
            OF_CO_SIGNER | OF_SAME_ASSET => own_type(number, run),
            _ => values.asset_type,
        },
        "verifier_address": wallet,
        "outcome": values.outcome,
        "doc_hash_list": values.doc_hash_list,
        "doc_link_list": values.doc_link_list,
        "remarks": values.remarks,
        "deletable_after": values.deletable_after,
    });
    call
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use nodeproof_primitives::signed_message;

    use super::*;
    use crate::history::MAX_CLAIMS;

    /// Nodes were seen to refuse submissions of more than 4096 bytes. The rest of a submission has about 700.
    const MAX_PARAMS: usize = 3_300;

    #[test]
    fn claims_have_different_assets_and_fit_into_a_submission() {
        assert_eq!(DIFFERENT, MAX_CLAIMS);
        let wallet: WalletAddress = format!("0x{}", "5a".repeat(20)).parse().unwrap();
        let mut assets = BTreeSet::new();
        for number in 0..=MAX_CLAIMS {
            let call = claim_call("ct", wallet, number, 1_893_456_000_123_456_789);
            let params = call["params"].to_string();
            assert!(
                assets.insert(call["params"]["asset_id"].to_string()),
                "{number}"
            );
            let length = signed_message(&params).unwrap().len();
            assert!(length <= MAX_PARAMS, "{number}: {length}");
        }
    }

    #[test]
    fn each_value_of_a_claim_is_found_in_one_column_only() {
        for number in 0..MAX_CLAIMS {
            let values = Values::of(number, 7);
            let texts = [&values.asset_type, &values.remarks];
            assert_ne!(texts[0], texts[1], "{number}");
            assert_ne!(values.outcome, values.deletable_after, "{number}");
            if !values.doc_hash_list.is_empty() {
                assert_ne!(values.doc_hash_list, values.doc_link_list, "{number}");
            }
        }
    }
}
