//! What only faults need of the state.

use nodeproof_primitives::{HolderAddress, TransactionCode};

use super::{
    super::{NATIVE_TOKEN, Transaction, transaction::Call},
    Chain,
};
use crate::InjectedFault;

/// A transfer of a block: its sender and receiver, the token and the amount.
type Sent = (HolderAddress, HolderAddress, String, u128);

impl Chain {
    /// Whether the latest blocks do not have this transaction, and the node has the fault to forget older ones.
    pub(super) fn has_forgotten(&self, code: TransactionCode) -> bool {
        let code = code.to_string();
        let latest = self.blocks.iter().rev().take(10);
        let mut entries = latest.flat_map(|block| &*block.transactions);
        self.has(InjectedFault::CodesForgotten) && !entries.any(|entry| entry.contains(&code))
    }

    /// Whether what is pending of a token counts when something is accepted.
    pub(super) fn reserves(&self, token: &str) -> bool {
        match token {
            _ if self.has(InjectedFault::Overspends) => false,
            _ if self.has(InjectedFault::TransferKept) => false,
            NATIVE_TOKEN => true,
            _ => !self.has(InjectedFault::OtherUnreserved),
        }
    }

    /// Whether a fault lets a transfer of what its sender does not have reach the receiver.
    pub(super) fn mints(&self, token: &str, amount: u128) -> bool {
        let is_small = amount < 256 && self.has(InjectedFault::SmallMinted);
        token != NATIVE_TOKEN && (is_small || self.has(InjectedFault::OtherTokenMinted))
    }

    /// With the fault, shows the signatures of a submission in the block that has its transaction.
    pub(super) fn replace_signatures(&mut self, transaction: &Transaction) {
        if !self.has(InjectedFault::SignaturesReplaced) {
            return;
        }
        let code = transaction.code.to_string();
        let entries = self
            .blocks
            .iter_mut()
            .flat_map(|block| &mut block.transactions);
        for entry in entries.filter(|entry| entry.contains(&code)) {
            *entry = transaction.entry.clone();
        }
    }

    /// Whether a holder is a wallet of the committee.
    pub(super) fn is_member(&self, holder: HolderAddress) -> bool {
        let mut members = self.committee.members().iter();
        members.any(|member| HolderAddress::Wallet(member.keys.address()) == holder)
    }

    /// Whether a correctly signed transaction with this code was refused.
    pub(crate) fn has_refused(&self, code: TransactionCode) -> bool {
        self.refused.contains(&code)
    }

    /// Keeps a transaction as `/call-sc` built it.
    pub(crate) fn keep_built(&mut self, code: TransactionCode, text: String) {
        self.built.insert(code, text);
    }

    /// Returns the transaction with this code as `/call-sc` built it.
    pub(crate) fn built(&self, code: TransactionCode) -> Option<String> {
        self.built.get(&code).cloned()
    }

    /// Takes the fee of a pending transaction, and forgets it.
    pub(crate) fn charge_and_forget(&mut self, code: TransactionCode) {
        for transaction in self.pool.take() {
            if transaction.code == code {
                self.charge(&transaction);
                self.pool.forget(code);
            } else {
                self.pool.add(transaction);
            }
        }
    }

    /// Takes no fee for a pending transaction.
    pub(crate) fn exempt(&mut self, code: TransactionCode) {
        self.pool.exempt(code);
    }

    /// Removes the pending transactions from this place on, except for the last one.
    pub(crate) fn drop_between(&mut self, place: usize) {
        self.pool.drop_between(place);
    }

    /// Takes the fee of a transaction that is not executed. This is a fault.
    pub(crate) fn charge(&mut self, transaction: &Transaction) {
        let creator = HolderAddress::Wallet(self.committee.creator(self.height()));
        let _paid = self.pay_fee(transaction, creator);
    }

    /// Stores a refused transaction in a later block. This is a fault.
    pub(crate) fn store_later(&mut self, transaction: Transaction) {
        self.stored_later.push((self.height() + 2, transaction));
    }

    /// With the fault, moves back what a transfer has moved if it is more than its sender received from the same wallet in
    /// this block.
    pub(super) fn undo_opposite(&mut self, transaction: &Transaction, sent: &mut Vec<Sent>) {
        let Call::Transfer {
            from,
            to,
            token,
            amount,
        } = &transaction.call
        else {
            return;
        };
        if !self.has(InjectedFault::OppositeLost) {
            return;
        }
        let mut earlier = sent.iter();
        if earlier.any(|one| one.0 == *to && one.1 == *from && one.2 == *token && one.3 < *amount) {
            let _moved_back = self.ledger.transfer(token, *to, *from, *amount);
        }
        sent.push((*from, *to, token.clone(), *amount));
    }

    /// Returns what the first signer pays of the fee: all of it, without a fault.
    pub(super) fn first_part(&self, transaction: &Transaction) -> u128 {
        match transaction.other_signers[..] {
            [_, ..] if self.has(InjectedFault::SecondUnchecked) => transaction.fee / 2,
            _ => transaction.fee,
        }
    }

    /// With the fault, gives back an amount that a holder paid if nothing is left.
    pub(super) fn leave_zero_unwritten(
        &mut self,
        token: &str,
        holder: HolderAddress,
        amount: u128,
    ) {
        if self.has(InjectedFault::ZeroUnwritten) && self.ledger.balance(token, holder) == 0 {
            self.ledger.mint(token, holder, amount);
        }
    }
}
