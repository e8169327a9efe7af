//! What the holders of a token have together.

use super::*;

#[test]
fn a_fee_is_received_each_time_or_never() {
    let lists = |first: [i64; 3], second: Row, last: [i64; 3]| {
        [
            &start_with_list()[..],
            &[
                Row::List(first),
                second,
                Block(3, "e", &["2"]),
                Row::List(last),
            ],
        ]
        .concat()
    };
    let second = Submit("2", &["a"], true);
    let lost = || lists([40, 20, 10], second, [30, 20, 10]);
    for (what, rows, found) in [
        (
            "both are received",
            lists([40, 20, 10], second, [30, 20, 20]),
            &[][..],
        ),
        ("the second is not", lost(), &[Created]),
        (
            "the first is not",
            lists([40, 20, 0], second, [30, 20, 10]),
            &[Created],
        ),
        (
            "both are burned",
            lists([40, 20, 0], second, [30, 20, 0]),
            &[],
        ),
        (
            "half a unit is rounded",
            lists([40, 20, 10], Pays("2", 10.5), [29, 20, 20]),
            &[],
        ),
        (
            "a wrong payment is another finding",
            [&lost()[..7], &[Holds("a", 35)], &lost()[7..]].concat(),
            &[Fee],
        ),
        (
            "another program may have burned it",
            [&lost()[..], &[Transfer(4, "c")]].concat(),
            &[],
        ),
        (
            "a list may be cut off",
            [&lost()[..8], &[Cut([30, 20])]].concat(),
            &[],
        ),
    ] {
        assert_eq!(judged(&rows).0, found, "{what}");
    }
}

/// Wallet c pays all that it has. The list leaves it out from then on.
#[test]
fn a_list_may_leave_out_a_wallet_that_has_nothing_left() {
    let nothing_left = Some(Holds("c", 0));
    for (left, last, found) in [
        (nothing_left, [40, 40], &[][..]),
        (nothing_left, [40, 30], &[Created]),
        // The list may be cut off.
        (None, [40, 30], &[]),
    ] {
        let mut rows = vec![
            START,
            Holds("a", 50),
            Holds("c", 10),
            Row::List([50, 20, 10]),
            Submit("1", &["a"], true),
            Block(2, "e", &["1"]),
            Row::List([40, 30, 10]),
            Submit("2", &["c"], true),
            Block(3, "e", &["2"]),
        ];
        rows.extend(left);
        rows.push(Cut(last));
        assert_eq!(judged(&rows).0, found, "{last:?}");
    }
}

#[test]
fn the_fees_of_failed_transactions_are_given_back_by_those_who_received_them() {
    for (last, found) in [
        ([40, 20, 10], &[][..]),
        ([19, 20, 31], &[]),
        ([30, 20, 20], &[]),
        ([40, 20, 20], &[Created]),
        ([40, 20, 21], &[Created]),
        ([40, 20, 31], &[Created]),
    ] {
        let rows = [
            &start_with_list()[..],
            &[
                Row::List([40, 20, 10]),
                Pays("2", 10.0),
                Pays("3", 11.0),
                Failed(3, &["2", "3"]),
                Block(4, "e", &[]),
                Row::List(last),
            ],
        ];
        assert_eq!(judged(&rows.concat()).0, found, "{last:?}");
    }
}

#[test]
fn no_unit_is_lost_or_gained_where_only_whole_units_are_paid() {
    for (last, found) in [
        ([19, 20, 30], &[][..]),
        ([19, 20, 29], &[Created]),
        ([19, 20, 28], &[Created]),
        ([19, 20, 31], &[Created]),
    ] {
        // Half a unit is rounded in the second part, and hides one unit of the whole run.
        let rows = [
            &start_with_list()[..],
            &[
                Row::List([40, 20, 10]),
                Pays("2", 10.5),
                Block(3, "e", &["2"]),
                Row::List([29, 20, 20]),
                Submit("3", &["a"], true),
                Block(4, "e", &["3"]),
                Row::List(last),
            ],
        ];
        assert_eq!(judged(&rows.concat()).0, found, "{last:?}");
    }
}

/// Returns what wallet c has after each transaction of wallet a, whose blocks it makes, and after an empty block of another wallet.
fn made_by_c(received: &[i64]) -> Vec<Row> {
    const CODES: [&[&str]; 3] = [&["1"], &["2"], &["3"]];
    let mut rows = vec![START, Holds("a", 50), Row::List([50, 20, 0])];
    let (last, each) = received.split_last().expect("at least one");
    let (mut left, mut height) = (50, 1);
    for (received, codes) in each.iter().zip(CODES) {
        (left, height) = (left - 10, height + 1);
        rows.extend([Pays(codes[0], 10.0), Block(height, "c", codes)]);
        rows.push(Row::List([left, 20, *received]));
    }
    rows.extend([Absent(height + 1), Block(height + 1, "e", &[])]);
    rows.push(Row::List([left, 20, *last]));
    rows
}

#[test]
fn who_makes_blocks_receives_no_more_than_is_paid_unless_there_are_rewards() {
    for (received, found) in [
        ([10, 20, 20], &[][..]),
        ([18, 36, 36], &[Created]),
        // A block without transactions has a reward, too.
        ([18, 36, 44], &[]),
        // Another reason than the fees.
        ([18, 28, 28], &[]),
    ] {
        let rows = made_by_c(&received);
        assert_eq!(judged(&rows).0, found, "{received:?}");
        // Without proof that the chain has grown, the last list may be as old as the one before it.
        let without_proof: Vec<_> = rows
            .into_iter()
            .filter(|row| !matches!(row, Absent(_)))
            .collect();
        assert!(judged(&without_proof).0.is_empty(), "{received:?}");
    }
}

#[test]
fn what_is_paid_makes_more_several_times() {
    for (received, found) in [
        ([10, 28, 46, 46], &[Created][..]),
        ([18, 28, 46, 46], &[Created]),
        // Another reason than the fees.
        ([10, 28, 38, 38], &[]),
        // A block without transactions has a reward, too.
        ([10, 28, 46, 54], &[]),
    ] {
        let rows = made_by_c(&received);
        assert_eq!(judged(&rows).0, found, "{received:?}");
    }
}

#[test]
fn what_is_moved_is_always_in_some_wallet() {
    const FIRST: [i64; 3] = [40, 20, 10];
    let second = Submit("2", &["a"], true);
    for (before, low, found) in [
        (FIRST, [30, 20, 10], &[Created][..]),
        (FIRST, [30, 20, 20], &[]),
        // Blocks have a reward.
        ([40, 20, 5], [30, 20, 10], &[]),
    ] {
        let rows = [
            &start_with_list()[..],
            &[Row::List(before), Absent(3)],
            &[Block(3, "e", &[]), Row::List(FIRST)],
            &[second, Block(4, "e", &["2"])],
            &[Row::List(low), Row::List([30, 20, 20])],
        ];
        assert_eq!(judged(&rows.concat()).0, found, "{before:?}, {low:?}");
        // A transaction that is left out in the end may be reserved.
        let left_out = [Submit("9", &["a"], true)];
        let rows = [rows[0], rows[1], &left_out, rows[2], rows[3], rows[4]];
        assert!(judged(&rows.concat()).0.is_empty(), "{before:?}, {low:?}");
    }
}
