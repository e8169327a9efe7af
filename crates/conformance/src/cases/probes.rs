//! Checks with probes: a node must not misread an unusual value.

use std::sync::Arc;

use nodeproof_primitives::escape::escaped_up_to as shown;
use serde_json::Value;

use super::{case::Case, stored_record::known_rows};
use crate::{
    api::{PROBED_PATHS, Probe, Sample, Tier, carried, reported_index},
    checks::{Checked, Finding, Findings, controls, described, has_same_content, objects},
    context::{Context, Probed},
    http::{Exchange, InconclusiveReason},
};

pub(crate) const CASES: &[Case] = &[
    Case::must("get-block/probes-only-requested", &["BLOCK-1"], |c| {
        Box::pin(check_only_requested(c, "/get-block", other_block))
    })
    .of(Tier::Probe),
    Case::must(
        "get-balances/probes-only-requested",
        &["BALANCE-2", "BALANCE-3", "BALANCE-4"],
        |c| Box::pin(check_only_requested(c, "/get-balances", other_balance)),
    )
    .of(Tier::Probe),
    Case::must("sc-state/probes-only-requested", &["STATE-2"], |c| {
        Box::pin(check_only_requested(c, "/sc-state", other_record))
    })
    .of(Tier::Probe),
    Case::must(
        "get-trustscore-wallets/probes-only-requested",
        &["TRUST-1"],
        |c| {
            Box::pin(check_only_requested(
                c,
                "/get-trustscore-wallets",
                other_score,
            ))
        },
    )
    .of(Tier::Probe),
    Case::should("get-block/probes-no-crash", &["BLOCK-1"], |c| {
        Box::pin(no_crash(c, "/get-block"))
    })
    .of(Tier::Probe),
    Case::should("get-balances/probes-no-crash", &["BALANCE-1"], |c| {
        Box::pin(no_crash(c, "/get-balances"))
    })
    .of(Tier::Probe),
    Case::should("sc-state/probes-no-crash", &["STATE-1"], |c| {
        Box::pin(no_crash(c, "/sc-state"))
    })
    .of(Tier::Probe),
    Case::should(
        "get-trustscore-wallets/probes-no-crash",
        &["TRUST-1"],
        |c| Box::pin(no_crash(c, "/get-trustscore-wallets")),
    )
    .of(Tier::Probe),
    Case::should("call-sc/probes-no-crash", &["CALL-1"], |c| {
        Box::pin(no_crash(c, "/call-sc"))
    })
    .of(Tier::Probe),
    Case::should("chain/unchanged-by-probes", &["BLOCK-1"], |c| {
        Box::pin(unchanged(c))
    })
    .of(Tier::Probe),
];

/// Describes data in a response that the probe did not request, if there is any. The control is the
/// response to a plain request about something that does not exist.
type FindUnrequested = fn(&Probe, &Exchange, control: Option<&Exchange>) -> Option<String>;

/// Returns a readable name of the probe.
fn named(probe: &Probe) -> String {
    format!("{} in {}", probe.description, probe.parameter)
}

/// Findings about probes, grouped by parameter. Only the first of each is listed.
#[derive(Default)]
struct ByParameter(Vec<(&'static str, usize, Finding)>);

impl ByParameter {
    fn add(&mut self, probe: &Probe, finding: Finding) {
        match self
            .0
            .iter_mut()
            .find(|(name, ..)| *name == probe.parameter)
        {
            Some((_, count, _)) => *count += 1,
            None => self.0.push((probe.parameter, 1, finding)),
        }
    }

    fn into_findings(self) -> impl Iterator<Item = Finding> {
        self.0.into_iter().map(|(_, count, mut finding)| {
            match count {
                1 => {}
                2 => finding.what.push_str("; so does another unusual value"),
                more => {
                    let more = format!("; so do {} other unusual values", more - 1);
                    finding.what.push_str(&more);
                }
            }
            finding
        })
    }
}

/// Returns the responses to probes, if the endpoint responds to valid requests.
async fn probed(context: &Context, path: &'static str) -> Result<Arc<Probed>, InconclusiveReason> {
    controls(context, path.trim_start_matches('/')).await?;
    context.probing.of(path).await
}

async fn check_only_requested(
    context: &Context,
    path: &'static str,
    find_unrequested: FindUnrequested,
) -> Findings {
    let probed = probed(context, path).await?;
    let (mut examined, mut found) = (0, ByParameter::default());
    for (probe, response) in &probed.responses {
        let Ok(response) = response else { continue };
        if !probe.has_value {
            continue;
        }
        examined += 1;
        let control = probed.control_of(probe).map(Arc::as_ref);
        let shows = response
            .is_success()
            .then(|| find_unrequested(probe, response, control));
        if let Some(shows) = shows.flatten() {
            let what = format!("{} gets {shows}", named(probe));
            let expected = "only requested data";
            let finding = Finding::new(response, what, expected, response.excerpt(160));
            found.add(probe, finding);
        }
    }
    Ok(Checked::of(examined, found.into_findings()))
}

fn other_block(probe: &Probe, response: &Exchange, _: Option<&Exchange>) -> Option<String> {
    let index = reported_index(response.success_object()?)?;
    let lenient = probe.block.map(i128::from);
    (lenient != Some(index)).then(|| format!("block {index}"))
}

fn other_record(probe: &Probe, response: &Exchange, _: Option<&Exchange>) -> Option<String> {
    let requested = (probe.parameter == "unique_value").then_some(probe.value.as_str());
    carried(response.success_object()?).find_map(|(_, record)| {
        let rows = known_rows(record);
        let is_requested = requested.is_some_and(|requested| {
            if rows.is_empty() {
                record
                    .to_string()
                    .contains(&Value::from(requested).to_string())
            } else {
                rows.iter().all(|row| row.has("asset_id", requested))
            }
        });
        let about = rows.first().and_then(|row| row.column("asset_id"));
        let about = about.and_then(Value::as_str).unwrap_or("something else");
        (!is_requested).then(|| format!("a record about {:?}", shown(about, 40)))
    })
}

fn other_balance(_: &Probe, response: &Exchange, control: Option<&Exchange>) -> Option<String> {
    // If the control has a balance, too, a balance proves nothing.
    if control
        .and_then(Exchange::success_object)
        .and_then(balance)
        .is_some()
    {
        return None;
    }
    let balance = balance(response.success_object()?)?;
    Some(format!("a balance of {balance}"))
}

/// Returns the first balance in a response that is not 0.
fn balance(body: &Value) -> Option<String> {
    fn first(value: &Value) -> Option<String> {
        match value {
            Value::Number(number) => Some(number.to_string()),
            Value::String(text) if text.bytes().all(|byte| byte.is_ascii_digit()) => {
                Some(text.clone())
            }
            Value::Array(items) => items.iter().find_map(first),
            Value::Object(members) => members.values().find_map(first),
            _ => None,
        }
        .filter(|number| number.bytes().any(|byte| matches!(byte, b'1'..=b'9')))
    }
    ["balance", "value"]
        .iter()
        .find_map(|name| first(body.get(*name)?))
}

fn other_score(_: &Probe, response: &Exchange, control: Option<&Exchange>) -> Option<String> {
    let score = |exchange: &Exchange| {
        let body = exchange.success_object()?;
        body.get("trust_score")
            .filter(|score| score.is_number())
            .cloned()
    };
    let found = score(response).filter(|score| score.as_f64() != Some(0.0))?;
    let of_nobody = control.and_then(score);
    (of_nobody != Some(found.clone())).then(|| format!("the score {found}"))
}

async fn no_crash(context: &Context, path: &'static str) -> Findings {
    let probed = probed(context, path).await?;
    let (mut examined, mut found) = (0, ByParameter::default());
    for (probe, response) in &probed.responses {
        let expected = "a response, or a refusal with a 4xx";
        let finding = match response {
            Ok(response) if response.status >= 500 => {
                let what = format!("{} gets status {}", named(probe), response.status);
                Some(Finding::new(response, what, expected, response.summary()))
            }
            Ok(_) => None,
            Err(InconclusiveReason::Transport(reason)) => Some(Finding {
                what: format!("{} gets no response", named(probe)),
                pointer: None,
                expected: expected.to_owned(),
                actual: reason.clone(),
                exchange: None,
                block: None,
                count: None,
                signed: None,
            }),
            Err(_) => continue,
        };
        examined += 1;
        if let Some(finding) = finding {
            found.add(probe, finding);
        }
    }
    Ok(Checked::of(examined, found.into_findings()))
}

/// Checks that the node's responses after all probes are the same as before.
async fn unchanged(context: &Context) -> Findings {
    for path in PROBED_PATHS {
        // Other cases report faults in these responses.
        let _ = context.probing.of(path).await;
    }
    let mut checked = Checked::default();
    for sample in [Sample::Blocks, Sample::ContractState, Sample::TrustScore] {
        let Ok(responses) = objects(context, sample).await else {
            continue;
        };
        let described = described(context, sample);
        for before in responses.iter().take(3) {
            let after = context.node.send(before.request.clone()).await?;
            checked.one();
            if !has_same_content(before, &after, &described) {
                let what = "after the probes, the node responds differently";
                let expected = before.excerpt(160);
                checked.push(Finding::new(&after, what, expected, after.excerpt(160)));
            }
        }
    }
    Ok(checked)
}
