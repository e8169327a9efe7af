//! Broken and hostile servers, and the expected result of each consumer.
//!
//! There is one list, [`all`]. A row states what the server does, and the expected result of each
//! consumer: the client, a conformance run, and `nodectl`. The tests check the programs against it, and
//! the table in the docs is measured with it. For another program, add a
//! field for its result to [`Hostile`], and a [`Consumer`] that starts it.

pub(crate) mod certificates;
mod consumer;
mod expected;
pub mod front;
mod measure;
mod rows;
mod server;
mod table;

pub use certificates::Certificate;
pub(crate) use certificates::pem;
pub use consumer::{Consumer, Programs};
pub use expected::{Client, Conformance, Ended, Expected, Nodectl, Seen};
pub use measure::{Measured, measure, run_measured};
pub use rows::all;
pub use server::{Hostile, Running, Start};
pub use table::{FILE, Row, render, with_rows};
