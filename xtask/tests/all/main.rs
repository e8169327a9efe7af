//! The tasks as users run them, in one program, because most of these tests wait.

mod baselines;
mod bench;
mod conformance;
mod dist;
mod expectations;
mod interrupt;
mod nodes;
mod sweep;
mod tiers;
