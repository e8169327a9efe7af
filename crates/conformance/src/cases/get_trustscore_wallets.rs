//! `GET /get-trustscore-wallets`.

use std::sync::Arc;

use nodeproof_primitives::escape::escaped_up_to as shown;
use nodeproof_report::{Aspect, Level};
use serde_json::Value;

use super::{
    case::{Case, Example},
    cause::{Cause, When},
    check::Check::{Near, Objects, Read, Refused, Same, Snapshot},
    request_kind::{Parameter, RequestKind},
};
use crate::{
    api::{Sample, nobody, trust_request},
    checks::{
        Examination, Field, Finding, Findings, NOTHING_EXAMINED, WrongRequest, WrongRequests,
        check_json_responses, is_missing,
    },
    context::Samples,
    http::{Exchange, Request, unknown},
};

/// What most of these cases share.
pub(super) const BASE: Case = Case {
    matters: "Applications use the score to decide which wallets to trust.",
    example: Example::Of("/get-trustscore-wallets"),
    sends: &[SCORE],
    needs: &[NO_SCORES],
    ..Case::BASE
};

const SOURCE: Parameter = (
    "src_wallet_address",
    "an address from the chain, or no address",
);
const DESTINATION: Parameter = (
    "dst_wallet_address",
    "an address from the chain, or no address",
);
/// A request for a trust score.
pub(super) const SCORE: RequestKind =
    RequestKind::get("/get-trustscore-wallets", &[SOURCE, DESTINATION]);
pub(super) const WITHOUT_SOURCE: RequestKind =
    RequestKind::get("/get-trustscore-wallets", &[DESTINATION]);
pub(super) const WITHOUT_DESTINATION: RequestKind =
    RequestKind::get("/get-trustscore-wallets", &[SOURCE]);

/// Without a usable response, there is no score.
pub(super) const NO_SCORES: Cause =
    Cause::new(&["get-trustscore-wallets/responds"], When::Unusable);

/// A node that keeps a score for other requests, too.
const KEPT: Cause = Cause::of(&["get-trustscore-wallets/repeat-read"]);

/// Returns the case about a documented field of a score.
pub(super) fn of_field(field: &'static Field) -> Case {
    BASE.about_field(field)
}

pub(crate) const CASES: &[Case] = &[
    Case {
        id: "get-trustscore-wallets/responds",
        requirements: &["TRUST-1", "HTTP-2", "NODE-4"],
        checks: "The response about a pair of wallets is a success with one JSON object.",
        aspect: Aspect::Endpoint,
        check: Read(|c| Box::pin(responds(c))),
        ..BASE
    },
    Case {
        id: "get-trustscore-wallets/status-success",
        requirements: &["TRUST-2"],
        checks: "`status` is `SUCCESS` where a score is returned.",
        check: Objects(&[Sample::TrustScore], status_success, NOTHING_EXAMINED),
        ..BASE
    },
    Case {
        id: "get-trustscore-wallets/near",
        requirements: &["CONSISTENT-7", "TRUST-1"],
        checks: "No request of the whole run for almost the same wallets gets their score, and none without one of the wallets gets a score. A score that unknown wallets have, too, shows nothing.",
        example: Example::REFUSED,
        aspect: Aspect::Consistency,
        sends: &[SCORE, WITHOUT_SOURCE, WITHOUT_DESTINATION],
        explained_by: &[Cause::of(&["http/probes-only-requested"]), KEPT],
        check: Near(Sample::TrustScore),
        ..BASE
    },
    Case {
        id: "get-trustscore-wallets/wallet-malformed",
        level: Level::Should,
        requirements: &["TRUST-1", "FORM-2"],
        checks: "The wallet `0x5a` is refused, or has no score, as source and as destination.",
        example: Example::REFUSED,
        aspect: Aspect::Refusals,
        explained_by: &[KEPT],
        check: Refused(|s| Ok(malformed(s))),
        ..BASE
    },
    Case {
        id: "get-trustscore-wallets/unknown-pair",
        level: Level::Should,
        requirements: &["TRUST-1", "TRUST-4"],
        checks: "A pair of unknown wallets is refused, or has the score 0.",
        example: Example::REFUSED,
        check: Refused(|_| unknown_pair()),
        ..BASE
    },
    Case {
        id: "get-trustscore-wallets/repeat-read",
        requirements: &["CONSISTENT-4", "CONSISTENT-5", "TRUST-1", "TRUST-3"],
        checks: "All requests of the run for the same score return the same as long as no block is made. What the run submits changes no score, and a score stays there. If the scores of known updates (type 6) show what an update means, every score is that of its latest update, from the wallet that signed it to the other one.",
        aspect: Aspect::Consistency,
        check: Same(Sample::TrustScore),
        ..BASE
    },
    Case {
        id: "get-trustscore-wallets/snapshot",
        requirements: &["TRUST-2", "TRUST-3"],
        checks: "The shape of the response is that of the shared snapshot.",
        aspect: Aspect::Shape,
        explained_by: &[Cause::fields_below(Sample::TrustScore, &[], When::Always)],
        check: Snapshot(Sample::TrustScore),
        ..BASE
    },
];

async fn responds(context: &Samples) -> Findings {
    let responses = context.sample(Sample::TrustScore).await?;
    let no_score = responses
        .iter()
        .all(|response| matches!(response.status, 400 | 404) && response.json().is_ok());
    // A chain may have no scores, but the endpoint must exist.
    if no_score && !is_missing(context, "/get-trustscore-wallets").await? {
        return unknown("no pair of wallets with a trust score was found; give one with --fixture");
    }
    check_json_responses(&responses)
}

fn status_success(exchange: &Arc<Exchange>, body: &Value, checked: &mut Examination) {
    let Some(status) = body.get("status").and_then(Value::as_str) else {
        return;
    };
    checked.count_item();
    if status != "SUCCESS" {
        let what = match body.get("trust_score") {
            Some(_) => "the response with a score has another status than SUCCESS",
            None => "a response with HTTP status 200 says that the request failed",
        };
        checked.push(Finding::new(exchange, what, "SUCCESS", shown(status, 80)).at("/status"));
    }
}

fn known_request(context: &Samples) -> Request {
    match context.discovered.trust.first() {
        Some((from, to)) => trust_request(from, to),
        None => trust_request(&nobody(), &nobody()),
    }
}

fn malformed(context: &Samples) -> Vec<WrongRequest> {
    let names = ["src_wallet_address", "dst_wallet_address"];
    let wrong = names.map(|name| {
        let request = known_request(context).without(name).with(name, "0x5a");
        WrongRequest::new(request, format!("a {name} that is not a wallet address"))
    });
    wrong.into()
}

/// Checks that wallets that do not exist have no score, or 0.
fn unknown_pair() -> WrongRequests {
    let wallets = ["fe", "ff"].map(|byte| format!("0x{}", byte.repeat(20)));
    let request = trust_request(&wallets[0], &wallets[1]);
    let says_nothing = |body: &Value| {
        body.get("trust_score")
            .and_then(Value::as_i64)
            .is_none_or(|score| score == 0)
    };
    let what = "a pair of unknown wallets";
    WrongRequest::new(request, what).or(says_nothing).only()
}
