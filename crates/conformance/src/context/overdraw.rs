//! Two transfers at one moment, of which their wallet can pay one.

use nodeproof_primitives::WalletAddress;
use serde_json::json;

use super::{
    claim_step::Taken,
    holdings::MOST_EXACT,
    signing::SigningWallet,
    transfers::{Transfers, batch_of},
};
use crate::{
    api::{accepts, wallet_balances_request},
    http::Step,
};

impl Transfers<'_> {
    /// Submits two transfers, of which the wallet can pay one: in a batch, or if a new wallet does so for the second time, at the same
    /// moment with a third one in a batch. If a node accepts none in a batch, they follow at the same moment. The other one may fail when its block is made, and then moves
    /// nothing. Waits until the wallet has less, and returns what it has.
    ///
    /// The wallet counts as having `most` at most, and one of the transfers leaves `left`, which has to be less than half of
    /// what is held.
    pub(super) async fn overdraw(
        &self,
        number: u8,
        wallet: &SigningWallet,
        to: WalletAddress,
        (most, left): (i64, i64),
    ) -> Taken<i64> {
        // A server that is behind may show more.
        let held = self.balance(wallet.address(), self.token).await?;
        let held = held.clamp(0, most.into()) as i64;
        if held <= 2 * left {
            return Ok(held);
        }
        let amount = held - left - self.fee;
        let call = self.call(&[wallet], to, &json!(amount), self.token);
        let (first, first_code) = self.signed(&[wallet], &call).await?;
        let (second, second_code) = self.signed(&[wallet], &call).await?;
        let step = Step::Payable(number);
        let mut is_accepted = false;
        let mut at_once = Vec::new();
        if number == 1 {
            let (third, _) = self.signed(&[wallet], &call).await?;
            at_once.push(batch_of(&[&third]).for_step(step.clone()));
        } else {
            let response = self
                .submitter
                .submit_serialized(batch_of(&[&first, &second]).for_step(step.clone()))
                .await?;
            let codes = [first_code, second_code];
            is_accepted = codes.iter().any(|code| accepts(&response, code));
        }
        if !is_accepted {
            at_once.extend([first, second].map(|one| one.for_step(step.clone())));
            self.submitter.submit_at_once(at_once).await;
        }
        // What is pending must not change one query alone.
        self.balance(wallet.address(), self.token).await?;
        let list = wallet_balances_request(&wallet.address().to_string());
        self.submitter.samples.node.send(list).await?;
        let has_less = |left| left < held.into();
        let left = self.balance_when((wallet.address(), self.token), self.patience, has_less);
        Ok(left.await?.clamp(0, held.into()) as i64)
    }

    /// Has the co-signer submit two transfers, of which it can pay one, and sends back what the wallet received.
    pub(super) async fn overdraw_co_signer(&self) -> Taken<()> {
        let (wallet, fee) = (self.wallet, self.fee);
        let Some(co_signer) = &self.submitter.with.co_signer else {
            return Ok(());
        };
        let held = self.balance(co_signer.address(), self.token).await?;
        let most = held.clamp(0, MOST_EXACT.into()) as i64;
        if most / 4 <= fee || i128::from(most) != held {
            return Ok(());
        }
        let left = self
            .overdraw(2, co_signer, wallet.address(), (most, most / 4))
            .await?;
        let received = most - left - fee;
        if received > 0 {
            let back = self.call(&[wallet], co_signer.address(), &json!(received), self.token);
            let (back, _) = self.signed(&[wallet], &back).await?;
            self.submitter.submit_serialized(back).await?;
        }
        Ok(())
    }
}
