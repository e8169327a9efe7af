//! What refused transactions would have cost stays with their wallet.

use super::super::refused::is_clear_refusal;
use crate::{
    api::Transaction,
    checks::{Examination, Finding},
    history::{Entry, History},
    http::Step,
};

/// Checks that a wallet can still pay after some of its transactions were refused: it has paid the same before, and
/// holds enough.
pub(super) fn payable(history: &History) -> Examination {
    let [before, after] = [Step::Payable(0), Step::Payable(1)];
    let later = history.of_step(&after);
    let alone = later.filter(|entry| entry.exchange.request.path == "/submit-transaction");
    let later: Vec<_> = alone.collect();
    let Some(first) = later.first() else {
        return Examination::default();
    };
    let accepted: Vec<_> = history.accepted().collect();
    let is_of = |entry: &Entry, step| entry.exchange.request.step.as_ref() == Some(step);
    let Some((paid, _)) = accepted.iter().find(|(entry, _)| is_of(entry, &before)) else {
        return Examination::default();
    };
    let wallet = Transaction::first_signer(&first.exchange);
    // What it submitted in between and the node accepted may be pending.
    let is_pending = accepted.iter().any(|(entry, transaction)| {
        let is_between = (paid.ended..first.began).contains(&entry.began);
        let is_own = wallet.is_some_and(|wallet| transaction.has_signer(wallet));
        is_between && is_own && !is_of(entry, &before)
    });
    let can_pay = accepted.iter().any(|(entry, _)| is_of(entry, &after));
    let mut later = later.iter();
    let is_refused = later.all(|entry| {
        let is_busy = matches!(entry.exchange.status, 408 | 425 | 429);
        !is_busy && is_clear_refusal(&entry.exchange)
    });
    let finding = (is_refused && !can_pay && !is_pending).then(|| {
        let what = "a wallet that holds enough can't pay any more since other transactions of it were refused";
        let exchange = &first.exchange;
        let expected = "one of two transactions, each of which it can pay, is accepted";
        Finding::of_response(exchange, what, expected)
    });
    Examination::of(1, finding)
}

/// Checks that the order of the signatures, which nobody signs, does not decide who pays.
pub(super) fn in_any_order(history: &History) -> Examination {
    let mut accepted = history.accepted();
    let found = accepted.find(|(entry, _)| {
        let step = entry.exchange.request.step.as_ref();
        step == Some(&Step::Reordered)
    });
    let finding = found.map(|(entry, _)| {
        let what = "a transfer that its first signer can't pay is accepted once the signatures are in another order";
        let exchange = &entry.exchange;
        Finding::of_response(exchange, what, "a refusal, as before")
    });
    Examination::of(usize::from(finding.is_some()), finding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{history::recorded, http::Request};

    const YES: &str = r#"{"response":{"valid":true}}"#;
    const NO: &str = r#"{"response":{"valid":false}}"#;
    const BUSY: &str = r#"{"error":"too many"}"#;
    const ONE_OF_BATCH: &str =
        r#"{"response":{"accepted_transactions":["a"],"failed_transactions":["b"]}}"#;

    #[test]
    fn a_wallet_can_pay_after_refusals() {
        let own = |code: &str| {
            format!(
                r#"{{"transaction":{{"trans_code":"{code}","specific_data":{{"signers":["0x1"]}}}},"signatures":[]}}"#
            )
        };
        let alone = |code| Request::post("/submit-transaction", own(code));
        let batch = || {
            let body = format!("[{},{}]", own("a"), own("b"));
            Request::post("/submit-transaction-batch", body)
        };
        let [first, then] =
            [0, 1].map(|number| move |request: Request| request.for_step(Step::Payable(number)));
        for (earlier, between, later, found) in [
            ((alone("a"), YES), NO, [NO, NO], 1),
            ((batch(), ONE_OF_BATCH), NO, [NO, NO], 1),
            ((alone("a"), YES), NO, [NO, YES], 0),
            // It never could.
            ((alone("a"), NO), NO, [NO, NO], 0),
            // It has paid something else.
            ((alone("a"), YES), YES, [NO, NO], 0),
            // That is not a refusal.
            ((alone("a"), YES), NO, [NO, "{}"], 0),
            ((alone("a"), YES), NO, [NO, BUSY], 0),
        ] {
            let (request, response) = earlier;
            let [third, fourth] = later.map(|body| {
                if body == BUSY {
                    (429, body)
                } else {
                    (200, body)
                }
            });
            let rows = vec![
                (10, first(request), 200, response),
                (20, alone("c"), 200, between),
                (30, then(alone("d")), third.0, third.1),
                (40, then(alone("e")), fourth.0, fourth.1),
            ];
            let result = payable(&recorded(rows));
            assert_eq!(
                result.findings.len(),
                found,
                "{response} {between} {later:?}"
            );
        }
    }

    #[test]
    fn the_order_of_signatures_does_not_decide_who_pays() {
        let body = r#"{"transaction":{"trans_code":"a"},"signatures":[]}"#;
        let submit = || Request::post("/submit-transaction", body.to_owned());
        for (then, found) in [(NO, 0), (YES, 1)] {
            let reordered = submit().for_step(Step::Reordered);
            let rows = vec![(10, submit(), 200, NO), (20, reordered, 200, then)];
            assert_eq!(in_any_order(&recorded(rows)).findings.len(), found);
        }
    }
}
