//! Submissions that a node must accept like any other of the same wallet: a table. A careless node refuses them,
//! because it reads or writes something in another way.

use std::sync::LazyLock;

use super::{
    edit::Change::{Fraction, To},
    variant::{
        BOTH, By::Signer, RIGHT, SIGNERS, Variant, both_sign, of, raw, right, right_if, rows,
    },
};

const TEXT: &str = "/specific_data/params/asset_type";
const HASHES: &str = "/specific_data/params/doc_hash_list";
const LINKS: &str = "/specific_data/params/doc_link_list";
/// The specification does not have this param. A node may refuse it.
const NESTED: &str = "/specific_data/params/nested";
const NUMBER: &str = "/specific_data/params/deletable_after";

static ROWS: LazyLock<Vec<Variant>> = LazyLock::new(|| {
    let mut rows = rows! {
        "submit-transaction/equal-forms" {
            "a correct submission with `signatures` before `transaction`" => raw(Signer, r#"{"signatures":[{"wallet_address":"<wallet>","msgsign":"<r><s>"}],"transaction":<transaction>}"#);
            "a correct submission with blanks and line breaks between its members" => raw(Signer, "\n{ \"transaction\" :\r\n\t<transaction> ,\n \"signatures\" : [ {\n\"wallet_address\": \"<wallet>\", \"msgsign\"\t: \"<r><s>\" } ] }\n");
            "a correct submission with capital letters in its hexadecimal signature" => of(Signer, &[("<wallet>", "<R><S>")]);
        }
        "submit-transaction/signed-values" {
            "a correct signature whose r begins with a zero byte" => right_if(|signature| signature.starts_with("00"));
            "a correct signature whose s begins with a zero byte" => right_if(|signature| signature.get(64..66) == Some("00"));
        }
        "submit-transaction/two-signers" {
            "a transaction that both of its signers signed" => both_sign().edited(SIGNERS, BOTH);
        }
        "submit-transaction/signature-order" {
            "a transaction that both of its signers signed, with their signatures in reverse order" => of(Signer, &[("<stranger>", "<other>"), ("<wallet>", RIGHT)]).edited(SIGNERS, BOTH);
        }
        "submit-transaction/fee-with-fraction" {
            "a transaction whose fee is written with a fraction of 0, signed so" => right().edited("/fee", Fraction);
        }
        "submit-transaction/high-s" {
            "a valid signature whose s is in the higher half" => of(Signer, &[("<wallet>", "<r><-s>")]);
        }
        "submit-transaction/signed-values" {
            "a correctly signed text with `&`, `<`, `>`, `'` and `+`" => right().edited(TEXT, To(r#""a & b < c > d ' e + f""#));
            "a correctly signed text with quotes, slashes and backslashes" => right().edited(TEXT, To(r#""\"a\" / b \\ c \\u00e9""#));
            "a correctly signed text with line breaks, tabs and blanks" => right().edited(TEXT, To(r#""  a\r\n\tb\n ""#));
            "a correctly signed text with U+007F and U+0085" => right().edited(TEXT, To(r#""a\u007fb\u0085c""#));
            "a correctly signed text with letters beyond ASCII" => right().edited(TEXT, To(r#""Größe, e\u0301, ж, 漢, \u2028""#));
            "a correctly signed text with letters beyond the basic plane" => right().edited(TEXT, To(r#""\ud83d\ude00 and \ud834\udd1e""#));
            "a correctly signed text that looks like JSON" => right().edited(TEXT, To(r#""{\"b\": 1.0, \"a\" : [1e3,null]}""#));
            "a correctly signed empty text" => right().edited(TEXT, To(r#""""#));
            "a correctly signed transaction with two empty lists" => right().edited(HASHES, To("[]")).edited(LINKS, To("[]"));
            "a correctly signed param with lists and objects in one another" => right().edited(NESTED, To(r#"{"b":[[[[{"c":[],"a":{}}]]]],"a":[[1,"x"],[null,true]]}"#));
            "a correctly signed integer beyond 32 bits" => right().edited(NUMBER, To("4294967297"));
            "a correctly signed integer beyond 2^53" => right().edited(NUMBER, To("9007199254740993"));
            "a correctly signed integer of 64 bits" => right().edited(NUMBER, To("9223372036854775807"));
            "a correctly signed negative integer" => right().edited("/specific_data/params/outcome", To("-1"));
        }
    };
    rows.iter_mut().for_each(|row| row.is_right = true);
    rows
});

/// Returns the forms of one submission: what is signed is the same.
pub(super) fn equal_forms() -> impl Iterator<Item = &'static Variant> {
    ROWS.iter()
        .filter(|row| row.sent.is_empty() && row.sought.is_none())
}

/// Returns the rows.
pub(crate) fn right_rows() -> &'static [Variant] {
    &ROWS
}

/// Returns the rows of a case.
pub(crate) fn right_rows_of(case: &str) -> impl Iterator<Item = &'static Variant> {
    ROWS.iter().filter(move |row| row.case == case)
}
