//! `POST /call-sc`.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use nodeproof_primitives::{ContractAddress, WalletAddress};
use serde_json::Value;

use super::{
    body::read_json,
    fields::{Fields, wrong_kind},
    response::{Fault, Faults, json_text},
};
use crate::{InjectedFault, Node, chain::ContractCall};

/// Builds the raw transaction of a contract call.
///
/// It does not check address, function or params, and changes nothing. Observed on a real node. The
/// response contains the values exactly as they were sent.
pub(super) async fn call_sc(
    State(node): State<Arc<Node>>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    match read_json(&node, &headers, body).await {
        Ok(text) => raw_transaction(&node, &text).map_or_else(Faults::into_response, |text| {
            json_text(StatusCode::OK, text)
        }),
        Err(error) => error.into_response(),
    }
}

fn raw_transaction(node: &Node, text: &str) -> Result<String, Faults> {
    let fields = Fields::read(text, vec!["body".into()])?;
    let mut faults = Faults::default();
    let address = faults.note(address(&fields));
    let function = fields.string("function_called");
    let function = faults.note(function.and_then(|_| fields.raw("function_called")));
    let signers = signers(&fields, &mut faults);
    let params = faults.note(fields.object("params"));
    let (Some(address), Some(function), Some(signers), Some(params)) =
        (address, function, signers, params)
    else {
        return Err(faults);
    };
    let call = ContractCall {
        address,
        function,
        signers,
        params,
    };
    let number = node.count_call();
    // The caller sets the fee before signing.
    let transaction = call.transaction(node.now(number), "0.0", number);
    if node.has(InjectedFault::BuiltSigned) {
        let built: Value = serde_json::from_str(&transaction).unwrap_or_default();
        let code = built["trans_code"]
            .as_str()
            .and_then(|code| code.parse().ok());
        if let Some(code) = code {
            node.keep_built(code, transaction.clone());
        }
    }
    Ok(format!(
        "{{\"transaction\":{transaction},\"signatures\":[]}}"
    ))
}

fn address(fields: &Fields<'_>) -> Result<ContractAddress, Fault> {
    let text = fields.string("sc_address")?;
    text.parse()
        .map_err(|error: nodeproof_primitives::ParseHexError| {
            Fault::value(vec!["body".into(), "sc_address".into()], error.to_string())
        })
}

/// Returns the raw text of the signers, if all of them are wallet addresses.
fn signers<'a>(fields: &Fields<'a>, faults: &mut Faults) -> Option<&'a str> {
    let elements = faults.note(fields.elements("signers"))?;
    let mut right = true;
    for (place, element) in elements {
        let fault = match serde_json::from_str::<String>(element) {
            Err(_) => wrong_kind(place, "str"),
            Ok(text) => match text.parse::<WalletAddress>() {
                Ok(_) => continue,
                Err(error) => Fault::value(place, error.to_string()),
            },
        };
        faults.push(fault);
        right = false;
    }
    let raw = fields.raw("signers").ok()?;
    right.then_some(raw)
}
