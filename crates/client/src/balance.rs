//! Balances: of one token, of all tokens in a wallet, of all holders of a token.

use std::ops::Deref;

use nodeproof_primitives::{Integer, RawJson, escape::escaped_up_to};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::{
    DecodeError, HolderAddress,
    decode::{
        ExtraFields, Field, FieldError, FieldFault, Leaf, MAX_INVALID, check_status, kind_of,
        members, too_many_odd,
    },
};

/// The response to a request for balances.
///
/// The contract names the field `balance`, and the endpoint's description `value`: "a client
/// tolerates both names". The contract shows an integer for one token in one wallet. It does not
/// show the other responses. Nodes were seen to return lists there, and null for a token that a
/// wallet does not hold.
///
/// ```
/// use nodeproof_client::BalanceResponse;
///
/// let one = BalanceResponse::from_slice(br#"{"balance": 9999936999900}"#)?;
/// assert_eq!(one.amount()?, Some(9_999_936_999_900_i64.into()));
/// assert_eq!(one.carrier().map(|(name, _)| name), Some("balance"));
/// assert!(one.extra().is_empty());
///
/// let wallet = BalanceResponse::from_slice(br#"{"value": [{"token_code": "TKN", "balance": 7}]}"#)?;
/// assert_eq!(wallet.tokens()?[0].token_code, "TKN");
///
/// let token = BalanceResponse::from_slice(
///     br#"{"balance": [{"wallet": "ctcc8321d6375c494d043fdd0260f21bc0ec51dacc", "balance": 3}]}"#,
/// )?;
/// assert!(token.holders()?[0].holder.contract().is_some());
/// # Ok::<(), nodeproof_client::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BalanceResponse {
    balance: Option<RawJson>,
    value: Option<RawJson>,
    /// The field that occurs more than once.
    twice: Option<&'static str>,
    status: Field<String>,
    extra: ExtraFields,
}

/// The balance of one token in a wallet.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TokenBalance {
    /// The token.
    pub token_code: String,
    /// The holder, if the node returns it.
    pub holder: Option<HolderAddress>,
    /// The balance, in base units of the token. `None` if the node returns null.
    pub balance: Option<Integer>,
    /// The undocumented fields.
    pub extra: ExtraFields,
}

/// The balance of one token that a wallet or a contract holds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HolderBalance {
    /// The holder.
    pub holder: HolderAddress,
    /// The token, if the node returns it.
    pub token_code: Option<String>,
    /// The balance, in base units of the token. `None` if the node returns null.
    pub balance: Option<Integer>,
    /// The undocumented fields.
    pub extra: ExtraFields,
}

/// The entries of a list, and the faults of entries that can't be read.
///
/// ```
/// let response = nodeproof_client::BalanceResponse::from_slice(
///     br#"{"balance": [{"token_code": "TKN", "balance": 7}, 4]}"#,
/// )?;
/// let tokens = response.tokens()?;
/// assert_eq!(tokens.len(), 1);
/// assert_eq!(
///     tokens.faults()[0].to_string(),
///     "`balance[1].entry` is malformed: expected an object, found the number 4",
/// );
/// assert_eq!(tokens.into_entries()[0].balance, Some(7.into()));
/// # Ok::<(), nodeproof_client::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing<T> {
    entries: Vec<T>,
    faults: Vec<FieldError>,
}

impl<T> Listing<T> {
    /// Returns the faults of the entries that can't be read, each with its position and text.
    #[must_use]
    pub fn faults(&self) -> &[FieldError] {
        &self.faults
    }

    /// Returns the entries that can be read.
    #[must_use]
    pub fn into_entries(self) -> Vec<T> {
        self.entries
    }

    /// Reads a list entry by entry. Null counts as an empty list.
    pub(crate) fn read(
        name: &'static str,
        raw: &RawJson,
        entry: impl Fn(&str) -> Result<T, FieldError>,
    ) -> Result<Self, FieldError> {
        let texts: Vec<&RawValue> = if raw.is_null() {
            Vec::new()
        } else {
            serde_json::from_str(raw.as_str()).map_err(|_| {
                let found = kind_of(raw.as_str());
                malformed(name, format!("expected an array, found {found}"), raw)
            })?
        };
        let mut listing = Self {
            entries: Vec::with_capacity(texts.len()),
            faults: Vec::new(),
        };
        for (at, text) in texts.iter().enumerate() {
            match entry(text.get()) {
                Ok(entry) => listing.entries.push(entry),
                Err(_) if listing.faults.len() == MAX_INVALID => {
                    return Err(malformed(name, too_many_odd(), raw));
                }
                Err(fault) => listing.faults.push(fault.within(&format!("{name}[{at}]"))),
            }
        }
        Ok(listing)
    }
}

/// Creates an empty list.
impl<T> Default for Listing<T> {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            faults: Vec::new(),
        }
    }
}

impl<T> Deref for Listing<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.entries
    }
}

impl<T> IntoIterator for Listing<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<'l, T> IntoIterator for &'l Listing<T> {
    type Item = &'l T;
    type IntoIter = std::slice::Iter<'l, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter()
    }
}

impl BalanceResponse {
    /// Reads a response about balances from its bytes.
    ///
    /// # Errors
    /// If they are not one JSON object.
    pub fn from_slice(body: &[u8]) -> Result<Self, DecodeError> {
        serde_json::from_slice(body).map_err(|source| DecodeError::new("a balance", body, source))
    }

    /// Returns the field that carries the balance, `balance` or `value`, and its text.
    ///
    /// If both are present, returns the first that is not null.
    #[must_use]
    pub fn carrier(&self) -> Option<(&'static str, &RawJson)> {
        match (&self.balance, &self.value) {
            (Some(balance), Some(value)) if balance.is_null() && !value.is_null() => {
                Some(("value", value))
            }
            (Some(balance), _) => Some(("balance", balance)),
            (None, Some(value)) => Some(("value", value)),
            (None, None) => None,
        }
    }

    /// Returns the balance of one token in one wallet. Returns `None` if it is null, or if the
    /// response has no balance but a message such as `unknown token`.
    ///
    /// The balance is in base units of the token. Nodes were seen to return null for a token that the
    /// wallet does not hold, and for an unknown token or wallet.
    ///
    /// # Errors
    /// If the field is missing or is not an integer. Like the other methods, also if it occurs more
    /// than once, if `balance` and `value` differ, or if the node reports a failure.
    pub fn amount(&self) -> Result<Option<Integer>, FieldError> {
        if self.says_absent() {
            return Ok(None);
        }
        let (name, raw) = self.found()?;
        let field = field_of(raw);
        if field == Field::Null {
            Ok(None)
        } else {
            field.require(name).cloned().map(Some)
        }
    }

    /// Returns whether the response reports that the requested thing is missing, and has no balance.
    pub(crate) fn says_absent(&self) -> bool {
        self.carrier().is_none() && self.extra.say_absent()
    }

    /// Returns the balances of every token in a wallet. Observed on a real node.
    ///
    /// # Errors
    /// If the field is missing or is not a list.
    pub fn tokens(&self) -> Result<Listing<TokenBalance>, FieldError> {
        let (name, raw) = self.found()?;
        Listing::read(name, raw, |text| {
            let entry = Entry::read(text)?;
            Ok(TokenBalance {
                token_code: entry.token_code.require("token_code")?.clone(),
                holder: entry.holder()?,
                balance: entry.balance()?,
                extra: entry.extra,
            })
        })
    }

    /// Returns the balances of every holder of a token. Observed on a real node.
    ///
    /// # Errors
    /// If the field is missing or is not a list.
    pub fn holders(&self) -> Result<Listing<HolderBalance>, FieldError> {
        let (name, raw) = self.found()?;
        Listing::read(name, raw, |text| {
            let entry = Entry::read(text)?;
            Ok(HolderBalance {
                holder: *entry.holder.require("wallet")?,
                token_code: entry.token_code.value().cloned(),
                balance: entry.balance()?,
                extra: entry.extra,
            })
        })
    }

    /// Returns the undocumented fields, unchanged.
    #[must_use]
    pub fn extra(&self) -> &ExtraFields {
        &self.extra
    }

    /// Returns the field that carries the balance, unless the response contradicts itself or reports
    /// a failure.
    fn found(&self) -> Result<(&'static str, &RawJson), FieldError> {
        // `status` is neither documented nor observed in this response.
        if matches!(self.status, Field::Value(_)) {
            check_status(&self.status, &self.extra)?;
        }
        let unclear = |name, reason: &str| {
            let fault = FieldFault::Doubtful(reason.to_owned());
            Err(FieldError::new(name, fault))
        };
        if let Some(name) = self.twice {
            return unclear(name, "it is there more than once");
        }
        match (&self.balance, &self.value) {
            (Some(balance), Some(value))
                if !balance.is_null() && !value.is_null() && balance.as_str() != value.as_str() =>
            {
                unclear("balance", "`balance` and `value` differ")
            }
            _ => self.carrier().ok_or_else(|| {
                let fault = match self.extra.detail() {
                    Some(words) => FieldFault::Malformed(format!(
                        "it is missing; the node's message: {}",
                        escaped_up_to(&words, 100)
                    )),
                    None => FieldFault::Missing,
                };
                FieldError::new("balance", fault)
            }),
        }
    }
}

impl<'de> Deserialize<'de> for BalanceResponse {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let mut response = Self::default();
        members(raw.get(), |name, raw| {
            let value = RawJson::from(raw.to_owned());
            match name {
                "balance" => {
                    if response.balance.replace(value).is_some() {
                        response.twice = Some("balance");
                    }
                }
                "value" => {
                    if response.value.replace(value).is_some() {
                        response.twice = Some("value");
                    }
                }
                _ => {
                    if name == "status" {
                        response.status = Field::read(raw);
                    }
                    response.extra.push(name, value);
                }
            }
        })
        .map_err(serde::de::Error::custom)?;
        Ok(response)
    }
}

/// An entry of a list of balances, of tokens or of holders.
#[derive(Default)]
struct Entry {
    holder: Field<HolderAddress>,
    token_code: Field<String>,
    balance: Field<Integer>,
    extra: ExtraFields,
}

impl Entry {
    /// Reads an entry. The contract does not show its form. Observed are `wallet`, `token_code` and
    /// `balance`. If one of them is missing, another name is accepted: the contract calls a holder
    /// `wallet_address` elsewhere, and a balance `value`.
    fn read(text: &str) -> Result<Self, FieldError> {
        let mut entry = Self::default();
        let mut others = Vec::new();
        let mut unclear = None;
        let read = members(text, |name, raw| {
            let fits = match name {
                "wallet" => first_or_same(&mut entry.holder, raw),
                "token_code" => first_or_same(&mut entry.token_code, raw),
                "balance" => first_or_same(&mut entry.balance, raw),
                _ => {
                    others.push((name.to_owned(), raw));
                    true
                }
            };
            if !fits {
                unclear = Some(name.to_owned());
            }
        });
        if read.is_err() {
            return Err(FieldError::new(
                "entry",
                FieldFault::Malformed(format!("expected an object, found {}", kind_of(text))),
            ));
        }
        for (name, raw) in others {
            match &*name {
                "wallet_address" | "holder" if entry.holder == Field::Missing => {
                    entry.holder = Field::read(raw);
                }
                "token" if entry.token_code == Field::Missing => {
                    entry.token_code = Field::read(raw);
                }
                "value" | "amount" if entry.balance == Field::Missing => {
                    entry.balance = Field::read(raw);
                }
                _ => entry.extra.push(&name, raw.to_owned().into()),
            }
        }
        match unclear {
            None => Ok(entry),
            Some(name) => Err(FieldError::new(
                name,
                FieldFault::Doubtful("it is there more than once, with two values".to_owned()),
            )),
        }
    }

    fn holder(&self) -> Result<Option<HolderAddress>, FieldError> {
        match &self.holder {
            Field::Missing | Field::Null => Ok(None),
            holder => holder.require("wallet").copied().map(Some),
        }
    }

    fn balance(&self) -> Result<Option<Integer>, FieldError> {
        match &self.balance {
            Field::Null => Ok(None),
            balance => balance.require("balance").cloned().map(Some),
        }
    }
}

/// Sets a field of an entry. Returns `false` if it had another value before.
fn first_or_same<T: Leaf + PartialEq>(field: &mut Field<T>, raw: &RawValue) -> bool {
    let found = Field::read(raw);
    let fits = *field == Field::Missing || *field == found;
    *field = found;
    fits
}

fn field_of(raw: &RawJson) -> Field<Integer> {
    if raw.is_null() {
        return Field::Null;
    }
    match Integer::read(raw.as_str()) {
        Ok(value) => Field::Value(value),
        Err(reason) => Field::malformed(reason, raw.clone()),
    }
}

fn malformed(name: &'static str, reason: String, raw: &RawJson) -> FieldError {
    let field = Field::<()>::malformed(reason.clone(), raw.clone());
    field
        .fault(name)
        .unwrap_or_else(|| FieldError::new(name, FieldFault::Malformed(reason)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(body: &str) -> BalanceResponse {
        BalanceResponse::from_slice(body.as_bytes()).unwrap()
    }

    #[test]
    fn reads_either_name_at_any_size() {
        let huge = format!("1{}", "0".repeat(4000));
        for (body, amount) in [
            (r#"{"balance":9999936999900}"#.to_owned(), "9999936999900"),
            (
                r#"{"value":9007199254740993}"#.to_owned(),
                "9007199254740993",
            ),
            (r#"{"balance":null,"value":5}"#.to_owned(), "5"),
            (
                r#"{"balance":18446744073709551616}"#.to_owned(),
                "18446744073709551616",
            ),
            (r#"{"balance":-1}"#.to_owned(), "-1"),
            (format!(r#"{{"balance":{huge}}}"#), huge.as_str()),
        ] {
            assert_eq!(
                response(&body).amount().unwrap().unwrap().to_string(),
                amount
            );
        }
    }

    #[test]
    fn a_response_with_two_balances_is_ambiguous() {
        for (body, words) in [
            (r#"{"balance":1,"value":2}"#, "`balance` and `value` differ"),
            (r#"{"balance":1,"balance":2}"#, "more than once"),
            (r#"{"value":1,"value":null}"#, "more than once"),
            (
                r#"{"status":"FAILURE","balance":0,"msg":"the database is busy"}"#,
                "found \"FAILURE\"; the node's message: the database is busy",
            ),
            (r#"{"detail":"busy"}"#, "the node's message: busy"),
        ] {
            let error = response(body).amount().unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        for body in [
            r#"{"status":"SUCCESS","balance":7,"value":7}"#,
            r#"{"balance":7,"value":null,"status":1}"#,
        ] {
            assert_eq!(response(body).amount(), Ok(Some(7.into())), "{body}");
        }
    }

    #[test]
    fn an_entry_is_read_by_the_other_names_of_its_fields() {
        let wallet = "0x00000000000000000000000000000000000000a1";
        for (names, extra) in [
            (["wallet", "token_code", "balance"], 0),
            (["wallet_address", "token", "value"], 0),
            (["holder", "token", "amount"], 0),
            // Next to an observed name, another name means something else.
            (["wallet", "token_code", "balance\":5,\"value"], 1),
        ] {
            let [holder, token, balance] = names;
            let list =
                format!(r#"{{"balance":[{{"{holder}":"{wallet}","{token}":"T","{balance}":5}}]}}"#);
            let response = response(&list);
            let held = &response.holders().unwrap()[0];
            assert_eq!(held.holder.to_string(), wallet, "{list}");
            assert_eq!(held.token_code.as_deref(), Some("T"), "{list}");
            assert_eq!(held.balance, Some(5.into()), "{list}");
            assert_eq!(held.extra.len(), extra, "{list}");
            assert_eq!(response.tokens().unwrap()[0].holder, Some(held.holder));
        }
        let twice = response(r#"{"balance":[{"token_code":"T","balance":1,"balance":2}]}"#);
        let fault = twice.tokens().unwrap().faults()[0].to_string();
        assert!(
            fault.contains("`balance[0].balance`") && fault.contains("two values"),
            "{fault}"
        );
    }

    #[test]
    fn tells_nothing_held_from_nothing_said() {
        for nothing in [
            r#"{"balance":null}"#,
            r#"{"detail":"unknown token"}"#,
            r#"{"status":"FAILURE","msg":"No such wallet"}"#,
        ] {
            assert_eq!(response(nothing).amount(), Ok(None), "{nothing}");
        }
        assert!(response("{}").amount().unwrap_err().is_missing());
        assert!(response(r#"{"balance":null}"#).tokens().unwrap().is_empty());
        assert!(response(r#"{"balance":[]}"#).holders().unwrap().is_empty());
    }

    #[test]
    fn says_what_is_wrong_with_another_kind_of_value() {
        for (body, message) in [
            (
                r#"{"balance":"12"}"#,
                "`balance` is malformed: expected an integer, found the string \"12\"",
            ),
            (
                r#"{"value":1.5}"#,
                "`value` is malformed: expected an integer, found the number 1.5",
            ),
            (
                r#"{"balance":[]}"#,
                "`balance` is malformed: expected an integer, found an array",
            ),
        ] {
            assert_eq!(response(body).amount().unwrap_err().to_string(), message);
        }
        let error = response(r#"{"balance":3}"#)
            .tokens()
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "`balance` is malformed: expected an array, found the number 3"
        );
        assert!(BalanceResponse::from_slice(b"[]").is_err());
        assert!(
            BalanceResponse::from_slice(b"")
                .unwrap_err()
                .to_string()
                .contains("empty")
        );
    }

    #[test]
    fn reads_lists_and_keeps_what_can_be_read() {
        let tokens = response(
            r#"{"balance":[{"token_code":"TKN","balance":7,"note":"x"},{"token_code":"GRAIN","balance":null}]}"#,
        );
        let tokens = tokens.tokens().unwrap();
        assert_eq!(tokens[0].balance, Some(7.into()));
        assert_eq!(tokens[0].extra.get("note").unwrap().as_str(), "\"x\"");
        assert_eq!(tokens[1].balance, None);

        let holders = response(
            r#"{"balance":[{"wallet":"ctcc8321d6375c494d043fdd0260f21bc0ec51dacc","balance":9007199254740993},
                {"wallet":"treasury","balance":1},{"wallet":"0xe8cf534e934cf1d5fb523b8c3134a501037d470e","balance":"3"},4]}"#,
        );
        let holders = holders.holders().unwrap();
        assert_eq!(holders.len(), 1);
        assert!(holders[0].holder.contract().is_some());
        let faults: Vec<_> = holders.faults().iter().map(FieldError::field).collect();
        assert_eq!(
            faults,
            [
                "balance[1].wallet",
                "balance[2].balance",
                "balance[3].entry"
            ]
        );
    }
}
