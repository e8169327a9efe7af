//! What a run exercised of what the contract documents, and what it did not, with the reason.

use std::collections::{BTreeMap, BTreeSet};

use nodeproof_report::{Coverage, OperationCoverage, Outcome, PartCoverage};
use serde_json::Value;

use nodeproof_openapi::{Operation, Spec, View};

use crate::{cases, exchange::Exchange, finding::Obstacle, run::Ended};

/// What was sent and answered, by operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sent {
    requests: u64,
    statuses: BTreeSet<u16>,
    parameters: BTreeSet<String>,
}

/// All that was sent, by the operation's name in case IDs.
pub(crate) type Log = BTreeMap<&'static str, Sent>;

/// Counts a request that is about to be sent.
pub(crate) fn count(log: &mut Log, operation: &'static str) {
    log.entry(operation).or_default().requests += 1;
}

/// Notes what was asked and answered.
pub(crate) fn note(log: &mut Log, exchange: &Exchange) {
    let sent = log.entry(exchange.request.operation).or_default();
    sent.statuses.insert(exchange.status);
    for (name, _) in &exchange.request.query {
        // A sweep notes the same again and again.
        if !sent.parameters.contains(*name) {
            sent.parameters.insert((*name).to_owned());
        }
    }
    let body = exchange
        .request
        .body
        .as_deref()
        .and_then(|body| serde_json::from_str(body).ok());
    if let Some(Value::Object(members)) = body {
        sent.parameters
            .extend(members.into_iter().map(|(name, _)| name));
    }
}

/// Holds what was sent and judged against what the description documents.
pub(crate) fn measure(spec: &Spec, log: &Log, ended: &[Ended]) -> Coverage {
    let operations = spec
        .operations(View::Documented)
        .iter()
        .map(|operation| {
            let name = operation.path.trim_start_matches('/');
            let sent = log.get(name).cloned().unwrap_or_default();
            let parameters = parameters(spec, operation)
                .into_iter()
                .map(|parameter| PartCoverage {
                    exercised: sent.parameters.contains(&parameter),
                    reason: None,
                    name: parameter,
                })
                .collect();
            OperationCoverage {
                reason: (sent.requests == 0).then(|| why_not(name, ended)),
                operation: name.to_owned(),
                requests: sent.requests,
                statuses: sent.statuses.into_iter().collect(),
                parameters,
                fields: fields(name, ended),
            }
        })
        .collect();
    let unseen_fields = ended
        .iter()
        .filter(|ended| ended.obstacle.is_some() && is_field(ended.case.id))
        .map(|ended| ended.case.id.to_owned())
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    Coverage {
        operations,
        unseen_fields,
    }
}

fn is_field(id: &str) -> bool {
    cases::FIELDS.iter().any(|field| field.id == id)
}

fn why_not(operation: &str, ended: &[Ended]) -> String {
    let asks = |id: &str| id.split('/').next() == Some(operation);
    if ended.iter().any(|ended| asks(ended.case.id)) {
        "its cases found nothing to ask it with".to_owned()
    } else if operation == "submit-transaction" {
        "it could change the node's state, and this run only reads".to_owned()
    } else {
        "no selected case asks it".to_owned()
    }
}

/// The documented parameters of a query, or the members of a documented body.
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

fn fields(operation: &str, ended: &[Ended]) -> Vec<PartCoverage> {
    cases::FIELDS
        .iter()
        .filter(|field| field.id.split('/').next() == Some(operation))
        .map(|field| {
            let judged = ended.iter().find(|ended| ended.case.id == field.id);
            let exercised = judged.is_some_and(|ended| {
                !matches!(ended.outcome, Outcome::Inconclusive | Outcome::Skipped)
            });
            let reason = match judged {
                None => Some("its case did not run".to_owned()),
                Some(ended) => ended
                    .obstacle
                    .as_ref()
                    .map(Obstacle::reason)
                    .map(str::to_owned),
            };
            PartCoverage {
                name: field.path.join(".").replace(".*", "[]"),
                exercised,
                reason,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeproof_openapi::pointer;

    /// The documented fields of an answer that have no case: there should be none.
    fn fields_without_a_case(spec: &Spec, at: &str, path: &mut Vec<String>, out: &mut Vec<String>) {
        let Some((place, schema)) = spec.unwrap(View::Documented, at) else {
            return;
        };
        if let Some(members) = schema.get("properties").and_then(Value::as_object) {
            for name in members.keys() {
                path.push(name.clone());
                let has_a_case = cases::FIELDS
                    .iter()
                    .any(|field| field.path.iter().eq(path.iter()));
                if !has_a_case {
                    out.push(path.join("."));
                }
                let below = pointer::join(&pointer::join(&place, "properties"), name);
                fields_without_a_case(spec, &below, path, out);
                path.pop();
            }
        } else if schema.get("items").is_some() {
            path.push("*".to_owned());
            fields_without_a_case(spec, &pointer::join(&place, "items"), path, out);
            path.pop();
        }
    }

    #[test]
    fn every_documented_field_of_a_block_and_a_score_has_a_case() {
        let spec = Spec::from_json(nodeproof_openapi::NODE_JSON).unwrap();
        for operation in ["get_block", "get_trustscore_wallets"] {
            let at = spec
                .response_schema(View::Documented, operation, 200, &[])
                .unwrap();
            let mut missing = Vec::new();
            fields_without_a_case(&spec, &at, &mut Vec::new(), &mut missing);
            assert!(missing.is_empty(), "{operation}: {missing:?}");
        }
    }
}
