//! Runs against several nodes.

use std::sync::Arc;

use nodeproof_files::{parent_folder, read_text};
use nodeproof_report::{Report, nodes_summary};

use super::{
    access::{access, add_access},
    args::{CheckArgs, ConformanceArgs},
    error::UsageError,
    options_from_args::{MAX_INPUT, permitted, report_dir, target},
    output::{NotWritten, print, show_nodes, status_after, style},
    progress::Progress,
    report_folder::{ReportFolder, remove_earlier},
    signals::{Signals, mark_nodes_terminated},
    summary_file::SummaryFile,
    sweep_state::{finish, finished_earlier, sweep_with_state},
    targets::from_toml,
};
use crate::{
    api::Tier,
    http::Target,
    nodes::{NodeToCheck, run_several},
    run::{Options, plan_text},
    sweep::Sweep,
};

/// Returns the nodes that the command line names, each once.
pub(crate) fn named_targets(args: &CheckArgs) -> Result<Vec<Target>, UsageError> {
    let mut targets = match &args.targets {
        Some(path) => {
            let wrong = |reason: String| UsageError::Targets {
                path: path.display().to_string(),
                reason,
            };
            let text = read_text(path, MAX_INPUT).map_err(|error| wrong(error.to_string()))?;
            let named = from_toml(&text).map_err(wrong)?;
            let folder = parent_folder(path);
            let named = named.into_iter().map(|named| {
                let network = named.network.map(|name| name.0).or(args.network);
                let mut target = target(&named.base_url, network)?;
                target.access = access(&named.headers, &named.files(), folder)?;
                Ok::<_, UsageError>(target)
            });
            named.collect::<Result<Vec<_>, _>>()?
        }
        None => {
            let urls = args.base_url.iter();
            urls.map(|url| target(url, args.network))
                .collect::<Result<_, _>>()?
        }
    };
    add_access(args, &mut targets)?;
    for (place, target) in targets.iter().enumerate() {
        let same = |other: &Target| other.base_url == target.base_url;
        if targets[..place].iter().any(same) {
            return Err(UsageError::Twice(target.base_url.to_string()));
        }
        if target.network != targets[0].network {
            return Err(UsageError::NetworkMismatch {
                one: targets[0].network,
                other: target.network,
            });
        }
    }
    if targets.len() > MAX_NODES {
        return Err(UsageError::TooMany(targets.len()));
    }
    Ok(targets)
}

/// Rejects options that only work with a single node.
pub(crate) fn for_one_node(args: &ConformanceArgs, targets: &[Target]) -> Result<(), UsageError> {
    let one_only = [
        (
            args.check.allow.iter().any(|tier| *tier > Tier::Read),
            "--allow with more than read",
        ),
        (args.baseline.is_some(), "--baseline"),
        (args.state.is_some(), "--state"),
        (!args.merge.is_empty(), "--merge"),
        (args.watch.is_some(), "--watch"),
    ];
    if let (2.., Some((_, what))) = (
        targets.len(),
        one_only.into_iter().find(|(given, _)| *given),
    ) {
        return Err(UsageError::OneNodeOnly(what));
    }
    Ok(())
}

/// Maximum number of nodes in one run.
const MAX_NODES: usize = 32;

/// Checks several nodes, and compares them with each other.
pub(crate) async fn several(
    args: &ConformanceArgs,
    options: Options,
    targets: Vec<Target>,
) -> Result<u8, UsageError> {
    if let Some(first) = targets.first() {
        permitted(&options, first.network)?;
        if args.dry_run {
            print(&plan_text(&options, None, first.network))?;
            print("and the same to each other node, plus the requests that compare the nodes\n")?;
            return Ok(0);
        }
    }
    let mut nodes: Vec<NodeToCheck> = Vec::new();
    let style = style();
    let progress = Progress::of_several(targets.len(), args, style);
    let sweeps = sweeps(args, &options, &targets)?;
    if let Some(status) = finished_earlier(args, sweeps.iter().flatten()) {
        return Ok(status);
    }
    if args.resume {
        remove_earlier(args);
    }
    for ((target, progress), sweep) in targets.into_iter().zip(progress).zip(sweeps) {
        let mut options = options.clone();
        options.sweep = sweep;
        nodes.push((target, options, Arc::new(progress)));
    }
    // Kept to the end, because they hold the locks of the state files.
    let swept: Vec<_> = nodes
        .iter()
        .filter_map(|(_, options, _)| options.sweep.clone())
        .collect();
    let folder = match args.report_dir.as_deref() {
        Some(path) => {
            let folder = ReportFolder::prepare(path).map_err(|error| report_dir(path, &error))?;
            Some((path, folder))
        }
        None => None,
    };
    let summary = SummaryFile::open(args)?;
    let signals = Signals::default();
    let report = run_several(nodes, signals.listen()).await;
    let mut report = options.submitting.redactor.redact_nodes(report);
    mark_nodes_terminated(&mut report, signals.status());
    let shown = show_nodes(&report, args.format, style);
    let written = folder.map_or(Ok(()), |(path, folder)| {
        let written = folder.write_nodes(&report);
        written.map_err(|error| report_dir(path, &error))
    });
    let appended = summary.map_or(Ok(()), |file| file.append(&nodes_summary(&report)));
    let published = status_after(report.exit_code, [written, appended, shown]);
    if let Err(NotWritten(status)) = published {
        return Ok(status);
    }
    let done = |node: &Report| node.sweep.as_ref().is_some_and(|sweep| sweep.done);
    if report.nodes.iter().all(done) {
        // Until all are done, resuming needs the state of the finished ones.
        for state in swept.iter().filter_map(|sweep| sweep.state.as_ref()) {
            finish(state, report.exit_code);
        }
    }
    Ok(report.exit_code)
}

/// Returns each node's sweep, or `None` for each if there is no sweep.
fn sweeps(
    args: &ConformanceArgs,
    options: &Options,
    targets: &[Target],
) -> Result<Vec<Option<Sweep>>, UsageError> {
    let Some(sweep) = &options.sweep else {
        return Ok(targets.iter().map(|_| None).collect());
    };
    targets
        .iter()
        .map(|target| sweep_with_state(sweep.clone(), args, options, target).map(Some))
        .collect()
}
