//! Rejects a text that contains a key.

use std::path::PathBuf;

use nodeproof_primitives::WalletAddress;
use nodeproof_wallet::{KeyFile, exposed_key};

use crate::failure::Failure;

/// Rejects a text that is a key file, or has the private key of one of these wallets, of the configured ones, or of a key
/// file that the environment or the command line names.
pub(super) fn without_key(
    what: &str,
    text: &str,
    wallets: &[WalletAddress],
    configured: Vec<PathBuf>,
) -> Result<(), Failure> {
    let mut wallets = wallets.to_vec();
    if is_long(text) {
        wallets.extend(usual_wallets(configured));
    }
    match exposed_key(text, &wallets) {
        Some(found) => Err(Failure::usage(format!(
            "{what} contains {found} and would be sent to the node: nothing was sent or signed"
        ))),
        None => Ok(()),
    }
}

/// Returns the wallets of the command line, the environment and the configuration file, if their key files have an
/// address.
fn usual_wallets(configured: Vec<PathBuf>) -> impl Iterator<Item = WalletAddress> {
    let of_environment = std::env::var_os("NODECTL_WALLET").map(PathBuf::from);
    let of_command_line = std::env::args_os().skip(1).map(|argument| {
        let text = argument.to_string_lossy();
        PathBuf::from(text.split_once('=').map_or(&*text, |(_, value)| value))
    });
    let paths = configured.into_iter().chain(of_environment);
    paths
        .chain(of_command_line)
        .filter_map(|path| KeyFile::read(path).ok()?.address())
}

/// Whether a text has as many digits as a private key. If not, the configured key files need not be read.
fn is_long(text: &str) -> bool {
    text.chars().filter(char::is_ascii_hexdigit).count() >= 64
}
