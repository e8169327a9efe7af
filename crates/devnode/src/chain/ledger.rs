//! The balances of all holders.

use std::collections::{BTreeMap, BTreeSet};

use nodeproof_primitives::HolderAddress;

/// The holder's balance is too low for a transfer.
#[derive(Debug)]
pub(crate) struct Insufficient;

/// All balances, in base units. They are exact. The sum of one token is at most 2^127.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    tokens: BTreeMap<String, BTreeMap<HolderAddress, u128>>,
    /// The balances that lists lack, with a fault.
    unlisted: BTreeSet<(String, HolderAddress)>,
}

impl Ledger {
    /// Creates tokens.
    pub(crate) fn mint(&mut self, token: &str, holder: HolderAddress, amount: u128) {
        *self
            .tokens
            .entry(token.to_owned())
            .or_default()
            .entry(holder)
            .or_default() += amount;
    }

    /// Destroys tokens of a holder, at most all.
    pub(crate) fn burn(&mut self, token: &str, holder: HolderAddress, amount: u128) {
        let holders = self.tokens.get_mut(token);
        if let Some(balance) = holders.and_then(|holders| holders.get_mut(&holder)) {
            *balance = balance.saturating_sub(amount);
        }
    }

    /// Returns a holder's balance of a token. It is 0 if the holder or the token is unknown.
    pub(crate) fn balance(&self, token: &str, holder: HolderAddress) -> u128 {
        let holders = self.tokens.get(token);
        let balance = holders.and_then(|holders| holders.get(&holder));
        balance.copied().unwrap_or(0)
    }

    /// Returns all tokens that a holder has or had, with their balances, sorted by code.
    pub(crate) fn holdings(&self, holder: HolderAddress) -> impl Iterator<Item = (&str, u128)> {
        self.tokens
            .iter()
            .filter(move |(token, _)| self.is_listed(token, holder))
            .filter_map(move |(token, holders)| Some((token.as_str(), *holders.get(&holder)?)))
    }

    fn is_listed(&self, token: &str, holder: HolderAddress) -> bool {
        self.unlisted.is_empty() || !self.unlisted.contains(&(token.to_owned(), holder))
    }

    /// Leaves a balance out of lists if nothing is left.
    pub(crate) fn unlist_emptied(&mut self, token: &str, holder: HolderAddress) {
        if self.balance(token, holder) == 0 {
            self.unlisted.insert((token.to_owned(), holder));
        }
    }

    /// Leaves a token out of lists if its holder has others, and not this one.
    pub(crate) fn unlist_later_token(&mut self, token: &str, holder: HolderAddress) {
        let has_others = self.holdings(holder).next().is_some();
        if has_others && self.balance(token, holder) == 0 {
            self.unlisted.insert((token.to_owned(), holder));
        }
    }

    /// Returns all holders that have or had a token, with their balances, sorted by address.
    pub(crate) fn holders(&self, token: &str) -> impl Iterator<Item = (HolderAddress, u128)> {
        let is_listed = |(holder, _): &(HolderAddress, u128)| self.is_listed(token, *holder);
        self.tokens
            .get(token)
            .into_iter()
            .flatten()
            .map(|(holder, balance)| (*holder, *balance))
            .filter(is_listed)
    }

    /// Whether the token exists.
    pub(crate) fn knows(&self, token: &str) -> bool {
        self.tokens.contains_key(token)
    }

    /// Transfers tokens. If this fails, no balance changes.
    pub(crate) fn transfer(
        &mut self,
        token: &str,
        from: HolderAddress,
        to: HolderAddress,
        amount: u128,
    ) -> Result<(), Insufficient> {
        let holders = self.tokens.get_mut(token).ok_or(Insufficient)?;
        if amount == 0 {
            return Ok(());
        }
        let giver = holders.get_mut(&from).ok_or(Insufficient)?;
        *giver = giver.checked_sub(amount).ok_or(Insufficient)?;
        *holders.entry(to).or_default() += amount;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use nodeproof_primitives::WalletAddress;

    use super::*;

    fn holder(byte: u8) -> HolderAddress {
        HolderAddress::Wallet(WalletAddress::from_bytes([byte; 20]))
    }

    #[test]
    fn a_transfer_moves_all_or_nothing_and_keeps_the_sum() {
        let mut ledger = Ledger::default();
        let most = (1 << 53) + 1;
        ledger.mint("T", holder(1), most);
        assert!(
            ledger
                .transfer("T", holder(1), holder(2), most + 1)
                .is_err()
        );
        assert!(ledger.transfer("U", holder(1), holder(2), 0).is_err());
        // Nothing can be sent by a holder of nothing.
        ledger.transfer("T", holder(3), holder(2), 0).unwrap();
        ledger
            .transfer("T", holder(1), holder(2), most - 2)
            .unwrap();
        ledger.transfer("T", holder(1), holder(1), 2).unwrap();
        assert_eq!(ledger.balance("T", holder(1)), 2);
        assert_eq!(
            ledger.holders("T").map(|(_, held)| held).sum::<u128>(),
            most
        );
    }
}
