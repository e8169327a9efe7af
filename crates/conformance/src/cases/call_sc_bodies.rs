//! `POST /call-sc`, with bodies that a node should refuse.

use std::borrow::Cow;

use nodeproof_report::{Aspect, Level};
use serde_json::Value;

use super::{
    call_sc::BASE,
    case::{Case, Example},
    check::Check::{Read, Refused},
};
use crate::{
    api::UNKNOWN_CONTRACT,
    checks::{Examination, Finding, Findings, WrongRequest, WrongRequests, controls},
    context::Samples,
    http::Request,
};

pub(crate) const CASES: &[Case] = &[
    Case {
        id: "call-sc/signers-mistyped",
        level: Level::Should,
        requirements: &["CALL-4", "CALL-9"],
        checks: "A call with a string for its `signers` is refused.",
        example: Example::REFUSED,
        aspect: Aspect::Refusals,
        check: Refused(|s| {
            let signer = s.signer().into();
            with(
                s,
                "signers",
                signer,
                "a call whose signers are not an array",
            )
        }),
        ..BASE
    },
    Case {
        id: "call-sc/params-mistyped",
        level: Level::Should,
        requirements: &["CALL-5", "CALL-9"],
        checks: "A call with a string for its `params` is refused.",
        example: Example::REFUSED,
        aspect: Aspect::Refusals,
        check: Refused(|s| {
            let text = "never submitted".into();
            with(s, "params", text, "a call whose params are not an object")
        }),
        ..BASE
    },
    Case {
        id: "call-sc/unknown-contract",
        level: Level::Should,
        requirements: &["CALL-2", "CALL-9"],
        checks: "A call of a contract that does not exist is not a server error. It is refused, or built.",
        example: Example::REFUSED,
        aspect: Aspect::Refusals,
        check: Read(|c| Box::pin(unknown_contract(c))),
        ..BASE
    },
];

async fn unknown_contract(context: &Samples) -> Findings {
    // If every call fails, this one shows nothing.
    controls(context, "call-sc").await?;
    let mut body = context.call_body();
    body["sc_address"] = UNKNOWN_CONTRACT.into();
    let request = Request::post("/call-sc", body.to_string());
    let exchange = context.node.send(request).await?;
    let what = "a call of a contract that does not exist is a server error";
    let expected = "a refusal with a status from 400 to 499, or a transaction";
    let finding = || Finding::new(&exchange, what, expected, exchange.summary());
    Ok(Examination::of(1, (exchange.status >= 500).then(finding)))
}

/// Returns a call with another value of a member.
fn with(
    context: &Samples,
    name: &str,
    value: Value,
    what: impl Into<Cow<'static, str>>,
) -> WrongRequests {
    let mut body = context.call_body();
    body[name] = value;
    WrongRequest::new(Request::post("/call-sc", body.to_string()), what).only()
}
