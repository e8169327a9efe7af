//! Judges recorded exchanges. Nothing is sent.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use nodeproof_report::{CaseReport, NodeReport, Outcome};

use super::{
    case_results::CaseResults,
    engine::{Running, spec},
    millis::millis,
    options::Options,
    report::{EndedRun, utc},
};
use crate::{
    cases::CaseResult,
    context::{Context, Samples, SnapshotStore, Submitting},
    discovery,
    har::Recording,
    history::History,
    http::{InconclusiveReason, Limits, Node, Step, Target},
    sweep::{Silent, StopReason},
};
use nodeproof_openapi::Spec;
use nodeproof_primitives::{Network, escape::escaped_up_to};

/// Judges recorded exchanges: those of a run with all selected cases, and others with those that need only responses.
pub(crate) async fn judge(recording: Recording, network: Network, options: &Options) -> NodeReport {
    let started = Instant::now();
    let target = Target::recorded(recording.base_url.clone(), network);
    let limits = Limits {
        requests: 0,
        ..options.limits.of_requests(false)
    };
    let node = Node::new(target.clone(), limits);
    let ready = node.map_err(|error| error.to_string()).and_then(|node| {
        let snapshots = SnapshotStore::read_only().map_err(|error| error.to_string())?;
        Ok((Arc::new(node), spec()?, snapshots))
    });
    let (node, spec, snapshots) = match ready {
        Ok(ready) => ready,
        Err(reason) => {
            let fault = StopReason::Harness(reason);
            let run = EndedRun::not_begun(&target, options, started, &fault);
            return run.report().0;
        }
    };
    let samples = samples(&recording, &node, &spec).await;
    let running = Running {
        context: Arc::new(Context::new(
            samples,
            // Nothing is waited for.
            Submitting {
                settle_timeout: Duration::ZERO,
                ..Submitting::default()
            },
            snapshots,
            None,
        )),
        options: Arc::new(options.clone()),
        watch: Arc::new(Silent),
        progress: Arc::new(CaseResults::default()),
    };
    let is_of_run = recording.wanted.is_some();
    let has_claims = recording
        .exchanges
        .iter()
        .any(|logged| matches!(logged.exchange.request.step, Some(Step::Claim(..))));
    let (judging, sending): (Vec<_>, Vec<_>) = options
        .cases()
        .into_iter()
        .filter(|case| options.selects(case.id))
        .partition(|case| {
            case.check.judges_records(is_of_run) || has_claims && case.check.judges_claims()
        });
    running.run_cases(judging).await;
    running.progress.skip_without_sample(is_of_run);
    for case in sending {
        running.progress.push(CaseResult {
            inconclusive: Some(InconclusiveReason::NoSample(CaseReport::SENDS.to_owned())),
            ..CaseResult::not_run(case, Outcome::Skipped)
        });
    }
    let run = EndedRun {
        target: &target,
        options,
        started,
        results: running.progress.take(),
        stop_reason: None,
        checked: Some((&node, &spec)),
        samples: None,
    };
    let (mut report, _) = run.report();
    let ended = recording.exchanges.iter().map(|logged| logged.ended).max();
    if let (Some(first), Some(ended)) = (recording.exchanges.first(), ended) {
        report.started_at = utc(first.started_at);
        report.elapsed_ms = millis(ended);
    }
    // The record shows neither a limit nor the load by other clients.
    report.most_requests = 0;
    report.cost = None;
    report.notes = vec![note(&recording)];
    report
}

/// Supplies the node's responses from the recording. Returns the samples: those of the recorded run, or what the
/// exchanges of another program have.
async fn samples(recording: &Recording, node: &Arc<Node>, spec: &Arc<Spec>) -> Samples {
    node.add_recorded(recording.exchanges.clone());
    node.add_missing(recording.missing.clone());
    let (client, description) = (Arc::clone(node), Arc::clone(spec));
    if let Some(wanted) = &recording.wanted {
        let wanted = wanted.clone().bounded();
        let found = discovery::discover(node, &wanted).await;
        // A response may be missing that the search needs.
        if let Some(found) = found.ok().filter(|found| !found.blocks.is_empty()) {
            return Samples::of_run(client, description, found, &recording.of_sweep);
        }
    }
    let history = History::of(recording.exchanges.clone());
    let mut responses = history.of_samples();
    responses.extend(history.of_submissions());
    Samples::recorded(client, description, &responses)
}

/// Returns how many exchanges were judged, and why the others were not.
fn note(recording: &Recording) -> String {
    let judged = recording.exchanges.len();
    let mut note = format!(
        "{judged} of {} recorded exchanges were judged",
        recording.entries
    );
    let unjudged: usize = recording.unjudged.values().sum();
    let others = recording.entries - judged - unjudged;
    let mut rest: Vec<_> = recording
        .unjudged
        .iter()
        .map(|(why, count)| format!("{count} {why}"))
        .collect();
    if others > 0 {
        let mut others = format!("{others} with another server, path or method");
        if let Some(other) = &recording.other_node {
            let other = escaped_up_to(other, 200);
            others.push_str(&format!(
                " (--base-url {other} judges those with that node)"
            ));
        }
        rest.push(others);
    }
    if !rest.is_empty() {
        note.push_str(&format!("; not judged: {}", rest.join(", ")));
    }
    if let Some(first) = &recording.first_wrong {
        note.push_str(&format!("; {first}"));
    }
    note
}
