//! A transaction that the node accepted, and what it costs.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use serde_json::{Number, Value};

use crate::{
    api::{Pair, Transaction, is_address},
    history::Entry,
    http::Request,
};

/// No amount or fee is higher. Sums of many are exact enough, and do not overflow.
pub(super) const MOST_AMOUNT: f64 = 1e30;

/// A transaction that the node accepted.
#[derive(Default)]
pub(super) struct Accepted {
    pub(super) code: String,
    pub(super) payers: BTreeSet<String>,
    pub(super) token: String,
    /// The fee, rounded down, and what it costs more if it is rounded up.
    pub(super) fee: i128,
    pub(super) rounding: i128,
    pub(super) asset: Option<String>,
    /// The first signer, who is the verifier of a claim.
    pub(super) first: Option<String>,
    /// The contract of a claim without anything by which a contract may refuse it, except an earlier claim.
    pub(super) claims_in: Option<String>,
    pub(super) transfer: Option<Transfer>,
    pub(super) began: Duration,
    /// The index of the first block that has it.
    pub(super) block: Option<u64>,
    /// Its place among the transactions of that block.
    pub(super) place: Option<usize>,
    /// The index of the first block that lists it as failed.
    pub(super) failed_in: Option<u64>,
    /// When it was known to be in a block.
    pub(super) settled: Option<Duration>,
    /// Whether no block has it, although a transaction that was submitted later is in one.
    pub(super) is_left_out: bool,
    /// Whether it may have failed when its block was made: it is not known to have had an effect, and a payer had too
    /// little for all that is in blocks.
    pub(super) may_have_failed: bool,
    /// When the second block after the one that contains it had been read. It must have been paid by then.
    pub(super) is_past: Option<Duration>,
}

impl Accepted {
    pub(super) fn of(submission: &Value, entry: &Entry) -> Option<Self> {
        let transaction = Transaction::of(submission)?;
        let owned = |text: &str| text.to_owned();
        let signers: Vec<_> = transaction.signers().map(owned).collect();
        let fee = transaction.fee();
        // Below 2^53, this is exact.
        let decimal = fee
            .as_f64()
            .filter(|decimal| fee.as_i64().is_none() && decimal.abs() < MOST_AMOUNT);
        let payers = BTreeSet::from_iter(signers.clone());
        let is_plain =
            payers.len() == signers.len() && is_plain_claim(transaction, &entry.exchange.request);
        Some(Self {
            code: transaction.code().map(owned)?,
            payers,
            token: transaction.currency().map(owned)?,
            fee: match fee.as_i64() {
                Some(fee) => fee.into(),
                None => decimal?.floor() as i128,
            },
            rounding: decimal.is_some_and(|fee| fee.fract() != 0.0).into(),
            asset: transaction.asset().map(owned),
            first: signers.first().cloned(),
            claims_in: transaction.contract().map(owned).filter(|_| is_plain),
            transfer: Transfer::of(transaction, &entry.exchange.request),
            began: entry.began,
            // The blocks show the rest later.
            ..Self::default()
        })
    }

    /// Whether it pays a fee from a balance, or is a transfer from or to it.
    pub(super) fn concerns(&self, pair: &Pair) -> bool {
        self.fee_of(pair) != 0 || self.moved_from(pair) != 0
    }

    /// Whether it is a transfer to a wallet.
    pub(super) fn is_to(&self, wallet: &str) -> bool {
        self.transfer.as_ref().is_some_and(|one| one.to == wallet)
    }

    /// Returns the balances from which it takes something.
    pub(super) fn paying(&self) -> impl Iterator<Item = Pair> {
        let fee = self
            .payers
            .iter()
            .map(|payer| (payer.clone(), self.token.clone()));
        let sent = self.transfer.as_ref();
        fee.chain(sent.map(|one| (one.from.clone(), one.token.clone())))
    }

    /// Returns the balances that it changes, by token.
    pub(super) fn balances(&self) -> impl Iterator<Item = BTreeSet<Pair>> {
        let received = self.transfer.as_ref().and_then(Transfer::receiver);
        let mut all = BTreeMap::<_, BTreeSet<_>>::new();
        for (wallet, token) in self.paying().chain(received) {
            all.entry(token.clone())
                .or_default()
                .insert((wallet, token));
        }
        all.into_values()
    }

    pub(super) fn fee_of(&self, (wallet, token): &Pair) -> i128 {
        let pays = self.token == *token && self.payers.contains(wallet);
        if pays { self.fee } else { 0 }
    }

    /// Returns what it moves away from a balance. That is negative if the wallet receives it.
    pub(super) fn moved_from(&self, (wallet, token): &Pair) -> i128 {
        let transfer = self.transfer.as_ref().filter(|one| one.token == *token);
        transfer.map_or(0, |one| {
            let amount_if = |is_it| if is_it { one.amount } else { 0 };
            amount_if(one.from == *wallet) - amount_if(one.to == *wallet)
        })
    }

    /// Returns what it sends from a balance.
    pub(super) fn sent_by(&self, (wallet, token): &Pair) -> i128 {
        let transfer = self.transfer.as_ref();
        let sent = transfer.filter(|one| one.from == *wallet && one.token == *token);
        sent.map_or(0, |one| one.amount)
    }

    /// Returns what some balances receive of it.
    pub(super) fn received_by(&self, pairs: &[&Pair]) -> i128 {
        let received = pairs.iter().map(|pair| (-self.moved_from(pair)).max(0));
        received.sum()
    }

    /// Returns what it takes from some balances together. The fee is taken once.
    pub(super) fn cost_to(&self, pairs: &[&Pair]) -> i128 {
        let moved: i128 = pairs.iter().map(|pair| self.moved_from(pair)).sum();
        let pays = pairs.iter().any(|pair| self.fee_of(pair) != 0);
        moved + if pays { self.fee } else { 0 }
    }

    /// Whether the first block that has it lists it as failed.
    pub(super) fn has_failed(&self) -> bool {
        self.failed_in.is_some() && self.failed_in == self.block
    }

    /// Whether what it transfers has been moved for sure.
    pub(super) const fn has_moved(&self) -> bool {
        self.settled.is_some() && !self.may_have_failed
    }

    /// Returns the most that others receive of a token, without a transfer that has been moved.
    pub(super) fn paid_in(&self, token: &str) -> i128 {
        let fee = if self.token == token { self.most() } else { 0 };
        let transfer = self.transfer.as_ref().filter(|_| !self.has_moved());
        let transfer = transfer.filter(|one| one.token == token && one.from != one.to);
        fee + transfer.map_or(0, |one| one.amount)
    }

    /// Returns what it sends to a malformed receiver: a node may take that, and then nobody holds it.
    pub(super) fn burned_of(&self, token: &str) -> i128 {
        let transfer = self.transfer.as_ref();
        let to_nobody = transfer.filter(|one| one.token == token && !is_address(&one.to));
        to_nobody.map_or(0, |one| one.amount)
    }

    /// Returns how many units of a token may be lost, or gained, because it pays or sends a part of one.
    pub(super) fn rounded_of(&self, token: &str) -> i128 {
        let transfer = self.transfer.as_ref().filter(|one| one.token == token);
        let sends_part = transfer.is_some_and(|one| one.fraction != 0.0);
        let fee = if self.token == token {
            self.rounding
        } else {
            0
        };
        fee + i128::from(sends_part)
    }

    /// Returns the most that the signers pay together: each part of the fee may be rounded up.
    pub(super) fn most(&self) -> i128 {
        let payers = (self.payers.len() as i128).max(1);
        (self.fee + self.rounding + payers - 1) / payers * payers
    }
}

/// Whether a transaction is a claim with the documented params, in the name of its first signer, and the signers pay.
fn is_plain_claim(transaction: Transaction<'_>, request: &Request) -> bool {
    let params = &transaction.call()["params"];
    let is_integer = |name: &&str| params[*name].is_i64();
    transaction.call()["function"] == "add_verification"
        && params.as_object().is_some_and(|params| params.len() == 8)
        && ["outcome", "deletable_after"].iter().all(is_integer)
        && transaction.signers().next() == transaction.param("verifier_address")
        && transaction.0.get("fee_payer").is_none()
        && request.unlike_signed.is_none()
        && request.wrongly_signed.is_none()
}

/// A transfer of tokens.
pub(super) struct Transfer {
    pub(super) contract: String,
    pub(super) from: String,
    pub(super) to: String,
    /// Whether the receiver is written as the specification says. A node may take capitals for the same wallet.
    pub(super) is_receiver_usual: bool,
    pub(super) token: String,
    pub(super) amount: i128,
    /// The part of a unit that it sends, too.
    pub(super) fraction: f64,
}

/// The largest power of ten by which a node may count an amount in other units than a balance.
pub(super) const MAX_DECIMALS: u32 = 18;

impl Transfer {
    /// Returns the transfer that a call is. The first signer pays.
    fn of(transaction: Transaction<'_>, request: &Request) -> Option<Self> {
        if !transaction.is_transfer() {
            return None;
        }
        let amount = &transaction.call()["params"]["amount_to_send"];
        // Nobody can send less than nothing.
        let (amount, fraction) = match amount.as_number().and_then(Number::as_i128) {
            Some(whole) if whole == u64::MAX.into() => {
                (whole_amount(request).unwrap_or(whole), 0.0)
            }
            Some(whole) => (whole.max(0), 0.0),
            None => {
                let decimal = amount.as_f64()?.clamp(0.0, MOST_AMOUNT);
                (decimal.floor() as i128, decimal.fract())
            }
        };
        let receiver = transaction.param("receiver")?;
        let to = match receiver.strip_prefix("0x") {
            Some(digits) => format!("0x{}", digits.to_ascii_lowercase()),
            None => receiver.to_owned(),
        };
        Some(Self {
            contract: transaction.contract().unwrap_or_default().to_owned(),
            from: transaction.signers().next()?.to_owned(),
            is_receiver_usual: to == receiver,
            to,
            token: transaction.param("asset_code")?.to_owned(),
            amount,
            fraction,
        })
    }

    /// Returns the balance that it adds to, unless it is to the wallet itself.
    pub(super) fn receiver(&self) -> Option<Pair> {
        (self.to != self.from).then(|| (self.to.clone(), self.token.clone()))
    }

    /// Returns what it moves if a node counts balances in this power of ten of the unit. A node whose units are whole may
    /// round up or down.
    pub(super) fn in_units(&self, power: u32) -> Option<[i128; 2]> {
        let factor = 10_i128.checked_pow(power)?;
        let whole = self.amount.checked_mul(factor)?;
        let rest = self.fraction * factor as f64;
        Some([rest.floor(), rest.ceil()].map(|rest| whole + rest as i128))
    }
}

/// Returns the amount that the body of a request sends. A `Value` has no integer beyond 64 bits.
fn whole_amount(request: &Request) -> Option<i128> {
    let (_, rest) = request.body.as_deref()?.split_once("\"amount_to_send\":")?;
    let rest = rest.trim_start();
    let end = rest.find(|digit: char| !digit.is_ascii_digit())?;
    let amount: i128 = rest.get(..end)?.parse().ok()?;
    Some(amount.min(MOST_AMOUNT as i128))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::recorded;

    #[test]
    fn an_amount_beyond_64_bits_is_exact() {
        for (amount, expected) in [
            ("5", 5),
            ("-5", 0),
            ("18446744073709551615", (1 << 64) - 1),
            ("18446744073709551617", (1 << 64) + 1),
            (
                "99999999999999999999999999999999999999",
                MOST_AMOUNT as i128,
            ),
        ] {
            let text = format!(
                r#"{{"transaction":{{"trans_code":"1","currency":"T","fee":10,"specific_data":{{"function":"transfer",
                "signers":["a"],"params":{{"amount_to_send": {amount},"receiver":"b","asset_code":"T"}}}}}}}}"#
            );
            let request = Request::post("/submit-transaction", text);
            let history = recorded(vec![(0, request, 200, "{}")]);
            let entry = history.submissions().next().expect("a submission");
            let accepted = Accepted::of(&entry.submissions()[0], entry);
            let transfer = accepted.and_then(|one| one.transfer);
            assert_eq!(transfer.map(|one| one.amount), Some(expected), "{amount}");
        }
    }
}
