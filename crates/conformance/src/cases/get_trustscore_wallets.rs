//! `GET /get-trustscore-wallets`.

use nodeproof_client::{TrustScore, from_json};
use nodeproof_primitives::{Integer, escape::escaped_up_to as shown};
use nodeproof_report::Level;

use super::case::Case;
use crate::{
    api::{Members, Sample, trust_request},
    checks::{
        Checked, Decoding, Finding, Findings, check_json_responses, decodes, is_missing, never,
        objects, refused, steady,
    },
    context::Context,
    http::{InconclusiveReason, Request},
};

pub(crate) const CASES: &[Case] = &[
    Case::must(
        "get-trustscore-wallets/responds",
        &["TRUST-1", "HTTP-2", "NODE-4"],
        |c| Box::pin(responds(c)),
    ),
    Case::must("get-trustscore-wallets/status-success", &["TRUST-2"], |c| {
        Box::pin(status_success(c))
    }),
    Case::must("get-trustscore-wallets/src-required", &["TRUST-1"], |c| {
        Box::pin(left_out(c, "src_wallet_address"))
    }),
    Case::must("get-trustscore-wallets/dst-required", &["TRUST-1"], |c| {
        Box::pin(left_out(c, "dst_wallet_address"))
    }),
    Case::should(
        "get-trustscore-wallets/src-malformed",
        &["TRUST-1", "FORM-2"],
        |c| Box::pin(malformed(c, "src_wallet_address")),
    ),
    Case::should(
        "get-trustscore-wallets/dst-malformed",
        &["TRUST-1", "FORM-2"],
        |c| Box::pin(malformed(c, "dst_wallet_address")),
    ),
    Case::should(
        "get-trustscore-wallets/unknown-pair",
        &["TRUST-1", "TRUST-4"],
        |c| Box::pin(unknown_pair(c)),
    ),
    Case::should("get-trustscore-wallets/repeat-read", &["TRUST-1"], |c| {
        Box::pin(steady(c, Sample::TrustScore))
    }),
    Case::must(
        "get-trustscore-wallets/decodes",
        &["TRUST-2", "TRUST-3"],
        |c| {
            let decoding = Decoding {
                client: |body| from_json::<TrustScore>(body).map(drop),
                needed: |text| {
                    let members = Members::of(text).ok_or("it is not an object")?;
                    let score = members.read::<Integer>("trust_score");
                    score.map(drop).map_err(|unread| unread.to_string())
                },
            };
            Box::pin(decodes(c, Sample::TrustScore, decoding))
        },
    ),
    Case::of_snapshot(
        "get-trustscore-wallets/snapshot",
        Level::Must,
        &["TRUST-2", "TRUST-3"],
        Sample::TrustScore,
    ),
];

async fn responds(context: &Context) -> Findings {
    let responses = context.sample(Sample::TrustScore).await?;
    let no_score = responses
        .iter()
        .all(|response| matches!(response.status, 400 | 404) && response.json().is_ok());
    // A chain may have no scores, but the endpoint must exist.
    if no_score && !is_missing(context, "/get-trustscore-wallets").await? {
        return Err(InconclusiveReason::NoSample(
            "no pair of wallets with a trust score was found; give one with --fixture".into(),
        ));
    }
    check_json_responses(&responses)
}

async fn status_success(context: &Context) -> Findings {
    let mut findings = Checked::default();
    for exchange in objects(context, Sample::TrustScore).await? {
        let Some(body) = exchange.success_object() else {
            continue;
        };
        let Some(status) = body.get("status").and_then(serde_json::Value::as_str) else {
            continue;
        };
        findings.one();
        if status != "SUCCESS" {
            findings.push(
                Finding::new(
                    &exchange,
                    "the response with a score has another status than SUCCESS",
                    "SUCCESS",
                    shown(status, 80),
                )
                .at("/status"),
            );
        }
    }
    Ok(findings)
}

fn known_request(context: &Context) -> Request {
    match context.discovered.trust.first() {
        Some((from, to)) => trust_request(from, to),
        None => trust_request(&context.signer(), &context.signer()),
    }
}

async fn left_out(context: &Context, name: &'static str) -> Findings {
    let what = format!("a request without {name}");
    refused(context, known_request(context).without(name), &what, never).await
}

async fn malformed(context: &Context, name: &'static str) -> Findings {
    let request = known_request(context).without(name).with(name, "0x5a");
    let what = format!("a {name} that is not a wallet address");
    refused(context, request, &what, never).await
}

/// Checks that wallets that do not exist have no score, or 0.
async fn unknown_pair(context: &Context) -> Findings {
    let wallets = ["fe", "ff"].map(|byte| format!("0x{}", byte.repeat(20)));
    let request = trust_request(&wallets[0], &wallets[1]);
    let says_nothing = |body: &serde_json::Value| {
        body.get("trust_score")
            .and_then(serde_json::Value::as_i64)
            .is_none_or(|score| score == 0)
    };
    refused(context, request, "a pair of unknown wallets", says_nothing).await
}
