//! Submissions that a node must refuse, each with one fault.

use nodeproof_primitives::{WalletAddress, signed_message};
use nodeproof_wallet::KeyPair;
use serde_json::{Value, json};

use super::{
    alteration::{Alteration, altered},
    draft::{REFUSED, draft},
    signing::SigningWallet,
    submitter::{Response, Submitter},
};
use crate::http::{InconclusiveReason, Request};

/// The fault of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    Unsigned,
    NoSigners,
    HalfSigned,
    SecondOnly,
    SignedTwice,
    UnlistedSigner,
    AnotherKey,
    FirstOfTwoRight,
    LastOfTwoRight,
    ChildTransaction,
    SignatureAltered,
    Altered(Alteration),
    SignatureNotHex,
    SignatureEmpty,
    SignatureNull,
    SignatureShort,
    SignatureLong,
    SignatureZero,
    SignatureOfCurveOrder,
    SignatureHalvesSwapped,
    NoTransaction,
    TransactionNull,
    TransactionText,
    NoSignatures,
    SignaturesNull,
    SignaturesObject,
    FeeText,
    FeeNegative,
    FeeZero,
    /// A member is missing or has a wrong form: the one at this place of [`MALFORMED`].
    Malformed(usize),
    EmptyObject,
    NotJson,
    Empty,
    Array,
    Text,
    Oversized,
}

/// Length of remarks, in bytes, that makes a transaction too large.
const OVERSIZED: usize = 20_000;

/// The order of secp256k1.
pub(super) const CURVE_ORDER: [u8; 32] = [
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe,
    0xba, 0xae, 0xdc, 0xe6, 0xaf, 0x48, 0xa0, 0x3b, 0xbf, 0xd2, 0x5e, 0x8c, 0xd0, 0x36, 0x41, 0x41,
];

/// A description of a transaction, and the change that makes it.
type Malformation = (&'static str, fn(&mut Value));

/// Ways to make a transaction that is not in the documented form. It is signed after that.
const MALFORMED: [Malformation; 12] = [
    ("a transaction without timestamp", |t| {
        without(t, "timestamp")
    }),
    ("a transaction without trans_code", |t| {
        without(t, "trans_code")
    }),
    ("a transaction without type", |t| without(t, "type")),
    ("a transaction without currency", |t| without(t, "currency")),
    ("a transaction without fee", |t| without(t, "fee")),
    ("a transaction without specific_data", |t| {
        without(t, "specific_data")
    }),
    ("a transaction whose timestamp is a string", |t| {
        t["timestamp"] = t["timestamp"].to_string().into();
    }),
    ("a transaction whose trans_code has 39 digits", |t| {
        t["trans_code"] = "c".repeat(39).into();
    }),
    ("a transaction whose type is a string", |t| {
        t["type"] = "3".into()
    }),
    ("a transaction whose params are a list", |t| {
        t["specific_data"]["params"] = json!(["to be refused"]);
    }),
    ("a transaction whose signers are a string", |t| {
        t["specific_data"]["signers"] = t["specific_data"]["signers"][0].take();
    }),
    (
        "a transaction whose contract has no address of the documented form",
        |t| {
            t["specific_data"]["address"] = "ct5a".into();
        },
    ),
];

fn without(transaction: &mut Value, name: &str) {
    transaction
        .as_object_mut()
        .map(|members| members.remove(name));
}

impl Refusal {
    /// Returns those with one member of `params` changed, or one added.
    pub(crate) fn of_params() -> impl Iterator<Item = Self> {
        let altered = Alteration::PARAMS.into_iter();
        altered.chain([Alteration::ParamAdded]).map(Self::Altered)
    }

    /// Returns those whose transaction is not in the documented form.
    pub(crate) fn of_form() -> impl Iterator<Item = Self> {
        (0..MALFORMED.len()).map(Self::Malformed)
    }

    /// Returns all of them.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        Self::WITHOUT_DATA
            .into_iter()
            .chain(Alteration::all().map(Self::Altered))
            .chain(Self::of_form())
    }

    const WITHOUT_DATA: [Self; 34] = [
        Self::Unsigned,
        Self::NoSigners,
        Self::HalfSigned,
        Self::SecondOnly,
        Self::SignedTwice,
        Self::UnlistedSigner,
        Self::AnotherKey,
        Self::FirstOfTwoRight,
        Self::LastOfTwoRight,
        Self::ChildTransaction,
        Self::SignatureAltered,
        Self::SignatureNotHex,
        Self::SignatureEmpty,
        Self::SignatureNull,
        Self::SignatureShort,
        Self::SignatureLong,
        Self::SignatureZero,
        Self::SignatureOfCurveOrder,
        Self::SignatureHalvesSwapped,
        Self::NoTransaction,
        Self::TransactionNull,
        Self::TransactionText,
        Self::NoSignatures,
        Self::SignaturesNull,
        Self::SignaturesObject,
        Self::FeeText,
        Self::FeeNegative,
        Self::FeeZero,
        Self::EmptyObject,
        Self::NotJson,
        Self::Empty,
        Self::Array,
        Self::Text,
        Self::Oversized,
    ];

    /// Describes the submission.
    pub(crate) fn what(self) -> String {
        let what = match self {
            Self::Unsigned => "an unsigned transaction",
            Self::NoSigners => "an unsigned transaction without signers",
            Self::HalfSigned => "a transaction that only the first of its two signers signed",
            Self::SecondOnly => "a transaction that only the second of its two signers signed",
            Self::SignedTwice => "a transaction that one of its two signers signed twice",
            Self::UnlistedSigner => "a transaction signed only by a wallet that is not a signer",
            Self::AnotherKey => "a transaction signed with another wallet's key",
            Self::FirstOfTwoRight => "a transaction whose second signature of two is wrong",
            Self::LastOfTwoRight => "a transaction whose first signature of two is wrong",
            Self::ChildTransaction => {
                "a transaction with is_child_txn that is signed with another wallet's key"
            }
            Self::SignatureAltered => "a signature with one digit changed",
            Self::Altered(alteration) => return alteration.what(),
            Self::Malformed(place) => MALFORMED.get(place).map_or("", |(what, _)| what),
            Self::SignatureNotHex => "a signature that is not hexadecimal",
            Self::SignatureEmpty => "an empty signature",
            Self::SignatureNull => "a signature that is null",
            Self::SignatureShort => "the first half of a signature",
            Self::SignatureLong => "a signature with more digits",
            Self::SignatureZero => "a signature of zeros",
            Self::SignatureOfCurveOrder => "a signature whose halves are the order of the curve",
            Self::SignatureHalvesSwapped => "a signature with its halves swapped",
            Self::NoTransaction => "a submission without a transaction",
            Self::TransactionNull => "a submission whose transaction is null",
            Self::TransactionText => "a submission whose transaction is a string",
            Self::NoSignatures => "a submission without signatures",
            Self::SignaturesNull => "a submission whose signatures are null",
            Self::SignaturesObject => "a submission whose signatures are an object",
            Self::FeeText => "a transaction whose fee is a string",
            Self::FeeNegative => "a transaction whose fee is negative",
            Self::FeeZero => "a transaction whose fee is 0",
            Self::EmptyObject => "an empty object",
            Self::NotJson => "a body that is not JSON",
            Self::Empty => "an empty body",
            Self::Array => "an array",
            Self::Text => "a string",
            Self::Oversized => "a transaction of 20,000 bytes",
        };
        what.to_owned()
    }

    /// Whether the signatures are wrong: one is missing or malformed, or is not by the right wallet over
    /// exactly this transaction.
    const fn is_wrongly_signed(self) -> bool {
        self.names_only_the_payer()
            || self.has_two_signers()
            || matches!(
                self,
                Self::Altered(_)
                    | Self::SignatureAltered
                    | Self::SignatureShort
                    | Self::SignatureLong
                    | Self::SignatureHalvesSwapped
            )
    }

    /// Whether only the signed content is wrong. Nothing else differs from a correct transaction,
    /// so only a check of the signatures can refuse it.
    pub(crate) const fn differs_only_in_what_is_signed(self) -> bool {
        matches!(
            self,
            Self::Altered(
                Alteration::Param(_)
                    | Alteration::ParamAdded
                    | Alteration::Fee
                    | Alteration::Timestamp
                    | Alteration::Code
                    | Alteration::Descr
            )
        )
    }

    /// Returns the index of its response.
    pub(crate) fn place(self) -> Option<usize> {
        Self::all().position(|refusal| refusal == self)
    }

    async fn body(self, submitter: &Submitter) -> Result<String, InconclusiveReason> {
        match self {
            Self::EmptyObject => Ok("{}".to_owned()),
            Self::NotJson => Ok("{\"transaction\":".to_owned()),
            Self::Empty => Ok(String::new()),
            Self::Text => Ok("\"a transaction\"".to_owned()),
            _ if self.has_two_signers() => self.of_two(submitter).await,
            Self::FeeText
            | Self::FeeNegative
            | Self::FeeZero
            | Self::Malformed(_)
            | Self::Oversized => self.correctly_signed(submitter).await,
            _ => self.of_one(submitter).await,
        }
    }

    /// Whether the submission has a genuine signature of the wallet that its transaction names, or
    /// data from which one can be restored.
    const fn carries_a_signature(self) -> bool {
        matches!(
            self,
            Self::SignatureAltered
                | Self::SignatureShort
                | Self::SignatureLong
                | Self::SignatureHalvesSwapped
                | Self::Altered(_)
                | Self::NoTransaction
                | Self::TransactionNull
                | Self::TransactionText
        )
    }

    /// Returns the body of a submission with one signer.
    async fn of_one(self, submitter: &Submitter) -> Result<String, InconclusiveReason> {
        if self.carries_a_signature() {
            self.of_one_signed(submitter).await
        } else {
            self.of_one_unsigned(submitter).await
        }
    }

    /// Returns a body that names the wallet that can pay, without a signature of that wallet.
    async fn of_one_unsigned(self, submitter: &Submitter) -> Result<String, InconclusiveReason> {
        let payer = payer(submitter)?;
        let other = stranger()?;
        let text = &draft(submitter, &[payer], REFUSED).await?;
        let with = |msgsign: Value| {
            let entry = json!({"wallet_address": payer, "msgsign": msgsign});
            Ok(whole(text, &[entry]))
        };
        match self {
            Self::Array => Ok(format!("[{}]", whole(text, &[]))),
            Self::Unsigned => Ok(whole(text, &[])),
            Self::NoSigners => {
                let none = altered(text, |t| t["specific_data"]["signers"] = json!([]))?;
                Ok(whole(&none, &[]))
            }
            Self::SignaturesObject => Ok(format!("{{\"transaction\":{text},\"signatures\":{{}}}}")),
            Self::NoSignatures => Ok(format!("{{\"transaction\":{text}}}")),
            Self::SignaturesNull => Ok(format!("{{\"transaction\":{text},\"signatures\":null}}")),
            Self::UnlistedSigner => Ok(whole(text, &[sign(&other, text).await?])),
            Self::ChildTransaction => {
                let child = altered(text, |t| t["is_child_txn"] = true.into())?;
                let entry = in_the_name_of(payer, sign(&other, &child).await?);
                Ok(whole(&child, &[entry]))
            }
            Self::AnotherKey => with(sign(&other, text).await?["msgsign"].take()),
            Self::SignatureNotHex => with("zz".repeat(64).into()),
            Self::SignatureEmpty => with("".into()),
            Self::SignatureZero => with("00".repeat(64).into()),
            // A careless verifier takes it for a signature of any text.
            Self::SignatureOfCurveOrder => {
                let order = const_hex::encode(CURVE_ORDER);
                with(order.repeat(2).into())
            }
            Self::SignatureNull => with(Value::Null),
            other => Err(InconclusiveReason::Harness(format!(
                "no way to make {other:?}"
            ))),
        }
    }

    /// Returns a body signed by a wallet with a public or throw-away key. The node built the
    /// transaction, so it can combine it with any signature over it.
    async fn of_one_signed(self, submitter: &Submitter) -> Result<String, InconclusiveReason> {
        let signer = signer(submitter)?;
        let text = draft(submitter, &[signer.address()], REFUSED).await?;
        let entry = sign(&signer, &text).await?;
        self.with_entry(submitter, &text, entry).await
    }

    /// The faults that the run's own claim is submitted with before it is submitted rightly. All of
    /// these submissions have the code of the claim, so at most one of them can be paid.
    pub(super) fn of_the_claim() -> impl Iterator<Item = Self> {
        let is_altered = |alteration: &Alteration| {
            // The others have another code, or another signer.
            !matches!(alteration, Alteration::Code | Alteration::Signers)
        };
        [
            Self::SignatureAltered,
            Self::SignatureShort,
            Self::SignatureLong,
        ]
        .into_iter()
        .chain(Alteration::all().filter(is_altered).map(Self::Altered))
    }

    /// Whether the transaction has two signers. A co-signer of the chain decides these.
    pub(crate) const fn has_two_signers(self) -> bool {
        matches!(
            self,
            Self::HalfSigned
                | Self::SecondOnly
                | Self::SignedTwice
                | Self::FirstOfTwoRight
                | Self::LastOfTwoRight
        )
    }

    /// Whether the submission names the wallet that can pay as its only signer, and has no signature
    /// of it.
    pub(crate) const fn names_only_the_payer(self) -> bool {
        matches!(
            self,
            Self::Unsigned
                | Self::NoSigners
                | Self::SignaturesObject
                | Self::NoSignatures
                | Self::SignaturesNull
                | Self::UnlistedSigner
                | Self::ChildTransaction
                | Self::AnotherKey
                | Self::SignatureNotHex
                | Self::SignatureEmpty
                | Self::SignatureZero
                | Self::SignatureOfCurveOrder
                | Self::SignatureNull
        )
    }

    /// Returns a body with this fault, made from a transaction and the entry of its right signature.
    pub(super) async fn with_entry(
        self,
        submitter: &Submitter,
        text: &str,
        mut entry: Value,
    ) -> Result<String, InconclusiveReason> {
        let other = stranger()?;
        let right = entry["msgsign"].as_str().unwrap_or_default().to_owned();
        match self {
            Self::NoTransaction => Ok(format!("{{\"signatures\":[{entry}]}}")),
            Self::TransactionNull => Ok(whole("null", &[entry])),
            Self::TransactionText => Ok(whole(&Value::from(text).to_string(), &[entry])),
            Self::Altered(Alteration::Signers) => {
                let both = [entry["wallet_address"].clone(), json!(other.address())];
                let more = altered(text, |t| t["specific_data"]["signers"] = json!(both))?;
                Ok(whole(&more, &[entry, sign(&other, text).await?]))
            }
            Self::Altered(alteration) => {
                let changed = alteration.of(submitter, text)?;
                different(text, &changed)?;
                Ok(whole(&changed, &[entry]))
            }
            Self::SignatureAltered => {
                let mut digits = right;
                let last = if digits.pop() == Some('0') { '1' } else { '0' };
                digits.push(last);
                entry["msgsign"] = digits.into();
                Ok(whole(text, &[entry]))
            }
            Self::SignatureShort => {
                entry["msgsign"] = right[..right.len() / 2].into();
                Ok(whole(text, &[entry]))
            }
            Self::SignatureLong => {
                entry["msgsign"] = format!("{right}00").into();
                Ok(whole(text, &[entry]))
            }
            Self::SignatureHalvesSwapped => {
                let (r, s) = right.split_at(right.len() / 2);
                entry["msgsign"] = format!("{s}{r}").into();
                Ok(whole(text, &[entry]))
            }
            other => Err(InconclusiveReason::Harness(format!(
                "no way to make {other:?}"
            ))),
        }
    }

    /// Returns the body of a submission with two signers. The missing or wrong signature is always
    /// the one that only the payer could make.
    async fn of_two(self, submitter: &Submitter) -> Result<String, InconclusiveReason> {
        let payer = payer(submitter)?;
        let other = stranger()?;
        let payer_first = matches!(self, Self::SecondOnly | Self::LastOfTwoRight);
        let mut signers = [other.address(), payer];
        if payer_first {
            signers.reverse();
        }
        let text = draft(submitter, &signers, REFUSED).await?;
        let right = sign(&other, &text).await?;
        let wrong = in_the_name_of(payer, right.clone());
        let entries = match self {
            Self::SignedTwice => vec![right.clone(), right],
            Self::FirstOfTwoRight => vec![right, wrong],
            Self::LastOfTwoRight => vec![wrong, right],
            _ => vec![right],
        };
        Ok(whole(&text, &entries))
    }

    /// Returns a body that a wallet without real value signed correctly. Only one member or its
    /// size is wrong.
    async fn correctly_signed(self, submitter: &Submitter) -> Result<String, InconclusiveReason> {
        let signer = signer(submitter)?;
        let remarks = match self {
            Self::Oversized => REFUSED.repeat(OVERSIZED / REFUSED.len()),
            _ => REFUSED.to_owned(),
        };
        let text = draft(submitter, &[signer.address()], &remarks).await?;
        let text = match self {
            Self::FeeText => altered(&text, |t| t["fee"] = "1000000".into())?,
            Self::FeeNegative => altered(&text, |t| t["fee"] = (-1_000_000).into())?,
            Self::FeeZero => altered(&text, |t| t["fee"] = 0.into())?,
            Self::Malformed(place) => match MALFORMED.get(place) {
                Some((_, change)) => altered(&text, change)?,
                None => text,
            },
            _ => text,
        };
        Ok(whole(&text, &[sign(&signer, &text).await?]))
    }
}

/// Submits the transaction with this fault.
pub(crate) async fn submit(submitter: &Submitter, refusal: Refusal) -> Response {
    let body = refusal.body(submitter).await?;
    let mut request = Request::post("/submit-transaction", body);
    if refusal.is_wrongly_signed() {
        request = request.wrongly_signed(refusal.what());
    }
    match submitter.submit_serialized(request).await {
        // A node may close the connection before it has read everything. This does not count as a
        // lost node.
        Err(InconclusiveReason::Transport(reason)) if refusal == Refusal::Oversized => Err(
            InconclusiveReason::NoSample(format!("the node did not respond: {reason}")),
        ),
        other => other,
    }
}

/// Submits the control: a claim of the same form as the faulty ones, correctly signed.
pub(crate) async fn submit_control(submitter: &Submitter) -> Response {
    let signer = signer(submitter)?;
    let text = draft(submitter, &[signer.address()], REFUSED).await?;
    let body = whole(&text, &[sign(&signer, &text).await?]);
    submitter
        .submit_serialized(Request::post("/submit-transaction", body))
        .await
}

/// Returns a claim that another key signed: its asset, and the request that submits it.
pub(crate) async fn of_another_key(
    submitter: &Submitter,
    wallet: WalletAddress,
    remarks: &str,
) -> Result<(String, Request), InconclusiveReason> {
    let text = draft(submitter, &[wallet], remarks).await?;
    let transaction: Value = serde_json::from_str(&text).unwrap_or_default();
    let asset = &transaction["specific_data"]["params"]["asset_id"];
    let asset = asset.as_str().unwrap_or_default().to_owned();
    let entry = in_the_name_of(wallet, sign(&stranger()?, &text).await?);
    let request = Request::post("/submit-transaction", whole(&text, &[entry]));
    Ok((asset, request.wrongly_signed(Refusal::AnotherKey.what())))
}

/// Returns a request that submits an accepted transaction with other params, signed by another key.
pub(crate) async fn with_known_code(
    wallet: WalletAddress,
    accepted: &str,
) -> Result<Request, InconclusiveReason> {
    let text = altered(accepted, |transaction| {
        transaction["specific_data"]["params"]["remarks"] = "altered after it was accepted".into();
    })?;
    different(accepted, &text)?;
    let entry = in_the_name_of(wallet, sign(&stranger()?, &text).await?);
    Ok(Request::post("/submit-transaction", whole(&text, &[entry])))
}

/// Returns a request that submits another transaction with the code of an accepted one. A wallet
/// without money has signed it correctly.
pub(crate) async fn with_known_code_signed(accepted: &str) -> Result<Request, InconclusiveReason> {
    let stranger = stranger()?;
    let text = altered(accepted, |transaction| {
        let data = &mut transaction["specific_data"];
        data["signers"] = json!([stranger.address()]);
        data["params"]["verifier_address"] = json!(stranger.address());
        data["params"]["remarks"] = "another transaction with a known code".into();
    })?;
    different(accepted, &text)?;
    let entry = sign(&stranger, &text).await?;
    Ok(Request::post("/submit-transaction", whole(&text, &[entry])))
}

/// Returns the wallet that signs submissions that a node must refuse.
///
/// It is never the user's wallet. With a genuine signature, a node could restore the transaction
/// and submit it.
pub(crate) fn signer(submitter: &Submitter) -> Result<SigningWallet, InconclusiveReason> {
    match &submitter.with.public_wallet {
        Some(wallet) => Ok(wallet.clone()),
        None => throw_away(0x5a),
    }
}

/// Returns the wallet to name if none of its signatures is sent. If it can pay, a node cannot
/// refuse for lack of money.
fn payer(submitter: &Submitter) -> Result<WalletAddress, InconclusiveReason> {
    match (&submitter.with.public_wallet, &submitter.with.wallet) {
        (None, Some(wallet)) => Ok(wallet.address()),
        _ => signer(submitter).map(|wallet| wallet.address()),
    }
}

/// Returns the wallet that signs in place of another wallet.
pub(crate) fn stranger() -> Result<SigningWallet, InconclusiveReason> {
    throw_away(0xa5)
}

/// Returns a signature entry that names another wallet.
pub(super) fn in_the_name_of(wallet: WalletAddress, mut entry: Value) -> Value {
    entry["wallet_address"] = Value::from(wallet.to_string());
    entry
}

/// Returns a wallet with a publicly known key. It holds nothing.
fn throw_away(byte: u8) -> Result<SigningWallet, InconclusiveReason> {
    KeyPair::from_bytes(&[byte; 32])
        .map(SigningWallet::from)
        .map_err(|error| InconclusiveReason::Harness(error.to_string()))
}

/// Signs a text, even if the wallet is not one of its signers.
pub(super) async fn sign(wallet: &SigningWallet, text: &str) -> Result<Value, InconclusiveReason> {
    let message =
        signed_message(text).map_err(|error| InconclusiveReason::Harness(error.to_string()))?;
    let signing = wallet.signer().sign_message(message.as_bytes());
    let signature = signing.await.map_err(|error| {
        InconclusiveReason::NoSample(format!("the invalid submission was not signed: {error}"))
    })?;
    Ok(json!({"wallet_address": wallet.address(), "msgsign": signature}))
}

pub(super) fn whole(transaction: &str, entries: &[Value]) -> String {
    let entries: Vec<_> = entries.iter().map(Value::to_string).collect();
    format!(
        "{{\"transaction\":{transaction},\"signatures\":[{}]}}",
        entries.join(",")
    )
}

fn different(text: &str, altered: &str) -> Result<(), InconclusiveReason> {
    if text == altered {
        let reason = "the transaction does not contain the value to alter";
        return Err(InconclusiveReason::Harness(reason.to_owned()));
    }
    Ok(())
}
