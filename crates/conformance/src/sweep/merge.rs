//! Merges the states of the parts of a range.

use std::path::PathBuf;

use super::{
    part::Part,
    range::BlockRange,
    state::{State, StateError},
    tally::Tally,
};
use crate::{cases::Case, context::SweptClaims, http::Target};

/// Reads and merges the states of all parts of a range.
///
/// The result has what each part found, and continues where the last part ended. Blocks of different parts
/// are not compared.
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
        parts.push((path, part));
    }
    parts.sort_by_key(|(_, part)| part.from);
    let mut tally = Tally::of(cases.iter().map(|case| case.id));
    let mut claims = SweptClaims::default();
    let mut from = None;
    let mut before: Option<State> = None;
    for ((path, mut part), expected) in parts.into_iter().zip(Part::all(paths.len())) {
        follows(before.as_ref(), &part, expected, blocks)
            .map_err(|reason| StateError::not_mergeable(path, &reason))?;
        from.get_or_insert(part.from);
        claims.append(std::mem::take(&mut part.claims));
        if let Some(before) = before.replace(part) {
            tally.append(before.tally);
        }
    }
    let Some(mut merged) = before else {
        return Ok(expected);
    };
    tally.append(merged.tally);
    (merged.tally, merged.finished) = (tally, None);
    merged.claims = claims;
    merged.from = from.unwrap_or(merged.from);
    merged.blocks = blocks.to_string();
    Ok(merged)
}

/// Checks that a state is that of this part of the range, and follows the one of the part before it.
fn follows(
    before: Option<&State>,
    state: &State,
    part: Part,
    blocks: BlockRange,
) -> Result<(), String> {
    let expected = part.of(blocks).map_err(|error| error.to_string())?;
    if state.blocks != expected.to_string() {
        return Err(format!(
            "it has the blocks {}, but part {part} of {blocks} has the blocks {expected}",
            state.blocks
        ));
    }
    if state.next < state.to {
        return Err("its sweep was interrupted: finish it with --resume first".to_owned());
    }
    if state.continues {
        let reason =
            "its sweep was continued with --new-blocks, so the earlier results are not in it";
        return Err(reason.to_owned());
    }
    let Some(before) = before else { return Ok(()) };
    if before.to != state.from {
        return Err(format!("no part has block {}", before.to));
    }
    match (before.memory.previous.latest(), state.before) {
        (Some((hash, place)), Some((other_hash, same_place)))
            if place == same_place && hash != other_hash =>
        {
            let block = place.0;
            Err(format!(
                "the node returned another block {block} to it than to the part before it"
            ))
        }
        _ => Ok(()),
    }
}
