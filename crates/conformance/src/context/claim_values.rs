//! The values of the claims that a run makes.

use nodeproof_primitives::WalletAddress;
use serde_json::{Value, json};

use super::draft::{call, unique};

/// Returns the params of a run's claim with this number, from 0. They have values that a careless
/// node changes when it stores, signs or shows them. All values of a claim are different.
fn params(number: u8, asset: &str, verifier: WalletAddress) -> Value {
    let digits = "5a".repeat(32);
    let other_hashes: Vec<String> = (1..=8_u8)
        .rev()
        .map(|byte| format!("{byte:02x}").repeat(32))
        .collect();
    let link = |page: u8| format!("https://example.org/{page}");
    let (kind, outcome, hashes, links, remarks, after) = match number {
        // Long and unusual texts, equal entries, and the largest integer that every JSON library keeps.
        0 => {
            let document = "https://example.org/A-Document?pages=1,2&q=a%20b#p.3".to_owned();
            (
                "Land Parcel",
                1,
                vec![digits.clone(), "C3".repeat(32), digits],
                vec![
                    document.clone(),
                    "http://example.org/gr\u{f6}\u{df}e".to_owned(),
                    document,
                ],
                format!(
                    "  made by a conformance check: \"Größe\" 'x' \\ \u{1f600}, composed \u{e9} and not \
                     e\u{301}, <b>&amp;</b> %41 1+1 \u{200d} ${{x}} --;\r\n\tlength: {}  ",
                    "long ".repeat(40)
                ),
                9_007_199_254_740_991_i64,
            )
        }
        // Nothing and zero, long lists, and an integer that a float rounds.
        1 => (
            "token",
            0,
            Vec::new(),
            (1..=24).rev().map(link).collect(),
            String::new(),
            9_007_199_254_740_993,
        ),
        // Texts that look like other values, and a negative integer.
        2 => ("1e3", -1, other_hashes, Vec::new(), "0012".to_owned(), 0),
        _ => (
            "",
            i64::from(i32::MAX),
            vec!["00".repeat(32)],
            vec!["null".to_owned()],
            "true".to_owned(),
            1_893_456_000_123,
        ),
    };
    json!({
        "asset_id": asset,
        "asset_type": kind,
        "verifier_address": verifier,
        "outcome": outcome,
        "doc_hash_list": hashes,
        "doc_link_list": links,
        "remarks": remarks,
        "deletable_after": after,
    })
}

/// Returns the asset of a new claim, and the body of the call that builds the claim.
pub(super) fn claim_call(contract: &str, wallet: WalletAddress, number: u8) -> (String, Value) {
    // An asset ID can be any string, including one with characters that a query must escape.
    let asset = format!("conformance-{:x} 50%+1/2&A=b?c#\u{e9}", unique());
    let mut call = call(contract, &[wallet], &asset, "");
    call["params"] = params(number, &asset, wallet);
    (asset, call)
}
