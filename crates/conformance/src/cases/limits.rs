//! Limits that a node may have. The specification names none, so a refusal shows nothing if all that was accepted is within a limit.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
    time::Duration,
};

use serde_json::Value;

use crate::{
    api::{Transaction, listed_codes},
    history::History,
    http::Exchange,
    rules::is_clear_refusal,
};

/// Words in the message of a node that refuses for a length.
const LENGTH_KEYWORDS: [&str; 9] = [
    "size",
    "too long",
    "too large",
    "bytes",
    "characters",
    "length",
    "exceed",
    "more than",
    "at most",
];

/// Whether a claim, or its call, is refused for a length, and is longer than all that are accepted, as a whole or in one param.
pub(super) fn may_be_too_long<'e>(
    accepted: impl Iterator<Item = &'e Arc<Exchange>>,
    refused: &Exchange,
) -> bool {
    let said = refused.summary().to_lowercase();
    let names_it = LENGTH_KEYWORDS.iter().any(|word| said.contains(word));
    let accepted: Vec<_> = accepted.map(|response| lengths(response)).collect();
    let longest = |name: &str| accepted.iter().filter_map(|one| one.get(name)).max();
    let is_longer =
        |(name, length): (&str, usize)| longest(name).is_some_and(|most| length > *most);
    (refused.status == 413 || names_it) && lengths(refused).into_iter().any(is_longer)
}

/// Returns the length of a request's body, that of each text in the params of its call, and of each list.
fn lengths(response: &Exchange) -> BTreeMap<&str, usize> {
    let whole = response.request.body.as_ref().map_or(0, String::len);
    let places = ["/params", "/transaction/specific_data/params"];
    let sent = response.sent();
    let params = sent.and_then(|sent| {
        places
            .into_iter()
            .find_map(|place| sent.pointer(place)?.as_object())
    });
    let params = params.into_iter().flatten().filter_map(|(name, value)| {
        let length = match value {
            Value::String(text) => text.chars().count(),
            Value::Array(entries) => entries.len(),
            _ => return None,
        };
        Some((name.as_str(), length))
    });
    params.chain([("", whole)]).collect()
}

/// A fee that is higher by this factor may be higher than a limit.
const SIMILAR: f64 = 1.01;

/// A transaction that was accepted.
struct Accepted<'h> {
    began: Duration,
    signers: BTreeSet<&'h str>,
    fee: f64,
    currency: Option<&'h str>,
    /// When a block that contains it was first read.
    block_read: Option<Duration>,
}

/// Whether the refusal of a transaction names its fee, and all that were accepted have one other fee, or a far lower one; or whether it
/// names those that are pending, and one of its signers has some.
pub(super) fn may_be_beyond_a_limit(history: &History, refused: &Arc<Exchange>) -> bool {
    let mut submissions = history.submissions();
    let entry = submissions.find(|entry| Arc::ptr_eq(&entry.exchange, refused));
    let entry = entry.filter(|_| is_clear_refusal(refused));
    let (Some(entry), Some(transaction)) = (entry, Transaction::sent_in(refused)) else {
        return false;
    };
    let said = refused.summary().to_lowercase();
    let names = |words: &[&str]| words.iter().any(|word| said.contains(word));
    let of = transaction.signers().collect();
    let all = accepted(history);
    let is_pending = |one: &Accepted<'_>| {
        let is_settled = one.block_read.is_some_and(|read| read < entry.began);
        one.began < entry.began && !is_settled && !one.signers.is_disjoint(&of)
    };
    if names(&["pending", "too many", "try again"]) || matches!(refused.status, 409 | 429) {
        return all.iter().any(is_pending);
    }
    let fee = transaction.fee().as_f64().unwrap_or_default();
    let alike = all
        .iter()
        .filter(|one| one.currency == transaction.currency());
    let fees: Vec<_> = alike.map(|one| one.fee).collect();
    // A node may want one fee of all.
    let is_another =
        || fees.len() > 1 && fees.iter().all(|known| *known == fees[0] && *known != fee);
    // The fees of a run differ by little.
    let is_far_higher = || !fees.is_empty() && fees.iter().all(|known| fee > known * SIMILAR);
    names(&["fee"]) && (is_another() || is_far_higher())
}

fn accepted<'h>(history: &'h History) -> Vec<Accepted<'h>> {
    let mut blocks = HashMap::new();
    for entry in history.of_path("/get-block") {
        let block = entry.exchange.success_object();
        for code in block.into_iter().flat_map(listed_codes) {
            blocks.entry(code).or_insert(entry.ended);
        }
    }
    let mut known = BTreeSet::new();
    let all = history.accepted().filter_map(|(entry, transaction)| {
        let code = transaction.code()?;
        known.insert(code).then(|| Accepted {
            began: entry.began,
            signers: transaction.signers().collect(),
            fee: transaction.fee().as_f64().unwrap_or_default(),
            currency: transaction.currency(),
            block_read: blocks.get(code).copied(),
        })
    });
    all.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{api::block_request, history::recorded, http::Request};

    enum Row {
        /// A submission: its code, its signer, its fee, and why it is refused.
        Sent(u8, &'static str, u64, &'static str),
        Block(u64, &'static [u8]),
    }
    use Row::{Block, Sent};

    fn code(number: u8) -> String {
        format!("{number:040x}")
    }

    /// Whether a limit may be the reason why the last submission was refused.
    fn may_be(rows: &[Row]) -> bool {
        let rows = rows.iter().zip(1..).map(|(row, at)| match row {
            Sent(number, signer, fee, reason) => {
                let data = json!({"signers": [signer]});
                let transaction = json!({"trans_code": code(*number), "currency": "T", "fee": fee, "specific_data": data});
                let body = json!({"transaction": transaction}).to_string();
                let reply = json!({"response": {"valid": reason.is_empty(), "msg": reason}}).to_string();
                (at * 10, Request::post("/submit-transaction", body), reply)
            }
            Block(index, codes) => {
                let listed = codes.iter().map(|number| json!({"transaction": {"trans_code": code(*number)}}));
                let listed: Vec<_> = listed.collect();
                let block = json!({"index": index, "text": {"transactions": listed}}).to_string();
                (at * 10, block_request(*index), block)
            }
        });
        let rows: Vec<_> = rows.collect();
        let rows = rows
            .iter()
            .map(|(at, request, body)| (*at, request.clone(), 200, &**body));
        let history = recorded(rows.collect());
        let refused = history.submissions().last().expect("a submission");
        may_be_beyond_a_limit(&history, &refused.exchange)
    }

    #[test]
    fn a_refusal_that_names_a_limit_shows_nothing_if_all_that_was_accepted_is_within_it() {
        const PENDING: &str = "Too many pending transactions";
        const FEE: &str = "The fee is exactly 10";
        let settled = || [Sent(1, "a", 10, ""), Block(2, &[1])];
        for (more, expected) in [
            (vec![Sent(2, "a", 10, PENDING)], false),
            (vec![Sent(2, "a", 10, ""), Sent(3, "a", 10, PENDING)], true),
            (vec![Sent(2, "a", 10, ""), Sent(3, "a", 10, "no")], false),
            (vec![Sent(2, "b", 10, ""), Sent(3, "a", 10, PENDING)], false),
            (
                vec![
                    Sent(2, "a", 10, ""),
                    Block(3, &[2]),
                    Sent(3, "a", 10, PENDING),
                ],
                false,
            ),
            (vec![Sent(2, "b", 10, ""), Sent(3, "a", 9, FEE)], true),
            (vec![Sent(2, "b", 10, ""), Sent(3, "a", 10, FEE)], false),
            (vec![Sent(2, "b", 12, ""), Sent(3, "a", 11, FEE)], false),
            (vec![Sent(2, "b", 12, ""), Sent(3, "a", 20, FEE)], true),
            (vec![Sent(2, "b", 12, ""), Sent(3, "a", 20, "no")], false),
        ] {
            let rows: Vec<_> = settled().into_iter().chain(more).collect();
            assert_eq!(may_be(&rows), expected, "{}", rows.len());
        }
        assert!(!may_be(&[Sent(1, "a", 10, FEE)]));
    }

    #[test]
    fn only_what_is_longer_than_all_others_may_be_too_long() {
        let exchange = |status, length: usize, body: &str| {
            let request = Request::post("/call-sc", "x".repeat(length));
            Arc::new(crate::history::exchange(request, status, None, body))
        };
        let accepted = [exchange(200, 10, "{}"), exchange(200, 20, "{}")];
        for (status, length, body, expected) in [
            (413, 30, "{}", true),
            (422, 30, r#"{"error":"remarks is too long"}"#, true),
            (
                200,
                30,
                r#"{"response":{"msg":"Transaction size exceeded"}}"#,
                true,
            ),
            (422, 30, r#"{"error":"unknown contract"}"#, false),
            (413, 20, "{}", false),
        ] {
            let refused = exchange(status, length, body);
            let found = may_be_too_long(accepted.iter(), &refused);
            assert_eq!(found, expected, "{status} {length} {body}");
        }
        assert!(!may_be_too_long([].iter(), &exchange(413, 30, "{}")));
    }

    #[test]
    fn a_param_that_is_longer_than_all_others_may_be_too_long() {
        let exchange = |status, asset: &str, links: &[&str], body: &str| {
            let params = json!({"asset_id": asset, "doc_link_list": links, "outcome": 1});
            let request = Request::post("/call-sc", json!({"params": params}).to_string());
            Arc::new(crate::history::exchange(request, status, None, body))
        };
        let accepted = [exchange(200, "ab", &["a link of some length", "b"], "{}")];
        for (asset, links, message, expected) in [
            ("abc", &[][..], "more than 2 characters", true),
            ("ab", &["a", "b", "c"], "At most 2 links", true),
            ("äö", &["a", "b"], "more than 2 characters", false),
            ("abc", &[], "not allowed", false),
        ] {
            let refused = exchange(422, asset, links, message);
            let found = may_be_too_long(accepted.iter(), &refused);
            assert_eq!(found, expected, "{asset} {links:?} {message}");
        }
    }
}
