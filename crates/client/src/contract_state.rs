//! Stored data of a smart contract.

use nodeproof_primitives::{RawJson, escape::escaped_up_to, sorted_message};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::{
    DecodeError, VerificationRecord,
    decode::{ExtraFields, Field, FieldError, FieldFault, check_status, members, text_in},
};

/// The response to a request for a contract's state.
///
/// The contract describes "an RpcResponse with a `value` field" and does not show its exact shape.
/// Nodes were seen to return the record in `data`, and null if no record matches. Both fields are
/// unchanged here.
///
/// ```
/// use nodeproof_client::ContractState;
///
/// let state = ContractState::from_slice(
///     br#"{"status": "SUCCESS", "data": {"asset_id": "asset-7", "outcome": 1}}"#,
/// )?;
/// assert_eq!(state.status(), Some("SUCCESS"));
/// assert_eq!(state.carrier().map(|(name, _)| name), Some("data"));
/// assert!(state.record()?.is_some() && state.extra().is_empty());
/// assert_eq!(state.verifications()?[0].asset_id()?, "asset-7");
///
/// let absent = ContractState::from_slice(br#"{"value": null}"#)?;
/// assert!(absent.record()?.is_none());
/// assert!(absent.verification()?.is_none() && absent.verifications()?.is_empty());
/// # Ok::<(), nodeproof_client::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[doc(alias = "RpcResponse")]
pub struct ContractState {
    value: Option<RawJson>,
    data: Option<RawJson>,
    status: Field<String>,
    extra: ExtraFields,
}

impl ContractState {
    /// Parses a response about a contract's state from its bytes.
    ///
    /// # Errors
    /// If they are not one JSON object.
    pub fn from_slice(body: &[u8]) -> Result<Self, DecodeError> {
        serde_json::from_slice(body)
            .map_err(|source| DecodeError::new("a contract's state", body, source))
    }

    /// Returns the field that carries the record, `value` or `data`, and its text.
    ///
    /// If both are present, returns the first that is not null.
    #[must_use]
    pub fn carrier(&self) -> Option<(&'static str, &RawJson)> {
        match (&self.value, &self.data) {
            (Some(value), Some(data)) if value.is_null() && !data.is_null() => Some(("data", data)),
            (Some(value), _) => Some(("value", value)),
            (None, Some(data)) => Some(("data", data)),
            (None, None) => None,
        }
    }

    /// Returns the record, unchanged. Returns `None` if no record matches. Nodes report this with
    /// null, or with a message such as `no such record` in a response without a record.
    ///
    /// # Errors
    /// If the response has neither `value` nor `data`, has both with different records, or has a
    /// `status` that is not `SUCCESS`. Such a response proves neither that a record exists nor that
    /// none exists.
    pub fn record(&self) -> Result<Option<&RawJson>, FieldError> {
        if self.says_absent() {
            return Ok(None);
        }
        self.check_status()?;
        match (&self.value, &self.data) {
            (Some(value), Some(data)) if differ(value, data) => {
                let reason = "`value` and `data` have different records";
                return Err(FieldError::new(
                    "value",
                    FieldFault::Doubtful(reason.to_owned()),
                ));
            }
            _ => {}
        }
        match self.carrier() {
            Some((_, record)) => Ok((!record.is_null()).then_some(record)),
            None => Err(FieldError::new(
                "value",
                match self.extra.detail() {
                    Some(words) => FieldFault::Malformed(format!(
                        "it is missing; the node's message: {}",
                        escaped_up_to(&words, 100)
                    )),
                    None => FieldFault::Missing,
                },
            )),
        }
    }

    /// Returns the record as one of the table `verification`, or `None` if no record matches.
    ///
    /// If the node returns several records, this is the first.
    ///
    /// # Errors
    /// As for [`record`](Self::record), or if it is neither a row nor an object with a field of
    /// such a record.
    pub fn verification(&self) -> Result<Option<VerificationRecord>, FieldError> {
        Ok(self.verifications()?.into_iter().next())
    }

    /// Returns the records as those of the table `verification`. The list is empty if none matches.
    ///
    /// # Errors
    /// As for [`record`](Self::record), or if they are neither rows nor objects with a field of
    /// such a record.
    pub fn verifications(&self) -> Result<Vec<VerificationRecord>, FieldError> {
        let Some(record) = self.record()? else {
            return Ok(Vec::new());
        };
        let name = self.carrier().map_or("value", |(name, _)| name);
        VerificationRecord::all(record).map_err(|fault| {
            let reason = fault.reason().to_owned();
            let field = Field::<()>::malformed(reason.clone(), record.clone());
            field
                .fault(name)
                .unwrap_or_else(|| FieldError::new(name, FieldFault::Malformed(reason)))
        })
    }

    /// Returns `status`. Nodes were seen to return `SUCCESS`, with a record and without one.
    #[must_use]
    pub fn status(&self) -> Option<&str> {
        self.status.value().map(String::as_str)
    }

    /// Checks `status`. The contract does not show it here, so it may be missing. If it is present,
    /// it has to be the observed one.
    fn check_status(&self) -> Result<(), FieldError> {
        match &self.status {
            Field::Missing => Ok(()),
            status => check_status(status, &self.extra),
        }
    }

    /// Returns whether the response has no record and a message that nothing was found.
    fn says_absent(&self) -> bool {
        self.carrier().is_none_or(|(_, record)| record.is_null()) && self.extra.say_absent()
    }

    /// Returns the undocumented fields, unchanged.
    #[must_use]
    pub fn extra(&self) -> &ExtraFields {
        &self.extra
    }
}

/// Returns whether two records are both not null and have different values.
fn differ(one: &RawJson, other: &RawJson) -> bool {
    // The order of members and spaces do not matter. A record can be inside a string.
    let meaning = |record: &RawJson| {
        let text = text_in(record.as_str()).map_or(record.as_str().into(), |inside| inside);
        sorted_message(&text).unwrap_or_else(|_| record.as_str().to_owned())
    };
    !one.is_null() && !other.is_null() && meaning(one) != meaning(other)
}

impl<'de> Deserialize<'de> for ContractState {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let mut state = Self::default();
        members(raw.get(), |name, raw| match name {
            "value" => state.value = Some(raw.to_owned().into()),
            "data" => state.data = Some(raw.to_owned().into()),
            "status" => state.status = Field::read(raw),
            _ => state.extra.push(name, raw.to_owned().into()),
        })
        .map_err(serde::de::Error::custom)?;
        Ok(state)
    }
}
