//! `explain`: describes a case or a requirement.

use nodeproof_openapi::{NODE_JSON, Operation, Requirement, Spec, View, requirement, requirements};
use serde_json::Value;

use super::error::UsageError;
use crate::{
    cases::{BASELINE, Case, Example, FIXTURE, all, untested},
    nodes::COMPARISONS,
    run::nearest,
};

/// What counts as a refusal.
const REFUSAL: &str = "A status that is not 2xx, with any body. A 2xx response that refuses in \
its body counts, too: a JSON object with only `detail`, `error` or a `status` other than SUCCESS, \
or with no value at all. \
                       For a submission, `response.valid` that is not true.";
/// How messages are signed, and where that is described.
const SIGNING: &str = "ECDSA on secp256k1 over the SHA-1 digest of the transaction, or of a receipt's `data`, as CPython's \
                       json.dumps writes it. docs/signing.md has it byte for byte, with test vectors. The specification does not \
                       show it (OPEN-13).";

/// Why nodes are compared.
const DISAGREEMENT: &str = "Nodes of one network have the same chain. A user gets different responses from two nodes \
that differ, and at least one of them is wrong. If most nodes agree, the report names the others.";

/// Explains a case, a comparison or a requirement.
pub(crate) fn explain(id: &str) -> Result<String, UsageError> {
    let mut cases = all();
    cases.extend_from_slice(FIXTURE);
    cases.extend(BASELINE);
    if let Some(case) = cases.iter().find(|case| case.id == id) {
        return of_case(case);
    }
    let comparison = COMPARISONS.iter().find(|(name, _)| *name == id);
    if let Some((_, compared)) = comparison {
        let mut out = format!("{id}\nMUST, comparison of several nodes\n");
        section(&mut out, "What is compared", compared);
        section(&mut out, "Why it matters", DISAGREEMENT);
        return Ok(out);
    }
    let wanted = id.to_ascii_uppercase();
    if let Some(known) = requirement(&wanted) {
        return Ok(of_requirement(known, &cases));
    }
    let ids = cases.iter().map(|case| case.id);
    let ids = ids.chain(COMPARISONS.map(|(id, _)| id));
    let known: Vec<_> = ids.chain(requirements().iter().map(|one| one.id)).collect();
    Err(UsageError::Unexplained {
        id: id.to_owned(),
        near: nearest(id, &known).or_else(|| nearest(&wanted, &known)),
    })
}

fn of_case(case: &Case) -> Result<String, UsageError> {
    let spec = Spec::from_json(NODE_JSON).map_err(|error| UsageError::Output(error.to_string()))?;
    let (level, tier) = (case.level.name().to_uppercase(), case.tier.name());
    let mut out = format!("{}\n{level}, {tier} tier\n", case.id);
    let cited = case.requirements.iter().filter_map(|id| requirement(id));
    section(
        &mut out,
        "Requirements",
        &cited.map(line_of).collect::<String>(),
    );
    section(&mut out, "What is checked", case.checks);
    if let Some(exception) = case.exception {
        section(&mut out, "Why it is a MUST", exception);
    }
    section(&mut out, "Why it matters", case.matters);
    if case.checks.contains("refused") {
        section(&mut out, "What counts as a refusal", REFUSAL);
    }
    if let Some(example) = good_response(&spec, case.example) {
        section(&mut out, "A good response", &example);
    }
    let is_signed = |id: &&str| matches!(*id, "SUBMIT-3" | "RECEIPT-7" | "RECEIPT-8" | "TX-11");
    if case.requirements.iter().any(is_signed) {
        section(&mut out, "How signatures are made", SIGNING);
    }
    Ok(out)
}

fn of_requirement(known: &Requirement, cases: &[Case]) -> String {
    let mut out = format!("{}\n{}, {}\n", known.id, known.basis.name(), known.section);
    section(&mut out, "Requirement", known.text);
    let citing = cases
        .iter()
        .filter(|case| case.requirements.contains(&known.id));
    let lines: String = citing
        .map(|case| format!("{} ({}): {}\n", case.id, case.level.name(), case.checks))
        .collect();
    match untested(known.id) {
        Some(reason) => section(&mut out, "No case", reason),
        None if lines.is_empty() => section(
            &mut out,
            "No case",
            "The specification does not require it.",
        ),
        None => section(&mut out, "Cases", &lines),
    }
    out
}

fn line_of(known: &Requirement) -> String {
    format!("{} ({}): {}\n", known.id, known.basis.name(), known.text)
}

/// Adds a heading and its indented text.
fn section(out: &mut String, heading: &str, text: &str) {
    out.push_str(&format!("\n{heading}\n"));
    for line in text.lines() {
        out.push_str(&format!("  {line}\n"));
    }
}

/// Returns a good response: a text, or a documented example.
fn good_response(spec: &Spec, example: Example) -> Option<String> {
    let (path, name) = match example {
        Example::None => return None,
        Example::Text(text) => return Some(text.to_owned()),
        Example::Of(path) => (path, None),
        Example::Named(path, name) => (path, Some(name)),
    };
    let operations = spec.operations(View::Documented);
    let operation = operations.iter().find(|operation| operation.path == path)?;
    let body = example_of(spec, operation, name)?;
    Some(format!("{} {}\n{body}", operation.method, operation.path))
}

fn example_of(spec: &Spec, operation: &Operation<'_>, name: Option<&str>) -> Option<String> {
    let method = operation.method.to_lowercase();
    let content =
        &spec.full()["paths"][operation.path][method.as_str()]["responses"]["200"]["content"];
    let examples = content["application/json"]["examples"].as_object()?;
    let example = match name {
        Some(name) => examples.get(name)?,
        None => examples.values().next()?,
    };
    let example = match example["$ref"].as_str() {
        Some(reference) => spec.full().pointer(reference.strip_prefix('#')?)?,
        None => example,
    };
    let value = example
        .get("value")
        .filter(|value| **value != Value::Null)?;
    serde_json::to_string_pretty(value).ok()
}
