//! The general rules: functions from a history to findings.
//!
//! A rule looks at every exchange of the run, whatever it was sent for.

mod agree;
mod authority;
mod echo;
mod effect;
mod form;
mod found;
mod fresh;
mod included;
mod known;
mod near;
mod readings;
mod refused;
mod same;
mod scored;
mod stored;
mod submitted;
mod unusual;

pub(crate) use agree::{agree, undecided_balances};
pub(crate) use authority::authority;
pub(crate) use echo::echo;
pub(crate) use effect::{Effect, effect, is_unsettled};
pub(crate) use form::{content_type, form, server_errors, success_status};
pub(crate) use found::{COLUMNS, found};
pub(crate) use fresh::{current, distinct, fresh};
pub(crate) use included::included;
pub(crate) use known::known;
pub(crate) use near::near;
pub(crate) use refused::{is_clear_refusal, refused, refused_assets};
pub(crate) use same::{kept, same};
pub(crate) use stored::{KnownBlocks, Stored, stored};
pub(crate) use submitted::{first_stays, first_submitted, submitted};
pub(crate) use unusual::unusual;
