//! The mismatch between a built call and the requested one.

use nodeproof_primitives::{
    InexactAmountError, MessageError, TimestampMs, WalletAddress, escape::escaped_up_to,
};

use super::{
    clock::untimely,
    place::{Place, as_signed},
};
use crate::InputError;

/// The maximum length of a value in a message, in characters.
const SHOWN: usize = 80;
/// The maximum length of the common start of two values in a message, in characters.
const ALIKE: usize = 20;

/// The built transaction is not the requested call, and is not signed. If it was signed earlier, do
/// not submit it.
///
/// Text from the node is shortened, written in ASCII as it would be signed, and safe to print.
///
/// ```
/// use nodeproof_client::{ContractCall, RawTransaction, contract_call::{CheckedTransaction, Fee}};
/// use serde_json::json;
///
/// let contract = "ct8acac3e5d4b00f083c314707a41ca995c61c6f8c";
/// let wallet = "0xe8cf534e934cf1d5fb523b8c3134a501037d470e";
/// let call = ContractCall::new(contract.parse()?, "vote")
///     .signers([wallet.parse()?])
///     .params(&json!({"proposal": 7}))?;
/// let built = json!({
///     "timestamp": 1_767_225_593_000_u64, "trans_code": "04087cb4c58f389c80bef882e3392f1b3b0e9e3c",
///     "type": 3, "currency": "TKN", "fee": 0.0, "descr": "", "valid": 1,
///     "specific_data": {
///         "address": contract, "function": "vote", "signers": [wallet], "params": {"proposal": 8},
///     },
/// });
/// let raw = RawTransaction::from_json(&built.to_string())?;
/// let fee = Fee::new(1_500_000.into(), "TKN")?;
/// let mismatch = CheckedTransaction::check(&call, &raw, &fee).unwrap_err();
/// assert_eq!(mismatch.member(), Some("transaction.specific_data.params.proposal"));
/// assert!(mismatch.to_string().ends_with("expected 7, received 8"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuiltCallMismatch {
    /// The response has no transaction. Use another node.
    #[error("the node built no transaction: {0}")]
    NoTransaction(#[from] InputError),
    /// The text is longer than a transaction can be. Shorten the call. If the call is short, use
    /// another node.
    #[error("the transaction has {bytes} bytes, and more than {limit} are never signed")]
    TooLong {
        /// Its length, in bytes.
        bytes: usize,
        /// The maximum length, in bytes.
        limit: usize,
    },
    /// The text has no message that can be signed. If the call has the fault, correct it. Otherwise
    /// use another node.
    #[error("the transaction can't be signed: {0}")]
    Unsignable(#[from] MessageError),
    /// Arrays and objects are nested too deep. If the call is nested like this, use fewer levels.
    /// Otherwise use another node.
    #[error("`{member}` is nested deeper than {limit} levels")]
    TooDeep {
        /// The member.
        member: String,
        /// The maximum nesting.
        limit: usize,
    },
    /// A member occurs more than once, so the transaction has two meanings. If the call has the
    /// member twice, leave one. Otherwise use another node.
    #[error("the node built a transaction with more than one `{member}`")]
    Twice {
        /// The member.
        member: String,
    },
    /// The call has a member more than once, so it has two meanings. Leave one of them.
    #[error("the call has more than one `{member}`; leave one")]
    DuplicateMemberInRequest {
        /// The member.
        member: String,
    },
    /// The call has a number that nodes read as another value. Give it as an integer, or with at
    /// most 15 digits.
    #[error("nodes would change the `{member}` of the call: {source}")]
    Inexact {
        /// The member.
        member: String,
        /// The number that nodes would read.
        source: InexactAmountError,
    },
    /// A member is missing. Use another node.
    #[error("the node left out `{member}`")]
    Missing {
        /// The member.
        member: String,
    },
    /// A member of the transaction was not requested. Use another node.
    #[error("the node added `{member}`, which is {came}")]
    Extra {
        /// The member.
        member: String,
        /// Its value.
        came: String,
    },
    /// A member differs from the requested one. Use another node. For a transaction that was signed
    /// earlier, give the call and the fee that were signed.
    #[error("the node changed `{member}`: expected {requested}, received {came}")]
    Changed {
        /// The member.
        member: String,
        /// The requested value.
        requested: String,
        /// The built value.
        came: String,
    },
    /// A member is malformed. Use another node.
    #[error("the node built a `{member}` that is not {wanted}: {came}")]
    Malformed {
        /// The member.
        member: String,
        /// The expected form.
        wanted: &'static str,
        /// The built value.
        came: String,
    },
    /// The time set by the node is more than a day from all clocks. Check the local clock. If it is
    /// right, use another node. On a test network with its own time, use `Clock::LocalOrNode`.
    #[error("{}", untimely(*built, *here, *latest))]
    Untimely {
        /// The transaction's time.
        built: TimestampMs,
        /// The local time.
        here: TimestampMs,
        /// The time of the node's latest block, if it is known.
        latest: Option<TimestampMs>,
    },
    /// The built transaction already has signatures. Use another node.
    #[error("the node built a transaction with signatures in it, before anybody signed")]
    AlreadySigned,
    /// The signature of a signer is missing. Have this wallet sign before you submit.
    #[error("the signature of {wallet} is missing")]
    NotSigned {
        /// The wallet.
        wallet: WalletAddress,
    },
    /// A wallet that is not a signer has signed, or a signer has signed twice. Leave this signature
    /// out.
    #[error("{wallet} is not a required signer, or has signed already")]
    NotASigner {
        /// The wallet.
        wallet: WalletAddress,
    },
}

impl BuiltCallMismatch {
    pub(super) fn missing(place: &Place<'_>) -> Self {
        Self::Missing {
            member: place.path(),
        }
    }

    pub(super) fn extra(place: &Place<'_>, built: &str) -> Self {
        Self::Extra {
            member: place.path(),
            came: shown(&as_signed(built), 0),
        }
    }

    pub(super) fn malformed(place: &Place<'_>, wanted: &'static str, built: &str) -> Self {
        Self::Malformed {
            member: place.path(),
            wanted,
            came: shown(&as_signed(built), 0),
        }
    }

    pub(super) fn changed(place: &Place<'_>, requested: &str, built: &str) -> Self {
        let (requested, came) = shown_apart(requested, built);
        Self::Changed {
            member: place.path(),
            requested,
            came,
        }
    }

    /// Returns the member with the mismatch, if there is one.
    #[must_use]
    pub fn member(&self) -> Option<&str> {
        match self {
            Self::TooDeep { member, .. }
            | Self::Twice { member }
            | Self::DuplicateMemberInRequest { member }
            | Self::Inexact { member, .. }
            | Self::Missing { member }
            | Self::Extra { member, .. }
            | Self::Changed { member, .. }
            | Self::Malformed { member, .. } => Some(member),
            _ => None,
        }
    }
}

/// Returns two JSON texts, escaped and in ASCII. Each is cut so that the first difference is visible.
///
/// Use it to report two values that differ.
///
/// ```
/// use nodeproof_client::contract_call::shown_apart;
///
/// let (left, right) = shown_apart(r#""café""#, r#""cafe""#);
/// assert_eq!((left.as_str(), right.as_str()), (r#""caf\u00e9""#, r#""cafe""#));
/// ```
#[must_use]
pub fn shown_apart(left: &str, right: &str) -> (String, String) {
    let (left, right) = (as_signed(left), as_signed(right));
    let alike = left
        .bytes()
        .zip(right.bytes())
        .take_while(|(left, right)| left == right)
        .count();
    (shown(&left, alike), shown(&right, alike))
}

/// Returns a value, cut so that the text after `alike` bytes is visible.
fn shown(text: &str, alike: usize) -> String {
    if alike + ALIKE < SHOWN {
        return escaped_up_to(text, SHOWN);
    }
    let mut start = alike.saturating_sub(ALIKE).min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let rest = text.get(start..).unwrap_or_default();
    format!("…{}", escaped_up_to(rest, SHOWN))
}
