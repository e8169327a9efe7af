//! The transactions in blocks, if they have the form that `/submit-transaction` takes.
//!
//! The specification leaves the form of a block's transactions open. These cases skip transactions
//! of another form.

use nodeproof_client::SignedTransaction;
use nodeproof_primitives::{TransactionCode, escape::escaped_up_to as shown};
use serde_json::Value;

use super::{
    case::{Case, Example},
    chain::BASE,
    check::Check,
};
use crate::{
    api::{BlockResponse, MILLISECONDS},
    checks::{
        Evidence, Examination, Finding, Fingerprint, Links, Memory, signed_transaction,
        verified_signers,
    },
};

const NONE: &str = "no block contained a transaction in the submitted form";

pub(crate) const CASES: &[Case] = &[
    Case {
        id: "chain/transaction-time-unit",
        requirements: &["FORM-1", "TX-1"],
        checks: "Timestamps of transactions in blocks are milliseconds. Transactions of another shape are not checked.",
        example: Example::Named("/get-block", "block_with_a_claim"),
        check: Check::alone(time_unit, NONE),
        ..BASE
    },
    Case {
        id: "chain/transaction-form",
        requirements: &[
            "TX-2", "TX-1", "TX-3", "TX-4", "TX-5", "TX-6", "TX-7", "TX-8", "TX-10", "TX-11",
        ],
        checks: "Each transaction in a block that has the submitted form has a `trans_code` of 40 hexadecimal characters, and members of the documented types. A contract call has no more elements of `signatures` than signers, and each names one of them, or the wallet in `fee_payer`.",
        example: Example::Named("/get-block", "block_with_a_claim"),
        check: Check::alone(submitted_form, NONE),
        ..BASE
    },
    Case {
        id: "chain/distinct-transactions",
        requirements: &["CONSISTENT-8", "TX-2", "FORM-5"],
        checks: "No two transactions in blocks have the same `trans_code`, also if a later one replaces one in an older block.",
        example: Example::Named("/get-block", "block_with_a_claim"),
        check: Check::in_order(distinct, 1, NONE),
        ..BASE
    },
    Case {
        id: "chain/transaction-signatures",
        requirements: &["SUBMIT-3", "OPEN-13"],
        checks: "Each contract call in a block has the valid signature of every signer, with the algorithm of known nodes. If none does, that is a warning: the node may use another algorithm.",
        if_none_fits: "no signature of a transaction could be verified",
        exception: Some(
            "The specification states that each signer signs. The algorithm is only observed, but a block whose calls verify and one whose calls do not can't both show what was signed.",
        ),
        example: Example::Named("/get-block", "block_with_a_claim"),
        check: Check::alone(signatures, "no block contained a contract call"),
        ..BASE
    },
];

/// Returns the transactions of a block in the form of a submission, with their positions.
fn transactions(seen: &BlockResponse) -> impl Iterator<Item = (String, SignedTransaction)> {
    let found = seen
        .block()
        .and_then(|block| block.transactions.as_ref().ok());
    let found = found.into_iter().flatten().enumerate();
    found.filter_map(|(index, transaction)| {
        let place = format!("/text/transactions/{index}");
        Some((place, transaction.signed().ok()?))
    })
}

fn time_unit(seen: &BlockResponse, result: &mut Examination) {
    for (place, _) in transactions(seen) {
        let at = format!("{place}/transaction/timestamp");
        let time = seen
            .exchange
            .success_object()
            .and_then(|body| body.pointer(&at));
        // The specification does not show the shape of a block's transactions, so one may have no
        // time.
        let Some(time) = time else { continue };
        result.count_item();
        if let Some((what, actual)) = wrong_time(time) {
            let what = format!("a transaction's timestamp that {what}");
            result.push(Finding::new(&seen.exchange, what, TIME, actual).at(at));
        }
    }
}

/// A member of a transaction, whether a value has its documented type, and that type in words. Another case is about
/// the timestamp.
type Form = (&'static str, fn(&Value) -> bool, &'static str);

const FORMS: [Form; 9] = [
    ("/type", is_integer, "an integer"),
    ("/currency", Value::is_string, "a string"),
    ("/fee", Value::is_number, "a number"),
    ("/descr", Value::is_string, "a string"),
    ("/valid", is_integer, "an integer"),
    ("/specific_data", Value::is_object, "an object"),
    ("/specific_data/address", Value::is_string, "a string"),
    ("/specific_data/function", Value::is_string, "a string"),
    ("/specific_data/signers", Value::is_array, "an array"),
];

fn is_integer(value: &Value) -> bool {
    value.is_i64() || value.is_u64()
}

/// Checks the code of each transaction in a block, the types of its members, and whom its signatures name. Another case verifies them.
fn submitted_form(seen: &BlockResponse, result: &mut Examination) {
    let list = seen.exchange.success_object();
    let list = list.and_then(|body| body.pointer("/text/transactions")?.as_array());
    for (index, entry) in list.into_iter().flatten().enumerate() {
        let Some(transaction) = entry.get("transaction") else {
            continue;
        };
        let place = format!("/text/transactions/{index}");
        let mut wrong = |what: &str, expected: &str, actual: &Value, at: &str| {
            let actual = shown(&actual.to_string(), 160);
            let finding = Finding::new(&seen.exchange, what, expected, actual);
            result.push(finding.at(format!("{place}{at}")));
        };
        if let Some(code) = transaction.get("trans_code")
            && code
                .as_str()
                .is_none_or(|code| code.parse::<TransactionCode>().is_err())
        {
            let what = "a transaction in a block has a code of another form";
            wrong(
                what,
                "40 hexadecimal characters",
                code,
                "/transaction/trans_code",
            );
        }
        for (at, is_right, expected) in FORMS {
            if let Some(value) = transaction.pointer(at)
                && !is_right(value)
            {
                let what = "a member of a transaction in a block has another type";
                wrong(what, expected, value, &format!("/transaction{at}"));
            }
        }
        let signers = transaction["specific_data"]["signers"].as_array();
        let signatures = entry.get("signatures").and_then(Value::as_array);
        if let (Some(signers), Some(signatures)) = (signers, signatures) {
            // The wallet that pays may have signed, too.
            let payer = transaction.get("fee_payer");
            let may_sign = || signers.iter().chain(payer);
            let names_none = |entry: &&Value| {
                let named = entry.get("wallet_address").and_then(Value::as_str);
                named.is_some_and(|named| !may_sign().any(|one| is_wallet(one, named)))
            };
            let what = "a transaction in a block has a signature that names no signer";
            if let Some(entry) = signatures.iter().find(names_none) {
                wrong(
                    what,
                    "a wallet in `signers`",
                    &entry["wallet_address"],
                    "/signatures",
                );
            } else if signatures.len() > may_sign().count() {
                let what = "a transaction in a block has more signatures than signers";
                let expected = format!("{} signatures", signers.len());
                wrong(what, &expected, &signatures.len().into(), "/signatures");
            }
        }
        result.count_item();
    }
}

/// Whether a signer is this wallet. The letters of an address may be upper or lower case.
fn is_wallet(signer: &Value, wallet: &str) -> bool {
    let signer = signer.as_str();
    signer.is_some_and(|signer| signer.eq_ignore_ascii_case(wallet))
}

/// The expected form of a timestamp.
pub(crate) const TIME: &str =
    "an integer: milliseconds since the Unix epoch, after 1973 and before 5138";

/// Returns the fault of a timestamp, and its value.
pub(crate) fn wrong_time(time: &Value) -> Option<(&'static str, String)> {
    let actual = shown(&time.to_string(), 80);
    match time.as_i64() {
        Some(time) if MILLISECONDS.contains(&time) => None,
        None if !time.is_u64() => Some(("is not an integer", actual)),
        _ => Some(("is not in milliseconds", actual)),
    }
}

/// Checks that a transaction occurs only once in the chain.
fn distinct(links: &Links, memory: &mut Memory, evidence: &Evidence, result: &mut Examination) {
    for (place, code) in &links.codes {
        result.count_item();
        let code = code.to_string();
        let here = (links.index, *place);
        if let Some((block, before)) = memory.codes.seen_before(Fingerprint::of(&code), here) {
            let what = "two transactions have the same code";
            let expected = format!(
                "a code that differs from that of /text/transactions/{before} in block {block}"
            );
            result.push(
                Finding::of_report(evidence.report(), what, expected, code)
                    .at(format!("/text/transactions/{place}/transaction/trans_code")),
            );
        }
    }
}

/// Checks the signatures of contract calls, which name their signers. Other types were seen without
/// signers, and are skipped.
fn signatures(seen: &BlockResponse, result: &mut Examination) {
    for (place, signed) in transactions(seen) {
        let Some((_, verified)) = verified_signers(&signed) else {
            continue;
        };
        result.count_item();
        if let Err(reason) = verified {
            let what = "a transaction in a block is not signed by all of its signers";
            let expected = "the signature of every signer";
            result.push(
                Finding::new(&seen.exchange, what, expected, reason)
                    .at(format!("{place}/signatures"))
                    .with_signed_message(signed_transaction(signed.text().as_str())),
            );
        }
    }
}
