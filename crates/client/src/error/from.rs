//! Converts errors of single steps and of values to an [`Error`], so `?` works in a whole program.

use nodeproof_primitives::{
    InexactAmountError, IntegerRangeError, MessageError, ParseAmountError, ParseHexError,
    ParseIntegerError, ParseNetworkError, ParseTimestampError, ParseTokensError, SignerError,
    SystemTimeRangeError,
};

use super::{DecodeError, Error, ErrorKind};
use crate::{
    FieldError, ParseHexTextError,
    contract_call::{BuildCallError, BuiltCallMismatch, FeeError, SignError, SubmitError},
};

macro_rules! from_errors {
    ($kind:ident: $($source:ty),* $(,)?) => {$(
        impl From<$source> for Error {
            fn from(source: $source) -> Self {
                Self::from_kind(ErrorKind::$kind, source.to_string()).caused_by(source)
            }
        }
    )*};
}

from_errors!(
    Decode: DecodeError,
    FieldError,
    BuiltCallMismatch,
    serde_json::Error,
);
from_errors!(
    Configuration: FeeError,
    InexactAmountError,
    IntegerRangeError,
    MessageError,
    ParseAmountError,
    ParseHexError,
    ParseHexTextError,
    ParseIntegerError,
    ParseNetworkError,
    ParseTimestampError,
    ParseTokensError,
    SignerError,
    SystemTimeRangeError,
);

impl From<SignError> for Error {
    fn from(source: SignError) -> Self {
        match source {
            SignError::Assembly(fault) => fault.into(),
            SignError::Mismatch(fault) => fault.into(),
            _ => Self::from_kind(ErrorKind::Configuration, source.to_string()).caused_by(source),
        }
    }
}

impl From<BuildCallError> for Error {
    fn from(source: BuildCallError) -> Self {
        match source {
            BuildCallError::Client(error) => error,
            BuildCallError::Mismatch(fault) => fault.into(),
        }
    }
}

/// The kind is that of the last request if nothing was accepted, and [`ErrorKind::Unclear`] otherwise.
impl From<SubmitError> for Error {
    fn from(source: SubmitError) -> Self {
        let maybe_sent = source.maybe_sent();
        let failed = source.client_error().filter(|_| !maybe_sent);
        let kind = failed.map_or(ErrorKind::Unclear, Self::kind);
        let mut error = Self::from_kind(kind, source.reason()).sent(maybe_sent);
        if let Some(failed) = source.client_error() {
            error = error.with_exchange_of(failed);
        }
        error.caused_by(source)
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use nodeproof_primitives::{
        Amount, ContractAddress, Integer, Network, TimestampMs, TokenDecimals, WalletAddress,
    };

    use super::*;
    use crate::{Block, HexText, contract_call::Fee};

    /// Runs a step of a program that has no other error than the client's.
    fn failing(step: impl FnOnce() -> Result<(), Error>) -> Error {
        step().unwrap_err()
    }

    #[test]
    fn a_program_needs_no_other_error() {
        use ErrorKind::{Configuration, Decode};
        let steps: Vec<(ErrorKind, Error)> = vec![
            (
                Configuration,
                failing(|| {
                    "0x1".parse::<WalletAddress>()?;
                    Ok(())
                }),
            ),
            (
                Configuration,
                failing(|| {
                    "ct1".parse::<ContractAddress>()?;
                    Ok(())
                }),
            ),
            (
                Configuration,
                failing(|| {
                    "1.5".parse::<Integer>()?;
                    Ok(())
                }),
            ),
            (
                Configuration,
                failing(|| {
                    "1,5".parse::<Amount>()?;
                    Ok(())
                }),
            ),
            (
                Configuration,
                failing(|| {
                    "now".parse::<TimestampMs>()?;
                    Ok(())
                }),
            ),
            (
                Configuration,
                failing(|| {
                    "moon".parse::<Network>()?;
                    Ok(())
                }),
            ),
            (
                Configuration,
                failing(|| {
                    "xyz".parse::<HexText>()?;
                    Ok(())
                }),
            ),
            (
                Configuration,
                failing(|| {
                    u8::try_from(Integer::from(256))?;
                    Ok(())
                }),
            ),
            (
                Configuration,
                failing(|| {
                    TokenDecimals::new(2).parse("0.001")?;
                    Ok(())
                }),
            ),
            (
                Configuration,
                failing(|| {
                    "0.10000000000000000001".parse::<Amount>()?.check_exact()?;
                    Ok(())
                }),
            ),
            (
                Configuration,
                failing(|| {
                    Fee::new((-1).into(), "TKN")?;
                    Ok(())
                }),
            ),
            (Configuration, failing(|| Err(SignError::NoSigners)?)),
            (
                Configuration,
                failing(|| Err(SignerError::refused("the device is locked"))?),
            ),
            (
                Configuration,
                failing(|| {
                    nodeproof_primitives::signed_message("{")?;
                    Ok(())
                }),
            ),
            (
                Decode,
                failing(|| {
                    Block::from_slice(b"[]")?;
                    Ok(())
                }),
            ),
            (
                Decode,
                failing(|| {
                    Block::from_slice(b"{}")?.timestamp()?;
                    Ok(())
                }),
            ),
        ];
        for (kind, error) in steps {
            assert_eq!(error.kind(), kind, "{error}");
            assert!(!error.maybe_sent() && !error.is_retryable(), "{error}");
            // The message is that of the step, which is the error's source.
            assert_eq!(error.source().unwrap().to_string(), error.to_string());
        }
    }
}
