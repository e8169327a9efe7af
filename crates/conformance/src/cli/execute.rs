//! Runs the command.

use std::{
    ffi::OsString,
    future::Future,
    path::{Path, PathBuf},
    pin::Pin,
};

use nodeproof_primitives::Network;
use nodeproof_report::ExitStatus;

use super::{
    args::{Command, ConformanceArgs, Format},
    diff::diff,
    error::UsageError,
    explain::explain,
    judge::judge,
    manual::{completions, man},
    monitor::start_monitor,
    named_targets::{for_one_node, named_targets, no_keys_in_headers},
    options_from_args::{options, permitted},
    output::{NotWritten, complain_usage, list, print, show, without_keys},
    report_folder::{holds_input, remove_earlier, remove_unnamed},
    runs::Runs,
    signals::Signals,
    sweep_state::{finished_earlier, sweep_with_state},
    watch::watch,
};
use crate::{
    api::Tier,
    context::{SigningWallet, Submitting},
    http::Target,
    run::{Options, plan_text},
    sweep::Sweep,
};

/// A node that was started for a run. It ends when this is dropped.
pub struct LocalNode {
    /// The base URL of its API.
    pub base_url: String,
    /// The folder of the shared snapshots, in which this node's run may leave pending ones for review.
    pub reviewable_snapshots: Option<PathBuf>,
    /// The node's own test wallet, which can pay fees. Its private key is public.
    pub wallet: Option<SigningWallet>,
    /// Ends the node when it is dropped.
    pub guard: Box<dyn std::any::Any + Send>,
}

/// Starts a node of our own for a run without a URL.
pub type StartLocal = Box<
    dyn FnOnce(Network) -> Pin<Box<dyn Future<Output = Result<LocalNode, String>> + Send>> + Send,
>;

/// Executes the command line, and returns the exit status.
///
/// Reports of an earlier run are removed from the folder of reports before anything else, unless one of them has to be read
/// first. `--resume` keeps them if the sweep is already finished.
pub async fn execute(args: &ConformanceArgs, local: Option<StartLocal>) -> u8 {
    if !args.resume && !holds_input(args) {
        remove_earlier(args);
    }
    match try_execute(args, local).await {
        Ok(status) => status,
        Err(error) => {
            if args.resume {
                remove_earlier(args);
            }
            // If the user put a private key into the wrong argument, the message must not repeat it.
            complain_usage(&without_keys(&format!("error: {error}")));
            match error {
                UsageError::Output(_) => ExitStatus::HarnessFault.code(),
                _ => ExitStatus::Usage.code(),
            }
        }
    }
}

/// Removes the reports of an earlier run from the folder that an invalid command line names.
///
/// Nothing else runs then, so the old verdict must not look like the result of this command.
pub fn remove_stale_reports(arguments: impl IntoIterator<Item = OsString>) {
    let (mut folders, mut others) = (Vec::new(), Vec::new());
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let text = argument.to_str().unwrap_or_default();
        match text.strip_prefix("--report-dir") {
            Some("") => folders.extend(arguments.next()),
            Some(rest) => folders.extend(rest.strip_prefix('=').map(OsString::from)),
            None => others.extend([argument.clone(), after_equals(text).into()]),
        }
    }
    for folder in folders {
        remove_unnamed(Path::new(&folder), &others);
    }
}

/// Returns the value of an argument that is `--name=value`.
fn after_equals(argument: &str) -> &str {
    argument.split_once('=').map_or("", |(_, value)| value)
}

/// Runs a command other than a run of the cases. Returns its exit status.
async fn run_command(command: &Command) -> Result<u8, UsageError> {
    match command {
        Command::Explain { id } => print(&explain(id)?)?,
        Command::Diff {
            before,
            after,
            format,
        } => return diff(before, after, *format),
        Command::Judge(args) => return judge(args).await,
        Command::Monitor(args) => return start_monitor(args).await,
        Command::Completions { shell } => completions(*shell)?,
        Command::Man { dir } => man(dir.as_deref())?,
    }
    Ok(ExitStatus::Conforms.code())
}

async fn try_execute(args: &ConformanceArgs, local: Option<StartLocal>) -> Result<u8, UsageError> {
    if let Some(command) = &args.command {
        return run_command(command).await;
    }
    let named = named_targets(&args.check)?;
    for_one_node(args, &named)?;
    let network = named.first().map(|target| target.network);
    let mut options = options(args, network)?;
    no_keys_in_headers(&named, &options.submitting.wallets())?;
    if args.list {
        list(&options)?;
        return Ok(0);
    }
    if named.is_empty() && local.is_some() {
        allow_all(args, &mut options);
    }
    if args.dry_run {
        let network = network.or(args.check.network).unwrap_or(Network::Devnet);
        permitted(&options, network)?;
        let alone = named.first().filter(|_| named.len() == 1);
        print(&plan_text(&options, alone, network))?;
        if named.len() > 1 {
            print("and the same to each other node, plus the requests that compare the nodes\n")?;
        }
        return Ok(0);
    }
    if args.watch.is_some() {
        repeatable(args, &options)?;
    }
    let (targets, _guard) = match (named.first(), local) {
        (Some(first), _) => {
            permitted(&options, first.network)?;
            if options.selection.allow == Tier::Write {
                writes_as_named(&options.submitting)?;
            }
            (named, None)
        }
        (None, None) => return Err(UsageError::NoTarget),
        (None, Some(start)) => {
            let network = args.check.network.unwrap_or(Network::Devnet);
            permitted(&options, network)?;
            let node = start(network).await.map_err(UsageError::Local)?;
            let target = Target::parse(&node.base_url, network)?;
            let guard = use_wallet_of(node, &mut options);
            (vec![target], Some(guard))
        }
    };
    let sweep = options.sweep.take();
    let nodes = with_sweeps(targets, sweep.as_ref(), args, &options)?;
    let sweeps = nodes
        .iter()
        .filter_map(|(_, options)| options.sweep.as_ref());
    if let Some(status) = finished_earlier(args, sweeps) {
        return Ok(status);
    }
    remove_earlier(args);
    let mut runs = Runs::new(args, nodes)?;
    let signals = Signals::default();
    if let Some(every) = args.watch {
        return Ok(watch(&mut runs, &signals, every).await);
    }
    let report = runs.check(&signals, signals.listen()).await;
    let published = runs.publish(&report, || show(&report, args.output.format, runs.style));
    if let Err(NotWritten(status)) = published {
        return Ok(status);
    }
    runs.finish_sweeps(&report);
    Ok(report.exit_code)
}

/// Allows what harms nobody at a node that only this run uses.
fn allow_all(args: &ConformanceArgs, options: &mut Options) {
    if args.check.allow.is_empty() {
        options.selection.allow = match args.watch {
            Some(_) => Tier::Reject,
            None => Tier::Write,
        };
        options.selection.probe = true;
    }
    // The run's own node is never the real mainnet, even if its network is called mainnet.
    options.selection.allow_mainnet = true;
}

/// Makes claims with the wallet of the run's own node. Returns what keeps the node running.
fn use_wallet_of(node: LocalNode, options: &mut Options) -> Box<dyn std::any::Any + Send> {
    options.files.reviewable_snapshots = node.reviewable_snapshots;
    let with = &mut options.submitting;
    with.public_wallet.clone_from(&node.wallet);
    with.wallet = with.wallet.take().or(node.wallet);
    node.guard
}

/// Returns the options for each node, with the state of its sweep.
fn with_sweeps(
    targets: Vec<Target>,
    sweep: Option<&Sweep>,
    args: &ConformanceArgs,
    options: &Options,
) -> Result<Vec<(Target, Options)>, UsageError> {
    let with_sweep = |target: Target| {
        let sweep = sweep.cloned();
        let sweep = sweep.map(|sweep| sweep_with_state(sweep, args, options, &target));
        let options = Options {
            sweep: sweep.transpose()?,
            ..options.clone()
        };
        Ok((target, options))
    };
    targets.into_iter().map(with_sweep).collect()
}

/// Checks that a run can be repeated without harm, and that its results are for a person.
fn repeatable(args: &ConformanceArgs, options: &Options) -> Result<(), UsageError> {
    if options.selection.allow == Tier::Write {
        return Err(UsageError::WatchWrites);
    }
    match args.output.format {
        Format::Pretty | Format::Compact => Ok(()),
        Format::Json | Format::Github => Err(UsageError::WatchFormat),
    }
}

/// Checks that the user has given the wallet, the token and the contract of submissions.
///
/// Otherwise the node would choose what the wallet signs and pays.
fn writes_as_named(with: &Submitting) -> Result<(), UsageError> {
    if with.wallet.is_none() {
        return Err(UsageError::NoWallet);
    }
    let named = [
        ("--currency", with.currency.is_some()),
        ("--contract", with.contract.is_some()),
    ];
    match named.into_iter().find(|(_, is_there)| !is_there) {
        Some((flag, _)) => Err(UsageError::NotNamed { flag }),
        None => Ok(()),
    }
}
