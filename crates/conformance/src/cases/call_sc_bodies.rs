//! `POST /call-sc`, with bodies that a node should refuse.

use std::borrow::Cow;

use nodeproof_report::{Aspect, Level};
use serde_json::Value;

use super::{
    call_sc::BASE,
    case::{Case, Example},
    check::Check::Refused,
};
use crate::{
    checks::{WrongRequest, WrongRequests},
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
];

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
