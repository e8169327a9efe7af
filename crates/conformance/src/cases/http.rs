//! Cases about all responses: the status and the content type of a success.

use std::sync::Arc;

use nodeproof_primitives::escape::escaped_up_to as shown;

use nodeproof_report::Level;

use super::{
    call_sc,
    case::Case,
    cause::{Cause, When},
    check::Check::Own,
    get_balances, get_trustscore_wallets, sc_state,
};
use crate::{
    api::{Sample, is_json},
    checks::{Checked, Finding, Findings},
    context::Context,
    http::{Exchange, InconclusiveReason},
};

/// What these cases share.
const BASE: Case = Case {
    matters: "Programs decide by status and content type how they read a response.",
    ..Case::BASE
};

/// JSON without the content type of JSON, everywhere.
pub(super) const OTHER_CONTENT_TYPE: Cause = Cause::new(&["http/content-type"], When::Always);

pub(crate) const CASES: &[Case] = &[
    Case {
        id: "http/content-type",
        level: Level::Should,
        requirements: &["HTTP-5", "HTTP-2"],
        checks: "Successful JSON responses have the content type `application/json`, with any parameters.",
        sends: &[
            get_balances::HOLDERS,
            get_balances::BALANCE,
            sc_state::STATE,
            get_trustscore_wallets::SCORE,
            call_sc::BUILD,
        ],
        check: Own(|c| Box::pin(content_type(c))),
        ..BASE
    },
    Case {
        id: "http/success-status",
        level: Level::Should,
        requirements: &["HTTP-6"],
        checks: "Successful responses have the status 200. The contract names no status, so any 2xx keeps it.",
        sends: &[
            get_balances::HOLDERS,
            get_balances::BALANCE,
            sc_state::STATE,
            get_trustscore_wallets::SCORE,
            call_sc::BUILD,
        ],
        check: Own(|c| Box::pin(success_status(c))),
        ..BASE
    },
    Case {
        id: "http/no-retries",
        level: Level::Should,
        requirements: &["HTTP-6"],
        checks: "No request of the whole run failed with a server error (5xx) and succeeded when it was sent again. The run sends each such request twice, so that no other case has to check the error.",
        is_last: true,
        check: Own(|c| Box::pin(no_retries(c))),
        ..BASE
    },
];

/// The samples whose responses are JSON.
const JSON: [Sample; 7] = [
    Sample::Blocks,
    Sample::TokenBalance,
    Sample::WalletBalances,
    Sample::TokenHolders,
    Sample::ContractState,
    Sample::TrustScore,
    Sample::CallSc,
];

/// Returns the successful responses that have a JSON document.
async fn successes(context: &Context) -> Result<Vec<Arc<Exchange>>, InconclusiveReason> {
    let mut all = Vec::new();
    for sample in JSON {
        all.extend(context.sample(sample).await.unwrap_or_default());
    }
    all.retain(|exchange| exchange.is_success() && exchange.json().is_ok());
    if all.is_empty() {
        let reason = "no response was a success with a JSON document";
        return Err(InconclusiveReason::NoSample(reason.to_owned()));
    }
    Ok(all)
}

async fn content_type(context: &Context) -> Findings {
    Ok(content_types(&successes(context).await?))
}

/// Checks the content types of JSON responses.
pub(super) fn content_types(exchanges: &[Arc<Exchange>]) -> Checked {
    let mut findings = Checked::default();
    for exchange in exchanges {
        findings.one();
        let media = exchange.content_type.as_deref();
        if media.is_some_and(is_json) {
            continue;
        }
        let what = match media {
            Some(_) => "a JSON response has another content type",
            None => "a JSON response has no content type",
        };
        let actual = format!("Content-Type: {}", shown(media.unwrap_or("none"), 80));
        let expected = "Content-Type: application/json";
        findings.push(Finding::new(exchange, what, expected, actual));
    }
    findings
}

/// Reports requests that failed with a server error and succeeded when they were repeated.
async fn no_retries(context: &Context) -> Findings {
    let log = context.node.log();
    let Some(error) = &log.first_error else {
        return Ok(Checked::passed());
    };
    let what = format!(
        "{} of {} requests were repeated after a {}",
        log.repeated,
        context.node.requests(),
        error.status
    );
    let expected = "a response without a server error the first time";
    let finding = Finding::new(error, what, expected, error.summary());
    Ok(Checked::failed(finding))
}

async fn success_status(context: &Context) -> Findings {
    let all = successes(context).await?;
    let others = all.iter().filter(|exchange| exchange.status != 200);
    let findings = others.map(|exchange| {
        let what = "a successful response has another status than 200";
        Finding::new(exchange, what, "200", exchange.status.to_string())
    });
    Ok(Checked::of(all.len(), findings))
}
