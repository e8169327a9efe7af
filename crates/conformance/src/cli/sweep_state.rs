//! The state of a sweep: its path, its lock and its progress.

use std::path::{Path, PathBuf};

use nodeproof_files::{
    FolderError, LockFile, Shared, check_private_folder, create_private_folder, parent_folder,
};

use super::{args::ConformanceArgs, error::UsageError, output::complain};
use crate::{
    http::Target,
    run::Options,
    sweep::{State, StateError, Sweep, default_state, lock, prepare, remove_finished},
};

/// Returns the sweep with its state: a new one, or the saved one if the sweep is resumed.
pub(crate) fn sweep_with_state(
    sweep: Sweep,
    args: &ConformanceArgs,
    options: &Options,
    target: &Target,
) -> Result<Sweep, UsageError> {
    let local = args.check.base_url.is_empty() && args.check.targets.is_none();
    let resumes = args.resume || args.new_blocks;
    if local && (resumes || !args.merge.is_empty()) {
        return Err(UsageError::ResumedLocal);
    }
    let default = || default_state(args.output.report_dir.as_deref(), target);
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
        Err(error) if resumes || args.state.is_some() => return Err(error.into()),
        Err(error) => {
            complain(&format!("warning: {error}; {NOT_KEPT}"));
            return Ok(sweep);
        }
        Ok(()) => place,
    };
    let selected: Vec<_> = options.selected(target.network).collect();
    let sweep = match &*merged_states(args, target) {
        [] => sweep,
        states => {
            if let Some(path) = place.as_deref().and_then(|place| same_file(place, states)) {
                return Err(UsageError::MergedState(path.display().to_string()));
            }
            sweep.merging(states, target, &selected)?
        }
    };
    match place {
        Some(path) if resumes && path.exists() => {
            let lock = locked(&path)?;
            let sweep = sweep.resuming(path, target, &selected)?.locked(lock);
            Ok(match args.new_blocks {
                true => sweep.only_new_blocks(),
                false => sweep,
            })
        }
        None if resumes => Err(UsageError::NoPlaceForState),
        None => Ok(sweep),
        Some(path) => keeping_state(sweep, path, args),
    }
}

/// Returns a new sweep that keeps its state in this file, if the file can be used.
fn keeping_state(sweep: Sweep, path: PathBuf, args: &ConformanceArgs) -> Result<Sweep, UsageError> {
    let resumes = args.resume || args.new_blocks;
    if resumes {
        complain(&format!(
            "no sweep has left its state in {}: the sweep starts",
            path.display()
        ));
    }
    let lock = prepare(&path).and_then(|()| {
        let lock = locked(&path)?;
        remove_finished(&path)?;
        Ok(lock)
    });
    let lock = match lock {
        Err(error @ StateError::InUse { .. }) => return Err(error.into()),
        Err(error) if resumes || args.state.is_some() => return Err(error.into()),
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

/// Returns the files with the states to merge. A folder of reports stands for the state in it.
fn merged_states(args: &ConformanceArgs, target: &Target) -> Vec<PathBuf> {
    let file = |path: &PathBuf| {
        let folder = path.is_dir().then_some(path.as_path());
        let state = folder.and_then(|folder| default_state(Some(folder), target));
        state.unwrap_or_else(|| path.clone())
    };
    args.merge.iter().map(file).collect()
}

/// Returns the path of the file that is in a list, too, if it is.
fn same_file<'p>(path: &Path, others: &'p [PathBuf]) -> Option<&'p PathBuf> {
    let path = path.canonicalize().ok()?;
    let same = |other: &&PathBuf| other.canonicalize().is_ok_and(|other| other == path);
    others.iter().find(same)
}

/// Locks the state of a sweep. Warns if its file system has no locks.
fn locked(state: &Path) -> Result<LockFile, StateError> {
    let lock = lock(state)?;
    if !lock.is_held() {
        complain(&without_lock(state));
    }
    Ok(lock)
}

/// Returns the warning about a state file that another run can use at the same time.
pub(crate) fn without_lock(state: &Path) -> String {
    format!(
        "warning: the file system of {} has no locks: make sure that no other run uses this file",
        state.display()
    )
}

/// Returns the exit status of sweeps that an earlier run finished, if its report is still there.
pub(crate) fn finished_earlier<'s>(
    args: &ConformanceArgs,
    mut sweeps: impl Iterator<Item = &'s Sweep>,
) -> Option<u8> {
    let status = sweeps.next()?.finished()?;
    if !sweeps.all(|sweep| sweep.finished() == Some(status)) {
        return None;
    }
    let report = args
        .output
        .report_dir
        .as_ref()
        .map(|folder| folder.join("report.json"));
    if report.as_ref().is_some_and(|report| !report.is_file()) {
        return None;
    }
    let place = report.map_or_else(String::new, |report| {
        format!("; its report is {}", report.display())
    });
    complain(&format!(
        "the sweep is already finished, with exit status {status}{place}. To check the blocks again, leave \
         out --resume"
    ));
    Some(status)
}

/// Saves that a sweep is finished, after its report was written.
pub(crate) fn finish(state: &Path, status: u8) {
    if let Err(error) = State::finish(state, status) {
        complain(&format!(
            "warning: {error}; --resume repeats the end of the sweep"
        ));
    }
}

const NOT_KEPT: &str = "an interrupted sweep can't be resumed";

/// Checks that other users can't replace the sweep's state with theirs.
///
/// A folder of reports is not checked: its owner chooses its permissions.
fn private_folder(state: &Path, args: &ConformanceArgs) -> Result<(), FolderError> {
    let folder = parent_folder(state);
    match (&args.state, &args.output.report_dir) {
        (Some(_), _) => check_private_folder(folder, Shared::Sticky),
        (None, None) => {
            // If it can't be created, creating the state fails too, and that error has the reason.
            let _created = create_private_folder(folder);
            check_private_folder(folder, Shared::No)
        }
        (None, Some(_)) => Ok(()),
    }
}
