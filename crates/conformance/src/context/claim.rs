//! The claims that a run makes. The first one is built, signed, submitted in many ways, and read back.

use std::sync::Arc;

use futures_util::future::join;
use nodeproof_primitives::WalletAddress;
use serde_json::Value;
use tokio::time::Instant;

use super::{
    around_claim::{
        by_another, new_like, of_another_key, of_old_blocks, signed_by, with_its_signature,
        with_more_fee, with_new_code, with_other_remarks,
    },
    batch::{element, submit_refused},
    claim_step::{Signed, balance_request, currency_of, no_sample, signed_call},
    claim_values::{claim_call, own_type, take_second_values},
    crowd::claim_as_many,
    draft::{Unsigned, code_of, unique},
    edit::{altered, with_digit_changed},
    further_claim::{FurtherClaim, submit_at_once, submit_in_batch},
    gifts::transfer_to_itself,
    holdings::{holders_of, other_token},
    right::equal_forms,
    shared_claim::make_shared,
    signatures::stranger,
    signing::{SigningWallet, Submitting},
    submitter::{COPIES, Response, Submitter},
    transfers::{Transfers, transfer_and_overspend},
    undecided::undecided_rows,
    variant::{Cost, Variant},
    waiting::{NewBlocks, read_blocks_around, settle, text_of, wait_for, wait_for_all},
    wrong::{Moment, rows_at},
};
use crate::{
    api::{UNKNOWN_ASSET, contract_state_request, held, in_block, is_valid, token_holders_request},
    history::{
        Claims, FEE_WITH_FRACTION, IN_OTHER_TOKEN, MAX_CLAIMS, OF_CO_SIGNER, OF_SAME_ASSET, SHARED,
        Settled,
    },
    http::{Act, Exchange, InconclusiveReason, Request, Step, Wording},
};

/// The number of the claim that is built before all others.
const BUILT_FIRST: u8 = FEE_WITH_FRACTION;

/// What is added to the fees of claims about the same asset, and of what a node may refuse. It is more than what the other
/// claims add.
const FEES_OF_SAME_ASSET: u64 = 20;
const FEES_OF_UNDECIDED: u64 = 30;

/// Maximum number of other records to compare before and after the claim.
const MAX_OTHER_RECORDS: usize = 3;

/// The remarks of the submission that the node has to refuse just before the claim.
const REFUSED_CLAIM_REMARKS: &str = "must be refused without effect";

/// Makes the claims of a run. The history has the responses.
pub(super) async fn make(submitter: &Submitter) -> Result<(), InconclusiveReason> {
    let Some(wallet) = &submitter.with.wallet else {
        return no_sample(
            "a claim is signed with a wallet, and there is none; give one with --wallet",
        );
    };
    let found = submitter.samples.discovered.assets.first();
    let found = found.map(|(contract, _)| contract.clone());
    let named = submitter.with.contract.map(|contract| contract.to_string());
    let fixture = &submitter.samples.discovered.fixture;
    let known = fixture.contracts.first().map(ToString::to_string);
    let Some(contract) = named.or(known).or(found) else {
        return no_sample(
            "no verification contract was found on the chain; name one with --contract or --fixture",
        );
    };
    let run = unique();
    // It is submitted after others that are built later.
    let early = match submitter.with.claims.get().min(MAX_CLAIMS) > BUILT_FIRST {
        true => Some(FurtherClaim::prepare(submitter, wallet, &contract, BUILT_FIRST, run).await?),
        false => None,
    };
    let Some(first) = FirstClaim::build(submitter, wallet, contract, run).await? else {
        return Ok(());
    };
    Box::pin(first.submit()).await?;
    let claims = first.claims();
    let Ok(settled) = claims.first().settled() else {
        return Ok(());
    };
    // A node that does not store one claim would make the run wait for each of them.
    if settled.record.is_some() {
        if submitter.signs_more() {
            first.sign_wrongly().await;
        }
        Box::pin(first.make_others(run, early)).await?;
        if submitter.signs_more() {
            Box::pin(first.involve_another()).await?;
        }
        // If the node shows no balance, it would make the run wait for what each transfer does.
        if let Some(new_wallet) = submitter.new_wallet()
            && matches!(first.balance_of(wallet).await, Ok(Some(_)))
        {
            first.read_holders().await;
            let (wallets, token) = ([wallet, new_wallet], currency_of(&first.signed.text));
            let transfers = || Transfers::of(submitter, wallets, &first.contract, &token);
            let _ = Box::pin(transfer_and_overspend(transfers(), run)).await;
            let _ = Box::pin(claim_as_many(&transfers(), &first.signed.text)).await;
        }
    }
    first.read_again(&settled).await
}

/// Returns the rows for a transaction of one signer.
fn rows_of_one_signer(moment: Moment) -> impl Iterator<Item = &'static Variant> {
    let rows = rows_at(moment).into_iter();
    rows.filter(|row| !row.has_two_signers())
}

/// The first claim of a run, once it is signed.
struct FirstClaim<'s> {
    submitter: &'s Submitter,
    wallet: &'s SigningWallet,
    contract: String,
    signed: Signed,
}

impl<'s> FirstClaim<'s> {
    /// Has the node build the claim, and signs it. Returns `None` if it was not signed.
    async fn build(
        submitter: &'s Submitter,
        wallet: &'s SigningWallet,
        contract: String,
        run: u128,
    ) -> Result<Option<Self>, InconclusiveReason> {
        let step = |act| Step::Claim(0, act);
        let call = claim_call(&contract, wallet.address(), 0, run);
        let build = Some(step(Act::Build));
        let with = |_: &Exchange| submitter.with.clone();
        match signed_call(submitter, &[wallet], &call, build, with)
            .await?
            .1
        {
            Ok(signed) => Ok(Some(Self {
                submitter,
                wallet,
                contract,
                signed,
            })),
            Err(unsigned) => {
                let reason = unsigned.reason();
                let act = match &unsigned {
                    Unsigned::Contradicts(_) => Some(Act::Compare),
                    Unsigned::Unchecked(_) => Some(Act::Check),
                    _ => None,
                };
                if let Some(act) = act {
                    submitter.skip(step(act), reason);
                }
                submitter.skip(step(Act::Submit), format!("nothing was signed: {reason}"));
                Ok(None)
            }
        }
    }

    fn claims(&self) -> Claims {
        Claims::of(self.submitter.samples.history())
    }

    /// Sends a request as a step of this claim.
    async fn send(&self, act: Act, request: Request) -> Response {
        let request = request.for_step(Step::Claim(0, act));
        self.submitter.samples.node.send(request).await
    }

    /// Submits as a step of this claim.
    async fn submit_as(&self, act: Act, request: Request) -> Response {
        let request = request.for_step(Step::Claim(0, act));
        self.submitter.submit_serialized(request).await
    }

    async fn submit(&self) -> Result<(), InconclusiveReason> {
        let submitter = self.submitter;
        if submitter.with.public_wallet.is_none() && self.submit_wrongly().await {
            // The node may have charged the fee and stored the claim already.
            let reason =
                "the claim was accepted with a wrong signature, which another case reports";
            submitter.skip(Step::Claim(0, Act::Submit), reason);
            return Ok(());
        }
        let mut blocks = NewBlocks::since(submitter.samples.discovered.tip);
        blocks.skip_to_the_latest(submitter).await?;
        let others = self.read_other_records().await?;
        self.ask_by_other_columns().await;
        let _ = self.refuse_first().await;
        let balance = balance_request(self.wallet.address(), &self.signed.text);
        let _ = self.send(Act::Balance, balance).await;
        // It receives something later.
        if let Some(new_wallet) = submitter.new_wallet() {
            let balance = balance_request(new_wallet.address(), &self.signed.text);
            let _ = submitter.samples.node.send(balance).await;
        }
        self.submit_at_once().await?;
        if !self.claims().first().is_accepted() {
            return Ok(());
        }
        let _ = self
            .submit_as(Act::Again, self.signed.request.clone())
            .await;
        let until = Instant::now() + submitter.patience();
        let submission = self.signed.request.body.as_deref().unwrap_or_default();
        let settled = settle(submitter, 0, submission, &mut blocks, until);
        join(settled, self.submit_while_pending()).await;
        for request in others {
            self.send(Act::OtherRecord, request).await?;
        }
        let is_stored = |settled: Settled<'_>| settled.record.is_some();
        if self.claims().first().settled().is_ok_and(is_stored) {
            let _ = self
                .submit_as(Act::Again, self.signed.request.clone())
                .await;
        }
        self.submit_wrongly_again(Moment::Stored).await;
        self.submit_with_similar_codes().await?;
        // At a node that accepts one of these, the wallet pays a second fee.
        if submitter.may_pay_more() {
            let others = with_its_signature(&self.signed.text, &self.signed.entries[0]);
            for request in others.into_iter().flatten() {
                let _ = submitter.submit_serialized(request).await;
            }
        }
        Ok(())
    }

    /// Submits the claim several times at the same moment, between wrong submissions with its code.
    async fn submit_at_once(&self) -> Result<(), InconclusiveReason> {
        let wrong = with_other_remarks(&self.signed.text, &self.signed.entries[0])?;
        let mut at_once = vec![wrong.for_step(Step::Claim(0, Act::KnownCode))];
        at_once.extend(self.wrong_requests(Moment::AtOnce));
        // The other remarks come after the claim.
        let later = at_once.len() / 2 + 1;
        at_once.rotate_left(later);
        let place = at_once.len() - later;
        let request = || {
            self.signed
                .request
                .clone()
                .for_step(Step::Claim(0, Act::Submit))
        };
        at_once.splice(place..place, [(); COPIES].map(|()| request()));
        let responses = self.submitter.submit_at_once(at_once).await;
        let is_busy = |response: &Response| matches!(response, Err(InconclusiveReason::Busy(_)));
        if self.claims().first().get(Act::Submit).is_err() && responses.iter().any(is_busy) {
            let _ = self
                .submit_as(Act::Submit, self.signed.request.clone())
                .await;
        }
        Ok(())
    }

    /// Submits transactions of a wallet without money that have the code of the claim, another one, and similar ones.
    async fn submit_with_similar_codes(&self) -> Result<(), InconclusiveReason> {
        let code = code_of(&self.signed.text);
        let similar = [0, code.len() / 2, code.len().saturating_sub(1)];
        let similar = similar.map(|at| (Act::SimilarCode, with_digit_changed(&code, at)));
        let other = (Act::OtherCode, format!("{:040x}", unique()));
        for (act, code) in [(Act::OfAnother, code.clone()), other]
            .into_iter()
            .chain(similar)
        {
            let request =
                by_another(self.submitter, &stranger()?, &self.signed.text, &code).await?;
            let _ = self.submit_as(act, request).await;
        }
        Ok(())
    }

    /// Makes the further claims, one of the co-signer alone, and one of both wallets. All but the last one are pending
    /// at the same time.
    async fn make_others(
        &self,
        run: u128,
        mut early: Option<FurtherClaim>,
    ) -> Result<(), InconclusiveReason> {
        let (submitter, wallet, contract) = (self.submitter, self.wallet, &self.contract);
        let co_signer = submitter.with.co_signer.as_ref();
        let mut wallets: Vec<_> = (1..submitter.with.claims.get().min(MAX_CLAIMS))
            .map(|number| (number, wallet))
            .collect();
        if let Some(co_signer) = co_signer
            && self.can_pay(co_signer).await?
        {
            wallets.push((OF_CO_SIGNER, co_signer));
        }
        self.read_holders().await;
        let mut further = Vec::new();
        for (number, wallet) in &wallets {
            further.push(match early.take_if(|_| *number == BUILT_FIRST) {
                Some(early) => early,
                None => FurtherClaim::prepare(submitter, wallet, contract, *number, run).await?,
            });
        }
        if let Some(token) = self.other_token() {
            let with = Submitting {
                currency: Some(token),
                ..submitter.with.clone()
            };
            let number = IN_OTHER_TOKEN;
            further.push(
                FurtherClaim::prepare_with(submitter, &with, wallet, contract, number, run).await?,
            );
        }
        // If the second one is refused when its block is made, the others must still get into a block.
        let claimed_twice = self.claim_twice().await.ok().flatten();
        let mut blocks = NewBlocks::since(submitter.samples.discovered.tip);
        blocks.skip_to_the_latest(submitter).await?;
        if let Some(new_wallet) = submitter.new_wallet() {
            // A block may have it before the claims.
            let token = currency_of(&self.signed.text);
            let transfers = Transfers::of(submitter, [wallet, new_wallet], contract, &token);
            let _ = transfer_to_itself(transfers).await;
        }
        submit_at_once(submitter, &mut further).await;
        submit_in_batch(submitter, &mut further, &self.signed.request).await;
        for claim in &mut further {
            claim.submit(submitter).await;
        }
        let until = Instant::now() + submitter.patience();
        for claim in &further {
            claim.settle(submitter, &mut blocks, until).await;
        }
        if let Some(co_signer) = co_signer {
            // A node may keep the balance that was read last.
            let balance = balance_request(co_signer.address(), &self.signed.text);
            let _ = submitter.samples.node.send(balance).await;
            self.read_holders().await;
            let shared = make_shared(submitter, [wallet, co_signer], contract).await;
            if let Some(accepted) = shared {
                let until = Instant::now() + submitter.patience();
                settle(submitter, SHARED, text_of(&accepted), &mut blocks, until).await;
            }
        }
        if submitter.is_without_value() && submitter.may_pay_more() {
            self.claim_same_asset(run).await?;
        }
        if let Some(record) = claimed_twice {
            let _ = submitter.samples.node.send(record).await;
        }
        Ok(())
    }

    /// Reads what all wallets hold of the fee's token. It shows whether somebody has received the fees so far.
    async fn read_holders(&self) {
        let request = token_holders_request(&currency_of(&self.signed.text));
        let _ = self.submitter.samples.node.send(request).await;
    }

    /// Makes one more claim, about the asset that the co-signer has claimed. A node may refuse it.
    async fn claim_same_asset(&self, run: u128) -> Result<(), InconclusiveReason> {
        let claims = self.claims();
        let first = claims
            .get(OF_CO_SIGNER)
            .and_then(|claim| claim.settled().ok());
        if first.is_none_or(|settled| settled.record.is_none()) {
            return Ok(());
        }
        let (submitter, number) = (self.submitter, OF_SAME_ASSET);
        let claim = FurtherClaim::prepare(submitter, self.wallet, &self.contract, number, run);
        let mut claim = claim.await?;
        let read = async |of: u8| {
            let request = contract_state_request(&self.contract, &own_type(of, run))
                .setting("unique_column", "asset_type".to_owned())
                .for_step(Step::Claim(number, Act::OtherRecord));
            submitter.samples.node.send(request).await
        };
        let mut blocks = NewBlocks::since(submitter.samples.discovered.tip);
        blocks.skip_to_the_latest(submitter).await?;
        let _ = read(OF_CO_SIGNER).await;
        claim.submit(submitter).await;
        let until = Instant::now() + submitter.patience();
        claim.settle(submitter, &mut blocks, until).await;
        // By their asset, a node may show one of them.
        for of in [OF_CO_SIGNER, number] {
            let _ = read(of).await;
        }
        Ok(())
    }

    /// Returns another token in which the wallet could pay a fee, on a network whose tokens have no value.
    fn other_token(&self) -> Option<String> {
        let submitter = self.submitter;
        if !submitter.signs_more() || !submitter.is_without_value() {
            return None;
        }
        let fee = submitter.with.fee.as_str().parse::<i128>().ok()?;
        let least = fee.checked_add(IN_OTHER_TOKEN.into())?;
        let wallet = self.wallet.address().to_string();
        let history = submitter.samples.history();
        other_token(&history, &wallet, &currency_of(&self.signed.text), least)
    }

    /// Whether a wallet holds the fee of a claim.
    async fn can_pay(&self, wallet: &SigningWallet) -> Result<bool, InconclusiveReason> {
        let balance = self.balance_of(wallet).await?;
        let fee = self.submitter.with.fee.as_str().parse::<i128>();
        let most = fee.map(|fee| fee.saturating_add(OF_CO_SIGNER.into()));
        Ok(balance
            .zip(most.ok())
            .is_some_and(|(held, fee)| held >= fee))
    }

    /// Returns what a wallet holds of the fee's token, or `None` if the response shows no balance.
    async fn balance_of(&self, wallet: &SigningWallet) -> Result<Option<i128>, InconclusiveReason> {
        let balance = balance_request(wallet.address(), &self.signed.text);
        let balance = self.submitter.samples.node.send(balance).await?;
        Ok(held(&balance).map(|held| held.get()))
    }

    /// Submits the claim with each fault that it is submitted with first. Stops if one is accepted, and
    /// returns `true`.
    async fn submit_wrongly(&self) -> bool {
        for wrong in rows_of_one_signer(Moment::Before) {
            let Some(request) = self.with_row(wrong, Moment::Before) else {
                continue;
            };
            let response = self.submitter.submit_serialized(request).await;
            if response.is_ok_and(|response| is_valid(&response)) {
                return true;
            }
        }
        false
    }

    /// Submits transactions of the wallet that are wrong, although it has signed them. At a node that executes one of
    /// these, the wallet pays at most one more fee.
    async fn sign_wrongly(&self) {
        let mut has_paid = false;
        for row in rows_at(Moment::Signed) {
            let may_cost = row.cost() != Cost::Nothing;
            if (has_paid && may_cost)
                || (row.cost() > Cost::OneFee && !self.submitter.is_without_value())
            {
                continue;
            }
            let act = Act::Row(row.what.clone());
            match row.signed_by(self.submitter, self.wallet).await {
                Ok(mut request) => {
                    if row.is_wrongly_signed() {
                        request = request.wrongly_signed(&*row.what);
                    }
                    let response = self.submit_as(act, request).await;
                    has_paid |= may_cost && response.is_ok_and(|response| is_valid(&response));
                }
                Err(reason) => self.submitter.skip(Step::Claim(0, act), reason),
            }
        }
    }

    /// Submits a transaction of the co-signer with the code of the claim, and, on a network without value, transactions
    /// that a node may accept or refuse. At a node that accepts these, each costs one more fee.
    async fn involve_another(&self) -> Result<(), InconclusiveReason> {
        let submitter = self.submitter;
        self.submit_co_signers_with_its_code().await?;
        if submitter.is_without_value() {
            for request in of_old_blocks(&submitter.samples.history()) {
                submitter.submit_serialized(request).await?;
            }
            self.submit_undecided(self.other_payer()).await?;
        }
        // A batch may be checked in another way.
        let claims = self.claims();
        let signed = rows_at(Moment::Signed).into_iter().filter(|row| {
            row.is_rightly_signed() && (row.cost() == Cost::Nothing || submitter.is_without_value())
        });
        let refused = signed.filter_map(|row| element(row, claims.first().of_row(&row.what)?));
        let _ = submit_refused(submitter, &refused.collect::<Vec<_>>()).await;
        Ok(())
    }

    /// Returns another wallet that can pay. One that signs nothing in this run shows best who pays.
    fn other_payer(&self) -> Option<WalletAddress> {
        let submitter = self.submitter;
        let co_signer = submitter
            .with
            .co_signer
            .as_ref()
            .map(SigningWallet::address);
        let fee = submitter.with.fee.as_str().parse::<i128>().ok()?;
        let history = submitter.samples.history();
        let holders = holders_of(&history, &currency_of(&self.signed.text), fee);
        let mut holders = holders.into_iter().filter_map(|holder| holder.parse().ok());
        let mut known = submitter.samples.discovered.wallets.iter();
        let own = self.wallet.address();
        holders
            .find(|holder| *holder != own && Some(*holder) != co_signer)
            .or(co_signer)
            .or_else(|| known.find_map(|other| other.parse().ok().filter(|other| *other != own)))
    }

    /// Submits transactions that a node may accept or refuse. `payer` is another wallet that can pay.
    async fn submit_undecided(
        &self,
        payer: Option<WalletAddress>,
    ) -> Result<(), InconclusiveReason> {
        let (of_payer, others) = undecided_rows();
        let stranger = stranger()?.address();
        let payer = of_payer.iter().filter_map(|row| Some((row, payer?)));
        let all = payer.chain(others.iter().map(|row| (row, stranger)));
        let mut accepted = Vec::new();
        for (more, (row, other)) in (FEES_OF_UNDECIDED..).zip(all) {
            let text = with_more_fee(&new_like(&self.signed.text)?, more)?;
            let request = row
                .made_of(self.submitter, self.wallet, other, &text)
                .await?;
            let response = self.submitter.submit_serialized(request).await;
            let claim = response.ok().filter(|response| is_valid(response));
            accepted.extend(claim.filter(|_| row.is_a_claim()));
        }
        wait_for_all(self.submitter, &accepted).await;
        Ok(())
    }

    /// Makes a claim, and submits another one about the same asset with other values, on a network without value. A node
    /// may refuse that one, which then costs nothing. Returns the request for their record.
    async fn claim_twice(&self) -> Result<Option<Request>, InconclusiveReason> {
        let submitter = self.submitter;
        if !submitter.signs_more() || !submitter.is_without_value() {
            return Ok(None);
        }
        let first = new_like(&self.signed.text)?;
        let request = signed_by(submitter, self.wallet, &first).await?;
        let response = submitter.submit_serialized(request).await?;
        if !is_valid(&response) {
            return Ok(None);
        }
        let record = wait_for(submitter, &response).await;
        let second = altered(&with_new_code(&first)?, |transaction| {
            take_second_values(&mut transaction["specific_data"]["params"]);
        })?;
        // The third one names a wallet that does not sign. A table has the same for an asset without a claim.
        let another = stranger()?.address().to_string();
        let third = altered(&with_new_code(&second)?, |transaction| {
            transaction["specific_data"]["params"]["verifier_address"] = another.into();
        })?;
        for (more, text) in (FEES_OF_SAME_ASSET..).zip([second, third]) {
            let text = with_more_fee(&text, more)?;
            let request = signed_by(submitter, self.wallet, &text).await?;
            submitter.submit_serialized(request).await?;
        }
        Ok(record)
    }

    /// Submits the claim in other forms, in which what is signed is the same, and then with faults.
    async fn submit_while_pending(&self) {
        // A pending transaction is not replaced by another one with its code.
        let _ = self.submit_co_signers_with_its_code().await;
        for row in equal_forms() {
            let wallet = self.wallet.address();
            let form = row.of_claim(
                self.submitter,
                &self.signed.text,
                wallet,
                self.signed.signature(),
            );
            if let Ok(request) = form {
                let _ = self.submit_as(Act::Row(row.what.clone()), request).await;
            }
        }
        // Libraries write the same request with other headers.
        for wording in [
            Wording::Charset,
            Wording::FromPage,
            Wording::Expecting,
            Wording::Chunked,
        ] {
            let again = self.signed.request.clone().worded(wording);
            let _ = self.submit_as(Act::Again, again).await;
        }
        self.submit_wrongly_again(Moment::Pending).await;
    }

    /// Submits a transaction of the co-signer with the code of the claim.
    async fn submit_co_signers_with_its_code(&self) -> Result<(), InconclusiveReason> {
        let (submitter, text) = (self.submitter, &self.signed.text);
        if let Some(co_signer) = &submitter.with.co_signer
            && submitter.signs_more()
        {
            let request = by_another(submitter, co_signer, text, &code_of(text)).await?;
            let _ = submitter.submit_serialized(request).await;
        }
        Ok(())
    }

    /// Returns requests that submit the claim with faults once it is accepted, or at the moment when it is.
    fn wrong_requests(&self, moment: Moment) -> Vec<Request> {
        let rows = rows_of_one_signer(moment);
        // At a node that executes one of these, the wallet may pay a second fee.
        let rows = rows.filter(|row| self.submitter.may_pay_more() || row.names_only_the_payer());
        rows.filter_map(|row| self.with_row(row, moment)).collect()
    }

    async fn submit_wrongly_again(&self, moment: Moment) {
        for request in self.wrong_requests(moment) {
            let _ = self.submitter.submit_serialized(request).await;
        }
    }

    /// Returns the request that submits the claim with this fault.
    fn with_row(&self, wrong: &Variant, moment: Moment) -> Option<Request> {
        let step = Step::Claim(
            0,
            match moment {
                Moment::Before => Act::Row(wrong.what.clone()),
                _ => Act::KnownCode,
            },
        );
        let wallet = self.wallet.address();
        match wrong.of_claim(
            self.submitter,
            &self.signed.text,
            wallet,
            self.signed.signature(),
        ) {
            Ok(request) => {
                let what = format!("{}{}", wrong.what, moment.ending());
                Some(request.for_step(step).wrongly_signed(what))
            }
            Err(reason) => {
                self.submitter.skip(step, reason);
                None
            }
        }
    }

    /// Reads some records that the claim is not about, and the missing record of an asset without a claim. Returns the
    /// requests.
    async fn read_other_records(&self) -> Result<Vec<Request>, InconclusiveReason> {
        let known = self.submitter.samples.discovered.assets.iter();
        let known = known.map(|(contract, asset)| (contract.as_str(), asset.as_str()));
        let unclaimed = (self.contract.as_str(), UNKNOWN_ASSET);
        let all = known.take(MAX_OTHER_RECORDS).chain([unclaimed]);
        let requests: Vec<_> = all
            .map(|(contract, asset)| contract_state_request(contract, asset))
            .collect();
        for request in &requests {
            self.send(Act::OtherRecord, request.clone()).await?;
        }
        Ok(requests)
    }

    /// Requests the claim's record by other columns, before there is one. A node must not remember that.
    async fn ask_by_other_columns(&self) {
        let transaction: Value = serde_json::from_str(&self.signed.text).unwrap_or_default();
        for column in ["asset_type", "deletable_after", "verifier_address"] {
            let value = match &transaction["specific_data"]["params"][column] {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            let request = contract_state_request(&self.contract, &value)
                .setting("unique_column", column.to_owned());
            let _ = self.submitter.samples.node.send(request).await;
        }
    }

    /// Submits a claim that another key signed, which must have no effect.
    async fn refuse_first(&self) -> Response {
        let wallet = self.wallet.address();
        let (_, request) = of_another_key(self.submitter, wallet, REFUSED_CLAIM_REMARKS).await?;
        // It may cost nothing.
        let before = balance_request(wallet, &self.signed.text);
        self.submitter.samples.node.send(before).await?;
        self.submitter.submit_serialized(request).await
    }

    /// Reads once more what the claims changed, after all of them.
    async fn read_again(&self, settled: &Settled<'_>) -> Result<(), InconclusiveReason> {
        let node = &self.submitter.samples.node;
        // A node may keep what it has built.
        let _ = node.send(self.submitter.samples.call_request()).await;
        read_blocks_around(self.submitter, settled).await;
        // The fees must be paid now, if later blocks exist.
        node.send(balance_request(self.wallet.address(), &self.signed.text))
            .await?;
        // Nobody has claimed anything in its name.
        let of_another = contract_state_request(&self.contract, &stranger()?.address().to_string());
        let of_another = of_another.setting("unique_column", "verifier_address".to_owned());
        let _ = node.send(of_another).await;
        for claim in self.claims().all() {
            if let Ok(Settled {
                record: Some(record),
                ..
            }) = claim.settled()
            {
                let request = record.request.clone();
                let _ = node
                    .send(request.for_step(claim.step(Act::RecordAgain)))
                    .await;
            }
        }
        let code = code_of(&self.signed.text);
        let has_claim = |block: &&&Arc<Exchange>| {
            let body = block.success_object();
            !code.is_empty() && body.is_some_and(|body| in_block(body, &code).is_some())
        };
        if let Some(block) = settled.blocks.iter().find(has_claim) {
            let _ = node.send(block.request.clone()).await;
        }
        Ok(())
    }
}
