//! Who holds how much of what.

use std::collections::BTreeMap;

use nodeproof_primitives::HolderAddress;

/// A holder that has less than it was to give.
#[derive(Debug)]
pub(crate) struct Insufficient;

/// All balances, in base units. They are exact, and no sum of one token exceeds 2^127.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    tokens: BTreeMap<String, BTreeMap<HolderAddress, u128>>,
}

impl Ledger {
    /// Brings tokens into being.
    pub(crate) fn mint(&mut self, token: &str, holder: HolderAddress, amount: u128) {
        *self
            .tokens
            .entry(token.to_owned())
            .or_default()
            .entry(holder)
            .or_default() += amount;
    }

    /// What is held of one token; 0 as well when holder or token are unknown.
    pub(crate) fn balance(&self, token: &str, holder: HolderAddress) -> u128 {
        self.held(token, holder).unwrap_or(0)
    }

    /// What is held of one token; `None` for a holder that never had it.
    pub(crate) fn held(&self, token: &str, holder: HolderAddress) -> Option<u128> {
        self.tokens.get(token)?.get(&holder).copied()
    }

    /// Every token that a holder has or had, with what is held of it, by code.
    pub(crate) fn holdings(&self, holder: HolderAddress) -> impl Iterator<Item = (&str, u128)> {
        self.tokens
            .iter()
            .filter_map(move |(token, holders)| Some((token.as_str(), *holders.get(&holder)?)))
    }

    /// Everybody who has or had a token, with what is held of it, by address.
    pub(crate) fn holders(&self, token: &str) -> impl Iterator<Item = (HolderAddress, u128)> {
        self.tokens
            .get(token)
            .into_iter()
            .flatten()
            .map(|(holder, balance)| (*holder, *balance))
    }

    /// Whether there is such a token.
    pub(crate) fn knows(&self, token: &str) -> bool {
        self.tokens.contains_key(token)
    }

    /// Moves tokens, all or none.
    pub(crate) fn transfer(
        &mut self,
        token: &str,
        from: HolderAddress,
        to: HolderAddress,
        amount: u128,
    ) -> Result<(), Insufficient> {
        let holders = self.tokens.get_mut(token).ok_or(Insufficient)?;
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
