//! The claims of a run, as its history shows them: what was sent for each, and what came back.

use std::{
    collections::{BTreeMap, BTreeSet, btree_map},
    sync::Arc,
    time::Duration,
};

use serde_json::Value;

use super::{Entry, History};
use crate::{
    api::{Transaction, find, has_record, is_new, is_valid, times_in_batch},
    http::{Act, BatchStep, Exchange, InconclusiveReason, Step},
};

/// Maximum number of claims of a run. Each has other values.
pub(crate) const MAX_CLAIMS: u8 = 8;
/// The number of the claim that is submitted with the higher value of s in its signature first.
pub(crate) const HIGH_S: u8 = 1;
/// The number of the claim that is submitted with a fraction in its fee first.
pub(crate) const FEE_WITH_FRACTION: u8 = 2;
/// The number of the claim from which on claims are submitted in a batch first.
pub(crate) const IN_BATCH: u8 = 3;
/// The number of the claim that a co-signer makes alone.
pub(crate) const OF_CO_SIGNER: u8 = MAX_CLAIMS + 1;
/// The number of the claim whose fee is offered in another token. A node may refuse it.
pub(crate) const IN_OTHER_TOKEN: u8 = MAX_CLAIMS + 2;
/// The number of the claim that two wallets sign.
pub(crate) const SHARED: u8 = MAX_CLAIMS + 3;
/// The number of the claim of the run's wallet about the asset that the co-signer has claimed.
pub(crate) const OF_SAME_ASSET: u8 = MAX_CLAIMS + 4;
/// The numbers of the claims of a new wallet, which can pay one of them. They have the values of claims 2 and 7.
pub(crate) const OF_NEW_WALLET: [u8; 2] = [MAX_CLAIMS + 5, MAX_CLAIMS + 8];
/// The numbers of the claims of many wallets begin here.
pub(crate) const OF_MANY: u8 = 64;
/// Number of new blocks after which a longer wait for the record cannot help.
pub(crate) const MIN_NEW_BLOCKS: u64 = 2;

/// The claims of a run, when all of them were made.
#[derive(Clone, Debug)]
pub(crate) struct Claims(Arc<History>);

/// Whether some of these assets and wallets are one asset and different wallets.
pub(crate) fn are_of_several<'a, W: PartialEq>(
    mut claims: impl Iterator<Item = (&'a str, W)>,
) -> bool {
    let mut first = BTreeMap::new();
    claims.any(|(asset, wallet)| match first.entry(asset) {
        btree_map::Entry::Vacant(place) => {
            place.insert(wallet);
            false
        }
        btree_map::Entry::Occupied(first) => *first.get() != wallet,
    })
}

/// One of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClaimSteps<'h> {
    history: &'h History,
    pub(crate) number: u8,
}

/// What was read of an accepted claim.
#[derive(Debug)]
pub(crate) struct Settled<'h> {
    /// The response that has the record.
    pub(crate) record: Option<&'h Arc<Exchange>>,
    /// The last response without the record.
    pub(crate) without: Option<&'h Arc<Exchange>>,
    /// Whether the record could be read although no block had been made since the claim was submitted, and
    /// one was made later.
    pub(crate) record_before_block: bool,
    /// The blocks since the claim was submitted, if all of them may be known.
    pub(crate) blocks: Vec<&'h Arc<Exchange>>,
    /// Whether enough blocks were made while its record was read.
    pub(crate) enough_blocks: bool,
    /// How long its record was read.
    pub(crate) waited: Duration,
}

/// A batch, and the response to it.
pub(crate) struct Batch<'h> {
    pub(crate) of: &'h BatchStep,
    pub(crate) response: &'h Arc<Exchange>,
}

impl Claims {
    pub(crate) fn of(history: Arc<History>) -> Self {
        Self(history)
    }

    fn claim(&self, number: u8) -> ClaimSteps<'_> {
        ClaimSteps {
            history: &self.0,
            number,
        }
    }

    /// Returns the first claim.
    pub(crate) fn first(&self) -> ClaimSteps<'_> {
        self.claim(0)
    }

    /// Returns the claim with this number, if it was built.
    pub(crate) fn get(&self, number: u8) -> Option<ClaimSteps<'_>> {
        let claim = self.claim(number);
        claim.of_act(Act::Build).next().is_some().then_some(claim)
    }

    /// Returns the claims after the first one that a single wallet signs.
    pub(crate) fn further(&self) -> impl Iterator<Item = ClaimSteps<'_>> {
        (1..SHARED).filter_map(|number| self.get(number))
    }

    /// Returns the first claim and the further ones.
    pub(crate) fn all(&self) -> impl Iterator<Item = ClaimSteps<'_>> {
        [self.first()].into_iter().chain(self.further())
    }

    /// Returns the claims of many wallets that were submitted.
    pub(crate) fn of_many(&self) -> impl Iterator<Item = ClaimSteps<'_>> {
        let all = (OF_MANY..=u8::MAX).map(|number| self.claim(number));
        all.take_while(|claim| claim.get(Act::Submit).is_ok())
    }

    /// Whether the node accepted claims of several wallets about one asset.
    pub(crate) fn are_of_several(&self) -> bool {
        let accepted = self.of_many().flat_map(|claim| claim.all(Act::Submit));
        let accepted = accepted.filter(|response| is_valid(response));
        are_of_several(accepted.filter_map(|response| {
            let claim = Transaction::sent_in(response)?;
            Some((claim.asset()?, claim.signers().next()))
        }))
    }

    /// Returns two claims of different wallets about one asset, if both were accepted.
    pub(crate) fn of_same_asset(&self) -> Option<[ClaimSteps<'_>; 2]> {
        let both = [self.get(OF_CO_SIGNER)?, self.get(OF_SAME_ASSET)?];
        both.iter().all(ClaimSteps::is_accepted).then_some(both)
    }

    /// Returns the claim that two wallets sign.
    pub(crate) fn shared(&self) -> ClaimSteps<'_> {
        self.claim(SHARED)
    }

    /// Returns the response to the submission of the shared claim or the first one that a row of a table describes, if
    /// it was accepted, or if the claim itself was.
    pub(crate) fn with_fault(&self, what: &str) -> Option<&Arc<Exchange>> {
        let mut claims = [self.shared(), self.first()].into_iter();
        claims.find_map(|claim| {
            let response = claim.of_row(what)?;
            (claim.is_accepted() || is_valid(response)).then_some(response)
        })
    }

    /// Returns the transaction codes of the claims.
    pub(crate) fn codes(&self) -> BTreeSet<String> {
        self.all().filter_map(|claim| claim.code()).collect()
    }

    /// Returns the accepted claims, with what was read of them.
    pub(crate) fn accepted(&self) -> impl Iterator<Item = (&Arc<Exchange>, Settled<'_>)> {
        self.all().filter_map(|claim| {
            let submitted = claim.submitted().ok()?;
            let settled = claim.settled().ok()?;
            is_valid(submitted).then_some((submitted, settled))
        })
    }

    /// Returns the blocks that were made since the first submission of the run.
    pub(crate) fn new_blocks(&self) -> impl Iterator<Item = (u64, &Arc<Exchange>)> {
        let first = self.0.first_submission().unwrap_or_default();
        self.0.blocks_since(first).into_iter()
    }

    /// Returns the batches in which wrong submissions were sent beside the claims.
    pub(crate) fn batches(&self) -> impl Iterator<Item = Batch<'_>> {
        let batches = self.0.batches();
        batches.filter(|batch| batch.of.control.is_none())
    }

    /// Returns other records that were read before the first claim and after it.
    pub(crate) fn other_records(&self) -> impl Iterator<Item = [&Arc<Exchange>; 2]> {
        let mut read: Vec<_> = self.first().of_act(Act::OtherRecord).collect();
        read.sort_by_key(|entry| Arc::clone(&entry.question));
        let pairs = read
            .chunk_by(|one, other| one.question == other.question)
            .filter_map(|all| match all {
                [before, .., after] => Some([&before.exchange, &after.exchange]),
                _ => None,
            });
        pairs.collect::<Vec<_>>().into_iter()
    }
}

impl History {
    /// Returns all batches, and what each has.
    pub(crate) fn batches(&self) -> impl Iterator<Item = Batch<'_>> {
        self.submissions().filter_map(|entry| {
            let response = &entry.exchange;
            match response.request.step.as_ref()? {
                Step::Batch(of) => Some(Batch { of, response }),
                _ => None,
            }
        })
    }
}

impl<'h> ClaimSteps<'h> {
    pub(crate) fn step(&self, act: Act) -> Step {
        Step::Claim(self.number, act)
    }

    fn of_act(&self, act: Act) -> impl Iterator<Item = &'h Entry> + use<'h> {
        self.history.of_step(&self.step(act))
    }

    /// Returns the responses of a step, in the order in which they were sent.
    pub(crate) fn all(&self, act: Act) -> impl Iterator<Item = &'h Arc<Exchange>> + use<'h> {
        self.of_act(act).map(|entry| &entry.exchange)
    }

    /// Returns the first response of a step, or the reason why there is none.
    pub(crate) fn get(&self, act: Act) -> Result<&'h Arc<Exchange>, InconclusiveReason> {
        let step = self.step(act);
        let first = self.history.of_step(&step).next();
        first.map(|entry| &entry.exchange).ok_or_else(|| {
            let reason = self.history.reason(&step).cloned();
            reason.unwrap_or_else(|| match self.all(Act::Submit).next() {
                Some(_) => "the claim was not accepted".into(),
                None => "the claim was not submitted".into(),
            })
        })
    }

    /// Returns the reason why a step was not taken.
    pub(crate) fn reason(&self, act: Act) -> Option<&'h str> {
        let reason = self.history.reason(&self.step(act));
        reason.map(InconclusiveReason::reason)
    }

    /// Returns the call that the node was requested to build.
    pub(crate) fn call(&self) -> &'h Value {
        let built = self.get(Act::Build).ok();
        let call = built.and_then(|built| built.sent());
        call.unwrap_or(&Value::Null)
    }

    /// Returns the transaction code, or `None` if it is missing or empty.
    pub(crate) fn code(&self) -> Option<String> {
        let built = self.get(Act::Build).ok()?.success_object()?;
        let (_, code) = find(built, "trans_code")?;
        let code = code.as_str().filter(|code| !code.is_empty())?;
        Some(code.to_owned())
    }

    /// Returns the responses to batches that accept it.
    fn batches(&self) -> impl Iterator<Item = &'h Arc<Exchange>> + use<'h> {
        let code = self.code().unwrap_or_default();
        let responses = self.history.batches().map(|batch| batch.response);
        responses.filter(move |response| {
            !code.is_empty() && times_in_batch(response, "accepted_transactions", &code) > 0
        })
    }

    /// Whether a batch with it listed it as accepted. The first claim is known before.
    pub(crate) fn is_in_batch(&self) -> bool {
        self.number != 0 && self.batches().next().is_some()
    }

    /// Returns when it was first submitted in a way that was accepted.
    fn began(&self) -> Option<Duration> {
        let accepted: Vec<_> = self
            .submitted()
            .ok()
            .into_iter()
            .chain(self.batches())
            .collect();
        let is_one = |entry: &&Entry| {
            let mut accepted = accepted.iter();
            accepted.any(|one| Arc::ptr_eq(one, &entry.exchange))
        };
        let entries = self.history.submissions().filter(is_one);
        entries.map(|entry| entry.began).min()
    }

    /// Whether a node may refuse it.
    pub(crate) const fn is_optional(&self) -> bool {
        self.number == IN_OTHER_TOKEN
    }

    /// Returns the response to its submission: the one that accepts it in an unusual form, or else the one that accepts it
    /// as new, or else the first one.
    pub(crate) fn submitted(&self) -> Result<&'h Arc<Exchange>, InconclusiveReason> {
        let usual = || self.all(Act::Submit);
        let valid = |response: &&Arc<Exchange>| is_valid(response);
        let forms = [Act::Unusual, Act::Reversed].into_iter();
        let mut forms = forms.flat_map(|act| self.all(act)).filter(valid);
        let new = usual().filter(valid).find(|one| is_new(one) == Some(true));
        match forms.next().or(new).or_else(|| usual().next()) {
            Some(submitted) => Ok(submitted),
            None => self.get(Act::Submit),
        }
    }

    /// Whether a submission of it, alone or in a batch, got no response, at first or at all. It may have been the new one.
    pub(crate) fn is_copy_lost(&self) -> bool {
        let reason = self.history.reason(&self.step(Act::Submit));
        if matches!(reason, Some(InconclusiveReason::Transport(_))) {
            return true;
        }
        let Some(code) = self.code() else {
            return false;
        };
        // The time of such an exchange is that of its last request, and an earlier one may have been the new one.
        self.history.submissions().any(|entry| {
            let request = &entry.exchange.request;
            let body = request.body.as_deref().unwrap_or_default();
            let is_right = request.wrongly_signed.is_none();
            entry.exchange.is_repeated && is_right && body.contains(&code)
        })
    }

    /// Whether the node accepted it.
    pub(crate) fn is_accepted(&self) -> bool {
        self.submitted().is_ok_and(|response| is_valid(response))
    }

    /// Returns the response to the submission of it that a row of a table describes.
    pub(crate) fn of_row(&self, what: &str) -> Option<&'h Arc<Exchange>> {
        self.all(Act::Row(what.to_owned())).next()
    }

    /// Whether a response has no record, or one that names a wallet of the claim. Another program may read a record that another
    /// wallet had made before.
    fn may_be_in(&self, exchange: &Exchange) -> bool {
        if !has_record(exchange) {
            return true;
        }
        let call = self.call();
        let signers = call["signers"].as_array().into_iter().flatten();
        let mut wallets = signers.chain([&call["params"]["verifier_address"]]);
        let body = String::from_utf8_lossy(&exchange.body).to_ascii_lowercase();
        wallets.any(|wallet| {
            let wallet = wallet.as_str().map(str::to_ascii_lowercase);
            wallet.is_none_or(|wallet| body.contains(&wallet))
        })
    }

    /// Returns what was read of it since it was accepted.
    pub(crate) fn settled(&self) -> Result<Settled<'h>, InconclusiveReason> {
        let of_record = || {
            let read = self.of_act(Act::Record);
            read.filter(|entry| !self.history.is_of_others || self.may_be_in(&entry.exchange))
        };
        let (Some(first), Some(last)) = (of_record().next(), of_record().last()) else {
            let not_read = self.get(Act::Record).err();
            return Err(not_read.unwrap_or_else(|| "no record of its wallet was read".into()));
        };
        let record = of_record().find(|entry| has_record(&entry.exchange));
        if let (None, Some(reason)) = (record, self.history.reason(&self.step(Act::Record))) {
            return Err(reason.clone());
        }
        let without = of_record().filter(|entry| !has_record(&entry.exchange));
        let began = self.began().unwrap_or(first.began);
        let before = self.history.height_before(began);
        let next = before.and_then(|before| before.checked_add(1));
        let mut blocks = self.history.blocks_since(began);
        // Another program may have read some of them only.
        if self.history.is_of_others {
            let known_until = next.and_then(|next| self.history.complete_from(next));
            if known_until.is_none_or(|(_, until)| until < last.ended) {
                blocks.clear();
            }
        }
        let since = |height: u64| {
            before.is_some_and(|before| height >= before.saturating_add(MIN_NEW_BLOCKS))
        };
        Ok(Settled {
            record: record.map(|entry| &entry.exchange),
            without: without.last().map(|entry| &entry.exchange),
            record_before_block: !blocks.is_empty()
                && record.zip(next).is_some_and(|(entry, next)| {
                    self.history.heights.is_absent_at(next, entry.ended)
                }),
            enough_blocks: self.history.height_before(last.ended).is_some_and(since),
            blocks: blocks.into_values().collect(),
            waited: last.ended.saturating_sub(began),
        })
    }
}
