//! Rejects texts that contain keys, before anything is sent.

use std::path::PathBuf;

use nodeproof_primitives::WalletAddress;
use nodeproof_wallet::{KeyFile, exposed_key};
use serde::Serialize;

use super::settings::Session;
use crate::failure::Failure;

/// Rejects a text that is a key file, or has the private key of one of these wallets or of the
/// configured ones.
pub(crate) fn check(
    what: &str,
    text: &str,
    wallets: &[WalletAddress],
    session: &Session,
) -> Result<(), Failure> {
    let mut wallets = wallets.to_vec();
    if is_long(text) {
        wallets.extend(usual_wallets(session));
    }
    match exposed_key(text, &wallets) {
        Some(found) => Err(Failure::usage(format!(
            "{what} contains {found} and would be sent to the node: nothing was sent or signed"
        ))),
        None => Ok(()),
    }
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

/// Returns the wallets of the environment and the configuration file, if their key files have an
/// address.
fn usual_wallets(session: &Session) -> impl Iterator<Item = WalletAddress> {
    let of_environment = std::env::var_os("NODECTL_WALLET").map(PathBuf::from);
    let paths = session.wallets(&[]).into_iter().chain(of_environment);
    paths.filter_map(|path| KeyFile::read(path).ok()?.address())
}

/// Whether a text has as many digits as a private key. If not, the configured key files need not be read.
fn is_long(text: &str) -> bool {
    text.chars().filter(char::is_ascii_hexdigit).count() >= 64
}
