//! A way to submit a transaction: what is signed, by whom, in which form, and what is sent.

use nodeproof_primitives::{WalletAddress, signed_message};
use serde_json::{Value, json};

use self::By::{Control, First, Nobody, Second, Signer, Stranger};
use super::{
    draft::{REFUSED, by_hand, draft, draft_for_user, refused_call},
    edit::{
        Change::{self, Capitals, Reversed, Slightly},
        Edit, OVERSIZED, altered, with_another_digit, with_digit_changed,
    },
    signatures::{
        CURVE_ORDER, harness, payer, sign, signer, stranger, stranger_keys, submission, third_keys,
        whole, with_high_s,
    },
    signing::SigningWallet,
    submitter::{Response, Submitter},
};
use crate::http::{InconclusiveReason, Request, Step, unknown};

/// A way to submit a transaction.
#[derive(Debug)]
pub(crate) struct Variant {
    /// The ID of the case that judges it.
    pub(crate) case: &'static str,
    /// A description, which no other row has.
    pub(crate) what: String,
    pub(super) by: By,
    /// The changes of a correct transaction in the text that is signed.
    pub(super) signed: Vec<Edit>,
    /// The changes in the text that is submitted.
    pub(super) sent: Vec<Edit>,
    /// The text of the submission. The parts in angle brackets are filled in: see [`Variant::filled`].
    pub(super) body: String,
    /// Whether a node has to accept it like any other submission of this wallet.
    pub(super) is_right: bool,
    /// What the right signature has to be like. One of several transactions with other asset types has such a one.
    pub(super) sought: Option<fn(&str) -> bool>,
}

/// What a wallet can lose if a node executes a submission that it must refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cost {
    Nothing,
    OneFee,
    /// Everything that the wallet holds of a token. Only a network without value is worth that.
    Everything,
    /// More than a fee, or a fee that a node may take: the specification has no maximum size.
    TooMuch,
}

/// Rows of a table: for each case, descriptions and variants.
macro_rules! rows {
    ($($case:literal { $($what:expr => $row:expr;)* })*) => {
        vec![$($(Variant { case: $case, what: $what.to_owned(), ..$row },)*)*]
    };
}
pub(super) use rows;

/// Who signs a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
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

/// The number of signatures that are made to find a certain one, such as one of 256.
const MOST_SIGNATURES: u32 = 5_000;
/// The right signature of the wallet that signs.
pub(super) const RIGHT: &str = "<r><s>";
pub(super) const ADDRESS: &str = "/specific_data/address";
pub(super) const SIGNERS: &str = "/specific_data/signers";
pub(super) const VERIFIER: &str = "/specific_data/params/verifier_address";
pub(super) const PARAMS: &str = "/specific_data/params";
/// The token of a transfer.
pub(super) const TOKEN: &str = "/specific_data/params/asset_code";
pub(super) const BOTH: Change = Change::To(r#"["<wallet>","<stranger>"]"#);

/// Returns a submission with this body.
pub(super) fn raw(by: By, body: &str) -> Variant {
    Variant {
        case: "",
        what: String::new(),
        by,
        signed: Vec::new(),
        sent: Vec::new(),
        body: body.to_owned(),
        is_right: false,
        sought: None,
    }
}

/// Returns a submission with these signatures, each with its wallet.
pub(super) fn of(by: By, entries: &[(&str, &str)]) -> Variant {
    let entries = entries.iter().map(|(wallet, msgsign)| match *msgsign {
        "null" => json!({"wallet_address": wallet, "msgsign": null}),
        msgsign => json!({"wallet_address": wallet, "msgsign": msgsign}),
    });
    raw(by, &whole("<transaction>", &entries.collect::<Vec<_>>()))
}

/// Returns a submission with the right signature.
pub(super) fn right() -> Variant {
    of(Signer, &[("<wallet>", RIGHT)])
}

/// Returns a submission with a right signature that is like this.
pub(super) fn right_if(is_sought: fn(&str) -> bool) -> Variant {
    Variant {
        sought: Some(is_sought),
        ..right()
    }
}

/// Returns a submission of the signer and a stranger, both with the right signature.
pub(super) fn both_sign() -> Variant {
    of(Signer, &[("<wallet>", RIGHT), ("<stranger>", "<other>")])
}

impl Variant {
    /// Changes the text that is signed, and not the one that is submitted.
    pub(super) fn signed(mut self, pointer: &str, change: Change) -> Self {
        let pointer = pointer.to_owned();
        self.signed.push(Edit { pointer, change });
        self
    }

    /// Changes the text that is submitted, and not the one that is signed.
    pub(super) fn sent(mut self, pointer: &str, change: Change) -> Self {
        let pointer = pointer.to_owned();
        self.sent.push(Edit { pointer, change });
        self
    }

    /// Changes the text before it is signed.
    pub(super) fn edited(self, pointer: &str, change: Change) -> Self {
        self.signed(pointer, change).sent(pointer, change)
    }

    /// Whether the signatures are right. Then only a member, or the size, is wrong.
    pub(crate) fn is_rightly_signed(&self) -> bool {
        self.is_right || self.by == Signer && self.signed == self.sent && self.body == right().body
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
                matches!(edit.change, Slightly | Reversed | Capitals)
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

    /// Whether the run's own claim can be submitted in this way: wrongly signed, with the code and the signers of
    /// the claim, and without another signature of its wallet. All of these submissions have the code of the claim,
    /// so at most one of them can be paid.
    pub(super) fn is_of_the_claim(&self) -> bool {
        let kept =
            |edit: &Edit| edit.pointer != "/trans_code" && !edit.pointer.starts_with(SIGNERS);
        matches!(self.by, Signer | Stranger)
            && self.is_wrongly_signed()
            && self.signed.is_empty()
            && self.sent.iter().all(kept)
    }

    /// Whether the signer signs another transaction, or the one of another signer, so that the claim can't be submitted
    /// like this.
    pub(super) fn is_signed_otherwise(&self) -> bool {
        self.by == Signer && self.is_wrongly_signed() && !self.is_of_the_claim()
    }

    /// Whether a case is decided without it: a claim of the run can't have such a signature or param, and a node may
    /// refuse a param that the specification does not have.
    pub(crate) fn is_optional(&self) -> bool {
        let mut edits = self.sent.iter();
        self.sought.is_some() || edits.any(|edit| edit.pointer.ends_with("/nested"))
    }

    /// Whether it differs from the control in params only.
    pub(crate) fn changes_only_params(&self) -> bool {
        let mut edits = self.sent.iter();
        !self.sent.is_empty() && edits.all(|edit| edit.pointer.starts_with(PARAMS))
    }

    /// Whether it changes a param of transfers.
    pub(super) fn is_of_a_transfer(&self) -> bool {
        let names = ["amount_to_send", "receiver", "asset_code"];
        let is_of = |pointer: &str| names.iter().any(|name| pointer.ends_with(name));
        self.sent.iter().any(|edit| is_of(&edit.pointer))
    }

    /// Whether it makes a claim if it is accepted.
    pub(super) fn is_a_claim(&self) -> bool {
        let mut edits = self.sent.iter();
        edits.all(|edit| edit.pointer != "/specific_data/function")
    }

    /// Returns what the wallet that signs can lose.
    pub(super) fn cost(&self) -> Cost {
        let costs = self.sent.iter().map(|edit| match edit.change {
            Change::Oversized => Cost::TooMuch,
            Change::MoreThanHeld => Cost::Everything,
            Change::To(fee) if edit.pointer == "/fee" => match fee.parse::<i64>() {
                Ok(..=0) => Cost::Nothing,
                Ok(_) => Cost::TooMuch,
                // It is not a number.
                Err(_) => Cost::OneFee,
            },
            _ => Cost::OneFee,
        });
        costs.max().unwrap_or(Cost::OneFee)
    }

    /// Whether the signature is that of the control.
    pub(super) fn repeats_the_control(&self) -> bool {
        self.by == Control
    }

    /// Returns the request. `control` is the signature of the control, if this one repeats it.
    async fn request(
        &self,
        submitter: &Submitter,
        control: Option<String>,
    ) -> Result<Request, InconclusiveReason> {
        let other = stranger()?;
        let wallets = match self.by {
            Nobody => return Ok(Request::post("/submit-transaction", self.body.clone())),
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
        for attempt in 0..MOST_SIGNATURES {
            let text = match self.sought {
                None => text.clone(),
                Some(_) => altered(&text, |one| {
                    one["specific_data"]["params"]["asset_type"] = attempt.to_string().into();
                })?,
            };
            let signed = self.edited_text(submitter, &text, &self.signed, wallets)?;
            let entry = sign(&by, &signed).await?;
            let right = control
                .as_deref()
                .or(entry["msgsign"].as_str())
                .unwrap_or_default();
            if self.sought.is_none_or(|is_sought| is_sought(right)) {
                return self.filled(submitter, &text, wallets, right);
            }
        }
        unknown("no signature was as sought")
    }

    /// Returns a request that submits a transaction of this wallet, which signs it. If only the signed text is
    /// changed, the node itself built the one that is sent.
    pub(super) async fn signed_by(
        &self,
        submitter: &Submitter,
        wallet: &SigningWallet,
    ) -> Result<Request, InconclusiveReason> {
        let is_sent_as_built = !self.signed.is_empty() && self.sent.is_empty();
        let text = match is_sent_as_built {
            true => draft_for_user(submitter, wallet.address()).await?,
            false => {
                let call = refused_call(submitter, &[wallet.address()], REFUSED);
                by_hand(submitter, &call)
            }
        };
        self.made_of(submitter, wallet, stranger()?.address(), &text)
            .await
    }

    /// Returns a request that submits a transaction of this wallet, which signs it. `other` is the second wallet that it
    /// may name.
    pub(super) async fn made_of(
        &self,
        submitter: &Submitter,
        wallet: &SigningWallet,
        other: WalletAddress,
        text: &str,
    ) -> Result<Request, InconclusiveReason> {
        let wallets = [wallet.address(), other];
        let signed = self.edited_text(submitter, text, &self.signed, wallets)?;
        let entry = sign(wallet, &signed).await?;
        let right = entry["msgsign"].as_str().unwrap_or_default();
        submitter.with.redactor.add(right);
        let request = self.filled(submitter, text, wallets, right)?;
        Ok(request.carrying_signature())
    }

    /// Returns a request that submits a claim with this fault. `right` is the wallet's signature of the claim.
    pub(super) fn of_claim(
        &self,
        submitter: &Submitter,
        text: &str,
        wallet: WalletAddress,
        right: &str,
    ) -> Result<Request, InconclusiveReason> {
        let stranger = stranger_keys()?;
        let message = signed_message(text).map_err(harness)?;
        let strangers = stranger.sign(message.as_bytes()).to_string();
        let right = match self.by {
            Stranger => &strangers,
            _ => right,
        };
        let request = self.filled(submitter, text, [wallet, stranger.address()], right)?;
        Ok(request.carrying_signature())
    }

    /// Returns a request that submits a transaction of two signers with this fault. `signatures` are their right ones.
    pub(super) fn of_both(
        &self,
        submitter: &Submitter,
        text: &str,
        wallets: [WalletAddress; 2],
        signatures: [&str; 2],
    ) -> Result<Request, InconclusiveReason> {
        let [first, second] = signatures;
        let right = if self.by == First { first } else { second };
        let request = self.filled(submitter, text, wallets, right)?;
        Ok(request.carrying_signature())
    }

    /// Returns a request with this fault, made from a transaction, its wallets, and the right signature of the one
    /// that signs.
    ///
    /// The parts of the body: `<transaction>` and the same as a string, `<text>`; the signed one, `<signed>`, and `<remarked>` with other remarks before its own; the
    /// wallets `<first>` or `<wallet>` (`<WALLET>` in capitals, `<wallet~>` and `<~wallet>` with another digit), and
    /// `<second>` or `<stranger>`; the halves `<r>` and `<s>` of the right signature, `<r'>` and `<s'>` with another
    /// digit, `<R>` and `<S>` in capitals, `<-s>` for the order minus s; the stranger's signature `<other>` and its
    /// public key `<key>`; another wallet `<third>` and its signature `<thirds>`; and halves that belong to no signature.
    pub(super) fn filled(
        &self,
        submitter: &Submitter,
        text: &str,
        wallets: [WalletAddress; 2],
        right: &str,
    ) -> Result<Request, InconclusiveReason> {
        let signed = self.edited_text(submitter, text, &self.signed, wallets)?;
        let sent = self.edited_text(submitter, text, &self.sent, wallets)?;
        let (r, s) = right.split_at_checked(right.len() / 2).unwrap_or_default();
        let keys = stranger_keys()?;
        let message = signed_message(&signed).map_err(harness)?;
        let minus_s = with_high_s(right).unwrap_or_default();
        let mut parts = vec![
            ("<r>", r.to_owned()),
            ("<s>", s.to_owned()),
            ("<r'>", with_another_digit(r)),
            ("<s'>", with_another_digit(s)),
            ("<R>", r.to_uppercase()),
            ("<S>", s.to_uppercase()),
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
            ("<signed>", signed.clone()),
            ("<remarked>", remarked(&signed)),
            ("<transaction>", sent.clone()),
        ];
        if self.body.contains("<third>") {
            let third = third_keys()?;
            let address = third.address().to_string();
            parts.push(("<third>", address));
            parts.push(("<thirds>", third.sign(message.as_bytes()).to_string()));
        }
        let named = with_wallets(&self.body, wallets);
        let body = parts
            .into_iter()
            .fold(named, |body, (part, text)| body.replace(part, &text));
        Ok(submission(&signed, &sent, body))
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
        let mut is_changed = true;
        let edited = altered(text, |transaction| {
            for edit in edits {
                let before = transaction.clone();
                edit.apply(transaction, submitter, |json| with_wallets(json, wallets));
                is_changed &= *transaction != before;
            }
        });
        if !is_changed {
            // Signed and sent, it would be right.
            return unknown("the transaction does not contain the value to alter");
        }
        edited
    }
}

/// Fills in the names of wallets.
fn with_wallets(text: &str, [first, second]: [WalletAddress; 2]) -> String {
    let (first, second) = (first.to_string(), second.to_string());
    let capitals = first.to_uppercase().replacen('X', "x", 1);
    let text = text
        .replace("<WALLET>", &capitals)
        .replace("<wallet~>", &with_another_digit(&first))
        .replace("<~wallet>", &with_digit_changed(&first, 2));
    let text = text.replace("<first>", &first).replace("<wallet>", &first);
    text.replace("<second>", &second)
        .replace("<stranger>", &second)
}

/// Submits a transaction in this way. `control` is the signature of the control, if this one repeats it.
pub(super) async fn submit(
    submitter: &Submitter,
    variant: &Variant,
    control: Option<String>,
) -> Response {
    let request = variant.request(submitter, control).await?;
    let mut request = request.for_step(Step::Row(variant.what.clone()));
    let body = request.body.as_deref().unwrap_or_default();
    let is_oversized = body.len() > OVERSIZED;
    if variant.is_wrongly_signed() {
        request = request.wrongly_signed(&*variant.what);
    }
    match submitter.submit_serialized(request).await {
        // A node may close the connection before it has read everything. This does not count as a
        // lost node.
        Err(InconclusiveReason::Transport(reason)) if is_oversized => {
            unknown(format!("the node did not respond: {reason}"))
        }
        other => other,
    }
}

/// Returns the body of the control: a claim of the same form as the faulty ones, correctly signed.
pub(super) async fn control(submitter: &Submitter) -> Result<String, InconclusiveReason> {
    let signer = signer(submitter)?;
    let text = draft(submitter, &[signer.address()], REFUSED).await?;
    Ok(whole(&text, &[sign(&signer, &text).await?]))
}
/// Returns a transaction with a second member `remarks` before its own.
fn remarked(transaction: &str) -> String {
    const NAME: &str = "\"remarks\":";
    transaction.replacen(NAME, &format!("{NAME}\"not signed\",{NAME}"), 1)
}
