//! What transactions of others explain.

use super::*;

#[test]
fn what_others_explain_is_not_judged() {
    let [paid, block] = PAID;
    let start = |last: Row| vec![START, Holds("a", 50), paid, last, Holds("a", 35)];
    for (what, rows, found, is_open) in [
        ("all is read", start(block), &[Fee][..], false),
        ("it made the block", start(Block(2, "a", &["1"])), &[], true),
        (
            "a transfer",
            [&start(block)[..], &[Transfer(3, "a")]].concat(),
            &[],
            true,
        ),
        (
            "not its own",
            [&start(block)[..], &[Transfer(3, "b")]].concat(),
            &[Fee],
            false,
        ),
        (
            "it was refused",
            vec![START, Holds("a", 50), REFUSED, block, Holds("a", 40)],
            &[Refusal],
            false,
        ),
        (
            "a block is missing",
            [&start(block)[..], &[Block(4, "e", &[])]].concat(),
            &[],
            true,
        ),
    ] {
        assert_eq!(judged(&rows), (found.to_vec(), is_open), "{what}");
    }
}

#[test]
fn a_transfer_of_others_gives_at_most_what_it_sends() {
    let [paid, block] = PAID;
    let with =
        |gift: Row, has: i64| vec![START, Holds("a", 50), paid, block, gift, Holds("a", has)];
    for (what, rows, found, is_open) in [
        (
            "the gift is there",
            with(Gift(3, "d", "a", 5), 45),
            &[][..],
            false,
        ),
        (
            "it is not there yet",
            with(Gift(3, "d", "a", 5), 40),
            &[],
            false,
        ),
        (
            "the fee is not paid",
            with(Gift(3, "d", "a", 5), 55),
            &[Fee],
            false,
        ),
        (
            "it is paid twice",
            with(Gift(3, "d", "a", 5), 35),
            &[Fee],
            false,
        ),
        (
            "the wallet signed it",
            with(Gift(3, "a", "d", 5), 30),
            &[],
            true,
        ),
        (
            "it is of the wallet",
            with(Gift(3, "a", "a", 5), 30),
            &[],
            true,
        ),
        ("it is none", with(Transfer(3, "a"), 55), &[], true),
    ] {
        assert_eq!(judged(&rows), (found.to_vec(), is_open), "{what}");
    }
}

/// Each signer's part of a fee may be rounded up, so a fee of 1 is at most 2.
#[test]
fn holders_gain_no_more_than_all_pay() {
    let lists = |gift: Row, after: [i64; 3]| {
        let after = [gift, Holds("a", 40), Row::List(after)];
        [&start_with_list()[..], &after].concat()
    };
    for (what, rows, found) in [
        (
            "a gift and both fees",
            lists(Gift(3, "d", "b", 5), [40, 25, 12]),
            &[][..],
        ),
        (
            "more than that",
            lists(Gift(3, "d", "b", 5), [40, 25, 13]),
            &[Created],
        ),
        (
            "a call that may pay anybody",
            lists(Call(3), [40, 25, 13]),
            &[],
        ),
    ] {
        assert_eq!(judged(&rows).0, found, "{what}");
    }
}

#[test]
fn the_fees_of_the_blocks_before_may_be_paid_out_late() {
    let gifts = [1, 2].map(|index| Gift(index, "d", "d", 5));
    let [paid, _] = PAID;
    let rows = |has: i64| {
        let start = [Holds("a", 50), Row::List([50, 20, 0]), paid];
        let end = [
            Block(3, "e", &["1"]),
            Holds("a", 40),
            Row::List([40, 20, has]),
        ];
        [&gifts[..], &start, &end].concat()
    };
    assert_eq!(judged(&rows(14)).0, []);
    assert_eq!(judged(&rows(15)).0, [Created]);
}

/// The latest block may have a transaction of wallet b, which the run has not read.
#[test]
fn what_is_read_after_the_last_known_block_is_not_compared() {
    let low = Row::List([40, 15, 10]);
    let (gift, last) = (Gift(3, "d", "b", 5), Absent(4));
    for (rows, found) in [([gift, low, last], &[Others][..]), ([gift, last, low], &[])] {
        let rows = [&start_with_list()[..], &rows].concat();
        assert_eq!(judged(&rows).0, found);
    }
}
