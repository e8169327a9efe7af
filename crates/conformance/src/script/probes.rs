//! Requests with unusual values, for the rule *unusual*.

use futures_util::future::join_all;

use super::repeat::note;
use crate::{
    api::{PROBED_PATHS, ProbeData, controls, has_record, nobody, probes},
    checks,
    context::Samples,
    http::{InconclusiveReason, Step},
};

/// After this many probes in a row without a response, the rest is not sent: the node is gone.
const MAX_FAILED_IN_A_ROW: usize = 5;

/// Sends the probes of all endpoints, those of one endpoint in order. Fails if none of them returns valid responses.
pub(crate) async fn send_probes(context: &Samples) -> Result<(), InconclusiveReason> {
    let discovered = &context.discovered;
    let first = |found: &[String], nonexistent: &str| {
        let found = found.first().cloned();
        found.unwrap_or_else(|| nonexistent.to_owned())
    };
    let known = ProbeData {
        block: discovered.blocks.last().map_or(1, |(index, _)| *index),
        wallet: first(&discovered.wallets, &nobody()),
        token: first(&discovered.tokens, "TKN"),
        contract: context.contract(),
        asset: discovered.assets.first().map(|(_, asset)| asset.clone()),
        call: context.call_body(),
    };
    let sent = PROBED_PATHS.map(|path| send_to(context, path, &known));
    let sent = join_all(sent).await;
    sent.into_iter().reduce(Result::or).unwrap_or(Ok(()))
}

async fn send_to(
    context: &Samples,
    path: &str,
    known: &ProbeData,
) -> Result<(), InconclusiveReason> {
    if let Err(reason) = checks::controls(context, path.trim_start_matches('/')).await {
        // The run's own claim may have the only record.
        let history = context.history();
        let mut records = history.of_path("/sc-state");
        if path != "/sc-state" || !records.any(|entry| has_record(&entry.exchange)) {
            return Err(reason);
        }
    }
    let mut failed_in_a_row = 0;
    let controls = controls(path, known).into_iter();
    let controls = controls.map(|request| request.finding_nothing());
    let probes = probes(path, known).into_iter();
    let probes = probes.map(|probe| {
        let step = Step::Probe(probe.parameter.to_owned(), probe.description.to_owned());
        probe.request.finding_nothing().for_step(step)
    });
    for request in controls.chain(probes) {
        match context.send_beside_others(&request).await {
            // A case repeats the requests that got no response.
            Err(InconclusiveReason::Transport(_)) => failed_in_a_row += 1,
            Err(InconclusiveReason::TooLarge(_)) | Ok(_) => failed_in_a_row = 0,
            Err(reason) => {
                note(context, Err(reason));
                break;
            }
        }
        if failed_in_a_row == MAX_FAILED_IN_A_ROW {
            break;
        }
    }
    Ok(())
}
