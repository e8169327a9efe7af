//! The cases: each tests one sentence of the contract, and quotes it.
//!
//! A case's ID is `<operation>/<behaviour>` and stays what it is once released: expectations,
//! baselines and other people's filters name it.

mod call_sc;
mod chain;
mod docs;
mod fields;
mod get_balances;
mod get_block;
mod get_trustscore_wallets;
mod sc_state;

use std::{future::Future, pin::Pin};

pub(crate) use fields::FIELDS;

use crate::{
    field::{self, Field},
    outcome::{Findings, Level},
    sample::Context,
};

/// One case.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// `<operation>/<behaviour>`, lower-case with hyphens.
    pub id: &'static str,
    /// How binding the sentence is.
    pub level: Level,
    /// The sentence of the contract, or for [`Level::Observed`] what nodes were seen to do.
    pub requirement: &'static str,
    check: Check,
}

type CheckFuture<'c> = Pin<Box<dyn Future<Output = Findings> + Send + 'c>>;

#[derive(Clone, Copy, Debug)]
enum Check {
    Field(&'static Field),
    Own(for<'c> fn(&'c Context) -> CheckFuture<'c>),
}

impl Case {
    const fn must(
        id: &'static str,
        requirement: &'static str,
        check: for<'c> fn(&'c Context) -> CheckFuture<'c>,
    ) -> Self {
        Self {
            id,
            level: Level::Must,
            requirement,
            check: Check::Own(check),
        }
    }

    const fn should(
        id: &'static str,
        requirement: &'static str,
        check: for<'c> fn(&'c Context) -> CheckFuture<'c>,
    ) -> Self {
        Self {
            id,
            level: Level::Should,
            requirement,
            check: Check::Own(check),
        }
    }

    /// The operation that the case is about.
    #[must_use]
    pub fn operation(&self) -> &'static str {
        self.id.split('/').next().unwrap_or(self.id)
    }

    pub(crate) async fn run(&self, context: &Context) -> Findings {
        match self.check {
            Check::Field(field) => field::check(context, field).await,
            Check::Own(check) => check(context).await,
        }
    }
}

/// All cases, by operation, in the order in which reports list them.
#[must_use]
pub fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for own in [
        get_block::CASES,
        chain::CASES,
        get_balances::CASES,
        sc_state::CASES,
        get_trustscore_wallets::CASES,
        docs::CASES,
        call_sc::CASES,
    ] {
        let operation = own.first().map_or("", Case::operation);
        cases.extend_from_slice(own);
        cases.extend(
            FIELDS
                .iter()
                .map(|field| Case {
                    id: field.id,
                    level: Level::Must,
                    requirement: field.requirement,
                    check: Check::Field(field),
                })
                .filter(|case| case.operation() == operation),
        );
    }
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
