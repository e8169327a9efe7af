//! Trust between two wallets.

use nodeproof_primitives::Integer;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::{
    DecodeError,
    decode::{ExtraFields, Field, FieldError, check_status, members},
};

/// How far one wallet trusts another.
///
/// Source: the contract, "Trust score result".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[doc(alias = "trust_score")]
pub struct TrustScore {
    status: Field<String>,
    trust_score: Field<Integer>,
    extra: ExtraFields,
}

impl TrustScore {
    /// Reads a trust score from the bytes of an answer.
    ///
    /// # Errors
    /// If they are not one JSON object.
    pub fn from_slice(body: &[u8]) -> Result<Self, DecodeError> {
        serde_json::from_slice(body)
            .map_err(|source| DecodeError::new("a trust score", body, source))
    }

    /// The score. Its range is not stated. Whether the answer is one of success is told by
    /// [`check_status`](Self::check_status).
    ///
    /// # Errors
    /// If it is not an integer.
    pub fn score(&self) -> Result<&Integer, FieldError> {
        self.trust_score.require("trust_score")
    }

    /// What is in `status`: `SUCCESS`; other values are not shown.
    ///
    /// # Errors
    /// If it is not text.
    pub fn status(&self) -> Result<&str, FieldError> {
        self.status.require("status").map(String::as_str)
    }

    /// Checks that the answer is one of success: its score is none otherwise.
    ///
    /// # Errors
    /// If `status` is not `SUCCESS`, or is missing; with what the node says, if it does.
    pub fn check_status(&self) -> Result<(), FieldError> {
        check_status(&self.status, &self.extra)
    }

    /// The fields that nobody described, as they came.
    #[must_use]
    pub fn extra(&self) -> &ExtraFields {
        &self.extra
    }
}

impl<'de> Deserialize<'de> for TrustScore {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let mut score = Self::default();
        members(raw.get(), |name, raw| match name {
            "status" => score.status = Field::read(raw),
            "trust_score" => score.trust_score = Field::read(raw),
            _ => score.extra.push(name, raw.to_owned().into()),
        })
        .map_err(serde::de::Error::custom)?;
        Ok(score)
    }
}
