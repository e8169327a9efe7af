//! Transfers of tokens, and claims that together cost more than their wallet holds. All of them are for networks whose
//! tokens have no value.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use nodeproof_client::{Transfer, contract_call::ContractFunction as _};
use nodeproof_primitives::{RawJson, WalletAddress};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{
    around_claim::signed_by,
    batch::BATCH,
    claim_step::{Taken, no_sample, signed_call},
    draft::{by_hand, code_of, nobodys, written},
    further_claim::{FurtherClaim, submit_at_once},
    holdings::{MOST_EXACT, held_by},
    signatures::{whole, with_high_s},
    signing::{SigningWallet, Submitting},
    submitter::{COPIES, Submitter},
    token_contract::contract_of_transfers,
    waiting::{FIRST_PAUSE, MAX_PAUSE, NewBlocks, read_new_blocks},
};
use crate::{
    api::{
        block_request, held, is_valid, submitted_code, times_in_batch, token_balance_request,
        token_holders_request,
    },
    history::OF_NEW_WALLET,
    http::{BackOff, Exchange, Request},
};

/// Maximum number of JSON values in a list of holders that is read while a transfer is pending.
const MOST_VALUES: usize = 400;
/// What a run's transfers have in common.
pub(super) struct Transfers<'s> {
    pub(super) submitter: &'s Submitter,
    pub(super) contract: String,
    /// The verification contract.
    pub(super) verification: &'s str,
    /// The token of fees.
    pub(super) token: &'s str,
    pub(super) wallet: &'s SigningWallet,
    pub(super) new_wallet: &'s SigningWallet,
    /// The fee of a transfer, or 0 if it is not a usual one.
    pub(super) fee: i64,
    /// How long the effect of a transfer may take.
    pub(super) patience: Duration,
}

/// The amount of a transfer in its text, and one of nothing.
const AMOUNT: &str = "\"amount_to_send\":";
const NOTHING: &str = "\"amount_to_send\":0";

/// Transfers tokens of the wallet to itself and to a new wallet, some of them several times at the same moment. Then
/// follow two transfers of the new wallet in a batch, of which it can pay one; transfers that a node must refuse; two more
/// at the same moment; and two claims, of which it can pay one with all that is left.
pub(super) async fn transfer_and_overspend(mut transfers: Transfers<'_>, run: u128) -> Taken<()> {
    let (wallet, new_wallet, fee) = (transfers.wallet, transfers.new_wallet, transfers.fee);
    if fee == 0 {
        return Ok(());
    }
    // A node may round what is received.
    let part = 2 * fee + fee * 3 / 4 + 7;
    // A little more than five fees and a half.
    let all = 2 * part;
    let began = Instant::now();
    let Some(again) = transfers.send_right(part).await? else {
        return Ok(());
    };
    if !transfers.has_received(new_wallet.address(), all).await? {
        return Ok(());
    }
    let took = began.elapsed();
    transfers.submit_again(again).await?;
    transfers.patience = (took * 3)
        .max(MAX_PAUSE)
        .min(transfers.submitter.patience());
    let leaving = 2 * fee + fee / 2 + 14;
    let left = transfers
        .overdraw(0, new_wallet, wallet.address(), (all, leaving))
        .await?;
    transfers.give_others().await?;
    transfers.sign_wrongly(part).await?;
    transfers.send_wrong([new_wallet, wallet], left).await?;
    if left == all {
        // What is pending counts, too. A node may also take nothing from a wallet that it does not know.
        transfers.send_wrong_of_known().await?;
        return transfers.overdraw_co_signer().await;
    }
    let left = transfers
        .overdraw(1, new_wallet, nobodys(0), (left, fee + 14))
        .await?;
    if left == 0 {
        return Ok(());
    }
    claim_with_all(&transfers, left, run).await?;
    transfers.send_back().await
}

/// Makes two claims of the new wallet, of which it can pay one with all that is left, and then a transfer.
async fn claim_with_all(transfers: &Transfers<'_>, left: i64, run: u128) -> Taken<()> {
    let (submitter, new_wallet) = (transfers.submitter, transfers.new_wallet);
    // Nothing is left after a fee of all.
    let with = Submitting {
        fee: left.unsigned_abs().into(),
        ..submitter.with.clone()
    };
    let mut claims = Vec::new();
    for number in OF_NEW_WALLET {
        let contract = transfers.verification;
        let claim = FurtherClaim::prepare_with(submitter, &with, new_wallet, contract, number, run);
        claims.push(claim.await?);
    }
    let mut blocks = NewBlocks::since(submitter.samples.discovered.tip);
    blocks.skip_to_the_latest(submitter).await?;
    submit_at_once(submitter, &mut claims).await;
    // What is pending of one kind also counts for the other.
    let (to, amount) = (transfers.wallet.address(), json!(left - transfers.fee));
    let call = transfers.call(&[new_wallet], to, &amount, transfers.token);
    let request = signed_by(submitter, new_wallet, &by_hand(submitter, &call)).await?;
    submitter.submit_serialized(request).await?;
    // One of them has no record at a right node.
    let until = Instant::now() + transfers.patience;
    for claim in &claims {
        claim.settle(submitter, &mut blocks, until).await;
    }
    Ok(())
}

/// Returns a batch of these submissions.
pub(super) fn batch_of(all: &[&Request]) -> Request {
    let bodies = all
        .iter()
        .map(|request| request.body.as_deref().unwrap_or_default());
    let body = format!("[{}]", bodies.collect::<Vec<_>>().join(","));
    Request::post(BATCH, body).carrying_signature()
}

/// Returns a submission of one signer with the higher value of s in its signature, which is valid, too.
fn in_other_form(submission: &Request) -> Option<Request> {
    let text = submission.body.as_deref()?;
    let body = submission.body_json()?;
    let signature = body["signatures"][0]["msgsign"].as_str()?;
    let text = text.replacen(signature, &with_high_s(signature)?, 1);
    Some(Request::post(submission.path, text).carrying_signature())
}

/// Returns a submission with its signatures in the reverse order and in capitals. It is the same transaction.
fn in_other_words(submission: &Request) -> Option<Request> {
    let text = submission.body.as_deref()?;
    let body = submission.body_json()?;
    let mut entries = body["signatures"].as_array()?.clone();
    entries.reverse();
    for entry in &mut entries {
        entry["msgsign"] = entry["msgsign"].as_str()?.to_uppercase().into();
    }
    let members: BTreeMap<String, RawJson> = serde_json::from_str(text).ok()?;
    let text = whole(members.get("transaction")?.as_ref(), &entries);
    Some(Request::post(submission.path, text).carrying_signature())
}

/// Returns the largest amounts of a wallet that holds this much, which a careless node cuts or rounds: one more and one less
/// than has no space in 64 bits, is not exact in a float, or has no space in 32 or 31 bits.
fn large_parts(held: i128) -> Option<[i128; 2]> {
    let bounds = [1 << 64, i128::from(MOST_EXACT), 1 << 32, 1 << 31];
    let bound = bounds.into_iter().find(|bound| held > *bound);
    bound.map(|bound| [bound + 1, bound - 1])
}

impl<'s> Transfers<'s> {
    pub(super) fn of(
        submitter: &'s Submitter,
        [wallet, new_wallet]: [&'s SigningWallet; 2],
        verification: &'s str,
        token: &'s str,
    ) -> Self {
        let contract = contract_of_transfers(&submitter.samples.history(), token);
        Self {
            submitter,
            contract: contract.unwrap_or_else(|| verification.to_owned()),
            verification,
            token,
            wallet,
            new_wallet,
            fee: submitter.whole_fee().unwrap_or_default(),
            patience: submitter.patience(),
        }
    }

    /// Sends at the same moment: a transfer to the wallet itself in copies, one to the new wallet, which the co-signer signs,
    /// too, another one to it twice in a batch, and transfers of a large amount to the co-signer and back. If a node has no
    /// batches, that of the batch follows alone. If the new wallet receives any, returns requests to send again once they are in
    /// a block.
    async fn send_right(&self, part: i64) -> Taken<Option<Vec<Request>>> {
        let (wallet, new_wallet) = (self.wallet, self.new_wallet);
        let history = self.submitter.samples.history();
        let held = |wallet: &SigningWallet| held_by(&history, &wallet.address().to_string());
        let co_signer = self.submitter.with.co_signer.as_ref();
        let co_signer = co_signer.filter(|wallet| {
            let held = held(wallet);
            held.get(self.token).is_some_and(|held| *held > part.into())
        });
        let both: Vec<_> = [wallet].into_iter().chain(co_signer).collect();
        let to_itself = self.call(&[wallet], wallet.address(), &json!(part), self.token);
        let (to_itself, _) = self.signed(&[wallet], &to_itself).await?;
        let to_new = |signers: &[&SigningWallet]| {
            self.call(signers, new_wallet.address(), &json!(part), self.token)
        };
        let (alone, _) = self.signed(&both, &to_new(&both)).await?;
        let (twice, code) = self.signed(&[wallet], &to_new(&[wallet])).await?;
        let batch = batch_of(&[&twice, &twice]);
        // Another form of the signature is the same transaction.
        let other_form = in_other_form(&to_itself);
        let mut again = vec![other_form.clone().unwrap_or_else(|| to_itself.clone())];
        again.extend([&to_itself, &alone].into_iter().filter_map(in_other_words));
        let in_batch = batch_of(&[&to_itself]);
        let mut at_once = vec![to_itself; COPIES];
        at_once.extend(other_form);
        let alone_at = at_once.len();
        // What was submitted alone is known in a batch, too.
        at_once.extend([alone, batch, in_batch]);
        if let Some(co_signer) = co_signer {
            let theirs = held(co_signer);
            let large = held(wallet).into_iter().filter_map(|(token, amount)| {
                let is_of_fees = token == *self.token;
                let least = *theirs.get(&token)?.min(&amount);
                // The rest has to pay the fees.
                let amounts = large_parts(if is_of_fees { least / 2 } else { least })?;
                // Parts of fees, which may be rounded, would hide one unit of their token.
                Some(((amounts, !is_of_fees), token))
            });
            // Of several, the first token.
            let large = large.rev().max_by_key(|(value, _)| *value);
            if let Some(((amounts, _), token)) = large {
                let both = self.exchange([wallet, co_signer], amounts, &token).await;
                at_once.extend(both.into_iter().flatten());
            }
        }
        let responses = self.submitter.submit_at_once(at_once).await;
        let is_in_batch =
            |response: &Arc<Exchange>| times_in_batch(response, "accepted_transactions", &code) > 0;
        if responses.iter().flatten().any(is_in_batch) {
            return Ok(Some(again));
        }
        let last = self.submitter.submit_serialized(twice).await?;
        let of_alone = responses
            .get(alone_at)
            .and_then(|response| response.as_ref().ok());
        let is_any = is_valid(&last) || of_alone.is_some_and(|response| is_valid(response));
        Ok(is_any.then_some(again))
    }

    /// Submits what is in a block once more, in other forms and in a batch. The block is read before and after that: it does not change.
    async fn submit_again(&self, again: Vec<Request>) -> Taken<()> {
        let (submitter, node) = (self.submitter, &self.submitter.samples.node);
        read_new_blocks(submitter).await?;
        let in_batch = batch_of(&again.iter().collect::<Vec<_>>());
        let mut code = None;
        for request in again {
            let response = submitter.submit_serialized(request).await?;
            code = code.or(submitted_code(&response));
        }
        submitter.submit_serialized(in_batch).await?;
        let code = code.unwrap_or_default();
        let history = submitter.samples.history();
        let block = history
            .blocks()
            .find_map(|(index, entry)| entry.shows(&code).then_some(index));
        if let Some(index) = block {
            node.send(block_request(index)).await?;
        }
        Ok(())
    }

    /// Returns transfers of a token between two wallets: these amounts there and back.
    async fn exchange(
        &self,
        [one, other]: [&SigningWallet; 2],
        amounts: [i128; 2],
        token: &str,
    ) -> Taken<[Request; 2]> {
        let [there, back] = amounts.map(|amount| amount.to_string());
        let to_other = self.call(&[one], other.address(), &json!(0), token);
        let to_one = self.call(&[other], one.address(), &json!(0), token);
        Ok([
            self.of_amount(one, &to_other, &there).await?,
            self.of_amount(other, &to_one, &back).await?,
        ])
    }

    /// Returns a transfer of an amount in place of nothing. Not every number is a value of `serde_json`.
    pub(super) async fn of_amount(
        &self,
        from: &SigningWallet,
        call: &Value,
        amount: &str,
    ) -> Taken<Request> {
        let text = written(self.token, self.submitter.with.fee.as_str(), call);
        let text = text.replacen(NOTHING, &format!("{AMOUNT}{amount}"), 1);
        signed_by(self.submitter, from, &text).await
    }

    /// Has the node build a transfer, which these wallets sign. Returns the request that submits it, and its code.
    pub(super) async fn signed(
        &self,
        signers: &[&SigningWallet],
        call: &Value,
    ) -> Taken<(Request, String)> {
        let submitter = self.submitter;
        // Two signers share an odd fee.
        let odd = |fee: &i64| signers.len() > 1 && fee % 2 == 0;
        let fee = submitter.with.fee.as_str().parse::<i64>().ok().filter(odd);
        let with = Submitting {
            fee: fee.map_or(submitter.with.fee.clone(), |fee| {
                (fee.unsigned_abs() + 1).into()
            }),
            ..submitter.with.clone()
        };
        let signed = signed_call(submitter, signers, call, None, |_| with).await?;
        match signed.1 {
            Ok(signed) => Ok((signed.request, code_of(&signed.text))),
            Err(unsigned) => no_sample(format!("no transfer was signed: {}", unsigned.reason())),
        }
    }

    pub(super) fn call(
        &self,
        signers: &[&SigningWallet],
        to: WalletAddress,
        amount: &Value,
        token: &str,
    ) -> Value {
        let signers: Vec<_> = signers.iter().map(|wallet| wallet.address()).collect();
        json!({
            "sc_address": self.contract,
            "function_called": Transfer::NAME,
            "signers": signers,
            "params": {
                "amount_to_send": amount,
                "receiver": to,
                "asset_code": token,
            },
        })
    }

    /// Reads a wallet's balance. It is 0 if the response shows none.
    pub(super) async fn balance(&self, wallet: WalletAddress, token: &str) -> Taken<i128> {
        let request = token_balance_request(&wallet.to_string(), token);
        let response = self.submitter.samples.node.send(request).await?;
        Ok(held(&response).map_or(0, |held| held.get()))
    }

    /// Reads a wallet's balance until a condition holds, or for as long as this. Returns the last one.
    pub(super) async fn balance_when(
        &self,
        (wallet, token): (WalletAddress, &str),
        patience: Duration,
        is_done: impl Fn(i128) -> bool,
    ) -> Taken<i128> {
        let samples = &self.submitter.samples;
        let list = token_holders_request(token);
        let is_short = samples.history().of_path(list.path).any(|entry| {
            entry.exchange.request.query == list.query && entry.exchange.values <= MOST_VALUES
        });
        let began = Instant::now();
        let until = began + patience.min(self.submitter.patience());
        let mut back_off = BackOff::new(FIRST_PAUSE, MAX_PAUSE);
        loop {
            let held = self.balance(wallet, token).await?;
            let is_in_vain = !is_done(held);
            if !is_in_vain || Instant::now() + back_off.peek() > until {
                self.submitter.note_wait(began, is_in_vain);
                return Ok(held);
            }
            // As soon as a block is there, what has left one wallet is in another one.
            if is_short {
                read_new_blocks(self.submitter).await?;
                samples.node.send(list.clone()).await?;
            }
            back_off.wait().await;
        }
    }

    /// Reads a wallet's balance until it has an amount, at most until the settle timeout. Returns whether it has any: a
    /// node may count in other units, or lose a part.
    pub(super) async fn has_received(&self, wallet: WalletAddress, amount: i64) -> Taken<bool> {
        let (began, patience) = (Instant::now(), self.submitter.patience());
        let of_fees = (wallet, self.token);
        if self
            .balance_when(of_fees, patience, |held| held > 0)
            .await?
            <= 0
        {
            return Ok(false);
        }
        let more = MAX_PAUSE.max(began.elapsed() * 2);
        let rest = patience.saturating_sub(began.elapsed()).min(more);
        let has_it = |held| held >= amount.into();
        self.balance_when(of_fees, rest, has_it).await?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_amount_is_at_most_what_is_held() {
        for (held, amount) in [
            ((1_i128 << 64) + 1, Some((1 << 64) + 1)),
            (1 << 64, Some((1 << 53) + 1)),
            ((1 << 53) + 1, Some((1 << 53) + 1)),
            (1 << 53, Some((1 << 32) + 1)),
            (1_000_000_000_000, Some((1 << 32) + 1)),
            (1 << 32, Some((1 << 31) + 1)),
            (1 << 31, None),
            (0, None),
        ] {
            let there = large_parts(held).map(|[there, _]| there);
            assert_eq!(there, amount, "{held}");
        }
    }
}
