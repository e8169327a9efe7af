//! Cases that compare the lists of `GET /get-balances` with each other and with single balances.
//!
//! The specification does not show the shape of the lists. A list is checked if each entry has the
//! members that nodes were seen to return. A list of another form is skipped.

use std::{collections::BTreeSet, sync::Arc};

use nodeproof_primitives::{Integer, escape::escaped_up_to as shown};

use super::inconclusive::unknown;
use crate::{
    api::{
        List, Pair, Sample, amount, held, held_by_wallet, requested, token_balance_request,
        token_holders_request, wallet_balances_request,
    },
    checks::{Examination, Finding, Findings, objects},
    context::Samples,
    http::{Exchange, InconclusiveReason, Request},
};

/// Maximum number of times that two changing balances are compared.
const MAX_READS: u32 = 4;

/// The result of comparing two responses again that differed.
pub(crate) enum BalanceComparison {
    Same,
    /// The two responses differ.
    Differ(Arc<Exchange>, Arc<Exchange>),
    /// The balance changed each time while the other response was read.
    Moves,
}

/// Compares two requests for a pair's balance. A transfer may come in between, so one is sent
/// before and after the other.
pub(crate) async fn look_again(
    context: &Samples,
    one: &Request,
    other: &Request,
    pair: &Pair,
) -> Result<BalanceComparison, InconclusiveReason> {
    for _ in 0..MAX_READS {
        let before = context.node.send(one.clone()).await?;
        let theirs = context.node.send(other.clone()).await?;
        let (Some(ours), Some(said)) = (amount(&before, pair), amount(&theirs, pair)) else {
            // Other cases report a response that can't be read.
            return Ok(BalanceComparison::Same);
        };
        if ours == said {
            return Ok(BalanceComparison::Same);
        }
        let after = context.node.send(one.clone()).await?;
        if amount(&after, pair) == Some(ours) {
            return Ok(BalanceComparison::Differ(after, theirs));
        }
    }
    Ok(BalanceComparison::Moves)
}

pub(crate) const MOVES: &str =
    "balances change too fast to compare two responses about the same balance";
pub(crate) const NO_LIST: &str =
    "no list had a known form: an array of objects with wallet or token_code and balance";

/// Returns the `balance_type` of a request.
fn name(request: &Request) -> &str {
    let mut query = request.query.iter();
    query
        .find(|(name, _)| *name == "balance_type")
        .map_or("", |(_, value)| value)
}

/// Checks that each list is complete, has no foreign entries, and matches the other responses.
pub(crate) async fn lists_agree(context: &Samples) -> Findings {
    let by_wallet = objects(context, Sample::WalletBalances).await?;
    let by_token = objects(context, Sample::TokenHolders).await?;
    let by_wallet: Vec<_> = by_wallet.iter().filter_map(List::of).collect();
    let by_token: Vec<_> = by_token.iter().filter_map(List::of).collect();
    if by_wallet.is_empty() && by_token.is_empty() {
        return unknown(NO_LIST);
    }
    let mut findings = Examination::default();
    for list in by_wallet.iter().chain(&by_token) {
        findings.count_item();
        list_alone(list, &mut findings);
    }
    let mut moves = false;
    for (pair, one, other) in to_compare(context, &by_wallet, &by_token) {
        let compared = compare(context, &one, &other, &pair, &mut moves).await;
        let Some(finding) = findings.received(compared) else {
            break;
        };
        findings.findings.extend(finding);
    }
    findings.add(unlisted(context, &by_wallet, &by_token, &mut moves).await);
    if moves && findings.has_no_findings() {
        return unknown(MOVES);
    }
    Ok(findings)
}

/// Reports an entry that does not belong in the list.
fn list_alone(list: &List<'_>, findings: &mut Examination) {
    if let Some(place) = list.stray {
        let what = "the list has an entry of another wallet or token than requested";
        let expected = "entries of the requested wallet or token";
        let actual = list.exchange.excerpt(160);
        findings.push(
            Finding::new(list.exchange, what, expected, actual).at(format!("/balance/{place}")),
        );
    }
}

/// Returns the pairs with different balances in two lists that were read one after the other.
fn to_compare(
    context: &Samples,
    by_wallet: &[List<'_>],
    by_token: &[List<'_>],
) -> Vec<(Pair, Request, Request)> {
    let nothing = Integer::from(0);
    let mut pairs: BTreeSet<&Pair> = context.discovered.holdings.iter().take(3).collect();
    for list in by_wallet.iter().chain(by_token) {
        pairs.extend(list.held.iter().map(|(pair, _)| pair));
    }
    let mut differ = Vec::new();
    for pair in pairs {
        let find = |lists: &'_ [List<'_>]| {
            let list = lists.iter().find(|list| list.is_for(pair))?;
            Some((
                list.exchange.request.clone(),
                *list.get(pair).unwrap_or(&nothing),
            ))
        };
        if let (Some((one, ours)), Some((other, theirs))) = (find(by_wallet), find(by_token))
            && ours != theirs
            && differ.len() < MAX_DIFFERENCES
        {
            differ.push((pair.clone(), one, other));
        }
    }
    differ
}

/// Maximum number of differences to compare again.
const MAX_DIFFERENCES: usize = 8;

/// A difference between two responses, with the one that is wrong.
pub(super) struct Difference {
    pub(super) finding: Finding,
    alone: Arc<Exchange>,
}

impl Difference {
    /// Whether this response is the wrong one.
    pub(super) fn is_about(&self, exchange: &Arc<Exchange>) -> bool {
        Arc::ptr_eq(&self.alone, exchange)
    }
}

/// Sends the third request for a balance, and blames the response that no other one confirms.
pub(super) async fn difference(
    context: &Samples,
    pair: &Pair,
    ours: &Arc<Exchange>,
    theirs: &Arc<Exchange>,
) -> Result<Difference, InconclusiveReason> {
    let (wallet, token) = pair;
    let queries = [
        token_balance_request(wallet, token),
        wallet_balances_request(wallet),
        token_holders_request(token),
    ];
    let third = queries
        .into_iter()
        .find(|query| *query != ours.request && *query != theirs.request);
    let third = match third {
        Some(query) => amount(&context.node.send(query).await?, pair),
        None => None,
    };
    let ours_is_confirmed = third.is_some() && third == amount(ours, pair);
    let (alone, other) = match ours_is_confirmed {
        true => (theirs, ours),
        false => (ours, theirs),
    };
    let outvoted = third.is_some() && third == amount(other, pair);
    Ok(Difference {
        finding: unlike(pair, alone, other, outvoted),
        alone: Arc::clone(alone),
    })
}

/// Creates a finding about the response with a different balance than the others.
fn unlike(pair: &Pair, alone: &Arc<Exchange>, other: &Arc<Exchange>, outvoted: bool) -> Finding {
    let listed = |exchange| List::of(exchange).is_some_and(|list| list.get(pair).is_some());
    let single = |exchange: &Exchange| name(&exchange.request) == "TOKEN_IN_WALLET";
    let of = format!("{} of {}", shown(&pair.1, 60), shown(&pair.0, 60));
    let (others, return_it) = match outvoted {
        true => ("both other queries", "return"),
        false => (name(&other.request), "returns"),
    };
    let this = name(&alone.request);
    if !single(alone) && !listed(alone) {
        return Finding::new(
            alone,
            format!("{this} leaves out a balance that {others} {return_it}"),
            format!("an entry for {of}"),
            alone.excerpt(160),
        )
        .at("/balance");
    }
    let said = |exchange| amount(exchange, pair).map(|amount| amount.to_string());
    Finding::new(
        alone,
        format!("{this} returns another balance than {others} for {of}"),
        shown(&said(other).unwrap_or_default(), 160),
        shown(&said(alone).unwrap_or_default(), 160),
    )
    .at("/balance")
}

/// Maximum number of wallets to check that are missing from a list of holders.
const MAX_UNLISTED: usize = 2;

/// Compares two requests for a pair's balance. Returns a finding if they differ.
async fn compare(
    context: &Samples,
    one: &Request,
    other: &Request,
    pair: &Pair,
    moves: &mut bool,
) -> Result<Option<Finding>, InconclusiveReason> {
    match look_again(context, one, other, pair).await? {
        BalanceComparison::Same => Ok(None),
        BalanceComparison::Moves => {
            *moves = true;
            Ok(None)
        }
        BalanceComparison::Differ(ours, theirs) => {
            let difference = difference(context, pair, &ours, &theirs).await?;
            Ok(Some(difference.finding))
        }
    }
}

/// Checks that wallets of the chain without an entry in the list of holders have no balance.
async fn unlisted(
    context: &Samples,
    by_wallet: &[List<'_>],
    by_token: &[List<'_>],
    moves: &mut bool,
) -> Findings {
    let Some(list) = by_token.first() else {
        return Ok(Examination::default());
    };
    let Some(token) = requested(list.exchange, "token_code") else {
        return Ok(Examination::default());
    };
    let pairs = context
        .discovered
        .wallets
        .iter()
        .map(|wallet| (wallet.clone(), token.to_owned()));
    let unlisted = pairs
        // A pair in a list of its own was compared with that list.
        .filter(|pair| list.get(pair).is_none())
        .filter(|pair| !by_wallet.iter().any(|own| own.is_for(pair)));
    let mut findings = Examination::default();
    for pair in unlisted.take(MAX_UNLISTED) {
        let request = token_balance_request(&pair.0, &pair.1);
        let Some(alone) = findings.received(context.node.send(request.clone()).await) else {
            break;
        };
        if held(&alone).is_none_or(|held| held == 0) {
            continue;
        }
        let listed = &list.exchange.request;
        let compared = compare(context, &request, listed, &pair, moves).await;
        let Some(finding) = findings.received(compared) else {
            break;
        };
        findings.findings.extend(finding);
    }
    Ok(findings)
}

/// Checks that an unknown wallet and an unknown token have no balances.
pub(crate) async fn nothing_listed(context: &Samples, wallet: &str, token: &str) -> Findings {
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
                Finding::new(
                    &exchange,
                    format!("{} lists balances of {who}", name(&exchange.request)),
                    "an empty list, or a refusal",
                    exchange.excerpt(160),
                )
                .at("/balance"),
            );
        }
    }
    Ok(findings)
}
