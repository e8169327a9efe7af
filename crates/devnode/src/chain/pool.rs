//! Transactions that wait for the next block, and those that are known already.

use std::collections::HashMap;

use nodeproof_primitives::{HolderAddress, TransactionCode};

use super::{Transaction, transaction::Call};

/// Whether a code has been seen.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    No,
    /// With this very transaction.
    Same,
    /// With another transaction.
    Other,
}

/// Transactions that wait, in the order in which they came, and the codes of
/// those and of all that are in blocks.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    waiting: Vec<Transaction>,
    known: HashMap<TransactionCode, [u8; 32]>,
    /// What the waiting ones will take from whom.
    reserved: HashMap<(HolderAddress, String), u128>,
}

impl Pool {
    pub(crate) fn seen(&self, code: TransactionCode, digest: &[u8; 32]) -> Seen {
        match self.known.get(&code) {
            None => Seen::No,
            Some(known) if known == digest => Seen::Same,
            Some(_) => Seen::Other,
        }
    }

    /// Whether this very transaction is known, whatever its code.
    pub(crate) fn knows(&self, code: TransactionCode, digest: &[u8; 32]) -> bool {
        self.seen(code, digest) == Seen::Same
    }

    /// Whether a transaction waits for the next block.
    pub(crate) fn waits(&self, code: TransactionCode) -> bool {
        self.waiting.iter().any(|waiting| waiting.code == code)
    }

    pub(crate) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// How much of a token the waiting transactions will take from a holder.
    pub(crate) fn reserved(&self, holder: HolderAddress, token: &str) -> u128 {
        self.reserved
            .get(&(holder, token.to_owned()))
            .copied()
            .unwrap_or(0)
    }

    pub(crate) fn add(&mut self, transaction: Transaction) {
        for (holder, token, amount) in transaction.takes() {
            let reserved = self.reserved.entry((holder, token.to_owned())).or_default();
            *reserved = reserved.saturating_add(amount);
        }
        self.known.insert(transaction.code, transaction.digest);
        self.waiting.push(transaction);
    }

    /// Hands over all that wait.
    pub(crate) fn take(&mut self) -> Vec<Transaction> {
        self.reserved.clear();
        std::mem::take(&mut self.waiting)
    }

    /// Forgets a transaction that no block will hold.
    pub(crate) fn forget(&mut self, code: TransactionCode) {
        self.known.remove(&code);
    }
}

impl Transaction {
    /// What it takes from whom: the fee, and what it sends.
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
