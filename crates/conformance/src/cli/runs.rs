//! One or more runs against the nodes of the command line.

use std::{future::Future, path::Path, sync::Arc};

use nodeproof_report::{NodeReport, Report, Style, summary};

use super::{
    args::ConformanceArgs,
    error::UsageError,
    options_from_args::report_dir,
    output::{NotWritten, status_after, style},
    progress::Progress,
    report_folder::ReportFolder,
    signals::{Signals, mark_terminated},
    summary_file::SummaryFile,
    sweep_state::finish,
};
use crate::{
    http::Target,
    nodes::{NodeToCheck, run},
    run::Options,
};

/// Everything that is needed for one or more runs.
pub(crate) struct Runs<'a> {
    pub(crate) args: &'a ConformanceArgs,
    pub(crate) style: Style,
    nodes: Vec<(Target, Options)>,
    folder: Option<(&'a Path, ReportFolder)>,
    summary: Option<SummaryFile<'a>>,
}

impl<'a> Runs<'a> {
    /// Prepares the files that runs write to.
    pub(crate) fn new(
        args: &'a ConformanceArgs,
        nodes: Vec<(Target, Options)>,
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
            nodes,
            folder,
            summary: SummaryFile::open(args)?,
        })
    }

    /// Runs the cases once. The next run repeats the requests of this run's findings.
    pub(crate) async fn check(
        &mut self,
        signals: &Signals,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> Report {
        let progress = Progress::of_nodes(self.nodes.len(), self.args, self.style);
        let nodes = self.nodes.iter().zip(progress);
        let nodes = nodes.map(|((target, options), progress)| -> NodeToCheck {
            (target.clone(), options.clone(), Arc::new(progress))
        });
        let mut report = run(nodes.collect(), stop).await;
        for ((_, options), node) in self.nodes.iter_mut().zip(&report.nodes) {
            options.recheck.continue_after(node);
        }
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

    /// Saves that the sweeps are finished, after their report was written.
    ///
    /// Until the sweeps of all nodes are done, resuming them needs the state of the finished ones.
    pub(crate) fn finish_sweeps(&self, report: &Report) {
        let is_done = |node: &NodeReport| node.sweep.as_ref().is_some_and(|sweep| sweep.done);
        if report.nodes.iter().all(is_done) {
            let sweeps = self.nodes.iter();
            let sweeps = sweeps.filter_map(|(_, options)| options.sweep.as_ref());
            for state in sweeps.filter_map(|sweep| sweep.state.as_deref()) {
                finish(state, report.exit_code);
            }
        }
    }
}
