//! `GET /get-balances`.

use std::collections::BTreeMap;

use node_client::{BalanceAnswer, escape::escaped_up_to as shown};
use node_primitives::{Integer, RawJson};
use serde_json::Value;

use super::Case;
use crate::{
    exchange::{Exchange, Request},
    judge::{decodes, never, objects, refused, sample_answers, steady},
    outcome::{Finding, Findings, Obstacle},
    sample::{Context, Sample, nobody, token_balance_request},
    snapshot,
    spec::View,
};

const BALANCE_TYPES: &str = "balance_type | enum | yes | `TOKEN_IN_WALLET`, \
                             `ALL_TOKENS_IN_WALLET`, `ALL_WALLETS_FOR_TOKEN`";

pub(super) const CASES: &[Case] = &[
    Case::must(
        "get-balances/token-in-wallet",
        "`TOKEN_IN_WALLET`: the balance of one token in one wallet.",
        |c| Box::pin(sample_answers(c, Sample::TokenBalance)),
    ),
    Case::must(
        "get-balances/all-tokens-in-wallet",
        "`ALL_TOKENS_IN_WALLET`: the balances of every token in a wallet.",
        |c| Box::pin(sample_answers(c, Sample::WalletBalances)),
    ),
    Case::must(
        "get-balances/all-wallets-for-token",
        "`ALL_WALLETS_FOR_TOKEN`: the balances of every wallet for a token.",
        |c| Box::pin(sample_answers(c, Sample::TokenHolders)),
    ),
    Case::must(
        "get-balances/balance",
        "Balance result: An object with a numeric (integer) balance. Its field is named `balance`.",
        |c| Box::pin(balance(c)),
    ),
    Case::should(
        "get-balances/lists-carry-balances",
        "Response: a JSON object carrying the balance (see Balance result).",
        |c| Box::pin(lists_carry_balances(c)),
    ),
    Case::must(
        "get-balances/lists-agree",
        "`ALL_TOKENS_IN_WALLET`: the balances of every token in a wallet. \
         `ALL_WALLETS_FOR_TOKEN`: the balances of every wallet for a token.",
        |c| Box::pin(lists_agree(c)),
    ),
    Case::must(
        "get-balances/nothing-held",
        "Balance result: An object with a numeric (integer) balance.",
        |c| Box::pin(nothing_held(c)),
    ),
    Case::must(
        "get-balances/wallet-address",
        "wallet_address | string | optional | used with the first two types",
        |c| Box::pin(wallet_address(c)),
    ),
    Case::must(
        "get-balances/repeat-read",
        "`TOKEN_IN_WALLET`: the balance of one token in one wallet.",
        |c| Box::pin(steady(c, Sample::TokenBalance)),
    ),
    Case::must(
        "get-balances/wallet-address-malformed",
        "wallet_address | string | optional | used with the first two types",
        |c| Box::pin(wallet_address_malformed(c)),
    ),
    Case::must(
        "get-balances/token-code",
        "token_code | string | optional | used with the first and third types",
        |c| Box::pin(token_code(c)),
    ),
    Case::must("get-balances/balance-type-required", BALANCE_TYPES, |c| {
        Box::pin(wrong_type(c, None, "a request without balance_type"))
    }),
    Case::must("get-balances/balance-type-unknown", BALANCE_TYPES, |c| {
        Box::pin(wrong_type(
            c,
            Some("EVERYTHING"),
            "a balance_type that the contract does not have",
        ))
    }),
    Case::must(
        "get-balances/decodes",
        "Response: a JSON object carrying the balance (see Balance result).",
        |c| {
            Box::pin(decodes(c, Sample::TokenBalance, |body| {
                let answer = BalanceAnswer::from_slice(body).map_err(|error| error.to_string())?;
                answer.amount().map(drop).map_err(|error| error.to_string())
            }))
        },
    ),
    Case::must(
        "get-balances/snapshot",
        "Response: a JSON object carrying the balance (see Balance result).",
        |c| Box::pin(snapshot::check(c, Sample::TokenBalance)),
    ),
];

async fn balance(context: &Context) -> Findings {
    let schema = Sample::TokenBalance.schema(&context.spec, View::Documented);
    let validator = schema
        .ok_or_else(|| "the spec does not describe the balance".to_owned())
        .and_then(|at| {
            context
                .spec
                .validator(View::Documented, &at)
                .map_err(|error| error.to_string())
        })
        .map_err(Obstacle::Harness)?;
    let mut findings = Vec::new();
    for exchange in objects(context, Sample::TokenBalance).await? {
        let Some(body) = exchange.answered_object() else {
            continue;
        };
        let carried = carried(body);
        if let (Some(balance), Some(value)) = (body.get("balance"), body.get("value"))
            && balance != value
        {
            let what = "balance and value are both there, and differ";
            findings.push(
                Finding::new(&exchange, what, "one balance", exchange.excerpt(160)).at("/value"),
            );
        }
        for departure in validator.departures_of(body).into_iter().take(1) {
            let (what, at) = match carried {
                None => (
                    "neither balance nor value is there".to_owned(),
                    String::new(),
                ),
                Some((name, Value::Null)) => {
                    (format!("{name} is null, not a number"), format!("/{name}"))
                }
                Some((name, Value::String(_))) => {
                    (format!("{name} as text, not a number"), format!("/{name}"))
                }
                Some((name, _)) => (format!("{name}: {}", departure.message), format!("/{name}")),
            };
            findings.push(
                Finding::new(
                    &exchange,
                    what,
                    "a balance that is an integer",
                    exchange.excerpt(160),
                )
                .at(at),
            );
        }
    }
    Ok(findings)
}

/// The field that carries the balance, by either of its names.
fn carried(body: &Value) -> Option<(&'static str, &Value)> {
    ["balance", "value"]
        .into_iter()
        .find_map(|name| body.get(name).map(|value| (name, value)))
}

/// The shape of the lists is not shown, but an answer that carries nothing answers nothing.
async fn lists_carry_balances(context: &Context) -> Findings {
    let mut findings = Vec::new();
    for sample in [Sample::WalletBalances, Sample::TokenHolders] {
        for exchange in objects(context, sample).await? {
            let Some(body) = exchange.answered_object() else {
                continue;
            };
            if carried(body).is_none_or(|(_, value)| value.is_null()) {
                let expected = "an object that carries the balances in `balance` (or `value`)";
                findings.push(
                    Finding::new(
                        &exchange,
                        "the answer carries no balances",
                        expected,
                        exchange.excerpt(160),
                    )
                    .at(""),
                );
            }
        }
    }
    Ok(findings)
}

async fn nothing_held(context: &Context) -> Findings {
    let Some(token) = context.material.tokens.first() else {
        return Err(Obstacle::NoMaterial(
            "no token was found; give one with --fixture".into(),
        ));
    };
    let mut findings =
        held_by_nobody(context, &nobody(), token, "a wallet that nobody has").await?;
    let unknown = "NO-SUCH-TOKEN-5A5A";
    findings.extend(
        held_by_nobody(
            context,
            &context.signer(),
            unknown,
            "a token that does not exist",
        )
        .await?,
    );
    Ok(findings)
}

async fn held_by_nobody(context: &Context, wallet: &str, token: &str, who: &str) -> Findings {
    let exchange = context
        .node
        .ask(token_balance_request(wallet, token))
        .await?;
    let Some(body) = exchange.answered_object() else {
        // Whether a question about what the chain has never seen is an error is not in the contract.
        return Ok(Vec::new());
    };
    let what = match carried(body) {
        Some((_, Value::Number(number))) if number.is_i64() || number.is_u64() => {
            if number.as_u64() == Some(0) {
                return Ok(Vec::new());
            }
            format!("something is said to be held of, or by, {who}")
        }
        Some((name, Value::Null)) => format!("nothing held is answered with {name}: null"),
        _ => "nothing held is not answered with a number".to_owned(),
    };
    let expected = "an integer balance, 0";
    Ok(vec![
        Finding::new(&exchange, what, expected, exchange.excerpt(160)).at("/balance"),
    ])
}

type Holdings = BTreeMap<(String, String), Integer>;

/// What the list queries say, where they are of the form that nodes were seen to use.
async fn listed(context: &Context, sample: Sample) -> Result<Vec<Holdings>, Obstacle> {
    let asked = if sample == Sample::WalletBalances {
        "wallet_address"
    } else {
        "token_code"
    };
    let mut lists = Vec::new();
    for exchange in objects(context, sample).await? {
        let about = exchange
            .request
            .query
            .iter()
            .find(|(name, _)| *name == asked);
        let Some((_, about)) = about else { continue };
        let mut holdings = Holdings::new();
        for_each_entry(&exchange.body, |wallet, token, balance| {
            let key = if sample == Sample::WalletBalances {
                (about.clone(), token?.to_owned())
            } else {
                (wallet?.to_owned(), about.clone())
            };
            holdings.insert(key, balance);
            Some(())
        });
        lists.push(holdings);
    }
    Ok(lists)
}

/// What an answer carries in either of the two fields, exactly: balances go beyond what a float holds.
fn carried_exactly<T: serde::de::DeserializeOwned>(body: &[u8]) -> Option<T> {
    let members: BTreeMap<String, RawJson> = serde_json::from_slice(body).ok()?;
    let raw = ["balance", "value"]
        .iter()
        .find_map(|name| members.get(*name))?;
    raw.decode().ok()
}

/// One entry of a list, of the form that nodes were seen to give.
#[derive(serde::Deserialize)]
struct Entry {
    wallet: Option<String>,
    token_code: Option<String>,
    balance: Option<Integer>,
}

/// The entries of a list; nothing where the answer is of another form.
fn entries(body: &[u8]) -> Option<Vec<Entry>> {
    carried_exactly(body)
}

fn for_each_entry(
    body: &[u8],
    mut take: impl FnMut(Option<&str>, Option<&str>, Integer) -> Option<()>,
) {
    for entry in entries(body).unwrap_or_default() {
        let balance = entry.balance.unwrap_or_else(|| Integer::from(0));
        // An entry without what it is about is no entry of this form.
        let _ = take(
            entry.wallet.as_deref(),
            entry.token_code.as_deref(),
            balance,
        );
    }
}

/// Each list has everything once, and has what the other questions say is held.
async fn lists_agree(context: &Context) -> Findings {
    let by_wallet = objects(context, Sample::WalletBalances).await?;
    let by_token = objects(context, Sample::TokenHolders).await?;
    let mut findings = Vec::new();
    let mut judged = false;
    for exchange in by_wallet.iter().chain(&by_token) {
        let Some(entries) = entries(&exchange.body) else {
            continue;
        };
        judged = true;
        let mut seen = std::collections::BTreeSet::new();
        for (place, entry) in entries.iter().enumerate() {
            if !seen.insert((entry.wallet.as_deref(), entry.token_code.as_deref())) {
                let what = "the list has the same entry twice";
                findings.push(
                    Finding::new(exchange, what, "one entry each", exchange.excerpt(160))
                        .at(format!("/balance/{place}")),
                );
            }
        }
    }
    if !judged {
        return Err(Obstacle::NoMaterial(
            "no list was of the form that nodes were seen to give".to_owned(),
        ));
    }
    // What is said to be held by one wallet has to be in the other lists, too.
    let mut held: Vec<_> = context.material.holdings.iter().take(3).cloned().collect();
    for list in &by_wallet {
        let about = list
            .request
            .query
            .iter()
            .find(|(name, _)| *name == "wallet_address");
        for entry in entries(&list.body).unwrap_or_default() {
            if let (Some((_, wallet)), Some(token)) = (about, entry.token_code)
                && entry
                    .balance
                    .is_some_and(|balance| balance > Integer::from(0))
            {
                held.push((wallet.clone(), token));
            }
        }
    }
    for pair in &held {
        let lists = |exchange: &Exchange, asked: &str, about: &str| {
            exchange
                .request
                .query
                .iter()
                .any(|(name, value)| *name == asked && value == about)
        };
        let of_wallet = by_wallet
            .iter()
            .find(|list| lists(list, "wallet_address", &pair.0));
        let of_token = by_token
            .iter()
            .find(|list| lists(list, "token_code", &pair.1));
        for (list, name) in [
            (of_wallet, "ALL_TOKENS_IN_WALLET"),
            (of_token, "ALL_WALLETS_FOR_TOKEN"),
        ] {
            let Some(list) = list else { continue };
            if entries(&list.body).is_none() || listed_now(list, pair) {
                continue;
            }
            // A transfer may have come in between: what counts is a second look at both.
            let held = single(context, pair).await?;
            let again = context.node.ask(list.request.clone()).await?;
            if held.is_some_and(|held| held > Integer::from(0)) && !listed_now(&again, pair) {
                findings.push(
                    Finding::new(
                        &again,
                        format!("{name} leaves out what TOKEN_IN_WALLET says is held"),
                        format!("an entry for {} of {}", shown(&pair.1, 60), pair.0),
                        again.excerpt(160),
                    )
                    .at("/balance"),
                );
            }
        }
        if let (Some(of_wallet), Some(of_token)) = (of_wallet, of_token)
            && differ(of_wallet, of_token, pair)
        {
            let of_wallet = context.node.ask(of_wallet.request.clone()).await?;
            let of_token = context.node.ask(of_token.request.clone()).await?;
            if differ(&of_wallet, &of_token, pair) {
                let what = "ALL_TOKENS_IN_WALLET says another balance than ALL_WALLETS_FOR_TOKEN";
                let expected = of_token.excerpt(160);
                findings.push(
                    Finding::new(&of_wallet, what, expected, of_wallet.excerpt(160)).at("/balance"),
                );
            }
        }
    }
    Ok(findings)
}

/// Whether two lists both have a balance for a pair, and not the same.
fn differ(one: &Exchange, other: &Exchange, pair: &(String, String)) -> bool {
    let balances = [one, other].map(|list| {
        let entries = entries(&list.body).unwrap_or_default();
        entries
            .into_iter()
            .find(|entry| is_of(list, entry, pair))?
            .balance
    });
    matches!(&balances, [Some(one), Some(other)] if one != other)
}

/// Whether an entry of a list is the one for a wallet and a token.
fn is_of(list: &Exchange, entry: &Entry, pair: &(String, String)) -> bool {
    if list
        .request
        .query
        .iter()
        .any(|(name, _)| *name == "wallet_address")
    {
        entry.token_code.as_deref() == Some(&pair.1)
    } else {
        entry.wallet.as_deref() == Some(&pair.0)
    }
}

fn listed_now(list: &Exchange, pair: &(String, String)) -> bool {
    let entries = entries(&list.body).unwrap_or_default();
    entries.iter().any(|entry| is_of(list, entry, pair))
}

/// The one-token answer for a pair, exactly.
async fn single(context: &Context, pair: &(String, String)) -> Result<Option<Integer>, Obstacle> {
    let request = token_balance_request(&pair.0, &pair.1);
    Ok(held(&*context.node.ask(request).await?))
}

/// What a one-token answer says is held, exactly; nothing where it is no such answer.
fn held(exchange: &Exchange) -> Option<Integer> {
    exchange.answered_object()?;
    let balance: Option<Integer> = carried_exactly(&exchange.body)?;
    Some(balance.unwrap_or_else(|| Integer::from(0)))
}

/// The same from what was asked before, if it was.
async fn single_before(
    context: &Context,
    pair: &(String, String),
) -> Result<Option<Integer>, Obstacle> {
    let asked = token_balance_request(&pair.0, &pair.1);
    let answers = context
        .sample(Sample::TokenBalance)
        .await
        .unwrap_or_default();
    match answers.iter().find(|exchange| exchange.request == asked) {
        Some(exchange) => Ok(held(exchange)),
        None => single(context, pair).await,
    }
}

/// The answer changes with the wallet that is asked about, as the lists say it has to.
async fn wallet_address(context: &Context) -> Findings {
    let lists = listed(context, Sample::TokenHolders).await?;
    let mut holders: Vec<_> = lists.into_iter().flatten().collect();
    holders.retain(|((holder, _), _)| holder.starts_with("0x"));
    compare(context, holders, "ALL_WALLETS_FOR_TOKEN").await
}

/// The answer changes with the token that is asked about, as the lists say it has to.
async fn token_code(context: &Context) -> Findings {
    // One wallet will do; of the first one, the single balances have been asked already.
    let lists = listed(context, Sample::WalletBalances).await?;
    let first = lists
        .into_iter()
        .find(|list| !list.is_empty())
        .unwrap_or_default();
    compare(context, first.into_iter().collect(), "ALL_TOKENS_IN_WALLET").await
}

async fn compare(
    context: &Context,
    mut holdings: Vec<((String, String), Integer)>,
    list: &str,
) -> Findings {
    // The largest and the smallest: different answers, and the digits that a float would lose.
    holdings.sort_by(|left, right| right.1.cmp(&left.1));
    if holdings.len() > 2 {
        holdings.drain(1..holdings.len() - 1);
    }
    if holdings.is_empty() {
        return Err(Obstacle::NoMaterial(format!(
            "{list} gave no list of the form that nodes were seen to give, so there is nothing to \
             compare with"
        )));
    }
    let mut findings = Vec::new();
    let mut judged = false;
    for (pair, listed) in &holdings {
        // An answer without a balance is judged elsewhere.
        let Some(alone) = single_before(context, pair).await? else {
            continue;
        };
        judged = true;
        if alone == *listed {
            continue;
        }
        // A transfer may have come in between: what counts is a second look at both.
        let Some(again) = relisted(context, pair, list).await? else {
            continue;
        };
        let exchange = context
            .node
            .ask(token_balance_request(&pair.0, &pair.1))
            .await?;
        let now = single(context, pair).await?;
        if now.as_ref() != Some(&again) {
            findings.push(
                Finding::new(
                    &exchange,
                    "the answer does not follow the wallet and the token that are asked about",
                    format!("{again}, as {list} says"),
                    exchange.excerpt(160),
                )
                .at("/balance"),
            );
        }
    }
    if judged {
        Ok(findings)
    } else {
        Err(Obstacle::NoMaterial(
            "no balance was answered, so none could be compared".into(),
        ))
    }
}

async fn relisted(
    context: &Context,
    pair: &(String, String),
    list: &str,
) -> Result<Option<Integer>, Obstacle> {
    let by_wallet = list == "ALL_TOKENS_IN_WALLET";
    let request = if by_wallet {
        crate::sample::wallet_balances_request(&pair.0)
    } else {
        crate::sample::token_holders_request(&pair.1)
    };
    let exchange = context.node.ask(request).await?;
    let entries = entries(&exchange.body).unwrap_or_default();
    let found = entries
        .into_iter()
        .rev()
        .find(|entry| is_of(&exchange, entry, pair));
    Ok(found.map(|entry| entry.balance.unwrap_or_else(|| Integer::from(0))))
}

/// What is no wallet holds nothing.
async fn wallet_address_malformed(context: &Context) -> Findings {
    let Some((_, token)) = context.material.holdings.first() else {
        return Err(Obstacle::NoMaterial(
            "no wallet with a token was found".into(),
        ));
    };
    let says_nothing = |body: &Value| {
        carried(body).is_none_or(|(_, value)| value.is_null() || value.as_u64() == Some(0))
    };
    let what = "a wallet_address that is no wallet address";
    refused(
        context,
        token_balance_request("0x5a", token),
        what,
        says_nothing,
    )
    .await
}

async fn wrong_type(context: &Context, given: Option<&str>, what: &str) -> Findings {
    let (wallet, token) = context
        .material
        .holdings
        .first()
        .cloned()
        .unwrap_or_else(|| {
            (
                context.signer(),
                context.material.tokens.first().cloned().unwrap_or_default(),
            )
        });
    let mut request: Request = token_balance_request(&wallet, &token).without("balance_type");
    if let Some(given) = given {
        request = request.with("balance_type", shown(given, 40));
    }
    refused(context, request, what, never).await
}
