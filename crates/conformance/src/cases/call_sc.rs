//! `POST /call-sc`.

use nodeproof_client::{RawTransaction, from_json};
use nodeproof_primitives::{TimestampMs, canonical_json, escape::escaped_up_to as shown};
use nodeproof_report::Level;
use serde_json::Value;

use super::{
    block_transactions::{TIME, wrong_time},
    case::Case,
};
use crate::{
    api::{
        BUILT, FirstDifference, MILLISECONDS, Sample, contract_state_request, is_missing_endpoint,
        stored, wallet_balances_request,
    },
    checks::{
        CLOCKS_DIFFER, Checked, Decoding, Finding, Findings, Height, check_json_responses, decodes,
        never, objects, refused,
    },
    context::{Context, unique},
    http::{Exchange, InconclusiveReason, Request, SendOptions},
};
use nodeproof_openapi::View;

pub(crate) const CASES: &[Case] = &[
    Case::must("call-sc/responds", &["CALL-1", "CALL-6"], |c| {
        Box::pin(responds(c))
    }),
    Case::must("call-sc/sc-address", &["CALL-2", "TX-8"], |c| {
        Box::pin(echo(c, "sc_address", "address"))
    }),
    Case::must("call-sc/function-called", &["CALL-3", "TX-8"], |c| {
        Box::pin(echo(c, "function_called", "function"))
    }),
    Case::must("call-sc/signers", &["CALL-4", "TX-8"], |c| {
        Box::pin(echo(c, "signers", "signers"))
    }),
    Case::must("call-sc/params", &["CALL-5", "TX-8"], |c| {
        Box::pin(echo(c, "params", "params"))
    }),
    Case::must("call-sc/type", &["TX-3"], |c| Box::pin(type_3(c))),
    Case::should("call-sc/unsigned", &["CALL-1", "CALL-7"], |c| {
        Box::pin(unsigned(c))
    }),
    Case::should("call-sc/valid", &["TX-7"], |c| Box::pin(valid(c))),
    Case::must("call-sc/timestamp-unit", &["FORM-1", "TX-1"], |c| {
        Box::pin(timestamp_unit(c))
    }),
    Case::should("call-sc/timestamp-current", &["TX-1"], |c| {
        Box::pin(timestamp_current(c))
    }),
    Case::must(
        "call-sc/changes-nothing",
        &["CALL-1", "SUBMIT-3", "CALL-8"],
        |c| Box::pin(changes_nothing(c)),
    ),
    Case::should(
        "call-sc/submittable",
        &[
            "CALL-6", "SUBMIT-2", "TX-1", "TX-2", "TX-3", "TX-4", "TX-5", "TX-6", "TX-7", "TX-8",
            "TX-10", "FORM-5",
        ],
        |c| Box::pin(submittable(c)),
    ),
    Case::should("call-sc/trans-code-distinct", &["TX-2"], |c| {
        Box::pin(trans_code_distinct(c))
    }),
    Case::must("call-sc/sc-address-required", &["CALL-2"], |c| {
        Box::pin(left_out(c, "sc_address"))
    }),
    Case::must("call-sc/function-called-required", &["CALL-3"], |c| {
        Box::pin(left_out(c, "function_called"))
    }),
    Case::must("call-sc/signers-required", &["CALL-4"], |c| {
        Box::pin(left_out(c, "signers"))
    }),
    Case::must("call-sc/params-required", &["CALL-5"], |c| {
        Box::pin(left_out(c, "params"))
    }),
    Case::should("call-sc/signers-mistyped", &["CALL-4", "CALL-9"], |c| {
        let mut body = c.call_body();
        body["signers"] = c.signer().into();
        let request = Request::post("/call-sc", body.to_string());
        Box::pin(refused(
            c,
            request,
            "a call whose signers are not an array",
            never,
        ))
    }),
    Case::should("call-sc/params-mistyped", &["CALL-5", "CALL-9"], |c| {
        let mut body = c.call_body();
        body["params"] = "never submitted".into();
        let request = Request::post("/call-sc", body.to_string());
        Box::pin(refused(
            c,
            request,
            "a call whose params are not an object",
            never,
        ))
    }),
    Case::must(
        "call-sc/body-empty",
        &["CALL-2", "CALL-3", "CALL-4", "CALL-5"],
        |c| {
            let request = Request::post("/call-sc", String::new());
            Box::pin(refused(c, request, "a call without a body", builds_nothing))
        },
    ),
    Case::should("call-sc/body-not-json", &["HTTP-3", "CALL-9"], |c| {
        let what = "a body that is not JSON";
        Box::pin(refused(
            c,
            Request::post("/call-sc", "{\"sc_address\":".to_owned()),
            what,
            never,
        ))
    }),
    Case::should("call-sc/get-refused", &["CALL-1"], |c| {
        Box::pin(refused(
            c,
            Request::get("/call-sc"),
            "a GET, with nothing to build,",
            builds_nothing,
        ))
    }),
    Case::should(
        "call-sc/deep-and-large-params",
        &["CALL-5", "CALL-7"],
        |c| Box::pin(deep_and_large_params(c)),
    ),
    Case::should("call-sc/decodes", &["CALL-6", "CALL-7"], |c| {
        let decoding = Decoding {
            client: |body| {
                from_json::<RawTransaction>(body)?
                    .transaction_text()
                    .map(drop)
            },
            needed: |text| {
                let raw = RawTransaction::from_json(text);
                let found = raw.and_then(|raw| raw.transaction_text().map(drop));
                found.map_err(|error| error.to_string())
            },
        };
        Box::pin(decodes(c, Sample::CallSc, decoding))
    }),
    Case::of_snapshot(
        "call-sc/snapshot",
        Level::Should,
        &["CALL-6", "CALL-7"],
        Sample::CallSc,
    ),
];

async fn responds(context: &Context) -> Findings {
    let responses = context.sample(Sample::CallSc).await?;
    let made_up = context.discovered.contracts.is_empty();
    if made_up
        && responses.iter().all(|response| {
            matches!(response.status, 400 | 404 | 410 | 422) && response.json().is_ok()
        })
        && !is_missing_call(context).await?
    {
        return Err(InconclusiveReason::NoSample(
            "no contract was found on the chain, and the node builds nothing for one that is not \
             deployed; give one with --fixture"
                .into(),
        ));
    }
    // The second call is larger and has two signers. A node may refuse it.
    let judged: Vec<_> = responses
        .into_iter()
        .enumerate()
        .filter(|(place, response)| *place == 0 || !(400..500).contains(&response.status))
        .map(|(_, response)| response)
        .collect();
    check_json_responses(&judged)
}

/// Whether the endpoint is missing: it returns 404, 405 or 501 to an empty request, too.
async fn is_missing_call(context: &Context) -> Result<bool, InconclusiveReason> {
    let request = Request::post("/call-sc", String::new());
    let response = context.node.send(request).await?;
    Ok(is_missing_endpoint(response.status))
}

/// Finds a member by name, from the top. The contract does not show the shape of the raw
/// transaction, so the member may be at any depth.
fn find<'v>(value: &'v Value, name: &str, at: &str) -> Option<(String, &'v Value)> {
    let members = value.as_object()?;
    if let Some(found) = members.get(name) {
        return Some((format!("{at}/{name}"), found));
    }
    members
        .iter()
        // The submitted params are not a place for the transaction's own members.
        .filter(|(inner, _)| *inner != "params")
        .find_map(|(inner, value)| find(value, name, &format!("{at}/{inner}")))
}

async fn echo(context: &Context, sent: &str, named: &str) -> Findings {
    let mut findings = Checked::default();
    for exchange in objects(context, Sample::CallSc).await? {
        let body: Value = exchange
            .request
            .body
            .as_deref()
            .and_then(|body| serde_json::from_str(body).ok())
            .unwrap_or_default();
        let wanted = &body[sent];
        let Some(response) = exchange.success_object() else {
            continue;
        };
        let found = find(response, named, "").or_else(|| find(response, sent, ""));
        findings.examined += u64::from(found.is_some());
        // The contract does not show the shape, so the member may have another name.
        // `call-sc/submittable` warns.
        let Some((at, value)) = found else { continue };
        if let Some(first) = FirstDifference::between(wanted, value) {
            let what = format!("the transaction has another value in {sent} than the request");
            let at = format!("{at}{}", first.pointer);
            findings.push(Finding::new(&exchange, what, first.expected, first.actual).at(at));
        }
    }
    if_any(named, findings)
}

/// Returns the result, or inconclusive if no built transaction has the member. The contract does
/// not show the shape.
fn if_any(name: &str, checked: Checked) -> Findings {
    if checked.examined > 0 {
        return Ok(checked);
    }
    let reason = format!("no built transaction has the member {name}");
    Err(InconclusiveReason::NoSample(reason))
}

/// Checks that different transactions have different codes.
async fn trans_code_distinct(context: &Context) -> Findings {
    let mut seen: Vec<String> = Vec::new();
    let mut checked = Checked::default();
    for exchange in objects(context, Sample::CallSc).await? {
        let response = exchange.success_object();
        let code = response.and_then(|response| find(response, "trans_code", ""));
        let Some((at, code)) = code.filter(|(_, code)| code.is_string()) else {
            continue;
        };
        let code = code.to_string();
        if seen.contains(&code) {
            let what = "two different calls are built with the same trans_code";
            let expected = "a code that no other transaction has";
            let finding = Finding::new(&exchange, what, expected, shown(&code, 80));
            checked.push(finding.at(at));
        }
        seen.push(code);
    }
    checked.examined = seen.len().saturating_sub(1) as u64;
    if_any("trans_code in two of them", checked)
}

async fn type_3(context: &Context) -> Findings {
    let mut findings = Checked::default();
    for exchange in objects(context, Sample::CallSc).await? {
        let Some(response) = exchange.success_object() else {
            continue;
        };
        let Some((at, value)) = find(response, "type", "") else {
            continue;
        };
        findings.one();
        if value.as_i64() == Some(3) {
            continue;
        }
        let actual = shown(&value.to_string(), 80);
        let what = "the transaction is not of the type of a contract call";
        findings.push(Finding::new(&exchange, what, "3", actual).at(at));
    }
    if_any("type", findings)
}

async fn unsigned(context: &Context) -> Findings {
    let mut findings = Checked::default();
    for exchange in objects(context, Sample::CallSc).await? {
        let Some(response) = exchange.success_object() else {
            continue;
        };
        // A transaction without this list has no signatures. It counts as examined.
        let Some((at, signatures)) = find(response, "signatures", "") else {
            findings.examined += u64::from(!builds_nothing(response));
            continue;
        };
        findings.one();
        // There may be empty places for the signatures.
        let is_place = |entry: &Value| {
            let signature = entry.get("msgsign").unwrap_or(&Value::Null);
            signature.is_null() || signature.as_str().is_some_and(str::is_empty)
        };
        let entries = signatures.as_array();
        if entries.is_some_and(|entries| !entries.iter().all(is_place)) {
            let what = "the built transaction already contains signatures";
            let actual = shown(&signatures.to_string(), 160);
            findings.push(Finding::new(&exchange, what, "no signatures", actual).at(at));
        }
    }
    Ok(findings)
}

async fn valid(context: &Context) -> Findings {
    let mut findings = Checked::default();
    for exchange in objects(context, Sample::CallSc).await? {
        let found = exchange
            .success_object()
            .and_then(|response| find(response, "valid", ""));
        let Some((at, value)) = found else { continue };
        findings.one();
        if value.as_i64() != Some(1) {
            let what = "a contract call whose valid is not 1";
            let actual = shown(&value.to_string(), 80);
            findings.push(Finding::new(&exchange, what, "1", actual).at(at));
        }
    }
    Ok(findings)
}

async fn timestamp_unit(context: &Context) -> Findings {
    let mut findings = Checked::default();
    for exchange in objects(context, Sample::CallSc).await? {
        let Some(response) = exchange.success_object() else {
            continue;
        };
        let Some((at, time)) = find(response, "timestamp", "") else {
            continue;
        };
        findings.one();
        if let Some((what, actual)) = wrong_time(time) {
            let what = format!("the transaction's timestamp {what}");
            findings.push(Finding::new(&exchange, what, TIME, actual).at(at));
        }
    }
    if_any("timestamp", findings)
}

/// Checks that a transaction has the time of the request. Wallets refuse to sign one with another time.
async fn timestamp_current(context: &Context) -> Findings {
    let now = TimestampMs::now().as_millis();
    let mut findings = Checked::default();
    for exchange in objects(context, Sample::CallSc).await? {
        let response = exchange.success_object();
        let Some((at, time)) = response.and_then(|response| find(response, "timestamp", "")) else {
            continue;
        };
        // Another case reports a value that is not a time in milliseconds.
        let Some(time) = time.as_i64().filter(|time| MILLISECONDS.contains(time)) else {
            continue;
        };
        findings.one();
        if now.abs_diff(time) > CLOCKS_DIFFER.unsigned_abs() {
            let what =
                "the transaction was built just now, and its timestamp is more than a day off";
            let expected = "a time within a day of the clock of this computer".to_owned();
            findings.push(Finding::new(&exchange, what, expected, time.to_string()).at(at));
        }
    }
    if_any("timestamp", findings)
}

/// Checks that building calls changes neither the signer's balances nor the contract's state. The
/// signer is the first signer of one call and the second signer of the other.
async fn changes_nothing(context: &Context) -> Findings {
    let built = objects(context, Sample::CallSc).await.unwrap_or_default();
    let builds = |exchange: &std::sync::Arc<Exchange>| {
        exchange
            .success_object()
            .is_some_and(|response| !builds_nothing(response))
    };
    if !built.iter().any(builds) {
        return Err(InconclusiveReason::NoSample("no call was built".to_owned()));
    }
    let mut findings = Checked::passed();
    let record = |exchange: &Exchange| exchange.success_object().and_then(stored).is_some();
    let state = context
        .node
        .send(contract_state_request(&context.contract(), BUILT))
        .await?;
    if record(&state) {
        findings.extend(claims_at_once(context).await?);
    }
    let balances = wallet_balances_request(&context.signer());
    let lists = &context.discovered.wallet_lists;
    // The response before the first call.
    let before = lists.iter().find(|list| list.request == balances).cloned();
    let after = context.node.send(balances.clone()).await?;
    if before.is_some_and(|before| before.json().ok() == after.json().ok()) {
        return Ok(findings);
    }
    // Others may use the wallet. A change counts only if nothing changes without a call. Calls of
    // other cases must not be built at the same time, or their effects would count here.
    let _alone = context.node.no_other_calls().await;
    let before = context.node.send(balances.clone()).await?;
    let mut height = Height::of(context).await?;
    let still = context.node.send(balances.clone()).await?;
    let alone = SendOptions {
        no_other_calls: true,
        ..SendOptions::default()
    };
    let call = context.call_request();
    context.node.send_with(call, alone).await?;
    let last = context.node.send(balances).await?;
    if still.json().ok() != before.json().ok() || last.json().ok() == still.json().ok() {
        return Ok(findings);
    }
    if !height.stands(context).await? {
        let reason = "the signer's balance changes, and blocks are made too fast to find the cause";
        let unknown = Err(InconclusiveReason::NoSample(reason.to_owned()));
        return if findings.has_no_findings() {
            unknown
        } else {
            Ok(findings)
        };
    }
    findings.push(Finding::new(
        &last,
        "building a call changes the signer's balances, although nothing was submitted",
        still.excerpt(160),
        last.excerpt(160),
    ));
    Ok(findings)
}

/// Checks whether building a call stores its claim, with an asset that had no record before.
async fn claims_at_once(context: &Context) -> Findings {
    let asset = format!("never-submitted-{:x}", unique());
    let state = contract_state_request(&context.contract(), &asset);
    let before = context.node.send(state.clone()).await?;
    context.node.send(context.call_about(&asset)).await?;
    let after = context.node.send(state).await?;
    let has = |exchange: &Exchange| exchange.success_object().and_then(stored).is_some();
    if has(&before) || !has(&after) {
        return Ok(Checked::passed());
    }
    Ok(Checked::failed(Finding::new(
        &after,
        "building a call puts a record into the contract's state, though nothing was submitted",
        before.excerpt(160),
        after.excerpt(160),
    )))
}

/// Checks whether the response can go to `/submit-transaction` once it is signed.
async fn submittable(context: &Context) -> Findings {
    let validator = context
        .spec
        .validator(View::Documented, "SignedTransaction")
        .map_err(|error| InconclusiveReason::Harness(error.to_string()))?;
    let mut findings = Checked::default();
    for exchange in objects(context, Sample::CallSc).await? {
        let Some(response) = exchange.success_object() else {
            continue;
        };
        findings.one();
        for mismatch in validator.mismatches_in(response) {
            let found = response.pointer(&mismatch.instance).unwrap_or(response);
            let actual = shown(&found.to_string(), 160);
            let expected = "a body that `/submit-transaction` accepts";
            findings.push(
                Finding::new(&exchange, mismatch.message.clone(), expected, actual)
                    .at(mismatch.instance),
            );
        }
    }
    Ok(findings)
}

async fn left_out(context: &Context, name: &str) -> Findings {
    let mut body = context.call_body();
    if let Some(members) = body.as_object_mut() {
        members.shift_remove(name);
    }
    let request = Request::post("/call-sc", body.to_string());
    let what = format!("a call without {name}");
    refused(context, request, &what, builds_nothing).await
}

/// Whether a response has no member of a transaction.
fn builds_nothing(value: &Value) -> bool {
    ["transaction", "specific_data", "trans_code"]
        .iter()
        .all(|name| find(value, name, "").is_none())
}

/// The depth of the params.
const DEPTH: usize = 40;
/// Number of additional members.
const MEMBERS: usize = 200;

/// Returns the params of a claim with more members. They are text, because no number type holds all
/// of these numbers.
///
/// A node can read each decimal as a float and write it again without a change of its value.
fn large_params(context: &Context) -> String {
    let mut claim = context.call_body()["params"].take();
    // Blanks, upper case, and longer than a narrow column.
    claim["asset_id"] = "  Conformance-Check-Deep of more than forty-eight characters ".into();
    claim["remarks"] = "never submitted".into();
    let claim = claim.to_string();
    let deep = format!(
        "{}\"bottom\"{}",
        "{\"a\":[".repeat(DEPTH / 2),
        "]}".repeat(DEPTH / 2)
    );
    let members: Vec<_> = (0..MEMBERS)
        .map(|n| format!("\"member_{n}\":{n}"))
        .collect();
    // Texts that are often misread, lists that may be shortened, and names that may be normalised.
    let odd = serde_json::json!({
        "texts": [
            "<b>&amp;& it''s 41%20+{x} ${y} $z `w` %s \\n",
            "12345", "1.50", "true", "null", " ", "\u{7f}\u{feff}\u{200d}\u{2028}.",
            "long ".repeat(500),
        ],
        "list": (0..64).collect::<Vec<_>>(),
        "none": null,
        " Upper Key ": 1, "a.b-c": 2, "$d": 3, "__proto__": 4, "": 5, "e\u{301}": 6,
        "k".repeat(64): 7,
    });
    format!(
        "{},\"odd\":{odd},\"deep\":{deep},\"many\":{{{}}},\"integers\":[18446744073709551616,\
         -9223372036854775809,123456789012345678901234567890],\
         \"decimals\":[0.1,1e-7,-0.25,1234567.123456789],\"nothing\":[null,true,false,\"\",[],{{}}]}}",
        claim.trim_end_matches('}'),
        members.join(",")
    )
}

async fn deep_and_large_params(context: &Context) -> Findings {
    let params = large_params(context);
    let call = context.call_body();
    let body = format!(
        "{{\"sc_address\":{},\"function_called\":{},\"signers\":{},\"params\":{params}}}",
        call["sc_address"], call["function_called"], call["signers"]
    );
    let exchange = context.node.send(Request::post("/call-sc", body)).await?;
    let Some(response) = exchange.success_object() else {
        let reason = format!("no call was built: {}", exchange.summary());
        return Err(InconclusiveReason::NoSample(reason));
    };
    let wanted = canonical_json::read(&params).ok_or_else(|| {
        InconclusiveReason::Harness("the params that were sent are not JSON".to_owned())
    })?;
    let Some((at, _)) = find(response, "params", "") else {
        return if_any("params", Checked::default());
    };
    let found = std::str::from_utf8(&exchange.body)
        .ok()
        .and_then(canonical_json::read)
        .and_then(|whole| whole.at(&at).cloned());
    let Some(found) = found else {
        let reason = "the response exceeds the limits of an exact comparison";
        return Err(InconclusiveReason::NoSample(reason.to_owned()));
    };
    let difference = wanted.difference(&found).map(|difference| {
        let what = "the params of the transaction differ from those sent";
        let place = format!("{at}{}", difference.place);
        Finding::new(
            &exchange,
            what,
            shown(&difference.expected, 160),
            shown(&difference.actual, 160),
        )
        .at(place)
    });
    Ok(Checked::of(1, difference))
}
