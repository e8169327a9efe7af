//! The balances that a run reads before it submits anything, and once everything is in blocks.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use nodeproof_primitives::WalletAddress;
use tokio::time::Instant;

use crate::{
    api::{
        Pair, is_address, token_balance_request, token_holders_request, wallet_balances_request,
    },
    context::{
        FIRST_PAUSE, MAX_PAUSE, SigningWallet, Submitter, held_by, read_missing_blocks,
        read_new_blocks, rich_holder, signer, stranger,
    },
    history::History,
    http::{BackOff, InconclusiveReason},
};

/// Reads the balances of all wallets that sign or are named in this run, and the lists that show them. Nothing is
/// submitted meanwhile.
pub(crate) async fn observe_balances(submitter: &Submitter) -> Result<(), InconclusiveReason> {
    let with = &submitter.with;
    let paying = with.wallet.iter().chain(&with.co_signer);
    let paying: Vec<String> = paying.map(address).collect();
    let (own, other) = (signer(submitter)?, stranger()?);
    let wallets: BTreeSet<String> = paying
        .iter()
        .cloned()
        .chain(
            [&own, &other]
                .into_iter()
                .chain(submitter.new_wallet())
                .map(address),
        )
        .chain(creators(&submitter.samples.history()))
        .collect();
    let Some(token) = submitter.fee_token() else {
        return Ok(());
    };
    let node = &submitter.samples.node;
    let new_wallet = submitter.new_wallet().map(address);
    let lists = paying.iter().chain(&new_wallet);
    let lists = lists.map(|wallet| wallet_balances_request(wallet));
    node.send_all(lists.collect()).await?;
    let history = submitter.samples.history();
    let mut single = moved_by_transfers(&history);
    single.extend(wallets.into_iter().map(|wallet| (wallet, token.clone())));
    // The run's transfers send another token between these.
    if let Some(token) = submitter.another_token(&token) {
        let payer = paying.first().map_or("", String::as_str);
        let rich = rich_holder(&history, &token, payer).map(|holder| holder.to_string());
        let ends = new_wallet.into_iter().chain([address(&other)]).chain(rich);
        single.extend(ends.map(|wallet| (wallet, token.clone())));
    }
    let single = single
        .iter()
        .map(|(wallet, token)| token_balance_request(wallet, token));
    node.send_all(single.collect()).await?;
    // The fee may be taken in another token.
    let history = submitter.samples.history();
    let others = paying.iter().flat_map(|wallet| {
        let mut held: Vec<_> = held_by(&history, wallet).into_iter().collect();
        held.retain(|(other, amount)| *other != token && *amount > 0);
        held.sort_by_key(|(_, amount)| Reverse(*amount));
        let most = held.into_iter().take(OTHER_TOKENS);
        most.map(|(other, _)| token_balance_request(wallet, &other))
    });
    // Somebody may receive it in another token.
    let known = submitter.samples.discovered.tokens.iter();
    let known = known.filter(|other| **other != token).take(OTHER_TOKENS);
    let holders = [&token].into_iter().chain(known);
    let holders = holders.map(|token| token_holders_request(token));
    node.send_all(others.chain(holders).collect())
        .await
        .map(drop)
}

/// Returns the balances from which and to which the accepted transfers move tokens.
fn moved_by_transfers(history: &History) -> BTreeSet<Pair> {
    let accepted = history.accepted().map(|(_, transaction)| transaction);
    let pairs = accepted
        .filter(|one| one.is_transfer())
        .flat_map(|transfer| {
            let token = transfer.param("asset_code").unwrap_or_default();
            let ends = [transfer.signers().next(), transfer.param("receiver")];
            let wallets = ends.into_iter().flatten().filter(|end| is_address(end));
            wallets.map(|wallet| (wallet.to_owned(), token.to_owned()))
        });
    pairs.collect()
}

/// Returns the wallets that made the latest blocks. They may receive fees.
fn creators(history: &History) -> BTreeSet<String> {
    let latest = history.blocks().collect::<BTreeMap<_, _>>();
    let blocks = latest.values().rev().take(CREATORS);
    let creators = blocks.filter_map(|entry| {
        let creator = entry.exchange.success_object()?.get("creator_wallet")?;
        creator
            .as_str()
            .filter(|text| text.parse::<WalletAddress>().is_ok())
            .map(ToOwned::to_owned)
    });
    creators.collect()
}

/// Number of the latest blocks whose creators' balances are read.
const CREATORS: usize = 4;

/// Maximum number of other tokens, of a wallet that pays and of the chain, whose balances are read.
const OTHER_TOKENS: usize = 3;

/// Reads the balances again while `is_unsettled`, at most until the settle timeout, with half of the requests that are left
/// and what the run can keep, and then the blocks that can explain other changes.
pub(crate) async fn observe_settled_balances(
    submitter: &Submitter,
    is_unsettled: fn(&History) -> bool,
) -> Result<(), InconclusiveReason> {
    let node = &submitter.samples.node;
    let until = Instant::now() + submitter.patience();
    let mut back_off = BackOff::new(FIRST_PAUSE, MAX_PAUSE);
    // What is read is judged, so the rest of the requests must be enough for that.
    let reserve = node.requests_left() / 2;
    read_missing_blocks(submitter).await?;
    loop {
        observe_balances(submitter).await?;
        let is_over = Instant::now() + back_off.peek() > until
            || node.requests_left() < reserve
            || node.keeps_little_more();
        if is_over || !is_unsettled(&submitter.samples.history()) {
            return read_missing_blocks(submitter).await;
        }
        back_off.wait().await;
        // What a block shows only after the balances were read may not be paid yet.
        read_new_blocks(submitter).await?;
    }
}

fn address(wallet: &SigningWallet) -> String {
    wallet.address().to_string()
}
