//! Transfers of tokens, and claims that together cost more than their wallet holds. All of them are for networks whose
//! tokens have no value.

use nodeproof_client::{Transfer, contract_call::ContractFunction as _};
use nodeproof_primitives::WalletAddress;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{
    claim_step::{Taken, signed_request},
    draft::{by_hand, call_request, checked_with_time, difference_from_call},
    further_claim::{FurtherClaim, submit_at_once},
    signatures::{sign, signed_over},
    signing::SigningWallet,
    submitter::Submitter,
    waiting::{FIRST_PAUSE, MAX_PAUSE, NewBlocks},
};
use crate::{
    api::{held, is_valid, listed_transactions, token_balance_request},
    history::{History, OF_NEW_WALLET},
    http::BackOff,
};

/// The smallest fee whose half distinguishes one fee from two, whatever the numbers of the claims add to them.
const LEAST_FEE: i64 = 100;
/// Three times as much is exact in a number of JSON.
const MOST_FEE: i64 = 1 << 51;

/// The contract and the token of a run's transfers.
struct Transfers<'s> {
    submitter: &'s Submitter,
    contract: String,
    token: &'s str,
}

/// Transfers tokens of the wallet to itself and to a new wallet. That one sends more than it has, and less than nothing,
/// and then makes two claims at the same moment, of which it can pay one.
pub(super) async fn transfer_and_overspend(
    submitter: &Submitter,
    [wallet, new_wallet]: [&SigningWallet; 2],
    verification: &str,
    token: &str,
    run: u128,
) -> Taken<()> {
    let fee = submitter.with.fee.as_str().parse::<i64>().ok();
    let Some(fee) = fee.filter(|fee| (LEAST_FEE..MOST_FEE).contains(fee)) else {
        return Ok(());
    };
    let contract = contract_of_transfers(&submitter.samples.history(), token);
    let transfers = Transfers {
        submitter,
        contract: contract.unwrap_or_else(|| verification.to_owned()),
        token,
    };
    let amount = fee + fee / 2;
    transfers.send(wallet, wallet, amount).await?;
    if !transfers.send(wallet, new_wallet, amount).await? {
        return Ok(());
    }
    let began = Instant::now();
    if !transfers.is_received(new_wallet.address()).await? {
        return Ok(());
    }
    let took = began.elapsed();
    for amount in [2 * amount, -amount] {
        transfers.send_by_hand(new_wallet, wallet, amount).await?;
    }
    let mut claims = Vec::new();
    for number in OF_NEW_WALLET {
        claims.push(FurtherClaim::prepare(submitter, new_wallet, verification, number, run).await?);
    }
    let mut blocks = NewBlocks::since(submitter.samples.discovered.tip);
    blocks.skip_to_the_latest(submitter).await?;
    submit_at_once(submitter, &mut claims).await;
    // One of them has no record at a right node.
    let patience = (took * 3).max(MAX_PAUSE).min(submitter.with.settle_timeout);
    let until = Instant::now() + patience;
    for claim in &claims {
        claim.settle(submitter, blocks.clone(), until).await;
    }
    Ok(())
}

/// Returns the contract of a transfer that a block shows, if possible of this token.
fn contract_of_transfers(history: &History, token: &str) -> Option<String> {
    let blocks = history.blocks();
    let bodies = blocks.filter_map(|(_, entry)| entry.exchange.success_object());
    let transfers = bodies
        .flat_map(listed_transactions)
        .filter_map(|(_, transaction)| {
            let data = transaction.get("specific_data")?;
            let contract = data["address"].as_str()?;
            (data["function"] == Transfer::NAME)
                .then_some((data["params"]["asset_code"] == token, contract))
        });
    transfers.max().map(|(_, contract)| contract.to_owned())
}

impl Transfers<'_> {
    /// Has the node build a transfer, signs it and submits it. Returns whether it was accepted.
    async fn send(&self, from: &SigningWallet, to: &SigningWallet, amount: i64) -> Taken<bool> {
        let submitter = self.submitter;
        let call = self.call(from, to, amount);
        let built = submitter.samples.node.send(call_request(&call)).await?;
        if difference_from_call(&call, &built).is_some() {
            return Ok(false);
        }
        let Ok(checked) = checked_with_time(&call, &built, &submitter.with) else {
            return Ok(false);
        };
        match signed_request(submitter, from, &checked).await? {
            Ok((_, request)) => Ok(is_valid(&*submitter.submit_serialized(request).await?)),
            Err(_) => Ok(false),
        }
    }

    /// Submits a transfer that a node may refuse to build.
    async fn send_by_hand(
        &self,
        from: &SigningWallet,
        to: &SigningWallet,
        amount: i64,
    ) -> Taken<()> {
        let text = by_hand(self.submitter, &self.call(from, to, amount));
        let entry = sign(from, &text).await?;
        let request = signed_over(&text, &text, &[entry]).carrying_signature();
        self.submitter.submit_serialized(request).await.map(drop)
    }

    fn call(&self, from: &SigningWallet, to: &SigningWallet, amount: i64) -> Value {
        json!({
            "sc_address": self.contract,
            "function_called": Transfer::NAME,
            "signers": [from.address()],
            "params": {
                "amount_to_send": amount,
                "receiver": to.address(),
                "asset_code": self.token,
            },
        })
    }

    /// Reads a wallet's balance until there is one, at most until the settle timeout.
    async fn is_received(&self, wallet: WalletAddress) -> Taken<bool> {
        let until = Instant::now() + self.submitter.with.settle_timeout;
        let request = token_balance_request(&wallet.to_string(), self.token);
        let mut back_off = BackOff::new(FIRST_PAUSE, MAX_PAUSE);
        loop {
            let response = self.submitter.samples.node.send(request.clone()).await?;
            if held(&response).is_some_and(|amount| amount.get() > 0) {
                return Ok(true);
            }
            if Instant::now() + back_off.peek() > until {
                return Ok(false);
            }
            back_off.wait().await;
        }
    }
}
