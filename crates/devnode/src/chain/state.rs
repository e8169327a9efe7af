//! The state of the chain. Submissions and blocks change it.

mod faults;

use std::{
    collections::{HashMap, HashSet},
    io,
};

use nodeproof_primitives::{
    Hash256, HolderAddress, MessageSignature, TransactionCode, signed_message, sorted_message,
};

use super::{
    Committee, NATIVE_TOKEN, Transaction, TransactionRules, VAULT,
    block::{Block, BlockView, Vote, block_hash},
    committee::MEMBERS,
    ledger::Ledger,
    pool::{CodeStatus, Pool},
    saved::{SavedBlock, SavedChain},
    transaction::Call,
    verification::{Record, Table},
};
use crate::InjectedFault;

/// The node's result for a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) valid: bool,
    pub(crate) message: String,
    pub(crate) new_transaction: bool,
}

impl Verdict {
    pub(crate) fn accepted(new_transaction: bool) -> Self {
        Self {
            valid: true,
            message: "Transaction economic validation successful".into(),
            new_transaction,
        }
    }

    pub(crate) fn refused(message: impl Into<String>, new_transaction: bool) -> Self {
        Self {
            valid: false,
            message: message.into(),
            new_transaction,
        }
    }
}

/// Blocks, balances, claims and pending transactions. Indexes start at 1.
#[derive(Debug)]
pub(crate) struct Chain {
    committee: Committee,
    rules: TransactionRules,
    genesis_time: i64,
    blocks: Vec<Block>,
    tip_hash: Hash256,
    pub(super) ledger: Ledger,
    table: Table,
    pool: Pool,
    fault: Option<InjectedFault>,
    /// The height from which the node has the fault.
    fault_from: u64,
    saved: Option<SavedChain>,
    /// Why the latest block could not be saved.
    not_saved: Option<String>,
    /// Refused transactions, with the height at which a fault stores them.
    stored_later: Vec<(u64, Transaction)>,
    /// The codes of correctly signed transactions that were refused, for a fault that verifies no signature for them
    /// again.
    refused: HashSet<TransactionCode>,
    /// Refused transfers, for a fault that makes them later.
    made_later: Vec<Transaction>,
    /// The texts of transfers without their codes, for a fault that takes equal ones for one.
    payments: HashSet<String>,
    /// The transactions that `/call-sc` built, for a fault that takes their signatures for other ones.
    built: HashMap<TransactionCode, String>,
}

impl Chain {
    pub(super) fn new(committee: Committee, rules: TransactionRules, genesis_time: i64) -> Self {
        Self {
            committee,
            rules,
            genesis_time,
            blocks: Vec::new(),
            // The specification requires 64 hexadecimal characters, and there is no block before
            // the first one.
            tip_hash: Hash256::from_bytes([0; 32]),
            ledger: Ledger::default(),
            table: Table::new(rules.verification),
            pool: Pool::default(),
            fault: None,
            fault_from: 0,
            saved: None,
            not_saved: None,
            stored_later: Vec::new(),
            refused: HashSet::new(),
            made_later: Vec::new(),
            payments: HashSet::new(),
            built: HashMap::new(),
        }
    }

    /// Returns the index of the latest block, or 0 if there is none.
    pub(crate) fn height(&self) -> u64 {
        u64::try_from(self.blocks.len()).unwrap_or(u64::MAX)
    }

    /// Returns the number of pending transactions.
    pub(crate) fn waiting(&self) -> usize {
        self.pool.waiting()
    }

    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    pub(crate) fn verifications(&self) -> &Table {
        &self.table
    }

    /// Whether exactly this transaction is pending or in a block.
    pub(crate) fn knows(&self, code: TransactionCode, digest: &[u8; 32]) -> bool {
        self.pool.knows(code, digest)
    }

    /// Whether a transaction with this code is pending.
    pub(crate) fn waits(&self, code: TransactionCode) -> bool {
        self.pool.waits(code)
    }

    /// Returns the timestamp for a transaction that is built now.
    ///
    /// It is after the latest block and, if a clock is given, not before the clock's time. It is different
    /// after each submission.
    pub(crate) fn now(&self, clock: Option<i64>) -> i64 {
        let waiting = i64::try_from(self.pool.waiting()).unwrap_or(0);
        let after_tip = self.tip_time().saturating_add(1);
        clock.map_or(after_tip, |clock| clock.max(after_tip)) + waiting
    }

    fn tip_time(&self) -> i64 {
        self.blocks
            .last()
            .map_or(self.genesis_time, |block| block.timestamp)
    }

    /// Returns the block at an index as JSON, if it exists.
    pub(crate) fn block_text(&self, index: u64) -> Option<String> {
        self.view(index).map(|view| view.text())
    }

    fn view(&self, index: u64) -> Option<BlockView<'_>> {
        let place = usize::try_from(index.checked_sub(1)?).ok()?;
        let block = self.blocks.get(place)?;
        let previous = place
            .checked_sub(1)
            .and_then(|place| self.blocks.get(place));
        Some(BlockView {
            index,
            block,
            previous_timestamp: previous.map(|block| block.timestamp),
            committee: &self.committee,
        })
    }

    /// Accepts a transaction that has passed all other checks, if the chain allows it.
    pub(crate) fn submit(&mut self, transaction: Transaction) -> Verdict {
        let mut is_new = true;
        match self.pool.seen(transaction.code, &transaction.digest) {
            CodeStatus::Unknown => {}
            CodeStatus::SameTransaction
                if !self.pool.waits(transaction.code)
                    && (self.has(InjectedFault::ResubmissionNew)
                        || self.has_forgotten(transaction.code)) =>
            {
                return Verdict::accepted(true);
            }
            CodeStatus::OtherTransaction if self.has(InjectedFault::KnownCodeAccepted) => {
                return Verdict::accepted(false);
            }
            CodeStatus::OtherTransaction
                if (self.has(InjectedFault::PendingReplaced)
                    || self.has(InjectedFault::PendingTaken))
                    && self.pool.waits(transaction.code) =>
            {
                self.pool.drop_pending(transaction.code);
                is_new = !self.has(InjectedFault::PendingTaken);
            }
            CodeStatus::SameTransaction => {
                self.replace_signatures(&transaction);
                if self.has(InjectedFault::CopiesCost) && self.pool.waits(transaction.code) {
                    self.charge(&transaction);
                }
                if self.has(InjectedFault::CopiesExecuted)
                    && self.pool.waits(transaction.code)
                    && matches!(transaction.call, Call::Transfer { .. })
                {
                    self.pool.add(transaction);
                }
                return Verdict {
                    valid: !self.has(InjectedFault::KnownRefused),
                    message: "Already validated and in mempool".into(),
                    new_transaction: false,
                };
            }
            CodeStatus::OtherTransaction => {
                let message = "Transaction code is already used by another transaction";
                return Verdict::refused(message, true);
            }
        }
        if self.has(InjectedFault::UnpayableRemembered) && self.refused.contains(&transaction.code)
        {
            return Verdict::refused("the transaction was refused", true);
        }
        if let Err(message) = self.affordable(&transaction) {
            if self.has(InjectedFault::SignatureRemembered)
                || self.has(InjectedFault::UnpayableRemembered)
            {
                self.refused.insert(transaction.code);
            }
            if self.has(InjectedFault::RefusalDrops) {
                self.pool.drop_all_of(transaction.payer);
            }
            let is_transfer = matches!(transaction.call, Call::Transfer { .. });
            if is_transfer && self.has(InjectedFault::RefusalReserves) {
                self.pool
                    .reserve(transaction.payer, NATIVE_TOKEN, transaction.fee);
            }
            if is_transfer && self.has(InjectedFault::RefusedMadeLater) {
                self.made_later.push(transaction);
            }
            return Verdict::refused(message, true);
        }
        if self.has(InjectedFault::DuplicateCosts)
            && let Call::AddVerification(record) = &transaction.call
            && self.table.holds(&record.asset_id, record.verifier)
        {
            self.charge(&transaction);
            return Verdict::refused("this verifier has made a claim about this asset", true);
        }
        if self.has(InjectedFault::EqualPaymentKnown)
            && matches!(transaction.call, Call::Transfer { .. })
        {
            let code = transaction.code.to_string();
            let text = transaction.entry.replace(&code, "");
            let without_signatures = text.split("\"signatures\"").next().unwrap_or_default();
            if !self.payments.insert(without_signatures.to_owned()) {
                return Verdict::accepted(false);
            }
        }
        if self.has(InjectedFault::OnePending) {
            self.pool.drop_all_of(transaction.payer);
        }
        if self.has(InjectedFault::TimeReplaces) {
            self.pool.drop_of_same_time(&transaction);
        }
        if !self.has(InjectedFault::PoolFull) || self.pool.waiting() < 16 {
            self.pool.add(transaction);
        }
        Verdict::accepted(is_new)
    }

    pub(super) fn set_fault(&mut self, fault: Option<InjectedFault>, from: u64) {
        self.fault = fault;
        self.fault_from = from;
    }

    /// Returns the fault that the node has at this height.
    pub(crate) fn fault(&self) -> Option<InjectedFault> {
        self.fault.filter(|_| self.height() >= self.fault_from)
    }

    fn has(&self, fault: InjectedFault) -> bool {
        self.fault() == Some(fault)
    }

    /// Adds the blocks of a file, and saves the later ones there.
    ///
    /// # Errors
    /// Returns the line of a block that was changed, or that does not follow the one before.
    pub(crate) fn restore(&mut self, saved: SavedChain, blocks: Vec<SavedBlock>) -> io::Result<()> {
        // The first line has the start of the chain.
        for (line, block) in (2_u64..).zip(blocks) {
            let index = self.height() + 1;
            let wrong = || {
                io::Error::other(format!(
                    "line {line} is damaged, or does not follow the one before: it is not block {index} of this chain"
                ))
            };
            let creator = HolderAddress::Wallet(self.committee.creator(index));
            for entry in &block.transactions {
                let transaction = Transaction::of_entry(entry, self.rules).ok_or_else(wrong)?;
                self.apply(&transaction, creator).map_err(|_| wrong())?;
                self.pool.add(transaction);
            }
            self.pool.take();
            let receipts: Option<Vec<_>> =
                block.receipts.iter().map(|text| signature(text)).collect();
            let receipts: Result<[_; MEMBERS], Vec<_>> = receipts.ok_or_else(wrong)?.try_into();
            let receipts = match receipts {
                Ok(receipts) => Some(Box::new(receipts)),
                Err(none) if none.is_empty() && index == 1 => None,
                Err(_) => return Err(wrong()),
            };
            let restored = Block {
                is_forked: block.is_forked,
                timestamp: block.timestamp,
                previous_hash: self.tip_hash,
                receipts,
                transactions: block.transactions.into(),
            };
            if self.next_hash(&restored) != block.hash {
                return Err(wrong());
            }
            self.push(restored, block.hash);
        }
        self.saved = Some(saved);
        Ok(())
    }

    /// Returns why the latest block could not be saved. No further blocks are made then.
    pub(crate) fn not_saved(&self) -> Option<&str> {
        self.not_saved.as_deref()
    }

    /// Adds a block with its hash.
    fn push(&mut self, block: Block, hash: Hash256) {
        self.blocks.push(block);
        self.tip_hash = hash;
    }

    /// Returns the hash of a block that is not in the chain yet.
    fn next_hash(&self, block: &Block) -> Hash256 {
        let view = BlockView {
            index: self.height() + 1,
            block,
            previous_timestamp: self.blocks.last().map(|previous| previous.timestamp),
            committee: &self.committee,
        };
        block_hash(&view.text())
    }

    /// Checks that the payer can pay the fee and the amount in addition to all pending transactions.
    pub(crate) fn affordable(&self, transaction: &Transaction) -> Result<(), String> {
        let available = |holder: HolderAddress, token: &str| {
            self.ledger
                .balance(token, holder)
                .saturating_sub(match self.reserves(token) {
                    true => self.pool.reserved(holder, token),
                    false => 0,
                })
        };
        if available(transaction.payer, NATIVE_TOKEN) < self.first_part(transaction) {
            return Err("Fee validation failed: the wallet can't pay it".into());
        }
        if let Call::Transfer {
            from,
            token,
            amount,
            ..
        } = &transaction.call
        {
            if !self.ledger.knows(token) {
                return Err(format!("Token {token:?} not found"));
            }
            if self.mints(token, *amount) {
                return Ok(());
            }
            let fee_too = *from == transaction.payer
                && token == NATIVE_TOKEN
                && !self.has(InjectedFault::FeeBesideAmount);
            let fee = self.first_part(transaction);
            let whole = amount.saturating_add(if fee_too { fee } else { 0 });
            if available(*from, token) < whole {
                return Err(format!("Balance of {token} is not enough"));
            }
        }
        Ok(())
    }

    /// Creates the next block from the pending transactions, and returns its index. If a block could not be saved,
    /// the chain does not grow, and this returns the height.
    ///
    /// Its timestamp is the clock's time, if a clock is given. Otherwise it is `step` milliseconds after the
    /// latest block.
    pub(crate) fn make_block(&mut self, step: i64, clock: Option<i64>) -> u64 {
        if self.not_saved.is_some() {
            return self.height();
        }
        let index = self.height() + 1;
        let tip_time = self.tip_time();
        let timestamp = match clock {
            Some(clock) => clock.max(tip_time.saturating_add(1)),
            None => tip_time.saturating_add(step),
        };
        let creator = HolderAddress::Wallet(self.committee.creator(index));
        let due = |(height, _): &mut (u64, Transaction)| *height <= index;
        for (_, transaction) in self.stored_later.extract_if(.., due) {
            if let Call::AddVerification(record) = transaction.call {
                self.table.insert(&record);
            }
        }
        for transaction in std::mem::take(&mut self.made_later) {
            match self.affordable(&transaction) {
                Ok(()) => self.pool.add(transaction),
                Err(_) => self.made_later.push(transaction),
            }
        }
        let entries = self.execute_pending(index, creator);
        let receipts = self.blocks.last().map(|tip| {
            let votes = Vote::all(
                &self.committee,
                index - 1,
                self.tip_hash,
                tip.timestamp,
                timestamp,
            );
            Box::new(votes.map(|vote| {
                let signer = match self.fault() {
                    Some(InjectedFault::ReceiptKeys) => (vote.voter + 1) % MEMBERS,
                    _ => vote.voter,
                };
                let message = match self.fault() {
                    Some(InjectedFault::ReceiptSorted) => sorted_message(&vote.data()),
                    _ => signed_message(&vote.data()),
                };
                // This can't fail, because the data is JSON.
                let message = message.unwrap_or_default();
                let keys = &self.committee.members()[signer].keys;
                keys.sign(message.as_bytes()).to_bytes()
            }))
        });
        let block = Block {
            is_forked: self.has(InjectedFault::Fork),
            timestamp,
            previous_hash: self.tip_hash,
            receipts,
            transactions: entries.into(),
        };
        let hash = self.next_hash(&block);
        if let Some(saved) = &mut self.saved
            && let Err(error) = saved.append(&SavedBlock::of(&block, hash))
        {
            self.not_saved = Some(error.to_string());
            return self.height();
        }
        self.push(block, hash);
        index
    }

    /// Executes the pending transactions in the block with this index. Returns those that are in it.
    fn execute_pending(&mut self, index: u64, creator: HolderAddress) -> Vec<Box<str>> {
        let mut pending = self.pool.take();
        if let [first, others @ ..] = pending.as_mut_slice()
            && self.has(InjectedFault::FirstPays)
        {
            others
                .iter_mut()
                .for_each(|other| other.payer = first.payer);
        }
        let mut entries = Vec::new();
        let mut earlier_fee = 0;
        let mut credits = HashMap::new();
        let mut sent_in_block = Vec::new();
        let mut codes = HashSet::new();
        for transaction in pending {
            if self.has(InjectedFault::AcceptedLost)
                || self.has(InjectedFault::OldDropped) && transaction.is_old
            {
                continue;
            }
            match self.apply(&transaction, creator) {
                Ok(()) => {
                    if self.has(InjectedFault::LastFeeOnly) {
                        self.ledger.burn(NATIVE_TOKEN, creator, earlier_fee);
                        earlier_fee = transaction.fee;
                    }
                    if self.has(InjectedFault::FeesMinted) {
                        let more = transaction.fee / 5 * 4;
                        self.ledger.mint(NATIVE_TOKEN, creator, more);
                    }
                    if self.has(InjectedFault::FeeElsewhere) {
                        let treasury = HolderAddress::Contract(self.rules.token);
                        self.ledger.burn(NATIVE_TOKEN, creator, transaction.fee);
                        self.ledger.mint(VAULT, treasury, transaction.fee);
                    }
                    let keeps_last = self.has(InjectedFault::LastCredit);
                    if (keeps_last || self.has(InjectedFault::LastSender))
                        && let Call::Transfer {
                            from,
                            to,
                            token,
                            amount,
                        } = &transaction.call
                        && from != to
                        && let Some((earlier, sent)) =
                            credits.insert((*to, token.clone()), (*from, *amount))
                        && (keeps_last || earlier != *from)
                    {
                        self.ledger.burn(token, *to, sent);
                    }
                    self.undo_opposite(&transaction, &mut sent_in_block);
                    // A copy is executed, and not listed.
                    let is_new = codes.insert(transaction.code);
                    if is_new || !self.has(InjectedFault::CopiesExecuted) {
                        entries.push(transaction.entry);
                    }
                }
                Err(reason) => {
                    tracing::warn!(
                        block = index,
                        "accepted transaction {} is in no block, and costs nothing: {reason}",
                        transaction.code
                    );
                    self.pool.forget(transaction.code);
                    if self.has(InjectedFault::FailedCosts) {
                        // Who can't pay the fee either pays nothing.
                        let _ = self.pay_fee(&transaction, creator);
                    }
                    if self.has(InjectedFault::RestDropped) {
                        break;
                    }
                }
            }
        }
        entries
    }

    /// Executes a transaction and takes its fee. If this fails, nothing changes.
    fn apply(
        &mut self,
        transaction: &Transaction,
        creator: HolderAddress,
    ) -> Result<(), &'static str> {
        match &transaction.call {
            Call::AddVerification(record) => {
                if self.has(InjectedFault::ClaimReplaced) {
                    self.table.remove_of(&record.asset_id, record.verifier);
                }
                if self.table.holds(&record.asset_id, record.verifier) {
                    if self.has(InjectedFault::DuplicateMerged) {
                        self.table.set_links(record);
                    }
                    return Err("this verifier has made a claim about this asset");
                }
                self.pay_fee(transaction, creator)?;
                let mut record = record.clone();
                if self.has(InjectedFault::RemarksCut) {
                    record.remarks.pop();
                }
                if self.has(InjectedFault::AssetReplaced) {
                    self.table.remove(&record.asset_id);
                }
                if self.has(InjectedFault::ListsShared)
                    && let Some(known) = self.table.with_same_hashes(&record.doc_hash_list)
                {
                    record.doc_hash_list = known;
                }
                if let ([_, .., last], true) = (
                    &*transaction.other_signers,
                    self.has(InjectedFault::LastVerifier),
                ) {
                    record.verifier = *last;
                }
                let is_second = self.table.has_asset(&record.asset_id);
                if !(is_second && self.has(InjectedFault::SecondVerifierLost)) {
                    self.table.insert(&record);
                }
                if self.has(InjectedFault::CoSignersRecorded) {
                    for signer in &transaction.other_signers {
                        self.table.insert(&Record {
                            verifier: *signer,
                            ..record.clone()
                        });
                    }
                }
                if self.has(InjectedFault::RecordsDropped) {
                    self.table.keep_latest(12);
                }
                if self.has(InjectedFault::TypeShared) {
                    self.table.set_types(&record.asset_id, &record.asset_type);
                }
            }
            Call::Transfer {
                from,
                to,
                token,
                amount,
            } => {
                let rounded = *amount as f64 as u128;
                let is_rounded = self.has(InjectedFault::TransferRounded);
                let amount = if is_rounded { &rounded } else { amount };
                if self.has(InjectedFault::LaterTokensUnlisted) && self.height() > 0 {
                    self.ledger.unlist_later_token(token, *to);
                }
                if token == "GRAIN" && self.has(InjectedFault::GrainConfused) {
                    self.ledger.mint(token, *from, *amount);
                    self.ledger.burn(VAULT, *from, *amount);
                }
                let left = self.ledger.balance(token, *from).checked_sub(*amount);
                let is_other = token != NATIVE_TOKEN && from != to;
                if is_other && left == Some(0) && self.has(InjectedFault::AllFails) {
                    return Err("the balance is not more than the amount");
                }
                let moved = self.ledger.transfer(token, *from, *to, *amount);
                if moved.is_err() && self.mints(token, *amount) {
                    self.ledger.mint(token, *to, *amount);
                } else if moved.is_err() && self.has(InjectedFault::OtherUnreserved) {
                    self.ledger.burn(token, *from, *amount);
                    self.ledger.mint(token, *to, *amount);
                } else {
                    moved.map_err(|_| "the balance is not enough")?;
                }
                if let Err(reason) = self.pay_fee(transaction, creator) {
                    if !self.has(InjectedFault::TransferKept) {
                        // Undoes the transfer. This can't fail, because the amount is still there.
                        let _moved_back = self.ledger.transfer(token, *to, *from, *amount);
                    }
                    return Err(reason);
                }
                if let Some(left @ 1..1000) = left
                    && is_other
                    && self.has(InjectedFault::ChangeLost)
                {
                    self.ledger.burn(token, *from, left);
                }
                if *to == creator && self.has(InjectedFault::CreatorUnpaid) {
                    self.ledger.burn(token, *to, *amount);
                }
                if is_other && self.has(InjectedFault::MembersUnpaid) && self.is_member(*to) {
                    let contract = HolderAddress::Contract(self.rules.token);
                    let _moved_on = self.ledger.transfer(token, *to, contract, *amount);
                }
                self.leave_zero_unwritten(token, *from, *amount);
                let dust = self.ledger.balance(NATIVE_TOKEN, *from);
                if self.has(InjectedFault::DustSwept) && dust < transaction.fee {
                    let contract = HolderAddress::Contract(self.rules.token);
                    let _swept = self.ledger.transfer(NATIVE_TOKEN, *from, contract, dust);
                }
                if self.has(InjectedFault::SignersSend) {
                    for signer in &transaction.other_signers {
                        let signer = HolderAddress::Wallet(*signer);
                        self.ledger.burn(token, signer, *amount);
                    }
                }
                if self.has(InjectedFault::ReceivedRounded) && from != to {
                    self.ledger.burn(token, *to, *amount % 100);
                }
                let begins =
                    |one: &HolderAddress| -> String { one.to_string().chars().take(38).collect() };
                if self.has(InjectedFault::NearReceiver) && begins(to) == begins(from) {
                    let _moved_back = self.ledger.transfer(token, *to, *from, *amount);
                }
                if self.has(InjectedFault::TransferToItself) && from == to {
                    self.ledger.mint(token, *to, *amount);
                }
            }
        }
        Ok(())
    }

    fn pay_fee(
        &mut self,
        transaction: &Transaction,
        creator: HolderAddress,
    ) -> Result<(), &'static str> {
        let times = if self.has(InjectedFault::FeeTwice) {
            2
        } else {
            1
        };
        let fee = times * self.first_part(transaction);
        if let Some(second) = transaction.other_signers.first() {
            let second = HolderAddress::Wallet(*second);
            let has = self.ledger.balance(NATIVE_TOKEN, second);
            let part = (transaction.fee - self.first_part(transaction)).min(has);
            // With the fault, it has at least that.
            let _paid = self.ledger.transfer(NATIVE_TOKEN, second, creator, part);
        }
        let paid = self
            .ledger
            .transfer(NATIVE_TOKEN, transaction.payer, creator, fee);
        if paid.is_err()
            && (self.has(InjectedFault::Overspends) || self.has(InjectedFault::FeeBesideAmount))
        {
            self.ledger.burn(NATIVE_TOKEN, transaction.payer, fee);
            self.ledger.mint(NATIVE_TOKEN, creator, fee);
            return Ok(());
        }
        paid.map_err(|_| "the fee can't be paid")?;
        self.leave_zero_unwritten(NATIVE_TOKEN, transaction.payer, fee);
        if self.has(InjectedFault::EmptiedUnlisted) {
            self.ledger.unlist_emptied(NATIVE_TOKEN, transaction.payer);
        }
        Ok(())
    }

    pub(crate) fn rules(&self) -> TransactionRules {
        self.rules
    }
}

/// Reads the signature of a receipt.
fn signature(text: &str) -> Option<[u8; 64]> {
    let signature: MessageSignature = text.parse().ok()?;
    Some(*signature.as_bytes())
}
