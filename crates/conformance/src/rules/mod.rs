//! The general rules: functions from a history to findings.
//!
//! A rule looks at every exchange of the run, whatever it was sent for.

mod authority;
mod form;
mod same;

pub(crate) use authority::authority;
pub(crate) use form::form;
pub(crate) use same::same;
