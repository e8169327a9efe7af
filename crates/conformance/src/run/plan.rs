//! The plan of a run: every kind of request, before anything is sent.
//!
//! The values are only found during the run. So the plan has the method, the path, the names of the
//! parameters, and a description of each value. A test compares the plan with the requests of real
//! runs, case by case.

use std::fmt::Write;

use nodeproof_primitives::{Network, escape::escaped_up_to as shown};

use super::{
    options::Options,
    request_kind::{DISCOVERY, RequestKind},
    request_kinds::KINDS,
};
use crate::{
    api::{Tier, probe_values},
    cases::Case,
    http::{Method, Target},
};

/// Returns the kinds of requests that a run with these options can send.
#[must_use]
pub fn kinds(options: &Options, network: Network) -> Vec<RequestKind> {
    let cases = planned_cases(options, network);
    KINDS
        .iter()
        .filter(|kind| kind.is_sent(&cases))
        .copied()
        .collect()
}

fn planned_cases(options: &Options, network: Network) -> Vec<Case> {
    options
        .cases()
        .into_iter()
        .filter(|case| options.selects(case.id) && options.permits(case, network).is_ok())
        .collect()
}

/// Returns the plan of a run as readable text.
pub(crate) fn plan_text(options: &Options, target: Option<&Target>, network: Network) -> String {
    let node = target.map_or_else(
        || "a node".to_owned(),
        |target| format!("{} ({})", target.base_url, target.network),
    );
    let cases = planned_cases(options, network);
    let mut out = format!(
        "every kind of request that a run would send to {node}; the values are chosen during the \
         run, and nothing was sent\n"
    );
    let mut tier = None;
    for kind in kinds(options, network) {
        if tier.replace(kind.tier) != Some(kind.tier) {
            let _ = writeln!(out, "\n{}", kind.tier.name());
        }
        let method = match kind.method {
            Method::Get => "GET",
            Method::Post => "POST",
        };
        let _ = write!(out, "  {method:<4} {}", kind.path);
        for (place, (name, value)) in kind.parameters.iter().enumerate() {
            let separator = if place == 0 { '?' } else { '&' };
            let _ = write!(out, "{separator}{name}=<{value}>");
        }
        out.push('\n');
        if let Some(body) = kind.body {
            let _ = writeln!(out, "       body: {body}");
        }
        let _ = writeln!(out, "       for: {}", asking(&kind, &cases));
    }
    if cases.iter().any(|case| case.tier == Tier::Probe) {
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

/// Returns the cases that need a kind of request, on one line.
fn asking(kind: &RequestKind, cases: &[Case]) -> String {
    let mut ids: Vec<_> = cases
        .iter()
        .map(|case| case.id)
        .filter(|id| kind.is_of(id))
        .collect();
    if kind.sent_by.contains(&DISCOVERY) {
        ids.insert(0, "finding samples");
    }
    let more = ids.len().saturating_sub(3);
    ids.truncate(3);
    let named = ids.join(", ");
    match more {
        0 => named,
        1 => format!("{named} and 1 more"),
        more => format!("{named} and {more} more"),
    }
}
