//! A folder of reports: `report.json`, `junit.xml`, `report.html` and `history.har`.

use std::{
    ffi::OsString,
    io::{self, Read},
    path::{Path, PathBuf},
};

use nodeproof_files::{Access, StagedFile, replace};
use nodeproof_report::{Report, html, json, junit};

use super::args::ConformanceArgs;

/// A folder that reports can be written to.
#[derive(Debug)]
pub(crate) struct ReportFolder(PathBuf);

/// A file: name, first text, and a second text that follows within [`SOON`] bytes. Only a file with both
/// texts is ours.
type OwnFile = (&'static str, &'static str, &'static str);

/// The files with a verdict.
const FILES: [OwnFile; 3] = [
    ("report.json", "{\n  \"version\": ", "\"exit_code\": "),
    ("junit.xml", "<?xml ", "<testsuites name=\"nodeproof\""),
    (
        "report.html",
        "<!DOCTYPE html>",
        nodeproof_report::GENERATOR,
    ),
];
/// The file with the exchanges. `nodeproof judge` reads it, and must not remove it.
const HISTORY: OwnFile = ("history.har", "{\n  \"log\": {", "\"name\": \"nodeproof\"");
/// Prefix of the file that tests whether the folder is writable. It is removed immediately.
const PROBE: &str = ".report-";
/// Length of the part of a file that has the second text, in bytes.
const SOON: u64 = 16 * 1024;

/// Removes the reports with a verdict that an earlier run left in a folder, and nothing else.
///
/// If this run can't begin, the old verdict must not look like its result.
pub(crate) fn remove_stale(folder: &Path) {
    FILES.into_iter().for_each(|file| remove(folder, file));
}

/// Removes all reports that an earlier run left in a folder, except those that are among these paths. They may be what the run
/// was to read.
pub(crate) fn remove_unnamed(folder: &Path, paths: &[OsString]) {
    let names = |place: &Path| paths.iter().any(|path| is_inside(place, Path::new(path)));
    for file in FILES.into_iter().chain([HISTORY]) {
        if !names(&folder.join(file.0)) {
            remove(folder, file);
        }
    }
}

/// Removes a file of an earlier run from a folder.
fn remove(folder: &Path, (name, beginning, soon): OwnFile) {
    let path = folder.join(name);
    let regular = std::fs::symlink_metadata(&path).is_ok_and(|found| found.is_file());
    let is_own = || -> io::Result<bool> {
        let mut bytes = Vec::new();
        let file = std::fs::File::open(&path)?;
        file.take(SOON).read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(text.starts_with(beginning) && text.contains(soon))
    };
    if regular && is_own().unwrap_or(false) {
        // If it can't be removed, writing the new report fails with the reason.
        let _ = std::fs::remove_file(&path);
    }
}

/// Removes the reports of an earlier run from the folder that the command line names.
pub(crate) fn remove_earlier(args: &ConformanceArgs) {
    if let Some(folder) = args.output.report_dir.as_deref()
        && !args.list
        && !args.dry_run
    {
        remove_stale(folder);
        remove(folder, HISTORY);
    }
}

/// Whether the folder of reports holds a file that this run has to read first.
pub(crate) fn holds_input(args: &ConformanceArgs) -> bool {
    let mut inputs = args.check.recheck.iter().chain(&args.merge);
    let folder = args.output.report_dir.as_deref();
    folder.is_some_and(|folder| inputs.any(|input| is_inside(input, folder)))
}

/// Whether a file or folder exists in another one, or is that.
fn is_inside(path: &Path, folder: &Path) -> bool {
    let place = |path: &Path| path.canonicalize().ok();
    let both = place(path).zip(place(folder));
    both.is_some_and(|(path, folder)| path.starts_with(folder))
}

impl ReportFolder {
    /// Creates the folder if it does not exist, and checks that it is writable.
    ///
    /// Otherwise the user would learn only after the run that its report is lost.
    pub(crate) fn prepare(path: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(path)?;
        StagedFile::write(path, PROBE, b"", Access::Umask)?;
        Ok(Self(path.to_owned()))
    }

    /// Writes the files, with the exchanges only if there are any. Each is replaced at once, so readers see
    /// either the old or the new report.
    pub(crate) fn write(&self, report: &Report, history: Option<&str>) -> io::Result<()> {
        let (report_json, junit) = (json(report)?, junit(report)?);
        let html = html(report);
        let texts = [Some(&*report_json), Some(&junit), Some(&html), history];
        let names = FILES.into_iter().chain([HISTORY]).map(|(name, ..)| name);
        let files = names
            .zip(texts)
            .filter_map(|(name, text)| Some((name, text?)));
        // If one file can't be written, the others are written anyway.
        let written: Vec<_> = files
            .map(|(name, text)| replace(&self.0.join(name), text.as_bytes(), Access::Umask))
            .collect();
        written.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_made_and_nothing_is_left_in_it() {
        let there = tempfile::tempdir().unwrap();
        let folder = there.path().join("a").join("b");
        ReportFolder::prepare(&folder).unwrap();
        assert_eq!(folder.read_dir().unwrap().count(), 0);
    }

    #[test]
    fn what_is_no_folder_is_refused_at_once() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(ReportFolder::prepare(file.path()).is_err());
        assert!(ReportFolder::prepare(&file.path().join("below")).is_err());
    }
}
