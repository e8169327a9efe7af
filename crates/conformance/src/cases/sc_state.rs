//! `GET /sc-state`.

use std::sync::Arc;

use futures_util::{StreamExt as _, stream};
use nodeproof_primitives::escape::escaped_up_to as shown;
use nodeproof_report::{Aspect, Level};
use serde_json::Value;

use super::{
    case::{Case, Example},
    cause::{Cause, When},
    check::Check::{Near, Objects, Own, Read, Rule, Same},
    request_kind::{Parameter, RequestKind},
    state_columns::request_by_columns,
};
use crate::{
    api::{Sample, carried, contract_state_request, has_record, known_rows, mentions, requested},
    checks::{
        Examination, Finding, Findings, NOTHING_EXAMINED, check_json_responses, is_missing, objects,
    },
    context::{Context, DoneSweep, Samples},
    http::{Exchange, InconclusiveReason},
    rules::{self, KnownBlocks, Stored},
    script::{AT_A_TIME, read_with_new_blocks, request_record},
};

/// What most of these cases share.
pub(super) const BASE: Case = Case {
    matters: "The stored record is the claim that the community checks. Another record in its place is a false claim.",
    example: Example::Of("/sc-state"),
    sends: &[STATE],
    needs: &[NO_STATE],
    ..Case::BASE
};

const TABLE: Parameter = ("table_name", "verification, or a table that does not exist");
const CONTRACT: Parameter = (
    "contract_address",
    "a contract from the chain, or an unknown one",
);
const COLUMN: Parameter = (
    "unique_column",
    "asset_id, another column of a record, or one that no table has",
);
const VALUE: Parameter = ("unique_value", "an asset from the chain, or an unknown one");
/// A request for a stored record.
pub(super) const STATE: RequestKind =
    RequestKind::get("/sc-state", &[TABLE, CONTRACT, COLUMN, VALUE]);
pub(super) const WITHOUT_TABLE: RequestKind =
    RequestKind::get("/sc-state", &[CONTRACT, COLUMN, VALUE]);
pub(super) const WITHOUT_CONTRACT: RequestKind =
    RequestKind::get("/sc-state", &[TABLE, COLUMN, VALUE]);
pub(super) const WITHOUT_COLUMN: RequestKind =
    RequestKind::get("/sc-state", &[TABLE, CONTRACT, VALUE]);
pub(super) const WITHOUT_VALUE: RequestKind =
    RequestKind::get("/sc-state", &[TABLE, CONTRACT, COLUMN]);

/// Without a usable response, there is no record.
pub(super) const NO_STATE: Cause = Cause::new(&["sc-state/responds"], When::Unusable);

pub(crate) const CASES: &[Case] = &[
    Case {
        id: "sc-state/responds",
        requirements: &["STATE-3", "HTTP-2", "NODE-4"],
        checks: "The response is a success with one JSON object.",
        aspect: Aspect::Endpoint,
        check: Read(|c| Box::pin(responds(c))),
        ..BASE
    },
    Case {
        id: "sc-state/value",
        level: Level::Should,
        requirements: &["STATE-3"],
        checks: "The response has the member `value`. Known nodes have `data`.",
        aspect: Aspect::Shape,
        check: Objects(&[Sample::ContractState], value, NOTHING_EXAMINED),
        ..BASE
    },
    Case {
        id: "sc-state/unique-value-echo",
        requirements: &["STATE-2"],
        checks: "Every record in the response has the requested asset in its column `asset_id`, or somewhere if its form is unknown.",
        aspect: Aspect::Consistency,
        check: Objects(&[Sample::ContractState], unique_value_echo, NO_RECORD),
        ..BASE
    },
    Case {
        id: "sc-state/record-matches-claim",
        requirements: &["RECORD-14", "STATE-2"],
        checks: "A record has the values of the claim that a block shows for this asset and verifier, and there is one for each claim that a block shows as executed (`status` 1), unless its `deletable_after` may be past. In recorded exchanges of another program, it has the values of an accepted claim about an asset that had no record before. Records of an unknown form are not compared. A sweep compares the records of up to 1,000 assets.",
        aspect: Aspect::Consistency,
        follows_sweep: true,
        check: Rule(|c| Box::pin(matches_claim(c))),
        ..BASE
    },
    Case {
        id: "sc-state/near",
        requirements: &["CONSISTENT-7", "STATE-1", "STATE-2", "FORM-3"],
        checks: "No request of the whole run gets a record that is not what it requests: with another table, contract, column or value, also if the name is almost the same, or without one of the parameters.",
        example: Example::REFUSED,
        aspect: Aspect::Consistency,
        sends: &[
            STATE,
            WITHOUT_TABLE,
            WITHOUT_CONTRACT,
            WITHOUT_COLUMN,
            WITHOUT_VALUE,
        ],
        explained_by: &[Cause::of(&[
            "http/probes-only-requested",
            // A shorter name is stored.
            "submit-transaction/claim-as-submitted",
        ])],
        check: Near(Sample::ContractState),
        ..BASE
    },
    Case {
        id: "sc-state/columns",
        explained_by: &[Cause::of(&[
            "http/equal-queries",
            "sc-state/near",
            "sc-state/new-records",
            "sc-state/record-matches-claim",
            "sc-state/repeat-read",
            "submit-transaction/claim-as-submitted",
            "submit-transaction/claim-changes-no-other-record",
            "submit-transaction/claim-readable",
        ])],
        requirements: &["CONSISTENT-5", "STATE-1", "STATE-2"],
        checks: "A record that a response of the run shows, or that one of its claims made two blocks ago, is in each later response to a request with one of its values: by `asset_id`, and by each column by which the node finds any record. A node that finds records by four other columns finds them by each of them that holds a text or a number. A node may return one of several records. Records that may be deleted by then are not judged.",
        aspect: Aspect::Consistency,
        is_last: true,
        check: Rule(|c| Box::pin(columns(c))),
        ..BASE
    },
    Case {
        id: "sc-state/repeat-read",
        explained_by: &[Cause::of(&["sc-state/new-records"])],
        requirements: &["CONSISTENT-4", "STATE-2"],
        checks: "All requests of the run for the same record return the same as long as no block is made. A record that was there stays there.",
        aspect: Aspect::Consistency,
        check: Same(Sample::ContractState),
        ..BASE
    },
    Case {
        id: "sc-state/claim-readable",
        level: Level::Should,
        explained_by: &[Cause::of(&["sc-state/record-matches-claim"])],
        requirements: &["RECORD-13"],
        checks: "Each claim from a block can be read. A sweep reads the records of up to 1,000 assets.",
        aspect: Aspect::Consistency,
        follows_sweep: true,
        check: Own(|c| Box::pin(claim_readable(c))),
        ..BASE
    },
];

const NO_RECORD: &str = "no response had a record, so none could be compared";
const NO_CLAIM: &str =
    "no claim was found on the chain; name a contract and an asset with --fixture";

async fn responds(context: &Samples) -> Findings {
    let responses = context.sample(Sample::ContractState).await?;
    // A chain may have no contract, but the endpoint must exist.
    let no_state = context.discovered.assets.is_empty()
        && responses
            .iter()
            .all(|response| response.status >= 400 && response.json().is_ok());
    if no_state && !is_missing(context, "/sc-state").await? {
        return Err(InconclusiveReason::NoSample(NO_CLAIM.into()));
    }
    check_json_responses(&responses)
}

/// Checks that a response has the documented member.
pub(super) fn value(exchange: &Arc<Exchange>, body: &Value, checked: &mut Examination) {
    checked.count_item();
    if body.get("value").is_none() {
        let what = if body.get("data").is_some() {
            "the state is in `data`, and `value` is missing"
        } else {
            "`value` is missing"
        };
        let actual = exchange.excerpt(160);
        checked.push(Finding::new(exchange, what, "an object with a value", actual).at("/value"));
    }
}

pub(super) fn unique_value_echo(exchange: &Arc<Exchange>, body: &Value, checked: &mut Examination) {
    let [column, requested] =
        ["unique_column", "unique_value"].map(|name| requested(exchange, name));
    let (Some(column), Some(requested)) = (column, requested) else {
        return;
    };
    for (name, record) in carried(body) {
        checked.count_item();
        // In a record of a known form, the value has one place. In another form, it may be anywhere.
        let known = known_rows(record);
        let right = if known.is_empty() {
            mentions(record, requested)
        } else {
            known.iter().all(|row| match column {
                "asset_id" => row.has(column, requested),
                _ => row
                    .column(column)
                    .is_none_or(|cell| mentions(cell, requested)),
            })
        };
        if !right {
            let what = match column {
                "asset_id" => "a record is about another asset than requested".to_owned(),
                _ => format!("a record has another {} than requested", shown(column, 60)),
            };
            let expected = format!("records that have {:?} only", shown(requested, 60));
            let actual = exchange.excerpt(200);
            checked.push(Finding::new(exchange, what, expected, actual).at(format!("/{name}")));
        }
    }
}

/// Requests a record by its columns, and judges all requests for records.
async fn columns(context: &Context) -> Findings {
    let mut checked = Examination::default();
    if !context.is_recorded {
        let records = context.sample(Sample::ContractState).await?;
        if let Some(record) = records.iter().find(|record| has_record(record)) {
            checked.extend(request_by_columns(context, record).await);
            // It is still there.
            checked.received(context.node.send(record.request.clone()).await);
        }
    }
    checked.extend(rules::found(&context.history()));
    Ok(checked)
}

/// Checks the records of the samples, and those of all claims in the blocks of a sweep.
async fn matches_claim(context: &Context) -> Findings {
    objects(context, Sample::ContractState).await?;
    let records = context.sample(Sample::ContractState).await?;
    let history = context.history();
    let known = KnownBlocks::of(&history, &(0..0));
    let mut all = compare_records(context, &known, &[], &records).await;
    let mut unread = Examination::default();
    if let Some(sweep) = context.sweep.get() {
        // More blocks may have been read for the samples.
        let history = context.history();
        let known = KnownBlocks::of(&history, &sweep.blocks);
        let mut responses = stream::iter(sweep.assets())
            .map(|asset| request_record(&context.node, asset))
            .buffered(AT_A_TIME);
        while let Some(response) = responses.next().await {
            let Some((record, blocks)) = unread.received(response) else {
                break;
            };
            let compared = compare_records(context, &known, &blocks, &[record]).await;
            if compared.is_compared {
                sweep.count_compared();
            }
            all.add(compared);
        }
    }
    let of_submissions = match context.is_of_others {
        true => rules::first_submitted(&history),
        false => Examination::default(),
    };
    let mut result = match all.findings() {
        Err(_) if of_submissions.examined > 0 => Examination::default(),
        result => result?,
    };
    result.extend(of_submissions);
    result.extend(unread);
    Ok(result)
}

/// Compares records with the claims in the known blocks, and in more of them. If that leaves a record open, more blocks are
/// read.
async fn compare_records(
    context: &Context,
    known: &KnownBlocks<'_>,
    more: &[(u64, Arc<Exchange>)],
    records: &[Arc<Exchange>],
) -> Stored {
    let compared = rules::stored(known, more, records);
    let Some(last) = known.last() else {
        return compared;
    };
    if compared.open.is_empty() || context.is_recorded {
        return compared;
    }
    // A record that differs from a claim is likely to be a fault, which most of the requests that are left are worth.
    let most = context.node.requests_left() / 5 * 4;
    let wanted = known.decisive(&compared.open, most);
    // Without these blocks, the records stay open.
    let _ = read_with_new_blocks(context, last, wanted).await;
    let history = context.history();
    rules::stored(&KnownBlocks::of(&history, known.swept), more, records)
}

/// Checks that the records of the samples can be read, and those of all claims in the blocks of a sweep. The contract may
/// have refused a claim, or removed its record.
async fn claim_readable(context: &Context) -> Findings {
    let swept = context.sweep.get().map(DoneSweep::assets);
    let swept = swept.unwrap_or_default();
    let has_samples = !context.discovered.assets.is_empty();
    if !has_samples && swept.is_empty() {
        return Err(InconclusiveReason::NoSample(NO_CLAIM.into()));
    }
    let mut result = Examination::default();
    if has_samples {
        for exchange in objects(context, Sample::ContractState).await? {
            check_readable(&exchange, &mut result);
        }
    }
    let requests = swept.into_iter().map(|asset| {
        let request = contract_state_request(&asset.contract, &asset.asset);
        context.node.send(request)
    });
    let mut responses = stream::iter(requests).buffered(AT_A_TIME);
    while let Some(response) = responses.next().await {
        let Some(exchange) = result.received(response) else {
            break;
        };
        check_readable(&exchange, &mut result);
    }
    Ok(result)
}

fn check_readable(exchange: &Arc<Exchange>, result: &mut Examination) {
    result.count_item();
    if !has_record(exchange) {
        let what = "the record of a claim can't be read";
        let actual = exchange.excerpt(160);
        result.push(Finding::new(exchange, what, "the claim's record", actual));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{api::contract_state_request, history};

    #[test]
    fn a_record_has_the_requested_value_in_the_requested_column() {
        let one = r#"{"value":[{"asset_id":"a","asset_type":"token","outcome":1}]}"#;
        let two = r#"{"value":[{"asset_id":"a","asset_type":"token"},
            {"asset_id":"b","asset_type":"land"}]}"#;
        for (column, value, body, is_right) in [
            ("asset_id", "a", one, true),
            ("asset_id", "token", one, false),
            (
                "asset_id",
                "a",
                r#"{"value":{"asset_id":"[\"a\"]"}}"#,
                false,
            ),
            ("asset_type", "token", one, true),
            ("asset_type", "a", one, false),
            ("outcome", "1", one, true),
            ("outcome", "0", one, false),
            ("asset_type", "token", two, false),
            ("id", "7", one, true),
        ] {
            let request = contract_state_request("ct", value);
            let request = request.setting("unique_column", column.to_owned());
            let exchange = Arc::new(history::exchange(request, 200, None, body));
            let mut checked = Examination::default();
            let body = exchange.success_object().expect("an object");
            unique_value_echo(&exchange, body, &mut checked);
            assert_eq!(
                checked.has_no_findings(),
                is_right,
                "{column} {value} {body}"
            );
        }
    }
}
