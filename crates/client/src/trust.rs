//! Trust between two wallets.

use nodeproof_primitives::Integer;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::{
    DecodeError,
    decode::{ExtraFields, Field, FieldError, check_status, members},
};

/// The trust score from one wallet to another.
///
/// Source: the contract, "Trust score result".
///
/// ```
/// use nodeproof_client::TrustScore;
///
/// let trust = TrustScore::from_slice(br#"{"status": "SUCCESS", "trust_score": 80}"#)?;
/// trust.check_status()?;
/// assert_eq!(*trust.score()?, 80);
///
/// let failed = TrustScore::from_slice(br#"{"status": "FAILURE", "trust_score": 0, "msg": "busy"}"#)?;
/// assert_eq!(failed.status()?, "FAILURE");
/// let fault = failed.check_status().unwrap_err();
/// assert!(fault.to_string().ends_with("found \"FAILURE\"; the node's message: busy"));
/// # Ok::<(), nodeproof_client::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[doc(alias = "trust_score")]
pub struct TrustScore {
    status: Field<String>,
    trust_score: Field<Integer>,
    extra: ExtraFields,
}

impl TrustScore {
    /// Parses a trust score from the bytes of a response.
    ///
    /// # Errors
    /// If they are not one JSON object.
    pub fn from_slice(body: &[u8]) -> Result<Self, DecodeError> {
        serde_json::from_slice(body)
            .map_err(|source| DecodeError::new("a trust score", body, source))
    }

    /// Returns the score. The contract does not state its range. Check first that the response is a
    /// success: [`check_status`](Self::check_status).
    ///
    /// # Errors
    /// If it is not an integer.
    pub fn score(&self) -> Result<&Integer, FieldError> {
        self.trust_score.require("trust_score")
    }

    /// Returns `status`: `SUCCESS`. The contract does not show other values.
    ///
    /// # Errors
    /// If it is not a string.
    pub fn status(&self) -> Result<&str, FieldError> {
        self.status.require("status").map(String::as_str)
    }

    /// Checks that the response is a success. Otherwise its score is not valid.
    ///
    /// # Errors
    /// If `status` is not `SUCCESS`, or is missing. The error has the node's message, if there is one.
    pub fn check_status(&self) -> Result<(), FieldError> {
        check_status(&self.status, &self.extra)
    }

    /// Returns the undocumented fields, unchanged.
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
