//! Wallets that nobody knew before, and what they do with others.

use nodeproof_primitives::WalletAddress;
use nodeproof_wallet::KeyPair;
use serde_json::json;

use super::{
    around_claim::{signed_by, signed_by_all},
    claim_step::Taken,
    draft::{REFUSED, by_hand, call, code_of, nobodys, unique, written},
    gifts::FEW,
    shared_claim::third_signers,
    signing::SigningWallet,
    transfers::{Transfers, batch_of},
    waiting::wait_for,
};
use crate::api::{accepts, contract_state_request, is_valid};

/// Number of wallets that receive something at the same moment.
const MANY: u8 = 120;
/// Number of submissions in a batch. A known node takes 50.
const IN_A_BATCH: usize = 45;

impl Transfers<'_> {
    /// Gives some tokens to many wallets that nobody knows, in batches, so that a block has many transactions, and the list of
    /// all holders is long. A node may have no batches. Returns the first wallet, which gets one unit.
    pub(super) async fn give_many(&self) -> Taken<Option<WalletAddress>> {
        let wallet = self.wallet;
        let poorest = nobodys(0);
        let others = (1..MANY).map(|number| (wallet, nobodys(number), FEW, self.token));
        let many: Vec<_> = [(wallet, poorest, 1, self.token)]
            .into_iter()
            .chain(others)
            .collect();
        let mut requests = Vec::new();
        let texts = self.texts(self.token, &many)?;
        for (from, text) in &texts {
            requests.push(signed_by(self.submitter, from, text).await?);
        }
        let code = texts
            .first()
            .map(|(_, text)| code_of(text))
            .unwrap_or_default();
        let all: Vec<_> = requests.iter().collect();
        let batches = all.chunks(IN_A_BATCH).map(batch_of);
        let responses = self.submitter.submit_at_once(batches.collect()).await;
        let mut responses = responses.iter().flatten();
        let is_accepted = responses.any(|response| accepts(response, &code));
        Ok(is_accepted.then_some(poorest))
    }

    /// Waits for about the time of two blocks until a wallet has anything.
    pub(super) async fn await_gift(&self, wallet: WalletAddress) -> Taken<()> {
        let patience = 2 * self.submitter.longest_wait();
        let held = self.balance_when((wallet, self.token), patience, |held| held > 0);
        held.await.map(drop)
    }

    /// Submits a transfer that the wallet, the co-signer and the new wallet sign. The co-signer receives more than the fee. Before
    /// it goes one that a fourth wallet would have to sign, too.
    pub(super) async fn share_a_fee(&self) -> Taken<()> {
        let (submitter, wallet, fee) = (self.submitter, self.wallet, self.fee);
        let Some(co_signer) = &submitter.with.co_signer else {
            return Ok(());
        };
        let signers = [wallet, co_signer, self.new_wallet];
        let fourth = third_signers(submitter, [wallet, co_signer])?;
        let all = signers.map(SigningWallet::address);
        let with_fourth: Vec<_> = all.into_iter().chain(fourth.into_iter().take(1)).collect();
        let what = "a transfer that three of its four signers signed";
        let mut call = self.call(
            &signers,
            co_signer.address(),
            &json!(fee + fee / 3),
            self.token,
        );
        for (named, what) in [(with_fourth, Some(what)), (all.to_vec(), None)] {
            call["signers"] = json!(named);
            let text = written(self.token, &fee.to_string(), &call);
            let mut request = signed_by_all(submitter, &signers, &text).await?;
            if let Some(what) = what {
                request = request.wrongly_signed(what);
            }
            submitter.submit_serialized(request).await?;
        }
        Ok(())
    }

    /// Submits a transfer whose params name the co-signer, which signs nothing, as its sender. A node may refuse params that it does
    /// not know.
    async fn name_another_sender(&self, to: WalletAddress, amount: i64) -> Taken<()> {
        let (submitter, wallet) = (self.submitter, self.wallet);
        let Some(co_signer) = &submitter.with.co_signer else {
            return Ok(());
        };
        let mut call = self.call(&[wallet], to, &json!(amount), self.token);
        for name in ["sender", "from", "wallet_address"] {
            call["params"][name] = json!(co_signer.address());
        }
        let request = signed_by(submitter, wallet, &by_hand(submitter, &call)).await?;
        submitter.submit_serialized(request).await.map(drop)
    }

    /// Has a wallet spend what it receives in the same block, with a higher fee. A node may refuse that. Then it co-signs a
    /// claim of another wallet.
    pub(super) async fn spend_at_once(&self) -> Taken<()> {
        let (submitter, wallet, fee) = (self.submitter, self.wallet, self.fee);
        let Ok(keys) = KeyPair::generate() else {
            return Ok(());
        };
        let guest = SigningWallet::from(keys);
        let to = guest.address();
        self.balance(to, self.token).await?;
        let gifts = [
            (wallet, to, 5 * fee, self.token),
            (&guest, wallet.address(), 2 * fee, self.token),
        ];
        self.give(self.token, &gifts).await?;
        self.name_another_sender(to, 8 * fee).await?;
        // A node may refuse an amount that is written with a fraction, but not take it for another one.
        let more = self.call(&[wallet], to, &json!(0), self.token);
        let more = self
            .of_amount(wallet, &more, &format!("{}.0", 2 * fee))
            .await?;
        submitter.submit_serialized(more).await?;
        let has_any = |held| held > 0;
        let of_fees = (to, self.token);
        let held = self.balance_when(of_fees, submitter.patience(), has_any);
        if held.await? < fee.into() {
            return Ok(());
        }
        let asset = format!("conformance-guest-{:x}", unique());
        let call = call(self.verification, &[wallet.address(), to], &asset, REFUSED);
        let text = by_hand(submitter, &call);
        let request = signed_by_all(submitter, &[wallet, &guest], &text).await?;
        let response = submitter.submit_serialized(request).await?;
        if is_valid(&response) {
            wait_for(submitter, &response).await;
            let own = contract_state_request(self.verification, &to.to_string());
            let own = own.setting("unique_column", "verifier_address".to_owned());
            submitter.samples.node.send(own).await?;
        }
        Ok(())
    }
}
