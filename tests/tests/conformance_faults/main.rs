//! Proof of the cases: a good node with one fault fails exactly the cases about that fault.
//!
//! Each row of a table is one test, such as `get_block::timestamp_is_missing`. The row lists the cases that
//! must fail. No other case may fail: a false alarm is as bad as a missed fault.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails if its setup fails"
)]

mod aftermath;
mod balances;
mod blocks;
mod call_sc;
mod chain;
mod claim;
mod claim_values;
mod conforming;
mod devnode;
mod docs;
mod facts;
mod generated;
mod get_balances;
mod get_block;
mod get_trustscore_wallets;
mod good_nodes;
mod lenient;
mod listing;
mod pairs;
mod probes;
mod records;
mod requirements;
mod sc_state;
mod setup;
mod submissions;
mod submit_transaction;
mod tables;

use integration_tests::watch::threads_that_wait;
use libtest_mimic::Arguments;

use self::setup::Setup;

fn main() {
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert_with(threads_that_wait);
    let setup = Setup::new();
    let mut trials = tables::trials(&setup);
    // Some of these wait longest, so they are not the last ones.
    trials.extend(devnode::trials());
    trials.extend(pairs::trials(&setup));
    trials.extend(conforming::trials(&setup));
    trials.extend(generated::trials(&setup));
    trials.extend(good_nodes::trials(&setup));
    libtest_mimic::run(&arguments, trials).exit();
}
