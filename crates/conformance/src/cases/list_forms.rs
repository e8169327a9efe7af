//! `GET /get-balances`: the form of lists of balances.

use nodeproof_primitives::{Integer, escape::escaped_up_to as shown};
use nodeproof_report::{Aspect, Level};

use super::{
    case::{Case, Example},
    check::Check::Own,
    get_balances::{BASE, HOLDERS, NO_BALANCES, NO_LISTS, carried},
};
use crate::{
    api::{Sample, listed_amounts},
    checks::{Checked, Finding, Findings, objects},
    context::Context,
};

pub(crate) const CASES: &[Case] = &[
    Case {
        id: "get-balances/lists-carry-balances",
        level: Level::Should,
        requirements: &["BALANCE-5", "BALANCE-8"],
        checks: "The responses with lists have `balance` or `value`, and it is not null.",
        example: Example::None,
        aspect: Aspect::Shape,
        sends: &[HOLDERS],
        explained_by: &[NO_BALANCES, NO_LISTS],
        check: Own(|c| Box::pin(lists_carry_balances(c))),
        ..BASE
    },
    Case {
        id: "get-balances/list-amounts",
        level: Level::Should,
        requirements: &["BALANCE-5", "BALANCE-8"],
        checks: "Each `balance` in an entry of a list is an integer, as a single balance is.",
        example: Example::None,
        aspect: Aspect::Shape,
        sends: &[HOLDERS],
        explained_by: &[NO_BALANCES, NO_LISTS],
        check: Own(|c| Box::pin(list_amounts(c))),
        ..BASE
    },
];

/// Checks that a list carries something. The specification does not show its shape.
async fn lists_carry_balances(context: &Context) -> Findings {
    let mut findings = Checked::default();
    for sample in [Sample::WalletBalances, Sample::TokenHolders] {
        for exchange in objects(context, sample).await? {
            let Some(body) = exchange.success_object() else {
                continue;
            };
            findings.count_item();
            if carried(body).is_none_or(|(_, value)| value.is_null()) {
                let expected = "an object that carries the balances in `balance` (or `value`)";
                findings.push(
                    Finding::new(
                        &exchange,
                        "the response has no balances",
                        expected,
                        exchange.excerpt(160),
                    )
                    .at(""),
                );
            }
        }
    }
    Ok(findings)
}

async fn list_amounts(context: &Context) -> Findings {
    let mut checked = Checked::default();
    for sample in [Sample::WalletBalances, Sample::TokenHolders] {
        for exchange in objects(context, sample).await? {
            let Some(amounts) = listed_amounts(&exchange) else {
                continue;
            };
            for (place, amount) in amounts {
                checked.count_item();
                if amount.decode::<Option<Integer>>().is_err() {
                    let what = "a balance in a list is not an integer";
                    let actual = shown(amount.as_str(), 160);
                    checked.push(Finding::new(&exchange, what, "an integer", actual).at(place));
                    break;
                }
            }
        }
    }
    Ok(checked)
}
