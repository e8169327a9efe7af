//! The record of an accepted claim, as the node returns it.
//!
//! The specification does not show its shape. If the record has names, each value is found by its
//! member's name. Otherwise it is expected at the position that nodes were seen to use in their
//! rows. All values of a claim are different. So a row in another order can be distinguished
//! from a wrong value.

use std::sync::Arc;

use nodeproof_client::VerificationRecord;
use nodeproof_primitives::escape::escaped_up_to as shown;
use nodeproof_report::{Aspect, Level};
use serde_json::{Value, json};

use super::{
    case::{Case, Example},
    cause::Cause,
    check::Check::Own,
    claim::BASE,
    sc_state::{self},
};
use crate::{
    api::{FirstDifference, member_named, stored},
    checks::{Examination, Finding, Findings},
    context::Context,
    http::{Exchange, InconclusiveReason, unknown},
};

/// What these cases share.
const RECORD: Case = Case {
    matters: sc_state::BASE.matters,
    example: Example::Named("/sc-state", "verification_row"),
    ..BASE
};

/// A node that stores the records of other claims wrongly, too.
const RECORD_DIFFERS: Cause = Cause::of(&["sc-state/record-matches-claim"]);

pub(crate) const CASES: &[Case] = &[
    Case {
        id: "submit-transaction/claim-as-submitted",
        requirements: &[
            "RECORD-5",
            "RECORD-6",
            "RECORD-7",
            "RECORD-8",
            "RECORD-9",
            "RECORD-10",
            "RECORD-11",
            "RECORD-12",
            "RECORD-14",
        ],
        checks: "The record has each param that was submitted: `verifier_address` is the wallet that signs, `outcome` and `deletable_after` are integers, and each list is an array or a text.",
        explained_by: &[RECORD_DIFFERS],
        check: Own(|c| Box::pin(as_submitted(c))),
        ..RECORD
    },
    Case {
        id: "submit-transaction/claim-lists",
        level: Level::Should,
        requirements: &["RECORD-9", "RECORD-10"],
        checks: "The lists in the record are arrays or the JSON text of arrays, so their items stay separate.",
        aspect: Aspect::Style,
        check: Own(|c| Box::pin(lists(c))),
        ..RECORD
    },
    Case {
        id: "submit-transaction/claim-columns",
        level: Level::Observed,
        requirements: &["RECORD-15"],
        checks: "A record without names has its columns in the order of known nodes.",
        matters: "Programs that read records without names find each value by its position.",
        aspect: Aspect::Style,
        check: Own(|c| Box::pin(columns(c))),
        ..RECORD
    },
];

/// How a value is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Exactly as it was submitted.
    Same,
    /// A list as its JSON text.
    JsonText,
    /// A list as another kind of text.
    Joined,
}

/// Returns the record that was read back.
pub(crate) async fn found(
    context: &Context,
) -> Result<(&Arc<Exchange>, &Value), InconclusiveReason> {
    let settled = context.submissions.claims().await?.first().settled()?;
    let found = settled.record;
    match found.and_then(|response| Some((response, response.success_object().and_then(stored)?))) {
        Some(found) => Ok(found),
        None => unknown("the claim could not be read back"),
    }
}

/// A claim's record, with the call that made it.
pub(super) struct Stored<'c> {
    pub(super) call: &'c Value,
    pub(super) response: &'c Arc<Exchange>,
    record: &'c Value,
}

impl Stored<'_> {
    /// Whether the record has all values in their places, with the items of lists apart.
    pub(super) fn is_as_submitted(&self) -> bool {
        params()
            .map(|name| place(self.call, self.record, name))
            .all(|place| place.expected && matches!(place.form, Some(Form::Same | Form::JsonText)))
    }
}

/// Returns the records that were read back, the first claim's first.
pub(super) async fn all_found(context: &Context) -> Result<Vec<Stored<'_>>, InconclusiveReason> {
    found(context).await?;
    let claims = context.submissions.claims().await?;
    let all = claims.all().chain([claims.shared()]);
    let stored = all.filter_map(|claim| {
        let response = claim.settled().ok()?.record?;
        Some(Stored {
            call: claim.call(),
            response,
            record: response.success_object().and_then(stored)?,
        })
    });
    Ok(stored.collect())
}

/// Returns the columns with a param of the claim.
fn params() -> impl Iterator<Item = &'static str> {
    let columns = VerificationRecord::COLUMNS.into_iter();
    columns.filter(|name| *name != "address")
}

/// Returns the submitted value of a column.
fn wanted<'c>(call: &'c Value, column: &str) -> &'c Value {
    match column {
        "address" => &call["sc_address"],
        name => &call["params"][name],
    }
}

/// Returns the form in which `found` stores the submitted value, or `None` if it does not.
fn form(found: &Value, wanted: &Value) -> Option<Form> {
    if found == wanted {
        return Some(Form::Same);
    }
    let (text, items) = (found.as_str()?, wanted.as_array()?);
    if let Ok(inner @ Value::Array(_)) = serde_json::from_str(text) {
        return (inner == *wanted).then_some(Form::JsonText);
    }
    let plain = |text: &str| {
        let text = text.strip_prefix('[').unwrap_or(text);
        let text = text.strip_suffix(']').unwrap_or(text);
        text.replace(['\'', '"'], "").replace(", ", ",")
    };
    let texts: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
    (plain(text) == plain(&texts?.join(","))).then_some(Form::Joined)
}

/// Returns the row with the most submitted values, at any depth.
fn row<'v>(record: &'v Value, wanted: &[&Value]) -> Option<(usize, &'v Vec<Value>)> {
    match record {
        Value::Array(items) => {
            let holds = |value: &&&Value| items.iter().any(|item| form(item, value).is_some());
            let own = (wanted.iter().filter(holds).count(), items);
            let inner = items.iter().filter_map(|item| row(item, wanted));
            inner.chain([own]).max_by_key(|(count, _)| *count)
        }
        Value::Object(members) => members
            .values()
            .filter_map(|member| row(member, wanted))
            .max_by_key(|(count, _)| *count),
        _ => None,
    }
}

/// A value of the record.
struct Place<'v> {
    value: Option<&'v Value>,
    form: Option<Form>,
    /// Whether the value is under its name, or at the position that nodes were seen to use.
    expected: bool,
}

/// Finds the value of a column.
fn place<'v>(call: &Value, record: &'v Value, column: &str) -> Place<'v> {
    let value = wanted(call, column);
    if let Some(named) = member_named(record, column) {
        return Place {
            value: Some(named),
            form: form(named, value),
            expected: true,
        };
    }
    let all = VerificationRecord::COLUMNS.map(|name| wanted(call, name));
    let row = row(record, &all).map_or(&[][..], |(_, row)| row.as_slice());
    let position = VerificationRecord::COLUMNS
        .iter()
        .position(|name| *name == column);
    let here = position.and_then(|at| row.get(at));
    if let Some(form) = here.and_then(|here| form(here, value)) {
        return Place {
            value: here,
            form: Some(form),
            expected: true,
        };
    }
    // An empty text is also a list without items.
    let is_exact = |item: &&Value| form(item, value).is_some_and(|form| form != Form::Joined);
    let elsewhere = row.iter().find(is_exact);
    Place {
        value: elsewhere.or(here),
        form: elsewhere.and_then(|item| form(item, value)),
        expected: false,
    }
}

/// Checks each param of each record.
async fn as_submitted(context: &Context) -> Findings {
    let mut findings = Examination::default();
    let all = all_found(context).await?;
    let assets: Vec<_> = all.iter().map(|one| wanted(one.call, "asset_id")).collect();
    for Stored {
        call,
        response,
        record,
    } in &all
    {
        // The asset shows a record of another claim.
        let asset = place(call, record, "asset_id").value;
        let is_of_another = asset.is_some_and(|asset| assets.contains(&asset))
            && asset != Some(wanted(call, "asset_id"));
        for name in params().filter(|name| !is_of_another || *name == "asset_id") {
            findings.count_item();
            let place = place(call, record, name);
            if place.form.is_some() {
                continue;
            }
            let what = format!("the `{name}` of the record is not what was submitted");
            let (wanted, found) = (wanted(call, name), place.value.unwrap_or(record));
            if let Some(first) = FirstDifference::of_stored(wanted, found) {
                findings.push(Finding::new(response, what, first.expected, first.actual));
            }
        }
    }
    Ok(findings)
}

/// Checks that lists are stored in a form that separates their items, whatever the items contain.
async fn lists(context: &Context) -> Findings {
    let mut findings = Examination::default();
    for Stored {
        call,
        response,
        record,
    } in all_found(context).await?
    {
        for name in ["doc_hash_list", "doc_link_list"] {
            let place = place(call, record, name);
            findings.examined += u64::from(place.form.is_some());
            if let (Some(Form::Joined), Some(value)) = (place.form, place.value) {
                let what = format!("the `{name}` of the record is a text that is not JSON");
                let expected = "an array of strings, or its JSON text";
                let actual = shown(&value.to_string(), 300);
                findings.push(Finding::new(response, what, expected, actual));
            }
        }
    }
    Ok(findings)
}

/// Checks that the values of a row are at the positions that nodes were seen to use. A record with
/// names has no order.
async fn columns(context: &Context) -> Findings {
    let (response, record) = found(context).await?;
    let call = context.submissions.claims().await?.first().call();
    let mut findings = Examination::default();
    for name in VerificationRecord::COLUMNS {
        let place = place(call, record, name);
        findings.examined += u64::from(place.form.is_some());
        // `claim-as-submitted` reports a missing value, but not the contract's address.
        let astray = match name {
            "address" => {
                let is_missing =
                    place.value.is_none() && member_named(record, "asset_id").is_some();
                let in_place = place.expected && place.form.is_some();
                !is_missing && !in_place
            }
            _ => place.form.is_some() && !place.expected,
        };
        if astray {
            let what = format!("the `{name}` of the record is not at its usual position");
            let wanted = wanted(call, name);
            let at = VerificationRecord::COLUMNS
                .iter()
                .position(|known| *known == name);
            let expected = json!({ "column": at, "value": wanted }).to_string();
            let actual = shown(&record.to_string(), 300);
            findings.push(Finding::new(response, what, shown(&expected, 300), actual));
        }
    }
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_counts_in_each_form_that_leaves_its_items_apart() {
        let list = json!(["a b", "c"]);
        for (stored, wanted) in [
            (list.clone(), Some(Form::Same)),
            (json!("[\"a b\", \"c\"]"), Some(Form::JsonText)),
            (json!("a b,c"), Some(Form::Joined)),
            (json!("['a b', 'c']"), Some(Form::Joined)),
            (json!("c,a b"), None),
            (json!("a b"), None),
            (json!("a b,c,"), None),
        ] {
            assert_eq!(form(&stored, &list), wanted, "{stored}");
        }
        assert_eq!(form(&json!("a,b"), &json!(["a,b", "c"])), None);
    }

    #[test]
    fn an_integer_is_no_text_and_no_decimal() {
        assert_eq!(form(&json!(1), &json!(1)), Some(Form::Same));
        for other in [json!("1"), json!(1.0), json!(true), json!([1])] {
            assert_eq!(form(&other, &json!(1)), None, "{other}");
        }
    }
}
