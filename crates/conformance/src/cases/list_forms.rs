//! `GET /get-balances`: the form of lists of balances.

use std::sync::Arc;

use nodeproof_primitives::{Integer, escape::escaped_up_to as shown};
use nodeproof_report::{Aspect, Level};
use serde_json::Value;

use super::{
    case::{Case, Example},
    cause::Cause,
    check::Check::{self, Objects},
    get_balances::{BASE, HOLDERS, NO_LISTS, carried},
};
use crate::{
    api::{Sample, listed_amounts},
    checks::{Examination, Finding, NOTHING_EXAMINED, ObjectCheck},
    http::Exchange,
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
        explained_by: &[NO_LISTS, Cause::of(&["get-balances/agree"])],
        check: of_lists(lists_carry_balances),
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
        explained_by: &[NO_LISTS],
        check: of_lists(list_amounts),
        ..BASE
    },
];

const fn of_lists(check: ObjectCheck) -> Check {
    let lists = &[Sample::WalletBalances, Sample::TokenHolders];
    Objects(lists, check, NOTHING_EXAMINED)
}

/// Checks that a list carries something. The specification does not show its shape.
fn lists_carry_balances(exchange: &Arc<Exchange>, body: &Value, checked: &mut Examination) {
    checked.count_item();
    if carried(body).is_none_or(|(_, value)| value.is_null()) {
        let what = "the response has no balances";
        let expected = "an object that carries the balances in `balance` (or `value`)";
        checked.push(Finding::of_body(exchange, what, expected).at(""));
    }
}

fn list_amounts(exchange: &Arc<Exchange>, _: &Value, checked: &mut Examination) {
    for (place, amount) in listed_amounts(exchange).into_iter().flatten() {
        checked.count_item();
        if amount.decode::<Option<Integer>>().is_err() {
            let what = "a balance in a list is not an integer";
            let actual = shown(amount.as_str(), 160);
            checked.push(Finding::new(exchange, what, "an integer", actual).at(place));
            break;
        }
    }
}
