//! The claim that a run makes. It is built, signed, submitted twice, and read back.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use futures_util::future::join;
use nodeproof_client::contract_call::CheckedTransaction;
use nodeproof_primitives::WalletAddress;
use serde_json::Value;
use tokio::time::Instant;

use super::{
    around_claim::{by_another, new_like, of_another_key, with_its_signature, with_other_remarks},
    batch::{Batch, element},
    claim_step::{NOT_ACCEPTED, NOT_SUBMITTED, Step, balance_request, no, signed_request},
    claim_values::claim_call,
    draft::{Unsigned, call_request, checked_with_time, code_of, unique, unlike},
    edit::with_digit_changed,
    further_claim::{FEE_WITH_FRACTION, FurtherClaim, HIGH_S},
    holdings::other_token,
    right::equal_forms,
    settling::{NewBlocks, Settled, blocks_around, settle, wait_for},
    shared_claim::SharedClaim,
    signatures::stranger,
    signing::{SigningWallet, Submitting},
    submitter::Submitter,
    undecided::undecided_rows,
    variant::{Cost, Variant},
    wrong::{Moment, rows_at},
};
use crate::{
    api::{
        UNKNOWN_ASSET, contract_state_request, held, in_block, is_new, is_valid, requested_index,
    },
    http::{Exchange, InconclusiveReason, Request},
};

/// Maximum number of claims of a run. Each has other values.
pub(crate) const MAX_CLAIMS: u8 = 8;

/// The number of the claim that is built before all others.
const BUILT_FIRST: u8 = FEE_WITH_FRACTION;

/// The number of the claim that a co-signer makes alone.
const OF_CO_SIGNER: u8 = MAX_CLAIMS + 1;

/// The number of the claim whose fee is offered in another token.
const IN_OTHER_TOKEN: u8 = MAX_CLAIMS + 2;

/// Forms of a submission, and the responses to them.
type Forms = Vec<(&'static Variant, Arc<Exchange>)>;

/// The results of the claim, step by step.
pub(crate) struct Claim {
    /// The call that the node was requested to build.
    pub(crate) call: Value,
    pub(crate) wallet: WalletAddress,
    pub(crate) built: Arc<Exchange>,
    /// The reason why the built transaction was not signed, if it matches the call.
    pub(crate) unsigned: Option<Unsigned>,
    /// The transaction that was signed.
    pub(crate) checked: Step<CheckedTransaction>,
    /// The signature that was submitted.
    pub(crate) entry: Option<Value>,
    /// The result of a submission that the node had to refuse, sent just before the claim.
    pub(crate) refused: Step<Refused>,
    /// The responses to the claim with a fault, sent before it. None if a wallet with a public key
    /// signs what must be refused.
    pub(crate) wrong: Vec<(&'static Variant, Step<Arc<Exchange>>)>,
    pub(crate) submitted: Step<Arc<Exchange>>,
    /// Whether one of these submissions got no response, at first or at all. It may have been the new one.
    pub(crate) is_copy_lost: bool,
    /// The response to the same submission, sent again.
    pub(crate) again: Step<Arc<Exchange>>,
    pub(crate) settled: Step<Settled>,
    /// The balance that pays the fee, just before the claim was submitted.
    pub(crate) balance: Step<Arc<Exchange>>,
    /// The responses to the same submission in other forms.
    forms: Forms,
    /// The responses to wrong submissions with the code of the claim, sent at the same moment and later.
    pub(crate) known_code: Vec<Arc<Exchange>>,
    /// The response to a transaction with the same code for a wallet without money, signed by that wallet.
    pub(crate) known_code_signed: Step<Arc<Exchange>>,
    /// The responses to the same with other codes: one that has nothing in common with the claim's, and then some that
    /// differ from it in one digit.
    pub(crate) other_codes: Vec<Arc<Exchange>>,
    /// The response to a batch of transactions that the wallet has signed, and that were refused alone.
    pub(crate) batch: Option<Batch>,
    /// The claims after the first one, if several were requested.
    pub(crate) further: Vec<FurtherClaim>,
    /// The claim of the wallet and a co-signer, if there is one. It comes last.
    pub(crate) shared: Option<Step<SharedClaim>>,
    /// Blocks of the run just before and after those of `settled`, read after all claims.
    blocks_around: Vec<Arc<Exchange>>,
    /// The claim's record, read again after all claims, if it could be read before.
    pub(crate) record_again: Option<Arc<Exchange>>,
    /// Other records, read just before the claim and once more after its own record could be read.
    pub(crate) other_records: Vec<[Arc<Exchange>; 2]>,
}

/// The result of a submission that the node had to refuse.
pub(crate) struct Refused {
    pub(crate) response: Arc<Exchange>,
    /// The state of its asset, read once the claim was settled.
    pub(crate) state: Step<Arc<Exchange>>,
}

pub(crate) async fn make(submitter: &Submitter) -> Result<Claim, InconclusiveReason> {
    let Some(wallet) = &submitter.with.wallet else {
        return no("a claim is signed with a wallet, and there is none; give one with --wallet");
    };
    let found = submitter.samples.discovered.assets.first();
    let found = found.map(|(contract, _)| contract.clone());
    let named = submitter.with.contract.map(|contract| contract.to_string());
    let fixture = &submitter.samples.discovered.fixture;
    let known = fixture.contracts.first().map(ToString::to_string);
    let Some(contract) = &named.or(known).or(found) else {
        return no(
            "no verification contract was found on the chain; name one with --contract or --fixture",
        );
    };
    let run = unique();
    // It is submitted after others that are built later.
    let early = match submitter.with.claims.get().min(MAX_CLAIMS) > BUILT_FIRST {
        true => Some(FurtherClaim::prepare(submitter, wallet, contract, BUILT_FIRST, run).await?),
        false => None,
    };
    let (asset, call) = claim_call(contract, wallet.address(), 0, run);
    let built = submitter.samples.node.send(call_request(&call)).await?;
    let mut unsigned = None;
    let checked = match unlike(&call, &built) {
        Some(what) => no(format!("nothing was signed: {what}")),
        None => match checked_with_time(&call, &built, &submitter.with) {
            Ok(checked) => Ok(checked),
            Err(reason) => {
                let told = format!("nothing was signed: {}", reason.reason());
                unsigned = Some(reason);
                no(told)
            }
        },
    };
    let mut claim = Claim {
        call,
        wallet: wallet.address(),
        built,
        unsigned,
        checked,
        entry: None,
        refused: no(NOT_SUBMITTED),
        wrong: Vec::new(),
        submitted: no(NOT_SUBMITTED),
        is_copy_lost: false,
        again: no(NOT_ACCEPTED),
        settled: no(NOT_ACCEPTED),
        balance: no(NOT_SUBMITTED),
        forms: Vec::new(),
        known_code: Vec::new(),
        known_code_signed: no(NOT_ACCEPTED),
        other_codes: Vec::new(),
        batch: None,
        further: Vec::new(),
        shared: None,
        blocks_around: Vec::new(),
        record_again: None,
        other_records: Vec::new(),
    };
    match claim.checked.clone() {
        Ok(checked) => {
            claim
                .submit(submitter, wallet, &checked, contract, &asset)
                .await?
        }
        Err(inconclusive) => claim.submitted = Err(inconclusive),
    }
    // A node that does not store one claim would make the run wait for each of them.
    let is_stored = |settled: &Settled| settled.record.is_some();
    if let (true, Some(request)) = (
        claim.settled.as_ref().is_ok_and(is_stored),
        claim
            .submitted
            .as_ref()
            .ok()
            .map(|response| response.request.clone()),
    ) {
        let signs_more = submitter.with.public_wallet.is_none() && submitter.may_pay_more();
        if signs_more {
            claim.sign_wrongly(submitter, wallet).await;
        }
        claim
            .make_others(submitter, wallet, contract, run, &request, early)
            .await?;
        if signs_more {
            claim.involve_another(submitter, wallet).await?;
        }
    }
    for further in &mut claim.further {
        if let Ok(settled) = &further.settled {
            further.record_again = read_again(submitter, settled).await;
        }
    }
    if let Ok(settled) = &claim.settled {
        claim.blocks_around = blocks_around(submitter, settled).await;
        // The fees must be paid now, if later blocks exist.
        if let Ok(balance) = &claim.balance {
            submitter.samples.node.send(balance.request.clone()).await?;
        }
        claim.record_again = read_again(submitter, settled).await;
        let code = claim.code().unwrap_or_default();
        let has_claim = |block: &&Arc<Exchange>| {
            let body = block.success_object();
            !code.is_empty() && body.is_some_and(|body| in_block(body, &code).is_some())
        };
        if let Some(block) = settled.blocks.iter().find(has_claim) {
            let _ = submitter.samples.node.send(block.request.clone()).await;
        }
    }
    Ok(claim)
}

/// Number of times that the claim is submitted at the same moment.
const COPIES: usize = 3;

/// Returns the rows for a transaction of one signer.
fn rows_of_one_signer(moment: Moment) -> impl Iterator<Item = &'static Variant> {
    let rows = rows_at(moment).into_iter();
    rows.filter(|row| !row.has_two_signers())
}

/// Maximum number of other records to compare before and after the claim.
const MAX_OTHER_RECORDS: usize = 3;

/// Reads some records that the claim is not about, and the missing record of an asset without a claim.
async fn other_records(submitter: &Submitter, contract: &str) -> Step<Vec<Arc<Exchange>>> {
    let known = submitter.samples.discovered.assets.iter();
    let known = known.map(|(contract, asset)| (contract.as_str(), asset.as_str()));
    let unclaimed = (contract, UNKNOWN_ASSET);
    let mut records = Vec::new();
    for (contract, asset) in known.take(MAX_OTHER_RECORDS).chain([unclaimed]) {
        let request = contract_state_request(contract, asset);
        records.push(submitter.samples.node.send(request).await?);
    }
    Ok(records)
}

/// Reads the record of a claim again, if it could be read before.
async fn read_again(submitter: &Submitter, settled: &Settled) -> Option<Arc<Exchange>> {
    let request = settled.record.as_ref()?.request.clone();
    submitter.samples.node.send(request).await.ok()
}

/// The remarks of the submission that the node has to refuse just before the claim.
const REFUSED_CLAIM_REMARKS: &str = "must be refused without effect";
impl Claim {
    async fn submit(
        &mut self,
        submitter: &Submitter,
        wallet: &SigningWallet,
        checked: &CheckedTransaction,
        contract: &str,
        asset: &str,
    ) -> Result<(), InconclusiveReason> {
        let text = checked.transaction_text();
        let request = match signed_request(submitter, wallet, checked).await? {
            Ok((entry, request)) => {
                self.entry = Some(entry);
                request
            }
            Err(inconclusive) => {
                self.submitted = Err(inconclusive);
                return Ok(());
            }
        };
        if submitter.with.public_wallet.is_none() && self.submit_wrongly(submitter, text).await {
            // The node may have charged the fee and stored the claim already.
            self.submitted =
                no("the claim was accepted with a wrong signature, which another case reports");
            return Ok(());
        }
        let mut blocks = NewBlocks::since(submitter.samples.discovered.tip);
        blocks.skip_to_the_latest(submitter).await?;
        let others = other_records(submitter, contract).await?;
        let refused = self.refuse_first(submitter, text).await;
        let balance = balance_request(self.wallet, text);
        self.balance = submitter.samples.node.send(balance).await;
        let entry = self.entry.clone().unwrap_or_default();
        let mut at_once = vec![with_other_remarks(text, &entry)?];
        at_once.extend(self.wrong_requests(submitter, text, Moment::AtOnce));
        let wrong = at_once.len();
        at_once.extend([(); COPIES].map(|()| request.clone()));
        // The claim and its copies are between the others.
        at_once.rotate_left(wrong / 2 + 1);
        let mut responses = submitter.submit_at_once(at_once).await;
        responses.rotate_right(wrong / 2 + 1);
        self.take_first(responses.split_off(wrong));
        self.known_code.extend(responses.into_iter().flatten());
        if matches!(self.submitted, Err(InconclusiveReason::Busy(_))) {
            self.submitted = submitter.submit_serialized(request.clone()).await;
        }
        if !self.is_accepted() {
            return Ok(());
        }
        self.again = submitter.submit_serialized(request.clone()).await;
        let until = Instant::now() + submitter.with.settle_timeout;
        let settled = settle(submitter, contract, asset, self.code(), blocks, until);
        let again = self.submit_while_pending(submitter, text);
        let (settled, (forms, wrong)) = join(settled, again).await;
        self.settled = settled;
        self.forms = forms;
        self.known_code.extend(wrong);
        for before in others {
            let again = submitter.samples.node.send(before.request.clone()).await?;
            self.other_records.push([before, again]);
        }
        if matches!(&self.settled, Ok(settled) if settled.record.is_some()) {
            let _ = submitter.submit_serialized(request).await;
        }
        self.refused = match refused {
            Ok((asset, mut refused)) => {
                let request = contract_state_request(&submitter.contract(), &asset);
                refused.state = submitter.samples.node.send(request).await;
                Ok(refused)
            }
            Err(inconclusive) => Err(inconclusive),
        };
        let wrong = self.submit_wrongly_again(submitter, text, Moment::Stored);
        let wrong = wrong.await;
        self.known_code.extend(wrong);
        let code = code_of(text);
        let with_code = async |code: &str| {
            let request = by_another(submitter, &stranger()?, text, code).await?;
            submitter.submit_serialized(request).await
        };
        self.known_code_signed = with_code(&code).await;
        let similar = [0, code.len() / 2, code.len().saturating_sub(1)];
        let similar = similar.map(|at| with_digit_changed(&code, at));
        for code in [format!("{:040x}", unique())].iter().chain(&similar) {
            self.other_codes.extend(with_code(code).await.ok());
        }
        // At a node that accepts one of these, the wallet pays a second fee.
        if submitter.may_pay_more() {
            for request in with_its_signature(text, &entry).into_iter().flatten() {
                let _ = submitter.submit_serialized(request).await;
            }
        }
        Ok(())
    }

    /// Takes the response that reports the transaction as new, or else the first one, as the one to the submission.
    fn take_first(&mut self, mut responses: Vec<Step<Arc<Exchange>>>) {
        let find = |is_it: &dyn Fn(&Exchange) -> bool| {
            let mut all = responses.iter();
            all.position(|response| response.as_ref().is_ok_and(|response| is_it(response)))
        };
        let is_first = |response: &Exchange| is_valid(response) && is_new(response) == Some(true);
        self.is_copy_lost = responses.iter().any(|response| match response {
            Ok(response) => response.is_repeated,
            Err(reason) => matches!(reason, InconclusiveReason::Transport(_)),
        });
        let place = find(&is_first).or_else(|| find(&|_| true)).unwrap_or(0);
        self.submitted = responses.swap_remove(place);
    }

    /// Makes the further claims, one of the co-signer alone, and one of both wallets. All but the last one are pending
    /// at the same time.
    async fn make_others(
        &mut self,
        submitter: &Submitter,
        wallet: &SigningWallet,
        contract: &str,
        run: u128,
        known: &Request,
        mut early: Option<FurtherClaim>,
    ) -> Result<(), InconclusiveReason> {
        let co_signer = submitter.with.co_signer.as_ref();
        let mut wallets: Vec<_> = (1..submitter.with.claims.get().min(MAX_CLAIMS))
            .map(|number| (number, wallet))
            .collect();
        let mut both_can_pay = false;
        if let Some(co_signer) = co_signer
            && self.can_pay(submitter, co_signer).await?
        {
            both_can_pay = true;
            wallets.push((OF_CO_SIGNER, co_signer));
        }
        for (number, wallet) in &wallets {
            let claim = match early.take_if(|_| *number == BUILT_FIRST) {
                Some(early) => early,
                None => FurtherClaim::prepare(submitter, wallet, contract, *number, run).await?,
            };
            self.further.push(claim);
        }
        if let Some(token) = self.other_token(submitter) {
            let with = Submitting {
                currency: Some(token),
                ..submitter.with.clone()
            };
            let claim =
                FurtherClaim::prepare_with(submitter, &with, wallet, contract, IN_OTHER_TOKEN, run);
            self.further.push(claim.await?);
            wallets.push((IN_OTHER_TOKEN, wallet));
        }
        let mut blocks = NewBlocks::since(submitter.samples.discovered.tip);
        blocks.skip_to_the_latest(submitter).await?;
        for (claim, (number, _)) in self.further.iter_mut().zip(&wallets) {
            claim.submit(submitter, *number, known).await;
        }
        if let Some(co_signer) = co_signer {
            let wallets = [wallet, co_signer];
            let made = SharedClaim::make(submitter, wallets, contract, MAX_CLAIMS).await;
            self.shared = Some(made.map(|mut made| {
                made.both_can_pay = both_can_pay;
                made
            }));
        }
        let until = Instant::now() + submitter.with.settle_timeout;
        for claim in &mut self.further {
            claim.settle(submitter, blocks.clone(), until).await;
        }
        let shared = self.shared.as_ref().and_then(|shared| shared.as_ref().ok());
        if let Some(accepted) = shared.and_then(SharedClaim::accepted) {
            wait_for(submitter, accepted).await;
        }
        Ok(())
    }

    /// Returns another token in which the wallet could pay a fee, on a network whose tokens have no value.
    fn other_token(&self, submitter: &Submitter) -> Option<String> {
        let signs_more = submitter.with.public_wallet.is_none() && submitter.may_pay_more();
        if !signs_more || !submitter.is_without_value() {
            return None;
        }
        let text = self.checked.as_ref().ok()?.transaction_text();
        let transaction: Value = serde_json::from_str(text).ok()?;
        let fee = submitter.with.fee.as_str().parse::<i128>().ok()?;
        let least = fee.checked_add(IN_OTHER_TOKEN.into())?;
        let history = submitter.samples.history();
        other_token(
            &history,
            &self.wallet.to_string(),
            transaction["currency"].as_str()?,
            least,
        )
    }

    /// Whether a wallet holds the fee of a claim.
    async fn can_pay(
        &self,
        submitter: &Submitter,
        wallet: &SigningWallet,
    ) -> Result<bool, InconclusiveReason> {
        let text = self
            .checked
            .as_ref()
            .map_err(Clone::clone)?
            .transaction_text();
        let balance = balance_request(wallet.address(), text);
        let balance = held(&*submitter.samples.node.send(balance).await?);
        let fee = submitter.with.fee.as_str().parse::<i128>();
        let most = fee.map(|fee| fee.saturating_add(OF_CO_SIGNER.into()));
        Ok(balance
            .zip(most.ok())
            .is_some_and(|(held, fee)| held.get() >= fee))
    }

    /// Submits the claim with each fault that it is submitted with first. Stops if one is accepted, and
    /// returns `true`.
    async fn submit_wrongly(&mut self, submitter: &Submitter, text: &str) -> bool {
        for wrong in rows_of_one_signer(Moment::Before) {
            let response = match self.with_row(submitter, text, wrong, Moment::Before) {
                Ok(request) => submitter.submit_serialized(request).await,
                Err(inconclusive) => Err(inconclusive),
            };
            let is_accepted = response.as_ref().is_ok_and(|response| is_valid(response));
            self.wrong.push((wrong, response));
            if is_accepted {
                return true;
            }
        }
        false
    }

    /// Submits transactions of the wallet that are wrong, although it has signed them. At a node that executes one of
    /// these, the wallet pays at most one more fee.
    async fn sign_wrongly(&mut self, submitter: &Submitter, wallet: &SigningWallet) {
        let mut has_paid = false;
        for row in rows_at(Moment::Signed) {
            let may_cost = row.cost() != Cost::Nothing;
            if (has_paid && may_cost)
                || (row.cost() > Cost::OneFee && !submitter.is_without_value())
            {
                continue;
            }
            let response = match row.signed_by(submitter, wallet).await {
                Ok(request) => submitter.submit_serialized(request).await,
                Err(inconclusive) => Err(inconclusive),
            };
            let is_accepted = response.as_ref().is_ok_and(|response| is_valid(response));
            has_paid |= may_cost && is_accepted;
            self.wrong.push((row, response));
        }
    }

    /// Submits a transaction of the co-signer with the code of the claim, and, on a network without value, transactions
    /// that a node may accept or refuse. At a node that accepts these, each costs one more fee.
    async fn involve_another(
        &mut self,
        submitter: &Submitter,
        wallet: &SigningWallet,
    ) -> Result<(), InconclusiveReason> {
        let Ok(checked) = &self.checked else {
            return Ok(());
        };
        let text = checked.transaction_text();
        let co_signer = submitter.with.co_signer.as_ref();
        if let Some(co_signer) = co_signer {
            let request = by_another(submitter, co_signer, text, &code_of(text)).await?;
            let _ = submitter.submit_serialized(request).await;
        }
        let own = self.wallet.to_string();
        let mut others = submitter.samples.discovered.wallets.iter();
        let payer = match co_signer {
            Some(co_signer) => Some(co_signer.address().to_string()),
            None => others.find(|other| **other != own).cloned(),
        };
        if submitter.is_without_value() {
            let payer = payer.and_then(|payer| payer.parse().ok());
            let (of_payer, others) = undecided_rows();
            let stranger = stranger()?.address();
            let rows = of_payer.zip(payer).into_iter();
            for (row, other) in rows.chain(others.iter().map(|row| (row, stranger))) {
                let text = new_like(text)?;
                let request = row.made_of(submitter, wallet, other, &text).await?;
                if let Ok(response) = submitter.submit_serialized(request).await
                    && is_valid(&response)
                {
                    wait_for(submitter, &response).await;
                }
            }
        }
        // A batch may be checked in another way.
        let signed = self.wrong.iter().filter(|(row, _)| {
            row.is_rightly_signed() && (row.cost() == Cost::Nothing || submitter.is_without_value())
        });
        let refused = signed.filter_map(|(row, response)| element(row, response.as_ref().ok()?));
        let refused: Vec<_> = refused.collect();
        self.batch = Batch::of_refused(submitter, &refused).await.ok();
        Ok(())
    }

    /// Submits the claim in other forms, in which what is signed is the same, and then with faults.
    async fn submit_while_pending(
        &self,
        submitter: &Submitter,
        text: &str,
    ) -> (Forms, Vec<Arc<Exchange>>) {
        let mut forms = Vec::new();
        for row in equal_forms() {
            let Ok(request) = row.of_claim(submitter, text, self.wallet, self.signature()) else {
                continue;
            };
            let response = submitter.submit_serialized(request).await;
            forms.extend(response.ok().map(|response| (row, response)));
        }
        (
            forms,
            self.submit_wrongly_again(submitter, text, Moment::Pending)
                .await,
        )
    }

    /// Returns the response to the accepted claim in another form.
    pub(crate) fn in_form(&self, what: &str) -> Option<&Arc<Exchange>> {
        let mut forms = self.forms.iter();
        forms.find_map(|(row, response)| (row.what == what).then_some(response))
    }

    /// Returns requests that submit the claim with faults once it is accepted, or at the moment when it is.
    fn wrong_requests(&self, submitter: &Submitter, text: &str, moment: Moment) -> Vec<Request> {
        let rows = rows_of_one_signer(moment);
        // At a node that executes one of these, the wallet may pay a second fee.
        let rows = rows.filter(|row| submitter.may_pay_more() || row.names_only_the_payer());
        rows.filter_map(|row| self.with_row(submitter, text, row, moment).ok())
            .collect()
    }

    async fn submit_wrongly_again(
        &self,
        submitter: &Submitter,
        text: &str,
        moment: Moment,
    ) -> Vec<Arc<Exchange>> {
        let mut responses = Vec::new();
        for request in self.wrong_requests(submitter, text, moment) {
            responses.extend(submitter.submit_serialized(request).await.ok());
        }
        responses
    }

    /// Returns the signature that was submitted.
    fn signature(&self) -> &str {
        let entry = self.entry.as_ref();
        let signature = entry.and_then(|entry| entry["msgsign"].as_str());
        signature.unwrap_or_default()
    }

    /// Returns the request that submits the claim with this fault.
    fn with_row(
        &self,
        submitter: &Submitter,
        text: &str,
        wrong: &Variant,
        moment: Moment,
    ) -> Result<Request, InconclusiveReason> {
        let request = wrong.of_claim(submitter, text, self.wallet, self.signature())?;
        Ok(request.wrongly_signed(format!("{}{}", wrong.what, moment.ending())))
    }

    /// Returns the further claim that was submitted with the higher value of s first.
    pub(crate) fn with_high_s(&self) -> Option<&FurtherClaim> {
        self.further.get(usize::from(HIGH_S - 1))
    }

    /// Returns the further claim that was submitted with a fraction in its fee first.
    pub(crate) fn with_fee_fraction(&self) -> Option<&FurtherClaim> {
        self.further.get(usize::from(FEE_WITH_FRACTION - 1))
    }

    /// Returns the blocks that were made during the run, around the claim and later, by index.
    pub(crate) fn new_blocks(&self) -> BTreeMap<u64, &Arc<Exchange>> {
        let settled = self.all_settled().flat_map(|settled| &settled.blocks);
        let blocks = settled.chain(&self.blocks_around);
        blocks
            .filter_map(|block| Some((requested_index(&block.request)?, block)))
            .collect()
    }

    /// Returns the transaction codes of the claim and the further ones.
    pub(crate) fn codes(&self) -> BTreeSet<String> {
        let further = self.further.iter().map(|further| further.code.clone());
        [self.code()].into_iter().chain(further).flatten().collect()
    }

    /// Returns the accepted submissions of the claim and the further ones, with what was read until they were
    /// settled.
    pub(crate) fn accepted(&self) -> impl Iterator<Item = (&Arc<Exchange>, &Settled)> {
        let further = self.further.iter();
        let further = further.map(|further| (&further.submitted, &further.settled));
        [(&self.submitted, &self.settled)]
            .into_iter()
            .chain(further)
            .filter_map(|(submitted, settled)| {
                Some((submitted.as_ref().ok()?, settled.as_ref().ok()?))
            })
            .filter(|(submitted, _)| is_valid(submitted))
    }

    /// Returns the responses that the run read while it waited for its claims, the first claim's first.
    pub(crate) fn all_settled(&self) -> impl Iterator<Item = &Settled> {
        let further = self.further.iter().map(|further| &further.settled);
        [&self.settled].into_iter().chain(further).flatten()
    }

    /// Whether the node accepted the claim.
    pub(crate) fn is_accepted(&self) -> bool {
        self.submitted
            .as_ref()
            .is_ok_and(|response| is_valid(response))
    }

    /// Returns the response to the claim with this fault, if it was accepted, or if the claim itself was
    /// accepted later.
    pub(crate) fn with_fault(&self, what: &str) -> Option<&Arc<Exchange>> {
        let shared = self.shared.as_ref().and_then(|shared| shared.as_ref().ok());
        if let Some(response) = shared.and_then(|shared| shared.with_fault(what)) {
            return Some(response);
        }
        let (_, response) = self.wrong.iter().find(|(known, _)| known.what == what)?;
        let response = response.as_ref().ok()?;
        (self.is_accepted() || is_valid(response)).then_some(response)
    }

    /// Submits a claim that another key signed, which must have no effect. Returns its asset and the result.
    async fn refuse_first(&self, submitter: &Submitter, text: &str) -> Step<(String, Refused)> {
        let (asset, _, request) =
            of_another_key(submitter, self.wallet, REFUSED_CLAIM_REMARKS).await?;
        // It may cost nothing.
        let before = balance_request(self.wallet, text);
        submitter.samples.node.send(before).await?;
        let response = submitter.submit_serialized(request).await?;
        let refused = Refused {
            response,
            state: no(NOT_ACCEPTED),
        };
        Ok((asset, refused))
    }

    /// Returns the transaction code, or `None` if it is missing or empty.
    pub(crate) fn code(&self) -> Option<String> {
        let code = code_of(self.checked.as_ref().ok()?.transaction_text());
        (!code.is_empty()).then_some(code)
    }
}
