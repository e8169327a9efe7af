//! Transfers that a node must refuse.

use std::slice::from_ref;

use serde_json::{Value, json};

use super::{
    around_claim::entries_of,
    batch::{element, submit_refused},
    claim_step::Taken,
    draft::{by_hand, nobodys, written},
    edit::{altered, in_other_letters},
    holdings::MOST_EXACT,
    shared_claim::{third_signers, two_of_three},
    signatures::{sign, signed_over, stranger},
    signing::SigningWallet,
    transfers::Transfers,
    variant::Variant,
    wrong::{Moment, rows_at},
};
use crate::{
    api::is_valid,
    http::{Request, Step},
};

/// A known node takes 50 submissions in a batch.
const MOST_IN_BATCH: usize = 48;

fn signature_in(entry: &Value) -> &str {
    entry["msgsign"].as_str().unwrap_or_default()
}

impl Transfers<'_> {
    /// Submits a transfer of one wallet, and one of two, wrongly signed in each way in which claims are, alone and in
    /// batches. Those of the same signers have one code, so at most one of them is made.
    pub(super) async fn sign_wrongly(&self, amount: i64) -> Taken<()> {
        let (submitter, wallet, to) = (self.submitter, self.wallet, self.new_wallet.address());
        let call = self.call(&[wallet], to, &json!(amount), self.token);
        let text = by_hand(submitter, &call);
        for entry in entries_of(submitter, &[wallet], &text).await? {
            let of_row = |row: &Variant| {
                row.of_claim(submitter, &text, wallet.address(), signature_in(&entry))
            };
            self.submit_wrong(false, of_row).await?;
        }
        let Some(co_signer) = &submitter.with.co_signer else {
            return Ok(());
        };
        let both = [wallet, co_signer];
        let wallets = both.map(SigningWallet::address);
        let call = self.call(&both, to, &json!(amount), self.token);
        let text = by_hand(submitter, &call);
        if let [one, other] = &entries_of(submitter, &both, &text).await?[..] {
            let signatures = [one, other].map(signature_in);
            let of_row = |row: &Variant| row.of_both(submitter, &text, wallets, signatures);
            self.submit_wrong(true, of_row).await?;
        }
        for third in third_signers(submitter, both)? {
            for request in two_of_three(submitter, &call, both, third).await? {
                submitter.submit_serialized(request).await?;
            }
        }
        Ok(())
    }

    /// Submits what these rows make of a transfer of one or two signers, alone and in batches.
    async fn submit_wrong(
        &self,
        are_two: bool,
        of_row: impl Fn(&Variant) -> Taken<Request>,
    ) -> Taken<()> {
        let mut refused = Vec::new();
        let rows = rows_at(Moment::Transfer).into_iter();
        for row in rows.filter(|row| row.has_two_signers() == are_two) {
            // A transfer does not have each value.
            let Ok(request) = of_row(row) else {
                continue;
            };
            let what = format!("{}{}", row.what, Moment::Transfer.ending());
            let response = self
                .submitter
                .submit_serialized(request.wrongly_signed(what))
                .await?;
            if is_valid(&response) {
                return Ok(());
            }
            refused.extend(element(row, &response));
        }
        for batch in refused.chunks(MOST_IN_BATCH) {
            submit_refused(self.submitter, batch).await?;
        }
        Ok(())
    }

    /// Submits the same as [`send_wrong`](Self::send_wrong) for the co-signer, or for the wallet itself: a node may take nothing
    /// from a wallet that it does not know.
    pub(super) async fn send_wrong_of_known(&self) -> Taken<()> {
        let ends = match &self.submitter.with.co_signer {
            Some(co_signer) => [co_signer, self.wallet],
            None => [self.wallet, self.new_wallet],
        };
        let held = self.balance(ends[0].address(), self.token).await?;
        match i64::try_from(held) {
            Ok(held) if held <= MOST_EXACT => self.send_wrong(ends, held).await,
            _ => Ok(()),
        }
    }

    /// Submits transfers of what is not there, most of them from one wallet to another, which a node must refuse. The balances
    /// show what became of them.
    pub(super) async fn send_wrong(&self, [from, to]: [&SigningWallet; 2], held: i64) -> Taken<()> {
        let (wallet, new_wallet, fee) = (self.wallet, self.new_wallet, self.fee);
        let (address, other_address) = (to.address(), stranger()?.address());
        let too_much = self.call(&[from], address, &json!(held + fee / 2), self.token);
        let text = by_hand(self.submitter, &too_much);
        let entry = sign(from, &text).await?;
        let payable = altered(&text, |transaction| {
            transaction["specific_data"]["params"]["amount_to_send"] = json!(fee / 4);
        })?;
        let what = "a refused transfer whose amount was changed after it was signed";
        let payable = signed_over(&text, &payable, from_ref(&entry)).wrongly_signed(what);
        let too_much = signed_over(&text, &text, &[entry]);
        // Its receiver, who was paid by the same wallet before, signs it.
        let taken = self.call(&[wallet], new_wallet.address(), &json!(fee / 4), self.token);
        let taken = by_hand(self.submitter, &taken);
        let entry = sign(new_wallet, &taken).await?;
        let what = "a transfer that its receiver signed in place of the sender";
        let taken = signed_over(&taken, &taken, &[entry]).wrongly_signed(what);
        for request in [too_much, payable, taken] {
            let request = request.carrying_signature();
            self.submitter.submit_serialized(request).await?;
        }
        let other_token = self.submitter.another_token(self.token);
        let mut wrong = Vec::new();
        if let Some(other) = other_token.as_deref() {
            // It must not move what the same wallet has pending out of the way.
            let held = self.balance(wallet.address(), other).await?.max(fee.into());
            let too_much = held.saturating_mul(2).to_string();
            wrong.push((wallet, other_address, too_much, other));
            let has_few = from.address() == new_wallet.address();
            wrong.extend(has_few.then(|| (from, other_address, fee.to_string(), other)));
        }
        // It must not be a fee, which would hide it.
        let gain = fee + fee / 4 + 7;
        // Numbers of 32 and 64 bits would keep a few units: of the amount, or of the amount with the fee.
        let [beyond_32_bits, beyond_64_bits] = [32, 64].map(|bits| (1_i128 << bits) + 5);
        let beyond = [
            beyond_32_bits,
            beyond_64_bits,
            beyond_64_bits - i128::from(fee),
        ];
        let beyond = beyond.into_iter().filter(|amount| *amount > held.into());
        let beyond = beyond.map(|amount| (from, other_address, amount.to_string()));
        // All that it has, so that nothing is left for the fee.
        let all = [held.to_string(), format!("-{gain}"), format!("-{gain}.0")];
        let all = all.map(|amount| (from, address, amount));
        // Two odd fees may each hide one unit that such a transfer creates, but not three.
        let parts = ["1.5", "2.5", "3.5"];
        let parts = parts.map(|amount| (wallet, other_address, amount.to_owned()));
        let of_fees = all.into_iter().chain(beyond).chain(parts);
        wrong.extend(of_fees.map(|(from, to, amount)| (from, to, amount, self.token)));
        let other_letters = in_other_letters(self.token);
        if other_letters != self.token {
            wrong.push((from, other_address, (fee / 4).to_string(), &other_letters));
        }
        let call = |(from, to, amount, token)| {
            let call = self.call(&[from], to, &json!(0), token);
            (from, call, amount)
        };
        let mut calls: Vec<_> = wrong.into_iter().map(call).collect();
        // What is refused because of the receiver must not stay reserved.
        let mut to_nobody = self.call(&[from], other_address, &json!(0), self.token);
        to_nobody["params"]["receiver"] = json!("0x5a");
        calls.push((from, to_nobody, (fee / 4).to_string()));
        // A node that accepts it must not pay another account.
        let mut in_capitals = self.call(&[from], address, &json!(0), self.token);
        let capitals = address.to_string().to_uppercase().replacen('X', "x", 1);
        in_capitals["params"]["receiver"] = json!(capitals);
        calls.push((from, in_capitals, (fee / 4).to_string()));
        for (from, call, amount) in calls {
            let request = self.of_amount(from, &call, &amount).await?;
            self.submitter.submit_serialized(request).await?;
        }
        self.share_too_much(from, held + fee + fee / 2).await?;
        self.reorder([from, to], held + fee).await
    }

    /// Submits a transfer of two signers with a fee that they do not have together. The first one could pay half of it.
    async fn share_too_much(&self, wallet: &SigningWallet, fee: i64) -> Taken<()> {
        let other = stranger()?;
        let to = other.address();
        let call = self.call(&[wallet, &other], to, &json!(1), self.token);
        let text = written(self.token, &fee.to_string(), &call);
        let entries = [sign(wallet, &text).await?, sign(&other, &text).await?];
        let request = signed_over(&text, &text, &entries).carrying_signature();
        self.submitter.submit_serialized(request).await.map(drop)
    }

    /// Submits a transfer of more than the first of its two signers holds. If a node refuses it, the other order of its
    /// signatures, which nobody signs, must not make the second one pay.
    async fn reorder(&self, signers: [&SigningWallet; 2], amount: i64) -> Taken<()> {
        let call = self.call(&signers, nobodys(0), &json!(amount), self.token);
        let text = by_hand(self.submitter, &call);
        let [one, other] = signers;
        let mut entries = [sign(one, &text).await?, sign(other, &text).await?];
        let request = signed_over(&text, &text, &entries).carrying_signature();
        let response = self.submitter.submit_serialized(request).await?;
        if !is_valid(&response) && response.status < 429 {
            entries.reverse();
            let request = signed_over(&text, &text, &entries).carrying_signature();
            let request = request.for_step(Step::Reordered);
            self.submitter.submit_serialized(request).await?;
        }
        Ok(())
    }
}
