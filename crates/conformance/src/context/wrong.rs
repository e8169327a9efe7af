//! Submissions that a node must refuse: a table. Each row has one fault.

use std::{fmt::Display, sync::LazyLock};

use nodeproof_primitives::{WalletAddress, signed_message};
use serde_json::{Value, json};

use self::By::{Control, First, Nobody, Second, Signer, Stranger};
use super::{
    draft::{REFUSED, call, draft, written},
    edit::{
        Change::{self, *},
        Edit, OVERSIZED, altered, with_another_digit,
    },
    signatures::{
        CURVE_ORDER, harness, payer, sign, signer, stranger, stranger_keys, whole, with_high_s,
    },
    submitter::{Response, Submitter},
};
use crate::http::{InconclusiveReason, Request};

/// A submission that a node must refuse.
#[derive(Debug)]
pub(crate) struct Wrong {
    /// The ID of the case that judges it.
    pub(crate) case: &'static str,
    /// A description, which no other row has.
    pub(crate) what: String,
    by: By,
    /// The changes of a correct transaction in the text that is signed.
    signed: Vec<Edit>,
    /// The changes in the text that is submitted.
    sent: Vec<Edit>,
    /// The text of the submission. The parts in angle brackets are filled in: see [`Wrong::filled`].
    body: String,
    /// Whether the run's own claim is submitted with this fault first. All of these submissions have the code of
    /// the claim, so at most one of them can be paid.
    pub(super) is_of_the_claim: bool,
}

/// Who signs a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    /// Nobody. It has no transaction.
    Nobody,
    /// A stranger. The transaction names the wallet that can pay as its only signer.
    Stranger,
    /// The signer itself: a wallet with a public or throw-away key. The node built the transaction, so it can
    /// combine it with any signature over it.
    Signer,
    /// The same wallet, but with its signature of the control.
    Control,
    /// The first of two signers, a stranger. The second one can pay.
    First,
    /// The second of two signers, a stranger. The first one can pay.
    Second,
}

/// The description of a wrong signature. Others are compared with it.
pub(crate) const ONE_DIGIT_CHANGED: &str = "a signature with one digit changed";

/// The right signature of the wallet that signs.
const RIGHT: &str = "<r><s>";
const SIGNERS: &str = "/specific_data/signers";
const PARAMS: &str = "/specific_data/params";
const BOTH: Change = To(r#"["<wallet>","<stranger>"]"#);
const ADDRESS: &str = "/specific_data/address";

/// Malformed signatures: a description, and the text.
const FORMS: [(&str, &str); 5] = [
    ("not hexadecimal", "<zz><zz>"),
    ("empty", ""),
    ("null", "null"),
    ("all zeros", "<zero><zero>"),
    // A careless verifier takes it for a signature of any text.
    ("twice the order of the curve", "<order><order>"),
];

macro_rules! rows {
    ($($case:literal { $($what:literal => $row:expr;)* })*) => {
        vec![$($(Wrong { case: $case, what: $what.to_owned(), ..$row },)*)*]
    };
}

static ROWS: LazyLock<Vec<Wrong>> = LazyLock::new(|| {
    let mut rows = rows! {
        "submit-transaction/unsigned" {
            "an unsigned transaction" => of(Stranger, &[]);
            "an unsigned transaction without signers" => of(Stranger, &[]).edited(SIGNERS, To("[]"));
            "a transaction without signers since it was signed" => right().sent(SIGNERS, To("[]"));
        }
        "submit-transaction/half-signed" {
            "a transaction that only the first of its two signers signed" => of(First, &[("<first>", RIGHT)]);
            "a transaction that only the second of its two signers signed" => of(Second, &[("<second>", RIGHT)]);
            "a transaction that one of its two signers signed twice" => of(First, &[("<first>", RIGHT), ("<first>", RIGHT)]);
        }
        "submit-transaction/unlisted-signer" {
            "a transaction signed only by a wallet that is not a signer" => of(Stranger, &[("<stranger>", RIGHT)]);
        }
        "submit-transaction/another-wallets-key" {
            "a transaction signed with another wallet's key" => of(Stranger, &[("<wallet>", RIGHT)]);
            "a transaction whose second signature of two is wrong" => of(First, &[("<first>", RIGHT), ("<second>", RIGHT)]);
            "a transaction whose first signature of two is wrong" => of(Second, &[("<first>", RIGHT), ("<second>", RIGHT)]);
            "a transaction with is_child_txn that is signed with another wallet's key" => of(Stranger, &[("<wallet>", RIGHT)]).edited("/is_child_txn", To("true"));
            "a transaction of two signers, each named in the other's signature" => of(Signer, &[("<stranger>", RIGHT), ("<wallet>", "<other>")]).edited(SIGNERS, BOTH);
            "another wallet's signature beside its `public_key`" => raw(Stranger, r#"{"transaction":<transaction>,"signatures":[{"wallet_address":"<wallet>","msgsign":"<r><s>","public_key":"<key>"}]}"#);
            "another wallet's signature beside its `publicKey`" => raw(Stranger, r#"{"transaction":<transaction>,"signatures":[{"wallet_address":"<wallet>","msgsign":"<r><s>","publicKey":"<key>"}]}"#);
            "another wallet's signature beside its `pubkey`" => raw(Stranger, r#"{"transaction":<transaction>,"signatures":[{"wallet_address":"<wallet>","msgsign":"<r><s>","pubkey":"<key>"}]}"#);
            "another wallet's signature, with the signer in capitals" => of(Stranger, &[("<WALLET>", RIGHT)]);
            "another wallet's signature, with blanks around the signer" => of(Stranger, &[(" <wallet> ", RIGHT)]);
            "a signature that names the signer, and then its own wallet" => raw(Stranger, r#"{"transaction":<transaction>,"signatures":[{"wallet_address":"<wallet>","wallet_address":"<stranger>","msgsign":"<r><s>"}]}"#);
            "a signature that names its own wallet, and then the signer" => raw(Stranger, r#"{"transaction":<transaction>,"signatures":[{"wallet_address":"<stranger>","wallet_address":"<wallet>","msgsign":"<r><s>"}]}"#);
        }
        "submit-transaction/signature-altered" {
            "a signature with one digit changed" => of(Signer, &[("<wallet>", "<r><s'>")]).also_of_the_claim();
            "a signature with its halves swapped" => of(Signer, &[("<wallet>", "<s><r>")]);
            "a signature whose r is 0" => of(Signer, &[("<wallet>", "<zero><s>")]);
            "a signature whose s is 0" => of(Signer, &[("<wallet>", "<r><zero>")]);
            "a signature with another r and the order of the curve minus s" => of(Signer, &[("<wallet>", "<r'><-s>")]);
            "a signature of the same transaction with one more blank in remarks" => right().signed("/specific_data/params/remarks", Slightly);
            "a signature of the same transaction before its fee was set" => right().signed("/fee", To("0.0"));
        }
        "submit-transaction/params-altered" {
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
            "a transaction whose trans_code was put in capitals after it was signed" => right().sent("/trans_code", Capitals);
            "a transaction to which a signer was added after it was signed" => both_sign().sent(SIGNERS, BOTH);
            "a transaction of which a signer was removed after it was signed" => right().signed(SIGNERS, BOTH);
            "a transaction whose signer was listed twice after it was signed" => right().sent(SIGNERS, To(r#"["<wallet>","<wallet>"]"#));
            "a transaction whose signers were put in another order after it was signed" => both_sign().signed(SIGNERS, BOTH).sent(SIGNERS, To(r#"["<stranger>","<wallet>"]"#));
        }
        "submit-transaction/signature-not-hex" {
            "a signature that is `0x`" => of(Stranger, &[("<wallet>", "0x")]);
            "a signature of zeros in DER form" => of(Stranger, &[("<wallet>", "3006020100020100")]);
            "the first half of a signature" => of(Signer, &[("<wallet>", "<r>")]).also_of_the_claim();
            "a signature with more digits" => of(Signer, &[("<wallet>", "<r><s>00")]).also_of_the_claim();
            "the first half of a signature as the second of two" => of(First, &[("<first>", RIGHT), ("<second>", "<r>")]);
        }
        "submit-transaction/transaction-required" {
            "a submission without a transaction" => raw(Signer, r#"{"signatures":[{"wallet_address":"<wallet>","msgsign":"<r><s>"}]}"#);
            "a submission whose transaction is null" => raw(Signer, r#"{"transaction":null,"signatures":[{"wallet_address":"<wallet>","msgsign":"<r><s>"}]}"#);
            "a submission whose transaction is a string" => raw(Signer, r#"{"transaction":<text>,"signatures":[{"wallet_address":"<wallet>","msgsign":"<r><s>"}]}"#);
        }
        "submit-transaction/signatures-required" {
            "a submission without signatures" => raw(Stranger, r#"{"transaction":<transaction>}"#);
            "a submission whose signatures are null" => raw(Stranger, r#"{"transaction":<transaction>,"signatures":null}"#);
            "a submission whose signatures are an object" => raw(Stranger, r#"{"transaction":<transaction>,"signatures":{}}"#);
        }
        "submit-transaction/fee-mistyped" { "a transaction whose fee is a string" => right().edited("/fee", To("\"1000000\"")); }
        "submit-transaction/fee-negative" { "a transaction whose fee is negative" => right().edited("/fee", To("-1000000")); }
        "submit-transaction/fee-zero" { "a transaction whose fee is 0" => right().edited("/fee", To("0")); }
        "submit-transaction/transaction-malformed" {
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
            "a transaction whose signers are a string" => right().edited(SIGNERS, To("\"<wallet>\""));
            "a transaction whose contract has no address of the documented form" => right().edited(ADDRESS, To("\"ct5a\""));
        }
        "submit-transaction/empty-object" { "an empty object" => raw(Nobody, "{}"); }
        "submit-transaction/body-not-json" {
            "a body that is not JSON" => raw(Nobody, "{\"transaction\":");
            "an empty body" => raw(Nobody, "");
        }
        "submit-transaction/body-array" { "an array" => raw(Stranger, r#"[{"transaction":<transaction>,"signatures":[]}]"#); }
        "submit-transaction/body-text" { "a string" => raw(Nobody, "\"a transaction\""); }
        "submit-transaction/oversized" { "a transaction of 20,000 bytes" => right().edited("/specific_data/params/remarks", Oversized); }
    };
    rows.extend(malformed_signatures());
    rows.extend(each_member_changed());
    rows
});

/// Returns all rows.
pub(crate) fn rows() -> &'static [Wrong] {
    &ROWS
}

/// Returns the rows of a case.
pub(crate) fn rows_of(case: &str) -> impl Iterator<Item = &'static Wrong> {
    rows().iter().filter(move |row| row.case == case)
}

/// Returns each malformed signature: the only one, and one of two beside the right one.
fn malformed_signatures() -> impl Iterator<Item = Wrong> {
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
        .map(|(which, row)| Wrong {
            case: "submit-transaction/signature-not-hex",
            what: format!("{which} that is {form}"),
            ..row
        })
    })
}

/// Returns a row for each member of a transaction, at any depth, that changes after signing.
fn each_member_changed() -> Vec<Wrong> {
    let call = call("", &[WalletAddress::from_bytes([0; 20])], "", "");
    let transaction = serde_json::from_str(&written("", "1", &call));
    let mut transaction: Value = transaction.unwrap_or_default();
    transaction["is_child_txn"] = false.into();
    changes_of(&transaction, "")
}

/// Returns the rows for a value and for everything in it.
fn changes_of(value: &Value, pointer: &str) -> Vec<Wrong> {
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
        _ => (&[("was changed", Slightly)], Vec::new()),
    };
    let case = match pointer {
        "/fee" => "submit-transaction/fee-altered",
        _ if pointer.starts_with(PARAMS) => "submit-transaction/params-altered",
        _ => "submit-transaction/transaction-altered",
    };
    // Other rows are about the list of signers.
    let changes = changes.iter().filter(|_| pointer != SIGNERS);
    let own = changes.map(|(what, change)| Wrong {
        case,
        what: format!(
            "a `transaction{}` that {what} after it was signed",
            pointer.replace('/', ".")
        ),
        is_of_the_claim: pointer != "/trans_code" && !pointer.starts_with(SIGNERS),
        ..right().sent(pointer, *change)
    });
    let inner = inner
        .iter()
        .flat_map(|(pointer, value)| changes_of(value, pointer));
    own.chain(inner).collect()
}

/// Returns a submission with this body.
fn raw(by: By, body: &str) -> Wrong {
    Wrong {
        case: "",
        what: String::new(),
        by,
        signed: Vec::new(),
        sent: Vec::new(),
        body: body.to_owned(),
        is_of_the_claim: false,
    }
}

/// Returns a submission with these signatures, each with its wallet.
fn of(by: By, entries: &[(&str, &str)]) -> Wrong {
    let entries = entries.iter().map(|(wallet, msgsign)| match *msgsign {
        "null" => json!({"wallet_address": wallet, "msgsign": null}),
        msgsign => json!({"wallet_address": wallet, "msgsign": msgsign}),
    });
    raw(by, &whole("<transaction>", &entries.collect::<Vec<_>>()))
}

/// Returns a submission with the right signature.
fn right() -> Wrong {
    of(Signer, &[("<wallet>", RIGHT)])
}

/// Returns a submission of the signer and a stranger, both with the right signature.
fn both_sign() -> Wrong {
    of(Signer, &[("<wallet>", RIGHT), ("<stranger>", "<other>")])
}

impl Wrong {
    fn also_of_the_claim(self) -> Self {
        Self {
            is_of_the_claim: true,
            ..self
        }
    }

    /// Changes the text that is signed, and not the one that is submitted.
    fn signed(mut self, pointer: &str, change: Change) -> Self {
        let pointer = pointer.to_owned();
        self.signed.push(Edit { pointer, change });
        self
    }

    /// Changes the text that is submitted, and not the one that is signed.
    fn sent(mut self, pointer: &str, change: Change) -> Self {
        let pointer = pointer.to_owned();
        self.sent.push(Edit { pointer, change });
        self
    }

    /// Changes the text before it is signed.
    fn edited(self, pointer: &str, change: Change) -> Self {
        self.signed(pointer, change).sent(pointer, change)
    }

    /// Whether the signatures are right, so that only a member is wrong, or the size.
    pub(crate) fn is_rightly_signed(&self) -> bool {
        self.by == Signer && self.signed == self.sent && self.body == right().body
    }

    /// Whether the signatures are wrong: one is missing or malformed, or is not by the right wallet over
    /// exactly this transaction.
    pub(super) fn is_wrongly_signed(&self) -> bool {
        self.body.contains("<transaction>")
            && !self.body.starts_with('[')
            && !self.is_rightly_signed()
    }

    /// Whether only the signed content is wrong. Nothing else differs from a correct transaction,
    /// so only a check of the signatures can refuse it.
    pub(crate) fn differs_only_in_what_is_signed(&self) -> bool {
        const FREE: [&str; 4] = ["/fee", "/timestamp", "/trans_code", "/descr"];
        let mut edits = self.signed.iter().chain(&self.sent).peekable();
        edits.peek().is_some()
            && self.is_wrongly_signed()
            && edits.all(|edit| {
                matches!(edit.change, Slightly | Reversed)
                    && (edit.pointer.starts_with(PARAMS) || FREE.contains(&&*edit.pointer))
            })
    }

    /// Whether a stranger signs as one of two signers. A co-signer of the chain decides these.
    pub(crate) fn has_two_signers(&self) -> bool {
        matches!(self.by, First | Second)
    }

    /// Whether the submission names the wallet that can pay as its only signer, and has no signature
    /// of it.
    pub(crate) fn names_only_the_payer(&self) -> bool {
        self.by == Stranger && self.is_wrongly_signed()
    }

    /// Whether only the first of two signers signs.
    pub(super) fn is_signed_by_the_first(&self) -> bool {
        self.by == First
    }

    /// Whether the signature is that of the control.
    pub(super) fn repeats_the_control(&self) -> bool {
        self.by == Control
    }

    /// Returns the body. `control` is the signature of the control, if this one repeats it.
    async fn body(
        &self,
        submitter: &Submitter,
        control: Option<String>,
    ) -> Result<String, InconclusiveReason> {
        let other = stranger()?;
        let wallets = match self.by {
            Nobody => return Ok(self.body.clone()),
            Stranger => [payer(submitter)?, other.address()],
            Signer | Control => [signer(submitter)?.address(), other.address()],
            First => [other.address(), payer(submitter)?],
            Second => [payer(submitter)?, other.address()],
        };
        let signers = if self.has_two_signers() { 2 } else { 1 };
        let text = draft(
            submitter,
            wallets.get(..signers).unwrap_or_default(),
            REFUSED,
        )
        .await?;
        let by = match self.by {
            Signer => signer(submitter)?,
            _ => other,
        };
        let signed = self.edited_text(submitter, &text, &self.signed, wallets)?;
        let entry = sign(&by, &signed).await?;
        let right = control.as_deref().or(entry["msgsign"].as_str());
        self.filled(submitter, &text, wallets, right.unwrap_or_default())
    }

    /// Returns a body with this fault, made from a transaction, its wallets, and the right signature of the one
    /// that signs.
    ///
    /// The parts of the body: `<transaction>` and the same as a string, `<text>`; the wallets `<first>` or
    /// `<wallet>` (`<WALLET>` in capitals), and `<second>` or `<stranger>`; the halves `<r>` and `<s>` of the
    /// right signature, `<r'>` and `<s'>` with another digit, `<-s>` for the order minus s; the stranger's
    /// signature `<other>` and its public key `<key>`; and halves that belong to no signature.
    pub(super) fn filled(
        &self,
        submitter: &Submitter,
        text: &str,
        wallets: [WalletAddress; 2],
        right: &str,
    ) -> Result<String, InconclusiveReason> {
        let signed = self.edited_text(submitter, text, &self.signed, wallets)?;
        let sent = self.edited_text(submitter, text, &self.sent, wallets)?;
        let (r, s) = right.split_at_checked(right.len() / 2).unwrap_or_default();
        let keys = stranger_keys()?;
        let message = signed_message(&signed).map_err(harness)?;
        let capitals = wallets[0].to_string().to_uppercase().replacen('X', "x", 1);
        let minus_s = with_high_s(right).unwrap_or_default();
        let parts = [
            ("<WALLET>", capitals),
            ("<r>", r.to_owned()),
            ("<s>", s.to_owned()),
            ("<r'>", with_another_digit(r)),
            ("<s'>", with_another_digit(s)),
            (
                "<-s>",
                minus_s.get(r.len()..).unwrap_or_default().to_owned(),
            ),
            ("<other>", keys.sign(message.as_bytes()).to_string()),
            ("<key>", keys.public_key().to_string()),
            ("<zero>", "00".repeat(32)),
            ("<order>", const_hex::encode(CURVE_ORDER)),
            ("<zz>", "zz".repeat(32)),
            ("<text>", Value::from(&*sent).to_string()),
            ("<transaction>", sent),
        ];
        let named = with_wallets(&self.body, wallets);
        Ok(parts
            .into_iter()
            .fold(named, |body, (part, text)| body.replace(part, &text)))
    }

    fn edited_text(
        &self,
        submitter: &Submitter,
        text: &str,
        edits: &[Edit],
        wallets: [WalletAddress; 2],
    ) -> Result<String, InconclusiveReason> {
        if edits.is_empty() {
            return Ok(text.to_owned());
        }
        let mut is_changed = false;
        let edited = altered(text, |transaction| {
            let before = transaction.clone();
            for edit in edits {
                edit.apply(transaction, submitter, |json| with_wallets(json, wallets));
            }
            is_changed = *transaction != before;
        });
        if !is_changed {
            // Signed and sent, it would be right.
            let reason = "the transaction does not contain the value to alter";
            return Err(InconclusiveReason::NoSample(reason.to_owned()));
        }
        edited
    }
}

/// Fills in the names of wallets.
fn with_wallets(text: &str, [first, second]: [WalletAddress; 2]) -> String {
    let (first, second) = (first.to_string(), second.to_string());
    let text = text.replace("<first>", &first).replace("<wallet>", &first);
    text.replace("<second>", &second)
        .replace("<stranger>", &second)
}

/// Submits the transaction with this fault. `control` is the signature of the control, if this one repeats it.
pub(super) async fn submit(
    submitter: &Submitter,
    wrong: &Wrong,
    control: Option<String>,
) -> Response {
    let body = wrong.body(submitter, control).await?;
    let is_oversized = body.len() > OVERSIZED;
    let mut request = Request::post("/submit-transaction", body);
    if wrong.is_wrongly_signed() {
        request = request.wrongly_signed(&*wrong.what);
    }
    match submitter.submit_serialized(request).await {
        // A node may close the connection before it has read everything. This does not count as a
        // lost node.
        Err(InconclusiveReason::Transport(reason)) if is_oversized => Err(
            InconclusiveReason::NoSample(format!("the node did not respond: {reason}")),
        ),
        other => other,
    }
}

/// Returns the body of the control: a claim of the same form as the faulty ones, correctly signed.
pub(super) async fn control(submitter: &Submitter) -> Result<String, InconclusiveReason> {
    let signer = signer(submitter)?;
    let text = draft(submitter, &[signer.address()], REFUSED).await?;
    Ok(whole(&text, &[sign(&signer, &text).await?]))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_rows_have_the_same_description() {
        let descriptions: BTreeSet<_> = rows().iter().map(|row| &row.what).collect();
        assert_eq!(descriptions.len(), rows().len());
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
        let of_the_claim = rows.iter().filter(|row| row.is_of_the_claim);
        for row in of_the_claim {
            assert!(
                !row.what.contains("trans_code") && !row.what.contains("signers"),
                "{row:?}"
            );
        }
    }
}
