//! `POST /call-sc`, with bodies that a node must not build a transaction from, and a large one.

use std::borrow::Cow;

use nodeproof_client::contract_call::shown_apart;
use nodeproof_primitives::{canonical_json, escape::escaped_up_to as shown};
use nodeproof_report::{Aspect, Level};

use super::{
    call_sc::{BASE, BUILD, NO_CALLS, NO_TRANSACTION, builds_nothing, find, if_any},
    case::{Case, Example},
    cause::{Cause, When},
    check::Check::{Read, Refused},
    inconclusive::unknown,
    request_kind::RequestKind,
};
use crate::{
    api::UNKNOWN_CONTRACT,
    checks::{Examination, Finding, Findings, WrongRequest, WrongRequests, controls},
    context::Samples,
    http::{InconclusiveReason, Request},
};

const GET: RequestKind = RequestKind::get("/call-sc", &[]);

/// A node that builds a transaction from an incomplete body builds one from any.
const INCOMPLETE: Cause = Cause::new(
    &[
        "call-sc/sc-address-required",
        "call-sc/function-called-required",
        "call-sc/signers-required",
        "call-sc/params-required",
    ],
    When::Always,
);

pub(crate) const CASES: &[Case] = &[
    Case {
        id: "call-sc/sc-address-required",
        requirements: &["CALL-2"],
        checks: "A call without `sc_address` is refused, or builds nothing.",
        example: Example::REFUSED,
        aspect: Aspect::Refusals,
        check: Refused(|s| left_out(s, "sc_address")),
        ..BASE
    },
    Case {
        id: "call-sc/function-called-required",
        requirements: &["CALL-3"],
        checks: "A call without `function_called` is refused, or builds nothing.",
        example: Example::REFUSED,
        aspect: Aspect::Refusals,
        check: Refused(|s| left_out(s, "function_called")),
        ..BASE
    },
    Case {
        id: "call-sc/signers-required",
        requirements: &["CALL-4"],
        checks: "A call without `signers` is refused, or builds nothing.",
        example: Example::REFUSED,
        aspect: Aspect::Refusals,
        check: Refused(|s| left_out(s, "signers")),
        ..BASE
    },
    Case {
        id: "call-sc/params-required",
        requirements: &["CALL-5"],
        checks: "A call without `params` is refused, or builds nothing.",
        example: Example::REFUSED,
        aspect: Aspect::Refusals,
        check: Refused(|s| left_out(s, "params")),
        ..BASE
    },
    Case {
        id: "call-sc/signers-mistyped",
        level: Level::Should,
        requirements: &["CALL-4", "CALL-9"],
        checks: "A call with a string for its `signers` is refused.",
        example: Example::REFUSED,
        aspect: Aspect::Refusals,
        check: Refused(|s| {
            let mut body = s.call_body();
            body["signers"] = s.signer().into();
            wrong_call(body.to_string(), "a call whose signers are not an array").only()
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
            let mut body = s.call_body();
            body["params"] = "never submitted".into();
            wrong_call(body.to_string(), "a call whose params are not an object").only()
        }),
        ..BASE
    },
    Case {
        id: "call-sc/body-empty",
        requirements: &["CALL-2", "CALL-3", "CALL-4", "CALL-5"],
        checks: "A call without a body is refused, or builds nothing.",
        example: Example::REFUSED,
        aspect: Aspect::Refusals,
        explained_by: &[
            NO_CALLS,
            INCOMPLETE,
            Cause::new(&["call-sc/body-not-json"], When::Always),
        ],
        check: Refused(|_| {
            let wrong = wrong_call(String::new(), "a call without a body");
            wrong.or(builds_nothing).only()
        }),
        ..BASE
    },
    Case {
        id: "call-sc/body-not-json",
        level: Level::Should,
        requirements: &["HTTP-3", "CALL-9"],
        checks: "A call with a truncated body is refused.",
        example: Example::REFUSED,
        aspect: Aspect::Refusals,
        explained_by: &[NO_CALLS, INCOMPLETE],
        check: Refused(|_| {
            wrong_call("{\"sc_address\":".to_owned(), "a body that is not JSON").only()
        }),
        ..BASE
    },
    Case {
        id: "call-sc/get-refused",
        level: Level::Should,
        requirements: &["CALL-1"],
        checks: "A GET is refused, or builds nothing.",
        example: Example::REFUSED,
        aspect: Aspect::Refusals,
        sends: &[GET, BUILD],
        explained_by: &[NO_CALLS, INCOMPLETE],
        check: Refused(|_| {
            let what = "a GET, with nothing to build,";
            let wrong = WrongRequest::new(Request::get("/call-sc"), what);
            wrong.or(builds_nothing).only()
        }),
        ..BASE
    },
    Case {
        id: "call-sc/unknown-contract",
        level: Level::Should,
        requirements: &["CALL-2", "CALL-9"],
        checks: "A call of a contract that does not exist is refused, or builds a transaction for that contract. It is not a server error.",
        example: Example::REFUSED,
        aspect: Aspect::Refusals,
        explained_by: &[
            NO_CALLS,
            Cause::new(
                &["call-sc/sc-address", "call-sc/signers", "call-sc/params"],
                When::Always,
            ),
        ],
        check: Read(|c| Box::pin(unknown_contract(c))),
        ..BASE
    },
    Case {
        id: "call-sc/deep-and-large-params",
        level: Level::Should,
        requirements: &["CALL-5", "CALL-7"],
        checks: "Params with 40 levels, 200 members, unusual strings and names, and numbers beyond 64 bits come back unchanged. A refusal leaves the case inconclusive.",
        explained_by: &[
            NO_CALLS,
            NO_TRANSACTION,
            Cause::new(&["call-sc/params"], When::Always),
        ],
        check: Read(|c| Box::pin(deep_and_large_params(c))),
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
    let built = exchange
        .success_object()
        .and_then(|built| find(built, "address", ""));
    if let Some((at, address)) = built
        && *address != UNKNOWN_CONTRACT
    {
        let what = "a call of a contract that does not exist builds one of another contract";
        let actual = shown(&address.to_string(), 160);
        let finding = Finding::new(&exchange, what, UNKNOWN_CONTRACT, actual);
        return Ok(Examination::failed(finding.at(at)));
    }
    if exchange.status < 500 {
        return Ok(Examination::passed());
    }
    let what = "a call of a contract that does not exist is a server error";
    let expected = "a refusal with a status from 400 to 499, or a transaction";
    Ok(Examination::failed(Finding::new(
        &exchange,
        what,
        expected,
        exchange.summary(),
    )))
}

fn wrong_call(body: String, what: impl Into<Cow<'static, str>>) -> WrongRequest {
    WrongRequest::new(Request::post("/call-sc", body), what)
}

fn left_out(context: &Samples, name: &str) -> WrongRequests {
    let mut body = context.call_body();
    if let Some(members) = body.as_object_mut() {
        members.shift_remove(name);
    }
    let wrong = wrong_call(body.to_string(), format!("a call without {name}"));
    wrong.or(builds_nothing).only()
}

/// The depth of the params.
const DEPTH: usize = 40;

/// Number of additional members.
const MEMBERS: usize = 200;

/// Returns the params of a claim with more members. They are text, because no number type holds all
/// of these numbers.
///
/// A node can read each decimal as a float and write it again without a change of its value.
fn large_params(context: &Samples) -> String {
    let mut claim = context.call_body()["params"].take();
    // Blanks, upper case, and longer than a narrow column.
    claim["asset_id"] = "  Conformance-Check-Deep of more than forty-eight characters ".into();
    claim["remarks"] = "never submitted".into();
    let claim = claim.to_string();
    let deep = format!(
        "{}\"bottom\"{}",
        "{\"a\":[".repeat(DEPTH / 2),
        "]}".repeat(DEPTH / 2)
    );
    let members: Vec<_> = (0..MEMBERS)
        .map(|n| format!("\"member_{n}\":{n}"))
        .collect();
    // Texts that are often misread, lists that may be shortened, and names that may be normalised.
    let odd = serde_json::json!({
        "texts": [
            "<b>&amp;& it''s 41%20+{x} ${y} $z `w` %s \\n",
            "12345", "1.50", "true", "null", " ", "\u{7f}\u{feff}\u{200d}\u{2028}.",
            "long ".repeat(500),
        ],
        "list": (0..64).collect::<Vec<_>>(),
        "none": null,
        " Upper Key ": 1, "a.b-c": 2, "$d": 3, "__proto__": 4, "": 5, "e\u{301}": 6,
        "k".repeat(64): 7,
    });
    format!(
        "{},\"odd\":{odd},\"deep\":{deep},\"many\":{{{}}},\"integers\":[18446744073709551616,\
         -9223372036854775809,123456789012345678901234567890],\
         \"decimals\":[0.1,1e-7,-0.25,1234567.123456789],\"nothing\":[null,true,false,\"\",[],{{}}]}}",
        claim.trim_end_matches('}'),
        members.join(",")
    )
}

async fn deep_and_large_params(context: &Samples) -> Findings {
    let params = large_params(context);
    let call = context.call_body();
    let body = format!(
        "{{\"sc_address\":{},\"function_called\":{},\"signers\":{},\"params\":{params}}}",
        call["sc_address"], call["function_called"], call["signers"]
    );
    let exchange = context.node.send(Request::post("/call-sc", body)).await?;
    let Some(response) = exchange.success_object() else {
        let reason = format!("no call was built: {}", exchange.summary());
        return unknown(reason);
    };
    let wanted = canonical_json::read(&params).ok_or_else(|| {
        InconclusiveReason::Harness("the params that were sent are not JSON".to_owned())
    })?;
    let Some((at, _)) = find(response, "params", "") else {
        return if_any("params", Examination::default());
    };
    let found = std::str::from_utf8(&exchange.body)
        .ok()
        .and_then(canonical_json::read)
        .and_then(|whole| whole.at(&at).cloned());
    let Some(found) = found else {
        return unknown("the response exceeds the limits of an exact comparison");
    };
    let (wanted, found) = (wanted.canonical(), found.canonical());
    let difference = (wanted != found).then(|| {
        let what = "the params of the transaction differ from those sent";
        let (wanted, found) = shown_apart(&wanted, &found);
        Finding::new(&exchange, what, wanted, found).at(at)
    });
    Ok(Examination::of(1, difference))
}
