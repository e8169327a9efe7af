//! `GET /get-balances`.

use std::sync::Arc;

use nodeproof_client::{TokenBalance, from_json};
use nodeproof_primitives::{Integer, escape::escaped_up_to as shown};
use nodeproof_report::{Aspect, Level};
use serde_json::Value;

use super::{
    balance_lists::{
        BalanceComparison, MOVES, NO_LIST, difference, lists_agree, look_again, nothing_listed,
    },
    case::{Case, Example},
    cause::{Cause, When},
    check::Check::{Decode, Near, Read, Refused, Responses, Same, Snapshot},
    inconclusive::unknown,
    request_kind::{Parameter, RequestKind},
};
use crate::{
    api::{
        List, Members, Pair, Sample, Unread, held, is_refusal, nobody, token_balance_request,
        token_holders_request, wallet_balances_request,
    },
    checks::{
        Decoding, Examination, Finding, Findings, WrongRequest, WrongRequests,
        check_json_responses, contents, controls, objects, sample_schema,
    },
    context::Samples,
    http::{Exchange, InconclusiveReason, Request},
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
        checks: "`balance`, or `value`, is an integer. If both are there, they are equal.",
        aspect: Aspect::Shape,
        check: Responses(Sample::TokenBalance, balance),
        ..BASE
    },
    Case {
        id: "get-balances/lists-agree",
        requirements: &["BALANCE-3", "BALANCE-4"],
        checks: "A list has no entry about another wallet or token. The lists by wallet and by token, and single balances, show the same amounts. Lists of an unknown form are not compared.",
        example: Example::None,
        aspect: Aspect::Consistency,
        sends: &[HOLDERS],
        explained_by: &[NO_LISTS],
        check: Read(|c| Box::pin(lists_agree(c))),
        ..BASE
    },
    Case {
        id: "get-balances/nothing-held",
        requirements: &["BALANCE-6", "BALANCE-2"],
        checks: "The balance of a token that does not exist is 0, or the request is refused. Null is not an integer.",
        example: Example::Text("{\"balance\": 0}, or a status that is not 2xx"),
        aspect: Aspect::Refusals,
        sends: &[HOLDERS, BALANCE],
        explained_by: &[
            NO_LISTS,
            Cause::new(&["get-balances/balance"], When::Always),
            Cause::new(
                &["get-balances/wallet-address"],
                When::AllFail(&["get-balances/token-code", "get-balances/nothing-held"]),
            ),
        ],
        check: Read(|c| Box::pin(nothing_held(c))),
        ..BASE
    },
    Case {
        id: "get-balances/wallet-address",
        requirements: &["BALANCE-2"],
        checks: "Single balances of two wallets are those that the list for the token shows.",
        aspect: Aspect::Consistency,
        sends: &[HOLDERS, BALANCE],
        explained_by: &[NO_LISTS],
        check: Read(|c| Box::pin(wallet_address(c))),
        ..BASE
    },
    Case {
        id: "get-balances/repeat-read",
        requirements: &["CONSISTENT-4", "BALANCE-2"],
        checks: "All requests of the run for the same balance, or the same list, return the same as long as no block is made.",
        aspect: Aspect::Consistency,
        is_last: true,
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
        id: "get-balances/token-code",
        requirements: &["BALANCE-2"],
        checks: "Single balances of two tokens are those that the list of the wallet shows.",
        aspect: Aspect::Consistency,
        explained_by: &[NO_LISTS],
        check: Read(|c| Box::pin(token_code(c))),
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
        is_last: true,
        explained_by: &[Cause::new(
            &["get-balances/probes-only-requested"],
            When::Always,
        )],
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
        id: "get-balances/decodes",
        requirements: &["BALANCE-5", "BALANCE-6"],
        checks: "The client `nodeproof-client` reads the balance.",
        aspect: Aspect::Shape,
        explained_by: &[Cause::new(&["get-balances/balance"], When::Always)],
        check: Decode(
            Sample::TokenBalance,
            Decoding {
                client: |body| from_json::<TokenBalance>(body).map(drop),
                needed: amount_needed,
            },
        ),
        ..BASE
    },
    Case {
        id: "get-balances/snapshot",
        requirements: &["BALANCE-5", "BALANCE-6"],
        checks: "The shape of a single balance is that of the shared snapshot. `balance` and `value` count as one.",
        aspect: Aspect::Shape,
        explained_by: &[Cause::new(&["get-balances/balance"], When::Always)],
        check: Snapshot(Sample::TokenBalance),
        ..BASE
    },
];

/// Reads the balance from either of its members. It may be null.
fn amount_needed(text: &str) -> Result<(), String> {
    let members = Members::of(text).ok_or("it is not an object")?;
    if let Ok(status) = members.read::<String>("status")
        && status != "SUCCESS"
    {
        return Err(format!("`status` is {}", shown(&status, 60)));
    }
    if let (Ok(balance), Ok(value)) = (
        members.read::<Integer>("balance"),
        members.read::<Integer>("value"),
    ) && balance != value
    {
        return Err("`balance` and `value` differ".to_owned());
    }
    match members.either::<Integer>("balance", "value") {
        Ok(_) | Err(Unread::Null(_)) => Ok(()),
        Err(unread) => Err(unread.to_string()),
    }
}

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
            let actual = exchange.excerpt(160);
            findings.push(Finding::new(exchange, what, "one balance", actual).at("/value"));
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
            findings.push(Finding::new(exchange, what, expected, exchange.excerpt(160)).at(at));
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
    findings.add(nothing_listed(context, &nobody(), UNKNOWN_TOKEN).await);
    Ok(findings)
}

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
            "the node reports a balance of a token that does not exist".to_owned()
        }
        Some((name, Value::Null)) => format!("a zero balance is returned as {name}: null"),
        _ if is_refusal(body) => return Ok(Examination::passed()),
        _ => "a zero balance is not a number".to_owned(),
    };
    let expected = "an integer balance, 0";
    Ok(Examination::failed(
        Finding::new(&exchange, what, expected, exchange.excerpt(160)).at("/balance"),
    ))
}

/// Returns a single balance, from an earlier response if there is one.
async fn single_before(
    context: &Samples,
    pair: &(String, String),
) -> Result<Option<Integer>, InconclusiveReason> {
    let requested = token_balance_request(&pair.0, &pair.1);
    let responses = context
        .sample(Sample::TokenBalance)
        .await
        .unwrap_or_default();
    match responses
        .iter()
        .find(|exchange| exchange.request == requested)
    {
        Some(exchange) => Ok(held(exchange)),
        None => Ok(held(&*context.node.send(requested).await?)),
    }
}

/// Checks that the response changes with the requested wallet, as the lists require.
async fn wallet_address(context: &Samples) -> Findings {
    let lists = objects(context, Sample::TokenHolders).await?;
    let mut holders: Vec<_> = lists
        .iter()
        .filter_map(List::of)
        .flat_map(|list| list.held)
        .collect();
    holders.retain(|((holder, _), _)| holder.starts_with("0x"));
    compare(context, holders, token_holders).await
}

/// Checks that the response changes with the requested token, as the lists require.
async fn token_code(context: &Samples) -> Findings {
    let lists = objects(context, Sample::WalletBalances).await?;
    let held: Vec<_> = lists
        .iter()
        .filter_map(List::of)
        .flat_map(|list| list.held)
        .collect();
    // Earlier requests are enough.
    let mut requested = held.clone();
    let singles = context
        .sample(Sample::TokenBalance)
        .await
        .unwrap_or_default();
    requested.retain(|(pair, _)| {
        let request = token_balance_request(&pair.0, &pair.1);
        singles.iter().any(|single| single.request == request)
    });
    let held = if requested.is_empty() {
        held
    } else {
        requested
    };
    compare(context, held, tokens_held).await
}

fn token_holders(pair: &Pair) -> Request {
    token_holders_request(&pair.1)
}

fn tokens_held(pair: &Pair) -> Request {
    wallet_balances_request(&pair.0)
}

/// Number of the largest balances to compare, and of the smallest ones.
const COMPARED: usize = 16;

async fn compare(
    context: &Samples,
    mut holdings: Vec<(Pair, Integer)>,
    list: fn(&Pair) -> Request,
) -> Findings {
    // The largest and the smallest balances: different values, with digits that a float would lose.
    holdings.sort_by_key(|(_, held)| std::cmp::Reverse(*held));
    if holdings.len() > 2 * COMPARED {
        holdings.drain(COMPARED..holdings.len() - COMPARED);
    }
    if holdings.is_empty() {
        return unknown(NO_LIST);
    }
    let mut findings = Examination::default();
    let (mut judged, mut moves) = (false, false);
    for (pair, listed) in &holdings {
        // Another case checks a response without a balance.
        let Some(alone) = findings.received(single_before(context, pair).await) else {
            break;
        };
        let Some(alone) = alone else { continue };
        judged = true;
        findings.count_item();
        if alone == *listed {
            continue;
        }
        let alone = token_balance_request(&pair.0, &pair.1);
        let compared = look_again(context, &alone, &list(pair), pair).await;
        let Some(compared) = findings.received(compared) else {
            break;
        };
        match compared {
            BalanceComparison::Same => {}
            BalanceComparison::Moves => moves = true,
            // The case `lists-agree` reports a list that no other response confirms.
            BalanceComparison::Differ(alone, said) => {
                let difference = difference(context, pair, &alone, &said).await;
                let Some(difference) = findings.received(difference) else {
                    break;
                };
                if difference.is_about(&alone) {
                    findings.push(difference.finding);
                }
            }
        }
    }
    match (judged, moves && findings.has_no_findings()) {
        (_, true) => unknown(MOVES),
        (true, false) => Ok(findings),
        (false, false) => {
            findings.end()?;
            unknown("no response had a balance, so none could be compared")
        }
    }
}

/// Checks that a malformed wallet address has no balance.
fn wallet_address_malformed(context: &Samples) -> WrongRequests {
    let Some((_, token)) = context.discovered.holdings.first() else {
        return unknown("no wallet with a token was found");
    };
    let says_nothing = |body: &Value| {
        carried(body).is_none_or(|(_, value)| value.is_null() || value.as_u64() == Some(0))
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
