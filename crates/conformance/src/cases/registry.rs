//! The list of all cases.

use super::{
    block_cases::block_cases, call_sc, case::Case, claim, claim_aftermath, claim_record, docs,
    effects, get_balances, get_block, get_trustscore_wallets, http, list_forms, new_blocks,
    new_records, probes, refused_submissions, request_kind::RequestKind, sc_state,
    submit_transaction,
};
use crate::{
    api::Sample,
    checks::{FIELDS, Field},
};

/// The kinds of requests that the search for samples sends.
pub(crate) const DISCOVERY: &[RequestKind] = &[get_block::BLOCK, get_balances::HELD];

/// Returns all cases, by operation, in the order in which reports list them.
#[must_use]
pub fn all() -> Vec<Case> {
    let fields = |sample: Sample, case: fn(&'static Field) -> Case| {
        let fields = FIELDS.iter().filter(move |field| field.sample == sample);
        fields.map(case).collect::<Vec<_>>()
    };
    [
        &block_cases(),
        new_blocks::CASES,
        get_balances::CASES,
        list_forms::CASES,
        sc_state::CASES,
        new_records::CASES,
        get_trustscore_wallets::CASES,
        &fields(Sample::TrustScore, get_trustscore_wallets::of_field),
        docs::CASES,
        http::CASES,
        call_sc::CASES,
        refused_submissions::CASES,
        submit_transaction::CASES,
        &fields(Sample::Refusals, submit_transaction::of_field),
        claim::CASES,
        claim_record::CASES,
        claim_aftermath::CASES,
        effects::CASES,
        probes::CASES,
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use nodeproof_openapi::{Basis, Requirement, requirement, requirements};
    use nodeproof_report::Level;

    use super::*;
    use crate::cases::{
        BASELINE, FIXTURE,
        untested::{UNTESTED, untested},
    };

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
            let documented = bases.iter().all(|basis| *basis == Basis::Documented);
            let inferred = bases.first() == Some(&Basis::Inferred);
            let right = match case.level {
                // An exception gives the reason.
                Level::Must => {
                    inferred
                        || bases.first() == Some(&Basis::Documented)
                            && documented == case.exception.is_none()
                }
                Level::Should => bases.iter().any(|basis| *basis != Basis::Open),
                Level::Observed => bases.first() == Some(&Basis::Observed),
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
    fn every_case_says_what_it_checks_and_why() {
        for case in all().iter().chain(FIXTURE).chain(&BASELINE) {
            assert!(
                !case.checks.is_empty() && !case.matters.is_empty(),
                "{}",
                case.id
            );
        }
    }

    #[test]
    fn every_field_that_cites_a_requirement_is_a_case() {
        let ids: Vec<_> = FIELDS.iter().map(|field| field.id.as_str()).collect();
        for (id, requirements) in [
            ("get-block/index", &["BLOCK-2"][..]),
            ("get-block/committee", &["BLOCK-11", "FORM-2"]),
            ("get-block/receipt-data", &["BLOCK-8", "RECEIPT-1"]),
            ("get-block/receipt-block-hash", &["RECEIPT-2", "FORM-4"]),
            ("get-trustscore-wallets/trust-score", &["TRUST-3"]),
            ("submit-transaction/new-transaction", &["SUBMIT-7"]),
        ] {
            let field = FIELDS.iter().find(|field| field.id == id);
            let field = field.unwrap_or_else(|| panic!("{id} is not in {ids:?}"));
            assert_eq!(field.requirements, requirements, "{id}");
        }
        assert_eq!(ids.len(), 26, "{ids:?}");
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
