//! The snapshots of a run, compared by insta.
//!
//! Only a run against the local devnode may write a pending snapshot next to the shared ones. A run
//! against any other node compares with a copy. So a response can't become the specification,
//! whatever insta's settings are.

use std::{
    fs, io,
    panic::{self, AssertUnwindSafe},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, Once},
};

/// The shared snapshots at the time when this library was built.
static COMMON: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/common_snapshots.rs"));

/// The location of a run's snapshots.
#[derive(Debug)]
pub(crate) struct SnapshotStore {
    folder: PathBuf,
    /// Keeps the copy until the run ends.
    copy: Option<tempfile::TempDir>,
}

impl SnapshotStore {
    /// Returns a copy of the shared snapshots. Changes are lost after the run.
    ///
    /// # Errors
    /// If a temporary folder cannot be created or written.
    pub(crate) fn read_only() -> io::Result<Self> {
        Self::copy_of(COMMON)
    }

    /// Returns a copy of some snapshots, given by file name and text.
    pub(crate) fn copy_of(files: &[(&str, &str)]) -> io::Result<Self> {
        let copy = temporary_folder()?;
        for (name, text) in files {
            fs::write(copy.path().join(name), text)?;
        }
        Ok(Self {
            folder: copy.path().to_owned(),
            copy: Some(copy),
        })
    }

    /// Returns the shared snapshots themselves, for a run against the local devnode.
    pub(crate) fn reviewable(folder: &Path) -> Self {
        static QUIET: Once = Once::new();
        // A snapshot that differs is a finding of the run. The message of insta's panic would be noise.
        QUIET.call_once(|| {
            let previous = panic::take_hook();
            panic::set_hook(Box::new(move |info| {
                if !info
                    .location()
                    .is_some_and(|place| place.file().contains("insta-"))
                {
                    previous(info);
                }
            }));
        });
        Self {
            folder: folder.to_owned(),
            copy: None,
        }
    }

    pub(crate) fn path_for_report(&self, name: &str) -> String {
        let file = format!("{name}.snap");
        if self.copy.is_some() {
            format!("snapshots/common/{file}")
        } else {
            self.folder.join(file).display().to_string()
        }
    }

    /// Compares a text with its snapshot. The error has the snapshot's text.
    pub(crate) fn compare(&self, name: &str, text: &str) -> Result<(), Mismatch> {
        let seen = Arc::new(Mutex::new(None));
        let mut settings = insta::Settings::new();
        settings.set_snapshot_path(&self.folder);
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.set_comparator(Box::new(Strict {
            seen: Arc::clone(&seen),
            silent: self.copy.is_some() || replaces_without_review(),
        }));
        let asserted = panic::catch_unwind(AssertUnwindSafe(|| {
            settings.bind(|| insta::assert_snapshot!(name, text));
        }));
        let seen = seen.lock().ok().and_then(|mut seen| seen.take());
        match (seen, asserted) {
            (Some(SnapshotResult { same: true, .. }), _) => Ok(()),
            (Some(SnapshotResult { expected, .. }), _) => Err(Mismatch::Other(expected)),
            (None, _) => Err(Mismatch::NoSnapshot),
        }
    }
}

/// Whether insta would replace an accepted snapshot at once. A node's response must not do that.
fn replaces_without_review() -> bool {
    let review = ["", "auto", "new", "no", "0"];
    std::env::var_os("INSTA_FORCE_UPDATE").is_some()
        || std::env::var("INSTA_UPDATE").is_ok_and(|update| !review.contains(&update.as_str()))
}

/// Creates a temporary folder. A container with only this program may have no place for one but memory.
fn temporary_folder() -> io::Result<tempfile::TempDir> {
    let usual = std::env::temp_dir();
    let created = fs::create_dir_all(&usual).and_then(|()| tempfile::tempdir_in(&usual));
    created.or_else(|error| tempfile::tempdir_in("/dev/shm").map_err(|_| error))
}

pub(crate) enum Mismatch {
    /// The snapshot's text, which is different.
    Other(String),
    /// There is no snapshot with this name.
    NoSnapshot,
}

#[derive(Debug)]
struct SnapshotResult {
    expected: String,
    same: bool,
}

/// Compares exactly. Insta's own comparison ignores blanks and line ends.
#[derive(Clone, Debug)]
struct Strict {
    seen: Arc<Mutex<Option<SnapshotResult>>>,
    /// Whether to report every comparison to insta as equal. Responses of other nodes must not
    /// become snapshots.
    silent: bool,
}

impl insta::Comparator for Strict {
    fn matches(&self, reference: &insta::Snapshot, test: &insta::Snapshot) -> bool {
        let text = |snapshot: &insta::Snapshot| {
            snapshot
                .as_text()
                .map(ToString::to_string)
                .unwrap_or_default()
        };
        let (expected, actual) = (text(reference), text(test));
        let same = expected == actual;
        if let Ok(mut seen) = self.seen.lock() {
            *seen = Some(SnapshotResult { expected, same });
        }
        same || self.silent
    }

    fn dyn_clone(&self) -> Box<dyn insta::Comparator> {
        Box::new(self.clone())
    }
}
