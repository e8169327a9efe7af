//! The saved state of a sweep, which makes it possible to resume the sweep.
//!
//! A new file replaces the old one atomically. If a run is killed while it writes, the old file remains.
//! The file begins with a format tag.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use nodeproof_files::{Access, LockError, LockFile, StagedFile, parent_folder, read_text, replace};
use nodeproof_primitives::escape::escaped_up_to;
use serde::{Deserialize, Serialize};

use super::{range::BlockRange, tally::Tally};
use crate::{
    cases::Case,
    checks::{Fingerprint, Memory, Place},
    context::{Redactor, SweptClaims},
    http::Target,
};

/// Maximum length of a state file, in bytes.
const MAX_LENGTH: u64 = 64 << 20;
/// The format tag, with the version.
const FORMAT: &str = "nodeproof-sweep/8";
/// The first bytes of a state file of any version, even if it was truncated.
const FORMAT_PREFIX: &[u8] = b"{\"format\":\"nodeproof-sweep/";

/// The reason why a sweep can't be resumed, or its state can't be saved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The file can't be read or written.
    #[error("the sweep's state in {} can't be used: {source}", path.display())]
    Io {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// Another run is using this state file.
    #[error(
        "another run is using the sweep state in {}: wait until it ends, or give this one \
         another --state FILE or --report-dir DIR",
        path.display()
    )]
    InUse {
        /// The path of the file.
        path: PathBuf,
    },
    /// The file does not have the state that is needed, or must not be replaced. The text has the reason.
    #[error("{0}")]
    Refused(String),
}

impl StateError {
    fn io(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        Self::Io { path, source }
    }

    pub(super) fn not_mergeable(path: &Path, reason: &str) -> Self {
        let path = path.display();
        Self::Refused(format!("the state in {path} can't be merged: {reason}"))
    }

    fn damaged(path: &Path, reason: &str) -> Self {
        Self::Refused(format!(
            "the sweep's state in {} is damaged ({reason}): remove it, and start the sweep again, without \
             --resume",
            path.display()
        ))
    }

    fn no_file(path: &Path) -> Self {
        Self::Refused(format!(
            "the sweep's state can't be in {}, which is not a regular file: name a new file",
            path.display()
        ))
    }

    fn other(path: &Path, difference: &str) -> Self {
        Self::Refused(format!(
            "the state in {} is of another sweep: its {difference}; resume it with the same options, or start \
             again without --resume",
            path.display()
        ))
    }
}

/// Locks the state of a sweep for this run.
pub(crate) fn lock(path: &Path) -> Result<LockFile, StateError> {
    LockFile::beside(path).map_err(|error| match error {
        LockError::Held => StateError::InUse {
            path: path.to_owned(),
        },
        LockError::Io(source) => StateError::io(path, source),
    })
}

/// The settings, the progress and the results of a sweep.
///
/// It has a field for each member of the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct State {
    /// The format tag: the first member of the file.
    format: String,
    /// The program's version. Another version may check differently.
    program: String,
    base_url: String,
    network: String,
    /// The range, as the user gave it.
    pub(super) blocks: String,
    /// The IDs of the selected cases.
    cases: Vec<String>,
    /// The first block.
    pub(crate) from: u64,
    /// The index after the last block.
    pub(crate) to: u64,
    /// The next block.
    pub(crate) next: u64,
    /// Whether it follows an earlier sweep. Then it begins after the last block of that sweep.
    #[serde(default)]
    pub(crate) continues: bool,
    /// The cases for which an item of an earlier sweep was right.
    #[serde(default)]
    pub(crate) fitting: Vec<String>,
    /// The exit status of the run that finished the sweep and wrote its report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) finished: Option<u8>,
    pub(crate) tally: Tally,
    pub(crate) claims: SweptClaims,
    pub(crate) memory: Memory,
    /// The `previous_hash` of the last block before the range, which the sweep has also read.
    #[serde(default)]
    pub(crate) before: Option<(Fingerprint, Place)>,
}

impl State {
    pub(crate) fn begin(
        target: &Target,
        blocks: BlockRange,
        cases: &[Case],
        from: u64,
        to: u64,
    ) -> Self {
        let tally = Tally::of(cases.iter().map(|case| case.id));
        Self {
            format: FORMAT.to_owned(),
            program: env!("CARGO_PKG_VERSION").to_owned(),
            base_url: target.base_url.to_string(),
            network: target.network.to_string(),
            blocks: blocks.to_string(),
            cases: tally.cases.iter().map(|case| case.id.clone()).collect(),
            from,
            to,
            next: from,
            continues: false,
            fitting: Vec::new(),
            finished: None,
            tally,
            claims: SweptClaims::default(),
            memory: Memory::default(),
            before: None,
        }
    }

    /// Returns the cases for which an item of this sweep, or of an earlier one, was right.
    pub(super) fn fitting_cases(&self) -> Vec<String> {
        let cases = self.tally.cases.iter();
        let fits = cases.filter(|case| case.judged > case.found || self.fitting.contains(&case.id));
        fits.map(|case| case.id.clone()).collect()
    }

    /// Reads a state file, and checks that it belongs to this sweep.
    pub(crate) fn read(
        path: &Path,
        target: &Target,
        blocks: BlockRange,
        cases: &[Case],
    ) -> Result<Self, StateError> {
        let state = Self::read_any(path)?;
        let given = Self::begin(target, blocks, cases, 0, 0);
        state.check_settings(path, &given)?;
        same(path, "range of blocks", &state.blocks, &given.blocks)?;
        Ok(state)
    }

    /// Checks that the state in a file belongs to a sweep with the same settings, but perhaps another range.
    pub(super) fn check_settings(&self, path: &Path, given: &Self) -> Result<(), StateError> {
        same(path, "program version", &self.program, &given.program)?;
        same(path, "node", &self.base_url, &given.base_url)?;
        same(path, "network", &self.network, &given.network)?;
        let only = |one: &[String], other: &[String], subject: &str| {
            let id = one.iter().find(|id| !other.contains(id))?;
            Some(format!("only {subject} has {}", escaped_up_to(id, 80)))
        };
        let difference = only(&self.cases, &given.cases, "the state")
            .or_else(|| only(&given.cases, &self.cases, "this run"));
        difference.map_or(Ok(()), |difference| {
            let text = format!("selection of cases is another one ({difference})");
            Err(StateError::other(path, &text))
        })
    }

    /// Reads a state file of any sweep.
    pub(super) fn read_any(path: &Path) -> Result<Self, StateError> {
        let damaged = |reason: &str| StateError::damaged(path, reason);
        let text = read_text(path, MAX_LENGTH).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => StateError::Refused(format!(
                "there is nothing to resume: no sweep has left its state in {}",
                path.display()
            )),
            io::ErrorKind::InvalidData => damaged("it is not text"),
            _ => StateError::io(path, source),
        })?;
        let state: Self = serde_json::from_str(&text)
            .map_err(|error| damaged(&format!("it can't be read: {error}")))?;
        let fits = state.format == FORMAT
            && state.from <= state.next
            && state.next <= state.to
            && state
                .tally
                .cases
                .iter()
                .map(|case| &case.id)
                .eq(&state.cases);
        if fits {
            Ok(state)
        } else {
            Err(damaged("it is inconsistent, or has another version"))
        }
    }

    /// Returns the next block and the index after the last one, if the file is of an unfinished sweep.
    pub(crate) fn unfinished(path: &Path) -> Option<(u64, u64)> {
        let state = Self::read_any(path).ok()?;
        (state.from < state.next && state.next < state.to).then_some((state.next, state.to))
    }

    /// Records in the state file that the sweep is finished, and the exit status of its run.
    pub(crate) fn finish(path: &Path, status: u8) -> Result<(), StateError> {
        let mut state = Self::read_any(path)?;
        state.finished = Some(status);
        let written = state.write(path, &Redactor::default());
        written.map_err(|source| StateError::io(path, source))
    }

    /// Writes the state to a file, without signatures in its findings.
    ///
    /// # Errors
    /// The state can't be redacted, or the file can't be written.
    pub(crate) fn write(&self, path: &Path, redactor: &Redactor) -> io::Result<()> {
        let text = self.to_text(redactor)?;
        fs::create_dir_all(parent_folder(path))?;
        replace(path, text.as_bytes(), Access::Owner)
    }

    /// Returns the text of the state file, without signatures in its findings. What is remembered of blocks has those that
    /// the node published, because it is compared later.
    ///
    /// # Errors
    /// The state can't be redacted.
    fn to_text(&self, redactor: &Redactor) -> io::Result<String> {
        if !redactor.is_empty() {
            let text = Self {
                tally: redactor.try_redact(&self.tally)?,
                ..self.clone()
            }
            .to_text(&Redactor::default())?;
            return match redactor.without_header_values(&text) {
                None => Ok(text),
                Some(_) => Err(io::Error::other(
                    "blocks of the node contain the value of a header of the requests, which is a secret",
                )),
            };
        }
        let mut text = serde_json::to_string(self)?;
        text.push('\n');
        Ok(text)
    }
}

/// Checks that a setting is the same in the saved state of a sweep as in this run.
fn same(path: &Path, what: &str, kept: &str, given: &str) -> Result<(), StateError> {
    if kept == given {
        return Ok(());
    }
    let [kept, given] = [kept, given].map(|text| escaped_up_to(text, 200));
    Err(StateError::other(
        path,
        &format!("{what} is {kept}, not {given}"),
    ))
}

/// Prefix of the file that tests whether the folder is writable. It is removed immediately.
const PROBE: &str = ".sweep-";

/// Whether a file begins like a sweep's state.
fn is_own(path: &Path) -> io::Result<bool> {
    let mut bytes = Vec::new();
    let file = fs::File::open(path)?;
    file.take(FORMAT_PREFIX.len() as u64)
        .read_to_end(&mut bytes)?;
    Ok(bytes == FORMAT_PREFIX)
}

/// Removes the state of a finished sweep. Does nothing if the file is something else.
pub(crate) fn remove_finished(path: &Path) -> Result<(), StateError> {
    if !State::read_any(path).is_ok_and(|state| state.finished.is_some()) {
        return Ok(());
    }
    fs::remove_file(path).map_err(|source| StateError::io(path, source))
}

/// Checks that a state can be saved in this file.
///
/// Otherwise the user would learn only after the sweep that its state is lost. A file that is not a
/// sweep's state is not replaced.
pub(crate) fn prepare(path: &Path) -> Result<(), StateError> {
    let failed = |source| StateError::io(path, source);
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
        // A symbolic link counts as its target. The type is checked before the file is opened.
        Ok(_) if !fs::metadata(path).is_ok_and(|found| found.is_file()) => {
            return Err(StateError::no_file(path));
        }
        Ok(_) if !is_own(path).map_err(failed)? => {
            return Err(StateError::Refused(format!(
                "{} exists and is not a sweep's state: name a new file for it, or remove this one",
                path.display()
            )));
        }
        Ok(_) => {}
    }
    let folder = parent_folder(path);
    fs::create_dir_all(folder).map_err(failed)?;
    StagedFile::write(folder, PROBE, b"", Access::Owner).map_err(failed)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use nodeproof_primitives::Network;

    use super::*;
    use crate::cases;

    fn target(url: &str) -> Target {
        Target::parse(url, Network::Devnet).unwrap()
    }

    fn begun() -> (tempfile::TempDir, PathBuf, Target, BlockRange, Vec<Case>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep").join("state.json");
        let (target, blocks, cases) = (
            target("http://127.0.0.1:9"),
            BlockRange::default(),
            cases::all(),
        );
        let state = State::begin(&target, blocks, &cases, 1, 100);
        state.write(&path, &Redactor::default()).unwrap();
        (folder, path, target, blocks, cases)
    }

    #[test]
    fn a_state_that_can_not_be_redacted_has_no_text() {
        let cases = cases::all();
        let mut state = State::begin(
            &target("http://127.0.0.1:9"),
            BlockRange::default(),
            &cases,
            1,
            100,
        );
        let exchange = serde_json::json!({
            "method": "GET", "url": "/", "status": 200, "elapsed_ms": 1, "body": "", "body_bytes": 0,
        });
        // Redaction replaces the block's index by a text, which can't be read back as a number.
        let mut tally = serde_json::to_value(&state.tally).unwrap();
        tally["exchanges"] = serde_json::json!({ "1234567890123456": exchange });
        state.tally = serde_json::from_value(tally).unwrap();
        let redactor = Redactor::default();
        assert!(state.to_text(&redactor).is_ok());
        redactor.add(&"12345678901234567".repeat(8)[..128]);
        assert!(state.to_text(&redactor).is_err());
    }

    #[test]
    fn a_sweep_is_resumed_with_what_it_was_begun_with_and_nothing_else() {
        let (_folder, path, same, blocks, cases) = begun();
        assert!(State::read(&path, &same, blocks, &cases).is_ok());
        let message = |target: &Target, blocks: &str, cases: &[Case]| {
            let blocks = blocks.parse().unwrap();
            let error = State::read(&path, target, blocks, cases).unwrap_err();
            error.to_string()
        };
        assert!(message(&target("http://127.0.0.1:10"), "..", &cases).contains("its node is"));
        assert!(message(&same, "5..", &cases).contains("its range of blocks is .., not 5.."));
        let blocks = cases
            .iter()
            .position(|case| case.check.block_check().is_some());
        let skipped = blocks.expect("a case about blocks");
        let fewer = [&cases[..skipped], &cases[skipped + 1..]].concat();
        let difference = format!("(only the state has {})", cases[skipped].id);
        let text = message(&same, "..", &fewer);
        assert!(text.contains(&difference), "{text}");
    }

    #[test]
    fn a_damaged_file_is_told_from_one_that_is_not_there() {
        let (_folder, path, target, blocks, cases) = begun();
        let message = || {
            let error = State::read(&path, &target, blocks, &cases).unwrap_err();
            error.to_string()
        };
        let text = fs::read_to_string(&path).unwrap();
        for damage in [
            text[..text.len() / 2].to_owned(),
            text.replace("\"next\":1", "\"next\":101"),
            text.replace(FORMAT, "nodeproof-sweep/2"),
            String::new(),
            "[]".to_owned(),
            "\u{0}".repeat(text.len()),
        ] {
            fs::write(&path, damage).unwrap();
            assert!(message().contains("is damaged"), "{}", message());
        }
        fs::remove_file(&path).unwrap();
        assert!(message().contains("nothing to resume"), "{}", message());
    }

    #[test]
    fn what_a_sweep_has_not_written_is_neither_replaced_nor_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes");
        for text in ["", "{}", "mine", "{\"format\":\"nodeproof-claim/1\"}"] {
            fs::write(&path, text).unwrap();
            let message = prepare(&path).unwrap_err().to_string();
            assert!(message.contains("not a sweep's state"), "{message}");
            remove_finished(&path).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        let message = prepare(folder.path()).unwrap_err().to_string();
        assert!(message.contains("not a regular file"), "{message}");
    }

    #[test]
    fn a_damaged_state_may_be_replaced_and_only_the_state_of_a_finished_sweep_is_removed() {
        let (_folder, path, target, blocks, cases) = begun();
        prepare(&path).unwrap();
        remove_finished(&path).unwrap();
        State::finish(&path, 1).unwrap();
        let state = State::read(&path, &target, blocks, &cases).unwrap();
        assert_eq!(state.finished, Some(1));
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, &text[..text.len() / 2]).unwrap();
        prepare(&path).unwrap();
        remove_finished(&path).unwrap();
        fs::write(&path, text).unwrap();
        remove_finished(&path).unwrap();
        assert!(!path.exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_never_opened_nor_what_leads_to_one() {
        let (folder, _, target, blocks, cases) = begun();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        let nowhere = folder.path().join("nowhere");
        std::os::unix::fs::symlink("/nowhere/at/all", &nowhere).unwrap();
        for path in [Path::new("/dev/zero"), Path::new("/dev/full"), &link] {
            for error in [
                State::read(path, &target, blocks, &cases).unwrap_err(),
                prepare(path).unwrap_err(),
            ] {
                assert!(error.to_string().contains("not a regular file"), "{error}");
            }
            remove_finished(path).unwrap();
        }
        assert!(prepare(&nowhere).is_err());
        assert!(link.is_symlink() && nowhere.is_symlink());
    }
}
