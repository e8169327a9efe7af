//! `GET /get-balances`.

use std::sync::Arc;

use nodeproof_primitives::escape::escaped_up_to as shown;
use nodeproof_report::{Aspect, Level};
use serde_json::Value;

use super::{
    case::{Case, Example},
    cause::{Cause, When},
    check::Check::{Near, Read, Refused, Responses, Same, Snapshot},
    request_kind::{Parameter, RequestKind},
};
use crate::{
    api::{
        Sample, held_by_wallet, is_refusal, nobody, requested, token_balance_request,
        token_holders_request, wallet_balances_request,
    },
    checks::{
        Examination, Finding, Findings, WrongRequest, WrongRequests, check_json_responses,
        contents, controls, sample_schema,
    },
    context::Samples,
    http::{Exchange, unknown},
};
use nodeproof_openapi::Spec;

/// What most of these cases share.
pub(super) const BASE: Case = Case {
    matters: "People decide by balances whether they can pay. A wrong one costs money, and an unclear one costs trust.",
    example: Example::Of("/get-balances"),
    sends: &[BALANCE],
    needs: &[NO_BALANCES],
    ..Case::BASE
};

const ANY_TOKEN: Parameter = (
    "token_code",
    "a token from the chain, or one that does not exist",
);
const ANY_WALLET: Parameter = (
    "wallet_address",
    "an address from the chain, or an unknown one",
);
/// A request for all balances of a wallet.
pub(super) const HELD: RequestKind = RequestKind::get(
    "/get-balances",
    &[("balance_type", "ALL_TOKENS_IN_WALLET"), ANY_WALLET],
);
/// A request for all holders of a token.
pub(super) const HOLDERS: RequestKind = RequestKind::get(
    "/get-balances",
    &[("balance_type", "ALL_WALLETS_FOR_TOKEN"), ANY_TOKEN],
);
/// A request for one balance.
pub(super) const BALANCE: RequestKind = RequestKind::get(
    "/get-balances",
    &[
        ("balance_type", "TOKEN_IN_WALLET, or an undocumented type"),
        ANY_TOKEN,
        ANY_WALLET,
    ],
);
pub(super) const WITHOUT_TYPE: RequestKind = RequestKind::get(
    "/get-balances",
    &[
        ("token_code", "a token from the chain"),
        ("wallet_address", "an address from the chain"),
    ],
);

/// Without a usable response, there is no balance.
pub(super) const NO_BALANCES: Cause = Cause::new(&["get-balances/token-in-wallet"], When::Unusable);
/// Without usable lists, there is nothing to compare.
pub(super) const NO_LISTS: Cause = Cause::new(
    &[
        "get-balances/all-tokens-in-wallet",
        "get-balances/all-wallets-for-token",
    ],
    When::Unusable,
);

pub(crate) const CASES: &[Case] = &[
    Case {
        id: "get-balances/token-in-wallet",
        requirements: &["BALANCE-2", "BALANCE-5", "HTTP-2", "NODE-4"],
        checks: "The response about one token in one wallet is a success with one JSON object.",
        aspect: Aspect::Endpoint,
        check: Responses(Sample::TokenBalance, |_, all| check_json_responses(all)),
        ..BASE
    },
    Case {
        id: "get-balances/all-tokens-in-wallet",
        requirements: &["BALANCE-3", "BALANCE-5", "HTTP-2"],
        checks: "The response about all tokens in a wallet is a success with one JSON object. Its shape is open.",
        example: Example::None,
        aspect: Aspect::Endpoint,
        sends: &[],
        check: Responses(Sample::WalletBalances, |_, all| check_json_responses(all)),
        ..BASE
    },
    Case {
        id: "get-balances/all-wallets-for-token",
        requirements: &["BALANCE-4", "BALANCE-5", "HTTP-2"],
        checks: "The response about all wallets for a token is a success with one JSON object. Its shape is open.",
        example: Example::None,
        aspect: Aspect::Endpoint,
        sends: &[HOLDERS],
        check: Responses(Sample::TokenHolders, |_, all| check_json_responses(all)),
        ..BASE
    },
    Case {
        id: "get-balances/balance",
        requirements: &["BALANCE-6", "BALANCE-7"],
        checks: "`balance`, or `value`, is an integer. If both are there, they are equal, and a `status` is SUCCESS.",
        aspect: Aspect::Shape,
        check: Responses(Sample::TokenBalance, balance),
        ..BASE
    },
    Case {
        id: "get-balances/nothing-held",
        requirements: &["BALANCE-6", "BALANCE-2"],
        checks: "The balance of a token that does not exist is 0, or the request is refused. So is that of a wallet that does not exist, for up to three tokens. Null is not an integer.",
        example: Example::Text("{\"balance\": 0}, or a status that is not 2xx"),
        aspect: Aspect::Refusals,
        sends: &[HOLDERS, BALANCE],
        explained_by: &[
            NO_LISTS,
            Cause::of(&["get-balances/balance"]),
            // The same balance for everything.
            Cause::of(&["get-balances/agree"]),
        ],
        check: Read(|c| Box::pin(nothing_held(c))),
        ..BASE
    },
    Case {
        id: "get-balances/repeat-read",
        requirements: &["CONSISTENT-4", "BALANCE-2"],
        checks: "All requests of the run for the same balance, or the same list, return the same as long as no block is made.",
        aspect: Aspect::Consistency,
        check: Same(Sample::TokenBalance),
        ..BASE
    },
    Case {
        id: "get-balances/wallet-address-malformed",
        requirements: &["BALANCE-2"],
        checks: "The wallet address `0x5a` is refused, or holds nothing.",
        example: Example::REFUSED,
        aspect: Aspect::Refusals,
        check: Refused(wallet_address_malformed),
        ..BASE
    },
    Case {
        id: "get-balances/near",
        requirements: &[
            "CONSISTENT-7",
            "BALANCE-1",
            "BALANCE-2",
            "BALANCE-3",
            "BALANCE-4",
        ],
        checks: "No request of the whole run for almost the same wallet, token or balance type gets its balances, and none without `balance_type` gets any. An address in upper case may be the same address.",
        example: Example::REFUSED,
        aspect: Aspect::Consistency,
        sends: &[BALANCE, WITHOUT_TYPE, HOLDERS],
        explained_by: &[Cause::of(&["http/probes-only-requested"])],
        check: Near(Sample::TokenBalance),
        ..BASE
    },
    Case {
        id: "get-balances/balance-type-unknown",
        level: Level::Should,
        requirements: &["BALANCE-1"],
        checks: "A request with `EVERYTHING` as `balance_type` is refused, or returns nothing.",
        example: Example::REFUSED,
        aspect: Aspect::Refusals,
        check: Refused(|s| {
            let what = "a balance_type that the specification does not have";
            wrong_type(s, "EVERYTHING", what)
        }),
        ..BASE
    },
    Case {
        id: "get-balances/snapshot",
        requirements: &["BALANCE-5", "BALANCE-6"],
        checks: "The shape of a single balance is that of the shared snapshot. `balance` and `value` count as one.",
        aspect: Aspect::Shape,
        explained_by: &[Cause::of(&["get-balances/balance"])],
        check: Snapshot(Sample::TokenBalance),
        ..BASE
    },
];

fn balance(spec: &Spec, responses: &[Arc<Exchange>]) -> Findings {
    let validator = sample_schema(spec, Sample::TokenBalance)?;
    let mut findings = Examination::default();
    for (exchange, body) in contents(responses)? {
        findings.count_item();
        let carried = carried(body);
        if let (Some(balance), Some(value)) = (body.get("balance"), body.get("value"))
            && balance != value
        {
            let what = "balance and value are both present and differ";
            findings.push(Finding::of_body(exchange, what, "one balance").at("/value"));
        }
        let status = body.get("status").and_then(Value::as_str);
        if let Some(status) = status.filter(|status| *status != "SUCCESS") {
            let what = "a balance is returned with another status than SUCCESS";
            let finding = Finding::new(exchange, what, "SUCCESS", shown(status, 60));
            findings.push(finding.at("/status"));
        }
        for mismatch in validator.mismatches_in(body).into_iter().take(1) {
            let (what, at) = match carried {
                None => (
                    "balance and value are both missing".to_owned(),
                    String::new(),
                ),
                Some((name, Value::Null)) => {
                    (format!("{name} is null, not a number"), format!("/{name}"))
                }
                Some((name, Value::String(_))) => (
                    format!("{name} is a string, not a number"),
                    format!("/{name}"),
                ),
                Some((name, _)) => (format!("{name}: {}", mismatch.message), format!("/{name}")),
            };
            let expected = "a balance that is an integer";
            findings.push(Finding::of_body(exchange, what, expected).at(at));
        }
    }
    Ok(findings)
}

/// Returns the member that carries the balance, under either of its names.
pub(super) fn carried(body: &Value) -> Option<(&'static str, &Value)> {
    ["balance", "value"]
        .into_iter()
        .find_map(|name| body.get(name).map(|value| (name, value)))
}

async fn nothing_held(context: &Samples) -> Findings {
    if context.discovered.tokens.is_empty() {
        return unknown("no token was found; give one with --fixture");
    }
    // A missing balance counts only if the endpoint returns other balances.
    controls(context, "get-balances").await?;
    let mut findings = held_by_nobody(context, &context.signer(), UNKNOWN_TOKEN).await?;
    for token in context.discovered.tokens.iter().take(MAX_TOKENS) {
        findings.add(held_by_nobody(context, &nobody(), token).await);
    }
    findings.add(nothing_listed(context, &nobody(), UNKNOWN_TOKEN).await);
    Ok(findings)
}

/// Maximum number of tokens of which a wallet that does not exist must hold nothing.
const MAX_TOKENS: usize = 3;
/// A token that does not exist on any chain.
const UNKNOWN_TOKEN: &str = "NO-SUCH-TOKEN-5A5A";

async fn held_by_nobody(context: &Samples, wallet: &str, token: &str) -> Findings {
    let exchange = context
        .node
        .send(token_balance_request(wallet, token))
        .await?;
    let Some(body) = exchange.success_object() else {
        // The specification does not define whether a request for unknown data is an error.
        return Ok(Examination::passed());
    };
    let what = match carried(body) {
        Some((_, Value::Number(number))) if number.is_i64() || number.is_u64() => {
            if number.as_u64() == Some(0) {
                return Ok(Examination::passed());
            }
            let thing = if token == UNKNOWN_TOKEN {
                "token"
            } else {
                "wallet"
            };
            format!("the node reports a balance of a {thing} that does not exist")
        }
        Some((name, Value::Null)) => format!("a zero balance is returned as {name}: null"),
        _ if is_refusal(body) => return Ok(Examination::passed()),
        _ => "a zero balance is not an integer".to_owned(),
    };
    let expected = "an integer balance, 0";
    Ok(Examination::failed(
        Finding::of_body(&exchange, what, expected).at("/balance"),
    ))
}

/// Checks that an unknown wallet and an unknown token have no balances.
async fn nothing_listed(context: &Samples, wallet: &str, token: &str) -> Findings {
    let mut findings = Examination::default();
    for (request, who) in [
        (wallet_balances_request(wallet), "an unknown wallet"),
        (token_holders_request(token), "a token that does not exist"),
    ] {
        let Some(exchange) = findings.received(context.node.send(request).await) else {
            break;
        };
        findings.count_item();
        let held = held_by_wallet(&exchange).unwrap_or_default();
        if !held.is_empty() {
            findings.push(
                Finding::of_body(
                    &exchange,
                    format!(
                        "{} lists balances of {who}",
                        requested(&exchange, "balance_type").unwrap_or_default()
                    ),
                    "an empty list, or a refusal",
                )
                .at("/balance"),
            );
        }
    }
    Ok(findings)
}

/// Checks that a malformed wallet address has no balance.
fn wallet_address_malformed(context: &Samples) -> WrongRequests {
    let Some((_, token)) = context.discovered.holdings.first() else {
        return unknown("no wallet with a token was found");
    };
    let says_nothing = |body: &Value| {
        carried(body).is_none_or(|(_, value)| value.is_null() || value.as_f64() == Some(0.0))
    };
    let what = "a wallet_address that is not a wallet address";
    let request = token_balance_request("0x5a", token);
    WrongRequest::new(request, what).or(says_nothing).only()
}

fn wrong_type(context: &Samples, given: &str, what: &'static str) -> WrongRequests {
    let discovered = &context.discovered;
    let held = discovered.holdings.first().cloned();
    let (wallet, token) = held.unwrap_or_else(|| {
        let token = discovered.tokens.first().cloned();
        (context.signer(), token.unwrap_or_default())
    });
    let request = token_balance_request(&wallet, &token);
    let request = request.setting("balance_type", given.to_owned());
    WrongRequest::new(request, what).only()
}
