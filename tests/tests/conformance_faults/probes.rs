//! Values that a careless node misreads.

use integration_tests::{
    careless::{
        Careless::{Changes, Dies, Fails, Replays, Restarts},
        careless,
    },
    faults::SeededFault,
    proxy::Fault,
    seeded_faults,
};
use nodeproof_conformance::{Options, Tier, cases, report::NodeReport};

use nodeproof_devnode::Handle;

use crate::setup::run_with;

/// Applies a careless behaviour if a parameter's value contains a text.
fn where_in(
    path: &'static str,
    parameter: &'static str,
    text: &'static str,
    does: integration_tests::careless::Careless,
) -> Fault {
    careless(
        move |request, parameters| request == path && parameters.has(parameter, text),
        does,
    )
}

pub(crate) fn faults() -> Vec<SeededFault> {
    const BLOCK: &str = "/get-block";
    const BALANCES: &str = "/get-balances";
    const STATE: &str = "/sc-state";
    const TRUST: &str = "/get-trustscore-wallets";
    seeded_faults! {
        "evaluates an SQL condition in block_index", where_in(BLOCK, "block_index", "OR 1=1", Replays)
            => ["get-block/probes-only-requested"];
        "block_index wraps around at 2^64", where_in(BLOCK, "block_index", "18446744073709551", Replays)
            => ["get-block/probes-only-requested"];
        "evaluates an SQL condition in wallet_address", where_in(BALANCES, "wallet_address", "' OR", Replays)
            => ["get-balances/probes-only-requested"];
        "treats a percent sign in token_code as a wildcard", where_in(BALANCES, "token_code", "%", Replays)
            => ["get-balances/probes-only-requested"];
        "treats a quote and -- in table_name as SQL", where_in(STATE, "table_name", "' --", Replays)
            => ["sc-state/probes-only-requested"];
        "evaluates an SQL condition in unique_column", where_in(STATE, "unique_column", "OR", Replays)
            => ["sc-state/probes-only-requested"];
        "truncates unique_value at a NUL", where_in(STATE, "unique_value", "\0", Replays)
            => ["sc-state/probes-only-requested"];
        "treats a quote in src_wallet_address as SQL", where_in(TRUST, "src_wallet_address", "'", Replays)
            => ["get-trustscore-wallets/probes-only-requested"];
        "returns status 500 for a NUL in block_index", where_in(BLOCK, "block_index", "\0", Fails)
            => ["get-block/probes-no-crash"];
        "returns status 500 for a backslash in token_code", where_in(BALANCES, "token_code", "\\", Fails)
            => ["get-balances/probes-no-crash"];
        "closes the connection for a quote in contract_address", where_in(STATE, "contract_address", "\"", Dies)
            => ["sc-state/probes-no-crash"];
        "stops at a quote in contract_address, and is started again",
            where_in(STATE, "contract_address", "\"", Restarts) => ["sc-state/probes-no-crash"];
        "returns status 500 for bytes that are not UTF-8",
            where_in(TRUST, "dst_wallet_address", "\u{fffd}", Fails)
            => ["get-trustscore-wallets/probes-no-crash"];
        "returns status 500 for an array inside signers", careless(
            |path, text| path == "/call-sc" && text.0.contains("\"signers\":[["), Fails
        ) => ["call-sc/probes-no-crash"];
        "changes the blocks after a probe", where_in(STATE, "table_name", "--", Changes)
            => ["chain/unchanged-by-probes"];
    }
}

/// Runs only the probes against a node with this fault.
pub(crate) async fn run(node: &Handle, fault: Fault) -> NodeReport {
    let mut options = Options::default();
    options.selection.probe = true;
    let cases = cases::all().into_iter();
    let probes = cases.filter(|case| case.tier == Tier::Probe);
    options
        .select_only(probes.map(|case| case.id))
        .expect("IDs");
    run_with(node, fault, &options).await
}
