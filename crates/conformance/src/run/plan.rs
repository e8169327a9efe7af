//! The plan of a run: every kind of request, before anything is sent.
//!
//! The values are only found during the run. So the plan has the method, the path, the names of the
//! parameters, and a description of each value. A test compares the plan with the requests of real
//! runs, case by case.

use std::fmt::Write;

use nodeproof_primitives::{Network, escape::escaped_up_to as shown};

use super::options::Options;
use crate::{
    api::{Tier, probe_values},
    cases::{DISCOVERY, RequestKind},
    context::{Moment, planned_rows},
    http::Target,
};

/// A kind of request that a run with some options can send. The node may have no sample for it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlannedRequest {
    /// The kind of request.
    pub kind: RequestKind,
    /// The lowest tier of the cases that send it.
    pub tier: Tier,
    /// The IDs of the cases that send it, and first of all whether it finds samples.
    pub sent_for: Vec<&'static str>,
}

/// A submission that a node must refuse.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlannedSubmission {
    /// The ID of the case that judges it.
    pub case: &'static str,
    /// A description.
    pub what: &'static str,
    /// When it is sent.
    pub moments: Vec<Moment>,
}

/// Returns the submissions that a node must refuse, and when a run sends each of them.
///
/// All but those of [`Moment::Alone`] and [`Moment::InBatch`] belong to the tier `write`.
#[must_use]
pub fn wrong_submissions() -> Vec<PlannedSubmission> {
    let rows = planned_rows().into_iter();
    rows.map(|(case, what, moments)| PlannedSubmission {
        case,
        what,
        moments,
    })
    .collect()
}

/// Stands for the search for samples in the list of cases that send a request.
const SAMPLES: &str = "finding samples";

/// Returns the kinds of requests that a run with these options can send, by tier.
#[must_use]
pub fn planned(options: &Options, network: Network) -> Vec<PlannedRequest> {
    let mut planned: Vec<PlannedRequest> = Vec::new();
    let mut add = |kind: RequestKind, tier: Tier, sender: &'static str| match planned
        .iter_mut()
        .find(|known| known.kind == kind)
    {
        Some(known) if known.sent_for.contains(&sender) => {}
        Some(known) => known.sent_for.push(sender),
        None => planned.push(PlannedRequest {
            kind,
            tier,
            sent_for: vec![sender],
        }),
    };
    for kind in DISCOVERY {
        add(*kind, Tier::Read, SAMPLES);
    }
    for case in options.selected(network) {
        for kind in case.sends {
            add(*kind, case.tier, case.id);
        }
    }
    planned.sort_by_key(|request| request.tier);
    planned
}

/// Returns the plan of a run as readable text.
pub(crate) fn plan_text(options: &Options, target: Option<&Target>, network: Network) -> String {
    let node = target.map_or_else(
        || "a node".to_owned(),
        |target| format!("{} ({})", target.base_url, target.network),
    );
    let mut out = format!(
        "every kind of request that a run would send to {node}; the values are chosen during the \
         run, and nothing was sent\n"
    );
    let headers = target.map(|target| target.access.headers().keys());
    for name in headers.into_iter().flatten() {
        let _ = writeln!(out, "each has the header {name}, whose value is not shown");
    }
    let mut tier = None;
    for request in planned(options, network) {
        if tier.replace(request.tier) != Some(request.tier) {
            let _ = writeln!(out, "\n{}", request.tier.name());
        }
        let kind = request.kind;
        let method = kind.method.name();
        let _ = write!(out, "  {method:<4} {}", kind.path);
        for (place, (name, value)) in kind.parameters.iter().enumerate() {
            let separator = if place == 0 { '?' } else { '&' };
            let _ = write!(out, "{separator}{name}=<{value}>");
        }
        out.push('\n');
        if let Some(body) = kind.body {
            let _ = writeln!(out, "       body: {body}");
        }
        let _ = writeln!(out, "       for: {}", senders(&request.sent_for));
    }
    if options.selection.allow >= Tier::Reject {
        list_submissions(&mut out, options);
    }
    if tier == Some(Tier::Probe) {
        list_probes(&mut out);
    }
    if let Some(sweep) = &options.sweep {
        let _ = writeln!(
            out,
            "\n  GET  /get-block?block_index=<each block of {}>\n       for: the cases about blocks",
            sweep.blocks
        );
    }
    let most = options.limits.max_requests;
    let more = match &options.sweep {
        Some(sweep) if !sweep.counts_requests => ", plus those for the sweep's blocks",
        _ => "",
    };
    let _ = writeln!(out, "\nat most {most} requests in all{more}");
    out
}

/// Lists every submission that a node must refuse, with the moments at which it is sent.
fn list_submissions(out: &mut String, options: &Options) {
    out.push_str("\nthe submissions that a node must refuse\n");
    let is_selected = |row: &PlannedSubmission| options.selects(row.case);
    for row in wrong_submissions().into_iter().filter(is_selected) {
        let is_sent = |moment: &&Moment| {
            options.selection.allow >= Tier::Write
                || matches!(moment, Moment::Alone | Moment::InBatch)
        };
        let moments: Vec<_> = row.moments.iter().filter(is_sent).collect();
        let moments: Vec<_> = moments.into_iter().map(|moment| moment.name()).collect();
        let _ = writeln!(out, "  {}: {}", row.what, moments.join("; "));
    }
}

/// Lists every probe. Descriptions replace the values that are found on the chain.
fn list_probes(out: &mut String) {
    out.push_str("\nthe unusual values\n");
    for (path, parameter, description, value) in probe_values() {
        let value = shown(&value, MAX_VALUE_CHARACTERS);
        let _ = writeln!(out, "  {path} {parameter}: {description}: {value}");
    }
}

/// Maximum length of a listed value, in characters.
const MAX_VALUE_CHARACTERS: usize = 80;

/// Returns the first senders of a request, on one line.
fn senders(ids: &[&str]) -> String {
    let (named, more) = ids.split_at(ids.len().min(3));
    let named = named.join(", ");
    match more.len() {
        0 => named,
        1 => format!("{named} and 1 more"),
        more => format!("{named} and {more} more"),
    }
}
