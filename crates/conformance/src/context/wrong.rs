//! Submissions that a node must refuse: a table. Each row has one fault.

use std::{collections::BTreeMap, fmt::Display, sync::LazyLock};

use nodeproof_primitives::WalletAddress;
use serde_json::{Value, json};

use super::{
    draft::{call, written},
    edit::Change::{self, *},
    variant::{
        ADDRESS, BOTH,
        By::{Control, First, Nobody, Second, Signer, Stranger},
        Cost, PARAMS, RIGHT, SIGNERS, TOKEN, VERIFIER, Variant, both_sign, of, raw, right, rows,
    },
};

/// The description of a wrong signature. Others are compared with it.
pub(crate) const ONE_DIGIT_CHANGED: &str = "a signature with one digit changed";
/// The description of a transaction with other params than those that were signed.
const IN_CAPITALS: &str = "a transaction whose params were put in capitals after it was signed";

/// A transfer to the wallet itself, which moves nothing.
const TRANSFER: Change = To(r#"{"amount_to_send":1,"receiver":"<wallet>","asset_code":"TOKEN"}"#);

/// Malformed signatures: a description, and the text.
const FORMS: [(&str, &str); 5] = [
    ("not hexadecimal", "<zz><zz>"),
    ("empty", ""),
    ("null", "null"),
    ("all zeros", "<zero><zero>"),
    // A careless verifier takes it for a signature of any text.
    ("twice the order of the curve", "<order><order>"),
];

/// What a transaction may be like, and a change that makes it so. A careless node does not verify its signatures then.
const CONTENTS: [(&str, &str, Change); 11] = [
    ("of an hour ago", "/timestamp", Earlier),
    ("of 1970", "/timestamp", To("1000")),
    ("without a time", "/timestamp", Removed),
    ("of type 1", "/type", To("1")),
    ("of type 2", "/type", To("2")),
    ("with a fee of 0", "/fee", To("0")),
    ("with a fee in another token", "/currency", OtherToken),
    ("with is_child_txn set", "/is_child_txn", To("true")),
    ("with a status", "/status", To("1")),
    ("with another payer", "/fee_payer", To("\"<stranger>\"")),
    ("with a description", "/descr", To("\"a description\"")),
];

static ROWS: LazyLock<Vec<Variant>> = LazyLock::new(|| {
    let mut rows = rows! {
        "submit-transaction/unsigned" {
            "an unsigned transaction" => of(Stranger, &[]);
            "an unsigned transfer" => of(Stranger, &[]).edited("/specific_data/function", To("\"transfer\"")).edited(PARAMS, TRANSFER);
            "an unsigned transaction without signers" => of(Stranger, &[]).edited(SIGNERS, To("[]"));
            "a transaction without signers since it was signed" => right().sent(SIGNERS, To("[]"));
        }
        "submit-transaction/half-signed" {
            "a transaction that only the first of its two signers signed" => of(First, &[("<first>", RIGHT)]);
            "a transaction that only the second of its two signers signed" => of(Second, &[("<second>", RIGHT)]);
            "a transaction whose second signer is a contract, which signs nothing" => right().edited(SIGNERS, To(r#"["<wallet>","<contract>"]"#));
            "a transaction that one of its two signers signed twice" => of(First, &[("<first>", RIGHT), ("<first>", RIGHT)]);
            "a transaction that one of its two signers signed in both forms" => of(First, &[("<first>", RIGHT), ("<first>", "<r><-s>")]);
        }
        "submit-transaction/unlisted-signer" {
            "a transaction signed only by a wallet that is not a signer" => of(Stranger, &[("<stranger>", RIGHT)]);
            "a right signature that names another wallet" => of(Signer, &[("<stranger>", RIGHT)]);
            "a transaction that another wallet signed in place of the first of its two signers" => of(Second, &[("<third>", "<thirds>"), ("<second>", RIGHT)]);
            "a transaction that another wallet signed in place of the second of its two signers" => of(First, &[("<first>", RIGHT), ("<third>", "<thirds>")]);
        }
        "submit-transaction/another-wallets-key" {
            "a transaction signed with another wallet's key" => of(Stranger, &[("<wallet>", RIGHT)]);
            "a transfer signed with another wallet's key" => of(Stranger, &[("<wallet>", RIGHT)]).edited("/specific_data/function", To("\"transfer\"")).edited(PARAMS, TRANSFER);
            "a transaction whose second signature of two is wrong" => of(First, &[("<first>", RIGHT), ("<second>", RIGHT)]);
            "a transaction whose first signature of two is wrong" => of(Second, &[("<first>", RIGHT), ("<second>", RIGHT)]);
            "a transaction of two signers, each named in the other's signature" => of(Signer, &[("<stranger>", RIGHT), ("<wallet>", "<other>")]).edited(SIGNERS, BOTH);
            "another wallet's signature beside its `public_key`" => raw(Stranger, r#"{"transaction":<transaction>,"signatures":[{"wallet_address":"<wallet>","msgsign":"<r><s>","public_key":"<key>"}]}"#);
            "another wallet's signature beside its `publicKey`" => raw(Stranger, r#"{"transaction":<transaction>,"signatures":[{"wallet_address":"<wallet>","msgsign":"<r><s>","publicKey":"<key>"}]}"#);
            "another wallet's signature beside its `pubkey`" => raw(Stranger, r#"{"transaction":<transaction>,"signatures":[{"wallet_address":"<wallet>","msgsign":"<r><s>","pubkey":"<key>"}]}"#);
            "another wallet's signature, with the signer in capitals" => of(Stranger, &[("<WALLET>", RIGHT)]);
            "another wallet's signature, with blanks around the signer" => of(Stranger, &[(" <wallet> ", RIGHT)]);
            "a signature that names the signer, and then its own wallet" => raw(Stranger, r#"{"transaction":<transaction>,"signatures":[{"wallet_address":"<wallet>","wallet_address":"<stranger>","msgsign":"<r><s>"}]}"#);
            "a transaction whose signer differs in its last digit from the wallet that signs it" => of(Signer, &[("<wallet~>", RIGHT)]).edited(SIGNERS, To(r#"["<wallet~>"]"#)).edited(VERIFIER, To("\"<wallet~>\""));
            "a transaction whose signer differs in its first digit from the wallet that signs it" => of(Signer, &[("<~wallet>", RIGHT)]).edited(SIGNERS, To(r#"["<~wallet>"]"#)).edited(VERIFIER, To("\"<~wallet>\""));
            "a signature that names its own wallet, and then the signer" => raw(Stranger, r#"{"transaction":<transaction>,"signatures":[{"wallet_address":"<stranger>","wallet_address":"<wallet>","msgsign":"<r><s>"}]}"#);
        }
        "submit-transaction/signature-altered" {
            "a signature with one digit changed" => of(Signer, &[("<wallet>", "<r><s'>")]);
            "a signature with its halves swapped" => of(Signer, &[("<wallet>", "<s><r>")]);
            "a signature whose r is 0" => of(Signer, &[("<wallet>", "<zero><s>")]);
            "a signature whose s is 0" => of(Signer, &[("<wallet>", "<r><zero>")]);
            "a signature with another r and the order of the curve minus s" => of(Signer, &[("<wallet>", "<r'><-s>")]);
            "a signature of the same transaction with one more blank in remarks" => right().signed("/specific_data/params/remarks", Slightly);
            "a signature of the same transaction before its fee was set" => right().signed("/fee", To("0.0"));
        }
        "submit-transaction/params-altered" {
            IN_CAPITALS => right().sent(PARAMS, Capitals);
            "a transaction whose outcome was quoted after it was signed" => right().sent("/specific_data/params/outcome", Quoted);
            "a transaction whose remarks became null after it was signed" => right().sent("/specific_data/params/remarks", To("null"));
            "a transaction whose doc_link_list[0] was put into a list after it was signed" => right().sent("/specific_data/params/doc_link_list/0", Nested);
        }
        "submit-transaction/fee-altered" {
            "a transaction whose fee was quoted after it was signed" => right().sent("/fee", Quoted);
        }
        "submit-transaction/transaction-altered" {
            "a transaction with the signature of an earlier one" => of(Control, &[("<wallet>", RIGHT)]);
            "a transaction whose timestamp was quoted after it was signed" => right().sent("/timestamp", Quoted);
            "a transaction whose type was quoted after it was signed" => right().sent("/type", Quoted);
            "a transaction whose valid became true after it was signed" => right().sent("/valid", To("true"));
            "a transaction to which a signer was added after it was signed" => both_sign().sent(SIGNERS, BOTH);
            "a transaction of which a signer was removed after it was signed" => right().signed(SIGNERS, BOTH);
            "a transaction whose signer was listed twice after it was signed" => right().sent(SIGNERS, To(r#"["<wallet>","<wallet>"]"#));
            "a transaction whose signers were put in another order after it was signed" => both_sign().signed(SIGNERS, BOTH).sent(SIGNERS, To(r#"["<stranger>","<wallet>"]"#));
        }
        "submit-transaction/signature-not-hex" {
            "a signature that is `0x`" => of(Stranger, &[("<wallet>", "0x")]);
            "a signature of zeros in DER form" => of(Stranger, &[("<wallet>", "3006020100020100")]);
            "the first half of a signature" => of(Signer, &[("<wallet>", "<r>")]);
            "a signature with more digits" => of(Signer, &[("<wallet>", "<r><s>00")]);
            "the first half of a signature as the second of two" => of(First, &[("<first>", RIGHT), ("<second>", "<r>")]);
        }
        "submit-transaction/body-malformed" {
            "a submission without a transaction" => raw(Signer, r#"{"signatures":[{"wallet_address":"<wallet>","msgsign":"<r><s>"}]}"#);
            "a submission whose transaction is null" => raw(Signer, r#"{"transaction":null,"signatures":[{"wallet_address":"<wallet>","msgsign":"<r><s>"}]}"#);
            "a submission whose transaction is a string" => raw(Signer, r#"{"transaction":<text>,"signatures":[{"wallet_address":"<wallet>","msgsign":"<r><s>"}]}"#);
            "a submission without signatures" => raw(Stranger, r#"{"transaction":<transaction>}"#);
            "a submission whose signatures are null" => raw(Stranger, r#"{"transaction":<transaction>,"signatures":null}"#);
            "a submission whose signatures are an object" => raw(Stranger, r#"{"transaction":<transaction>,"signatures":{}}"#);
            "an empty object" => raw(Nobody, "{}");
            "a body that is not JSON" => raw(Nobody, "{\"transaction\":");
            "an empty body" => raw(Nobody, "");
            "an array" => raw(Stranger, r#"[{"transaction":<transaction>,"signatures":[]}]"#);
            "a string" => raw(Nobody, "\"a transaction\"");
        }
        "submit-transaction/fee-zero" { "a transaction whose fee is 0" => right().edited("/fee", To("0")); }
        "submit-transaction/fee-negative" {
            "a transaction whose fee is negative" => right().edited("/fee", To("-1000000"));
            "a transaction whose fee is in a currency that does not exist" => right().edited("/currency", To("\"NO-SUCH-TOKEN-5A5A\""));
            "a transaction whose fee is in a currency with a blank at its end" => right().edited("/currency", Slightly);
            "a transaction whose fee is in a currency in other letters" => right().edited("/currency", OtherLetters);
            "a transaction whose fee is more than there is" => right().edited("/fee", To("8000000000000000000"));
            "a transaction whose fee is one more than its wallet holds" => right().edited("/fee", MoreThanHeld);
            "a transaction whose fee is one more than its wallet holds of another token" => right().edited("/currency", OtherHeldToken).edited("/fee", MoreThanHeld);
        }
        "submit-transaction/transaction-malformed" {
            "a transaction whose fee is a string" => right().edited("/fee", To("\"1000000\""));
            "a transaction without timestamp" => right().edited("/timestamp", Removed);
            "a transaction without trans_code" => right().edited("/trans_code", Removed);
            "a transaction without type" => right().edited("/type", Removed);
            "a transaction without currency" => right().edited("/currency", Removed);
            "a transaction without fee" => right().edited("/fee", Removed);
            "a transaction without specific_data" => right().edited("/specific_data", Removed);
            "a transaction whose timestamp is a string" => right().edited("/timestamp", Quoted);
            "a transaction whose trans_code has 39 digits" => right().edited("/trans_code", To("\"ccccccccccccccccccccccccccccccccccccccc\""));
            "a transaction whose type is a string" => right().edited("/type", Quoted);
            "a transaction whose params are a list" => right().edited(PARAMS, To(r#"["to be refused"]"#));
            "a transaction without one of its params" => right().edited("/specific_data/params/asset_id", Removed);
            "a transaction whose outcome is a string" => right().edited("/specific_data/params/outcome", Quoted);
            "a transaction whose doc_hash_list is a number" => right().edited("/specific_data/params/doc_hash_list", To("5"));
            "a transaction whose signer is in capitals" => right().edited(SIGNERS, To("[\"<WALLET>\"]"));
            "a transaction whose signers are a string" => right().edited(SIGNERS, To("\"<wallet>\""));
            "a transaction whose contract has no address of the documented form" => right().edited(ADDRESS, To("\"ct5a\""));
        }
        "submit-transaction/oversized" { "a transaction of 20,000 bytes" => right().edited("/specific_data/params/remarks", Oversized); }
    };
    rows.extend(malformed_signatures());
    rows.extend(each_member_changed());
    rows.extend(CONTENTS.into_iter().flat_map(signed_by_nobody_or_another));
    rows
});

/// The rows about the params of transfers, each of which changes after signing.
static OF_TRANSFERS: LazyLock<Vec<Variant>> = LazyLock::new(|| {
    let receiver = WalletAddress::from_bytes([0; 20]);
    let params = json!({"amount_to_send": 1, "receiver": receiver, "asset_code": "TOKEN"});
    let mut rows = changes_of(&params, PARAMS);
    rows.retain(|row| row.sent.iter().all(|edit| edit.pointer != PARAMS));
    rows
});

/// Returns all rows of claims.
pub(super) fn rows() -> &'static [Variant] {
    &ROWS
}

/// Returns the rows of a case.
pub(crate) fn rows_of(case: &str) -> impl Iterator<Item = &'static Variant> {
    rows().iter().filter(move |row| row.case == case)
}

/// Returns the row that also goes before further claims. The texts of some of them have no capitals.
pub(super) fn in_capitals() -> Option<&'static Variant> {
    rows().iter().find(|row| row.what == IN_CAPITALS)
}

/// When a wrong submission is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// In place of a right one: each has a code of its own.
    Alone,
    /// In a batch with a right one.
    InBatch,
    /// With the code of the run's claim, before the claim.
    Before,
    /// At the same moment as the claim.
    AtOnce,
    /// While the claim is pending.
    Pending,
    /// Once the claim is stored.
    Stored,
    /// Signed by the wallet that makes claims, with a code of its own, once a claim is stored: what is wrong although it is
    /// signed, and what the claim can't be submitted as.
    Signed,
    /// As a transfer of the wallet, alone and in a batch.
    Transfer,
}

impl Moment {
    /// All moments, in this order.
    pub const ALL: [Self; 8] = [
        Self::Alone,
        Self::InBatch,
        Self::Before,
        Self::AtOnce,
        Self::Pending,
        Self::Stored,
        Self::Signed,
        Self::Transfer,
    ];

    /// The moment in a few words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Alone => "alone",
            Self::InBatch => "in a batch with a right one",
            Self::Before => "before the claim, with its code",
            Self::AtOnce => "at the same moment as the claim",
            Self::Pending => "while the claim is pending",
            Self::Stored => "once the claim is stored",
            Self::Signed => "signed by the wallet of the claims",
            Self::Transfer => "as a transfer, alone and in a batch",
        }
    }

    /// Returns the end of a description.
    pub(super) const fn ending(self) -> &'static str {
        match self {
            Self::Alone | Self::InBatch | Self::Before | Self::Signed => "",
            Self::AtOnce => ", submitted at the same moment as the right one,",
            Self::Pending => ", submitted while the right one was pending,",
            Self::Stored => ", submitted once the right one was stored,",
            Self::Transfer => ", of a transfer,",
        }
    }
}

/// Returns the rows that are sent at this moment. Of each case, some rows are enough to show whether a node then looks
/// at something else.
pub(crate) fn rows_at(moment: Moment) -> Vec<&'static Variant> {
    let all = rows().iter();
    let with_one_code = |row: &&Variant| row.is_of_the_claim() || row.has_two_signers();
    match moment {
        Moment::Alone => all.collect(),
        Moment::InBatch => some_of_each(all.filter(|row| row.is_wrongly_signed()), 0, 1, 6),
        // The submissions with a stranger's signature name the same wallet in `Alone`.
        Moment::Before => all
            .filter(with_one_code)
            .filter(|row| !row.names_only_the_payer())
            .collect(),
        Moment::AtOnce => some_of_each(all.filter(|row| row.is_of_the_claim()), 0, 1, 1),
        Moment::Pending => some_of_each(all.filter(with_one_code), 0, 2, 2),
        Moment::Stored => some_of_each(all.filter(with_one_code), 1, 2, 2),
        Moment::Signed => all
            .filter(|row| row.is_rightly_signed() || row.is_signed_otherwise())
            .filter(|row| row.cost() < Cost::TooMuch)
            .collect(),
        // It never has the code of another submission, so those that name only the payer are sent, too.
        Moment::Transfer => all
            .chain(OF_TRANSFERS.iter())
            .filter(with_one_code)
            .filter(|row| !row.changes_only_params() || row.is_of_a_transfer())
            .collect(),
    }
}

/// Returns the cases and the descriptions of all rows, with the moments at which each is sent.
pub(crate) fn planned_rows() -> Vec<(&'static str, &'static str, Vec<Moment>)> {
    let sent_at = Moment::ALL.map(|moment| (moment, rows_at(moment)));
    let moments = |row: &Variant| {
        let with_row = sent_at
            .iter()
            .filter(|(_, rows)| rows.iter().any(|sent| sent.what == row.what));
        with_row.map(|(moment, _)| *moment).collect()
    };
    rows()
        .iter()
        .chain(OF_TRANSFERS.iter())
        .map(|row| (row.case, &*row.what, moments(row)))
        .collect()
}

/// Returns some rows of each case and number of signers: each one of `step` from the one at `first` on, at most `most`.
fn some_of_each(
    rows: impl Iterator<Item = &'static Variant>,
    first: usize,
    step: usize,
    most: usize,
) -> Vec<&'static Variant> {
    let mut kinds: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for row in rows {
        let kind = (row.case, row.has_two_signers());
        kinds.entry(kind).or_default().push(row);
    }
    let kept = kinds.values().flat_map(|rows| {
        // A kind with one row has it at each moment.
        let first = first.min(rows.len() - 1);
        rows.iter().skip(first).step_by(step).take(most).copied()
    });
    kept.collect()
}

/// Returns each malformed signature: the only one, and one of two beside the right one.
fn malformed_signatures() -> impl Iterator<Item = Variant> {
    FORMS.into_iter().flat_map(|(form, text)| {
        let (first, second) = (("<first>", text), ("<second>", text));
        [
            ("a signature", of(Stranger, &[first])),
            (
                "a first signature of two",
                of(Second, &[first, ("<second>", RIGHT)]),
            ),
            (
                "a second signature of two",
                of(First, &[("<first>", RIGHT), second]),
            ),
        ]
        .map(|(which, row)| Variant {
            case: "submit-transaction/signature-not-hex",
            what: format!("{which} that is {form}"),
            ..row
        })
    })
}

/// Returns the rows for a transaction of this content without a signature, and with another wallet's.
fn signed_by_nobody_or_another((content, pointer, change): (&str, &str, Change)) -> [Variant; 2] {
    [
        Variant {
            case: "submit-transaction/unsigned",
            what: format!("an unsigned transaction {content}"),
            ..of(Stranger, &[]).edited(pointer, change)
        },
        Variant {
            case: "submit-transaction/another-wallets-key",
            what: format!("a transaction {content}, signed with another wallet's key"),
            ..of(Stranger, &[("<wallet>", RIGHT)]).edited(pointer, change)
        },
    ]
}

/// Returns a row for each member of a transaction, at any depth, that changes after signing.
fn each_member_changed() -> Vec<Variant> {
    let call = call("", &[WalletAddress::from_bytes([0; 20])], "", "");
    let transaction = serde_json::from_str(&written("", "1", &call));
    let mut transaction: Value = transaction.unwrap_or_default();
    transaction["is_child_txn"] = false.into();
    changes_of(&transaction, "")
}

/// Whether a text differs in capitals and is not an address.
fn has_capitals(text: &str) -> bool {
    !text.starts_with("0x") && text.to_uppercase() != text
}

/// Returns the rows for a value and for everything in it.
fn changes_of(value: &Value, pointer: &str) -> Vec<Variant> {
    let place = |name: &dyn Display| format!("{pointer}/{name}");
    let (changes, inner): (&[_], Vec<_>) = match value {
        Value::Object(members) => (
            &[("got one more member", Slightly)],
            members
                .iter()
                .map(|(name, value)| (place(name), value))
                .collect(),
        ),
        Value::Array(entries) => (
            &[("got one more entry", Slightly), ("was reversed", Reversed)],
            entries
                .iter()
                .enumerate()
                .map(|(at, value)| (place(&at), value))
                .collect(),
        ),
        _ if pointer == "/currency" => (&[("was changed", OtherToken)], Vec::new()),
        _ if pointer == ADDRESS => (&[("was changed", OtherContract)], Vec::new()),
        _ if pointer == TOKEN => (&[("was changed", OtherToken)], Vec::new()),
        Value::String(text) if pointer == "/trans_code" || has_capitals(text) => (
            &[("was changed", Slightly), ("was put in capitals", Capitals)],
            Vec::new(),
        ),
        _ => (&[("was changed", Slightly)], Vec::new()),
    };
    let case = match pointer {
        "/fee" => "submit-transaction/fee-altered",
        _ if pointer.starts_with(PARAMS) => "submit-transaction/params-altered",
        _ => "submit-transaction/transaction-altered",
    };
    // Other rows are about the list of signers.
    let changes = changes.iter().filter(|_| pointer != SIGNERS);
    let own = changes.map(|(what, change)| Variant {
        case,
        what: format!(
            "a `transaction{}` that {what} after it was signed",
            pointer.replace('/', ".")
        ),
        ..right().sent(pointer, *change)
    });
    let inner = inner
        .iter()
        .flat_map(|(pointer, value)| changes_of(value, pointer));
    own.chain(inner).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_rows_have_the_same_description() {
        let planned = planned_rows();
        let descriptions: BTreeSet<_> = planned.iter().map(|(_, what, _)| what).collect();
        assert_eq!(descriptions.len(), planned.len());
    }

    #[test]
    fn two_batches_have_space_for_rows_of_each_kind() {
        let rows = rows_at(Moment::InBatch);
        // A known node takes 50 submissions in a batch.
        assert!((50..=96).contains(&rows.len()), "{}", rows.len());
    }

    #[test]
    fn each_member_of_a_transaction_is_changed_after_signing() {
        let rows = each_member_changed();
        let pointers: BTreeSet<_> = rows.iter().map(|row| &*row.sent[0].pointer).collect();
        for pointer in [
            "",
            "/fee",
            "/is_child_txn",
            "/specific_data/params/doc_hash_list/1",
            PARAMS,
        ] {
            assert!(pointers.contains(pointer), "{pointer}: {pointers:?}");
        }
        // The signature of the claim is never sent with another code or other signers.
        let of_the_claim = rows.iter().filter(|row| row.is_of_the_claim());
        for row in of_the_claim {
            assert!(
                !row.what.contains("trans_code") && !row.what.contains("signers"),
                "{row:?}"
            );
        }
    }
}
