//! The claim that a run makes. It is built, signed, submitted twice, and read back.

use std::{sync::Arc, time::Duration};

use nodeproof_client::contract_call::CheckedTransaction;
use nodeproof_primitives::WalletAddress;
use serde_json::Value;
use tokio::time::Instant;

use super::{
    claim_values::claim_call,
    draft::{Unsigned, call_request, checked_with_time, code_of, unlike},
    refusal::{self, Refusal},
    shared_claim::SharedClaim,
    signing::SigningWallet,
    submitter::Submitter,
};
use crate::{
    api::{
        IndexSearch, block_request, contract_state_request, in_block, is_valid,
        lists_no_transaction, lists_transactions, reported_index, stored, token_balance_request,
    },
    http::{BackOff, Exchange, InconclusiveReason, Request},
};

/// The first pause between two requests for the claim. Each pause is twice the previous one.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// The longest pause between two requests.
const MAX_PAUSE: Duration = Duration::from_secs(2);
/// Maximum number of blocks to read in search of the claim.
const MAX_BLOCKS: usize = 200;
/// Number of new blocks after which a longer wait for the record cannot help.
const MIN_NEW_BLOCKS: usize = 2;

/// Maximum number of claims of a run. Each has other values.
pub(crate) const MAX_CLAIMS: u8 = 4;

/// The result of a step, or the reason why it was not taken.
type Step<T> = Result<T, InconclusiveReason>;

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
    pub(crate) wrong: Vec<(Refusal, Step<Arc<Exchange>>)>,
    pub(crate) submitted: Step<Arc<Exchange>>,
    /// The response to the same submission, sent again.
    pub(crate) again: Step<Arc<Exchange>>,
    pub(crate) settled: Step<Settled>,
    /// The balance that pays the fee, just before the claim was submitted.
    pub(crate) balance: Step<Arc<Exchange>>,
    /// The same balance before the claim, after it, and once more.
    pub(crate) balances: Step<[Arc<Exchange>; 3]>,
    /// The response to the same submission, sent again once the claim could be read.
    pub(crate) resubmitted_later: Step<Arc<Exchange>>,
    /// The response to a transaction with the same code and other params, sent once the claim could be read.
    pub(crate) known_code: Step<Arc<Exchange>>,
    /// The response to a transaction with the same code for a wallet without money, signed by that wallet.
    pub(crate) known_code_signed: Step<Arc<Exchange>>,
    /// The claims after the first one, if several were requested.
    pub(crate) further: Vec<FurtherClaim>,
    /// The claim of the wallet and a co-signer, if there is one. It comes last.
    pub(crate) shared: Option<Step<SharedClaim>>,
}

/// A claim after the first one, with other values. It is submitted once.
pub(crate) struct FurtherClaim {
    /// The call that the node was requested to build.
    pub(crate) call: Value,
    pub(crate) built: Arc<Exchange>,
    /// The balance that pays the fee, just before the claim was submitted.
    pub(crate) balance: Step<Arc<Exchange>>,
    pub(crate) submitted: Step<Arc<Exchange>>,
    pub(crate) settled: Step<Settled>,
    /// The transaction code, or `None` if the transaction was not signed.
    pub(crate) code: Option<String>,
}

/// The result of a submission that the node had to refuse.
pub(crate) struct Refused {
    pub(crate) response: Arc<Exchange>,
    /// The balance that would pay a fee, before and after the submission.
    pub(crate) balances: (Arc<Exchange>, Arc<Exchange>),
    /// The state of its asset, read once the claim was settled.
    pub(crate) state: Step<Arc<Exchange>>,
}

/// The responses that were read while the run waited for the claim.
pub(crate) struct Settled {
    /// The response that has the record.
    pub(crate) record: Option<Arc<Exchange>>,
    /// Whether the record could be read although no block had been made since the claim was submitted, and
    /// one was made later.
    pub(crate) record_before_block: bool,
    /// The last response without the record.
    pub(crate) without: Option<Arc<Exchange>>,
    /// The blocks since the run began.
    pub(crate) blocks: Vec<Arc<Exchange>>,
    /// Whether enough blocks were made since the claim was submitted.
    pub(crate) enough_blocks: bool,
}

fn no<T>(reason: impl Into<String>) -> Result<T, InconclusiveReason> {
    Err(InconclusiveReason::NoSample(reason.into()))
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
    let (asset, call) = claim_call(contract, wallet.address(), 0);
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
        again: no(NOT_ACCEPTED),
        settled: no(NOT_ACCEPTED),
        balance: no(NOT_SUBMITTED),
        balances: no(NOT_ACCEPTED),
        resubmitted_later: no(NOT_ACCEPTED),
        known_code: no(NOT_ACCEPTED),
        known_code_signed: no(NOT_ACCEPTED),
        further: Vec::new(),
        shared: None,
    };
    match claim.checked.clone() {
        Ok(checked) => {
            claim
                .submit(submitter, wallet, &checked, contract, &asset)
                .await?
        }
        Err(inconclusive) => claim.submitted = Err(inconclusive),
    }
    if claim.settled.is_ok() {
        for number in 1..submitter.with.claims.get().min(MAX_CLAIMS) {
            let further = FurtherClaim::make(submitter, wallet, contract, number).await?;
            claim.further.push(further);
        }
        if let Some(co_signer) = &submitter.with.co_signer {
            let wallets = [wallet, co_signer];
            let shared = SharedClaim::make(submitter, wallets, contract, MAX_CLAIMS).await;
            if let Some(accepted) = shared.as_ref().ok().and_then(SharedClaim::accepted) {
                wait_for(submitter, accepted).await;
            }
            claim.shared = Some(shared);
        }
    }
    Ok(claim)
}

impl FurtherClaim {
    async fn make(
        submitter: &Submitter,
        wallet: &SigningWallet,
        contract: &str,
        number: u8,
    ) -> Step<Self> {
        let (asset, call) = claim_call(contract, wallet.address(), number);
        let built = submitter.samples.node.send(call_request(&call)).await?;
        let mut claim = Self {
            call,
            built,
            balance: no(NOT_SUBMITTED),
            submitted: no(NOT_SUBMITTED),
            settled: no(NOT_ACCEPTED),
            code: None,
        };
        if let Some(what) = unlike(&claim.call, &claim.built) {
            claim.submitted = no(format!("nothing was signed: {what}"));
            return Ok(claim);
        }
        let checked = match checked_with_time(&claim.call, &claim.built, &submitter.with) {
            Ok(checked) => checked,
            Err(reason) => {
                claim.submitted = no(format!("nothing was signed: {}", reason.reason()));
                return Ok(claim);
            }
        };
        let text = checked.transaction_text();
        let mut blocks = NewBlocks::since(submitter.samples.discovered.tip);
        blocks.skip_to_the_latest(submitter).await?;
        let balance = balance_request(wallet.address(), text);
        claim.balance = submitter.samples.node.send(balance).await;
        claim.code = Some(code_of(text)).filter(|code| !code.is_empty());
        match signed_request(submitter, wallet, &checked).await? {
            Ok((_, request)) => claim.submitted = submitter.submit_serialized(request).await,
            Err(inconclusive) => claim.submitted = Err(inconclusive),
        }
        if claim
            .submitted
            .as_ref()
            .is_ok_and(|response| is_valid(response))
        {
            let code = claim.code.clone();
            claim.settled = settle(submitter, contract, &asset, code, blocks).await;
        }
        Ok(claim)
    }
}

/// Signs a claim. Returns the entry of its signature and the request that submits it, or the reason
/// why the wallet did not sign.
async fn signed_request(
    submitter: &Submitter,
    wallet: &SigningWallet,
    checked: &CheckedTransaction,
) -> Result<Step<(Value, Request)>, InconclusiveReason> {
    let signed = match checked.sign(&[wallet.signer()]).await {
        Ok(signed) => signed.text().to_string(),
        Err(error) => return Ok(no(format!("the wallet did not sign: {error}"))),
    };
    let entry = serde_json::from_str(&signed)
        .map(|signed: Value| signed["signatures"][0].clone())
        .map_err(|error| InconclusiveReason::Harness(error.to_string()))?;
    if let Some(signature) = entry["msgsign"].as_str() {
        submitter.with.redactor.add(signature);
    }
    let request = Request::post("/submit-transaction", signed).carrying_signature();
    Ok(Ok((entry, request)))
}

/// Returns the request for the balance that pays the fee of a transaction.
fn balance_request(wallet: WalletAddress, text: &str) -> Request {
    let transaction: Value = serde_json::from_str(text).unwrap_or_default();
    let token = transaction["currency"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    token_balance_request(&wallet.to_string(), &token)
}

/// The remarks of the submission that the node has to refuse just before the claim.
const REFUSED_CLAIM_REMARKS: &str = "must be refused without effect";
const NOT_SUBMITTED: &str = "the claim was not submitted";
const NOT_ACCEPTED: &str = "the claim was not accepted";

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
        let mut blocks = NewBlocks::since(submitter.samples.discovered.tip);
        blocks.skip_to_the_latest(submitter).await?;
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
        let refused = self.refuse_first(submitter, text).await;
        // Any change of the balance from here on is due to the claim.
        self.balance = match &refused {
            Ok((_, refused)) => Ok(Arc::clone(&refused.balances.1)),
            Err(_) => {
                submitter
                    .samples
                    .node
                    .send(balance_request(self.wallet, text))
                    .await
            }
        };
        let submitted = submitter.submit_serialized(request.clone()).await;
        let accepted = submitted.as_ref().is_ok_and(|response| is_valid(response));
        self.submitted = submitted;
        if !accepted {
            return Ok(());
        }
        self.again = submitter.submit_serialized(request.clone()).await;
        self.settled = settle(submitter, contract, asset, self.code(), blocks).await;
        self.resubmitted_later = match &self.settled {
            Ok(settled) if settled.record.is_some() => submitter.submit_serialized(request).await,
            _ => no("the claim can't be read, so its block may not have been made"),
        };
        self.refused = match refused {
            Ok((asset, mut refused)) => {
                let request = contract_state_request(&submitter.contract(), &asset);
                refused.state = submitter.samples.node.send(request).await;
                Ok(refused)
            }
            Err(inconclusive) => Err(inconclusive),
        };
        self.balances = match (
            &self.balance,
            self.settled.as_ref().ok().and_then(|s| s.record.as_ref()),
        ) {
            (Ok(before), Some(_)) => {
                let node = &submitter.samples.node;
                let after = node.send(balance_request(self.wallet, text)).await?;
                let later = node.send(balance_request(self.wallet, text)).await?;
                Ok([Arc::clone(before), after, later])
            }
            (Err(inconclusive), _) => Err(inconclusive.clone()),
            (_, None) => {
                no("the claim's record can't be read, so the fee may not have been charged yet")
            }
        };
        let requests = [
            refusal::with_known_code(self.wallet, text).await,
            refusal::with_known_code_signed(text).await,
        ];
        let [known_code, known_code_signed] = requests;
        self.known_code = match known_code {
            Ok(request) => submitter.submit_serialized(request).await,
            Err(inconclusive) => Err(inconclusive),
        };
        self.known_code_signed = match known_code_signed {
            Ok(request) => submitter.submit_serialized(request).await,
            Err(inconclusive) => Err(inconclusive),
        };
        Ok(())
    }

    /// Submits the claim with each fault of [`Refusal::OF_THE_CLAIM`]. Stops if one is accepted, and
    /// returns `true`.
    async fn submit_wrongly(&mut self, submitter: &Submitter, text: &str) -> bool {
        for refusal in Refusal::OF_THE_CLAIM {
            let entry = self.entry.clone().unwrap_or_default();
            let response = match refusal.with_entry(submitter, text, entry).await {
                Ok(body) => {
                    let request = Request::post("/submit-transaction", body).carrying_signature();
                    submitter.submit_serialized(request).await
                }
                Err(inconclusive) => Err(inconclusive),
            };
            let is_accepted = response.as_ref().is_ok_and(|response| is_valid(response));
            self.wrong.push((refusal, response));
            if is_accepted {
                return true;
            }
        }
        false
    }

    /// Whether the node accepted the claim.
    pub(crate) fn is_accepted(&self) -> bool {
        self.submitted
            .as_ref()
            .is_ok_and(|response| is_valid(response))
    }

    /// Returns the response to the claim with this fault, if it was accepted, or if the claim itself was
    /// accepted later.
    pub(crate) fn with_fault(&self, refusal: Refusal) -> Option<&Arc<Exchange>> {
        let shared = self.shared.as_ref().and_then(|shared| shared.as_ref().ok());
        if let Some(response) = shared.and_then(|shared| shared.with_fault(refusal)) {
            return Some(response);
        }
        let (_, response) = self.wrong.iter().find(|(known, _)| *known == refusal)?;
        let response = response.as_ref().ok()?;
        (self.is_accepted() || is_valid(response)).then_some(response)
    }

    /// Submits a claim that another key signed, which must have no effect. Returns its asset and the result.
    async fn refuse_first(&self, submitter: &Submitter, text: &str) -> Step<(String, Refused)> {
        let (asset, request) =
            refusal::of_another_key(submitter, self.wallet, REFUSED_CLAIM_REMARKS).await?;
        let before = submitter
            .samples
            .node
            .send(balance_request(self.wallet, text))
            .await?;
        let response = submitter.submit_serialized(request).await?;
        let after = submitter
            .samples
            .node
            .send(balance_request(self.wallet, text))
            .await?;
        let refused = Refused {
            response,
            balances: (before, after),
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

/// Waits until the claim of an accepted submission can be read. Otherwise, its fee could be
/// mistaken for that of another transaction.
pub(crate) async fn wait_for(submitter: &Submitter, accepted: &Exchange) {
    let body = accepted.request.body.as_deref().unwrap_or_default();
    let body: Value = serde_json::from_str(body).unwrap_or_default();
    let data = &body["transaction"]["specific_data"];
    let (Some(contract), Some(asset)) = (
        data["address"].as_str(),
        data["params"]["asset_id"].as_str(),
    ) else {
        return;
    };
    let until = Instant::now() + submitter.with.settle_timeout;
    let mut back_off = BackOff::new(FIRST_PAUSE, MAX_PAUSE);
    loop {
        let request = contract_state_request(contract, asset);
        let Ok(response) = submitter.samples.node.send(request).await else {
            return;
        };
        if response.success_object().and_then(stored).is_some()
            || Instant::now() + back_off.peek() > until
        {
            return;
        }
        back_off.wait().await;
    }
}

/// Waits until two more blocks exist. Stops if no block arrives within a twentieth of the settle
/// timeout. A chain may make blocks only for submitted transactions.
pub(crate) async fn later_blocks(submitter: &Submitter) -> Result<(), InconclusiveReason> {
    let mut blocks = NewBlocks::since(submitter.samples.discovered.tip);
    blocks.skip_to_the_latest(submitter).await?;
    let patience = submitter.with.settle_timeout / 20;
    let mut back_off = BackOff::new(FIRST_PAUSE, MAX_PAUSE.min(patience));
    let mut until = Instant::now() + patience;
    while blocks.next.is_some() && blocks.found.len() < MIN_NEW_BLOCKS {
        let before = blocks.found.len();
        blocks.advance(submitter).await?;
        let new = blocks.found.get(before..).unwrap_or_default();
        if !new.is_empty() {
            // A block without transactions was made without a submission. So another one will come.
            let mut bodies = new.iter().filter_map(|block| block.success_object());
            let makes_blocks_by_itself = bodies.any(lists_no_transaction);
            until = Instant::now() + patience * if makes_blocks_by_itself { 3 } else { 1 };
        } else if Instant::now() + back_off.peek() > until {
            break;
        }
        back_off.wait().await;
    }
    Ok(())
}

/// Polls until the record and its block exist, or until the timeout.
async fn settle(
    submitter: &Submitter,
    contract: &str,
    asset: &str,
    code: Option<String>,
    mut blocks: NewBlocks,
) -> Step<Settled> {
    let until = Instant::now() + submitter.with.settle_timeout;
    let before = blocks.found.len();
    let (mut record, mut without) = (None, None);
    let mut has_block = true;
    let mut back_off = BackOff::new(FIRST_PAUSE, MAX_PAUSE);
    loop {
        blocks.advance(submitter).await?;
        if record.is_none() {
            let request = contract_state_request(contract, asset);
            let response = submitter.samples.node.send(request).await?;
            if response.success_object().and_then(stored).is_some() {
                record = Some(response);
                // The block was made before its record could be read.
                blocks.advance(submitter).await?;
                has_block = blocks.found.len() > before;
            } else {
                without = Some(response);
            }
        }
        // A node may show a block later than the block's effects.
        let done = || blocks.tells_no_more(before, code.as_deref());
        if record.is_some() && done() || Instant::now() + back_off.peek() > until {
            break;
        }
        back_off.wait().await;
    }
    Ok(Settled {
        record,
        without,
        record_before_block: !has_block && blocks.found.len() > before,
        enough_blocks: blocks.found.len() >= before + MIN_NEW_BLOCKS,
        blocks: blocks.found,
    })
}

/// The blocks that are made during the run.
struct NewBlocks {
    next: Option<u64>,
    found: Vec<Arc<Exchange>>,
}

impl NewBlocks {
    fn since(tip: Option<u64>) -> Self {
        Self {
            next: tip.map(|tip| tip + 1),
            found: Vec::new(),
        }
    }

    /// Whether to stop waiting for the block of a transaction: it was found, blocks list no
    /// transactions, or enough blocks were read.
    fn tells_no_more(&self, before: usize, code: Option<&str>) -> bool {
        let (Some(_), Some(code)) = (self.next, code) else {
            return true;
        };
        let new = self.found.get(before..).unwrap_or_default();
        let bodies = || new.iter().filter_map(|block| block.success_object());
        bodies().any(|body| in_block(body, code).is_some())
            || (!new.is_empty() && !bodies().any(lists_transactions))
            || self.found.len() >= MAX_BLOCKS
    }

    /// Skips the blocks that were made so far. There may be many.
    async fn skip_to_the_latest(
        &mut self,
        submitter: &Submitter,
    ) -> Result<(), InconclusiveReason> {
        let Some(next) = self.next else { return Ok(()) };
        let mut search = IndexSearch::above(next.saturating_sub(1), 1, u64::MAX);
        while let Some(index) = search.next() {
            search.narrow(block(submitter, index).await?.is_some());
        }
        self.next = search.result().and_then(|latest| latest.checked_add(1));
        Ok(())
    }

    /// Reads all further blocks that exist.
    async fn advance(&mut self, submitter: &Submitter) -> Result<(), InconclusiveReason> {
        while let Some(index) = self.next
            && self.found.len() < MAX_BLOCKS
            && let Some(response) = block(submitter, index).await?
        {
            self.found.push(response);
            self.next = index.checked_add(1);
        }
        Ok(())
    }
}

/// Returns the response with this block, or `None` if the block does not exist.
async fn block(
    submitter: &Submitter,
    index: u64,
) -> Result<Option<Arc<Exchange>>, InconclusiveReason> {
    let response = submitter.samples.node.send(block_request(index)).await?;
    let reported = response.success_object().and_then(reported_index);
    Ok((reported == Some(i128::from(index))).then_some(response))
}
