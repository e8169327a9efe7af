//! What a run sends only so that rules can judge the responses.

mod agreement;
mod balances;
mod calls;
mod height;
mod probes;
mod records;
mod repeat;
mod similar;

pub(crate) use agreement::confirm_balances;
pub(crate) use balances::{observe_balances, observe_settled_balances};
pub(crate) use height::Height;
pub(crate) use probes::send_probes;
pub(crate) use records::{AT_A_TIME, read_with_new_blocks, request_record};
pub(crate) use repeat::{repeat_blocks, repeat_older_blocks, repeat_stored, repeat_values};
pub(crate) use similar::{OTHER_COLUMN, cut_short};

use crate::{api::Sample, context::Samples};

/// Requests that only a rule needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Script {
    /// Requests to the endpoint of a sample, about something similar to what the node has.
    Similar(Sample),
    /// Contract calls with values of each kind.
    Calls,
    /// Single balances, of wallets and tokens in the lists.
    Balances,
}

impl Script {
    /// Sends the requests.
    pub(crate) async fn send(self, context: &Samples) {
        match self {
            Self::Similar(sample) => similar::request_similar(context, sample).await,
            Self::Calls => calls::build_calls(context).await,
            Self::Balances => agreement::request_balances(context).await,
        }
    }
}
