//! The rule *refused*: what the node refused is in no block and has no record.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::{
    api::{
        Transaction, has_record, is_missing_endpoint, is_refusal, is_valid, known_rows, requested,
        stored, times_in_batch, times_in_block,
    },
    checks::{Examination, Finding},
    context::right_rows,
    history::{Entry, History},
    http::{Act, Exchange, Step},
};

/// The function that makes a record.
const MAKES_RECORDS: &str = "add_verification";

/// What became of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    Refused,
    /// It was accepted, and calls another function than the one that makes records, or another contract.
    OtherCall,
    /// The response does not show it.
    Unknown,
    Accepted,
}

/// A contract and an asset.
type Asset = (String, String);

/// What became of the submissions of a run. The highest fate of several counts.
#[derive(Debug, Default)]
struct Fates {
    of_codes: BTreeMap<String, Fate>,
    of_assets: BTreeMap<Asset, Fate>,
}

impl Fates {
    fn of(history: &History) -> Self {
        let mut fates = Self::default();
        for entry in history.submissions() {
            for submission in entry.submissions() {
                fates.add(entry, submission);
            }
        }
        fates.add_elsewhere();
        fates
    }

    fn add(&mut self, entry: &Entry, submission: &Value) {
        let transaction = Transaction::of(submission).unwrap_or(Transaction(&Value::Null));
        // The letters of a code may be upper or lower case.
        let code = transaction.code().map(str::to_lowercase);
        let code_text = code.as_deref().unwrap_or_default();
        let fate = match fate(&entry.exchange, code_text) {
            // Other cases report it.
            Fate::Refused if !may_be_refused(entry, code_text) => Fate::Unknown,
            fate => fate,
        };
        if let Some(code) = code {
            let known = self.of_codes.entry(code).or_insert(fate);
            *known = fate.max(*known);
        }
        if let Some((contract, asset)) = transaction.contract().zip(transaction.asset()) {
            let fate = match fate {
                Fate::Accepted if transaction.call()["function"] != MAKES_RECORDS => {
                    Fate::OtherCall
                }
                fate => fate,
            };
            let asset = (contract.to_owned(), asset.to_owned());
            let known = self.of_assets.entry(asset).or_insert(fate);
            *known = fate.max(*known);
        }
    }

    /// Notes that what was sent to another contract than most submissions makes no record in theirs.
    fn add_elsewhere(&mut self) {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (contract, _) in self.of_assets.keys() {
            *counts.entry(contract).or_default() += 1;
        }
        let usual = counts.into_iter().max_by_key(|(_, count)| *count);
        let Some(usual) = usual.map(|(contract, _)| contract.to_owned()) else {
            return;
        };
        let others = self.of_assets.iter();
        let others =
            others.filter(|((contract, _), fate)| *contract != usual && **fate != Fate::Unknown);
        let elsewhere: Vec<_> = others
            .map(|((_, asset), fate)| {
                ((usual.clone(), asset.clone()), (*fate).min(Fate::OtherCall))
            })
            .collect();
        for (asset, fate) in elsewhere {
            self.of_assets.entry(asset).or_insert(fate);
        }
    }
}

/// Whether it matters that a submission with this code was refused. Other cases report that a right one was, unless it
/// is a claim of the user, who pays for it.
fn may_be_refused(entry: &Entry, code: &str) -> bool {
    let is_right = |what: &String| right_rows().iter().any(|row| row.what == *what);
    match &entry.exchange.request.step {
        Some(Step::Control | Step::RightThen | Step::OfABlock) => false,
        Some(Step::Claim(_, Act::Unusual | Act::Reversed)) => false,
        Some(Step::Row(what) | Step::Claim(_, Act::Row(what))) => !is_right(what),
        Some(Step::Batch(batch)) => batch.wrong.iter().any(|(wrong, _)| wrong == code),
        Some(
            Step::WrongAtFirst
            | Step::Payable(_)
            | Step::Probe(..)
            | Step::Reordered
            | Step::Claim(..)
            | Step::KeepAll,
        )
        | None => true,
    }
}

/// Returns what became of a submission with this code, which was sent alone or in a batch.
fn fate(exchange: &Exchange, code: &str) -> Fate {
    let in_list = |list| times_in_batch(exchange, list, code) > 0;
    if is_valid(exchange) || in_list("accepted_transactions") {
        return Fate::Accepted;
    }
    let is_refused = is_clear_refusal(exchange) || in_list("failed_transactions");
    match is_refused && !exchange.is_repeated {
        true => Fate::Refused,
        false => Fate::Unknown,
    }
}

/// Whether a response refuses a submission, and not only fails to understand it.
pub(crate) fn is_clear_refusal(exchange: &Exchange) -> bool {
    let says_no = |body: &Value| {
        body.pointer("/response/valid") == Some(&Value::Bool(false)) || is_refusal(body)
    };
    let is_wrong_request = (400..500).contains(&exchange.status);
    !is_missing_endpoint(exchange.status)
        && (is_wrong_request || exchange.json().is_ok_and(says_no))
}

/// Returns the contracts and assets of claims that were only refused, or that no accepted claim is about.
pub(crate) fn refused_assets(history: &History) -> BTreeSet<Asset> {
    let assets = Fates::of(history).of_assets.into_iter();
    let refused = assets.filter(|(_, fate)| *fate <= Fate::OtherCall);
    refused.map(|(asset, _)| asset).collect()
}

/// Returns the contract and the asset of a request for an asset's record.
fn asset_of(exchange: &Exchange) -> Option<Asset> {
    let named = |name| requested(exchange, name).map(ToOwned::to_owned);
    let is_by_asset = requested(exchange, "unique_column") == Some("asset_id");
    let asset = named("contract_address").zip(named("unique_value"));
    asset.filter(|_| is_by_asset)
}

/// Whether all records in a response are about other assets. Another case reports that.
fn is_of_another(exchange: &Exchange, asset: &str) -> bool {
    let records = exchange.success_object().and_then(stored);
    let records = records.map(known_rows).unwrap_or_default();
    let mut assets = records.iter().map(|record| record.column("asset_id"));
    assets.len() > 0 && assets.all(|known| known.is_some_and(|known| known != asset))
}

/// Judges all blocks and records that were read since the run's first submission.
pub(crate) fn refused(history: &History) -> Examination {
    let mut result = Examination::default();
    let fates = Fates::of(history);
    let since = |entry: &&Entry| Some(entry.began) >= history.first_submission();
    let records = || history.of_path("/sc-state");
    // A missing record counts only if records can be read at all.
    let can_read = records().any(|entry| has_record(&entry.exchange));
    let earlier = records().filter(|entry| Some(entry.ended) < history.first_submission());
    let earlier = earlier.filter(|entry| has_record(&entry.exchange));
    // These assets have a record, whatever becomes of other claims about them.
    let mut found: BTreeSet<_> = earlier
        .filter_map(|entry| asset_of(&entry.exchange))
        .collect();
    for entry in records().filter(since) {
        let exchange = &entry.exchange;
        let Some(asset) = asset_of(exchange) else {
            continue;
        };
        let what = match fates.of_assets.get(&asset) {
            Some(Fate::Refused) => "a claim that was refused is stored anyway",
            Some(Fate::OtherCall) => "a call of another function or contract is stored as a claim",
            _ => continue,
        };
        if !has_record(exchange) || is_of_another(exchange, &asset.1) {
            result.examined += u64::from(can_read && exchange.success_object().is_some());
        } else if found.insert(asset) {
            result.push(Finding::of_response(exchange, what, "no record"));
        }
    }
    let refused = fates.of_codes.iter();
    let refused = refused.filter(|(_, fate)| **fate == Fate::Refused);
    let refused: Vec<_> = refused.map(|(code, _)| code).collect();
    let mut blocks = history.blocks().filter(|(_, entry)| since(entry));
    let in_block = blocks.find_map(|(_, entry)| {
        let body = entry.exchange.success_object()?;
        let code = refused.iter().find(|code| times_in_block(body, code) > 0)?;
        let what = "a transaction that was refused is in a block";
        let expected = format!("no transaction with the trans_code {code}");
        let finding = Finding::of_body(&entry.exchange, what, expected);
        Some(finding.at("/text/transactions"))
    });
    result.findings.extend(in_block);
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        api::{block_request, contract_state_request},
        history::recorded,
        http::{BatchStep, Request},
    };

    const CODE: &str = "0011223344556677889900112233445566778899";
    const VALID: &str = r#"{"response":{"valid":true}}"#;
    const NOT_VALID: &str = r#"{"response":{"valid":false}}"#;
    const RECORD: &str = r#"{"value":["a","b"]}"#;
    const NONE: &str = r#"{"value":null}"#;

    fn submission(function: &str) -> String {
        submission_to("ct", "a", function)
    }

    fn submission_to(contract: &str, asset: &str, function: &str) -> String {
        let params = format!(r#"{{"asset_id":"{asset}"}}"#);
        let data =
            format!(r#"{{"address":"{contract}","function":"{function}","params":{params}}}"#);
        format!(r#"{{"transaction":{{"trans_code":"{CODE}","specific_data":{data}}}}}"#)
    }

    fn judged(submissions: &[(&str, &str, u16, &str)], record: &str, block: &str) -> Vec<String> {
        let sent = submissions.iter().zip(1..);
        let sent = sent.map(|((path, function, status, reply), at)| {
            let body = submission(function);
            let request = match *path {
                "batch" => Request::post("/submit-transaction-batch", format!("[{body}]")),
                _ => Request::post("/submit-transaction", body),
            };
            (at, request, *status, *reply)
        });
        let read = [
            (40, contract_state_request("ct", "a"), 200, record),
            (50, contract_state_request("ct", "another"), 200, RECORD),
            (60, block_request(7), 200, block),
        ];
        let result = refused(&recorded(sent.chain(read).collect()));
        result.findings.into_iter().map(|one| one.what).collect()
    }

    #[test]
    fn what_was_only_refused_has_no_effect() {
        const STORED: &str = "a claim that was refused is stored anyway";
        const OTHER: &str = "a call of another function or contract is stored as a claim";
        let refusal = ("", MAKES_RECORDS, 200, NOT_VALID);
        let acceptance = ("", MAKES_RECORDS, 200, VALID);
        let failed = format!(r#"{{"response":{{"failed_transactions":["{CODE}"]}}}}"#);
        let in_batch = format!(r#"{{"response":{{"accepted_transactions":["{CODE}"]}}}}"#);
        for (submissions, expected) in [
            (&[refusal][..], Some(STORED)),
            (&[("", MAKES_RECORDS, 422, "{}")], Some(STORED)),
            (&[("batch", MAKES_RECORDS, 200, &*failed)], Some(STORED)),
            (&[("batch", MAKES_RECORDS, 200, &*in_batch)], None),
            (&[refusal, acceptance], None),
            (&[acceptance, refusal], None),
            // Nobody knows what became of it.
            (&[("", MAKES_RECORDS, 503, "{}")], None),
            (&[("", MAKES_RECORDS, 200, "refusal JSON")], None),
            (&[("", MAKES_RECORDS, 404, "{}")], None),
            (&[("", "transfer", 200, VALID)], Some(OTHER)),
            (&[("", "transfer", 200, VALID), acceptance], None),
        ] {
            let found = judged(submissions, RECORD, "{}");
            assert_eq!(found, Vec::from_iter(expected), "{submissions:?}");
            assert_eq!(judged(submissions, NONE, "{}"), [""; 0], "{submissions:?}");
            let of_another = r#"{"value":{"asset_id":"ab"}}"#;
            assert_eq!(judged(submissions, of_another, "{}"), [""; 0]);
        }
    }

    /// A right submission may have been refused for a reason that another case has.
    #[test]
    fn the_refusal_of_a_right_submission_shows_nothing() {
        let right = right_rows().first().expect("a row").what.clone();
        let wrong = "a wrong one".to_owned();
        let batch = |code: &str| {
            Step::Batch(BatchStep {
                control: None,
                wrong: vec![(code.to_owned(), wrong.clone())],
            })
        };
        for (step, is_found) in [
            (None, true),
            (Some(Step::Control), false),
            (Some(Step::RightThen), false),
            (Some(Step::WrongAtFirst), true),
            (Some(Step::Claim(0, Act::Unusual)), false),
            (Some(Step::Claim(0, Act::Reversed)), false),
            (Some(Step::Claim(0, Act::Submit)), true),
            (Some(Step::Claim(0, Act::Row(right.clone()))), false),
            (Some(Step::Row(right)), false),
            (Some(Step::Row(wrong.clone())), true),
            (Some(batch(CODE)), true),
            (Some(batch("another")), false),
        ] {
            let request = Request {
                step: step.clone(),
                ..Request::post("/submit-transaction", submission(MAKES_RECORDS))
            };
            let rows = vec![
                (10, request, 200, NOT_VALID),
                (40, contract_state_request("ct", "a"), 200, RECORD),
            ];
            let history = recorded(rows);
            let found = !refused(&history).has_no_findings();
            assert_eq!(found, is_found, "{step:?}");
            let asset = ("ct".to_owned(), "a".to_owned());
            assert_eq!(
                refused_assets(&history).contains(&asset),
                is_found,
                "{step:?}"
            );
        }
    }

    /// Most submissions of a run are to one contract.
    #[test]
    fn a_call_of_another_contract_makes_no_record_in_the_usual_one() {
        for (other, reply, read, is_found) in [
            ("ct2", VALID, "there", true),
            ("ct2", NOT_VALID, "there", true),
            ("ct2", "refusal JSON", "there", false),
            ("ct1", VALID, "there", false),
            ("ct2", VALID, "a", false),
            ("ct2", VALID, "never claimed", false),
        ] {
            let submission = |contract, asset: &str| {
                Request::post(
                    "/submit-transaction",
                    submission_to(contract, asset, MAKES_RECORDS),
                )
            };
            let rows = vec![
                (10, submission("ct1", "a"), 200, VALID),
                (12, submission("ct1", "b"), 200, VALID),
                (20, submission(other, "there"), 200, reply),
                (40, contract_state_request("ct1", read), 200, RECORD),
            ];
            let found = !refused(&recorded(rows)).has_no_findings();
            assert_eq!(found, is_found, "{other} {reply} {read}");
        }
    }

    /// A refused claim about an asset that has a record shows nothing.
    #[test]
    fn a_record_from_before_the_run_is_not_that_of_a_refused_claim() {
        for (before, is_found) in [(RECORD, false), (NONE, true)] {
            let request = Request::post("/submit-transaction", submission(MAKES_RECORDS));
            let rows = vec![
                (2, contract_state_request("ct", "a"), 200, before),
                (10, request, 200, NOT_VALID),
                (40, contract_state_request("ct", "a"), 200, RECORD),
            ];
            assert_ne!(refused(&recorded(rows)).has_no_findings(), is_found);
        }
    }

    /// If no record can be read, a missing one shows nothing.
    #[test]
    fn a_missing_record_counts_if_records_can_be_read() {
        for (record, of_another, examined) in
            [(NONE, RECORD, 1), (NONE, NONE, 0), ("no JSON", RECORD, 0)]
        {
            let request = Request::post("/submit-transaction", submission(MAKES_RECORDS));
            let rows = vec![
                (10, request, 200, NOT_VALID),
                (40, contract_state_request("ct", "a"), 200, record),
                (50, contract_state_request("ct", "another"), 200, of_another),
            ];
            assert_eq!(refused(&recorded(rows)).examined, examined, "{record}");
        }
    }

    #[test]
    fn what_was_only_refused_is_in_no_block() {
        let block = |code: &str| {
            format!(
                r#"{{"index":7,"text":{{"transactions":[{{"transaction":{{"trans_code":"{code}"}}}}]}}}}"#
            )
        };
        let (own, other) = (block(CODE), block(&"5a".repeat(20)));
        let refusal = ("", MAKES_RECORDS, 200, NOT_VALID);
        let acceptance = ("", MAKES_RECORDS, 200, VALID);
        for (submissions, block, is_right) in [
            (&[refusal][..], &own, false),
            (&[refusal], &other, true),
            (&[refusal, acceptance], &own, true),
        ] {
            let found = judged(submissions, NONE, block);
            assert_eq!(found.is_empty(), is_right, "{submissions:?}: {found:?}");
        }
    }
}
