//! Rejects texts that contain keys, before anything is sent.

use nodeproof_primitives::WalletAddress;
use serde::Serialize;

use super::{settings::Session, without_key::without_key};
use crate::failure::Failure;

/// Rejects a text that is a key file, or has the private key of one of these wallets, of the configured ones, or of a key
/// file that the environment or the command line names.
pub(crate) fn check(
    what: &str,
    text: &str,
    wallets: &[WalletAddress],
    session: &Session,
) -> Result<(), Failure> {
    without_key(what, text, wallets, session.wallets(&[]))
}

/// The same check for a value that is sent as JSON.
pub(crate) fn check_json(
    what: &str,
    sent: &impl Serialize,
    wallets: &[WalletAddress],
    session: &Session,
) -> Result<(), Failure> {
    let text = serde_json::to_string(sent).map_err(Failure::usage)?;
    check(what, &text, wallets, session)
}

/// Rejects arguments and environment settings that are key files, or have the private key of a
/// configured wallet.
pub(crate) fn check_arguments(session: &Session) -> Result<(), Failure> {
    for (at, argument) in std::env::args_os().enumerate().skip(1) {
        let what = format!("argument {at} of the command line");
        check(&what, &argument.to_string_lossy(), &[], session)?;
    }
    for (name, value) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("NODECTL_") {
            check(&name, &value.to_string_lossy(), &[], session)?;
        }
    }
    Ok(())
}
