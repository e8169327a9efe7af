//! `POST /submit-transaction`, with submissions that a node must refuse.

use std::sync::Arc;

use nodeproof_report::{Aspect, Level};
use serde_json::Value;

use super::{
    call_sc::NO_CALLS,
    case::{Case, Example},
    cause::{Cause, When},
    check::Check::Own,
    correct_submissions::{
        after_wrong_signature, batch, fee_with_fraction, high_s, order_of_signatures, right_forms,
        two_signers,
    },
    get_balances::HOLDERS,
    request_kind::RequestKind,
    sc_state::NO_STATE,
};
use crate::{
    api::{Sample, Tier, contract_state_request, is_missing_endpoint},
    checks::{Examination, Field, Finding, Findings, Reply, check_json_responses},
    context::Context,
    http::{Exchange, InconclusiveReason, Request, unknown},
    rules::{refused, refused_assets},
};

/// The response to a submission that is refused. Real nodes respond with the status 200.
pub(super) const REFUSED: Example = Example::Text(
    r#"POST /submit-transaction
{
  "status": "SUCCESS",
  "response": {
    "valid": false,
    "msg": "Transaction has invalid signatures",
    "new_transaction": true
  }
}"#,
);
const BATCH_REFUSED: &str = r#"POST /submit-transaction-batch
{
  "status": "SUCCESS",
  "response": {
    "accepted_transactions": [],
    "failed_transactions": ["04087cb4c58f389c80bef882e3392f1b3b0e9e3c"]
  }
}"#;

/// What most of these cases share.
pub(super) const BASE: Case = Case {
    tier: Tier::Reject,
    matters: "Signatures are the only thing that keeps others from spending a wallet's tokens or claiming in its name.",
    example: REFUSED,
    aspect: Aspect::Refusals,
    needs: &[NO_RESPONSES, NO_STATE, NO_CALLS, KNOWN_CODE],
    ..Case::BASE
};

/// A request for a contract call that is then submitted.
pub(super) const BUILD: RequestKind = RequestKind::post(
    "/call-sc",
    "a claim to build, which is submitted so that it must be refused, or as the control",
);
/// The submission that the others are compared with.
pub(super) const CONTROL: RequestKind = submission(
    "the control: a correctly signed claim, by a local node's public test wallet, else by a \
     throw-away wallet without money",
);
pub(super) const EVERY_REFUSAL: RequestKind = submission("each submission that must be refused");
const READ_REFUSED: RequestKind = RequestKind::get(
    "/sc-state",
    &[
        ("table_name", "verification"),
        ("contract_address", "the claim's contract"),
        ("unique_column", "asset_id"),
        ("unique_value", "the asset of the refused claim"),
    ],
);

pub(super) const fn submission(body: &'static str) -> RequestKind {
    RequestKind::post("/submit-transaction", body)
}

/// Returns the requests of a case that compares a submission with the control.
pub(super) const fn with_control(body: &'static str) -> [RequestKind; 3] {
    [BUILD, CONTROL, submission(body)]
}

/// A node that knows the transaction's code, because it gave that code to another one.
pub(super) const KNOWN_CODE: Cause = Cause::of(&["call-sc/fresh"]);
/// Without a usable response, nothing is refused or accepted.
pub(super) const NO_RESPONSES: Cause = Cause::new(&["submit-transaction/responds"], When::Unusable);
/// A node that stores what it refuses. What it refused before is in the way.
pub(super) const REFUSED_STORED: Cause = Cause::of(&["submit-transaction/refused-not-stored"]);
/// A node that does not verify signatures.
pub(super) const UNVERIFIED: Cause = Cause::new(
    &["submit-transaction/signature-altered"],
    When::AllFail(&[
        "submit-transaction/signature-altered",
        "submit-transaction/another-wallets-key",
        "submit-transaction/params-altered",
        "submit-transaction/fee-altered",
        "submit-transaction/transaction-altered",
    ]),
);
/// The same, for a run that may not send a signature of the paying wallet.
pub(super) const UNVERIFIED_PAYER: Cause = Cause::new(
    &["submit-transaction/another-wallets-key"],
    When::AllFail(&[
        "submit-transaction/unsigned",
        "submit-transaction/half-signed",
        "submit-transaction/unlisted-signer",
        "submit-transaction/another-wallets-key",
    ]),
);

/// The causes of a submission that is accepted although a signature is missing or not in its form.
pub(super) const BY_UNVERIFIED: &[Cause] = &[UNVERIFIED, UNVERIFIED_PAYER];

/// Returns the case about a documented field of the responses to submissions.
pub(super) fn of_field(field: &'static Field) -> Case {
    Case {
        sends: &[BUILD, EVERY_REFUSAL],
        ..BASE.about_field(field)
    }
}

pub(crate) const CASES: &[Case] = &[
    Case {
        id: "submit-transaction/right-after-wrong-signature",
        requirements: &["SUBMIT-1", "SUBMIT-5"],
        checks: "A transaction that was refused for a wrong signature is accepted when it is submitted again with the right one.",
        example: Example::Of("/submit-transaction"),
        sends: &with_control(
            "a transaction with another key's signature, and then the same one signed as the control is",
        ),
        check: Own(|c| Box::pin(after_wrong_signature(c))),
        ..BASE
    },
    Case {
        id: "submit-transaction/two-signers",
        level: Level::Should,
        requirements: &["SUBMIT-3", "TX-10"],
        checks: "A transaction that both of its signers signed is accepted like one of a single signer.",
        example: Example::Of("/submit-transaction"),
        sends: &with_control("a transaction of two signers, which both signed"),
        check: Own(|c| Box::pin(two_signers(c))),
        ..BASE
    },
    Case {
        id: "submit-transaction/equal-forms",
        level: Level::Should,
        requirements: &["SUBMIT-2", "SUBMIT-3", "HTTP-3"],
        checks: "A correct submission is accepted however its JSON and its signature are written: `signatures` before `transaction`, blanks and line breaks between members, capital letters in the hexadecimal signature.",
        example: Example::Of("/submit-transaction"),
        sends: &with_control(
            "a correct submission with its members in another order, with blanks, or with capital letters in its signature",
        ),
        explained_by: &[REFUSED_STORED],
        check: Own(|c| Box::pin(right_forms(c, "submit-transaction/equal-forms"))),
        ..BASE
    },
    Case {
        id: "submit-transaction/signed-values",
        requirements: &["SUBMIT-1", "SUBMIT-5"],
        checks: "A correctly signed transaction is accepted whatever its values are: signatures whose halves begin with a zero byte; texts with characters that JSON or HTML treat specially, with U+007F, with letters beyond ASCII or beyond the basic plane, or with nothing at all; empty lists; a param with lists and objects in one another; and integers that are negative, beyond 32 bits or beyond 2^53.",
        example: Example::Of("/submit-transaction"),
        sends: &with_control(
            "a transaction with another text, list or integer, signed as the control is",
        ),
        check: Own(|c| Box::pin(right_forms(c, "submit-transaction/signed-values"))),
        ..BASE
    },
    Case {
        id: "submit-transaction/signature-order",
        requirements: &["TX-10", "TX-11", "SUBMIT-3"],
        checks: "The signatures of two signers are accepted in either order. Each element of `signatures` names its wallet.",
        example: Example::Of("/submit-transaction"),
        sends: &with_control(
            "a transaction of two signers, which both signed, with the signatures in either order",
        ),
        check: Own(|c| Box::pin(order_of_signatures(c))),
        ..BASE
    },
    Case {
        id: "submit-transaction/fee-with-fraction",
        level: Level::Should,
        requirements: &["TX-5", "SUBMIT-3"],
        checks: "A transaction whose fee is written as `1000000.0`, and signed so, is treated like one with `1000000`.",
        example: Example::Of("/submit-transaction"),
        sends: &with_control(
            "a transaction whose fee is written with a fraction of 0, signed as the control is",
        ),
        check: Own(|c| Box::pin(fee_with_fraction(c))),
        ..BASE
    },
    Case {
        id: "submit-transaction/high-s",
        level: Level::Should,
        requirements: &["SUBMIT-3", "TX-11"],
        checks: "A signature with the higher of the two valid values of s is accepted like one with the lower. Known nodes accept both.",
        example: Example::Of("/submit-transaction"),
        sends: &with_control(
            "a transaction whose signature has the higher value of s, signed as the control is",
        ),
        check: Own(|c| Box::pin(high_s(c))),
        ..BASE
    },
    Case {
        id: "submit-transaction/batch",
        requirements: &["SUBMIT-3", "SUBMIT-12"],
        exception: Some(
            "The specification mentions the second endpoint without its path. Wherever it is, it takes submissions, and each needs its signatures.",
        ),
        checks: "`/submit-transaction-batch`, if the node has it, accepts no transaction that is not signed as it must be, neither after a right one nor before it. It lists each transaction once.",
        example: Example::Text(BATCH_REFUSED),
        sends: &[
            BUILD,
            EVERY_REFUSAL,
            RequestKind::post(
                "/submit-transaction-batch",
                "an array of up to 30 transactions that are not signed as they must be, after the control or before it",
            ),
        ],
        explained_by: BY_UNVERIFIED,
        check: Own(|c| Box::pin(batch(c))),
        ..BASE
    },
    Case {
        id: "submit-transaction/responds",
        requirements: &["SUBMIT-4", "SUBMIT-5", "NODE-1"],
        checks: "A refusal with a status of success is one JSON object.",
        aspect: Aspect::Endpoint,
        sends: &[BUILD, EVERY_REFUSAL],
        check: Own(|c| Box::pin(responds(c))),
        ..BASE
    },
    Case {
        id: "submit-transaction/refused-not-stored",
        requirements: &["SUBMIT-3"],
        checks: "`/sc-state` returns no record of a claim that was refused whenever it was submitted in the run, or of a call of another function, and no block of the run contains a refused transaction.",
        example: Example::REFUSED,
        sends: &[BUILD, EVERY_REFUSAL, READ_REFUSED, HOLDERS],
        is_last: true,
        check: Own(|c| Box::pin(not_stored(c))),
        aspect: Aspect::Spending,
        ..BASE
    },
    Case {
        id: "submit-transaction/wrong-method",
        level: Level::Should,
        requirements: &["SUBMIT-1"],
        checks: "A GET does not return the result of a submission.",
        example: Example::REFUSED,
        sends: &[BUILD, CONTROL, RequestKind::get("/submit-transaction", &[])],
        check: Own(|c| Box::pin(wrong_method(c))),
        ..BASE
    },
];

/// Returns the refusals with a success status. The specification does not show the content of other
/// responses.
async fn success_status_refusals(
    context: &Context,
) -> Result<Vec<Arc<Exchange>>, InconclusiveReason> {
    let mut responses = context.submissions.refusals().await?;
    responses.retain(|response| response.is_success());
    if responses.is_empty() {
        return unknown("no refusal had status 200");
    }
    Ok(responses)
}

/// Checks that the endpoint exists, and that its successful responses are JSON objects.
async fn responds(context: &Context) -> Findings {
    let all = context.submissions.refusals().await?;
    if let Some(first) = all.first()
        && all
            .iter()
            .all(|response| is_missing_endpoint(response.status))
    {
        let what = "the endpoint does not exist: every response to a submission shows that";
        let expected = "a response to a submission";
        return Ok(Examination::failed(Finding::of_response(
            first, what, expected,
        )));
    }
    check_json_responses(&success_status_refusals(context).await?)
}

/// Reads the records of the claims that were refused, even after two more blocks if the chain continues.
async fn not_stored(context: &Context) -> Findings {
    context.submissions.refusals().await?;
    let mut result = Examination::default();
    if !context.is_recorded {
        // A missing record proves nothing if no other one can be read.
        let _ = context.sample(Sample::ContractState).await;
        context.submissions.later_blocks().await?;
        let assets = refused_assets(&context.history());
        let requests = assets
            .iter()
            .map(|(contract, asset)| contract_state_request(contract, asset));
        let _ = result.received(context.node.send_all(requests.collect()).await);
    }
    result.extend(refused(&context.history()));
    Ok(result)
}

async fn wrong_method(context: &Context) -> Findings {
    let response = context
        .node
        .send(Request::get("/submit-transaction"))
        .await?;
    let submitted = |body: &Value| body.get("response").is_some() || body["status"] == "SUCCESS";
    if !response.success_object().is_some_and(submitted) {
        let control = context.submissions.control().await?;
        // A missing or broken endpoint refuses every method.
        return Ok(Examination::of(
            usize::from(Reply::of(&response) != Reply::of(&control)),
            None,
        ));
    }
    let what = "the response to a GET is that to a submission";
    Ok(Examination::failed(Finding::of_response(
        &response,
        what,
        "a refusal",
    )))
}
