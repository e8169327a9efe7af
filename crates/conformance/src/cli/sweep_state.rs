//! The state of a sweep: its path, its lock and its progress.

use std::path::Path;

use nodeproof_files::{
    FolderError, Shared, check_private_folder, create_private_folder, parent_folder,
};

use super::{args::ConformanceArgs, error::UsageError, output::complain};
use crate::{
    http::Target,
    run::Options,
    sweep::{Lock, StateError, Sweep, default_state, prepare},
};

/// Returns the sweep with its state: a new one, or the saved one if the sweep is resumed.
pub(crate) fn sweep_with_state(
    sweep: Sweep,
    args: &ConformanceArgs,
    options: &Options,
    target: &Target,
) -> Result<Sweep, UsageError> {
    let local = args.check.base_url.is_empty() && args.check.targets.is_none();
    if local && args.resume {
        return Err(UsageError::ResumedLocal);
    }
    let default = || default_state(args.report_dir.as_deref(), target);
    let place = match &args.state {
        Some(path) => Some(path.clone()),
        // A local node ends with the run, so its sweep can't be resumed.
        None if local => None,
        None => default(),
    };
    let folder = place
        .as_deref()
        .map_or(Ok(()), |path| private_folder(path, args));
    let place = match folder {
        Err(error) if args.resume || args.state.is_some() => return Err(error.into()),
        Err(error) => {
            complain(&format!("warning: {error}; {NOT_KEPT}"));
            return Ok(sweep);
        }
        Ok(()) => place,
    };
    let selected: Vec<_> = options
        .cases()
        .into_iter()
        .filter(|case| options.selects(case.id) && options.permits(case, target.network).is_ok())
        .collect();
    match (place, args.resume) {
        (Some(path), true) => {
            // If there is no state to resume, no lock file is created either.
            let lock = path.exists().then(|| Lock::take(&path)).transpose()?;
            let sweep = sweep.resuming(path, target, &selected)?;
            Ok(match lock {
                Some(lock) => sweep.locked(lock),
                None => sweep,
            })
        }
        (None, true) => Err(UsageError::NoPlaceForState),
        (Some(path), false) => {
            let lock = match prepare(&path).and_then(|()| Lock::take(&path)) {
                Err(error @ StateError::InUse { .. }) => return Err(error.into()),
                Err(error) if args.state.is_some() => return Err(error.into()),
                Err(error) => {
                    complain(&format!("warning: {error}; {NOT_KEPT}"));
                    return Ok(sweep);
                }
                Ok(lock) => lock,
            };
            if let Some((next, to)) = Sweep::unfinished(&path) {
                complain(&format!(
                    "warning: {} has a sweep that was interrupted at block {next} of {}; it starts again \
                     from the beginning, because --resume is not given",
                    path.display(),
                    to - 1
                ));
            }
            Ok(sweep.keeping_state(path).locked(lock))
        }
        (None, false) => Ok(sweep),
    }
}

const NOT_KEPT: &str = "an interrupted sweep can't be resumed";

/// Checks that other users can't replace the sweep's state with theirs.
///
/// A folder of reports is not checked: its owner chooses its permissions.
fn private_folder(state: &Path, args: &ConformanceArgs) -> Result<(), FolderError> {
    let folder = parent_folder(state);
    match (&args.state, &args.report_dir) {
        (Some(_), _) => check_private_folder(folder, Shared::Sticky),
        (None, None) => {
            // If it can't be created, creating the state fails too, and that error has the reason.
            if !args.resume {
                let _created = create_private_folder(folder);
            }
            check_private_folder(folder, Shared::No)
        }
        (None, Some(_)) => Ok(()),
    }
}
