//! Values that a careless node misreads.

use axum::http::StatusCode;
use integration_tests::{
    careless::{
        Careless::{Changes, Dies, Fails, Replays, ReplaysAs, Restarts},
        careless,
    },
    faults::SeededFault,
    proxy::{Fault, Response},
    seeded_faults,
};
use nodeproof_conformance::{Options, Tier, cases, report::NodeReport};

use nodeproof_devnode::Handle;

use crate::{setup::run_with, submit_transaction::typed};

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

fn changed(response: Response, change: fn(&str) -> String) -> Response {
    let text = change(&String::from_utf8_lossy(&response.body));
    response.with_body(text)
}

pub(crate) fn faults() -> Vec<SeededFault> {
    const BLOCK: &str = "/get-block";
    const BALANCES: &str = "/get-balances";
    const STATE: &str = "/sc-state";
    const TRUST: &str = "/get-trustscore-wallets";
    seeded_faults! {
        "evaluates an SQL condition in block_index", where_in(BLOCK, "block_index", "OR 1=1", Replays)
            => ["http/probes-only-requested"];
        "returns another block, with lists, for an SQL condition", where_in(BLOCK, "block_index", "OR 1=1", ReplaysAs(|response| {
            changed(response, |text| text.replacen('{', r#"{"more":[{},{}],"#, 1))
        })) => ["http/probes-only-requested"];
        "block_index wraps around at 2^64", where_in(BLOCK, "block_index", "18446744073709551", Replays)
            => ["http/probes-only-requested"];
        "evaluates an SQL condition in wallet_address", where_in(BALANCES, "wallet_address", "' OR", Replays)
            => ["http/probes-only-requested"];
        "treats a percent sign in token_code as a wildcard", where_in(BALANCES, "token_code", "%", Replays)
            => ["http/probes-only-requested"];
        "treats a quote and -- in table_name as SQL", where_in(STATE, "table_name", "' --", Replays)
            => ["http/probes-only-requested"];
        "evaluates an SQL condition in unique_column", where_in(STATE, "unique_column", "OR", Replays)
            => ["http/probes-only-requested"];
        "truncates unique_value at a NUL", where_in(STATE, "unique_value", "\0", Replays)
            => ["http/probes-only-requested"];
        "returns another record beside a 400", where_in(STATE, "unique_value", "' OR", ReplaysAs(|response| {
            response.with_status(StatusCode::BAD_REQUEST)
        })) => ["http/probes-only-requested"];
        "returns another record after a byte order mark", where_in(STATE, "unique_value", "' OR", ReplaysAs(|response| {
            changed(response, |text| format!("\u{feff}{text}"))
        })) => ["http/probes-only-requested"];
        "returns another record in a list", where_in(STATE, "unique_value", "' OR", ReplaysAs(|response| {
            changed(response, |text| format!("[{text}]"))
        })) => ["http/probes-only-requested"];
        "returns another record in a page", where_in(STATE, "unique_value", "' OR", ReplaysAs(|response| {
            typed(changed(response, |text| format!("<pre>[1] {text}</pre>")), "text/html")
        })) => ["http/probes-only-requested"];
        "returns another record in UTF-16", where_in(STATE, "unique_value", "' OR", ReplaysAs(|response| {
            let text = String::from_utf8_lossy(&response.body).into_owned();
            let units = std::iter::once(0xfeff).chain(text.encode_utf16());
            response.with_body(units.flat_map(u16::to_be_bytes).collect::<Vec<_>>())
        })) => ["http/probes-only-requested"];
        "treats a quote in src_wallet_address as SQL", where_in(TRUST, "src_wallet_address", "'", Replays)
            => ["http/probes-only-requested"];
        "returns status 500 for a NUL in block_index", where_in(BLOCK, "block_index", "\0", Fails)
            => ["http/server-errors"];
        "returns status 500 for a backslash in token_code", where_in(BALANCES, "token_code", "\\", Fails)
            => ["http/server-errors"];
        "closes the connection for a quote in contract_address", where_in(STATE, "contract_address", "\"", Dies)
            => ["http/responds"];
        "stops at a quote in contract_address, and is started again",
            where_in(STATE, "contract_address", "\"", Restarts) => ["http/responds"];
        "returns status 500 for bytes that are not UTF-8",
            where_in(TRUST, "dst_wallet_address", "\u{fffd}", Fails)
            => ["http/server-errors"];
        "returns status 500 for an array inside signers", careless(
            |path, text| path == "/call-sc" && text.0.contains("\"signers\":[["), Fails
        ) => ["http/server-errors"];
        "changes the blocks after a probe", where_in(STATE, "table_name", "--", Changes)
            => ["chain/repeat-read"];
    }
}

/// Runs only the probes against a node with this fault, and the cases that judge what they did.
pub(crate) async fn run(node: &Handle, fault: Fault) -> NodeReport {
    let mut options = Options::default();
    options.selection.probe = true;
    let of_whole_run = ["http/server-errors", "http/responds", "chain/repeat-read"];
    let cases = cases::all().into_iter().map(|case| (case.tier, case.id));
    let judging = cases.filter(|(tier, id)| *tier == Tier::Probe || of_whole_run.contains(id));
    options.select_only(judging.map(|(_, id)| id)).expect("IDs");
    run_with(node, fault, &options).await
}
