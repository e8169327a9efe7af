//! A field that may be missing, null or malformed.

use std::borrow::Cow;

use nodeproof_primitives::{RawJson, escape::escaped_up_to};
use serde_json::value::RawValue;

use super::Leaf;

/// A field of a response, which may be missing, null or malformed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Field<T> {
    #[default]
    Missing,
    Null,
    Malformed(Box<Malformed>),
    Value(T),
}

/// A value that is not valid for its field, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Malformed {
    pub(crate) reason: String,
    pub(crate) raw: RawJson,
}

impl<T> Field<T> {
    pub(crate) fn malformed(reason: impl Into<String>, raw: RawJson) -> Self {
        Self::Malformed(Box::new(Malformed {
            reason: reason.into(),
            raw,
        }))
    }

    /// Reads the field from its text.
    pub(crate) fn read(raw: &RawValue) -> Self
    where
        T: Leaf,
    {
        let text = raw.get();
        if text == "null" {
            return Self::Null;
        }
        match T::read(text) {
            Ok(value) => Self::Value(value),
            Err(reason) => Self::malformed(reason, raw.to_owned().into()),
        }
    }

    pub(crate) fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the value, or the fault of the field with this name.
    pub(crate) fn require(&self, name: impl Into<Cow<'static, str>>) -> Result<&T, FieldError> {
        match self {
            Self::Value(value) => Ok(value),
            Self::Missing => Err(FieldError::new(name, FieldFault::Missing)),
            Self::Null => Err(FieldError::new(name, FieldFault::Null)),
            Self::Malformed(malformed) => {
                let fault = FieldFault::Malformed(malformed.reason.clone());
                Err(FieldError {
                    raw: Some(malformed.raw.clone()),
                    ..FieldError::new(name, fault)
                })
            }
        }
    }

    pub(crate) fn fault(&self, name: impl Into<Cow<'static, str>>) -> Option<FieldError> {
        self.require(name).err()
    }
}

/// The reason why a field of a response has no value.
///
/// The other fields can still be read. If you need this one, see [`FieldFault`] for what to do. The
/// message is safe to print.
///
/// ```
/// use nodeproof_client::{Block, FieldFault};
///
/// let block = Block::from_slice(br#"{"proof": 1.5, "status": null}"#)?;
/// let error = block.proof().unwrap_err();
/// assert_eq!(error.field(), "proof");
/// assert_eq!(
///     error.fault(),
///     &FieldFault::Malformed("expected an integer, found the number 1.5".to_owned()),
/// );
/// assert_eq!(error.raw().map(|value| value.as_str()), Some("1.5"));
/// assert!(block.status().unwrap_err().is_null());
/// assert!(block.timestamp().unwrap_err().is_missing());
/// # Ok::<(), nodeproof_client::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    field: Cow<'static, str>,
    fault: FieldFault,
    raw: Option<RawJson>,
}

/// The fault of a field without a value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldFault {
    /// The field is missing. Work without it, or use another node.
    Missing,
    /// The field is null. Work without it, or use another node.
    Null,
    /// The field has a value that is not valid, for this reason. [`FieldError::raw`] returns the
    /// value unchanged. Parse it yourself, or use another node.
    Malformed(String),
    /// The field has a value, but another part of the response contradicts it, as described here.
    /// Do not rely on it. Request it again, or use another node.
    Doubtful(String),
}

impl FieldError {
    pub(crate) fn new(field: impl Into<Cow<'static, str>>, fault: FieldFault) -> Self {
        Self {
            field: field.into(),
            fault,
            raw: None,
        }
    }

    /// Returns the field's name in the contract: `previous_hash`, `text.transactions`.
    #[must_use]
    pub fn field(&self) -> &str {
        &self.field
    }

    /// Returns the fault.
    #[must_use]
    pub fn fault(&self) -> &FieldFault {
        &self.fault
    }

    /// Returns the unchanged value, if the field is malformed.
    #[must_use]
    pub fn raw(&self) -> Option<&RawJson> {
        self.raw.as_ref()
    }

    /// Returns whether the field is missing.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        self.fault == FieldFault::Missing
    }

    /// Returns whether the field is null.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.fault == FieldFault::Null
    }

    /// Returns the same fault, with the field as a part of `parent`.
    pub(crate) fn within(self, parent: &str) -> Self {
        Self {
            field: format!("{parent}.{}", self.field).into(),
            ..self
        }
    }
}

impl std::fmt::Display for FieldError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let field = &self.field;
        match &self.fault {
            FieldFault::Missing => write!(f, "`{field}` is missing"),
            FieldFault::Null => write!(f, "`{field}` is null"),
            FieldFault::Malformed(reason) => {
                write!(f, "`{field}` is malformed: {}", escaped_up_to(reason, 200))
            }
            FieldFault::Doubtful(reason) => {
                write!(f, "`{field}` is in doubt: {}", escaped_up_to(reason, 200))
            }
        }
    }
}

impl std::error::Error for FieldError {}
