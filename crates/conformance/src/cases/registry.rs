//! The list of all cases.

use super::{
    block_transactions, call_sc, case::Case, chain, claim, docs, get_balances, get_block,
    get_trustscore_wallets, sc_state, submit_transaction,
};
use crate::checks::FIELDS;

/// All cases, by operation, in the order in which reports list them.
#[must_use]
pub fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for own in [
        get_block::CASES,
        chain::CASES,
        block_transactions::CASES,
        get_balances::CASES,
        sc_state::CASES,
        get_trustscore_wallets::CASES,
        docs::CASES,
        call_sc::CASES,
        submit_transaction::CASES,
    ] {
        let operation = own.first().map_or("", Case::operation);
        cases.extend_from_slice(own);
        cases.extend(
            FIELDS
                .iter()
                .map(Case::of_field)
                .filter(|case| case.operation() == operation),
        );
    }
    cases.extend_from_slice(claim::CASES);
    cases
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn ids_are_unique_and_of_their_form() {
        let cases = all();
        let ids: BTreeSet<_> = cases.iter().map(|case| case.id).collect();
        assert_eq!(ids.len(), cases.len());
        for id in ids {
            let (operation, behaviour) = id.split_once('/').expect("an operation and a behaviour");
            for part in [operation, behaviour] {
                assert!(
                    part.chars()
                        .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
                        && !part.is_empty(),
                    "{id}"
                );
            }
        }
    }

    #[test]
    fn every_case_quotes_what_it_tests() {
        for case in all() {
            assert!(case.requirement.len() > 10, "{}", case.id);
        }
    }
}
