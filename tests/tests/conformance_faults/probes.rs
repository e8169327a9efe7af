//! Values that a careless node misreads.

use integration_tests::{
    broken,
    careless::{
        Careless::{Changes, Dies, Fails, Steals},
        careless,
    },
    faults::Broken,
    proxy::Fault,
    watch::check,
};
use nodeproof_conformance::{Options, Tier, cases, report::Report};

use crate::setup::proxied;

/// Applies a careless behaviour if a parameter's value contains a text.
fn where_in(
    path: &'static str,
    parameter: &'static str,
    text: &'static str,
    does: integration_tests::careless::Careless,
) -> Fault {
    careless(
        move |asked, parameters| asked == path && parameters.has(parameter, text),
        does,
    )
}

pub(crate) fn faults() -> Vec<Broken> {
    const BLOCK: &str = "/get-block";
    const BALANCES: &str = "/get-balances";
    const STATE: &str = "/sc-state";
    const TRUST: &str = "/get-trustscore-wallets";
    broken! {
        "a condition in an index is executed", where_in(BLOCK, "block_index", "OR 1=1", Steals)
            => ["get-block/probes-only-asked"];
        "an index beyond 2^64 wraps", where_in(BLOCK, "block_index", "18446744073709551", Steals)
            => ["get-block/probes-only-asked"];
        "a condition in a wallet is executed", where_in(BALANCES, "wallet_address", "' OR", Steals)
            => ["get-balances/probes-only-asked"];
        "a percent sign in a token is a wildcard", where_in(BALANCES, "token_code", "%", Steals)
            => ["get-balances/probes-only-asked"];
        "a comment in a table name is executed", where_in(STATE, "table_name", "' --", Steals)
            => ["sc-state/probes-only-asked"];
        "a condition in a column is executed", where_in(STATE, "unique_column", "OR", Steals)
            => ["sc-state/probes-only-asked"];
        "a NUL ends an asset's identifier", where_in(STATE, "unique_value", "\0", Steals)
            => ["sc-state/probes-only-asked"];
        "a quote in a wallet is executed", where_in(TRUST, "src_wallet_address", "'", Steals)
            => ["get-trustscore-wallets/probes-only-asked"];
        "a NUL in an index is a fault of the server", where_in(BLOCK, "block_index", "\0", Fails)
            => ["get-block/probes-no-crash"];
        "a backslash in a token is a fault of the server", where_in(BALANCES, "token_code", "\\", Fails)
            => ["get-balances/probes-no-crash"];
        "a quote in a contract closes the connection", where_in(STATE, "contract_address", "\"", Dies)
            => ["sc-state/probes-no-crash"];
        "bytes that are no UTF-8 are a fault of the server",
            where_in(TRUST, "dst_wallet_address", "\u{fffd}", Fails)
            => ["get-trustscore-wallets/probes-no-crash"];
        "an array of signers is a fault of the server", careless(
            |path, text| path == "/call-sc" && text.0.contains("\"signers\":[["), Fails
        ) => ["call-sc/probes-no-crash"];
        "a probe changes the chain", where_in(STATE, "table_name", "--", Changes)
            => ["chain/unchanged-by-probes"];
    }
}

/// Runs only the probes against a node with this fault.
pub(crate) async fn run(base_url: &str, fault: Fault) -> Report {
    let proxy = proxied(base_url, fault).await;
    let mut options = Options::default();
    options.selection.probe = true;
    let cases = cases::all().into_iter();
    let probes = cases.filter(|case| case.tier == Tier::Probe);
    options
        .select_only(probes.map(|case| case.id))
        .expect("IDs");
    check(&proxy.server.base_url(), &options).await
}
