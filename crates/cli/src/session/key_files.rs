//! Reads key files, warns about their permissions, and gets passphrases from a file or a prompt.

use std::{
    io::{self, Read},
    path::Path,
};

use nodeproof_files::{open_regular, quoted};
use nodeproof_wallet::{KeyFile, KeyPair, Passphrase, PassphraseError};
use zeroize::Zeroizing;

use crate::{
    failure::Failure,
    io::{output::Output, prompt},
    platform::unbuffered_stdin,
};

/// Reads a key file. Warns if other users can read it.
pub(crate) fn read(path: &Path, output: Output) -> Result<KeyFile, Failure> {
    let file = KeyFile::read(path).map_err(Failure::usage)?;
    if file.is_readable_by_others() {
        output.warn(&format!(
            "others can read the key file {}; `chmod 600 {}` keeps it to yourself",
            path.display(),
            quoted(path)
        ));
    }
    Ok(file)
}

/// Opens the wallet in a key file with a passphrase from a file or a prompt.
pub(crate) fn unlock(
    path: &Path,
    file: &KeyFile,
    passphrase_file: Option<&Path>,
    output: Output,
) -> Result<KeyPair, Failure> {
    if !file.is_encrypted() {
        return file.key_pair(None).map_err(Failure::usage);
    }
    let passphrase = passphrase(path, passphrase_file, output)?;
    file.key_pair(Some(passphrase.as_str()))
        .map_err(Failure::usage)
}

/// Returns the passphrase of a key file: from a file, or typed.
pub(crate) fn passphrase(
    path: &Path,
    from: Option<&Path>,
    output: Output,
) -> Result<Passphrase, Failure> {
    match from {
        Some(from) => passphrase_in(from, output),
        None => typed_passphrase(
            &format!("Passphrase of {}", path.display()),
            "give --passphrase-file FILE",
            output,
        ),
    }
}

/// Returns the passphrase for a new key file: from a file, or typed twice.
pub(crate) fn new_passphrase(from: Option<&Path>, output: Output) -> Result<Passphrase, Failure> {
    if let Some(from) = from {
        return passphrase_in(from, output);
    }
    let instead = "give --passphrase-file FILE, or --plain for a file without encryption";
    let first = typed_passphrase("New passphrase", instead, output)?;
    let second = prompt::hidden("The same again", instead)?;
    if first.as_str() == second.as_str() {
        Ok(first)
    } else {
        Err(Failure::usage(
            "the two passphrases differ; nothing was written",
        ))
    }
}

fn typed_passphrase(what: &str, instead: &str, output: Output) -> Result<Passphrase, Failure> {
    let typed = prompt::hidden(what, instead)?;
    let passphrase = Passphrase::new(typed).map_err(|error| match error {
        PassphraseError::Empty => Failure::usage("a passphrase must not be empty"),
        error => Failure::usage(format!("the input is not a valid passphrase: {error}")),
    })?;
    warn(&passphrase, "the input", output);
    Ok(passphrase)
}

/// Reads the first line of a file, or of standard input if the path is `-`.
fn passphrase_in(path: &Path, output: Output) -> Result<Passphrase, Failure> {
    let (read, name) = if path == Path::new("-") {
        let read = unbuffered_stdin()
            .map_err(PassphraseError::from)
            .and_then(Passphrase::from_reader);
        (read, "standard input".to_owned())
    } else {
        (Passphrase::read(path), path.display().to_string())
    };
    let passphrase = read.map_err(|error| {
        Failure::usage(format!("the passphrase can't be read from {name}: {error}"))
    })?;
    warn(&passphrase, &name, output);
    Ok(passphrase)
}

fn warn(passphrase: &Passphrase, name: &str, output: Output) {
    for warning in passphrase.warnings(name) {
        output.warn(&warning);
    }
}

/// Reads the text of a file, or of standard input. No copy of it remains here.
pub(crate) fn secret_text(path: &Path, most: usize) -> io::Result<Zeroizing<String>> {
    let mut text = Zeroizing::new(String::with_capacity(most + 1));
    let limit = u64::try_from(most + 1).unwrap_or(u64::MAX);
    if path == Path::new("-") {
        unbuffered_stdin()?.take(limit).read_to_string(&mut text)?;
    } else {
        open_regular(path)?.take(limit).read_to_string(&mut text)?;
    }
    if text.len() > most {
        return Err(io::Error::other(format!("it is longer than {most} bytes")));
    }
    Ok(text)
}
