//! The cases: each tests one sentence of the contract, and quotes it.
//!
//! A case's ID is `<operation>/<behaviour>` and stays what it is once released: expectations,
//! baselines and other people's filters name it.

mod balance_lists;
mod block_transactions;
mod call_sc;
mod chain;
mod claim;
mod docs;
mod fields;
mod get_balances;
mod get_block;
mod get_trustscore_wallets;
mod record;
mod sc_state;
mod submit_transaction;

use std::{future::Future, pin::Pin};

pub(crate) use fields::FIELDS;

use nodeproof_report::Level;

use crate::{
    api::{Sample, Tier},
    block_check::{self, BlockCheck, Look},
    field::{self, Field},
    finding::Findings,
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
    /// How far it goes, and so what a run needs to be allowed.
    pub tier: Tier,
    check: Check,
}

type CheckFuture<'c> = Pin<Box<dyn Future<Output = Findings> + Send + 'c>>;

#[derive(Clone, Copy, Debug)]
enum Check {
    Field(&'static Field),
    Blocks(BlockCheck),
    Own(for<'c> fn(&'c Context) -> CheckFuture<'c>),
}

impl Case {
    pub(crate) const fn must(
        id: &'static str,
        requirement: &'static str,
        check: for<'c> fn(&'c Context) -> CheckFuture<'c>,
    ) -> Self {
        Self {
            id,
            level: Level::Must,
            requirement,
            tier: Tier::Read,
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
            tier: Tier::Read,
            check: Check::Own(check),
        }
    }

    const fn observed(
        id: &'static str,
        requirement: &'static str,
        check: for<'c> fn(&'c Context) -> CheckFuture<'c>,
    ) -> Self {
        Self {
            id,
            level: Level::Observed,
            requirement,
            tier: Tier::Read,
            check: Check::Own(check),
        }
    }

    /// A case about blocks, which a sweep has as well.
    const fn of_blocks(
        id: &'static str,
        level: Level,
        requirement: &'static str,
        check: BlockCheck,
    ) -> Self {
        Self {
            id,
            level,
            requirement,
            tier: Tier::Read,
            check: Check::Blocks(check),
        }
    }

    /// The same in another tier.
    const fn of(mut self, tier: Tier) -> Self {
        self.tier = tier;
        self
    }

    /// The operation that the case is about.
    #[must_use]
    pub fn operation(&self) -> &'static str {
        self.id.split('/').next().unwrap_or(self.id)
    }

    /// What the case checks of each block, if it is about blocks.
    pub(crate) const fn block_check(&self) -> Option<BlockCheck> {
        match self.check {
            Check::Blocks(check) => Some(check),
            Check::Field(field) if matches!(field.sample, Sample::Blocks) => Some(BlockCheck {
                look: Look::Field(field),
                least: 1,
                otherwise: field::NEVER_SEEN,
            }),
            Check::Field(_) | Check::Own(_) => None,
        }
    }

    pub(crate) async fn run(&self, context: &Context) -> Findings {
        if let Some(check) = self.block_check() {
            return block_check::over_sample(context, check).await;
        }
        match self.check {
            Check::Field(field) => field::check(context, field).await,
            Check::Blocks(check) => block_check::over_sample(context, check).await,
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
                .map(|field| Case {
                    id: field.id,
                    level: Level::Must,
                    requirement: field.requirement,
                    tier: field.tier(),
                    check: Check::Field(field),
                })
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
