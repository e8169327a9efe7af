//! One node or several: the cases run against all of them at the same time, and then several nodes are
//! compared.
//!
//! Nodes of one network have the same chain. So they have the same block at the same index (`blocks`),
//! and the same balances, contract state and trust scores at the same height (`same_height`).
//! A node with a shorter chain lags behind. That is not a fault. Only its existing blocks are compared.

mod blocks;
mod chains;
mod compare;
mod content;
mod difference;
mod height;
mod same_height;
mod side;

pub(crate) use blocks::{first_difference, recent_blocks};
pub(crate) use chains::{Chains, Standing};
pub(crate) use compare::{COMPARISONS, run_recorded};
pub use compare::{NodeToCheck, run};
pub(crate) use content::Content;
pub(crate) use difference::Differences;
pub(crate) use height::{height_now, is_block, lag_behind, read_height};
pub(crate) use side::Side;
