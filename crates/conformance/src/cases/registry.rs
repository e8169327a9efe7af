//! The list of all cases.

use super::{
    block_transactions, call_sc, case::Case, chain, claim, docs, get_balances, get_block,
    get_trustscore_wallets, http, probes, sc_state, submit_transaction,
};
use crate::checks::FIELDS;

/// The cases that run after all others, one after the other. They are about the whole run.
pub(crate) const AT_THE_END: [&str; 2] = [chain::REPEAT_READ, http::NO_RETRIES];

/// Returns all cases, by operation, in the order in which reports list them.
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
        http::CASES,
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
    cases.extend_from_slice(probes::CASES);
    cases
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use nodeproof_openapi::{Basis, Requirement, requirement, requirements};
    use nodeproof_report::Level;

    use super::*;
    use crate::cases::untested::{UNTESTED, untested};

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

    fn bases(case: &Case) -> Vec<Basis> {
        let cited = case.requirements.iter();
        let known = |id: &&str| requirement(id).map(|known| known.basis);
        cited
            .map(|id| {
                known(id).unwrap_or_else(|| panic!("{} cites {id}, which is unknown", case.id))
            })
            .collect()
    }

    #[test]
    fn a_level_follows_from_what_the_requirements_rest_on() {
        for case in all() {
            let bases = bases(&case);
            let right = match case.level {
                Level::Must => bases.contains(&Basis::Documented),
                Level::Should => bases.iter().any(|basis| *basis != Basis::Open),
                Level::Observed => bases.contains(&Basis::Observed),
            };
            assert!(
                right,
                "{} is {}, and cites {bases:?}",
                case.id,
                case.level.name()
            );
        }
    }

    #[test]
    fn every_documented_requirement_has_a_case_or_a_reason() {
        let cases = all();
        for Requirement { id, basis, .. } in requirements() {
            let cited = cases.iter().any(|case| case.requirements.contains(id));
            match (basis, untested(id)) {
                (_, Some(_)) => assert!(!cited, "{id} has a case, and a reason why it has none"),
                (Basis::Documented, None) => assert!(cited, "{id} has no case, and no reason"),
                (_, None) => {}
            }
        }
    }

    #[test]
    fn a_reason_is_about_a_requirement() {
        for (id, _) in UNTESTED {
            assert!(requirement(id).is_some(), "{id}");
        }
    }
}
