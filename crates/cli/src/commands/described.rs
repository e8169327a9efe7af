//! A transaction in words, for who is to sign it.

use nodeproof_client::Transaction;
use nodeproof_primitives::escape::escaped_up_to;

use crate::io::output::harmless_json;

/// The most of its contents that is shown, in characters.
const MOST: usize = 1_000;

/// What a transaction does, in lines that are harmless to print.
///
/// Nothing that belongs to its meaning is left out: where something is cut, that is said.
pub(super) fn described(transaction: &str) -> Vec<String> {
    let Ok(view) = Transaction::from_text(transaction) else {
        return Vec::new();
    };
    let code = view
        .trans_code()
        .map_or_else(|fault| format!("({fault})"), |code| code.to_string());
    let fee = match (view.fee(), view.currency()) {
        (Ok(fee), Ok(currency)) => format!("fee {fee} {currency}"),
        (Ok(fee), Err(fault)) => format!("fee {fee} ({fault})"),
        (Err(fault), _) => format!("no fee ({fault})"),
    };
    let mut lines = vec![escaped_up_to(
        &format!("transaction {code}: {}, {fee}", what(&view)),
        MOST,
    )];
    let call = view.contract_call().ok().filter(|_| is_call(&view));
    let (name, contents) = match &call {
        Some(call) => ("params", call.params()),
        None => ("specific_data", view.specific_data()),
    };
    lines.push(match contents {
        Ok(contents) => {
            let text = harmless_json(contents.as_str());
            let cut = if text.chars().count() > MOST {
                " (cut here: --dry-run shows all of it)"
            } else {
                ""
            };
            format!("its {name}: {}{cut}", escaped_up_to(&text, MOST))
        }
        Err(fault) => format!("its {name} can't be shown: {fault}"),
    });
    if let Ok(remark) = view.descr()
        && !remark.is_empty()
    {
        lines.push(format!("its descr: {}", escaped_up_to(remark, MOST)));
    }
    lines
}

/// Whether it is the call of a contract. Source: the contract, "Transaction".
pub(super) fn is_call(view: &Transaction) -> bool {
    view.kind().is_ok_and(|kind| *kind == 3.into())
}

/// What kind of transaction it is.
pub(super) fn what(view: &Transaction) -> String {
    if !is_call(view) {
        return match view.kind() {
            Ok(kind) => match name(&kind.to_string()) {
                Some(name) => format!("type {kind}, {name}"),
                None => format!("type {}", escaped_up_to(&kind.to_string(), 40)),
            },
            Err(fault) => format!("of no known type ({fault})"),
        };
    }
    let call = view.contract_call().ok();
    let function = call.as_ref().map(|call| call.function());
    let function = match function {
        Some(Ok(function)) => format!("{function:?}"),
        _ => "a function that is not named".to_owned(),
    };
    match call.as_ref().map(|call| call.address()) {
        Some(Ok(contract)) => format!("type 3, a call of {function} of {contract}"),
        _ => format!("type 3, a call of {function} of a contract that can't be read"),
    }
}

/// What nodes were seen to mean by a type; the contract shows only 3.
fn name(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "1" => "a new wallet",
        "2" => "a new token",
        "4" => "a transfer in both directions",
        "5" => "a transfer",
        "6" => "a change of a trust score",
        "7" => "a miner's sign of life",
        "8" => "a contract's change of its state",
        _ => return None,
    })
}
