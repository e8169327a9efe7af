//! One or more runs against the nodes of the command line.

use std::{future::Future, sync::Arc};

use nodeproof_report::{NodeReport, Report, Style};

use super::{
    args::ConformanceArgs,
    error::UsageError,
    output::{NotWritten, style},
    outputs::Outputs,
    progress::Progress,
    signals::{Signals, mark_terminated},
    sweep_state::finish,
};
use crate::{
    har::{Exchanges, file},
    http::Target,
    nodes::{NodeToCheck, run_recorded},
    run::Options,
};

/// Everything that is needed for one or more runs.
pub(crate) struct Runs<'a> {
    pub(crate) args: &'a ConformanceArgs,
    pub(crate) style: Style,
    nodes: Vec<(Target, Options)>,
    outputs: Outputs<'a>,
    /// The text of `history.har`, if it is written.
    history: Option<String>,
}

impl<'a> Runs<'a> {
    /// Prepares the files that runs write to.
    pub(crate) fn new(
        args: &'a ConformanceArgs,
        nodes: Vec<(Target, Options)>,
    ) -> Result<Self, UsageError> {
        Ok(Self {
            args,
            style: style(),
            nodes,
            outputs: Outputs::new(&args.output)?,
            history: None,
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
        let (mut report, exchanges) = run_recorded(nodes.collect(), stop).await;
        self.history = self
            .outputs
            .have_folder()
            .then(|| self.history_of(&exchanges));
        for ((_, options), node) in self.nodes.iter_mut().zip(&report.nodes) {
            options.recheck.continue_after(node);
        }
        mark_terminated(&mut report, signals.status());
        report
    }

    /// Returns the text of `history.har`, without the secrets of the run.
    fn history_of(&self, exchanges: &[Exchanges]) -> String {
        let nodes = self.nodes.iter().zip(exchanges);
        let entries = nodes.flat_map(|((target, options), exchanges)| {
            exchanges.entries(target.network, &options.submitting.redactor)
        });
        file(&entries.collect::<Vec<_>>())
    }

    /// Shows a report, and writes it to its files. Returns the exit status.
    pub(crate) fn publish(
        &self,
        report: &Report,
        show: impl FnOnce() -> Result<(), UsageError>,
    ) -> Result<u8, NotWritten> {
        self.outputs.publish(report, self.history.as_deref(), show)
    }

    /// Saves that the sweeps are finished, after their report was written.
    ///
    /// Until the sweeps of all nodes are done, resuming them needs the state of the finished ones.
    pub(crate) fn finish_sweeps(&self, report: &Report) {
        // The report has the reason if a state was not saved.
        let is_done = |node: &NodeReport| {
            let sweep = node.sweep.as_ref();
            sweep.is_some_and(|sweep| sweep.done && sweep.trouble.is_none())
        };
        if report.nodes.iter().all(is_done) {
            let sweeps = self.nodes.iter();
            let sweeps = sweeps.filter_map(|(_, options)| options.sweep.as_ref());
            for state in sweeps.filter_map(|sweep| sweep.state.as_deref()) {
                finish(state, report.exit_code);
            }
        }
    }
}
