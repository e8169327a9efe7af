//! The claims in a file of another program. Their exchanges get the steps that those of a run have, and submissions with
//! wrong signatures say so. Then the cases about claims and signatures judge them, too.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use nodeproof_client::{AddVerification, ContractFunction as _, SignedTransaction};
use nodeproof_primitives::WalletAddress;
use serde_json::{Value, value::RawValue};

use crate::{
    api::{Transaction, accepts, find, has_record, in_block, is_new, is_valid, requested},
    checks::verified_signers,
    history::MAX_CLAIMS,
    http::{Act, BatchStep, Exchange, LoggedExchange, Step},
};

/// Maximum number of claims that are examined, more than are judged.
const MOST: usize = 2 * MAX_CLAIMS as usize;

/// What a wrongly signed submission is called.
const WRONG: &str = "a transaction that lacks the right signature of a signer";

/// Marks the first claims, and all submissions with wrong signatures. `unanswered` are the bodies of submissions whose responses
/// are not known, or empty texts for unknown bodies.
pub(super) fn mark(exchanges: &mut [LoggedExchange], unanswered: &[String]) {
    mark_wrongly_signed(exchanges);
    exchanges.sort_by_key(|logged| logged.began);
    let claims = claims(exchanges, unanswered).into_iter();
    let steps = claims.zip(0..MAX_CLAIMS).flat_map(|(claim, number)| {
        let steps = steps(exchanges, &claim).into_iter();
        steps.map(move |(at, act)| (at, Step::Claim(number, act)))
    });
    for (at, step) in steps.collect::<Vec<_>>() {
        if let Some(exchange) = Arc::get_mut(&mut exchanges[at].exchange) {
            exchange.request.step = Some(step);
        }
    }
}

/// A claim of one wallet that the node built and then accepted, by the places of these exchanges.
struct Claim {
    built: usize,
    submitted: usize,
    contract: String,
    asset: String,
    /// Whether no other submission is about its asset.
    is_only: bool,
}

/// The submissions of a file.
#[derive(Default)]
struct Submissions<'e> {
    /// The places of those with a code.
    of_code: BTreeMap<&'e str, Vec<usize>>,
    /// The codes of those about an asset.
    of_asset: BTreeMap<&'e str, BTreeSet<&'e str>>,
}

impl<'e> Submissions<'e> {
    fn of(exchanges: &'e [LoggedExchange]) -> Self {
        let mut all = Self::default();
        for (at, logged) in exchanges.iter().enumerate() {
            for submission in submissions(&logged.exchange) {
                let transaction = Transaction::of(submission);
                let Some((transaction, code)) =
                    transaction.and_then(|one| Some((one, one.code()?)))
                else {
                    continue;
                };
                all.of_code.entry(code).or_default().push(at);
                if let Some(asset) = transaction.asset() {
                    all.of_asset.entry(asset).or_default().insert(code);
                }
            }
        }
        all
    }

    /// Returns the claim that a call built and that was accepted as it was built, when it was submitted first, and its code.
    fn claim(&self, exchanges: &'e [LoggedExchange], built: usize) -> Option<(Claim, &'e str)> {
        let call = &exchanges[built];
        let (sent, answer) = (call.exchange.sent()?, call.exchange.success_object()?);
        let code = find(answer, "trans_code")?.1.as_str()?;
        let all = self.of_code.get(code)?;
        let is_right = |at: &usize| {
            let request = &exchanges[*at].exchange.request;
            request.path == SUBMIT && request.wrongly_signed.is_none()
        };
        let submitted = *all.iter().find(|at| is_right(at))?;
        let mut wrong = all.iter().take_while(|at| **at != submitted);
        let is_first = !wrong.any(|at| accepts(&exchanges[*at].exchange, code));
        let first = &exchanges[submitted];
        let transaction = Transaction::sent_in(&first.exchange)?;
        let asset = sent["params"]["asset_id"].as_str()?;
        let is_claim = sent["function_called"] == AddVerification::NAME
            && transaction.call() == find(answer, "specific_data")?.1
            && transaction.signers().count() == 1
            && is_first
            && is_valid(&first.exchange)
            // The program may have submitted it to another node before.
            && is_new(&first.exchange) == Some(true)
            && call.ended <= first.began
            && code.len() == 40;
        let claim = Claim {
            built,
            submitted,
            contract: sent["sc_address"].as_str()?.to_owned(),
            asset: asset.to_owned(),
            is_only: self.of_asset.get(asset)?.len() == 1,
        };
        is_claim.then_some((claim, code))
    }
}

/// Returns the first claims that were accepted, whose codes nothing had before.
fn claims(exchanges: &[LoggedExchange], unanswered: &[String]) -> Vec<Claim> {
    let submissions = Submissions::of(exchanges);
    let is_fresh = |(claim, code): &(Claim, &str)| {
        let has_it = |text: &str| text.contains(code);
        let mut earlier = exchanges[..claim.built].iter();
        let is_known = earlier.any(|logged| {
            let sent = logged.exchange.request.body.as_deref();
            let received = std::str::from_utf8(&logged.exchange.body);
            sent.is_some_and(has_it) || received.is_ok_and(has_it)
        });
        let mut unanswered = unanswered.iter();
        !is_known && !unanswered.any(|body| body.is_empty() || has_it(body))
    };
    let calls = exchanges.iter().enumerate();
    let calls = calls.filter(|(_, logged)| logged.exchange.request.path == "/call-sc");
    let claims = calls.filter_map(|(at, _)| submissions.claim(exchanges, at));
    let fresh = claims.take(MOST).filter(is_fresh);
    fresh.map(|(claim, _)| claim).collect()
}

/// Returns the steps of a claim, with the places of their exchanges.
fn steps(exchanges: &[LoggedExchange], claim: &Claim) -> Vec<(usize, Act)> {
    let submitted = &exchanges[claim.submitted];
    let later = exchanges.iter().enumerate();
    let later = later.filter(|(_, logged)| logged.began >= submitted.ended);
    let is_again = |exchange: &Exchange| {
        exchange.request.path == SUBMIT
            && exchange.request.wrongly_signed.is_none()
            && Transaction::sent_in(exchange) == Transaction::sent_in(&submitted.exchange)
    };
    let is_read = |exchange: &Exchange| {
        let asks = |name, value: &str| requested(exchange, name) == Some(value);
        exchange.request.path == "/sc-state"
            && asks("contract_address", &claim.contract)
            && asks("unique_column", "asset_id")
            && asks("unique_value", &claim.asset)
            && asks("table_name", "verification")
    };
    let again = later
        .clone()
        .filter(|(_, logged)| is_again(&logged.exchange));
    let again = again.map(|(at, _)| (at, Act::Again));
    let read = later.filter(|(_, logged)| is_read(&logged.exchange));
    let read: Vec<_> = read.collect();
    let is_record = |logged: &LoggedExchange| has_record(&logged.exchange);
    // A second claim of a wallet may leave the record as it was. The first one may not be in the file.
    let earlier = exchanges
        .iter()
        .filter(|one| one.ended <= submitted.began && is_read(&one.exchange));
    let earlier: Vec<_> = earlier.map(is_record).collect();
    let code = Transaction::sent_in(&submitted.exchange).and_then(Transaction::code);
    let shows_it = |logged: &LoggedExchange| {
        let is_block = logged.exchange.request.path == "/get-block";
        let block = logged.exchange.success_object().filter(|_| is_block);
        block
            .zip(code)
            .is_some_and(|(block, code)| in_block(block, code).is_some())
    };
    let is_first = match earlier[..] {
        [] => exchanges.iter().any(shows_it),
        _ => !earlier.contains(&true),
    };
    // A program may give up before the record is there.
    let is_found = read.iter().any(|(_, logged)| is_record(logged));
    let is_judged = claim.is_only && is_found && is_first;
    let read = read.into_iter().filter(|_| is_judged);
    let read = read.map(|(at, _)| (at, Act::Record));
    [(claim.built, Act::Build), (claim.submitted, Act::Submit)]
        .into_iter()
        .chain(again)
        .chain(read)
        .collect()
}

/// Marks the submissions that lack a right signature of a wallet whose signature of another submission is right. Other
/// signatures may be right by an algorithm, or with a key, that is not known.
fn mark_wrongly_signed(exchanges: &mut [LoggedExchange]) {
    let signed: Vec<_> = exchanges
        .iter()
        .map(|logged| signed_in(&logged.exchange))
        .collect();
    let right = signed.iter().flatten().filter(|one| one.is_right);
    let known: BTreeSet<_> = right.flat_map(|one| &one.signers).collect();
    for (logged, all) in exchanges.iter_mut().zip(&signed) {
        // A batch may also have the right submission of a transaction.
        let right = all.iter().filter(|one| one.is_right);
        let right: BTreeSet<_> = right.map(|one| &one.code).collect();
        let is_wrong = |one: &&Signed| {
            !right.contains(&one.code) && one.signers.iter().all(|signer| known.contains(signer))
        };
        let wrong: Vec<_> = all.iter().filter(is_wrong).collect();
        let Some(exchange) = Arc::get_mut(&mut logged.exchange).filter(|_| !wrong.is_empty())
        else {
            continue;
        };
        if exchange.request.path == SUBMIT {
            exchange.request.wrongly_signed = Some(WRONG.to_owned());
        } else {
            let wrong = wrong.iter().map(|one| (one.code.clone(), WRONG.to_owned()));
            exchange.request.step = Some(Step::Batch(BatchStep {
                control: None,
                wrong: wrong.collect(),
            }));
        }
    }
}

const SUBMIT: &str = "/submit-transaction";

/// Returns the submissions of a request.
fn submissions(exchange: &Exchange) -> &[Value] {
    match exchange.request.path.starts_with(SUBMIT) {
        true => exchange.submissions(),
        false => &[],
    }
}

/// A transaction that was submitted.
struct Signed {
    code: String,
    signers: Vec<WalletAddress>,
    /// Whether the signature of each signer verifies.
    is_right: bool,
}

/// Returns the transactions with signers that a request submits.
fn signed_in(exchange: &Exchange) -> Vec<Signed> {
    let body = exchange.request.body.as_deref().unwrap_or_default();
    let texts: Vec<&str> = match exchange.request.path {
        SUBMIT => vec![body],
        path if path.starts_with(SUBMIT) => {
            let all: Vec<&RawValue> = serde_json::from_str(body).unwrap_or_default();
            all.into_iter().map(RawValue::get).collect()
        }
        _ => Vec::new(),
    };
    let signed = |(text, sent): (&str, &Value)| {
        let code = Transaction::of(sent)?.code()?;
        let (signers, verified) = verified_signers(&SignedTransaction::from_json(text).ok()?)?;
        Some(Signed {
            code: code.to_owned(),
            signers,
            is_right: verified.is_ok(),
        })
    };
    let submissions = submissions(exchange);
    let texts = texts.into_iter().zip(submissions);
    texts.filter_map(signed).collect()
}
