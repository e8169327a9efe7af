//! Two transfers at one moment, of which their wallet can pay one.

use serde_json::json;

use super::{
    claim_step::Taken,
    holdings::MOST_EXACT,
    signing::SigningWallet,
    transfers::{Overdraw, Transfers, batch_of},
};
use crate::{
    api::{accepts, wallet_balances_request},
    http::Step,
};

impl Transfers<'_> {
    /// Submits two transfers, of which the wallet can pay one: in a batch, or if a new wallet does so for the second time, at the same
    /// moment with a third one in a batch. If a node accepts none in a batch, they follow at the same moment. The other one may fail when its block is made, and then moves
    /// nothing. Waits until the wallet has less, and returns what it has.
    pub(super) async fn overdraw(&self, wallet: &SigningWallet, overdraw: &Overdraw) -> Taken<i64> {
        let (number, left, fee) = (overdraw.number, overdraw.left, overdraw.fee);
        // A server that is behind may show more.
        let held = self.balance(wallet.address(), self.token).await?;
        let held = held.clamp(0, overdraw.most.into()) as i64;
        if held <= 2 * left {
            return Ok(held);
        }
        let amount = held - left - fee;
        let call = self.call(&[wallet], overdraw.to, &json!(amount), self.token);
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
        let left = self.balance_when((wallet.address(), self.token), overdraw.patience, has_less);
        Ok(left.await?.clamp(0, held.into()) as i64)
    }

    /// Has the co-signer submit two transfers, of which it can pay one, and sends back what the wallet received.
    pub(super) async fn overdraw_co_signer(
        &self,
        wallet: &SigningWallet,
        overdraw: Overdraw,
    ) -> Taken<()> {
        let Some(co_signer) = &self.submitter.with.co_signer else {
            return Ok(());
        };
        let held = self.balance(co_signer.address(), self.token).await?;
        let fee = overdraw.fee;
        let most = held.clamp(0, MOST_EXACT.into()) as i64;
        if most / 4 <= fee || i128::from(most) != held {
            return Ok(());
        }
        let overdraw = Overdraw {
            number: 2,
            to: wallet.address(),
            most,
            left: most / 4,
            ..overdraw
        };
        let left = self.overdraw(co_signer, &overdraw).await?;
        let received = most - left - fee;
        if received > 0 {
            let back = self.call(&[wallet], co_signer.address(), &json!(received), self.token);
            let (back, _) = self.signed(&[wallet], &back).await?;
            self.submitter.submit_serialized(back).await?;
        }
        Ok(())
    }
}
