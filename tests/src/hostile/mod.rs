//! Servers that are broken or hostile, and what each consumer has to make of them.
//!
//! There is one list, [`all`]. A row says what the server does, and what has to come of a call of the
//! client, of a submission, of a conformance run, and of runs of `nodectl`. The tests hold the programs against it; the
//! table in the docs is measured with it. Where another program is to be compared with the list, its
//! outcome is one more field of [`Hostile`], and how it is started one more [`Consumer`].

mod certificates;
mod consumer;
mod expected;
pub mod front;
mod measure;
mod rows;
mod server;
mod table;

pub use certificates::Certificate;
pub use consumer::{Consumer, Programs};
pub use expected::{Client, Conformance, Ended, Expected, Nodectl, Seen};
pub use measure::{Measured, measure, run_measured};
pub use rows::all;
pub use server::{Hostile, Running, Start};
pub use table::{FILE, Row, render, with_rows};
