//! Merges the states of sweeps over neighbouring or overlapping parts of a range.
//!
//! The result is the state of one sweep over the whole range. Each part has compared its first block with
//! those before it (`running`), and has kept its first and its last hashes and transaction codes.

use std::path::{Path, PathBuf};

use super::{
    range::BlockRange,
    state::{State, StateError},
};
use crate::{cases::Case, checks::OtherBlock, http::Target};

/// Reads and merges states. Together they must have every block of the range.
pub(super) fn merge(
    paths: &[PathBuf],
    target: &Target,
    blocks: BlockRange,
    cases: &[Case],
) -> Result<State, StateError> {
    let expected = State::begin(target, blocks, cases, 0, 0);
    let mut parts = Vec::new();
    for path in paths {
        let part = State::read_any(path)?;
        part.check_settings(path, &expected)?;
        is_complete(&part).map_err(|reason| refused(path, reason))?;
        parts.push((path, part));
    }
    parts.sort_by_key(|(_, part)| (part.from, part.to));
    let mut parts = parts.into_iter();
    let Some((path, first)) = parts.next() else {
        return Ok(expected);
    };
    begins_with(&first, blocks).map_err(|reason| refused(path, reason))?;
    let mut last = (path, first.blocks().end());
    let mut merged = first.over(blocks);
    for (path, part) in parts {
        last = (path, part.blocks().end());
        append(&mut merged, part).map_err(|reason| refused(path, reason))?;
    }
    let (path, end) = last;
    // If the chain ends within the range, the last sweep ended there.
    if blocks.end() == end || blocks.end() == Some(merged.to) {
        return Ok(merged);
    }
    let to = merged.to.saturating_sub(1);
    let reason = format!("no state has the end of {blocks}, and this one ends at block {to}");
    Err(refused(path, reason))
}

fn refused(path: &Path, reason: String) -> StateError {
    StateError::NotMergeable {
        path: path.to_owned(),
        reason,
    }
}

fn is_complete(part: &State) -> Result<(), String> {
    if part.next < part.to {
        let (next, last) = (part.next, part.to - 1);
        return Err(format!(
            "its sweep was interrupted at block {next} of {last}: finish it with --resume first"
        ));
    }
    if part.continues {
        return Err(
            "its sweep was continued with --new-blocks, so the earlier results are not in it"
                .to_owned(),
        );
    }
    Ok(())
}

fn begins_with(first: &State, blocks: BlockRange) -> Result<(), String> {
    if blocks.first() == first.blocks().first() || blocks.first() == Some(first.from) {
        return Ok(());
    }
    let from = first.from;
    Err(format!(
        "no state has the beginning of {blocks}, and this one begins at block {from}"
    ))
}

fn append(merged: &mut State, part: State) -> Result<(), String> {
    let (to, from) = (merged.to, part.from);
    if from > to {
        return Err(match from - to {
            1 => format!("no state has block {to}"),
            _ => format!("no state has the blocks {to} to {}", from - 1),
        });
    }
    if part.to <= to {
        return Err("the other states have all of its blocks".to_owned());
    }
    merged.append(part).map_err(|OtherBlock(block)| {
        format!("the node returned another block {block} to it than to the sweep before it")
    })
}
