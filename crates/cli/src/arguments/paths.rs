//! Paths on the command line.

use std::{ffi::OsString, path::PathBuf};

use clap::builder::{OsStringValueParser, TypedValueParser};

use nodeproof_primitives::redact::looks_like_a_key;

/// Parses the path of an output file.
///
/// It rejects `-`, which would be a file with that name.
pub(crate) fn to_write() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().try_map(|name| {
        if name == "-" {
            return Err("expected a file name; - is not accepted here".to_owned());
        }
        no_key(name)
    })
}

/// Parses the path of a key file. It rejects a private key.
pub(crate) fn key_file() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().try_map(no_key)
}

fn no_key(name: OsString) -> Result<PathBuf, String> {
    if looks_like_a_key(&name.to_string_lossy()) {
        return Err(
            "keys are read only from files and hidden prompts. This key may now be in your \
             shell's history"
                .to_owned(),
        );
    }
    if name.is_empty() {
        return Err("expected a file name".to_owned());
    }
    Ok(name.into())
}
