//! Submissions that a node may accept or refuse: a table. The specification leaves open which. What a node does with one
//! that it accepts is judged like everything else.

use std::sync::LazyLock;

use super::{
    edit::Change::{Earlier, Later, Removed, Slightly, To},
    variant::{ADDRESS, By::Signer, RIGHT, SIGNERS, VERIFIER, Variant, of, raw, right, rows},
};

/// The function that a transaction calls.
const FUNCTION: &str = "/specific_data/function";

/// It is longer than a narrow column.
const DESCRIPTION: &str = r#""é 中 & <b> 😀 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789""#;

/// Two hashes, of which one is written in another way.
const HASHES: &str = r#"["0x5A5a5A5a5A5a5A5a5A5a5A5a5A5a5A5a5A5a5A5a5A5a5A5a5A5a5A5a5A5a5A5a","a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5"]"#;

/// A body with the signed transaction, and another one under the same name. A parser may read either.
const TWICE: &str = r#"{"transaction":<signed>,"transaction":<transaction>,"signatures":[{"wallet_address":"<wallet>","msgsign":"<r><s>"}]}"#;

/// A body with the signed transaction, which has other remarks before those that are signed.
const REMARKS_TWICE: &str =
    r#"{"transaction":<remarked>,"signatures":[{"wallet_address":"<wallet>","msgsign":"<r><s>"}]}"#;

/// Number of the first rows, in which the other wallet can pay. In the others, it is a stranger.
const OF_PAYER: usize = 3;

static ROWS: LazyLock<Vec<Variant>> = LazyLock::new(|| {
    rows! {
        "" {
            "a transaction that names another wallet as the one that pays" => right().edited("/fee_payer", To("\"<stranger>\""));
            "a transaction that names another wallet as its verifier" => right().edited(VERIFIER, To("\"<stranger>\""));
            "a transaction with one more signature, a wrong one of a wallet that is not a signer" => of(Signer, &[("<wallet>", RIGHT), ("<stranger>", "<other>")]);
            "a transaction with one more signature, of a wallet that is not a signer" => of(Signer, &[("<wallet>", RIGHT), ("<stranger>", "<other>")]);
            "a transaction that lists its signer twice" => of(Signer, &[("<wallet>", RIGHT), ("<wallet>", RIGHT)]).edited(SIGNERS, To(r#"["<wallet>","<wallet>"]"#));
            "a transaction for a contract that does not exist" => right().edited(ADDRESS, To("\"ctffffffffffffffffffffffffffffffffffffffff\""));
            "a transaction that calls a function which its contract does not have" => right().edited(FUNCTION, To("\"no_such_function\""));
            "a transaction that is written twice, the second time with other remarks" => raw(Signer, TWICE).sent("/specific_data/params/remarks", Slightly);
            "a transaction with other remarks before those that are signed" => raw(Signer, REMARKS_TWICE);
            "a transaction of the next minute" => right().edited("/timestamp", Later);
            "a transaction of an hour ago" => right().edited("/timestamp", Earlier);
            "a transaction with a description" => right().edited("/descr", To(DESCRIPTION));
            "a transaction with its outcome once more, in capitals" => right().edited("/specific_data/params/OUTCOME", To("7"));
            "a transaction with a negative threshold" => right().edited("/specific_data/params/deletable_after", To("-7"));
            "a transaction with a hash that begins with 0x" => right().edited("/specific_data/params/doc_hash_list", To(HASHES));
            "a transaction with a param that is named like another column of its record" => right().edited("/specific_data/params/address", To("\"ctffffffffffffffffffffffffffffffffffffffff\""));
            "a transaction without remarks and links" => right().edited("/specific_data/params/remarks", Removed).edited("/specific_data/params/doc_link_list", Removed);
            "a transaction with an integer beyond 64 bits" => right().edited("/specific_data/params/deletable_after", To("9223372036854775808"));
        }
    }
});

/// Returns the rows that name another wallet which can pay, and the others.
pub(super) fn undecided_rows() -> (&'static [Variant], &'static [Variant]) {
    ROWS.split_at(OF_PAYER)
}
