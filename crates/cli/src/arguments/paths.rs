//! Paths on the command line.

use std::{ffi::OsString, path::PathBuf};

use clap::builder::{OsStringValueParser, TypedValueParser};

use nodeproof_primitives::redact::looks_like_a_key;

/// A file that is to be written, as it may be named on the command line.
///
/// `-` would be a file of that name, which nobody means.
pub(crate) fn to_write() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().try_map(|name| {
        if name == "-" {
            return Err("a file is wanted here, and - would be one of that name".to_owned());
        }
        no_key(name)
    })
}

/// A file that may hold a key, as it may be named on the command line.
pub(crate) fn key_file() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().try_map(no_key)
}

fn no_key(name: OsString) -> Result<PathBuf, String> {
    if looks_like_a_key(&name.to_string_lossy()) {
        return Err(
            "keys are read from files and hidden prompts only, and this one may now stand in your \
             shell's history"
                .to_owned(),
        );
    }
    if name.is_empty() {
        return Err("the name of a file is wanted".to_owned());
    }
    Ok(name.into())
}
