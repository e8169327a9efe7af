//! Which documented operations, parameters and fields a run exercised, and why the others are missing.

use std::collections::BTreeSet;

use nodeproof_report::{Coverage, OperationCoverage, Outcome, PartCoverage};
use serde_json::Value;

use crate::{
    api::Tier,
    cases::{CaseResult, all},
    checks::FIELDS,
    http::{InconclusiveReason, RequestLog},
};
use nodeproof_openapi::{Operation, Spec, View};

/// Compares the sent requests and the results with the documented operations.
pub(crate) fn measure(
    spec: &Spec,
    log: &RequestLog,
    results: &[CaseResult],
    was_stopped: bool,
) -> Coverage {
    let operations = spec
        .operations(View::Documented)
        .iter()
        .map(|operation| {
            let name = operation.path.trim_start_matches('/');
            let sent = log.of(name);
            let parameters = parameters(spec, operation)
                .into_iter()
                .map(|parameter| PartCoverage {
                    exercised: sent.parameters.contains(&parameter),
                    reason: None,
                    name: parameter,
                })
                .collect();
            OperationCoverage {
                reason: (sent.requests == 0).then(|| why_not(name, results, was_stopped)),
                operation: name.to_owned(),
                requests: sent.requests,
                statuses: sent.statuses.into_iter().collect(),
                parameters,
                fields: fields(name, results),
            }
        })
        .collect();
    let unseen_fields = results
        .iter()
        .filter(|result| result.inconclusive.is_some() && result.case.field().is_some())
        .map(|result| result.case.id.to_owned())
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    Coverage {
        operations,
        unseen_fields,
    }
}

fn why_not(operation: &str, results: &[CaseResult], was_stopped: bool) -> String {
    let asks = |id: &str| id.split('/').next() == Some(operation);
    let mut cases = all().into_iter().filter(|case| asks(case.id));
    if results.iter().any(|result| asks(result.case.id)) {
        "its cases found no sample for a request".to_owned()
    } else if was_stopped {
        "the run ended before".to_owned()
    } else if cases.all(|case| case.tier > Tier::Read) {
        "this run only reads".to_owned()
    } else {
        "no selected case uses it".to_owned()
    }
}

/// Returns the documented query parameters and body members of an operation.
fn parameters(spec: &Spec, operation: &Operation<'_>) -> Vec<String> {
    let mut names: Vec<String> = operation
        .parameters()
        .iter()
        .map(|parameter| parameter.name.to_owned())
        .collect();
    for (_, schema) in operation.request_contents() {
        let Some((_, schema)) = spec.unwrap(View::Documented, &schema) else {
            continue;
        };
        if let Some(members) = schema.get("properties").and_then(Value::as_object) {
            names.extend(members.keys().cloned());
        }
    }
    names
}

fn fields(operation: &str, results: &[CaseResult]) -> Vec<PartCoverage> {
    FIELDS
        .iter()
        .filter(|field| field.id.split('/').next() == Some(operation))
        .map(|field| {
            let judged = results.iter().find(|result| result.case.id == field.id);
            let exercised = judged.is_some_and(|result| {
                !matches!(result.outcome, Outcome::Inconclusive | Outcome::Skipped)
            });
            let reason = match judged {
                None => Some("its case did not run".to_owned()),
                Some(result) => result
                    .inconclusive
                    .as_ref()
                    .map(InconclusiveReason::reason)
                    .map(str::to_owned),
            };
            PartCoverage {
                name: field.name.clone(),
                exercised,
                reason,
            }
        })
        .collect()
}
