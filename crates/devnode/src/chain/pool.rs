//! Pending transactions, and the codes of all known transactions.

use std::collections::HashMap;

use nodeproof_primitives::{HolderAddress, TransactionCode};
use serde_json::Value;

use super::{Transaction, transaction::Call};

/// Whether a transaction code is known.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum CodeStatus {
    Unknown,
    /// Known with this transaction.
    SameTransaction,
    /// Known with another transaction.
    OtherTransaction,
}

/// Pending transactions, in the order of their arrival, and the codes of all transactions that are
/// pending or in blocks.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    waiting: Vec<Transaction>,
    /// What is reserved for nothing: the holder, the token and the amount. This is a fault.
    reserved: Vec<(HolderAddress, &'static str, u128)>,
    known: HashMap<TransactionCode, [u8; 32]>,
}

impl Pool {
    pub(crate) fn seen(&self, code: TransactionCode, digest: &[u8; 32]) -> CodeStatus {
        match self.known.get(&code) {
            None => CodeStatus::Unknown,
            Some(known) if known == digest => CodeStatus::SameTransaction,
            Some(_) => CodeStatus::OtherTransaction,
        }
    }

    /// Whether exactly this transaction is pending or in a block.
    pub(crate) fn knows(&self, code: TransactionCode, digest: &[u8; 32]) -> bool {
        self.seen(code, digest) == CodeStatus::SameTransaction
    }

    /// Whether a transaction is pending.
    pub(crate) fn waits(&self, code: TransactionCode) -> bool {
        self.waiting.iter().any(|waiting| waiting.code == code)
    }

    pub(crate) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Returns how much of a token the pending transactions will take from a holder.
    pub(crate) fn reserved(&self, holder: HolderAddress, token: &str) -> u128 {
        self.waiting
            .iter()
            .flat_map(Transaction::takes)
            .chain(self.reserved.iter().copied())
            .filter(|(from, of, _)| *from == holder && *of == token)
            .fold(0, |sum, (.., amount)| sum.saturating_add(amount))
    }

    /// Reserves an amount for ever. This is a fault.
    pub(crate) fn reserve(&mut self, holder: HolderAddress, token: &'static str, amount: u128) {
        self.reserved.push((holder, token, amount));
    }

    pub(crate) fn add(&mut self, transaction: Transaction) {
        self.known.insert(transaction.code, transaction.digest);
        self.waiting.push(transaction);
    }

    /// Removes the pending transactions of a wallet.
    pub(crate) fn drop_all_of(&mut self, payer: HolderAddress) {
        self.waiting.retain(|waiting| waiting.payer != payer);
    }

    /// Removes the pending transactions of a wallet that have the time of its next one, and a lower fee.
    pub(crate) fn drop_of_same_time(&mut self, next: &Transaction) {
        self.waiting.retain(|waiting| {
            waiting.payer != next.payer || waiting.fee >= next.fee || waiting.time() != next.time()
        });
    }

    /// Removes a pending transaction.
    pub(crate) fn drop_pending(&mut self, code: TransactionCode) {
        self.waiting.retain(|waiting| waiting.code != code);
    }

    /// Takes no fee for a pending transaction.
    pub(crate) fn exempt(&mut self, code: TransactionCode) {
        let mut waiting = self.waiting.iter_mut();
        if let Some(found) = waiting.find(|waiting| waiting.code == code) {
            found.fee = 0;
        }
    }

    /// Removes the pending transactions from this place on, except for the last one.
    pub(crate) fn drop_between(&mut self, place: usize) {
        let last = self.waiting.len().saturating_sub(1);
        self.waiting.drain(place.min(last)..last);
    }

    /// Removes and returns all pending transactions.
    pub(crate) fn take(&mut self) -> Vec<Transaction> {
        std::mem::take(&mut self.waiting)
    }

    /// Forgets a transaction that won't get into a block.
    pub(crate) fn forget(&mut self, code: TransactionCode) {
        self.known.remove(&code);
    }
}

impl Transaction {
    /// Returns the time that it states, as its block shows it.
    fn time(&self) -> Option<u64> {
        let entry: Value = serde_json::from_str(&self.entry).ok()?;
        entry["transaction"]["timestamp"].as_u64()
    }

    /// Returns the amounts that the transaction takes, with holder and token: the fee, and a transfer.
    pub(crate) fn takes(&self) -> impl Iterator<Item = (HolderAddress, &str, u128)> {
        let sent = match &self.call {
            Call::Transfer {
                from,
                token,
                amount,
                ..
            } => Some((*from, token.as_str(), *amount)),
            Call::AddVerification(_) => None,
        };
        std::iter::once((self.payer, super::NATIVE_TOKEN, self.fee)).chain(sent)
    }
}
