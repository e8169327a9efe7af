//! Histories, and what the rule finds in them.

mod findings;
mod lists;
mod made;
mod others;
mod shared;
mod transfers;

use Effect::{Created, Fee, Others, Refusal};

use serde_json::Value;

use super::*;
use crate::{
    api::{block_request, contract_state_request, token_balance_request, token_holders_request},
    history::recorded,
    http::{InconclusiveReason, MissingStep, Request},
};

/// One exchange of a history.
#[derive(Clone, Copy, Debug)]
enum Row {
    /// The balance of a wallet.
    Holds(&'static str, i64),
    /// The list of the balances of wallets a, b and c.
    List([i64; 3]),
    /// The same list without wallet c.
    Cut([i64; 2]),
    /// The list of the balances of another token, in which nothing is paid.
    Other([i64; 3]),
    /// A submission with this code by these wallets, for a fee of 10. It is accepted or refused.
    Submit(&'static str, &'static [&'static str], bool),
    /// An accepted submission by wallet a for this fee.
    Pays(&'static str, f64),
    /// An accepted transfer of this many tokens, by wallet a to this wallet.
    Sends(&'static str, &'static str, f64),
    /// The same by the first of these wallets. All of them sign.
    SendsFrom(&'static str, &'static [&'static str], &'static str, f64),
    /// An accepted claim with all params about an asset, by wallet a, in the name of this one.
    Claims(&'static str, &'static str, &'static str),
    /// The same by wallets a and c, in the name of a.
    Joint(&'static str, &'static str),
    /// The record of the claim with this code.
    Record(&'static str),
    /// A refused submission that is wrongly signed.
    Forge(&'static str),
    /// A block with its creator, and the codes of the transactions of this run.
    Block(u64, &'static str, &'static [&'static str]),
    /// A block that is not there.
    Absent(u64),
    /// A block that lists these transactions of the run as failed.
    Failed(u64, &'static [&'static str]),
    /// A block with a transfer of another program, by wallet d to this wallet.
    Transfer(u64, &'static str),
    /// A block with a call of another program, by wallet d to itself, of the contract that makes the run's transfers.
    Called(u64),
    /// A block with a call of another program.
    Call(u64),
    /// A block with a signed transfer of another program: from this wallet to that one, of so many tokens, for a fee of 1.
    Gift(u64, &'static str, &'static str, i64),
}
use Row::{
    Absent, Block, Call, Called, Claims, Cut, Failed, Forge, Gift, Holds, Joint, Other, Pays,
    Record, Sends, SendsFrom, Submit, Transfer,
};

fn wallet(name: &str) -> String {
    format!("0x{}", name.repeat(40))
}

fn submission(code: &str, signers: &[&str]) -> Value {
    let signers: Vec<_> = signers.iter().map(|name| wallet(name)).collect();
    let entry = |name: &String| serde_json::json!({"wallet_address": name, "msgsign": "5a"});
    let signatures: Vec<_> = signers.iter().map(entry).collect();
    serde_json::json!({"transaction": {"trans_code": code, "type": 3, "currency": "T", "fee": 10,
        "specific_data": {"signers": signers, "params": {"asset_id": code}}}, "signatures": signatures})
}

fn list(token: &str, amounts: &[i64]) -> (Request, String) {
    let entries = ["a", "b", "c"].iter().zip(amounts).map(|(name, amount)| {
        serde_json::json!({"wallet": wallet(name), "token_code": token, "balance": amount})
    });
    let list: Vec<_> = entries.collect();
    let body = serde_json::json!({ "balance": list }).to_string();
    (token_holders_request(token), body)
}

fn exchange(row: Row) -> (Request, String) {
    let block = |index: u64, creator: &str, transactions: Vec<Value>| {
        let text = serde_json::json!({"transactions": transactions});
        let block =
            serde_json::json!({"index": index, "creator_wallet": wallet(creator), "text": text});
        (block_request(index), block.to_string())
    };
    match row {
        Holds(name, amount) => (
            token_balance_request(&wallet(name), "T"),
            serde_json::json!({ "balance": amount }).to_string(),
        ),
        Row::List(amounts) => list("T", &amounts),
        Cut(amounts) => list("T", &amounts),
        Other(amounts) => list("U", &amounts),
        Submit(code, signers, valid) => (
            Request::post("/submit-transaction", submission(code, signers).to_string()),
            serde_json::json!({"status": "SUCCESS", "response": {"valid": valid}}).to_string(),
        ),
        Pays(code, fee) => {
            let (_, body) = exchange(Submit(code, &["a"], true));
            let mut submission = submission(code, &["a"]);
            submission["transaction"]["fee"] = fee.into();
            let request = Request::post("/submit-transaction", submission.to_string());
            (request, body)
        }
        Sends(code, to, amount) => exchange(SendsFrom(code, &["a"], to, amount)),
        SendsFrom(code, from, to, amount) => {
            let (_, body) = exchange(Submit(code, &["a"], true));
            let mut submission = submission(code, from);
            let data = &mut submission["transaction"]["specific_data"];
            data["function"] = "transfer".into();
            let whole = (amount.fract() == 0.0).then(|| Value::from(amount as i64));
            data["params"] = serde_json::json!({"amount_to_send": whole.unwrap_or_else(|| amount.into()),
                "receiver": wallet(to), "asset_code": "T"});
            let request = Request::post("/submit-transaction", submission.to_string());
            (request, body)
        }
        Claims(code, asset, verifier) => {
            let (_, body) = exchange(Submit(code, &["a"], true));
            let mut submission = submission(code, &["a"]);
            let data = &mut submission["transaction"]["specific_data"];
            data["function"] = "add_verification".into();
            data["address"] = "ct".into();
            data["params"] = serde_json::json!({"asset_id": asset, "asset_type": "token",
                "verifier_address": wallet(verifier), "outcome": 1, "doc_hash_list": [],
                "doc_link_list": [], "remarks": "", "deletable_after": 2});
            let request = Request::post("/submit-transaction", submission.to_string());
            (request, body)
        }
        Joint(code, asset) => {
            let (request, body) = exchange(Claims(code, asset, "a"));
            let sent = request.body.unwrap_or_default();
            let mut joint: Value = serde_json::from_str(&sent).expect("a submission");
            let signed = submission(code, &["a", "c"]);
            joint["signatures"] = signed["signatures"].clone();
            joint["transaction"]["specific_data"]["signers"] =
                signed["transaction"]["specific_data"]["signers"].clone();
            let request = Request::post("/submit-transaction", joint.to_string());
            (request, body)
        }
        Record(code) => (
            contract_state_request("ct", code),
            serde_json::json!({"status": "SUCCESS", "value": {"asset_id": code}}).to_string(),
        ),
        Forge(code) => {
            let (request, body) = exchange(Submit(code, &["a"], false));
            (request.wrongly_signed("a forged one"), body)
        }
        Call(index) => {
            let call = serde_json::json!({"transaction": {"trans_code": "other", "type": 3}});
            block(index, "e", vec![call])
        }
        Block(index, creator, codes) => {
            let own = codes.iter().map(|code| submission(code, &["a"]));
            block(index, creator, own.collect())
        }
        Absent(index) => (block_request(index), "{}".to_owned()),
        Failed(index, codes) => {
            let failed = codes.iter().map(|code| {
                let mut entry = submission(code, &["a"]);
                entry["status"] = (-1).into();
                entry
            });
            block(index, "e", failed.collect())
        }
        Gift(index, from, to, amount) => {
            let data = serde_json::json!({"wallet1": wallet(from), "wallet2": wallet(to), "asset1_number": amount});
            let signatures = [serde_json::json!({"wallet_address": wallet(from), "msgsign": "5a"})];
            let gift = serde_json::json!({"transaction": {"trans_code": "other", "type": 5, "fee": 1, "currency": "T",
                "timestamp": 1_790_000_000_000_i64, "specific_data": data}, "signatures": signatures});
            block(index, "e", vec![gift])
        }
        Called(index) => {
            let data = serde_json::json!({"function": "transfer", "signers": [wallet("d")],
                "params": {"amount_to_send": 1, "receiver": wallet("d"), "asset_code": "T"}});
            let call = serde_json::json!({"transaction": {"trans_code": "other", "type": 3, "fee": 1, "currency": "T",
                "specific_data": data}, "signatures": []});
            block(index, "e", vec![call])
        }
        Transfer(index, to) => {
            let transfer = serde_json::json!({"transaction": {"trans_code": "other", "type": 2, "fee": 1,
                "currency": "T", "specific_data": {"from": wallet("d"), "to": wallet(to)}}});
            block(index, "e", vec![transfer])
        }
    }
}

fn history(rows: &[Row]) -> History {
    let exchanges: Vec<_> = rows.iter().map(|row| exchange(*row)).collect();
    let exchanges = (0..).zip(rows).zip(&exchanges);
    let rows = exchanges.map(|((at, row), (request, body))| {
        let status = if matches!(row, Absent(_)) { 400 } else { 200 };
        (at * 10, request.clone(), status, body.as_str())
    });
    recorded(rows.collect())
}

/// Returns the effects with findings, and whether the balances are inconclusive.
fn judged(rows: &[Row]) -> (Vec<Effect>, bool) {
    let history = history(rows);
    let mut is_open = false;
    let all = [Fee, Refusal, Others, Created].into_iter();
    let found = all.filter(|kind| match effect(&history, *kind).end() {
        Ok(result) => !result.has_no_findings(),
        Err(_) => {
            is_open = true;
            false
        }
    });
    (found.collect(), is_open)
}

const START: Row = Block(1, "e", &[]);
const PAID: [Row; 2] = [Submit("1", &["a"], true), Block(2, "e", &["1"])];
const REFUSED: Row = Submit("1", &["a"], false);

/// Two accepted submissions, of which blocks have only the second one, and what the wallet then holds.
fn left_out(has: i64) -> Vec<Row> {
    let [one, other] = ["1", "2"].map(|code| Submit(code, &["a"], true));
    let later = [3, 4].map(|index| Block(index, "e", &[]));
    let had = [START, Holds("a", 50), one, other, Block(2, "e", &["2"])];
    [&had[..], &later, &[Holds("a", has)]].concat()
}

/// A list of all holders, and then a fee that wallet a pays.
fn start_with_list() -> [Row; 5] {
    let [paid, block] = PAID;
    [START, Holds("a", 50), Row::List([50, 20, 0]), paid, block]
}

#[test]
fn a_balance_changes_by_what_was_accepted() {
    let [paid, block] = PAID;
    let of = |had: i64, has: i64| vec![START, Holds("a", had), paid, block, Holds("a", has)];
    let twice = [Submit("2", &["a"], true), Block(3, "e", &["2"])];
    for (what, rows, found) in [
        ("the fee is paid", of(50, 40), &[][..]),
        ("nothing is left", of(10, 0), &[]),
        ("nothing is paid", of(50, 50), &[Fee]),
        ("it is paid twice", of(50, 30), &[Fee]),
        ("a part is paid", of(50, 45), &[Fee]),
        (
            "a wallet that signs twice pays a part",
            vec![
                START,
                Holds("a", 50),
                Submit("1", &["a", "a"], true),
                block,
                Holds("a", 45),
            ],
            &[Fee],
        ),
        ("the wallet gains", of(50, 60), &[Fee]),
        (
            "it is paid before the block is read",
            vec![
                START,
                Holds("a", 50),
                paid,
                Holds("a", 40),
                block,
                Holds("a", 40),
            ],
            &[],
        ),
        (
            "it is paid twice, and given back",
            vec![
                START,
                Holds("a", 50),
                paid,
                block,
                Holds("a", 30),
                Holds("a", 40),
            ],
            &[Fee],
        ),
        (
            "it is paid late",
            vec![
                START,
                Holds("a", 50),
                paid,
                block,
                Holds("a", 50),
                Holds("a", 40),
            ],
            &[],
        ),
        (
            "it is paid after two other blocks were read",
            vec![
                START,
                Holds("a", 50),
                paid,
                block,
                Block(3, "e", &[]),
                Block(4, "e", &[]),
                Holds("a", 50),
                Holds("a", 40),
            ],
            &[Fee],
        ),
        (
            "it is paid before a second other block is read",
            vec![
                START,
                Holds("a", 50),
                paid,
                block,
                Block(3, "e", &[]),
                Holds("a", 50),
                Block(4, "e", &[]),
                Holds("a", 40),
            ],
            &[],
        ),
        (
            "one submission is sent twice",
            vec![START, Holds("a", 50), paid, paid, block, Holds("a", 30)],
            &[Fee],
        ),
        (
            "two transactions are paid",
            [&of(50, 40)[..], &twice, &[Holds("a", 30)]].concat(),
            &[],
        ),
        (
            "one of two transactions is paid",
            [&of(50, 40)[..], &twice, &[Holds("a", 40)]].concat(),
            &[Fee],
        ),
        (
            "an accepted one that is in no block may cost nothing",
            vec![START, Holds("a", 50), paid, Holds("a", 50)],
            &[],
        ),
        ("one that blocks leave out costs nothing", left_out(40), &[]),
        (
            "one that blocks leave out costs something",
            left_out(30),
            &[Fee],
        ),
        (
            "a refused one costs something",
            vec![START, Holds("a", 50), REFUSED, Holds("a", 40)],
            &[Refusal],
        ),
        (
            "a refused one costs something after an accepted one",
            [
                &of(50, 40)[..],
                &[Submit("2", &["a"], false), Holds("a", 30)],
            ]
            .concat(),
            &[Refusal],
        ),
        (
            "an accepted one is not paid, and only a refused one was sent meanwhile",
            vec![
                START,
                Holds("a", 50),
                paid,
                Holds("a", 40),
                REFUSED,
                block,
                Holds("a", 50),
            ],
            &[Fee],
        ),
        (
            "a throw-away wallet holds something",
            vec![
                START,
                Holds("b", 0),
                Submit("1", &["b"], false),
                Holds("b", 7),
            ],
            &[Refusal],
        ),
    ] {
        assert_eq!(judged(&rows), (found.to_vec(), false), "{what}");
    }
}

#[test]
fn the_other_wallets_and_the_lists_are_judged_too() {
    let lists = |after: [i64; 3]| {
        let after = [Holds("a", 40), Row::List(after)];
        [&start_with_list()[..], &after].concat()
    };
    for (what, rows, found) in [
        ("a treasury gains", lists([40, 20, 10]), &[][..]),
        ("the fee is burned", lists([40, 20, 0]), &[]),
        (
            "a gain is shown by two queries",
            [
                &[START, Holds("c", 0)],
                &lists([40, 20, 10])[1..],
                &[Holds("c", 10)],
            ]
            .concat(),
            &[],
        ),
        ("another one pays too", lists([40, 10, 0]), &[Others]),
        (
            "more is gained than was paid",
            lists([40, 20, 11]),
            &[Created],
        ),
        (
            "another wallet pays a fee, too",
            [&lists([40, 20, 11])[..], &[Transfer(3, "d")]].concat(),
            &[],
        ),
        (
            "a call of another program may pay somebody",
            [&lists([40, 20, 11])[..], &[Call(3)]].concat(),
            &[],
        ),
        (
            "a balance falls below 0",
            lists([40, -1, 0]),
            &[Others, Created],
        ),
    ] {
        assert_eq!(judged(&rows), (found.to_vec(), false), "{what}");
    }
}

#[test]
fn a_refusal_shows_something_if_the_node_tells_submissions_apart() {
    let [paid, block] = PAID;
    let examined = |rows: &[Row]| {
        let history = history(rows);
        [Fee, Refusal].map(|kind| effect(&history, kind).examined)
    };
    let refused = [START, Holds("a", 50), REFUSED, Forge("2"), Holds("a", 50)];
    assert_eq!(examined(&refused), [0, 0]);
    let accepted = [
        START,
        Holds("a", 50),
        paid,
        block,
        Forge("2"),
        Holds("a", 40),
    ];
    assert_eq!(examined(&accepted), [1, 1]);
}

#[test]
fn what_is_in_no_block_shows_nothing_of_its_fee() {
    let [paid, _] = PAID;
    let history = history(&[START, Holds("a", 50), paid, Forge("2"), Holds("a", 50)]);
    let examined = [Fee, Refusal].map(|kind| effect(&history, kind).examined);
    assert_eq!(examined, [0, 1]);
}

#[test]
fn a_creator_may_gain_although_it_was_refused() {
    let blocks = |creator| vec![START, Holds("a", 50), REFUSED, Block(2, creator, &[])];
    for (creator, found) in [("a", &[][..]), ("e", &[Refusal])] {
        let rows = [blocks(creator), vec![Holds("a", 60)]].concat();
        assert_eq!(judged(&rows), (found.to_vec(), false), "{creator}");
    }
}

#[test]
fn a_fraction_of_a_fee_may_be_rounded() {
    for (has, found) in [(40, &[][..]), (39, &[]), (38, &[Fee]), (41, &[Fee])] {
        let block = Block(2, "e", &["1"]);
        let rows = [
            START,
            Holds("a", 50),
            Pays("1", 10.5),
            block,
            Holds("a", has),
        ];
        assert_eq!(judged(&rows), (found.to_vec(), false), "{has}");
    }
}

#[test]
fn what_creators_gain_counts_unless_blocks_may_be_rewarded() {
    let [paid, _] = PAID;
    for (what, after, found) in [
        ("the creator gains the fee", [40, 30, 0], &[][..]),
        ("it gains more than the fee", [40, 31, 0], &[Created]),
        ("an empty block is rewarded, too", [40, 31, 1], &[]),
    ] {
        let rows = [
            START,
            Holds("a", 50),
            Row::List([50, 20, 0]),
            paid,
            Block(2, "b", &["1"]),
            Block(3, "c", &[]),
            Holds("a", 40),
            Row::List(after),
        ];
        assert_eq!(judged(&rows).0, found, "{what}");
    }
}

#[test]
fn nobody_gains_a_token_in_which_nothing_was_paid() {
    let block = |creator| Block(2, creator, &["1"]);
    for (what, block, after, found) in [
        ("nothing changes", block("e"), [50, 20, 0], &[][..]),
        ("a wallet gains", block("e"), [50, 21, 0], &[Created]),
        ("a new holder gains", block("e"), [50, 20, 10], &[Created]),
        ("the creator may be rewarded", block("c"), [50, 20, 10], &[]),
        (
            "another program sent it",
            Transfer(2, "c"),
            [50, 20, 10],
            &[],
        ),
        ("a call may send it", Call(2), [50, 20, 10], &[]),
    ] {
        let [paid, _] = PAID;
        let before = [START, Holds("a", 50), Other([50, 20, 0]), paid];
        let rows = [
            &before[..],
            &[block, Block(3, "e", &["1"]), Holds("a", 40), Other(after)],
        ];
        assert_eq!(judged(&rows.concat()).0, found, "{what}");
    }
}

#[test]
fn what_a_block_shows_later_need_not_be_paid_yet() {
    let [paid, block] = PAID;
    let before = [START, Holds("a", 50), paid];
    for (what, rows, found) in [
        ("the block was known", [block, Holds("a", 50)], &[Fee][..]),
        ("the block came after it", [Holds("a", 50), block], &[]),
        ("the block shows it later", [Holds("a", 45), block], &[Fee]),
        (
            "the record was known",
            [Record("1"), Holds("a", 50)],
            &[Fee],
        ),
        (
            "the record came after it",
            [Holds("a", 50), Record("1")],
            &[],
        ),
    ] {
        let rows = [&before[..], &rows].concat();
        assert_eq!(judged(&rows).0, found, "{what}");
    }
}

#[test]
fn a_history_that_is_not_whole_shows_nothing_wrong() {
    let [paid, block] = PAID;
    let rows = [START, Holds("a", 50), paid, block, Holds("a", 50)];
    let reason = || InconclusiveReason::TooLarge("too much".to_owned());
    let step = Step::KeepAll;
    let left_out = vec![MissingStep {
        step,
        reason: reason(),
    }];
    let whole = history(&rows);
    assert!(!effect(&whole, Fee).has_no_findings() && is_unsettled(&whole));
    let part = whole.with_missing(left_out);
    let undecided = effect(&part, Fee).end().unwrap_err();
    assert_eq!(undecided.reason(), "too much");
    assert!(!is_unsettled(&part));
}

#[test]
fn readings_are_repeated_until_they_show_the_fee() {
    let [paid, block] = PAID;
    for (has, unsettled) in [(50, true), (40, false)] {
        let rows = [START, Holds("a", 50), paid, block, Holds("a", has)];
        assert_eq!(is_unsettled(&history(&rows)), unsettled);
    }
    // A wallet that only lists show gains nothing by a refused submission, but it may receive the fee.
    for (reads, unsettled) in [
        ([Row::List([50, 20, 0]), Row::List([40, 30, 0])], false),
        ([Row::List([50, 20, 0]), Row::List([50, 20, 0])], true),
        ([Holds("b", 20), Holds("b", 30)], true),
    ] {
        let [before, after] = reads;
        let refused = Submit("2", &["b"], false);
        let rows = [START, before, paid, refused, block, after];
        assert_eq!(is_unsettled(&history(&rows)), unsettled);
    }
    // Waiting does not help once the balance is right.
    let rows = [
        START,
        Holds("a", 50),
        paid,
        block,
        Holds("a", 30),
        Holds("a", 40),
    ];
    assert!(!is_unsettled(&history(&rows)));
}
