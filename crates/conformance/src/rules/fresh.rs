//! The rule *fresh*: each built transaction has its own code, and the time at which it was built.

use std::{collections::BTreeMap, time::Duration};

use nodeproof_primitives::{TransactionCode, escape::escaped_up_to as shown};
use serde_json::Value;

use super::known::codes_in_blocks;
use crate::{
    api::{MILLISECONDS, find, is_block},
    checks::{CLOCKS_DIFFER, Examination, Finding},
    history::{Answer, Entry, History},
    http::Wording,
};

/// A clock may be read in seconds, and several servers may respond for a node.
const RESOLUTION: Duration = Duration::from_secs(1);
/// Maximum difference of two clocks that are set, in milliseconds.
const MINUTE: i64 = 60_000;

/// Returns the built transactions with this member.
fn built<'h>(
    history: &'h History,
    name: &'static str,
) -> impl Iterator<Item = (&'h Entry, String, &'h Value)> {
    // Requests that are written in another way are sent at any time between the others.
    let with_content = |entry: &&Entry| {
        entry.answer == Answer::Content && entry.exchange.request.wording == Wording::Usual
    };
    history
        .of_path("/call-sc")
        .filter(with_content)
        .filter_map(move |entry| {
            let (at, value) = find(entry.exchange.success_object()?, name)?;
            Some((entry, at, value))
        })
}

/// Returns the built transactions with a time in milliseconds.
fn timed(history: &History) -> Vec<(&Entry, String, i64)> {
    let time = |(entry, at, value): (_, _, &Value)| Some((entry, at, value.as_i64()?));
    let timed = built(history, "timestamp").filter_map(time);
    timed
        .filter(|(.., time)| MILLISECONDS.contains(time))
        .collect()
}

/// Judges whether no two transactions have the same code. With `are_equal`, both are built from the same call, in
/// the same millisecond. Otherwise, they are different transactions.
fn codes(history: &History, are_equal: bool) -> Examination {
    let mut result = Examination::default();
    let mut seen = BTreeMap::new();
    let is_code = |code: &Value| {
        let text = code.as_str();
        text.is_some_and(|text| text.parse::<TransactionCode>().is_ok())
    };
    let have_the_form = built(history, "trans_code").any(|(.., code)| is_code(code));
    let in_blocks = codes_in_blocks(history);
    for (entry, at, code) in built(history, "trans_code") {
        if have_the_form && !are_equal && !is_code(code) {
            let what = "a transaction is built with a trans_code of another form than others";
            let actual = shown(&code.to_string(), 80);
            let finding = Finding::new(&entry.exchange, what, "40 hexadecimal characters", actual);
            result.push(finding.at(at));
            continue;
        }
        let call = &entry.exchange.request.body;
        let time = entry
            .exchange
            .success_object()
            .and_then(|built| find(built, "timestamp"));
        let transaction = (call, time.map(|(_, time)| time.to_string()));
        result.examined += u64::from(!seen.is_empty());
        let Some(code) = code.as_str() else { continue };
        let is_used = in_blocks.get(code).is_some_and(|read| *read <= entry.began);
        if is_used && !are_equal {
            let what = "a transaction is built with the trans_code of one in an earlier block";
            let expected = "a code that no other transaction has";
            result.push(Finding::new(&entry.exchange, what, expected, shown(code, 80)).at(at));
            continue;
        }
        let first = seen.entry(code).or_insert_with(|| transaction.clone());
        if std::ptr::eq(first.0, call) || (*first == transaction) != are_equal {
            continue;
        }
        let what = match are_equal {
            true => "two equal calls are built with the same trans_code",
            false => "two different calls are built with the same trans_code",
        };
        let expected = "a code that no other transaction has";
        result.push(Finding::new(&entry.exchange, what, expected, shown(code, 80)).at(at));
    }
    result
}

/// Judges whether each call gets its own code, also if two equal ones are built at the same time.
pub(crate) fn distinct(history: &History) -> Examination {
    codes(history, true)
}

/// Judges the codes and the times of all calls that were built in a run.
pub(crate) fn fresh(history: &History) -> Examination {
    let mut result = codes(history, false);
    let timed = timed(history);
    let resolution = i64::try_from(RESOLUTION.as_millis()).unwrap_or(i64::MAX);
    for (place, (entry, at, time)) in timed.iter().enumerate() {
        let mut before = timed.iter().take(place);
        let what = before.find_map(|(other, _, earlier)| {
            let is_older = other.ended <= entry.began && time + resolution < *earlier;
            let stands = other.ended + RESOLUTION < entry.began && time == earlier;
            let older =
                is_older.then_some("a transaction is older than one that was built before it");
            older.or(stands.then_some("the time of built transactions stands still"))
        });
        if let Some(what) = what {
            let expected = "the time at which the transaction was built";
            let finding = Finding::new(&entry.exchange, what, expected, time.to_string());
            result.push(finding.at(at.clone()));
            break;
        }
    }
    if result.has_no_findings() && tolerance(history) == MINUTE {
        let mut timed = timed.into_iter();
        if let Some((entry, at, time)) =
            timed.find(|(entry, _, time)| !is_now(entry, *time, MINUTE))
        {
            let what = "a transaction is built with another time than that of the blocks";
            let expected = "the time at which it was built, within a minute";
            let finding = Finding::new(&entry.exchange, what, expected, time.to_string());
            result.push(finding.at(at));
        }
    }
    result
}

/// The largest difference from the clock of this computer. If a block has its time when it is read, the node and this
/// computer agree on it. Otherwise, one of them may be wrong by hours.
fn tolerance(history: &History) -> i64 {
    let mut blocks = history.of_path("/get-block").filter_map(|entry| {
        let block = entry.exchange.success_object();
        let time = block.filter(|block| is_block(block))?.get("timestamp")?;
        Some((entry, time.as_i64()?))
    });
    match blocks.any(|(entry, time)| is_now(entry, time, MINUTE)) {
        true => MINUTE,
        false => CLOCKS_DIFFER,
    }
}

fn is_now(entry: &Entry, time: i64, most: i64) -> bool {
    time.abs_diff(entry.exchange.received_at.as_millis()) <= most.unsigned_abs()
}

/// Judges whether transactions have the time of this computer.
pub(crate) fn current(history: &History) -> Examination {
    let mut result = Examination::default();
    let most = tolerance(history);
    let expected = match most {
        MINUTE => "a time within a minute of the clock of this computer, as in blocks",
        _ => "a time within a day of the clock of this computer",
    };
    for (entry, at, time) in timed(history) {
        result.count_item();
        if !is_now(entry, time, most) {
            let what = "the transaction was built just now, and has another time";
            let actual = time.to_string();
            result.push(Finding::new(&entry.exchange, what, expected, actual).at(at));
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use nodeproof_primitives::TimestampMs;

    use super::*;
    use crate::{api::block_request, history::recorded, http::Request};

    /// Calls: the moment in milliseconds, the asset, the code, and the time.
    fn calls(rows: &[(u64, &str, &str, i64)]) -> History {
        let bodies: Vec<_> = rows
            .iter()
            .map(|(.., code, time)| format!(r#"{{"trans_code":"{code}","timestamp":{time}}}"#))
            .collect();
        let call = |asset: &str| Request::post("/call-sc", asset.to_owned());
        let rows = rows.iter().zip(&bodies);
        recorded(
            rows.map(|((at, asset, ..), body)| (*at, call(asset), 200, body.as_str()))
                .collect(),
        )
    }

    #[test]
    fn each_transaction_has_its_own_code() {
        for (rows, of_different, of_equal) in [
            (&[(1, "a", "1", 1), (5, "b", "2", 1)][..], 0, 0),
            (&[(1, "a", "1", 1), (5, "b", "1", 1)], 1, 0),
            (&[(1, "a", "1", 1), (5, "a", "1", 2)], 1, 0),
            (&[(1, "a", "1", 1), (5, "a", "1", 1)], 0, 1),
        ] {
            assert_eq!(fresh(&calls(rows)).findings.len(), of_different, "{rows:?}");
            assert_eq!(distinct(&calls(rows)).findings.len(), of_equal, "{rows:?}");
        }
    }

    #[test]
    fn no_earlier_block_has_the_code() {
        let block = r#"{"text":{"transactions":[{"transaction":{"trans_code":"1"}}]}}"#;
        let built = r#"{"trans_code":"1","timestamp":1}"#;
        let call = || Request::post("/call-sc", "a".to_owned());
        for (call_at, block_at, found) in [(10, 5, 1), (5, 10, 0)] {
            let rows = vec![
                (call_at, call(), 200, built),
                (block_at, block_request(7), 200, block),
            ];
            assert_eq!(codes(&recorded(rows), false).findings.len(), found);
        }
    }

    #[test]
    fn all_codes_have_the_form_if_one_has_it() {
        let code = "5a".repeat(20);
        let rows = [(1, "a", &*code, 1), (5, "b", "1", 1)];
        let found = fresh(&calls(&rows)).findings;
        assert!(found[0].what.contains("another form"), "{}", found[0].what);
        assert_eq!(distinct(&calls(&rows)).findings.len(), 0);
        assert_eq!(fresh(&calls(&[(1, "a", &code, 1)])).findings.len(), 0);
        let rows = [(1, "a", "1", 1), (5, "b", "2", 1), (9, "c", "3", 1)];
        assert_eq!(fresh(&calls(&rows)).examined, 2);
    }

    #[test]
    fn time_goes_on() {
        const T: i64 = 1_767_225_600_000;
        for (rows, count) in [
            (
                &[
                    (1, "a", "1", T),
                    (900, "b", "2", T),
                    (1_500, "c", "3", T + 1_000),
                ][..],
                0,
            ),
            (
                &[(1, "a", "1", T), (900, "b", "2", T), (1_500, "c", "3", T)],
                1,
            ),
            (&[(1, "a", "1", T), (900, "b", "2", T - 900)], 0),
            // A second is not too much.
            (&[(1, "a", "1", T), (900, "b", "2", T - 1_000)], 0),
            (&[(1, "a", "1", T), (1_002, "b", "2", T)], 0),
            (&[(1, "a", "1", T), (1_003, "b", "2", T)], 1),
            (&[(1, "a", "1", T), (900, "b", "2", T - 1_100)], 1),
        ] {
            assert_eq!(fresh(&calls(rows)).findings.len(), count, "{rows:?}");
        }
    }

    #[test]
    fn a_minute_counts_if_blocks_have_the_time_of_this_computer() {
        let now = TimestampMs::now().as_millis();
        for (block, built, count) in [
            (now, now, 0),
            (now, now - 120_000, 1),
            (now, now + 7_200_000, 1),
            (now - 120_000, now - 120_000, 0),
            (now - 120_000, now - 2 * CLOCKS_DIFFER, 1),
        ] {
            let is_set = block == now;
            let block = format!(r#"{{"index":1,"timestamp":{block}}}"#);
            let built = format!(r#"{{"timestamp":{built}}}"#);
            let call = Request::post("/call-sc", "{}".to_owned());
            let rows = vec![
                (1, block_request(1), 200, block.as_str()),
                (5, call, 200, &built),
            ];
            let history = recorded(rows);
            assert_eq!(current(&history).findings.len(), count);
            // Only if the blocks have the right time, a node contradicts itself.
            let contradicts = count > 0 && is_set;
            assert_eq!(fresh(&history).findings.len(), usize::from(contradicts));
        }
    }
}
