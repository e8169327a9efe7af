//! The saved state of a sweep, which makes it possible to resume the sweep.
//!
//! A new file replaces the old one atomically. If a run is killed while it writes, the old file remains.
//! The file begins with a format tag.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::Mutex,
};

use nodeproof_files::{Access, StagedFile, parent_folder, replace};
use nodeproof_primitives::escape::escaped_up_to;
use serde::{Deserialize, Serialize};

use super::{range::BlockRange, tally::Tally};
use crate::{
    cases::Case,
    checks::{Memory, OtherBlock, Repeats},
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
    /// The file does not exist.
    #[error("there is nothing to resume: no sweep has left its state in {}", path.display())]
    Nothing {
        /// The path of the file.
        path: PathBuf,
    },
    /// The file can't be read or written.
    #[error("the sweep's state in {} can't be used: {source}", path.display())]
    Io {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The content of the file is not valid.
    #[error(
        "the sweep's state in {} is damaged ({reason}): remove it, and start the sweep again, \
         without --resume",
        path.display()
    )]
    Damaged {
        /// The path of the file.
        path: PathBuf,
        /// The fault.
        reason: String,
    },
    /// The path is a folder, a device, or something else that is not a regular file.
    #[error(
        "the sweep's state can't be in {}, which is not a regular file: name a new file",
        path.display()
    )]
    NoFile {
        /// The path.
        path: PathBuf,
    },
    /// The file was not written by a sweep, so it is not replaced.
    #[error(
        "{} exists and is not a sweep's state: name a new file for it, or remove this one",
        path.display()
    )]
    NotSweepState {
        /// The path of the file.
        path: PathBuf,
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
    /// The file belongs to a different sweep.
    #[error(
        "the state in {} is of another sweep: its {what} is {kept}, not {given}; resume it with \
         the same options, or start again without --resume",
        path.display()
    )]
    Other {
        /// The path of the file.
        path: PathBuf,
        /// The setting that differs.
        what: &'static str,
        /// The value in the file.
        kept: String,
        /// The value of this run.
        given: String,
    },
    /// The file belongs to a sweep with other cases.
    #[error(
        "the state in {} is of another sweep: its selection of cases is another one ({difference}); \
         resume it with the same options, or start again without --resume",
        path.display()
    )]
    OtherCases {
        /// The path of the file.
        path: PathBuf,
        /// The cases that only one of the two selections has.
        difference: String,
    },
    /// The state can't be merged with the others.
    #[error("the state in {} can't be merged: {reason}", path.display())]
    NotMergeable {
        /// The path of the file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
}

/// The settings, the progress and the results of a sweep.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct State {
    /// The format tag: the first member of the file.
    format: String,
    /// The program's version. Another version may check differently.
    program: String,
    base_url: String,
    network: String,
    /// The range, as the user gave it.
    blocks: String,
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
    /// The exit status of the run that finished the sweep and wrote its report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) finished: Option<u8>,
    pub(crate) tally: Tally,
    /// The tally with what the checks found at the end. Later blocks would decide that, too, so it is not saved.
    #[serde(skip)]
    pub(crate) ended: Option<Tally>,
    pub(crate) claims: SweptClaims,
    pub(crate) memory: Memory,
    /// Items that are in two merged parts. Their blocks are requested again.
    #[serde(default, skip_serializing_if = "Repeats::is_empty")]
    pub(crate) repeats: Repeats,
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
            finished: None,
            tally,
            ended: None,
            claims: SweptClaims::default(),
            memory: Memory::default(),
            repeats: Repeats::default(),
        }
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
        if state.blocks != given.blocks {
            return Err(Self::other(
                path,
                "range of blocks",
                &state.blocks,
                &given.blocks,
            ));
        }
        Ok(state)
    }

    /// Checks that the state in a file belongs to a sweep with the same settings, but perhaps another range.
    pub(super) fn check_settings(&self, path: &Path, given: &Self) -> Result<(), StateError> {
        let pairs = [
            ("program version", &self.program, &given.program),
            ("node", &self.base_url, &given.base_url),
            ("network", &self.network, &given.network),
        ];
        for (what, kept, given) in pairs {
            if kept != given {
                return Err(Self::other(path, what, kept, given));
            }
        }
        if self.cases != given.cases {
            return Err(StateError::OtherCases {
                path: path.to_owned(),
                difference: difference(&self.cases, &given.cases),
            });
        }
        Ok(())
    }

    fn other(path: &Path, what: &'static str, kept: &str, given: &str) -> StateError {
        StateError::Other {
            path: path.to_owned(),
            what,
            kept: escaped_up_to(kept, 200),
            given: escaped_up_to(given, 200),
        }
    }

    /// Returns the range, as the user gave it.
    pub(super) fn blocks(&self) -> BlockRange {
        self.blocks.parse().unwrap_or_default()
    }

    /// Returns the same state as that of a sweep over another range, whose end is not decided yet.
    pub(super) fn over(self, blocks: BlockRange) -> Self {
        Self {
            blocks: blocks.to_string(),
            finished: None,
            ..self
        }
    }

    /// Adds the state of a sweep that has the blocks from `to` on, and perhaps earlier ones.
    ///
    /// # Errors
    /// Both have a block, and it differs.
    pub(super) fn append(&mut self, later: Self) -> Result<(), OtherBlock> {
        self.repeats
            .append(self.memory.append(later.memory, self.to)?);
        self.repeats.append(later.repeats);
        self.tally.append(later.tally);
        self.tally.blocks -= (self.to - later.from).min(self.tally.blocks);
        self.claims.append(later.claims);
        (self.to, self.next) = (later.to, later.next);
        Ok(())
    }

    /// Returns the tally, with what the checks found at the end if they have ended.
    pub(super) fn results(&self) -> &Tally {
        self.ended.as_ref().unwrap_or(&self.tally)
    }

    /// Reads a state file of any sweep.
    pub(super) fn read_any(path: &Path) -> Result<Self, StateError> {
        let failed = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound => StateError::Nothing {
                path: path.to_owned(),
            },
            _ => StateError::Io {
                path: path.to_owned(),
                source,
            },
        };
        let damaged = |reason: &str| StateError::Damaged {
            path: path.to_owned(),
            reason: reason.to_owned(),
        };
        if !fs::metadata(path).map_err(failed)?.is_file() {
            return Err(StateError::NoFile {
                path: path.to_owned(),
            });
        }
        let mut text = String::new();
        let file = fs::File::open(path).map_err(failed)?;
        match file.take(MAX_LENGTH + 1).read_to_string(&mut text) {
            Ok(length) if length as u64 > MAX_LENGTH => return Err(damaged("it is far too long")),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                return Err(damaged("it is not text"));
            }
            Err(error) => return Err(failed(error)),
        }
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
        let written = state
            .to_text(&Redactor::default())
            .map_err(io::Error::other);
        written
            .and_then(|text| replace(path, text.as_bytes(), Access::Owner))
            .map_err(|source| StateError::Io {
                path: path.to_owned(),
                source,
            })
    }

    /// Returns the text of the state file, without signatures.
    ///
    /// # Errors
    /// The state can't be redacted.
    pub(crate) fn to_text(&self, redactor: &Redactor) -> serde_json::Result<String> {
        if !redactor.is_empty() {
            return Self {
                tally: redactor.try_redact(&self.tally)?,
                ..self.clone()
            }
            .to_text(&Redactor::default());
        }
        let mut text = serde_json::to_string(self)?;
        text.push('\n');
        Ok(text)
    }
}

/// Maximum number of cases that an error names.
const MAX_NAMED: usize = 5;

/// Names the cases that only one of two selections has.
fn difference(kept: &[String], given: &[String]) -> String {
    let only = |one: &[String], other: &[String], subject: &str| {
        let ids: Vec<_> = one.iter().filter(|id| !other.contains(id)).collect();
        let named = ids.iter().take(MAX_NAMED);
        let named: Vec<_> = named.map(|id| escaped_up_to(id, 80)).collect();
        let more = match ids.len().saturating_sub(MAX_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        (!ids.is_empty()).then(|| format!("only {subject} has {}{more}", named.join(", ")))
    };
    let both = [
        only(kept, given, "the state"),
        only(given, kept, "this run"),
    ];
    both.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Replaces a file with numbered texts. A text never replaces one with a higher number.
#[derive(Debug)]
pub(crate) struct StateWriter {
    path: PathBuf,
    /// The number of the last written text.
    latest: Mutex<u64>,
}

impl StateWriter {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self {
            path,
            latest: Mutex::new(0),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a text, unless one with the same or a higher number has been written.
    pub(crate) fn write(&self, number: u64, text: &str) -> io::Result<()> {
        let mut latest = self
            .latest
            .lock()
            .map_err(|_| io::Error::other("an earlier attempt to write it failed"))?;
        if number <= *latest {
            return Ok(());
        }
        fs::create_dir_all(parent_folder(&self.path))?;
        replace(&self.path, text.as_bytes(), Access::Owner)?;
        *latest = number;
        Ok(())
    }
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
    fs::remove_file(path).map_err(|source| StateError::Io {
        path: path.to_owned(),
        source,
    })
}

/// Checks that a state can be saved in this file.
///
/// Otherwise the user would learn only after the sweep that its state is lost. A file that is not a
/// sweep's state is not replaced.
pub(crate) fn prepare(path: &Path) -> Result<(), StateError> {
    let failed = |source| StateError::Io {
        path: path.to_owned(),
        source,
    };
    let path_of = || path.to_owned();
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
        // A symbolic link counts as its target. The type is checked before the file is opened.
        Ok(_) if !fs::metadata(path).is_ok_and(|found| found.is_file()) => {
            return Err(StateError::NoFile { path: path_of() });
        }
        Ok(_) if !is_own(path).map_err(failed)? => {
            return Err(StateError::NotSweepState { path: path_of() });
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
        StateWriter::new(path.clone())
            .write(1, &state.to_text(&Redactor::default()).unwrap())
            .unwrap();
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
        let told = |target: &Target, blocks: &str, cases: &[Case]| {
            let blocks = blocks.parse().unwrap();
            let error = State::read(&path, target, blocks, cases).unwrap_err();
            error.to_string()
        };
        assert!(told(&target("http://127.0.0.1:10"), "..", &cases).contains("its node is"));
        assert!(told(&same, "5..", &cases).contains("its range of blocks is .., not 5.."));
        let blocks = cases.iter().position(|case| case.block_check().is_some());
        let skipped = blocks.expect("a case about blocks");
        let fewer = [&cases[..skipped], &cases[skipped + 1..]].concat();
        let difference = format!("(only the state has {})", cases[skipped].id);
        let text = told(&same, "..", &fewer);
        assert!(text.contains(&difference), "{text}");
    }

    #[test]
    fn a_damaged_file_is_told_from_one_that_is_not_there() {
        let (_folder, path, target, blocks, cases) = begun();
        let told = || {
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
            assert!(told().contains("is damaged"), "{}", told());
        }
        fs::remove_file(&path).unwrap();
        assert!(told().contains("nothing to resume"), "{}", told());
    }

    #[test]
    fn what_a_sweep_has_not_written_is_neither_replaced_nor_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes");
        for text in ["", "{}", "mine", "{\"format\":\"nodeproof-claim/1\"}"] {
            fs::write(&path, text).unwrap();
            let told = prepare(&path).unwrap_err().to_string();
            assert!(told.contains("not a sweep's state"), "{told}");
            remove_finished(&path).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        let told = prepare(folder.path()).unwrap_err().to_string();
        assert!(told.contains("not a regular file"), "{told}");
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
            let told = State::read(path, &target, blocks, &cases).unwrap_err();
            assert!(matches!(told, StateError::NoFile { .. }), "{told}");
            let told = prepare(path).unwrap_err();
            assert!(matches!(told, StateError::NoFile { .. }), "{told}");
            remove_finished(path).unwrap();
        }
        assert!(prepare(&nowhere).is_err());
        assert!(link.is_symlink() && nowhere.is_symlink());
    }

    #[test]
    fn an_older_text_does_not_replace_a_newer_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        let state_writer = StateWriter::new(path.clone());
        state_writer.write(2, "newer").unwrap();
        state_writer.write(1, "older").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "newer");
        assert_eq!(folder.path().read_dir().unwrap().count(), 1);
    }
}
