//! What findings about balances say of the transactions behind them.

use nodeproof_primitives::escape::escaped_up_to as shown;

use super::{super::readings::Reading, accepted::Accepted, money::Money};
use crate::api::Pair;

/// Maximum number of transactions that a finding lists.
const MOST_LISTED: usize = 4;

impl Money<'_> {
    /// Names the transaction, or only the fee of several, whose fee is what some balances are lower by than their transactions cost, or what they are
    /// higher by.
    pub(super) fn only_reason(&self, pairs: &[&Pair], cost: i128, lower: i128) -> String {
        let more = lower.saturating_sub(cost);
        let pays = |one: &&Accepted| pairs.iter().any(|pair| one.fee_of(pair) != 0);
        let explains = |one: &&Accepted| one.fee == more.saturating_abs();
        let is_left_out = |one: &&Accepted| more > 0 && one.is_left_out;
        let mut left_out = self.accepted.iter().filter(pays).filter(explains);
        let mut in_blocks = self.in_blocks().filter(pays).filter(explains);
        let how = match more {
            ..0 => "was not taken",
            _ => "was taken twice",
        };
        let next = (
            left_out.find(is_left_out),
            in_blocks.next(),
            in_blocks.next(),
        );
        let (one, how) = match next {
            (Some(one), ..) => (one, "was taken, which is in no block"),
            (_, Some(one), Some(_)) => return format!(", as if a fee of {} {how}", one.fee),
            (_, Some(only), None) if self.in_blocks().filter(pays).count() > 1 => (only, how),
            _ => return String::new(),
        };
        let code = shown(&one.code, 60);
        format!(", as if the fee {} of {code} {how}", one.fee)
    }

    /// Lists the latest transactions that concern some balances, each with what it moves and its fee. If an earlier reading was
    /// right, these are the first ones after it.
    pub(super) fn listed(
        &self,
        pairs: &[&Pair],
        right: Option<&Reading<'_>>,
        at: &Reading<'_>,
    ) -> String {
        let until = |one: &&Accepted| one.settled.is_some_and(|moment| moment <= at.entry.began);
        let since = |one: &&Accepted| {
            right.is_none_or(|right| one.settled.is_some_and(|moment| moment > right.entry.began))
        };
        let concerned = self.accepted.iter().filter(until).filter(since);
        let concerned = concerned.filter(|one| pairs.iter().any(|pair| one.concerns(pair)));
        let all: Vec<_> = concerned.map(|one| described(one, pairs)).collect();
        let more = match all.len().saturating_sub(MOST_LISTED) {
            _ if all.is_empty() => return String::new(),
            0 => String::new(),
            more => format!(", {more} more"),
        };
        match right {
            Some(right) => {
                let first = all[..all.len().min(MOST_LISTED)].join(", ");
                format!("; it was right at {}, before {first}{more}", right.amount)
            }
            None => {
                let last = all[all.len().saturating_sub(MOST_LISTED)..].join(", ");
                format!(" ({last}{more})")
            }
        }
    }
}

/// Says what a transaction moves of some balances, and its fee if they pay it.
fn described(one: &Accepted, pairs: &[&Pair]) -> String {
    let start = |text: &str| shown(text.get(..10).unwrap_or(text), 10);
    // The codes that a run makes begin alike.
    let code = &one.code;
    let end = shown(
        code.get(code.len().saturating_sub(10)..).unwrap_or(code),
        10,
    );
    let is_of = |wallet: &str| pairs.iter().any(|pair| pair.0 == wallet);
    let sent = one.transfer.as_ref();
    let sent = sent.filter(|sent| pairs.iter().any(|pair| pair.1 == sent.token));
    let what = match sent {
        Some(sent) if !is_of(&sent.from) => {
            return format!("…{end} brings {} from {}…", sent.amount, start(&sent.from));
        }
        Some(sent) => format!("sends {} to {}… for", sent.amount, start(&sent.to)),
        None => "pays".to_owned(),
    };
    format!("…{end} {what} a fee of {}", one.fee)
}
