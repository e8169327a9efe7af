//! `nodeproof monitor`.

use nodeproof_report::ExitStatus;
use tokio::{net::TcpListener, sync::mpsc};

use super::{
    args::{CheckArgs, MonitorArgs},
    error::UsageError,
    named_targets::named_targets,
    options_from_args::{check_options, permitted},
    output::{complain, without_keys},
    signals::Signals,
    sweep_state::without_lock,
};
use crate::{
    api::Tier,
    monitor::{Configuration, Log, SavedState, Setup, monitor},
    platform::hangups,
};

/// Maximum number of requests per second to each node, unless `--rate` is given.
const RATE: f64 = 20.0;

/// Monitors the nodes of the command line until a signal arrives. SIGHUP reads the files again.
pub(crate) async fn start_monitor(args: &MonitorArgs) -> Result<u8, UsageError> {
    // Before anything else, because SIGHUP ends a process that does not listen to it.
    let mut hangups = hangups();
    let configuration = read_configuration(&args.check)?;
    let saved = args.state.as_deref().map(|path| {
        SavedState::open(path).map_err(|error| {
            UsageError::file("the monitor's state in {} can't be used", path, error)
        })
    });
    let saved = saved.transpose()?;
    if let (Some(path), Some(false)) = (&args.state, saved.as_ref().map(SavedState::is_locked)) {
        complain(&without_lock(path));
    }
    let listener = TcpListener::bind(args.listen)
        .await
        .map_err(|error| UsageError::Listen {
            address: args.listen,
            reason: error.to_string(),
        })?;
    if let Ok(address) = listener.local_addr() {
        complain(&format!(
            "monitoring {} every {} s, with a run every {} s; metrics at http://{address}/metrics",
            match configuration.targets.len() {
                1 => "1 node".to_owned(),
                count => format!("{count} nodes"),
            },
            args.interval.as_secs_f64(),
            args.run_interval.as_secs_f64()
        ));
    }
    let (sender, reloads) = mpsc::channel(1);
    let check = args.check.clone();
    tokio::spawn(async move {
        while hangups.recv().await.is_some() {
            let read = read_configuration(&check);
            let read = read.map_err(|error| without_keys(&error.to_string()));
            if sender.send(read).await.is_err() {
                return;
            }
        }
    });
    let setup = Setup {
        listener,
        interval: args.interval,
        run_interval: args.run_interval,
        log: Log::new(args.log),
        saved,
    };
    let stop = Signals::default().listen();
    monitor(setup, configuration, reloads, stop).await;
    Ok(ExitStatus::Conforms.code())
}

/// Reads the files of the command line.
fn read_configuration(args: &CheckArgs) -> Result<Configuration, UsageError> {
    let targets = named_targets(args)?;
    let Some(first) = targets.first() else {
        return Err(UsageError::NoTarget);
    };
    let mut options = check_options(args, false)?;
    if options.selection.allow == Tier::Write {
        return Err(UsageError::MonitorWrites);
    }
    permitted(&options, first.network)?;
    options.limits.rate = options.limits.rate.or(Some(RATE));
    Ok(Configuration { targets, options })
}
