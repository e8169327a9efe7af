//! Comparison of two JSON texts by their signed form.

use std::collections::{HashMap, HashSet};

use nodeproof_primitives::{Amount, signed_message, sorted_message};
use serde_json::value::RawValue;

use super::{
    error::BuiltCallMismatch,
    json::{array, first_byte, is_number, object},
    place::Place,
};

/// The maximum nesting that is checked.
const MAX_DEPTH: usize = 64;

/// Checks that a built value equals the requested one.
///
/// The order of members does not matter. Numbers are equal if they are signed as the same text: `1`
/// is not `1.0`, and `1e2` is `100.0`.
pub(super) fn compare(
    requested: &str,
    built: &str,
    place: &Place<'_>,
) -> Result<(), BuiltCallMismatch> {
    walk(requested, built, place, 0)?;
    // This second comparison works in another way. A bug in one of them can't lead to a signature.
    if sorted_message(requested)? == sorted_message(built)? {
        Ok(())
    } else {
        Err(BuiltCallMismatch::changed(place, requested, built))
    }
}

fn walk(
    requested: &str,
    built: &str,
    place: &Place<'_>,
    depth: usize,
) -> Result<(), BuiltCallMismatch> {
    bounded(place, depth)?;
    match (first_byte(requested), first_byte(built)) {
        (b'{', b'{') => {
            let (requested, built) = (object(requested, place)?, object(built, place)?);
            let found: HashMap<&str, &RawValue> = built
                .iter()
                .map(|(name, value)| (name.as_str(), *value))
                .collect();
            for (name, value) in &requested {
                let place = place.member(name);
                match found.get(name.as_str()) {
                    Some(built) => walk(value.get(), built.get(), &place, depth + 1)?,
                    None => return Err(BuiltCallMismatch::missing(&place)),
                }
            }
            let known: HashSet<&str> = requested.iter().map(|(name, _)| name.as_str()).collect();
            match built
                .iter()
                .find(|(name, _)| !known.contains(name.as_str()))
            {
                Some((name, value)) => {
                    Err(BuiltCallMismatch::extra(&place.member(name), value.get()))
                }
                None => Ok(()),
            }
        }
        (b'[', b'[') => {
            let (requested, built) = (array(requested, place)?, array(built, place)?);
            for (index, (requested, built)) in requested.iter().zip(&built).enumerate() {
                walk(
                    requested.get(),
                    built.get(),
                    &place.element(index),
                    depth + 1,
                )?;
            }
            if requested.len() > built.len() {
                return Err(BuiltCallMismatch::missing(&place.element(built.len())));
            }
            match built.get(requested.len()) {
                Some(more) => Err(BuiltCallMismatch::extra(
                    &place.element(requested.len()),
                    more.get(),
                )),
                None => Ok(()),
            }
        }
        _ => leaf(requested, built, place),
    }
}

fn leaf(requested: &str, built: &str, place: &Place<'_>) -> Result<(), BuiltCallMismatch> {
    if is_number(requested)
        && let Ok(amount) = requested.parse::<Amount>()
        && let Err(source) = amount.check_exact()
    {
        return Err(BuiltCallMismatch::Inexact {
            member: place.path(),
            source,
        });
    }
    if signed_message(requested)? == signed_message(built)? {
        Ok(())
    } else {
        Err(BuiltCallMismatch::changed(place, requested, built))
    }
}

/// Checks that no object in a text has two members with the same unescaped name.
pub(super) fn no_member_twice(
    text: &str,
    place: &Place<'_>,
    depth: usize,
) -> Result<(), BuiltCallMismatch> {
    bounded(place, depth)?;
    match first_byte(text) {
        b'{' => {
            let members = object(text, place)?;
            let mut seen = HashSet::new();
            for (name, value) in &members {
                let place = place.member(name);
                if !seen.insert(name.as_str()) {
                    return Err(BuiltCallMismatch::Twice {
                        member: place.path(),
                    });
                }
                no_member_twice(value.get(), &place, depth + 1)?;
            }
            Ok(())
        }
        b'[' => array(text, place)?
            .iter()
            .enumerate()
            .try_for_each(|(index, value)| {
                no_member_twice(value.get(), &place.element(index), depth + 1)
            }),
        _ => Ok(()),
    }
}

fn bounded(place: &Place<'_>, depth: usize) -> Result<(), BuiltCallMismatch> {
    if depth > MAX_DEPTH {
        return Err(BuiltCallMismatch::TooDeep {
            member: place.path(),
            limit: MAX_DEPTH,
        });
    }
    Ok(())
}
