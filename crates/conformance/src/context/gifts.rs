//! Plain transfers, which are pending together.

use std::{collections::BTreeMap, time::Duration};

use nodeproof_primitives::WalletAddress;
use serde_json::json;
use tokio::time::sleep;

use super::{
    around_claim::{entries_of, signed_by, with_more_fee, with_new_code},
    claim_step::Taken,
    draft::{by_hand, nobodys, unique, written},
    edit::{altered, with_digit_changed},
    holdings::{held_by, lists_of_holders, rich_holder},
    signatures::{signed_over, stranger},
    signing::SigningWallet,
    token_contract::contracts_to_try,
    transfers::Transfers,
};
use crate::{
    api::{is_valid, token_holders_request, wallet_balances_request},
    history::History,
    http::Wording,
};

/// What a wallet receives to see that it receives anything. It is odd, so a float with more than 53 bits shows another sum.
pub(super) const FEW: i64 = 7;
/// Number of transfers that are pending together.
const MOST_GIFTS: usize = 20;
/// The longest pause between two of them.
const LONGEST_PAUSE: Duration = Duration::from_millis(100);
/// Maximum number of wallets that made blocks and receive some tokens.
const MOST_MAKERS: usize = 4;

/// A plain transfer: its sender and receiver, the amount and the token.
type Gift<'g> = (&'g SigningWallet, WalletAddress, i64, &'g str);

/// Transfers one unit to the wallet itself. If the contract of transfers is not known, several are tried.
pub(super) async fn transfer_to_itself(mut transfers: Transfers<'_>) -> Taken<()> {
    let (submitter, wallet, token) = (transfers.submitter, transfers.wallet, transfers.token);
    let to_itself = (wallet, wallet.address(), 1, token);
    for contract in contracts_to_try(submitter, transfers.verification, token).await? {
        transfers.contract = contract;
        if !transfers.give(token, &[to_itself]).await?.is_empty() {
            break;
        }
    }
    Ok(())
}

/// Returns the wallets that made the latest known blocks.
fn makers(history: &History) -> Vec<WalletAddress> {
    let blocks: BTreeMap<_, _> = history.blocks().collect();
    let mut makers = Vec::new();
    for entry in blocks.into_values().rev() {
        let body = entry.exchange.success_object();
        let maker = body.and_then(|body| body.get("creator_wallet")?.as_str()?.parse().ok());
        makers.extend(maker.filter(|maker| !makers.contains(maker)));
        if makers.len() == MOST_MAKERS {
            break;
        }
    }
    makers
}

/// Returns the wallet of which a list of a token's holders shows the highest gain since the first one, apart from some others.
/// Most of the fees are paid to it.
fn treasury(history: &History, token: &str, others: &[WalletAddress]) -> Option<WalletAddress> {
    let mut lists = lists_of_holders(history, token);
    let first = lists.next()?;
    let last = lists.last()?;
    let gains = last.held.iter().filter_map(|(pair, amount)| {
        let before = first.get(pair).map_or(0, |before| before.get());
        let gain = amount.get().saturating_sub(before);
        Some((gain, pair.0.parse().ok()?))
    });
    let gains = gains.filter(|(gain, holder)| *gain > 0 && !others.contains(holder));
    gains.max().map(|(_, holder)| holder)
}

/// Returns addresses that begin, or end, as this one does.
fn near(wallet: WalletAddress) -> impl Iterator<Item = WalletAddress> {
    let text = wallet.to_string();
    let places = [2, text.len() - 1].into_iter();
    places.filter_map(move |at| with_digit_changed(&text, at).parse().ok())
}

impl Transfers<'_> {
    /// Gives some tokens to others, while nothing else is pending: two other tokens to the new wallet, one of them also from
    /// the co-signer and to a rich holder, and many times some of the fee's token to those who made the latest blocks or
    /// received most of the fees, and to addresses like the wallet's. Before that, the new wallet sends what it does not have.
    pub(super) async fn give_others(&self) -> Taken<()> {
        let (wallet, new_wallet, fee) = (self.wallet, self.new_wallet, self.fee);
        let history = self.submitter.samples.history();
        let held = |wallet: &SigningWallet| held_by(&history, &wallet.address().to_string());
        let own = held(wallet);
        let has = |held: &BTreeMap<String, i128>, token: &str, least: i64| {
            held.get(token).is_some_and(|held| *held > least.into())
        };
        let new = new_wallet.address();
        let mut gifts = Vec::new();
        let mut poorest = None;
        let co_signer = self.submitter.with.co_signer.as_ref();
        let other = self.submitter.another_token(self.token);
        let other = other.filter(|other| has(&own, other, 8 * FEW));
        if let Some(other) = &other {
            gifts.push((wallet, new, FEW, &**other));
            let can_pay = |held| has(&held, other, FEW) && has(&held, self.token, 2 * fee);
            let paying = co_signer.filter(|wallet| can_pay(held(wallet)));
            gifts.extend(paying.map(|wallet| (wallet, new, FEW, &**other)));
            // A balance that is not exact in a float changes, too.
            let rich = rich_holder(&history, other, &wallet.address().to_string());
            gifts.extend(rich.map(|rich| (wallet, rich, FEW, &**other)));
        }
        // A node may mistake a third token for another one.
        let is_third = |token: &&String| Some(*token) != other.as_ref() && **token != *self.token;
        let mut thirds = own.keys().filter(is_third);
        let third = thirds.find(|token| has(&own, token, 2 * FEW));
        gifts.extend(third.map(|third| (wallet, new, FEW, &**third)));
        // Its balances are known from here on.
        for token in other.iter().chain(third) {
            self.balance(new, token).await?;
        }
        if let Some(other) = &other {
            // It has none. A node may not count so little.
            let too_much = (new_wallet, stranger()?.address(), FEW, &**other);
            self.give(self.token, &[too_much]).await?;
        }
        // They receive fees in the same block.
        let makers = makers(&history);
        gifts.extend(makers.iter().map(|maker| (wallet, *maker, FEW, self.token)));
        if has(&own, self.token, fee.saturating_mul(8 * MOST_GIFTS as i64)) {
            // Fees may hide what they receive of the fee's token, but not of another one.
            if let Some(other) = &other {
                for maker in &makers {
                    self.balance(*maker, other).await?;
                    gifts.push((wallet, *maker, FEW, &**other));
                }
            }
            // An amount may get lost beside the fees, or go to a wallet with a similar address.
            let mut known = makers.clone();
            known.extend([new, wallet.address()]);
            known.extend(co_signer.map(SigningWallet::address));
            let treasury = treasury(&history, self.token, &known);
            let others = treasury.into_iter().chain(near(wallet.address()));
            gifts.extend(others.map(|to| (wallet, to, FEW, self.token)));
            // A node may have no space for all that is pending.
            let all = makers.iter().copied().chain([wallet.address()]).cycle();
            let more = all.map(|to| (wallet, to, FEW, self.token));
            gifts.extend(more.take(MOST_GIFTS.saturating_sub(gifts.len())));
            poorest = self.give_many().await?;
        }
        let texts = self.texts(self.token, &gifts)?;
        let first = texts.first().map(|(from, text)| (*from, text.clone()));
        // Some come while a block is made.
        let pause = self.submitter.longest_wait() / MOST_GIFTS as u32;
        let given = self.submit_in_turn(texts, pause.min(LONGEST_PAUSE)).await?;
        if let Some((from, first)) = first {
            self.pay_equally(from, &first).await?;
        }
        if let Some(poorest) = poorest {
            self.await_gift(poorest).await?;
        }
        match given.last() {
            Some(last) => self.replace(last).await,
            None => Ok(()),
        }
    }

    /// Submits a transfer that only its code distinguishes from another one. The signature of one is not that of another.
    async fn pay_equally(&self, from: &SigningWallet, text: &str) -> Taken<()> {
        let equal = with_new_code(text)?;
        let entries = entries_of(self.submitter, &[from], &equal).await?;
        let request = signed_over(&equal, &equal, &entries).carrying_signature();
        self.submitter.submit_serialized(request).await?;
        let replayed = signed_over(&equal, &with_new_code(&equal)?, &entries);
        let what = "a transfer with another code than was signed";
        let replayed = replayed.carrying_signature().wrongly_signed(what);
        self.submitter.submit_serialized(replayed).await.map(drop)
    }

    /// Submits other transactions with the code of a pending one, which do not replace it: one of the co-signer, and one
    /// of the wallet with a higher fee.
    async fn replace(&self, pending: &str) -> Taken<()> {
        if let Some(co_signer) = &self.submitter.with.co_signer {
            let text = altered(pending, |transaction| {
                transaction["specific_data"]["signers"] = json!([co_signer.address()]);
            })?;
            let request = signed_by(self.submitter, co_signer, &text).await?;
            self.submitter.submit_serialized(request).await?;
        }
        let text = with_more_fee(pending, self.fee.unsigned_abs())?;
        let request = signed_by(self.submitter, self.wallet, &text).await?;
        self.submitter.submit_serialized(request).await.map(drop)
    }

    /// Gives the new wallet some of the fee's token, of which it has nothing. If it has another token, it sends all of that
    /// away, in two parts, and some of the fee's token while it gets less, and then gets some again.
    pub(super) async fn send_back(&self) -> Taken<()> {
        let (wallet, new_wallet, fee) = (self.wallet, self.new_wallet, self.fee);
        let new = new_wallet.address();
        let list = wallet_balances_request(&new.to_string());
        self.submitter.samples.node.send(list).await?;
        let history = self.submitter.samples.history();
        // A node may remember the balances of those who receive only fees from here on.
        for maker in makers(&history) {
            self.balance(maker, self.token).await?;
        }
        let held = held_by(&history, &new.to_string());
        let others = held.into_iter().filter(|(token, _)| token != self.token);
        let mut others =
            others.filter_map(|(token, held)| Some((token, i64::try_from(held).ok()?)));
        // A node that counts balances in other units shows another amount than it was given.
        let other = others.find(|(_, held)| (2..=2 * FEW).contains(held));
        // Whatever became of its claims, it can pay what follows. It can also pay what was refused before, which must not be made now.
        let fees = 9 * fee;
        let gift = [(wallet, new, fees + FEW, self.token)];
        let given = match self.other_currency() {
            Some(currency) => self.give(&currency, &gift).await?,
            None => Vec::new(),
        };
        if given.is_empty() {
            self.give(self.token, &gift).await?;
        }
        if !self.has_received(new, fees).await? {
            return Ok(());
        }
        self.spend_at_once().await?;
        self.share_a_fee().await?;
        // Of the fee's token, more comes back than is sent in the same block.
        let to = wallet.address();
        let few = [
            (wallet, new, FEW, self.token),
            (new_wallet, to, 2 * FEW, self.token),
        ];
        let Some((other, held)) = other else {
            self.give(self.token, &few).await?;
            return self.leave_little().await;
        };
        // One unit is left, and then nothing. What is pending also counts for a token in which no fee is paid.
        let mut parts = vec![
            (new_wallet, to, held - 1, &*other),
            (new_wallet, to, 1, &*other),
            (new_wallet, to, held - 1, &*other),
        ];
        parts.extend(few);
        self.give(self.token, &parts).await?;
        let has_nothing = |held| held <= 0;
        self.balance_when((new, &other), self.patience, has_nothing)
            .await?;
        // Lists may show it in another way.
        self.balance(new, self.token).await?;
        let list = wallet_balances_request(&new.to_string());
        for request in [list, token_holders_request(&other)] {
            self.submitter.samples.node.send(request).await?;
        }
        for token in [&*other, self.token] {
            self.balance(new, token).await?;
        }
        // Not as much as before: a balance that changes and changes back would look like a contradiction.
        let again = (wallet, new, held + 1, &*other);
        self.give(self.token, &[again]).await?;
        self.leave_little().await
    }

    /// Sends back what the new wallet has, apart from less than a fee. A node must not take what is left.
    async fn leave_little(&self) -> Taken<()> {
        let (wallet, new_wallet, fee) = (self.wallet, self.new_wallet, self.fee);
        let of_fees = (new_wallet.address(), self.token);
        let most = 9 * fee + FEW;
        let settled = |held: i128| held < i128::from(most - fee);
        let held = self.balance_when(of_fees, self.patience, settled).await?;
        let held = held.clamp(0, most.into()) as i64;
        // What is refused because nothing is left for its fee must not be made once there is enough.
        let call = self.call(&[new_wallet], nobodys(0), &json!(held), self.token);
        let text = by_hand(self.submitter, &call);
        let too_much = signed_by(self.submitter, new_wallet, &text).await?;
        self.submitter.submit_serialized(too_much).await?;
        let more = (wallet, new_wallet.address(), 2 * fee, self.token);
        self.give(self.token, &[more]).await?;
        let has_more = |now: i128| now > held.into();
        let held = self.balance_when(of_fees, self.patience, has_more).await?;
        let amount = held.clamp(0, (most + 2 * fee).into()) as i64 - fee - FEW;
        if amount <= 0 {
            return Ok(());
        }
        self.give(
            self.token,
            &[(new_wallet, wallet.address(), amount, self.token)],
        )
        .await?;
        let is_little = |held: i128| held < fee.into();
        self.balance_when(of_fees, self.patience, is_little)
            .await
            .map(drop)
    }

    /// Returns another token in which the node has accepted a fee, if the wallet has enough of it.
    fn other_currency(&self) -> Option<String> {
        let history = self.submitter.samples.history();
        let currencies = history.accepted().filter_map(|(_, transaction)| {
            let currency = transaction.currency()?;
            (currency != self.token).then(|| currency.to_owned())
        });
        let held = held_by(&history, &self.wallet.address().to_string());
        let least = i128::from(2 * self.fee);
        let enough = |token: &String| held.get(token).is_some_and(|held| *held > least);
        currencies.filter(enough).last()
    }

    /// Submits plain transfers one after the other. Returns the texts of those that are valid.
    pub(super) async fn give(&self, currency: &str, gifts: &[Gift<'_>]) -> Taken<Vec<String>> {
        let texts = self.texts(currency, gifts)?;
        self.submit_in_turn(texts, Duration::ZERO).await
    }

    /// Writes plain transfers, all of the same time, and each with a higher fee than the one before it.
    pub(super) fn texts<'g>(
        &self,
        currency: &str,
        gifts: &[Gift<'g>],
    ) -> Taken<Vec<(&'g SigningWallet, String)>> {
        let fee = self.submitter.with.fee.as_str();
        let now = json!(unique() / 1_000_000);
        let gifts = (0..).zip(gifts);
        let texts = gifts.map(|(more, (from, to, amount, token))| {
            let call = self.call(&[from], *to, &json!(amount), token);
            let text = with_more_fee(&written(currency, fee, &call), more)?;
            let text = altered(&text, |transaction| transaction["timestamp"] = now.clone())?;
            Ok((*from, text))
        });
        texts.collect()
    }

    /// Signs and submits transactions, with a pause after each. Returns the texts of those that are valid.
    async fn submit_in_turn(
        &self,
        texts: Vec<(&SigningWallet, String)>,
        pause: Duration,
    ) -> Taken<Vec<String>> {
        let mut given = Vec::new();
        for (from, text) in texts {
            let request = signed_by(self.submitter, from, &text).await?;
            // Its transfer must be made once, and as a whole.
            let request = request.worded(Wording::AfterLeaving);
            let response = self.submitter.submit_serialized(request).await?;
            given.extend(is_valid(&response).then_some(text));
            sleep(pause).await;
        }
        Ok(given)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::recorded;

    #[test]
    fn most_of_the_fees_are_paid_to_the_wallet_that_gained_most() {
        let [one, other, own] = ["11", "22", "33"].map(|digits| format!("0x{}", digits.repeat(20)));
        let list = |amounts: [u64; 3]| {
            let held = [&one, &other, &own].into_iter().zip(amounts);
            let held = held.map(|(wallet, amount)| json!({"wallet": wallet, "balance": amount}));
            json!({"balance": held.collect::<Vec<_>>()}).to_string()
        };
        for (last, gained) in [
            ([8, 5, 9], Some(&one)),
            ([8, 9, 9], Some(&other)),
            ([5, 4, 9], None),
        ] {
            let bodies = [list([5, 5, 0]), list(last)];
            let rows = bodies.iter().enumerate();
            let rows = rows.map(|(at, body)| {
                let at = (at as u64 + 1) * 10;
                (at, token_holders_request("NWRL"), 200, &**body)
            });
            let history = recorded(rows.collect::<Vec<_>>());
            let found = treasury(&history, "NWRL", &[own.parse().expect("an address")]);
            assert_eq!(
                found.map(|one| one.to_string()).as_ref(),
                gained,
                "{last:?}"
            );
        }
    }

    #[test]
    fn similar_addresses_differ_in_one_digit() {
        let wallet = format!("0x7{}", "a".repeat(39));
        let near = near(wallet.parse().expect("an address"));
        let expected = [
            format!("0x0{}", "a".repeat(39)),
            format!("0x7{}0", "a".repeat(38)),
        ];
        let near: Vec<_> = near.map(|one| one.to_string()).collect();
        assert_eq!(near, expected);
    }
}
