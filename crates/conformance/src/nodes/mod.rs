//! Several nodes: each is checked as if it were alone, all at the same time, and then they are held
//! against one another.
//!
//! Nodes of one network have one chain. So the same index has the same block on each of them
//! (`blocks`), and at the same height the same balances, state of contracts and trust scores (`same_height`).
//! A node with a lower chain is behind, which is not a fault: it is compared as far as it is.

mod blocks;
mod compare;
mod content;
mod difference;
mod height;
mod same_height;
mod side;

pub use compare::{NodeToCheck, run_several};
