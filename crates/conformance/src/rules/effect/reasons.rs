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

    /// Lists the latest transactions that concern some balances, each with what it sends and its fee.
    pub(super) fn listed(&self, pairs: &[&Pair], at: &Reading<'_>) -> String {
        let until = |one: &&Accepted| one.settled.is_some_and(|moment| moment <= at.entry.began);
        let concerned = self.accepted.iter().filter(until);
        let concerned = concerned.filter(|one| pairs.iter().any(|pair| one.concerns(pair)));
        let start = |text: &str| shown(text.get(..10).unwrap_or(text), 10);
        // The codes that a run makes begin alike.
        let end = |code: &str| {
            let start = code.len().saturating_sub(10);
            shown(code.get(start..).unwrap_or(code), 10)
        };
        let all: Vec<_> = concerned
            .map(|one| {
                let sent = one.transfer.as_ref();
                let sent = sent.filter(|sent| pairs.iter().any(|pair| pair.1 == sent.token));
                let sent =
                    sent.map(|sent| format!("sends {} to {}… for", sent.amount, start(&sent.to)));
                let what = sent.unwrap_or_else(|| "pays".to_owned());
                format!("…{} {what} a fee of {}", end(&one.code), one.fee)
            })
            .collect();
        if all.is_empty() {
            return String::new();
        }
        let more = match all.len().saturating_sub(MOST_LISTED) {
            0 => String::new(),
            more => format!("{more} others, "),
        };
        let last = all.iter().rev().take(MOST_LISTED).rev();
        let last: Vec<_> = last.map(String::as_str).collect();
        format!(" ({more}{})", last.join(", "))
    }
}
