//! Changes of a transaction, before or after it is signed.

use serde_json::{Number, Value};

use super::{
    draft::REFUSED,
    holdings::{held_by, other_token},
    signatures::harness,
    submitter::Submitter,
};
use crate::{api::mentions, history::History, http::InconclusiveReason};

/// Length of remarks, in bytes, that makes a transaction too large.
pub(super) const OVERSIZED: usize = 20_000;

/// A change of one member of a transaction: its JSON pointer, and the change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) pointer: String,
    pub(super) change: Change,
}

/// How a value is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// A value of the same type and form that differs as little as possible: one digit, one blank, one entry,
    /// one member. In place of a missing member, `true`.
    Slightly,
    /// The entries of a list in another order.
    Reversed,
    /// This JSON text. Names of wallets, and of the contract, are filled in.
    To(&'static str),
    Removed,
    /// A string with the JSON text of the value.
    Quoted,
    /// Each text in capitals, at any depth. Addresses stay, because capitals in them are another fault.
    Capitals,
    /// A list that contains the value.
    Nested,
    /// A number with a fraction.
    Fraction,
    /// A time one hour earlier.
    Earlier,
    /// A time a minute later.
    Later,
    /// Another token of the chain. Only the signature is wrong then.
    OtherToken,
    /// Another contract of the chain. Only the signature is wrong then.
    OtherContract,
    /// A text with upper and lower case swapped.
    OtherLetters,
    Oversized,
    /// Another token than the one named, which the signer holds if it holds several.
    OtherHeldToken,
    /// One more than the signer holds of the transaction's currency, as far as that was read.
    MoreThanHeld,
}

impl Edit {
    /// Changes a transaction. `fill` fills in the names of wallets.
    pub(super) fn apply(
        &self,
        transaction: &mut Value,
        submitter: &Submitter,
        fill: impl Fn(&str) -> String,
    ) {
        let Some((parent, name)) = self.pointer.rsplit_once('/') else {
            return slightly(transaction);
        };
        let computed = self.of_holdings(transaction, submitter);
        let value = match transaction.pointer_mut(parent) {
            Some(Value::Object(members)) if matches!(self.change, Change::Removed) => {
                members.shift_remove(name);
                return;
            }
            Some(Value::Object(members)) => members.entry(name).or_insert(Value::Null),
            Some(Value::Array(entries)) => {
                match name.parse().ok().and_then(|at: usize| entries.get_mut(at)) {
                    Some(entry) => entry,
                    None => return,
                }
            }
            _ => return,
        };
        let found = &submitter.samples.discovered;
        match self.change {
            Change::Slightly => slightly(value),
            Change::Reversed => value
                .as_array_mut()
                .into_iter()
                .for_each(|list| list.reverse()),
            Change::To(json) => {
                let json = fill(json).replace("<contract>", &submitter.contract());
                *value = serde_json::from_str(&json).unwrap_or_default();
            }
            Change::Removed => {}
            Change::Quoted => *value = value.to_string().into(),
            Change::Capitals => put_in_capitals(value),
            Change::Nested => *value = Value::Array(vec![value.take()]),
            Change::Fraction => *value = value.as_f64().map_or_else(|| value.take(), Value::from),
            Change::Earlier => {
                *value = (value.as_i64().unwrap_or_default() - 3_600_000).into();
            }
            Change::Later => {
                *value = (value.as_i64().unwrap_or_default() + 60_000).into();
            }
            Change::OtherToken => *value = other_name(&found.tokens, value, "OTHER"),
            Change::OtherContract => {
                let nobodys = format!("ct{}", "6b".repeat(20));
                *value = other_name(&found.contracts, value, &nobodys);
            }
            Change::OtherHeldToken | Change::MoreThanHeld => {
                *value = computed.unwrap_or_else(|| value.take());
            }
            Change::OtherLetters => {
                *value = in_other_letters(value.as_str().unwrap_or_default()).into();
            }
            Change::Oversized => *value = REFUSED.repeat(OVERSIZED / REFUSED.len()).into(),
        }
    }
}

impl Edit {
    /// Returns the value of a change that depends on what the first signer holds.
    fn of_holdings(&self, transaction: &Value, submitter: &Submitter) -> Option<Value> {
        let text = |pointer| transaction.pointer(pointer).and_then(Value::as_str);
        let wallet = text("/specific_data/signers/0")?;
        let token = text("/currency")?;
        let tokens = &submitter.samples.discovered.tokens;
        let history = || submitter.samples.history();
        match self.change {
            Change::OtherHeldToken => {
                let held = other_token(&history(), wallet, token, 1);
                held.map_or_else(
                    || Some(other_name(tokens, &token.into(), "OTHER")),
                    |held| Some(held.into()),
                )
            }
            Change::MoreThanHeld => {
                let history = history();
                let held = u64::try_from(*held_by(&history, wallet).get(token)?).ok()?;
                // It may receive fees before the node compares.
                let income = if may_make_blocks(&history, wallet) {
                    held
                } else {
                    0
                };
                held.checked_add(income)?.checked_add(1).map(Value::from)
            }
            _ => None,
        }
    }
}

/// Whether a block names the wallet as one of those who make blocks.
fn may_make_blocks(history: &History, wallet: &str) -> bool {
    let blocks = history.blocks();
    let mut blocks = blocks.filter_map(|(_, entry)| entry.exchange.success_object());
    blocks.any(|block| {
        let text = &block["text"]["previous_block_receipts"];
        let all = [
            &block["creator_wallet"],
            &block["expected_miner"],
            &block["committee"],
            text,
        ];
        all.into_iter().any(|value| mentions(value, wallet))
    })
}

/// Returns a known name other than `current`, or `otherwise` if there is none.
fn other_name(known: &[String], current: &Value, otherwise: &str) -> Value {
    let found = known.iter().find(|name| current != name.as_str());
    found.map_or(otherwise, String::as_str).into()
}

/// Changes a value as little as possible, without changing its type or its form.
fn slightly(value: &mut Value) {
    match value {
        Value::Null => *value = true.into(),
        Value::Bool(flag) => *flag = !*flag,
        Value::Number(number) => {
            let larger = number.as_u64().and_then(|number| number.checked_add(1));
            let fraction = || Number::from_f64(number.as_f64()? * 2.0 + 1.0);
            *number = larger.map_or_else(|| fraction().unwrap_or_else(|| 1.into()), Number::from);
        }
        Value::String(text) => {
            let digits = text.trim_start_matches("0x").trim_start_matches("ct");
            let is_code = [40, 64].contains(&digits.len())
                && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            match is_code {
                true => *text = with_another_digit(text),
                false => text.push(' '),
            }
        }
        Value::Array(entries) => {
            let mut entry = entries.first().cloned().unwrap_or_default();
            slightly(&mut entry);
            entries.push(entry);
        }
        Value::Object(members) => {
            members.insert(
                "fee_payer".to_owned(),
                format!("0x{}", "a5".repeat(20)).into(),
            );
        }
    }
}

/// Returns a text with upper and lower case swapped.
pub(super) fn in_other_letters(text: &str) -> String {
    text.chars().map(swapped).collect()
}

/// Returns an ASCII letter in upper case if it is in lower case, and in lower case otherwise.
pub(crate) fn swapped(c: char) -> char {
    match c {
        'a'..='z' => c.to_ascii_uppercase(),
        _ => c.to_ascii_lowercase(),
    }
}

fn put_in_capitals(value: &mut Value) {
    match value {
        Value::String(text) if text.starts_with("0x") => {}
        Value::String(text) => *text = text.to_uppercase(),
        Value::Array(entries) => entries.iter_mut().for_each(put_in_capitals),
        Value::Object(members) => members.values_mut().for_each(put_in_capitals),
        _ => {}
    }
}

/// Returns a hexadecimal text with another last digit.
pub(super) fn with_another_digit(digits: &str) -> String {
    with_digit_changed(digits, digits.len().saturating_sub(1))
}

/// Returns a hexadecimal text with another digit at this place.
pub(super) fn with_digit_changed(digits: &str, at: usize) -> String {
    let changed = digits.char_indices().map(|(place, digit)| match digit {
        _ if place != at => digit,
        '0' => '1',
        _ => '0',
    });
    changed.collect()
}

/// Applies a change to a transaction's text. The other members may be written differently, because
/// the node must refuse the transaction.
pub(super) fn altered(
    text: &str,
    change: impl FnOnce(&mut Value),
) -> Result<String, InconclusiveReason> {
    let mut transaction: Value = serde_json::from_str(text).map_err(harness)?;
    change(&mut transaction);
    Ok(transaction.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_slight_change_keeps_the_type_and_the_form() {
        let code = |end: &str| json!(format!("ct{}{end}", "a".repeat(39)));
        for (mut value, changed) in [
            (json!(null), json!(true)),
            (json!(true), json!(false)),
            (json!(7), json!(8)),
            (json!(0.5), json!(2.0)),
            (json!(u64::MAX), json!(u64::MAX as f64 * 2.0 + 1.0)),
            (json!("token"), json!("token ")),
            (code("0"), code("1")),
            (code("7"), code("0")),
            (json!(["a", "b"]), json!(["a", "b", "a "])),
            (json!([]), json!([true])),
        ] {
            slightly(&mut value);
            assert_eq!(value, changed);
        }
    }
}
