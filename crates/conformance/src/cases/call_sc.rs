//! `POST /call-sc`.

use std::sync::Arc;

use nodeproof_primitives::escape::escaped_up_to as shown;
use nodeproof_report::{Aspect, Level};
use serde_json::Value;

use super::{
    block_transactions::{TIME, wrong_time},
    case::{Case, Example},
    cause::{Cause, When},
    check::Check::{self, Calls, Objects, Read, Refused, Responses, Snapshot},
    request_kind::RequestKind,
    sc_state,
};
use crate::{
    api::{
        BUILT, Sample, builds_nothing, contract_state_request, find, has_record,
        is_missing_endpoint, wallet_balances_request,
    },
    checks::{
        Examination, Finding, Findings, NOTHING_EXAMINED, ObjectCheck, WrongRequest, changed,
        check_json_responses, compiled, contents, objects,
    },
    context::{Samples, unique},
    http::{Exchange, InconclusiveReason, Request, SendOptions, unknown},
    rules::{current, distinct, echo, fresh},
    script::Height,
};
use nodeproof_openapi::Spec;

/// What most of these cases share.
pub(super) const BASE: Case = Case {
    matters: "The caller signs what the node builds. Whatever differs from the call would be signed and paid.",
    example: Example::Of("/call-sc"),
    sends: &[BUILD],
    needs: &[NO_CALLS],
    ..Case::BASE
};

const GET: RequestKind = RequestKind::get("/call-sc", &[]);
/// A request for a contract call.
pub(super) const BUILD: RequestKind = RequestKind::post(
    "/call-sc",
    "a claim to build, or one that lacks a member, or half of one; it is never submitted",
);
/// Without a usable response, there is no transaction.
pub(super) const NO_CALLS: Cause = Cause::new(&["call-sc/responds"], When::Unusable);
pub(crate) const CASES: &[Case] = &[
    Case {
        id: "call-sc/responds",
        requirements: &["CALL-1", "CALL-6"],
        checks: "A valid call returns a success with one JSON object.",
        aspect: Aspect::Endpoint,
        check: Read(|c| Box::pin(responds(c))),
        ..BASE
    },
    Case {
        id: "call-sc/echo",
        requirements: &[
            "CALL-1", "CALL-2", "CALL-3", "CALL-4", "CALL-5", "TX-3", "TX-8",
        ],
        checks: "Each built transaction of the whole run is the requested call: the same contract, function, signers in order and params, at any depth and to the last digit, and type 3. It has no further member that would be signed. A call without one of its members, under its exact name, is refused, or builds nothing. A call that differs from a built one only in remarks and links of up to 200 bytes is built, too.",
        aspect: Aspect::Consistency,
        sends: &[BUILD, GET],
        check: Calls(echo),
        ..BASE
    },
    Case {
        id: "call-sc/fresh",
        requirements: &["CONSISTENT-8", "TX-1", "TX-2", "FORM-5"],
        checks: "Each different transaction of the whole run is built with another `trans_code`, which no earlier block has, of the documented form if one has it. Its `timestamp` does not stand still, and does not go backwards. If a block has the time of this computer, so has the transaction, within a minute.",
        aspect: Aspect::Consistency,
        sends: &[BUILD, GET],
        check: Calls(fresh),
        ..BASE
    },
    Case {
        id: "call-sc/trans-code-distinct",
        level: Level::Should,
        requirements: &["CONSISTENT-8", "TX-2"],
        checks: "Two equal calls are built with different values of `trans_code`, also at the same moment. Otherwise, the second one has no effect.",
        sends: &[BUILD, GET],
        explained_by: &[Cause::of(&["call-sc/fresh"])],
        check: Calls(distinct),
        ..BASE
    },
    Case {
        id: "call-sc/unsigned",
        level: Level::Should,
        requirements: &["CALL-1", "CALL-7"],
        checks: "The built transaction has no signatures. Empty places for them are allowed.",
        check: built(unsigned, NOTHING_EXAMINED),
        ..BASE
    },
    Case {
        id: "call-sc/valid",
        level: Level::Should,
        requirements: &["TX-7"],
        checks: "`valid` of the built transaction is 1.",
        check: built(valid, NOTHING_EXAMINED),
        ..BASE
    },
    Case {
        id: "call-sc/timestamp-unit",
        requirements: &["FORM-1", "TX-1"],
        checks: "`timestamp` of the built transaction is milliseconds since the Unix epoch.",
        check: built(timestamp_unit, NO_TIMESTAMP),
        ..BASE
    },
    Case {
        id: "call-sc/timestamp-current",
        level: Level::Should,
        requirements: &["TX-1"],
        checks: "`timestamp` of each built transaction is within a minute of the time at which it was built, if the latest block has the time of this computer. Otherwise, it is within a day.",
        explained_by: &[Cause::of(&["call-sc/fresh"])],
        sends: &[BUILD, GET],
        check: Calls(current),
        ..BASE
    },
    Case {
        id: "call-sc/changes-nothing",
        requirements: &["CALL-1", "SUBMIT-3", "CALL-8"],
        checks: "After a call was built and not submitted, no record exists and the signer's balances are the same.",
        exception: Some(
            "The specification states that a claim costs a signature (SUBMIT-3). A call that stores something without one breaks that.",
        ),
        aspect: Aspect::Consistency,
        sends: &[sc_state::STATE, BUILD],
        check: Read(|c| Box::pin(changes_nothing(c))),
        ..BASE
    },
    Case {
        id: "call-sc/submittable",
        level: Level::Should,
        requirements: &[
            "CALL-6", "SUBMIT-2", "TX-1", "TX-2", "TX-3", "TX-4", "TX-5", "TX-6", "TX-7", "TX-8",
            "TX-10", "FORM-5",
        ],
        checks: "The response has the documented shape of a submission: `transaction` with all members, and `signatures`.",
        aspect: Aspect::Shape,
        check: Responses(Sample::CallSc, submittable),
        ..BASE
    },
    Case {
        id: "call-sc/snapshot",
        level: Level::Should,
        requirements: &["CALL-6", "CALL-7"],
        checks: "The shape of the built transaction is that of the shared snapshot.",
        aspect: Aspect::Shape,
        check: Snapshot(Sample::CallSc),
        ..BASE
    },
    Case {
        id: "call-sc/mistyped",
        level: Level::Should,
        requirements: &["CALL-4", "CALL-5", "CALL-9"],
        checks: "A call with a string for its `signers`, or for its `params`, is refused.",
        example: Example::REFUSED,
        aspect: Aspect::Refusals,
        check: Refused(|s| Ok(mistyped(s))),
        ..BASE
    },
];

/// Returns calls with a value of the wrong type.
fn mistyped(context: &Samples) -> Vec<WrongRequest> {
    let with = |name: &str, value: String, what: &'static str| {
        let mut body = context.call_body();
        body[name] = value.into();
        WrongRequest::new(Request::post("/call-sc", body.to_string()), what)
    };
    let params = "never submitted".to_owned();
    vec![
        with(
            "signers",
            context.signer(),
            "a call whose signers are not an array",
        ),
        with("params", params, "a call whose params are not an object"),
    ]
}

const NO_TIMESTAMP: &str = "no built transaction has the member timestamp";

const fn built(check: ObjectCheck, otherwise: &'static str) -> Check {
    Objects(&[Sample::CallSc], check, otherwise)
}

async fn responds(context: &Samples) -> Findings {
    let responses = context.sample(Sample::CallSc).await?;
    let has_no_contract = context.discovered.contracts.is_empty();
    if has_no_contract
        && responses.iter().all(|response| {
            matches!(response.status, 400 | 404 | 410 | 422) && response.json().is_ok()
        })
        && !is_missing_call(context).await?
    {
        return unknown(
            "no contract was found on the chain, and the node builds nothing for one that is not \
             deployed; give one with --fixture",
        );
    }
    // The second call is larger and has two signers. A node may refuse it.
    let judged: Vec<_> = responses
        .into_iter()
        .enumerate()
        .filter(|(place, response)| *place == 0 || !(400..500).contains(&response.status))
        .map(|(_, response)| response)
        .collect();
    check_json_responses(&judged)
}

/// Whether the endpoint is missing: it returns 404, 405 or 501 to an empty request, too.
async fn is_missing_call(context: &Samples) -> Result<bool, InconclusiveReason> {
    let request = Request::post("/call-sc", String::new());
    let response = context.node.send(request).await?;
    Ok(is_missing_endpoint(response.status))
}

fn unsigned(exchange: &Arc<Exchange>, response: &Value, checked: &mut Examination) {
    // A transaction without this list has no signatures. It counts as examined.
    let Some((at, signatures)) = find(response, "signatures") else {
        checked.examined += u64::from(!builds_nothing(response));
        return;
    };
    checked.count_item();
    // There may be empty places for the signatures.
    let is_place = |entry: &Value| {
        let signature = entry.get("msgsign").unwrap_or(&Value::Null);
        signature.is_null() || signature.as_str().is_some_and(str::is_empty)
    };
    let entries = signatures.as_array();
    if entries.is_some_and(|entries| !entries.iter().all(is_place)) {
        let what = "the built transaction already contains signatures";
        let actual = shown(&signatures.to_string(), 160);
        checked.push(Finding::new(exchange, what, "no signatures", actual).at(at));
    }
}

fn valid(exchange: &Arc<Exchange>, response: &Value, checked: &mut Examination) {
    let Some((at, value)) = find(response, "valid") else {
        return;
    };
    checked.count_item();
    if value.as_i64() != Some(1) {
        let what = "a contract call whose valid is not 1";
        let actual = shown(&value.to_string(), 80);
        checked.push(Finding::new(exchange, what, "1", actual).at(at));
    }
}

fn timestamp_unit(exchange: &Arc<Exchange>, response: &Value, checked: &mut Examination) {
    let Some((at, time)) = find(response, "timestamp") else {
        return;
    };
    checked.count_item();
    if let Some((what, actual)) = wrong_time(time) {
        let what = format!("the transaction's timestamp {what}");
        checked.push(Finding::new(exchange, what, TIME, actual).at(at));
    }
}

/// Checks that building calls changes neither the signer's balances nor the contract's state. The
/// signer is the first signer of one call and the second signer of the other.
async fn changes_nothing(context: &Samples) -> Findings {
    let built = objects(context, Sample::CallSc).await.unwrap_or_default();
    let builds = |exchange: &std::sync::Arc<Exchange>| {
        exchange
            .success_object()
            .is_some_and(|response| !builds_nothing(response))
    };
    if !built.iter().any(builds) {
        return unknown("no call was built");
    }
    let mut findings = Examination::passed();
    let state = context
        .node
        .send(contract_state_request(&context.contract(), BUILT))
        .await?;
    if has_record(&state) {
        findings.add(claims_at_once(context).await);
    }
    let balances = wallet_balances_request(&context.signer());
    let lists = &context.discovered.wallet_lists;
    // The response before the first call.
    let before = lists.iter().find(|list| list.request == balances).cloned();
    let after = context.node.send(balances.clone()).await?;
    if before.is_some_and(|before| before.json().ok() == after.json().ok()) {
        return Ok(findings);
    }
    // Others may use the wallet. A change counts only if nothing changes without a call. Calls of
    // other cases must not be built at the same time, or their effects would count here.
    let _alone = context.node.no_other_calls().await;
    let before = context.node.send(balances.clone()).await?;
    let mut height = Height::of(context).await?;
    let still = context.node.send(balances.clone()).await?;
    let alone = SendOptions {
        no_other_calls: true,
        ..SendOptions::default()
    };
    let call = context.call_request();
    context.node.send_with(call, alone).await?;
    let last = context.node.send(balances).await?;
    if still.json().ok() != before.json().ok() || last.json().ok() == still.json().ok() {
        return Ok(findings);
    }
    if !height.stands(context).await? {
        let reason = "the signer's balance changes, and blocks are made too fast to find the cause";
        return if findings.has_no_findings() {
            unknown(reason)
        } else {
            Ok(findings)
        };
    }
    let what = "building a call changes the signer's balances, although nothing was submitted";
    findings.push(changed(what, &still, &last, |_, _| true));
    Ok(findings)
}

/// Checks whether building a call stores its claim, with an asset that had no record before.
async fn claims_at_once(context: &Samples) -> Findings {
    let asset = format!("never-submitted-{:x}", unique());
    let state = contract_state_request(&context.contract(), &asset);
    let before = context.node.send(state.clone()).await?;
    context.node.send(context.call_about(&asset)).await?;
    let after = context.node.send(state).await?;
    if has_record(&before) || !has_record(&after) {
        return Ok(Examination::passed());
    }
    let what =
        "building a call puts a record into the contract's state, though nothing was submitted";
    let finding = changed(what, &before, &after, |_, _| true);
    Ok(Examination::failed(finding))
}

/// Checks whether the response can go to `/submit-transaction` once it is signed.
fn submittable(spec: &Spec, built: &[Arc<Exchange>]) -> Findings {
    let validator = compiled(spec, "SignedTransaction")?;
    let mut findings = Examination::default();
    for (exchange, response) in contents(built)? {
        findings.count_item();
        for mismatch in validator.mismatches_in(response) {
            let found = response.pointer(&mismatch.instance).unwrap_or(response);
            let actual = shown(&found.to_string(), 160);
            let expected = "a body that `/submit-transaction` accepts";
            findings.push(
                Finding::new(exchange, mismatch.message.clone(), expected, actual)
                    .at(mismatch.instance),
            );
        }
    }
    Ok(findings)
}
