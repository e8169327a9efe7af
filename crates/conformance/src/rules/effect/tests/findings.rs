//! The texts of findings.

use super::*;

#[test]
fn a_finding_says_how_a_balance_changed_and_what_was_paid() {
    let [paid, block] = PAID;
    let second = [Submit("2", &["a"], true), Block(3, "e", &["2"])];
    let of = |rows: &[Row], has: i64| [&[START, Holds("a", 50)], rows, &[Holds("a", has)]].concat();
    let two = [&[paid, block][..], &second].concat();
    for (kind, rows, what, expected) in [
        (
            Fee,
            of(&[paid, block], 50),
            "did not change, and its accepted transaction costs 10",
            "40",
        ),
        (
            Fee,
            of(&[paid, block], 51),
            "went up by 1, and its accepted transaction costs 10",
            "40",
        ),
        (
            Fee,
            of(&two, 45),
            "went down by 5, and its 2 accepted transactions cost 20; it was right at 50, before …1 pays a fee of 10, …2 pays a fee of 10",
            "30",
        ),
        (
            Refusal,
            of(&[REFUSED], 40),
            "went down by 10, and no transaction of it was accepted and is in a block",
            "50",
        ),
        (
            Others,
            vec![START, Holds("c", 7), paid, block, Holds("c", 6)],
            "went down by 1, and it signed nothing",
            "7",
        ),
        // All of it was paid, and something is left.
        (
            Fee,
            vec![START, Holds("a", 10), paid, block, Holds("a", 3)],
            "went down by 7, and its accepted transaction costs 10",
            "0",
        ),
        (
            Fee,
            vec![START, Holds("a", 9), paid, block, Holds("a", 0)],
            "went down by 9, and its accepted transaction costs 10",
            "one of these is refused, because the wallet can't pay all of them",
        ),
        (
            Others,
            vec![
                START,
                Holds("a", 50),
                Holds("c", 7),
                Sends("1", "c", 4.0),
                Sends("2", "c", 8.0),
                Block(2, "e", &["1", "2"]),
                Holds("c", 15),
            ],
            "went up by 8, and it received 12, and its accepted transactions cost 0; it was right at 7, before …1 brings 4 from 0xaaaaaaaa…, …2 brings 8 from 0xaaaaaaaa…",
            "19",
        ),
    ] {
        let history = history(&rows);
        let found = &effect(&history, kind).findings[0];
        let has = |name| format!("the T of the wallet {} {what}", wallet(name));
        assert!([has("a"), has("c")].contains(&found.what), "{}", found.what);
        let actual = match rows.last() {
            Some(Holds(_, amount)) => amount.to_string(),
            _ => String::new(),
        };
        assert_eq!([&*found.expected, &*found.actual], [expected, &*actual]);
    }
}

#[test]
fn a_finding_names_the_only_fee_that_explains_it() {
    for (has, reason) in [
        (67, ", as if the fee 13 of 2 was not taken"),
        (41, ", as if the fee 13 of 2 was taken twice"),
        // Several fees are as high.
        (65, ", as if a fee of 11 was not taken"),
        (60, ""),
    ] {
        let rows = [
            START,
            Holds("a", 100),
            Pays("1", 11.0),
            Pays("2", 13.0),
            Pays("3", 11.0),
            Pays("4", 11.0),
            Block(2, "e", &["1", "2", "3", "4"]),
            Holds("a", has),
        ];
        let found = &effect(&history(&rows), Fee).findings[0];
        let what = format!(
            "its 4 accepted transactions cost 46{reason}; it was right at 100, before …1 pays a fee of 11, …2 pays"
        );
        assert!(found.what.contains(&what), "{}", found.what);
    }
}

/// The response was lost, and the request was sent once more.
#[test]
fn a_refused_code_in_other_letters_than_one_in_a_block_costs_nothing() {
    use crate::history::{exchange as received, history_of};

    let refused = Submit("ABC", &["a"], false);
    let rows = [
        START,
        Holds("a", 50),
        Submit("abc", &["a"], true),
        Block(2, "e", &["abc"]),
        refused,
        Block(3, "e", &[]),
        Holds("a", 40),
    ];
    let exchanges = rows.map(|row| {
        let (request, body) = exchange(row);
        let mut received = received(request, 200, Some("application/json"), &body);
        received.is_repeated = matches!(row, Submit(_, _, false));
        received
    });
    let history = history_of((1..).map(|at| 10 * at).zip(exchanges).collect());
    assert!(effect(&history, Fee).has_no_findings());
}
