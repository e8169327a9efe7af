//! Reading key files: warnings about their mode, and passphrases from a file or a prompt.

use std::{
    io::{self, Read},
    path::Path,
};

use nodeproof_wallet::{KeyFile, KeyPair};
use zeroize::Zeroizing;

use crate::{
    failure::Failure,
    io::{output::Output, prompt},
};

/// The most that a passphrase may be long, in bytes.
const LONGEST_PASSPHRASE: usize = 4 * 1024;

/// Reads a key file, and warns if others can.
pub(crate) fn read(path: &Path, output: Output) -> Result<KeyFile, Failure> {
    let file = KeyFile::read(path).map_err(Failure::usage)?;
    if file.others_can_read() {
        output.warn(&format!(
            "others can read the key file {0}; `chmod 600 {0}` keeps it to yourself",
            path.display()
        ));
    }
    Ok(file)
}

/// Opens the wallet in a key file. A passphrase that was read from a file is cached for the next
/// one.
pub(crate) fn unlock(
    path: &Path,
    file: &KeyFile,
    passphrase_file: Option<&Path>,
    cached: &mut Option<Zeroizing<String>>,
) -> Result<KeyPair, Failure> {
    if !file.is_encrypted() {
        return file.key_pair(None).map_err(Failure::usage);
    }
    let passphrase = match (cached.take(), passphrase_file) {
        (Some(passphrase), _) => passphrase,
        (None, Some(from)) => passphrase_in(from)?,
        (None, None) => prompt::hidden(
            &format!("Passphrase of {}", path.display()),
            "give --passphrase-file FILE",
        )?,
    };
    let wallet = file.key_pair(Some(&passphrase)).map_err(Failure::usage)?;
    if passphrase_file.is_some() {
        *cached = Some(passphrase);
    }
    Ok(wallet)
}

/// A passphrase for a file that is to be written: from a file, or typed twice.
pub(crate) fn new_passphrase(from: Option<&Path>) -> Result<Zeroizing<String>, Failure> {
    if let Some(from) = from {
        return passphrase_in(from);
    }
    let instead = "give --passphrase-file FILE, or --plain for a file without encryption";
    let first = prompt::hidden("New passphrase", instead)?;
    if first.is_empty() {
        return Err(Failure::usage("a passphrase must not be empty"));
    }
    let second = prompt::hidden("The same again", instead)?;
    if *first == *second {
        Ok(first)
    } else {
        Err(Failure::usage(
            "the two passphrases differ; nothing was written",
        ))
    }
}

/// The first line of a file, or of standard input where the path is `-`.
fn passphrase_in(path: &Path) -> Result<Zeroizing<String>, Failure> {
    let failed = |why: &str| {
        Failure::usage(format!(
            "the passphrase can't be read from {}: {why}",
            path.display()
        ))
    };
    let text = secret_text(path, LONGEST_PASSPHRASE).map_err(|error| failed(&error.to_string()))?;
    match text.lines().next() {
        Some(line) if !line.is_empty() => Ok(Zeroizing::new(line.to_owned())),
        _ => Err(failed("its first line is empty")),
    }
}

/// The text of a file, or of standard input, of which no copy stays behind here.
pub(crate) fn secret_text(path: &Path, most: usize) -> io::Result<Zeroizing<String>> {
    let mut text = Zeroizing::new(String::with_capacity(most + 1));
    let limit = u64::try_from(most + 1).unwrap_or(u64::MAX);
    if path == Path::new("-") {
        io::stdin().lock().take(limit).read_to_string(&mut text)?;
    } else {
        std::fs::File::open(path)?
            .take(limit)
            .read_to_string(&mut text)?;
    }
    if text.len() > most {
        return Err(io::Error::other(format!("it is longer than {most} bytes")));
    }
    Ok(text)
}
