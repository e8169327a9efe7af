//! Transfers, and wallets that spend more than they have.

use super::*;

/// Wallet a sends tokens to wallet b, which then has two transactions in a block. Wallet b ends with this balance.
fn overspent(left: i64) -> Vec<Row> {
    vec![
        START,
        Holds("a", 100),
        Holds("b", 0),
        Sends("1", "b", 15.0),
        Block(2, "e", &["1"]),
        Holds("b", 15),
        Submit("2", &["b"], true),
        Submit("3", &["b"], true),
        Block(3, "e", &["2", "3"]),
        Holds("a", 75),
        Holds("b", left),
    ]
}

#[test]
fn a_transfer_moves_its_amount_once() {
    let of = |to: &'static str, has: [i64; 2]| {
        vec![
            START,
            Holds("a", 1000),
            Holds("b", 0),
            Sends("1", to, 15.0),
            Block(2, "e", &["1"]),
            Holds("a", has[0]),
            Holds("b", has[1]),
        ]
    };
    let stolen = |has| {
        let mut rows = of("b", [has, 0]);
        rows[3] = Sends("1", "b", -15.0);
        rows
    };
    let sends = |has| of("b", has);
    let to_itself = |has| of("a", [has, 0]);
    for (what, rows, found) in [
        ("it moves the amount", sends([975, 15]), &[][..]),
        ("it moves nothing", sends([990, 0]), &[]),
        ("it fails, and takes nothing", sends([1000, 0]), &[Fee]),
        ("the node counts in tenths", sends([840, 150]), &[]),
        ("nobody receives it", sends([975, 0]), &[Fee]),
        ("it is received, and not taken", sends([990, 15]), &[Fee]),
        ("it is received twice", sends([975, 30]), &[Others]),
        ("half is received", sends([975, 7]), &[Others]),
        ("it is to the wallet itself", to_itself(990), &[]),
        ("it creates its amount", to_itself(1005), &[Fee]),
        ("it destroys its amount", to_itself(975), &[Fee]),
        ("it costs nothing", to_itself(1000), &[Fee]),
        ("less than nothing moves nothing", stolen(990), &[]),
        ("less than nothing is taken", stolen(1005), &[Fee]),
    ] {
        assert_eq!(judged(&rows), (found.to_vec(), false), "{what}");
    }
}

#[test]
fn what_others_take_from_a_receiver_hides_what_it_received() {
    for (block, found) in [(Transfer(3, "b"), vec![]), (Transfer(3, "c"), vec![Fee])] {
        let rows = [
            START,
            Holds("a", 1000),
            Holds("b", 0),
            Sends("1", "b", 15.0),
            Block(2, "e", &["1"]),
            block,
            Holds("a", 975),
            Holds("b", 0),
        ];
        assert_eq!(judged(&rows).0, found, "{block:?}");
    }
}

/// Wallet c receives the fees, and then a transfer.
#[test]
fn a_wallet_that_receives_fees_may_gain_more_than_what_is_sent_to_it() {
    for (fee, found) in [(10, vec![]), (0, vec![Others])] {
        let rows = [
            START,
            Holds("a", 100),
            Holds("c", 0),
            Submit("1", &["a"], true),
            Block(2, "e", &["1"]),
            Holds("c", fee),
            Sends("2", "c", 5.0),
            Block(3, "e", &["2"]),
            Holds("a", 75),
            Holds("c", 25),
        ];
        assert_eq!(judged(&rows).0, found, "{fee}");
    }
}

#[test]
fn a_balance_may_be_shown_as_it_was_a_block_ago() {
    for (block, found) in [(Transfer(1, "c"), vec![]), (Transfer(1, "b"), vec![Others])] {
        let rows = [
            block,
            Holds("a", 100),
            Holds("c", 20),
            Submit("1", &["a"], true),
            Block(2, "e", &["1"]),
            Holds("a", 90),
            Holds("c", 15),
        ];
        assert_eq!(judged(&rows).0, found, "{block:?}");
    }
}

/// Wallet b receives 25, and sends 5 twice to wallet c in one block, for a fee of 10 each. Then it receives 100, and sends 7.
#[test]
fn what_is_received_later_pays_nothing() {
    for (what, [b, c], found) in [
        ("one of the two costs nothing", [93, 12], &[][..]),
        ("one of the two costs its fee", [83, 12], &[]),
        ("both are made", [78, 17], &[]),
        ("the last one moves nothing", [100, 5], &[Fee, Others]),
        ("the last one costs nothing", [110, 5], &[Fee, Others]),
    ] {
        let sends = |code, amount| SendsFrom(code, &["b"], "c", amount);
        let rows = [
            START,
            Holds("a", 1000),
            Holds("b", 0),
            Holds("c", 0),
            Sends("1", "b", 25.0),
            Block(2, "e", &["1"]),
            Holds("b", 25),
            sends("2", 5.0),
            sends("3", 5.0),
            Block(3, "e", &["2", "3"]),
            Sends("4", "b", 100.0),
            Block(4, "e", &["4"]),
            sends("5", 7.0),
            Block(5, "e", &["5"]),
            Holds("a", 855),
            Holds("b", b),
            Holds("c", c),
        ];
        assert_eq!(judged(&rows), (found.to_vec(), false), "{what}");
    }
}

#[test]
fn balances_from_before_a_transfer_and_after_it_are_not_added_up() {
    let rows = |read_again| {
        vec![
            START,
            Holds("a", 1000),
            Holds("b", 100),
            Sends("1", "b", 15.0),
            // It stays pending.
            SendsFrom("2", &["b"], "a", 5.0),
            Holds("a", 1000),
            Block(2, "e", &["1"]),
            Holds("b", 115),
            read_again,
        ]
    };
    assert_eq!(judged(&rows(Holds("c", 0))), (vec![], false));
    assert_eq!(judged(&rows(Holds("a", 975))), (vec![], false));
    assert_eq!(judged(&rows(Holds("a", 990))), (vec![Fee], false));
}

/// Wallet a sends these amounts to wallet b in one block, and then they have these balances.
fn received(amounts: &[f64], [a, b]: [i64; 2]) -> Vec<Row> {
    let codes: [&str; 2] = ["1", "2"];
    let sent = codes.iter().zip(amounts);
    let mut rows = vec![START, Holds("a", 1000), Holds("b", 0)];
    rows.extend(sent.map(|(code, amount)| Sends(code, "b", *amount)));
    let block: &[&str] = if amounts.len() == 2 {
        &["1", "2"]
    } else {
        &["1"]
    };
    rows.extend([Block(2, "e", block), Holds("a", a), Holds("b", b)]);
    rows
}

#[test]
fn transfers_of_one_block_all_count() {
    for (what, balances, found) in [
        ("both count", [955, 25], &[][..]),
        ("both fail", [980, 0], &[]),
        ("the node counts in tenths", [730, 250], &[]),
        ("only the last one stays", [955, 10], &[Others]),
        ("only the first one stays", [955, 15], &[Others]),
        ("one is received twice", [955, 40], &[Others]),
        ("one is taken twice", [940, 25], &[Fee]),
    ] {
        let rows = received(&[15.0, 10.0], balances);
        assert_eq!(judged(&rows), (found.to_vec(), false), "{what}");
    }
}

#[test]
fn a_part_of_a_unit_is_not_created() {
    for (what, balances, found) in [
        ("it is rounded down", [989, 1], &[][..]),
        ("it is rounded up", [988, 2], &[]),
        ("the node counts in tenths", [975, 15], &[]),
        ("it fails", [990, 0], &[]),
        ("it is rounded in favour of both", [989, 2], &[Fee]),
        ("a unit is lost", [988, 1], &[Fee]),
        ("twice as much is received", [989, 3], &[Others]),
    ] {
        let rows = received(&[1.5], balances);
        assert_eq!(judged(&rows), (found.to_vec(), false), "{what}");
    }
}

#[test]
fn a_wallet_spends_no_more_than_it_has() {
    let executed_once = || {
        let mut rows = overspent(5);
        rows[8] = Block(3, "e", &["3"]);
        rows
    };
    let with_records = |left, records: &[Row]| [&overspent(left), records].concat();
    let both = [Record("2"), Record("3")];
    for (what, rows, found) in [
        ("one of two is executed", executed_once(), &[][..]),
        ("the rest is taken as 0", overspent(0), &[Fee]),
        ("the balance is below 0", overspent(-5), &[Created]),
        ("one of two fails", with_records(5, &both[1..]), &[]),
        (
            "only one is paid, and both have records",
            with_records(5, &both),
            &[Fee],
        ),
        ("none is paid", with_records(15, &both[1..]), &[Fee]),
    ] {
        assert_eq!(judged(&rows), (found.to_vec(), false), "{what}");
    }
}

/// Wallet b receives 25, and sends 5 twice to wallet c in one block, for a fee of 10 each. Then they have this.
#[test]
fn a_transfer_that_fails_in_its_block_moves_nothing() {
    for (what, [b, c], found) in [
        (
            "one is executed, and the other one costs nothing",
            [10, 5],
            &[][..],
        ),
        (
            "one is executed, and the other one costs its fee",
            [0, 5],
            &[],
        ),
        ("the other one is received", [0, 10], &[Fee]),
        ("it is received, and costs nothing", [10, 10], &[Fee]),
        ("one is not received", [10, 0], &[Fee]),
        ("the rest is taken as 0", [5, 5], &[Fee]),
    ] {
        let sends = |code| SendsFrom(code, &["b"], "c", 5.0);
        let signers: [&[_]; 2] = [&["a"], &["a", "d"]];
        for signers in signers {
            let rows = [
                START,
                Holds("a", 100),
                Holds("b", 0),
                Holds("c", 0),
                SendsFrom("1", signers, "b", 25.0),
                Block(2, "e", &["1"]),
                Holds("b", 25),
                sends("2"),
                sends("3"),
                Block(3, "e", &["2", "3"]),
                Holds("a", 65),
                Holds("b", b),
                Holds("c", c),
            ];
            assert_eq!(
                judged(&rows),
                (found.to_vec(), false),
                "{what}: {signers:?}"
            );
        }
    }
}

/// Wallets a and b sign a transfer of 15 to wallet c. How they share the fee of 10 is not known.
/// A transfer of 15 to wallet c, which a and b sign for a fee of 10, and what they hold before and after it.
fn of_two_signers([a, b]: [i64; 2], after: [i64; 3]) -> Vec<Row> {
    let mut rows = vec![
        START,
        Holds("a", a),
        Holds("b", b),
        Holds("c", 0),
        SendsFrom("1", &["a", "b"], "c", 15.0),
        Block(2, "e", &["1"]),
    ];
    let after = ["a", "b", "c"].into_iter().zip(after);
    rows.extend(after.map(|(wallet, amount)| Holds(wallet, amount)));
    rows
}

#[test]
fn a_transfer_of_two_signers_moves_its_amount_once() {
    for (what, after, found) in [
        ("the first one pays", [75, 100, 15], &[][..]),
        ("they share the fee", [80, 95, 15], &[]),
        ("they share all", [87, 88, 15], &[Fee]),
        ("both pay the amount", [75, 85, 15], &[Fee]),
        ("it is received twice", [75, 100, 30], &[Others]),
        ("the fee is taken twice", [75, 90, 15], &[Fee]),
    ] {
        let rows = of_two_signers([100, 100], after);
        assert_eq!(judged(&rows), (found.to_vec(), false), "{what}");
    }
}

/// A node may find that out when it makes the block. Then nothing is paid.
#[test]
fn two_signers_who_cannot_pay_together_pay_all_or_nothing() {
    for (what, after, found) in [
        ("it fails", [6, 2, 0], &[][..]),
        ("the first one pays a half", [1, 2, 0], &[Fee]),
        ("the second one pays what it has", [1, 0, 0], &[Fee]),
        ("only its amount is received", [6, 2, 15], &[Fee]),
    ] {
        let rows = of_two_signers([6, 2], after);
        assert_eq!(judged(&rows), (found.to_vec(), false), "{what}");
    }
}

#[test]
fn a_receiver_whose_balance_is_not_read_again_shows_nothing() {
    for (has, found) in [(75, &[][..]), (90, &[Fee])] {
        let rows = [
            START,
            Holds("a", 100),
            Holds("c", 50),
            Sends("1", "c", 15.0),
            Block(2, "e", &["1"]),
            Holds("a", has),
        ];
        assert_eq!(judged(&rows), (found.to_vec(), false), "{has}");
    }
}

#[test]
fn what_others_receive_is_not_more_than_what_was_sent() {
    let of = |lists: [[i64; 3]; 2]| {
        let [before, after] = lists.map(Row::List);
        vec![
            START,
            before,
            Sends("1", "b", 15.0),
            Block(2, "e", &["1"]),
            after,
        ]
    };
    for (what, lists, found) in [
        ("it is received", [[100, 0, 0], [75, 15, 10]], &[][..]),
        (
            "somebody else gains, too",
            [[100, 0, 0], [75, 15, 11]],
            &[Created],
        ),
    ] {
        assert_eq!(judged(&of(lists)), (found.to_vec(), false), "{what}");
    }
}

/// Only what was sent before a reading explains it.
#[test]
fn a_later_transaction_explains_no_earlier_reading() {
    let [paid, block] = PAID;
    let refused = Submit("0", &["a"], false);
    for (first, found) in [(50, &[][..]), (40, &[Refusal])] {
        let rows = [
            START,
            Holds("a", 50),
            refused,
            Holds("a", first),
            paid,
            block,
            Holds("a", 40),
        ];
        assert_eq!(judged(&rows).0, found, "{first}");
    }
}

#[test]
fn a_wallet_that_received_tokens_is_not_one_that_only_submitted_what_was_refused() {
    for (what, refused, wallet, before, after, found) in [
        ("it receives a half", &["b"], "b", 0, 7, Fee),
        (
            "it receives nothing, and loses",
            &["c"],
            "c",
            50,
            40,
            Refusal,
        ),
    ] {
        let rows = [
            START,
            Holds("a", 1000),
            Holds(wallet, before),
            Sends("1", "b", 15.0),
            Submit("2", refused, false),
            Block(2, "e", &["1"]),
            Holds("a", 975),
            Holds(wallet, after),
        ];
        assert_eq!(judged(&rows), (vec![found], false), "{what}");
    }
}

#[test]
fn what_a_transfer_moves_hides_no_other_gain() {
    for (what, after, found) in [
        ("the receiver gains the amount", [20, 40, 0], &[][..]),
        ("the receiver gains nothing", [20, 20, 0], &[Others]),
        (
            "another wallet gains as much as was sent",
            [20, 40, 20],
            &[Created],
        ),
    ] {
        let rows = [
            START,
            Holds("a", 50),
            Row::List([50, 20, 0]),
            Sends("1", "b", 20.0),
            Block(2, "e", &["1"]),
            Holds("a", 20),
            Row::List(after),
        ];
        assert_eq!(judged(&rows).0, found, "{what}");
    }
}

#[test]
fn what_is_sent_to_no_wallet_may_be_burned() {
    for (to, found) in [("zz", &[][..]), ("d", &[Created])] {
        let rows = [
            START,
            Row::List([100, 0, 0]),
            Sends("1", to, 15.0),
            Block(2, "e", &["1"]),
            Row::List([75, 0, 10]),
            Submit("2", &["a"], true),
            Block(3, "e", &["2"]),
            Row::List([65, 0, 20]),
        ];
        assert_eq!(judged(&rows), (found.to_vec(), false), "{to}");
    }
}

/// Those who share fees with each other pay them exactly, also if others receive something.
#[test]
fn signers_who_share_fees_pay_them_together() {
    for (last, found) in [([85, 85], &[][..]), ([85, 90], &[Fee]), ([80, 85], &[Fee])] {
        let rows = [
            START,
            Holds("a", 100),
            Holds("b", 100),
            Submit("1", &["a", "b"], true),
            Submit("2", &["a", "b"], true),
            // Others receive fees for it.
            SendsFrom("3", &["a", "b"], "e", 0.0),
            Block(2, "e", &["1", "2", "3"]),
            Holds("a", last[0]),
            Holds("b", last[1]),
        ];
        assert_eq!(judged(&rows), (found.to_vec(), false), "{last:?}");
    }
}

/// A wallet spends what it receives in the same block. Its place there shows that it had received it.
#[test]
fn what_a_wallet_received_earlier_in_a_block_pays_what_it_sends() {
    for (order, left, found) in [
        (&["1", "2"], 20, &[][..]),
        (&["1", "2"], 50, &[Fee]),
        // It may have failed.
        (&["2", "1"], 50, &[]),
    ] {
        let rows = [
            START,
            Holds("a", 100),
            Holds("b", 0),
            Holds("c", 0),
            Sends("1", "b", 50.0),
            SendsFrom("2", &["b"], "c", 20.0),
            Block(2, "e", order),
            Holds("a", 40),
            Holds("b", left),
            Holds("c", if left == 20 { 20 } else { 0 }),
        ];
        assert_eq!(judged(&rows), (found.to_vec(), false), "{order:?} {left}");
    }
}
