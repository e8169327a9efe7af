//! The failures of contract calls that were not made, or may not have been made.

use nodeproof_claims::{SavedCallError, SavedTransactionError};
use nodeproof_client::{BuiltCallMismatch, Error, ErrorKind, SubmitError};
use nodeproof_primitives::with_causes;

use crate::failure::{Failure, Kind};

/// The status of a node that accepts no more submissions at the moment.
const TOO_MANY: u16 = 429;
/// Statuses of servers that are not nodes, or that do not have the endpoint.
const NO_SUCH_CALL: [u16; 2] = [404, 405];

/// Returns the failure of a saved call.
pub(super) fn saved_call(error: SavedCallError) -> Failure {
    let text = error.to_string();
    match error {
        SavedCallError::Input(error) => Failure::usage(with_causes(&error)),
        SavedCallError::Network(error) => error.into(),
        SavedCallError::BuiltCallMismatch(error) => mismatch(error),
        SavedCallError::Saved(error) => saved_file(&error),
        SavedCallError::Submission { error, .. } => submission(&error, text),
        SavedCallError::Waiting { .. } => Failure::new(Kind::Unconfirmed, text)
            .with_suffix("; run the same command again, which submits the same transaction"),
        SavedCallError::AnotherInBlock { .. } => Failure::new(Kind::Unconfirmed, text),
        _ => Failure::usage(text),
    }
}

/// Returns the failure of a file that is not the saved transaction of this call.
pub(super) fn saved_file(error: &SavedTransactionError) -> Failure {
    Failure::usage(error.to_string().replace("`any_node`", "--any-node"))
}

/// Returns the failure of a submission, which may have been tried more than once, with this text.
pub(super) fn submission(error: &SubmitError, text: String) -> Failure {
    if error.refusal().is_some() {
        let refused = Failure::refused(text, error.messages());
        return match error.maybe_sent() {
            // A node that refuses it now may have accepted it earlier.
            true => refused.with_kind(Kind::Unconfirmed),
            false => refused,
        };
    }
    let Some(cause) = error.client_error().filter(|_| !error.maybe_sent()) else {
        return Failure::new(Kind::Unconfirmed, text);
    };
    if cause.kind() == ErrorKind::Configuration {
        return Failure::new(Kind::Usage, text);
    }
    match cause.status().map(|status| status.as_u16()) {
        Some(TOO_MANY) => Failure::new(Kind::Unreachable, text)
            .with_suffix("; the node reports that it takes nothing now: try again later"),
        Some(status) if NO_SUCH_CALL.contains(&status) => Failure::new(Kind::Unreachable, text)
            .with_suffix(
                "; the server reports that it does not have the endpoint: is this base URL a node's?",
            ),
        Some(status) if (400..500).contains(&status) => {
            Failure::new(Kind::Refused, text).with_maybe_sent(true)
        }
        _ => Failure::new(Kind::Unreachable, text),
    }
}

/// Returns the failure of a request that builds a transaction.
pub(super) fn build(error: Error) -> Failure {
    match BuiltCallMismatch::try_from(error) {
        Ok(error) => mismatch(error),
        Err(error) => error.into(),
    }
}

/// Returns the failure if the node built a different call, or if the call can't be built.
fn mismatch(error: BuiltCallMismatch) -> Failure {
    match error {
        BuiltCallMismatch::DuplicateMemberInRequest { .. } | BuiltCallMismatch::Inexact { .. } => {
            Failure::usage(error)
        }
        BuiltCallMismatch::Untimely { latest: None, .. } => Failure::unexpected(format!(
            "{error}; nothing was signed. Set this computer's clock, or use another node; \
             --trust-node-time takes the node's latest block for the clock, on a test network"
        )),
        error => Failure::unexpected(format!("{error}; nothing was signed")),
    }
}
