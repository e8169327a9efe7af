//! Transfers that are not made.

use super::*;

/// Judges a transfer of 15 with a fee of 10, by wallet a to wallet c, in a run with these rows.
fn of_transfer(had: i64, rows: &[Row], has: i64) -> Vec<Effect> {
    let before = [FIRST, Holds("a", had), Holds("c", 7)];
    judged(&[&before, rows, &[Holds("a", has)]].concat()).0
}

const SENT: Row = Sends("1", "c", 15.0);

/// The first block, which shows that the contract makes transfers.
const FIRST: Row = Called(1);

#[test]
fn a_transfer_that_can_be_paid_is_not_listed_as_failed() {
    let failed = [SENT, Failed(2, &["1"])];
    for (had, rows, has, found) in [
        (50, &failed[..], 40, &[Fee][..]),
        (50, &failed, 50, &[Fee]),
        (25, &failed, 15, &[Fee]),
        // It is not enough for the fee, too.
        (24, &failed, 14, &[]),
        // Nobody is known to have such a wallet.
        (50, &[Sends("1", "b", 15.0), Failed(2, &["1"])], 40, &[]),
        (50, &[Sends("1", "c", 1.5), Failed(2, &["1"])], 40, &[]),
        // The other one may have been paid first.
        (
            49,
            &[
                SENT,
                Sends("2", "a", 15.0),
                Failed(2, &["1"]),
                Block(3, "e", &["2"]),
            ],
            29,
            &[],
        ),
        // A block between was not read.
        (50, &[SENT, Failed(3, &["1"])], 40, &[]),
        // Another program uses the wallet, too.
        (50, &[SENT, Transfer(2, "a"), Failed(3, &["1"])], 40, &[]),
    ] {
        assert_eq!(of_transfer(had, rows, has), found, "{had} {rows:?}");
    }
}

#[test]
fn a_transfer_is_not_left_out() {
    let later = Submit("2", &["a"], true);
    let blocks = [
        Block(2, "e", &["2"]),
        Block(3, "e", &[]),
        Block(4, "e", &[]),
    ];
    for (rows, has, found) in [
        ([&[SENT, later], &blocks[..]].concat(), 40, &[Fee][..]),
        // It may still be pending.
        ([&[SENT, later], &blocks[..2]].concat(), 40, &[]),
        ([&[later, SENT], &blocks[..]].concat(), 40, &[]),
        (
            [&[SENT], &[Block(2, "e", &[])][..], &blocks[1..]].concat(),
            50,
            &[],
        ),
    ] {
        assert_eq!(of_transfer(50, &rows, has), found, "{rows:?}");
    }
}

#[test]
fn a_claim_is_not_left_out() {
    const MADE: Row = Claims("1", "x", "a");
    let judge = |had, claims: &[Row], at: u64, has| {
        let made = [Block(2, "e", &["1"]), Block(3, "e", &[])];
        let later: Vec<_> = (4..=at).map(|index| Block(index, "e", &[])).collect();
        let rows = [
            &[START, Holds("a", had), MADE],
            &made[..],
            claims,
            &later,
            &[Holds("a", has)],
        ];
        judged(&rows.concat()).0
    };
    let left_out = Claims("2", "y", "a");
    for (had, claims, at, has, found) in [
        (50, &[left_out][..], 13, 40, &[Fee][..]),
        // It may still be pending.
        (50, &[left_out], 12, 40, &[]),
        // Blocks hide a claim that has a record.
        (
            50,
            &[left_out, Claims("3", "3", "a"), Record("3")],
            14,
            30,
            &[],
        ),
        // The wallet can't pay both.
        (19, &[left_out], 13, 9, &[]),
        // The contract may refuse it.
        (50, &[Claims("2", "x", "a")], 13, 40, &[]),
        (50, &[Claims("2", "y", "b")], 13, 40, &[]),
        (50, &[Submit("2", &["a"], true)], 13, 40, &[]),
    ] {
        assert_eq!(judge(had, claims, at, has), found, "{had} {claims:?} {at}");
    }
}

#[test]
fn what_a_later_block_has_shows_what_is_left_out() {
    let judge = |[one, other]: [Row; 2], codes: &'static [&'static str], has| {
        let start = [FIRST, Holds("a", 90), Holds("c", 40), one, other];
        let later = Claims("3", "z", "a");
        let blocks = [
            Block(3, "e", &["3"]),
            Block(4, "e", &[]),
            Block(5, "e", &[]),
        ];
        let end = [Holds("a", has)];
        judged(&[&start[..], &[Block(2, "e", codes), later], &blocks, &end].concat()).0
    };
    let same = ["1", "2"].map(|code| Claims(code, "y", "a"));
    let joint = ["1", "2"].map(|code| Joint(code, if code == "1" { "x" } else { "y" }));
    let unread = [Sends("1", "b", 15.0), Sends("2", "d", 15.0)];
    for (what, rows, codes, has, found) in [
        ("the first of two claims", same, &["2"][..], 70, &[Fee][..]),
        ("the second of two claims", same, &["1"], 70, &[]),
        ("one of two claims of several", joint, &["1"], 75, &[Fee]),
        ("the only claims of several", joint, &[], 80, &[]),
        ("a transfer to a new wallet", unread, &["1"], 55, &[Fee]),
        ("all transfers to new wallets", unread, &[], 80, &[]),
    ] {
        assert_eq!(judge(rows, codes, has), found, "{what}");
    }
}

#[test]
fn a_transfer_is_later_than_all_others() {
    let others = |count: usize| -> Vec<Row> {
        let all = [
            [Submit("2", &["a"], true), Block(2, "e", &["2"])],
            [Submit("3", &["a"], true), Block(3, "e", &["3"])],
            [Submit("4", &["a"], true), Block(4, "e", &["4"])],
        ];
        all[..count].concat()
    };
    // Each of the others is in the first block after it.
    let judge = |count: usize, absent: &[Row], at: u64| {
        let first = count as u64 + 2;
        let later: Vec<_> = (first..=at).map(|index| Block(index, "e", &[])).collect();
        let start = [FIRST, Holds("a", 90), Holds("c", 7)];
        let end = [Holds("a", 90 - 10 * count as i64)];
        let rows = [&start, &others(count)[..], &[SENT], absent, &later, &end].concat();
        (judged(&rows).0, is_unsettled(&history(&rows)))
    };
    for (count, absent, at, found, is_awaited) in [
        (3, &[Absent(5)][..], 7, &[Fee][..], false),
        (3, &[Absent(5)], 6, &[], true),
        // It may have been submitted when blocks 5 and 6 were there.
        (3, &[Absent(7)], 8, &[], true),
        (3, &[Absent(7)], 9, &[Fee], false),
        (3, &[], 7, &[], true),
        (3, &[Absent(60)], 13, &[], true),
        (3, &[Absent(60)], 14, &[Fee], false),
        (2, &[Absent(4)], 8, &[], true),
    ] {
        let seen = judge(count, absent, at);
        assert_eq!(
            seen,
            (found.to_vec(), is_awaited),
            "{count} {absent:?} {at}"
        );
    }
}

#[test]
fn a_new_wallet_is_judged_from_its_own_first_reading() {
    for (first, has, found) in [(0, 15, &[][..]), (0, 14, &[Others]), (3, 15, &[Others])] {
        let rows = [
            START,
            Holds("a", 50),
            Submit("1", &["a"], true),
            Holds("c", first),
            Sends("2", "c", 15.0),
            Block(2, "e", &["1", "2"]),
            Holds("a", 15),
            Holds("c", has),
        ];
        assert_eq!(judged(&rows).0, found, "{first} {has}");
    }
}

#[test]
fn a_contract_that_makes_no_transfers_may_leave_them_out() {
    let rows = |first| {
        let later = Submit("2", &["a"], true);
        let blocks = [
            Block(2, "e", &["2"]),
            Block(3, "e", &[]),
            Block(4, "e", &[]),
        ];
        let before = [first, Holds("a", 50), Holds("c", 7), SENT, later];
        [&before[..], &blocks, &[Holds("a", 40)]].concat()
    };
    assert_eq!(judged(&rows(FIRST)).0, [Fee]);
    assert_eq!(judged(&rows(START)).0, []);
}

/// The record of a claim shows how many blocks a node waits until a transaction has its effect.
#[test]
fn a_transaction_is_paid_as_many_blocks_later_as_a_claim_has_its_record() {
    let of = |record_at: usize, last: &[Row]| {
        let claimed = [Claims("1", "x", "a"), Block(2, "e", &["1"])];
        let mut later = vec![Block(3, "e", &[]), Block(4, "e", &[])];
        later.insert(record_at, Record("x"));
        let paid = [
            Holds("a", 40),
            Submit("2", &["a"], true),
            Block(5, "e", &["2"]),
        ];
        let start = [START, Holds("a", 50)];
        judged(&[&start[..], &claimed, &later, &paid, last].concat()).0
    };
    let not_yet = [Holds("a", 40)];
    let too_late = [Block(6, "e", &[]), Block(7, "e", &[]), Holds("a", 40)];
    assert_eq!(of(0, &not_yet), [Fee]);
    assert_eq!(of(1, &not_yet), [Fee]);
    assert_eq!(of(2, &not_yet), []);
    assert_eq!(of(2, &too_late), [Fee]);
}
