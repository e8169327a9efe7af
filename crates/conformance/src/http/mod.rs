//! The transport: sends requests to the node under test, within limits, and records each exchange.

mod access;
mod back_off;
mod busy_paths;
mod client;
mod exchange;
mod exchange_log;
mod exchange_recorder;
mod exchange_report;
mod failure;
mod in_process;
mod inconclusive_reason;
mod latencies;
mod limits;
mod pacing;
mod replay;
mod request_line;
mod request_log;
mod room;
mod step;
mod target;

pub(crate) use access::Access;
pub(crate) use back_off::BackOff;
pub(crate) use client::{Node, ResponseWithPermit, SendOptions};
pub use exchange::Method;
pub(crate) use exchange::{Delivery, Exchange, LIMIT_MESSAGE, MAX_DEPTH, Request, quoted};
pub(crate) use exchange_log::LoggedExchange;
pub(crate) use exchange_recorder::{beside_others, follow, record, recorded, shared};
pub(crate) use exchange_report::{indented, report_of};
pub(crate) use inconclusive_reason::InconclusiveReason;
pub(crate) use latencies::Latencies;
pub(crate) use limits::Limits;
pub(crate) use request_line::request_line;
pub(crate) use request_log::RequestLog;
pub(crate) use step::{Act, BatchStep, MissingStep, Step};
pub use target::Target;
