//! Fees that several signers pay.

use super::*;

#[test]
fn two_signers_pay_a_fee_together() {
    let submit = Submit("1", &["a", "b"], true);
    for (a, b, found) in [
        (40, 50, &[][..]),
        (45, 45, &[]),
        (44, 45, &[Fee]),
        (40, 40, &[Fee]),
        (50, 50, &[Fee]),
        (30, 50, &[Fee]),
    ] {
        let rows = [
            START,
            Holds("a", 50),
            Holds("b", 50),
            submit,
            Block(2, "e", &["1"]),
            Holds("a", a),
            Holds("b", b),
        ];
        assert_eq!(judged(&rows).0, found, "{a} {b}");
    }
}

#[test]
fn no_unit_is_lost_when_a_fee_is_shared() {
    for (received, found) in [(3000, &[][..]), (2999, &[Created]), (2000, &[]), (0, &[])] {
        let rows = [
            START,
            Holds("a", 9000),
            Row::List([9000, 20, 0]),
            Pays("1", 3000.0),
            Block(2, "e", &["1"]),
            Holds("a", 6000),
            Row::List([6000, 20, received]),
        ];
        assert_eq!(judged(&rows).0, found, "{received}");
    }
}

#[test]
fn signers_of_a_shared_fee_also_send_tokens() {
    let of = |a, b| {
        vec![
            START,
            Holds("a", 100),
            Holds("b", 100),
            Submit("1", &["a", "b"], true),
            Sends("2", "c", 15.0),
            Block(2, "e", &["1", "2"]),
            Holds("a", a),
            Holds("b", b),
        ]
    };
    for (what, rows, found) in [
        ("each pays a half", of(70, 95), &[][..]),
        ("one pays all", of(65, 100), &[]),
        ("a unit is missing", of(71, 95), &[Fee]),
        ("a unit too much", of(69, 95), &[Fee]),
    ] {
        assert_eq!(judged(&rows), (found.to_vec(), false), "{what}");
    }
}

/// It may be in a block that was not read. Wallet a also shares a fee with a wallet whose balance is unknown.
#[test]
fn what_is_in_no_block_is_paid_in_full_or_not_at_all() {
    for (other, a, b, found) in [
        (&["a"][..], 45, 45, &[][..]),
        (&["a"], 35, 45, &[]),
        (&["a"], 40, 45, &[Fee]),
        (&["a"], 36, 45, &[Fee]),
        (&["a"], 34, 45, &[Fee]),
        (&["a", "c"], 36, 45, &[]),
        (&["a", "c"], 34, 45, &[Fee]),
        (&["a", "c"], 46, 45, &[Fee]),
    ] {
        let rows = [
            START,
            Holds("a", 50),
            Holds("b", 50),
            Submit("1", &["a", "b"], true),
            Submit("2", other, true),
            Block(2, "e", &["1"]),
            Holds("a", a),
            Holds("b", b),
        ];
        assert_eq!(judged(&rows).0, found, "{other:?} {a} {b}");
    }
}

/// Wallet a shares a fee of 10 with b, and another one with c.
#[test]
fn all_wallets_of_a_run_pay_all_fees_together() {
    for (a, b, c, found) in [
        (40, 45, 45, &[][..]),
        (40, 45, 50, &[Fee]),
        (45, 45, 50, &[Fee]),
    ] {
        let rows = [
            START,
            Holds("a", 50),
            Holds("b", 50),
            Holds("c", 50),
            Submit("1", &["a", "b"], true),
            Submit("2", &["a", "c"], true),
            Block(2, "e", &["1", "2"]),
            Holds("a", a),
            Holds("b", b),
            Holds("c", c),
        ];
        assert_eq!(judged(&rows).0, found, "{a} {b} {c}");
    }
}

#[test]
fn a_finding_about_a_shared_fee_says_what_was_paid() {
    let rows = [
        START,
        Holds("a", 100),
        Holds("b", 100),
        Submit("1", &["a", "b"], true),
        Sends("2", "c", 15.0),
        Submit("3", &["c"], true),
        Block(2, "e", &["1", "2", "3"]),
        Holds("a", 71),
        Holds("b", 95),
    ];
    let found = &effect(&history(&rows), Fee).findings[0];
    let what = "the T of the wallets 0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa and \
                0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb went down by 34 together, and their accepted transactions \
                cost 35 (…1 pays a fee of 10, …2 sends 15 to 0xcccccccc… for a fee of 10)";
    assert_eq!(
        (&*found.what, &*found.expected, &*found.actual),
        (what, "35", "34")
    );
}
