//! The fee of a claim: in the balance of the wallet, in the lists of balances, and in those of other wallets.

use std::{sync::Arc, time::Duration};

use nodeproof_primitives::{Integer, escape::escaped_up_to as shown};
use serde_json::Value;
use tokio::time::Instant;

use super::{
    balance_lists::{BalanceComparison, MOVES, NO_LIST, difference, look_again},
    claim::held,
    inconclusive::unknown,
};
use crate::{
    api::{List, Pair, amount, in_block, lists_transactions, requested},
    checks::{Examination, Finding, Findings},
    context::Context,
    http::{BackOff, Exchange, InconclusiveReason, Request},
};

/// Checks that the balance goes down by exactly the fee of each claim.
pub(super) async fn fee_paid(context: &Context) -> Findings {
    let claim = context.submissions.claim().await?;
    let fee: Option<i128> = context.submissions.submitter.with.fee.as_str().parse().ok();
    let wallet = claim.wallet.to_string();
    let balances = claim.balances.as_ref().map_err(Clone::clone)?;
    let settled = claim.settled.as_ref().map_err(Clone::clone)?;
    let code = claim.code().unwrap_or_default();
    let finding = wrong_fee(balances, &settled.blocks, &wallet, &code, fee)?;
    let mut checked = Examination::of(1, finding);
    for further in &claim.further {
        let (Ok(balances), Ok(settled)) = (&further.balances, &further.settled) else {
            continue;
        };
        let code = further.code.as_deref().unwrap_or_default();
        // The first claim decides whether this can be checked.
        if let Ok(finding) = wrong_fee(balances, &settled.blocks, &wallet, code, fee) {
            checked.extend(Examination::of(1, finding));
        }
    }
    Ok(checked)
}

/// Returns the finding about a balance that did not go down by the fee.
fn wrong_fee(
    [before, after, later]: &[Arc<Exchange>; 3],
    blocks: &[Arc<Exchange>],
    wallet: &str,
    code: &str,
    fee: Option<i128>,
) -> Result<Option<Finding>, InconclusiveReason> {
    let (Some(had), Some(has), Some(fee)) = (held(before), held(after), fee) else {
        return unknown(
            "the wallet's balances before and after are not integers, so they cannot be compared",
        );
    };
    if had - has == fee {
        return Ok(None);
    }
    if let Some(reason) = other_reasons(blocks, wallet, code) {
        return unknown(format!(
            "the balance went from {had} to {has} with a fee of {fee}, and {reason}"
        ));
    }
    if held(later) != Some(has) {
        return unknown("the wallet's balance changes, and no block shows why");
    }
    let what = if had - has < fee {
        "the balance did not go down by the fee"
    } else {
        "the balance went down by more than the fee"
    };
    let expected = (had - fee).to_string();
    Ok(Some(Finding::new(after, what, expected, has.to_string())))
}

/// Returns a reason, other than this transaction, for which a wallet's balance may have changed.
pub(super) fn other_reasons(
    blocks: &[Arc<Exchange>],
    wallet: &str,
    code: &str,
) -> Option<&'static str> {
    let mut listed = false;
    for block in blocks.iter().filter_map(|block| block.success_object()) {
        let made_it = |name| block.get(name).and_then(Value::as_str) == Some(wallet);
        if made_it("creator_wallet") || made_it("expected_miner") {
            return Some("the wallet made a block, which may be rewarded");
        }
        let list = block
            .pointer("/text/transactions")
            .and_then(Value::as_array);
        listed |= list.is_some();
        let of_others = |entry: &&Value| in_block(entry, code).is_none();
        let mut others = list.into_iter().flatten().filter(of_others);
        if others.any(|entry| entry.to_string().contains(wallet)) {
            return Some("the wallet has other transactions in the blocks since");
        }
    }
    (!listed).then_some("blocks do not show whether the wallet has other transactions")
}

/// The first pause between two requests for a list that is not up to date.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// The longest pause between two requests.
const MAX_PAUSE: Duration = Duration::from_secs(2);

/// Checks that both lists of balances show what the wallet holds after it has paid. A node may update them
/// a little later.
pub(super) async fn fee_in_lists(context: &Context) -> Findings {
    let claim = context.submissions.claim().await?;
    let [before, ..] = claim.balances.as_ref().map_err(Clone::clone)?;
    let token = requested(before, "token_code").unwrap_or_default();
    let pair = (claim.wallet.to_string(), token.to_owned());
    let further = claim.further.iter().map(|further| &further.balance);
    let earlier: Vec<_> = [&claim.balance]
        .into_iter()
        .chain(further)
        .flatten()
        .filter_map(|balance| amount(balance, &pair))
        .collect();
    let until = Instant::now() + context.submissions.submitter.with.settle_timeout;
    let (mut checked, mut reason) = (Examination::default(), None);
    for [list, _] in &claim.lists {
        let Some(listed) = amount(list, &pair) else {
            continue;
        };
        checked.count_item();
        let compared = settled_comparison(context, &before.request, &list.request, &pair, until);
        let (single, list) = match compared.await? {
            BalanceComparison::Same => continue,
            BalanceComparison::Moves => {
                reason = reason.or(Some(MOVES));
                continue;
            }
            BalanceComparison::Differ(single, list) => (single, list),
        };
        let (Some(holds), Some(shows)) = (amount(&single, &pair), amount(&list, &pair)) else {
            continue;
        };
        if earlier.contains(&holds) {
            reason = reason.or(Some(
                "the balance did not change; another case reports that",
            ));
        } else if shows == listed || earlier.contains(&shows) {
            let name = requested(&list, "balance_type").unwrap_or_default();
            let waited = context
                .submissions
                .submitter
                .with
                .settle_timeout
                .as_secs_f64();
            let what = format!(
                "{name} is stale: it still shows the balance from before a claim's fee, {waited} s after the \
                 claims could be read"
            );
            let finding = Finding::new(&list, what, holds.to_string(), shows.to_string());
            checked.push(finding.at("/balance"));
        } else {
            let difference = difference(context, &pair, &single, &list).await?;
            match difference.is_about(&list) {
                true => checked.push(difference.finding),
                false => reason = reason.or(Some("the single balance is wrong, not a list")),
            }
        }
    }
    match reason {
        Some(reason) if checked.has_no_findings() => unknown(reason),
        _ if checked.examined == 0 => unknown(NO_LIST),
        _ => Ok(checked),
    }
}

/// Compares two requests for a balance until they show the same, or until this time.
async fn settled_comparison(
    context: &Context,
    single: &Request,
    list: &Request,
    pair: &Pair,
    until: Instant,
) -> Result<BalanceComparison, InconclusiveReason> {
    let mut back_off = BackOff::new(FIRST_PAUSE, MAX_PAUSE);
    loop {
        let compared = look_again(context, single, list, pair).await?;
        if matches!(compared, BalanceComparison::Same) || Instant::now() + back_off.peek() > until {
            return Ok(compared);
        }
        back_off.wait().await;
    }
}

/// Checks that the claim takes nothing from other wallets.
pub(super) async fn paid_by_no_other(context: &Context) -> Findings {
    let claim = context.submissions.claim().await?;
    claim.balances.as_ref().map_err(Clone::clone)?;
    let payer = claim.wallet.to_string();
    let lists = claim.lists.iter().filter_map(|[before, after]| {
        requested(before, "token_code")?;
        Some((List::of(before)?, List::of(after)?))
    });
    let mut checked = Examination::default();
    let nothing = Integer::from(0);
    let mut may_be_explained = false;
    for (before, after) in lists {
        for (pair, had) in &before.held {
            checked.count_item();
            let has = after.get(pair).unwrap_or(&nothing);
            let (wallet, token) = pair;
            if *wallet == payer || !wallet.starts_with("0x") || has >= had {
                continue;
            }
            let mut bodies = claim
                .new_blocks()
                .into_values()
                .filter_map(|block| block.success_object());
            if bodies.any(|body| !lists_transactions(body) || transacts(body, wallet)) {
                may_be_explained = true;
                continue;
            }
            let what = format!(
                "the {} of the wallet {} went down with a claim that it did not sign",
                shown(token, 60),
                shown(wallet, 60)
            );
            let finding = Finding::new(after.exchange, what, had.to_string(), has.to_string());
            checked.push(finding.at("/balance"));
        }
    }
    if may_be_explained && checked.has_no_findings() {
        return unknown("another wallet paid, and a block since then may be the reason");
    }
    if checked.examined == 0 {
        return unknown(NO_LIST);
    }
    Ok(checked)
}

/// Whether a transaction of a block names this wallet.
fn transacts(block: &Value, wallet: &str) -> bool {
    block
        .pointer("/text/transactions")
        .is_some_and(|list| list.to_string().contains(wallet))
}
