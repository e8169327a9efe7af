//! Passphrases of key files. The same rules apply to every source.

use std::{
    fmt,
    io::{self, Read},
    path::Path,
};

use nodeproof_files::{is_readable_by_others, open_regular};
use zeroize::Zeroizing;

/// A passphrase with fewer characters than this can be guessed.
const SHORT: usize = 12;

/// The passphrase of a key file. It is erased when it is dropped, and `Debug` does not show it.
///
/// It is one line of UTF-8, without a byte order mark and without control characters except tabs.
/// Such characters come from an editor or an arrow key, and are invisible.
///
/// ```
/// use nodeproof_wallet::Passphrase;
///
/// let passphrase = Passphrase::from_reader(&b"correct horse battery\nnotes\n"[..])?;
/// assert_eq!(passphrase.as_str(), "correct horse battery");
/// assert!(passphrase.warnings("the file").is_empty());
/// assert!(Passphrase::from_reader(&b"\xef\xbb\xbfcorrect horse"[..]).is_err());
///
/// let short = Passphrase::from_reader(&b"horse"[..])?;
/// assert!(short.is_short() && !short.is_readable_by_others());
/// assert!(short.warnings("the file").concat().contains("fewer than 12 characters"));
/// # Ok::<(), nodeproof_wallet::PassphraseError>(())
/// ```
pub struct Passphrase {
    text: Zeroizing<String>,
    is_readable_by_others: bool,
}

/// The reason why a text is not a passphrase. The error never contains the text.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PassphraseError {
    /// It can't be read.
    #[error("{0}")]
    Read(#[from] io::Error),
    /// It is empty.
    #[error("its first line is empty")]
    Empty,
    /// It is longer than the limit.
    #[error("it is longer than {} bytes", Passphrase::MAX_LENGTH)]
    TooLong,
    /// It is not UTF-8.
    #[error("it is not UTF-8")]
    NotUtf8,
    /// It has a byte order mark.
    #[error("it has a byte order mark: save it as UTF-8 without one")]
    ByteOrderMark,
    /// It has a control character.
    #[error("it has a control character, such as NUL or one from an arrow key")]
    ControlCharacter,
}

impl Passphrase {
    /// The maximum length of a passphrase, and of a file with a passphrase, in bytes.
    pub const MAX_LENGTH: usize = 4096;

    /// Checks a passphrase that a person typed.
    ///
    /// # Errors
    /// If it breaks one of the rules.
    pub fn new(text: Zeroizing<String>) -> Result<Self, PassphraseError> {
        if text.is_empty() {
            return Err(PassphraseError::Empty);
        }
        if text.len() > Self::MAX_LENGTH {
            return Err(PassphraseError::TooLong);
        }
        if text.contains(['\u{feff}', '\u{fffe}']) {
            return Err(PassphraseError::ByteOrderMark);
        }
        if text.chars().any(|one| one.is_control() && one != '\t') {
            return Err(PassphraseError::ControlCharacter);
        }
        Ok(Self {
            text,
            is_readable_by_others: false,
        })
    }

    /// Reads the first line of a file.
    ///
    /// # Errors
    /// If the file can't be read, is longer than [`MAX_LENGTH`](Self::MAX_LENGTH), or its first line
    /// breaks one of the rules.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, PassphraseError> {
        let file = open_regular(path.as_ref())?;
        let is_readable_by_others = is_readable_by_others(&file);
        let passphrase = Self::from_reader(file)?;
        Ok(Self {
            is_readable_by_others,
            ..passphrase
        })
    }

    /// Reads the first line of an unbuffered source, such as the file of standard input.
    ///
    /// # Errors
    /// The errors of [`read`](Self::read).
    pub fn from_reader(source: impl Read) -> Result<Self, PassphraseError> {
        // The capacity is sufficient from the start. Growing would leave a copy behind.
        let mut bytes = Zeroizing::new(Vec::with_capacity(Self::MAX_LENGTH + 1));
        let most = u64::try_from(Self::MAX_LENGTH + 1).unwrap_or(u64::MAX);
        source.take(most).read_to_end(&mut bytes)?;
        if bytes.len() > Self::MAX_LENGTH {
            return Err(PassphraseError::TooLong);
        }
        let text = std::str::from_utf8(&bytes).map_err(|_| PassphraseError::NotUtf8)?;
        let line = text.lines().next().unwrap_or_default();
        Self::new(Zeroizing::new(line.to_owned()))
    }

    /// Returns the passphrase.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns whether it has fewer than 12 characters. Warn the user if so.
    #[must_use]
    pub fn is_short(&self) -> bool {
        self.text.chars().count() < SHORT
    }

    /// Returns whether users other than the owner can read its file. Warn the user if so.
    #[must_use]
    pub const fn is_readable_by_others(&self) -> bool {
        self.is_readable_by_others
    }

    /// Returns the warnings that a program should show. They refer to the passphrase as `name`.
    #[must_use]
    pub fn warnings(&self, name: &str) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.is_readable_by_others {
            warnings.push(format!(
                "others can read {name}: `chmod 600` keeps it to yourself"
            ));
        }
        if self.is_short() {
            warnings.push(format!(
                "the passphrase in {name} has fewer than {SHORT} characters, and can be guessed \
                 by anyone who has the key file"
            ));
        }
        warnings
    }
}

impl fmt::Debug for Passphrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Passphrase(not shown)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_and_a_prompt_have_the_same_rules() {
        let long = "x".repeat(Passphrase::MAX_LENGTH + 1);
        for (text, words) in [
            ("", "empty"),
            ("\nsecond line", "empty"),
            (long.as_str(), "longer than 4096"),
            ("\u{feff}correct horse", "byte order mark"),
            ("correct\u{feff}horse", "byte order mark"),
            ("correct\0horse", "control character"),
            ("correct\rhorse", "control character"),
            ("correct\u{1b}[Ahorse", "control character"),
            ("correct\u{7f}horse", "control character"),
            ("correct\u{9b}horse", "control character"),
        ] {
            let error = Passphrase::from_reader(text.as_bytes()).unwrap_err();
            assert!(error.to_string().contains(words), "{text:?}: {error}");
            let shown = format!("{error:?} {error}");
            assert!(!shown.contains("horse"), "{shown}");
            if !text.starts_with('\n') {
                let typed = Passphrase::new(Zeroizing::new(text.to_owned()));
                assert_eq!(typed.unwrap_err().to_string(), error.to_string());
            }
        }
        let utf16 = Passphrase::from_reader(&b"\xff\xfec\0o\0"[..]).unwrap_err();
        assert!(matches!(utf16, PassphraseError::NotUtf8), "{utf16}");
    }

    #[test]
    fn only_the_first_line_counts_and_nothing_is_cut() {
        let longest = "é".repeat(Passphrase::MAX_LENGTH / 2);
        for (text, line) in [
            ("correct horse\n", "correct horse"),
            ("correct horse\r\nx\0", "correct horse"),
            (" a\tb ", " a\tb "),
            (longest.as_str(), longest.as_str()),
        ] {
            let read = Passphrase::from_reader(text.as_bytes()).unwrap();
            assert_eq!(read.as_str(), line);
        }
    }

    #[cfg(unix)]
    #[test]
    fn warns_of_a_file_that_others_can_read_and_of_a_short_passphrase() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("passphrase");
        for (text, mode, words) in [
            ("correct horse battery", 0o600, &[][..]),
            ("correct horse battery", 0o640, &["chmod 600"]),
            ("correct horse battery", 0o604, &["chmod 600"]),
            ("horse", 0o600, &["fewer than 12"]),
            ("horse", 0o644, &["chmod 600", "fewer than 12"]),
        ] {
            std::fs::write(&path, text).unwrap();
            let permissions = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(&path, permissions).unwrap();
            let read = Passphrase::read(&path).unwrap();
            let warnings = read.warnings("the file");
            assert_eq!(warnings.len(), words.len(), "{warnings:?}");
            for (warning, words) in warnings.iter().zip(words) {
                assert!(warning.contains(words) && !warning.contains("horse"));
            }
            assert_eq!(format!("{read:?}"), "Passphrase(not shown)");
        }
    }
}
