//! What findings about balances say of the transactions behind them.

use nodeproof_primitives::escape::escaped_up_to as shown;

use super::{super::readings::Reading, BaseOf, accepted::Accepted, money::Money};
use crate::api::Pair;

/// Maximum number of transactions that a finding lists.
const MOST_LISTED: usize = 4;

impl Money<'_> {
    /// Names the only transaction whose fee explains that some balances are lower by this much: if it was not taken, or
    /// taken twice.
    pub(super) fn only_reason(
        &self,
        pairs: &[&Pair],
        reading: &Reading<'_>,
        base_of: BaseOf<'_>,
        lower: i128,
    ) -> String {
        let pays = |one: &&Accepted| pairs.iter().any(|pair| one.fee_of(pair) != 0);
        let paid: Vec<_> = self.in_blocks().filter(pays).collect();
        let reasons = paid.iter().flat_map(|one| {
            let explains = |lower| self.explains(pairs, reading, (base_of, true), lower);
            let not_taken = explains(lower.saturating_add(one.fee)).then_some("was not taken");
            let twice = explains(lower.saturating_sub(one.fee)).then_some("was taken twice");
            let how = not_taken.into_iter().chain(twice);
            how.map(|how| {
                format!(
                    ", as if the fee {} of {} {how}",
                    one.fee,
                    shown(&one.code, 60)
                )
            })
        });
        let mut left_out = self.accepted.iter();
        let left_out = left_out.find(|one| {
            let without = lower.saturating_sub(one.fee);
            one.is_left_out && pays(one) && self.explains(pairs, reading, (base_of, true), without)
        });
        let mut reasons = reasons.take(2);
        match (left_out, reasons.next(), reasons.next()) {
            (Some(one), ..) => format!(
                ", as if the fee {} of {} was taken, which is in no block",
                one.fee,
                shown(&one.code, 60)
            ),
            (_, Some(only), None) if paid.len() > 1 => only,
            _ => String::new(),
        }
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
