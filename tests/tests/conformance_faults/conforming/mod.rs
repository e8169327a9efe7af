//! Nodes that conform to the specification in a different way from a local node. None of them may fail a
//! case.
//!
//! Each row is a good node with one change that the specification allows. The row lists the cases
//! that warn or inform because known nodes behave differently. No other case may, and the exit
//! status is 0.

mod balances;
mod behaviours;
mod blocks;
mod builder;
mod rewrites;
mod state;
mod submissions;
mod transport;

use std::{collections::BTreeSet, sync::Arc};

use integration_tests::{
    faults::SeededFault,
    matrix::{cell, count, ids, keep_file_fresh},
    watch::caught,
};
use libtest_mimic::{Failed, Trial};
use nodeproof_conformance::Tier;

use crate::{
    claim,
    facts::Facts,
    probes,
    setup::{Setup, expect_cases, run, test_name},
};

/// Returns the variants by topic, with the tier that a run needs for them.
fn tables(facts: &Facts) -> Vec<(&'static str, Tier, Vec<SeededFault>)> {
    vec![
        ("HTTP and JSON", Tier::Read, transport::variants()),
        ("blocks", Tier::Read, blocks::variants(facts)),
        ("balances", Tier::Read, balances::variants(facts)),
        (
            "contract state, trust scores and the listing",
            Tier::Read,
            state::variants(),
        ),
        ("built transactions", Tier::Read, builder::variants()),
        (
            "refusals of submissions",
            Tier::Reject,
            submissions::refusals(),
        ),
        ("claims", Tier::Write, submissions::claims()),
        ("probes", Tier::Probe, transport::refused_probes()),
    ]
}

/// Returns a test for each variant.
pub(crate) fn trials(setup: &Arc<Setup>) -> Vec<Trial> {
    let mut trials = Vec::new();
    let mut names = BTreeSet::new();
    for (_, tier, rows) in tables(&setup.facts) {
        for row in rows {
            let name = format!("conforming::{}", test_name(row.name));
            assert!(names.insert(name.clone()), "two rows are named {name}");
            trials.push(setup.trial(name, async move |setup: Arc<Setup>| {
                let report = match tier {
                    Tier::Read => run(&setup.node, row.fault).await,
                    Tier::Probe => probes::run(&setup.node, row.fault).await,
                    _ => claim::run(row.fault, tier).await,
                };
                expect_cases(&caught(&report), row.failing_cases)?;
                match report.exit_code {
                    0 => Ok(()),
                    code => Err(Failed::from(format!(
                        "exit status {code}: {:?}",
                        report.reason
                    ))),
                }
            }));
        }
    }
    trials.push(setup.trial(
        "the_conforming_variants_in_the_docs_are_fresh",
        docs_are_fresh,
    ));
    trials
}

const INTRODUCTION: &str = "# Conforming variants

These nodes conform to the specification in a different way than the local node. A conformance run against each of them ends with
exit status 0: no MUST case fails. If known nodes behave differently, a case warns. This file is generated from the
table that the tests run: `UPDATE_FAULT_MATRIX=1 cargo test -p integration-tests --test conformance_faults docs` updates it.
";

async fn docs_are_fresh(setup: Arc<Setup>) -> Result<(), Failed> {
    let tables = tables(&setup.facts);
    let all = tables.iter().map(|(_, _, rows)| rows.len()).sum();
    let mut text = format!("{INTRODUCTION}\n{}.\n", count(all, "variant", "variants"));
    for (about, tier, rows) in tables {
        text.push_str(&format!(
            "\n## {} ({} tier)\n\n| variant | cases that warn |\n| --- | --- |\n",
            about,
            tier.name()
        ));
        for row in rows {
            text.push_str(&format!(
                "| {} | {} |\n",
                cell(row.name),
                ids(row.failing_cases)
            ));
        }
    }
    keep_file_fresh("conforming-variants.md", &text).map_err(Into::into)
}
