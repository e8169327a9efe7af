//! A sweep: every case about blocks, for every block of a range.
//!
//! `--jobs` requests at a time fetch blocks (`fetch`). Each block is checked by itself when it arrives,
//! on all cores (`checks`). Then the blocks are put in order and compared with earlier ones (`running`).
//! Findings are counted and grouped (`tally`), and saved every two seconds, so a sweep that was stopped
//! can be resumed (`state`). Sweeps over parts of a range are merged (`merge`).
//!
//! Memory does not grow with the chain. Only a few blocks are in flight at a time, and of a checked
//! block only its links are kept.

mod chain_bounds;
mod chain_end;
mod checks;
mod fetch;
mod kept;
mod merge;
mod observer;
mod part;
mod range;
mod result;
mod running;
mod settings;
mod state;
mod state_path;
mod stop_reason;
mod tally;

pub(crate) use chain_bounds::ChainBounds;
pub use observer::Observer;
pub(crate) use observer::Silent;
pub use part::{Part, PartError};
pub use range::{BlockRange, ParseBlockRangeError};
pub(crate) use running::RunningSweep;
pub(crate) use settings::about_blocks;
pub use settings::{Sweep, SweepProgress};
pub use state::StateError;
pub(crate) use state::{State, lock, prepare, remove_finished};
pub(crate) use state_path::default_state;
pub(crate) use stop_reason::StopReason;
