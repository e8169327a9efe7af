//! Where a report goes: the terminal, the folder of reports and the file of summaries.

use std::path::Path;

use nodeproof_report::{Report, summary};

use super::{
    args::OutputArgs,
    error::UsageError,
    options_from_args::report_dir,
    output::{NotWritten, status_after},
    report_folder::ReportFolder,
    summary_file::SummaryFile,
};

/// The files that a report is written to.
pub(crate) struct Outputs<'a> {
    folder: Option<(&'a Path, ReportFolder)>,
    summary: Option<SummaryFile<'a>>,
}

impl<'a> Outputs<'a> {
    /// Prepares the files.
    pub(crate) fn new(args: &'a OutputArgs) -> Result<Self, UsageError> {
        let prepared = args.report_dir.as_deref().map(|path| {
            let folder = ReportFolder::prepare(path).map_err(|error| report_dir(path, &error))?;
            Ok::<_, UsageError>((path, folder))
        });
        Ok(Self {
            folder: prepared.transpose()?,
            summary: SummaryFile::open(args.summary.as_deref())?,
        })
    }

    /// Whether reports are written to a folder.
    pub(crate) const fn have_folder(&self) -> bool {
        self.folder.is_some()
    }

    /// Shows a report, and writes it to its files, with the text of `history.har` if there is one. If one of
    /// these fails, the others are done anyway. Returns the exit status.
    pub(crate) fn publish(
        &self,
        report: &Report,
        history: Option<&str>,
        show: impl FnOnce() -> Result<(), UsageError>,
    ) -> Result<u8, NotWritten> {
        let shown = show();
        let written = match &self.folder {
            Some((path, folder)) => folder
                .write(report, history)
                .map_err(|error| report_dir(path, &error)),
            None => Ok(()),
        };
        let file = self.summary.as_ref();
        let appended = file.map_or(Ok(()), |file| file.append(&summary(report)));
        status_after(report.exit_code, [written, appended, shown])
    }
}
