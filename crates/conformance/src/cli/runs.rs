//! One or more runs against a node.

use std::{future::Future, path::Path, sync::Arc};

use nodeproof_report::{Report, Style, summary};

use super::{
    args::ConformanceArgs,
    error::UsageError,
    options_from_args::report_dir,
    output::{NotWritten, status_after, style},
    progress::Progress,
    report_folder::ReportFolder,
    signals::{Signals, mark_terminated},
    summary_file::SummaryFile,
};
use crate::{
    http::Target,
    run::{Options, run},
};

/// Everything that is needed for one or more runs against a node.
pub(crate) struct Runs<'a> {
    pub(crate) args: &'a ConformanceArgs,
    pub(crate) style: Style,
    target: Target,
    options: Options,
    folder: Option<(&'a Path, ReportFolder)>,
    summary: Option<SummaryFile<'a>>,
}

impl<'a> Runs<'a> {
    /// Prepares the files that runs write to.
    pub(crate) fn new(
        args: &'a ConformanceArgs,
        target: Target,
        options: Options,
    ) -> Result<Self, UsageError> {
        let folder = match args.report_dir.as_deref() {
            Some(path) => {
                let folder =
                    ReportFolder::prepare(path).map_err(|error| report_dir(path, &error))?;
                Some((path, folder))
            }
            None => None,
        };
        Ok(Self {
            args,
            style: style(),
            target,
            options,
            folder,
            summary: SummaryFile::open(args)?,
        })
    }

    /// Returns the folder that reports are written to.
    pub(crate) fn folder(&self) -> Option<&ReportFolder> {
        self.folder.as_ref().map(|(_, folder)| folder)
    }

    /// Returns the path of the sweep's state, if it is saved.
    pub(crate) fn sweep_state(&self) -> Option<&Path> {
        self.options.sweep.as_ref()?.state.as_deref()
    }

    /// Runs the cases once. The next run repeats the requests of this run's findings.
    pub(crate) async fn check(
        &mut self,
        signals: &Signals,
        stop: impl Future<Output = ()>,
    ) -> Report {
        let progress = Arc::new(Progress::new(self.args, self.style));
        let mut report = run(self.target.clone(), &self.options, progress, stop).await;
        self.options.recheck.continue_after(&report);
        mark_terminated(&mut report, signals.status());
        report
    }

    /// Shows a report, and writes it to its files. If one of these fails, the others are done anyway.
    /// Returns the exit status.
    pub(crate) fn publish(
        &self,
        report: &Report,
        show: impl FnOnce() -> Result<(), UsageError>,
    ) -> Result<u8, NotWritten> {
        if let Some((_, folder)) = &self.folder {
            folder.remove_texts();
        }
        let shown = show();
        let written = match &self.folder {
            Some((path, folder)) => folder
                .write(report)
                .map_err(|error| report_dir(path, &error)),
            None => Ok(()),
        };
        let file = self.summary.as_ref();
        let appended = file.map_or(Ok(()), |file| file.append(&summary(report)));
        status_after(report.exit_code, [written, appended, shown])
    }
}
