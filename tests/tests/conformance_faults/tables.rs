//! All tables: a test for each row, and tests of the tables themselves.

use std::{collections::BTreeSet, sync::Arc};

use integration_tests::{
    faults::SeededFault,
    matrix,
    submissions::kind_of_body,
    watch::{caught, causes},
};
use libtest_mimic::{Failed, Trial};
use nodeproof_conformance::{BlockRange, Options, Sweep, Tier, cases, report::NodeReport};

use crate::{
    aftermath, call_sc, chain, claim, claim_values, docs,
    facts::Facts,
    get_balances, get_block, get_trustscore_wallets, lenient, probes, requirements, sc_state,
    setup::{Setup, expect_cases, run_with, test_name},
    submissions, submit_transaction,
};

/// The faults that one operation can have.
struct Table {
    operation: &'static str,
    /// The highest tier that a run needs to notice them.
    tier: Tier,
    rows: Vec<SeededFault>,
}

fn tables(facts: &Facts) -> Vec<Table> {
    let table = |operation, tier, rows| Table {
        operation,
        tier,
        rows,
    };
    vec![
        // One row needs a chain that is younger than a minute.
        table("call_sc", Tier::Read, call_sc::faults(facts)),
        table("get_block", Tier::Read, get_block::faults(facts)),
        table("chain", Tier::Read, chain::faults(facts)),
        table("get_balances", Tier::Read, get_balances::faults(facts)),
        table("sc_state", Tier::Read, sc_state::faults(facts)),
        table(
            "get_trustscore_wallets",
            Tier::Read,
            get_trustscore_wallets::faults(facts),
        ),
        table("lenient", Tier::Read, lenient::faults()),
        table("docs", Tier::Read, docs::faults()),
        table("probes", Tier::Probe, probes::faults()),
        table(
            "submit_transaction",
            Tier::Reject,
            submit_transaction::faults(),
        ),
        table("claim", Tier::Write, claim::faults()),
        table("claim_values", Tier::Write, claim_values::faults()),
        table("aftermath", Tier::Write, aftermath::faults()),
    ]
}

/// The faults that have more than one cause.
const SEVERAL_CAUSES: [&str; 18] = [
    "accepts what is first-of-two-right, or last-of-two-right",
    "counts the signatures of any signers",
    "verifies only the first of two signatures",
    "does not verify unknown members",
    "accepts a signature whose r or s is 0",
    "verifies texts without blanks at their end",
    "verifies numbers in strings as numbers",
    "accepts another wallet's key from the second time on",
    "signatures do not cover a signer's address",
    // It stores what it refuses.
    "refuses a claim with empty lists",
    // The receipts do not verify, either.
    "receipts have the time of another zone",
    // The fee of what was accepted is not taken, either.
    "recognises the signature of an accepted claim under another trans_code",
    "returns a record for an unknown column",
    "does not verify transactions of an hour ago",
    "does not verify transactions of type 1",
    "returns the first built call for every request",
    // The block with the updates has another hash.
    "a score has one key for both directions",
    "a score of 0 is not found",
];

/// Checks that one fault has one cause. The cause explains the other failed cases.
fn expect_one_cause(fault: &str, causes: &[String]) -> Result<(), Failed> {
    if (causes.len() == 1) != SEVERAL_CAUSES.contains(&fault) {
        return Ok(());
    }
    Err(format!("one fault has these causes: {causes:?}").into())
}

/// Checks that findings of these cases show a submission of each of these kinds.
fn expect_kinds(cases: &[&str], kinds: &[&str], report: &NodeReport) -> Result<(), Failed> {
    let failing = report
        .cases
        .iter()
        .filter(|case| cases.contains(&&*case.id));
    let findings = failing.flat_map(|case| &case.findings);
    let shown = findings.filter_map(|found| report.exchanges.get(found.exchange?));
    let bodies = shown.filter_map(|exchange| exchange.request_body.as_deref());
    let found: BTreeSet<_> = bodies.map(|body| kind_of_body(body.as_bytes())).collect();
    let missing: Vec<_> = kinds.iter().filter(|kind| !found.contains(*kind)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!("no finding shows {missing:?}, only {found:?}").into())
}

/// Adds what a run found to a failure.
fn with_findings(failed: &Failed, report: &NodeReport) -> Failed {
    let mut text = failed.message().unwrap_or_default().to_owned();
    for case in &report.cases {
        for found in &case.findings {
            let (what, actual) = (&found.what, &found.actual);
            text.push_str(&format!("\n{}: {what}: {actual}", case.id));
        }
    }
    text.into()
}

/// The cases about blocks that send their own requests and are not part of a sweep.
const SEND_THEMSELVES: [&str; 8] = [
    "chain/altered-blocks",
    "chain/block-hashes",
    "chain/repeat-read",
    "get-block/block-index-malformed",
    "get-block/near",
    "get-block/index-zero",
    "get-block/snapshot",
    "get-block/unknown-index",
];

fn is_in_sweeps(id: &str) -> bool {
    let is_about_blocks = id.starts_with("get-block/") || id.starts_with("chain/");
    is_about_blocks && !SEND_THEMSELVES.contains(&id)
}

/// Returns the faults that a sweep finds.
fn rows_about_blocks(facts: &Facts) -> impl Iterator<Item = SeededFault> {
    let tables = tables(facts).into_iter();
    tables
        .filter(|table| ["get_block", "chain"].contains(&table.operation))
        .flat_map(|table| table.rows)
        .filter(|row| row.failing_cases.iter().any(|id| is_in_sweeps(id)))
}

/// Runs with a sweep have to find the same faults in blocks as runs without one.
fn sweep_trials(setup: &Arc<Setup>) -> Vec<Trial> {
    rows_about_blocks(&setup.facts)
        .map(|row| {
            let name = format!("sweep::{}", test_name(row.name));
            setup.trial(name, async move |setup: Arc<Setup>| {
                let mut options = Options::default();
                options.sweep = Some(Sweep::new(BlockRange::default()));
                let report = run_with(&setup.node, row.fault, &options).await;
                expect_cases(&caught(&report), row.failing_cases)
            })
        })
        .collect()
}

pub(crate) fn trials(setup: &Arc<Setup>) -> Vec<Trial> {
    let mut trials = sweep_trials(setup);
    let mut names = BTreeSet::new();
    for table in tables(&setup.facts) {
        for row in table.rows {
            let name = format!("{}::{}", table.operation, test_name(row.name));
            assert!(names.insert(name.clone()), "two rows are named {name}");
            trials.push(setup.trial(name, async move |setup: Arc<Setup>| {
                let fault = row.fault;
                let report = match table.tier {
                    Tier::Read => setup.report(fault).await,
                    Tier::Probe => probes::run(&setup.node, fault).await,
                    _ if table.operation == "claim_values" => claim_values::run(fault).await,
                    _ => claim::run(fault, table.tier).await,
                };
                expect_cases(&caught(&report), row.failing_cases)
                    .and_then(|()| expect_one_cause(row.name, &causes(&report)))
                    .and_then(|()| expect_kinds(row.failing_cases, row.kinds, &report))
                    .map_err(|failed| with_findings(&failed, &report))
            }));
        }
    }
    trials.push(setup.trial("every_case_is_failed_by_some_fault", every_case_is_failed));
    trials.push(setup.trial(
        "the_fault_matrix_in_the_docs_is_fresh",
        fault_matrix_is_fresh,
    ));
    trials.push(setup.trial(
        "the_requirements_in_the_docs_are_fresh",
        async |setup: Arc<Setup>| {
            let tables = tables(&setup.facts).into_iter();
            let rows: Vec<_> = tables.flat_map(|table| table.rows).collect();
            let generated = setup.generated.fields_by_case().await;
            let text = requirements::render(&rows, &generated);
            matrix::keep_file_fresh("requirements.md", &text).map_err(Into::into)
        },
    ));
    trials.push(setup.trial(
        "the_submissions_in_the_docs_are_fresh",
        async |_: Arc<Setup>| {
            matrix::keep_file_fresh("submissions.md", &submissions::render()).map_err(Into::into)
        },
    ));
    trials
}

/// Only a chain with another clock fails the first one, and only a connection the second one, so `conformance_tiers/verdicts.rs`
/// and `conformance_transport.rs` have their faults.
const ELSEWHERE: [&str; 2] = ["call-sc/timestamp-current", "http/chunked-body"];

async fn every_case_is_failed(setup: Arc<Setup>) -> Result<(), Failed> {
    let tables = tables(&setup.facts);
    let proven: BTreeSet<_> = tables
        .iter()
        .flat_map(|table| &table.rows)
        .flat_map(|row| row.failing_cases)
        .collect();
    let in_sweeps: BTreeSet<_> = rows_about_blocks(&setup.facts)
        .flat_map(|row| row.failing_cases)
        .collect();
    let generated = setup.generated.fields_by_case().await;
    let cases = cases::all();
    let unproven: Vec<_> = cases
        .iter()
        .filter(|case| {
            let is_swept = case.tier == Tier::Read && is_in_sweeps(case.id);
            let is_generated = generated.contains_key(case.id);
            !is_generated
                && !ELSEWHERE.contains(&case.id)
                && (!proven.contains(&case.id) || is_swept && !in_sweeps.contains(&case.id))
        })
        .map(|case| case.id)
        .collect();
    if unproven.is_empty() {
        return Ok(());
    }
    Err(format!("no fault makes these cases fail: {unproven:?}").into())
}

async fn fault_matrix_is_fresh(setup: Arc<Setup>) -> Result<(), Failed> {
    let section = |name, tier| {
        let tables = tables(&setup.facts).into_iter();
        let tables = tables.filter(|table| table.tier == tier);
        let rows: Vec<_> = tables.flat_map(|table| table.rows).collect();
        (name, matrix::render(&rows))
    };
    matrix::keep_fresh(&[
        section("read", Tier::Read),
        section("probe", Tier::Probe),
        section("reject", Tier::Reject),
        section("write", Tier::Write),
    ])
    .map_err(Into::into)
}
