//! The wallet that signs what a run submits, from a key file.

use std::{fs::File, io::Read, path::Path};

use node_wallet::KeyPair;
use serde::Deserialize;
use zeroize::Zeroizing;

/// The most that is read of a key file, which is a few hundred bytes long.
const MOST: u64 = 64 * 1024;

/// Why a key file has no wallet in it. It never says what the file holds.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WalletFileError {
    /// The file can't be read.
    #[error("the wallet {path} can't be read: {source}")]
    Read {
        /// The file.
        path: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file is something else.
    #[error(
        "the wallet {path} is no key file: a JSON object with the members public, private and \
         address, in hexadecimal, is wanted (line {line}, column {column})"
    )]
    Form {
        /// The file.
        path: String,
        /// Where in it.
        line: usize,
        /// Where in that line.
        column: usize,
    },
    /// The private key is none.
    #[error("the wallet {path} has no private key: {source}")]
    Key {
        /// The file.
        path: String,
        /// What is wrong with it, which does not show it.
        source: node_wallet::KeyError,
    },
    /// The parts don't belong together.
    #[error("in the wallet {path}, the private key does not belong to the {other}")]
    Mismatch {
        /// The file.
        path: String,
        /// The member that it does not belong to.
        other: &'static str,
    },
}

#[derive(Deserialize)]
struct KeyFile {
    public: Option<String>,
    private: String,
    address: String,
}

/// Reads the wallet in a key file.
///
/// # Errors
/// When there is none, or its parts do not belong together.
pub fn read(path: &Path) -> Result<KeyPair, WalletFileError> {
    let shown = path.display().to_string();
    let text = text_of(path).map_err(|source| WalletFileError::Read {
        path: shown.clone(),
        source,
    })?;
    // What serde says may quote the file, so only the place is kept.
    let file: KeyFile = serde_json::from_str(&text).map_err(|error| WalletFileError::Form {
        path: shown.clone(),
        line: error.line(),
        column: error.column(),
    })?;
    let private = Zeroizing::new(file.private);
    let wallet = KeyPair::from_hex(&private).map_err(|source| WalletFileError::Key {
        path: shown.clone(),
        source,
    })?;
    let mismatch = |other| WalletFileError::Mismatch {
        path: shown.clone(),
        other,
    };
    if !file
        .address
        .eq_ignore_ascii_case(&wallet.address().to_string())
    {
        return Err(mismatch("address"));
    }
    let public = wallet.public_key().to_string();
    if file
        .public
        .is_some_and(|given| !given.eq_ignore_ascii_case(&public))
    {
        return Err(mismatch("public key"));
    }
    Ok(wallet)
}

fn text_of(path: &Path) -> std::io::Result<Zeroizing<String>> {
    // With room for all of it from the start, no copy is left behind by growing.
    let mut text = Zeroizing::new(String::with_capacity(MOST.try_into().unwrap_or(0)));
    File::open(path)?.take(MOST).read_to_string(&mut text)?;
    Ok(text)
}

/// Whether somebody but the file's owner can read it.
#[cfg(unix)]
#[must_use]
pub fn others_can_read(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o044 != 0)
}

/// Whether somebody but the file's owner can read it; not known here.
#[cfg(not(unix))]
#[must_use]
pub fn others_can_read(_: &Path) -> bool {
    false
}
