//! What a smart contract has stored.

use nodeproof_primitives::{RawJson, escape::escaped_up_to, sorted_message};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::{
    DecodeError, VerificationRecord,
    decode::{ExtraFields, Field, FieldError, FieldFault, check_status, members, text_in},
};

/// What a node answers to a question about a contract's state.
///
/// The contract describes "an RpcResponse with a `value` field" and does not show
/// its exact shape. Nodes were seen to answer the record in `data`, and null
/// where no record matches. Either is kept as it came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContractState {
    value: Option<RawJson>,
    data: Option<RawJson>,
    status: Field<String>,
    extra: ExtraFields,
}

impl ContractState {
    /// Reads an answer about a contract's state from its bytes.
    ///
    /// # Errors
    /// If they are not one JSON object.
    pub fn from_slice(body: &[u8]) -> Result<Self, DecodeError> {
        serde_json::from_slice(body)
            .map_err(|source| DecodeError::new("a contract's state", body, source))
    }

    /// The field that carries the record, `value` or `data`, and its text.
    ///
    /// Where both are there, it is the first that is not null.
    #[must_use]
    pub fn carrier(&self) -> Option<(&'static str, &RawJson)> {
        match (&self.value, &self.data) {
            (Some(value), Some(data)) if value.is_null() && !data.is_null() => Some(("data", data)),
            (Some(value), _) => Some(("value", value)),
            (None, Some(data)) => Some(("data", data)),
            (None, None) => None,
        }
    }

    /// The record, as it came; `None` if the node says that none matches: with null, or, where it
    /// carries nothing, in words such as `no such record`.
    ///
    /// # Errors
    /// If the answer has neither `value` nor `data`, has both with different records, or has a
    /// `status` that is not `SUCCESS`: what it carries then is not a record, and not the answer that
    /// there is none.
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

    /// The record as one of the table `verification`; `None` if none matches.
    ///
    /// Where the node answers several, it is the first.
    ///
    /// # Errors
    /// As for [`record`](Self::record), or if it is neither a row nor an object with a field of
    /// such a record.
    pub fn verification(&self) -> Result<Option<VerificationRecord>, FieldError> {
        Ok(self.verifications()?.into_iter().next())
    }

    /// The records as those of the table `verification`; none if none matches.
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

    /// What is in `status`; seen to be `SUCCESS` whether a record was found or not.
    #[must_use]
    pub fn status(&self) -> Option<&str> {
        self.status.value().map(String::as_str)
    }

    /// The contract shows no `status` here, so it may be missing; if it is there, it has to be the
    /// one that nodes were seen to answer.
    fn check_status(&self) -> Result<(), FieldError> {
        match &self.status {
            Field::Missing => Ok(()),
            status => check_status(status, &self.extra),
        }
    }

    /// Whether it carries nothing, and says in words that nothing is there.
    fn says_absent(&self) -> bool {
        self.carrier().is_none_or(|(_, record)| record.is_null()) && self.extra.say_absent()
    }

    /// The fields that nobody described, as they came.
    #[must_use]
    pub fn extra(&self) -> &ExtraFields {
        &self.extra
    }
}

/// Whether two records, neither of which is null, say different things.
fn differ(one: &RawJson, other: &RawJson) -> bool {
    // An order of members and spaces mean nothing; a record may stand inside a string.
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
