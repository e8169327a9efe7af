//! Submissions that a node may accept or refuse: a table. The specification leaves open which. What a node does with one
//! that it accepts is judged like everything else.

use std::sync::LazyLock;

use super::{
    edit::Change::To,
    variant::{By::Signer, RIGHT, SIGNERS, Variant, of, right, rows},
};

/// The function that a transaction calls.
const FUNCTION: &str = "/specific_data/function";

/// The rows. In the first one, the other wallet can pay. In the others, it is a stranger.
static ROWS: LazyLock<Vec<Variant>> = LazyLock::new(|| {
    rows! {
        "" {
            "a transaction that names another wallet as the one that pays" => right().edited("/fee_payer", To("\"<stranger>\""));
            "a transaction with one more signature, of a wallet that is not a signer" => of(Signer, &[("<wallet>", RIGHT), ("<stranger>", "<other>")]);
            "a transaction that lists its signer twice" => of(Signer, &[("<wallet>", RIGHT), ("<wallet>", RIGHT)]).edited(SIGNERS, To(r#"["<wallet>","<wallet>"]"#));
            "a transaction that calls a function which its contract does not have" => right().edited(FUNCTION, To("\"no_such_function\""));
            "a transaction with an integer beyond 64 bits" => right().edited("/specific_data/params/deletable_after", To("9223372036854775808"));
        }
    }
});

/// Returns the row that names another wallet which can pay, and the others.
pub(super) fn undecided_rows() -> (Option<&'static Variant>, &'static [Variant]) {
    let (first, rest) = ROWS.split_first().unzip();
    (first, rest.unwrap_or_default())
}
