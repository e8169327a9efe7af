//! A claim from its call to its block, with a wallet that pays for it.
//!
//! All cases examine the same claim, each at one step of it. If an earlier step fails, the cases of
//! later steps are inconclusive. So one fault makes one case fail.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use nodeproof_primitives::escape::escaped_up_to as shown;
use nodeproof_report::{Aspect, Level};
use serde_json::Value;

use super::{
    call_sc::NO_CALLS,
    case::{Case, Example},
    cause::{Cause, When},
    check::Check::{Own, Snapshot},
    get_balances::{HELD, HOLDERS},
    limits::{may_be_beyond_a_limit, may_be_too_long},
    request_kind::RequestKind,
    sc_state::NO_STATE,
    submit_transaction::{
        KNOWN_CODE, NO_RESPONSES, REFUSED, REFUSED_STORED, UNVERIFIED, UNVERIFIED_PAYER,
    },
};
use crate::{
    api::{
        BlockResponse, ResponseKind, Sample, Tier, Transaction, find, is_new, is_valid, message,
        submitted_code,
    },
    checks::{Examination, Finding, Findings, check_sample_responses, verified},
    context::{Context, difference_from_call, held_by},
    history::{ClaimSteps, Claims, History, OF_CO_SIGNER, OF_SAME_ASSET},
    http::{Act, Exchange, Wording, unknown},
    rules::known,
};

/// What most of these cases share.
pub(super) const BASE: Case = Case {
    tier: Tier::Write,
    matters: "Signatures are the only thing that keeps others from spending a wallet's tokens or claiming in its name.",
    example: Example::Of("/submit-transaction"),
    sends: &[FEE_BALANCE, HELD, HOLDERS, BUILD, SUBMIT, RECORD],
    needs: &[
        NO_RESPONSES,
        NO_STATE,
        NO_CALLS,
        KNOWN_CODE,
        EARLIER_STEP,
        REFUSED_STORED,
    ],
    ..Case::BASE
};

pub(super) const FEE_BALANCE: RequestKind = RequestKind::get(
    "/get-balances",
    &[
        ("balance_type", "TOKEN_IN_WALLET"),
        ("token_code", "the fee's token"),
        ("wallet_address", "the wallet that signs"),
    ],
);
const BUILD: RequestKind = RequestKind::post(
    "/call-sc",
    "a claim about an asset without claims, to be signed and submitted, or refused",
);
pub(super) const SUBMIT: RequestKind = RequestKind::post(
    "/submit-transaction",
    "that claim, signed with the wallet: three times at the same moment, three times later, and in other forms; \
     with faults before it, at the same moment and after it; one with another key before it, and one with its \
     trans_code and some with similar ones after it, which a throw-away wallet signs in its own name; with --claims, \
     two with its signature and another trans_code, transactions that the wallet signs although they are wrong, and \
     further claims that are pending together, also in a batch, on a devnet one of them with its fee in another token, and one about \
     the co-signer's asset; \
     with --co-signer, also a claim of the co-signer, one of both wallets, with the same faults, and one that lacks a \
     third signer's signature",
);
pub(super) const RECORD: RequestKind = RequestKind::get(
    "/sc-state",
    &[
        ("table_name", "verification"),
        ("contract_address", "the claim's contract"),
        ("unique_column", "asset_id"),
        (
            "unique_value",
            "the claim's asset, the refused one's, or another one",
        ),
    ],
);

/// A claim that failed at an earlier step.
pub(super) const EARLIER_STEP: Cause = Cause::new(
    &[
        "submit-transaction/claim-built",
        "submit-transaction/claim-accepted",
        "submit-transaction/claim-readable",
    ],
    When::Inconclusive,
);

/// A node that accepts something else with the code of the claim, in place of the claim or beside it.
pub(super) const OTHER_ACCEPTED: Cause = Cause::of(&["submit-transaction/known-code-altered"]);

pub(crate) const CASES: &[Case] = &[
    Case {
        id: "submit-transaction/claim-built",
        requirements: &["RECORD-2", "CALL-1", "CALL-6"],
        checks: "`/call-sc` builds the claim that was requested, without anything that was not requested. Only such a transaction is signed.",
        example: Example::Of("/call-sc"),
        explained_by: &[Cause::of(&["call-sc/echo"])],
        check: Own(|c| Box::pin(built(c))),
        ..BASE
    },
    Case {
        id: "submit-transaction/claim-accepted",
        requirements: &["SUBMIT-1", "SUBMIT-5", "RECORD-2", "RECORD-4"],
        checks: "A claim with the fee and the signature of its wallet has `response.valid` true, and so has one of two wallets that is signed as it was built. On a devnet, so has a claim of each of several wallets about one asset, if the node takes such claims, also if it was refused before its wallet could pay. A refusal for the fee shows nothing if all that was accepted has one other fee or a far lower one, and none for what is pending, if something is.",
        explained_by: &[Cause::of(&["submit-transaction/signed-values"])],
        is_essential: true,
        check: Own(|c| Box::pin(accepted(c))),
        ..BASE
    },
    Case {
        id: "submit-transaction/claim-status",
        requirements: &["SUBMIT-4"],
        checks: "`status` of an accepted submission is `SUCCESS`.",
        check: Own(|c| Box::pin(status(c))),
        ..BASE
    },
    Case {
        id: "submit-transaction/claim-msg",
        requirements: &["SUBMIT-6"],
        checks: "`response.msg` of an accepted submission is a string.",
        check: Own(|c| Box::pin(msg(c))),
        ..BASE
    },
    Case {
        id: "submit-transaction/claim-document",
        requirements: &["SUBMIT-4", "SUBMIT-5"],
        checks: "The response to an accepted submission is one JSON object, without duplicate members.",
        check: Own(|c| Box::pin(check_sample_responses(c, Sample::Acceptances))),
        ..BASE
    },
    Case {
        id: "submit-transaction/claim-snapshot",
        requirements: &["SUBMIT-4", "SUBMIT-5", "SUBMIT-6", "SUBMIT-7"],
        checks: "The shape of the response to an accepted submission is that of the shared snapshot.",
        explained_by: &[Cause::of(&[
            "submit-transaction/claim-status",
            "submit-transaction/claim-msg",
            "submit-transaction/claim-new",
            "submit-transaction/resubmission-not-new",
            "submit-transaction/resubmission-valid",
        ])],
        check: Snapshot(Sample::Acceptances),
        ..BASE
    },
    Case {
        id: "submit-transaction/claim-new",
        requirements: &["SUBMIT-7"],
        checks: "`response.new_transaction` is true the first time, for each claim.",
        explained_by: &[OTHER_ACCEPTED],
        check: Own(|c| Box::pin(claim_is_new(c))),
        ..BASE
    },
    Case {
        id: "submit-transaction/resubmission-not-new",
        requirements: &["SUBMIT-7"],
        checks: "`response.new_transaction` is false whenever an accepted transaction is submitted again: while it is pending, in a block, and at the end of the run. Of several at the same moment, at most one is new. A transaction that was refused each time, also in a batch, or that was never sent before, does not count as known. A code that was accepted is not new for another transaction.",
        example: Example::Named("/submit-transaction", "seen_before"),
        is_last: true,
        // Another transaction took its place.
        explained_by: &[
            OTHER_ACCEPTED,
            Cause::of(&["submit-transaction/claim-in-block-as-signed"]),
        ],
        check: Own(|c| Box::pin(resubmission_not_new(c))),
        ..BASE
    },
    Case {
        id: "submit-transaction/resubmission-valid",
        level: Level::Should,
        requirements: &["SUBMIT-5", "SUBMIT-9"],
        checks: "`response.valid` stays true when the same transaction is submitted again, and it does not crash the node.",
        example: Example::Named("/submit-transaction", "seen_before"),
        check: Own(|c| Box::pin(resubmission_valid(c))),
        ..BASE
    },
    Case {
        id: "submit-transaction/similar-code",
        requirements: &["CONSISTENT-7", "SUBMIT-7"],
        checks: "A transaction whose `trans_code` differs from that of an accepted one in one digit is not taken for it: the first digit, one in the middle, or the last one.",
        check: Own(|c| Box::pin(other_codes(c))),
        ..BASE
    },
    Case {
        id: "submit-transaction/known-code-altered",
        requirements: &["SUBMIT-3"],
        checks: "The code of an accepted transaction does not make other submissions valid: with other content, and with missing or wrong signatures, they are refused, while it is pending and once it is in a block.",
        example: REFUSED,
        aspect: Aspect::Spending,
        explained_by: &[UNVERIFIED, UNVERIFIED_PAYER],
        check: Own(|c| Box::pin(known_code_altered(c))),
        ..BASE
    },
];

/// Checks that a code is not taken for the one of the claim because it is similar.
async fn other_codes(context: &Context) -> Findings {
    let claim = context.submissions.claims().await?.first();
    let Ok(other) = claim.get(Act::OtherCode) else {
        return unknown("nothing with a similar code was submitted");
    };
    let mut checked = Examination::default();
    for response in claim.all(Act::SimilarCode).filter(|one| !one.is_repeated) {
        checked.count_item();
        let is_known = |response: &Exchange| is_valid(response) && is_new(response) != Some(true);
        let is_taken = is_new(other) == Some(true) && is_new(response) == Some(false)
            || is_known(response) && !is_known(other);
        if is_taken {
            let what = "a transaction is taken for the accepted one, whose trans_code differs in one digit";
            let expected = format!("the response to another code: {}", other.summary());
            let finding = Finding::new(response, what, expected, response.summary());
            checked.push(finding.at("/response/new_transaction"));
        }
    }
    Ok(checked)
}

async fn built(context: &Context) -> Findings {
    let claims = context.submissions.claims().await?;
    if let Some(what) = claims.first().reason(Act::Check) {
        return unknown(format!("the call was built, and not signed: {what}"));
    }
    let mut findings = Examination::default();
    let of_same_asset = claims.get(OF_SAME_ASSET);
    for claim in claims
        .all()
        .chain(of_same_asset.filter(|_| claims.are_of_several()))
    {
        findings.count_item();
        let (call, built) = (claim.call(), claim.get(Act::Build)?);
        let body = built.success_object();
        let is_known = |body: &&Value| {
            body.get("transaction").is_some() || body.get("specific_data").is_some()
        };
        if let Some(body) = body.filter(|body| !is_known(body))
            && find(body, "specific_data").is_some()
        {
            return unknown(
                "the built transaction is in a form that is not known, and was not signed",
            );
        }
        let contradicts = || claim.reason(Act::Compare).map(ToOwned::to_owned);
        let Some(what) = difference_from_call(call, built).or_else(contradicts) else {
            continue;
        };
        let built_ones = claims.all().filter_map(|other| other.get(Act::Build).ok());
        if may_be_too_long(built_ones.filter(|other| other.is_success()), built) {
            continue;
        }
        let what = format!("the call was not built as requested, and was not signed: {what}");
        let expected = shown(&call.to_string(), 300);
        findings.push(Finding::new(built, what, expected, built.summary()));
    }
    Ok(findings)
}

/// Words in the message of a node that refuses for lack of money.
const FUNDS_KEYWORDS: [&str; 6] = ["fee", "balance", "fund", "enough", "currency", "token"];

/// Words in messages that name the minimum fee.
const MIN_FEE_KEYWORDS: [&str; 5] = ["min", "least", "low", "below", "required"];
/// The minimum fee that nodes were seen to require.
const MIN_FEE: i128 = 1_000_000;

/// Returns the reason if a claim may have been refused for lack of money, according to its message, or because the node built
/// it with a higher fee.
///
/// A message alone is not an excuse. The fee and the balance that the node reports must confirm it.
fn not_paid(claim: &ClaimSteps<'_>, submitted: &Exchange, history: &History) -> Option<String> {
    let said = message(submitted);
    let about = said.to_lowercase();
    let names = |words: &[&str]| words.iter().any(|word| about.contains(word));
    let choose = format!(
        "the claim's fee was refused ({said}); choose with --fee and --currency, from a wallet that has it"
    );
    let transaction = Transaction::sent_in(submitted).unwrap_or(Transaction(&Value::Null));
    let response = |act| claim.get(act).ok();
    let built = response(Act::Build).and_then(|built| built.success_object());
    let proposed = built.and_then(|built| find(built, "fee")?.1.as_f64());
    if proposed > transaction.fee().as_f64() {
        return Some(choose);
    }
    if !names(&FUNDS_KEYWORDS) {
        return None;
    }
    let Some(fee) = transaction.fee().as_i64().map(i128::from) else {
        return Some(choose);
    };
    let wallet = Transaction::first_signer(submitted).unwrap_or_default();
    match response(Act::Balance).and_then(|balance| held(balance)) {
        None => Some(format!(
            "{choose}; the node reports no balance to compare the fee with"
        )),
        Some(balance) if balance < fee => Some(format!(
            "the wallet {wallet} holds {balance}, and the fee is {fee} ({said})"
        )),
        Some(balance)
            if balance < promised_by(wallet, history, Duration::MAX).saturating_add(fee) =>
        {
            Some(format!(
                "the wallet {wallet} holds {balance}, which may not pay the fee of {fee} beside the \
                 run's other transactions ({said})"
            ))
        }
        Some(_) if fee < MIN_FEE || names(&MIN_FEE_KEYWORDS) => Some(choose),
        Some(_) if names(&["currency", "token", "enough fee"]) => Some(choose),
        Some(_) => None,
    }
}

/// Returns what the transactions of a wallet cost together that were accepted until a moment, in the tokens of their fees. Some
/// of them may be pending.
pub(super) fn promised_by(wallet: &str, history: &History, until: Duration) -> i128 {
    let amount = |value: &Value| value.as_f64().map_or(0, |amount| amount.ceil() as i128);
    let mut costs = BTreeMap::new();
    let accepted = history.accepted();
    for (_, transaction) in accepted.filter(|(entry, _)| entry.began <= until) {
        if transaction.has_signer(wallet) {
            let is_fees = transaction.param("asset_code") == transaction.currency();
            let sent = match is_fees {
                true => amount(&transaction.call()["params"]["amount_to_send"]),
                false => 0,
            };
            let cost = amount(transaction.fee()).saturating_add(sent);
            costs.insert(transaction.code(), cost);
        }
    }
    costs.into_values().fold(0, i128::saturating_add)
}

async fn accepted(context: &Context) -> Findings {
    let claims = context.submissions.claims().await?;
    claims.first().submitted()?;
    let history = context.history();
    let mut findings = Examination::default();
    let alone = claims.all().filter(|claim| !claim.is_optional());
    for claim in alone.filter(|claim| !claim.is_in_batch()) {
        // Another case reports why a further claim was not submitted.
        let Ok(response) = claim.submitted() else {
            continue;
        };
        findings.count_item();
        if is_valid(response) {
            continue;
        }
        if let Some(wrong) = accepted_in_its_place(&history, response) {
            return unknown(wrong);
        }
        if response.is_success()
            && let Some(reason) = not_paid(&claim, response, &history)
        {
            return unknown(reason);
        }
        let submitted = claims.all().filter_map(|claim| claim.submitted().ok());
        if may_be_too_long(submitted.filter(|one| is_valid(one)), response)
            || may_be_beyond_a_limit(&history, response)
        {
            continue;
        }
        let any_accepted = claims.all().any(|claim| claim.is_accepted());
        if !any_accepted && uses_another_algorithm(&history) {
            return unknown(
                "no receipt verifies with the algorithm of known nodes, so the node may use another one",
            );
        }
        let balance = claim.get(Act::Balance).ok();
        let paid = match balance.and_then(|balance| held(balance)) {
            Some(held) => format!(", although the wallet holds {held}"),
            None => String::new(),
        };
        let said = message(response);
        findings.push(wrongly_refused(
            response,
            format!("a claim that its wallet signed is refused: {said}{paid}"),
        ));
    }
    findings.extend(refused_in_other_words(&claims.first()));
    findings.extend(refused_of_many(claims, &history));
    // Each of the wallets held the whole fee if the co-signer made a claim alone.
    let shared = claims.shared().get(Act::Submit).ok();
    if let Some(response) = shared.filter(|response| !is_valid(response))
        && claims.first().is_accepted()
        && claims.get(OF_CO_SIGNER).is_some()
    {
        let said = message(response);
        findings.push(wrongly_refused(
            response,
            format!("a claim that both of its wallets signed is refused: {said}"),
        ));
    }
    Ok(findings)
}

/// Checks that a claim is taken with other headers if it is known without them. Small servers may want to know the length.
fn refused_in_other_words(claim: &ClaimSteps<'_>) -> Examination {
    let (usual, others): (Vec<_>, Vec<_>) = claim
        .all(Act::Again)
        .partition(|response| response.request.wording == Wording::Usual);
    // A node may refuse what a block has. The usual form is submitted once more after the others.
    let is_known = usual.last().is_some_and(|response| response.is_success());
    let is_refused =
        |response: &&Arc<Exchange>| is_known && matches!(response.status, 400..=410 | 412..=499);
    let refused = others.iter().copied().filter(is_refused);
    let findings = refused.map(|response| {
        let wording = response.request.wording.description();
        wrongly_refused(
            response,
            format!("the claim is refused in a request {wording}"),
        )
    });
    Examination::of(others.len(), findings)
}

/// Checks that the claims of many wallets are accepted at last, if the node accepts claims of several wallets about one asset.
fn refused_of_many(claims: &Claims, history: &History) -> Examination {
    let last = claims
        .of_many()
        .filter_map(|claim| claim.all(Act::Submit).last());
    let last: Vec<_> = last.collect();
    let mut findings = Examination::default();
    if !claims.are_of_several() {
        return findings;
    }
    // Another case reports that the node took or gave another amount.
    let can_pay = |transaction: Transaction<'_>| {
        let fee = transaction.fee().as_u64().unwrap_or_default();
        let part = fee.div_ceil(transaction.signers().count().max(1) as u64);
        let token = transaction.currency().unwrap_or_default();
        transaction.signers().all(|wallet| {
            let amount = held_by(history, wallet).get(token).copied();
            amount.is_none_or(|amount| amount >= part.into())
        })
    };
    // A node may take nothing from wallets that it does not know.
    let accepted = last.iter().filter(|response| is_valid(response));
    let known: BTreeSet<&str> = accepted
        .filter_map(|response| Transaction::sent_in(response))
        .flat_map(Transaction::signers)
        .collect();
    for response in last {
        let is_judged = Transaction::sent_in(response).is_some_and(|transaction| {
            transaction.signers().all(|signer| known.contains(signer)) && can_pay(transaction)
        });
        if !is_judged {
            continue;
        }
        findings.count_item();
        if !is_valid(response) && response.is_success() && !may_be_beyond_a_limit(history, response)
        {
            let said = message(response);
            findings.push(wrongly_refused(
                response,
                format!("a claim of a wallet that has not claimed its asset is refused: {said}"),
            ));
        }
    }
    findings
}

/// Whether blocks have receipts, and none of them verifies.
fn uses_another_algorithm(history: &History) -> bool {
    let (mut right, mut wrong) = (0, 0);
    for (index, entry) in history.blocks() {
        let block = BlockResponse::new(index, ResponseKind::Block, Arc::clone(&entry.exchange));
        let receipts = block.block().and_then(|block| block.receipts.as_ref().ok());
        for verified in receipts.into_iter().flatten().filter_map(verified) {
            *(if verified.is_ok() {
                &mut right
            } else {
                &mut wrong
            }) += 1;
        }
    }
    right == 0 && wrong > 0
}

/// Returns the reason if a wrongly signed transaction with the code of a refused one is accepted. The node may know the
/// code from it.
fn accepted_in_its_place(history: &History, refused: &Exchange) -> Option<String> {
    let code = submitted_code(refused)?;
    let mut all = history.of_path("/submit-transaction");
    let wrong = all.find_map(|entry| {
        let exchange = &entry.exchange;
        let wrong = exchange.request.wrongly_signed.as_deref()?;
        let has_code = || submitted_code(exchange).is_some_and(|one| one == code);
        (is_valid(exchange) && has_code()).then_some(wrong)
    })?;
    Some(format!(
        "{wrong} is accepted in place of the claim, which another case reports"
    ))
}

fn wrongly_refused(response: &Arc<Exchange>, what: String) -> Finding {
    let finding = Finding::new(response, what, "response.valid: true", response.summary());
    finding.at("/response/valid")
}

/// Checks that a member of a response has a certain value.
fn has(response: &Arc<Exchange>, pointer: &str, wanted: &Value, what: &str) -> Vec<Finding> {
    let found = response
        .success_object()
        .and_then(|body| body.pointer(pointer));
    if found == Some(wanted) {
        return Vec::new();
    }
    let finding = match found {
        Some(found) => {
            let actual = shown(&found.to_string(), 160);
            Finding::new(response, what, wanted.to_string(), actual)
        }
        None => {
            let what = format!("there is no {pointer}");
            Finding::new(response, what, wanted.to_string(), response.summary())
        }
    };
    vec![finding.at(pointer)]
}

async fn status(context: &Context) -> Findings {
    let what = "the status for a valid transaction is not SUCCESS";
    let wanted = Value::from("SUCCESS");
    let responses = context.submissions.acceptances().await?;
    let found = responses
        .iter()
        .flat_map(|response| has(response, "/status", &wanted, what));
    Ok(Examination::of(responses.len(), found))
}

async fn msg(context: &Context) -> Findings {
    let mut findings = Examination::default();
    for response in context.submissions.acceptances().await? {
        findings.count_item();
        let at = "/response/msg";
        let found = response.success_object().and_then(|body| body.pointer(at));
        if found.is_some_and(Value::is_string) {
            continue;
        }
        let (what, actual) = match found {
            Some(found) => ("msg is not a string", shown(&found.to_string(), 160)),
            None => ("there is no msg", response.summary()),
        };
        let what = format!("{what} where a transaction is valid");
        findings.push(Finding::new(&response, what, "a string", actual).at(at));
    }
    Ok(findings)
}

async fn claim_is_new(context: &Context) -> Findings {
    let claims = context.submissions.claims().await?;
    if !is_valid(claims.first().submitted()?) {
        return unknown("the claim was not accepted");
    }
    let (at, new) = ("/response/new_transaction", Value::Bool(true));
    let what = "a transaction that was never submitted before is not reported as new";
    let mut checked = Examination::default();
    for claim in claims.all().filter(|claim| claim.is_accepted()) {
        let response = claim.submitted()?;
        if !claim.is_in_batch() && !claim.is_copy_lost() {
            checked.extend(Examination::of(1, has(response, at, &new, what)));
        }
    }
    Ok(checked)
}

async fn resubmission_not_new(context: &Context) -> Findings {
    if context.is_of_others {
        return Ok(known(&context.history()));
    }
    let claim = context.submissions.claims().await?.first();
    let again = claim.get(Act::Again)?;
    if again.success_object().is_none() {
        return unknown(format!(
            "the response to the resubmission was {}",
            again.summary()
        ));
    }
    let is_stored = claim
        .settled()
        .is_ok_and(|settled| settled.record.is_some());
    if let (true, false, Ok(first)) = (is_stored, context.is_recorded, claim.submitted()) {
        // The node may forget a code after some blocks.
        let request = first.request.clone().for_step(claim.step(Act::Again));
        context
            .submissions
            .submitter
            .submit_serialized(request)
            .await?;
    }
    Ok(known(&context.history()))
}

async fn resubmission_valid(context: &Context) -> Findings {
    let claim = context.submissions.claims().await?.first();
    let again = claim.get(Act::Again)?;
    if again.status >= 500 {
        let what = "the response to the same transaction is a server error the second time";
        let expected = "a response with response.new_transaction: false";
        let finding = Finding::new(again, what, expected, again.summary());
        return Ok(Examination::failed(finding));
    }
    if again.success_object().is_none() {
        return unknown(format!(
            "the response to the resubmission was {}",
            again.summary()
        ));
    }
    let what = "a transaction is valid, and not valid when it is submitted again";
    Ok(Examination::of(
        1,
        has(again, "/response/valid", &Value::Bool(true), what),
    ))
}

/// Checks that a transaction is not accepted only because another transaction with its code was.
async fn known_code_altered(context: &Context) -> Findings {
    let claims = context.submissions.claims().await?;
    let signed = claims.first().get(Act::OfAnother)?;
    let mut checked = Examination::default();
    let all = [claims.first(), claims.shared()].into_iter();
    for response in all.flat_map(|claim| claim.all(Act::KnownCode)) {
        checked.count_item();
        if is_valid(response) {
            let request = &response.request;
            let wrong = request.wrongly_signed.as_deref().unwrap_or_default();
            let what =
                format!("{wrong} is accepted as valid, like the transaction with its trans_code");
            let expected = request.expected_refusal();
            let finding = Finding::new(response, what, expected, response.summary());
            checked.push(finding.at("/response/valid"));
        }
    }
    // Two transactions may have the same code, but they are not the same transaction.
    if checked.has_no_findings()
        && is_valid(signed)
        && is_new(signed) == Some(false)
        && !signed.is_repeated
    {
        let what = "another wallet's transaction with the trans_code of an accepted one is \
        treated as the accepted one";
        let expected = "a refusal, or new_transaction: true";
        let finding = Finding::new(signed, what, expected, signed.summary());
        checked.push(finding.at("/response/new_transaction"));
    }
    Ok(checked)
}

/// Returns a balance, in units of the token.
pub(super) fn held(response: &Exchange) -> Option<i128> {
    let body = response.success_object()?;
    let value = ["balance", "value"]
        .iter()
        .find_map(|name| body.get(name))?;
    value
        .as_i64()
        .map(i128::from)
        .or(value.as_u64().map(i128::from))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{history::recorded, http::Request};

    #[test]
    fn a_claim_is_not_blamed_for_a_wrong_transaction_that_took_its_code() {
        let body = |digit: &str| {
            let code = digit.repeat(40);
            format!(r#"{{"transaction":{{"trans_code":"{code}"}}}}"#)
        };
        let reply = |valid: bool| format!(r#"{{"response":{{"valid":{valid}}}}}"#);
        for (digit, is_valid, is_wrong, is_in_its_place) in [
            ("a", true, true, true),
            ("a", false, true, false),
            ("a", true, false, false),
            ("b", true, true, false),
        ] {
            let mut other = Request::post("/submit-transaction", body(digit));
            other.wrongly_signed = is_wrong.then(|| "an unsigned transaction".to_owned());
            let claim = Request::post("/submit-transaction", body("a"));
            let (accepted, refused) = (reply(is_valid), reply(false));
            let rows = vec![(0, other, 200, &*accepted), (0, claim, 200, &refused)];
            let history = recorded(rows);
            let claim = history.entries().last().unwrap();
            let reason = accepted_in_its_place(&history, &claim.exchange);
            assert_eq!(reason.is_some(), is_in_its_place, "{digit} {is_valid}");
        }
    }
}
