//! `nodeproof monitor`.

use nodeproof_report::ExitStatus;
use tokio::net::TcpListener;

use super::{
    args::MonitorArgs,
    error::UsageError,
    options_from_args::{check_options, permitted},
    output::{complain, on_github},
    several::named_targets,
    signals::Signals,
    sweep_state::without_lock,
};
use crate::{
    api::Tier,
    monitor::{Log, SavedHeights, monitor},
};

/// Maximum number of requests per second to each node, unless `--rate` is given.
const RATE: f64 = 20.0;

/// Monitors the nodes of the command line until a signal arrives.
pub(crate) async fn start_monitor(args: &MonitorArgs) -> Result<u8, UsageError> {
    let targets = named_targets(&args.check)?;
    let Some(first) = targets.first() else {
        return Err(UsageError::NoTarget);
    };
    let mut options = check_options(&args.check, false)?;
    if options.selection.allow == Tier::Write {
        return Err(UsageError::MonitorWrites);
    }
    permitted(&options, first.network)?;
    options.limits.rate = options.limits.rate.or(Some(RATE));
    let saved = args.state.as_deref().map(|path| {
        SavedHeights::open(path).map_err(|error| UsageError::MonitorState {
            path: path.display().to_string(),
            reason: error.to_string(),
        })
    });
    let saved = saved.transpose()?;
    if let (Some(path), Some(false)) = (&args.state, saved.as_ref().map(SavedHeights::is_locked)) {
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
            "monitoring {} every {} s; metrics at http://{address}/metrics",
            match targets.len() {
                1 => "1 node".to_owned(),
                count => format!("{count} nodes"),
            },
            args.interval.as_secs_f64()
        ));
    }
    let signals = Signals::default();
    let stop = signals.listen();
    monitor(
        listener,
        targets,
        &options,
        args.interval,
        Log::new(args.log, on_github()),
        saved,
        stop,
    )
    .await;
    Ok(ExitStatus::Conforms.code())
}
