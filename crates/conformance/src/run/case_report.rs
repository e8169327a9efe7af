//! The report of one case.

use nodeproof_openapi::requirement;
use nodeproof_report::{CaseReport, FindingReport, Outcome, RequirementReport};

use super::millis::millis;
use crate::{
    cases::{Case, CaseResult},
    checks::MAX_FINDINGS,
    http::InconclusiveReason,
};

/// Converts the result of a case into its report, without the exchanges.
pub(crate) fn case_report(result: &CaseResult) -> CaseReport {
    let first = result.findings.first();
    let findings: Vec<_> = result
        .findings
        .iter()
        .map(|finding| FindingReport {
            what: finding.what.clone(),
            pointer: finding.pointer.clone(),
            expected: finding.expected.clone(),
            actual: finding.actual.clone(),
            curl: finding
                .exchange
                .as_ref()
                .and_then(|exchange| exchange.curl.clone()),
            block: finding.block,
            count: finding.count,
            again: finding.again.clone(),
            signed: finding.signed.as_deref().cloned(),
            ..FindingReport::default()
        })
        .collect();
    let inconclusive = result
        .inconclusive
        .as_ref()
        .map(|inconclusive| match inconclusive {
            InconclusiveReason::Harness(reason) => format!("a fault of the harness: {reason}"),
            other => other.reason().to_owned(),
        });
    let headline = result.case.if_none_fits;
    let is_in_headline = result.outcome == Outcome::Warn && !headline.is_empty();
    CaseReport {
        id: result.case.id.to_owned(),
        level: result.case.level,
        outcome: result.outcome,
        aspect: result.case.aspect,
        explained_by: None,
        headline: is_in_headline.then(|| headline.to_owned()),
        reason: first.map(|finding| finding.what.clone()).or(inconclusive),
        note: result.note.clone(),
        requirements: requirements(&result.case),
        snapshot: result.case.check.snapshot_path(),
        more_findings: result.findings.len().saturating_sub(MAX_FINDINGS) + result.unlisted,
        elapsed_ms: millis(result.elapsed),
        compared: None,
        exchanges: Vec::new(),
        findings,
    }
}

/// Returns the requirements that a case cites, with their texts.
fn requirements(case: &Case) -> Vec<RequirementReport> {
    let cited = case.requirements.iter().filter_map(|id| requirement(id));
    let report = cited.map(|known| RequirementReport {
        id: known.id.to_owned(),
        text: known.text.to_owned(),
    });
    report.collect()
}
