//! Submissions that a node must refuse, each wrong in one thing.

use node_client::RawTransaction;
use node_primitives::{Amount, signed_message};
use node_wallet::KeyPair;
use serde_json::{Value, json};

use super::{
    Answer, SigningWallet,
    draft::{REFUSED, draft},
};
use crate::{exchange::Request, outcome::Obstacle, sample::Context};

/// What is wrong with a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    Unsigned,
    HalfSigned,
    UnlistedSigner,
    AnotherKey,
    SignatureAltered,
    ParamsAltered,
    FeeAltered,
    SignatureNotHex,
    NoTransaction,
    NoSignatures,
    EmptyObject,
    NotJson,
    Array,
    Text,
    Oversized,
}

/// Longer than any transaction that a person would make.
const OVERSIZED: usize = 20_000;

impl Refusal {
    pub(crate) const ALL: [Self; 15] = [
        Self::Unsigned,
        Self::HalfSigned,
        Self::UnlistedSigner,
        Self::AnotherKey,
        Self::SignatureAltered,
        Self::ParamsAltered,
        Self::FeeAltered,
        Self::SignatureNotHex,
        Self::NoTransaction,
        Self::NoSignatures,
        Self::EmptyObject,
        Self::NotJson,
        Self::Array,
        Self::Text,
        Self::Oversized,
    ];

    /// What is submitted, in words.
    pub(crate) const fn what(self) -> &'static str {
        match self {
            Self::Unsigned => "a transaction that nobody signed",
            Self::HalfSigned => "a transaction that one of its two signers did not sign",
            Self::UnlistedSigner => "a transaction that only a wallet signed which is no signer",
            Self::AnotherKey => "a transaction signed with another wallet's key",
            Self::SignatureAltered => "a signature with one digit changed",
            Self::ParamsAltered => "a transaction whose params were changed after it was signed",
            Self::FeeAltered => "a transaction whose fee was changed after it was signed",
            Self::SignatureNotHex => "a signature that is not hexadecimal",
            Self::NoTransaction => "a submission without a transaction",
            Self::NoSignatures => "a submission without signatures",
            Self::EmptyObject => "an empty object",
            Self::NotJson => "a body that is not JSON",
            Self::Array => "an array",
            Self::Text => "a text",
            Self::Oversized => "a transaction of 20,000 bytes",
        }
    }

    async fn body(self, context: &Context) -> Result<String, Obstacle> {
        let signer = match &context.submissions.with.wallet {
            Some(wallet) => wallet.clone(),
            None => throw_away(0x5a)?,
        };
        let other = throw_away(0xa5)?;
        let signers = [signer.address()];
        let right = async {
            let drafted = &context.submissions.one_signer;
            let make = || draft(context, &signers, REFUSED);
            drafted.get_or_try_init(make).await.cloned()
        };
        Ok(match self {
            Self::EmptyObject => "{}".to_owned(),
            Self::NotJson => "{\"transaction\":".to_owned(),
            Self::Text => "\"a transaction\"".to_owned(),
            Self::Array => format!("[{}]", whole(&right.await?, &[])),
            Self::Unsigned => whole(&right.await?, &[]),
            Self::HalfSigned => {
                // The missing signature is the one that nobody but the wallet's owner can add.
                let signers = [other.address(), signer.address()];
                let text = draft(context, &signers, REFUSED).await?;
                whole(&text, &[sign(&other, &text).await?])
            }
            Self::UnlistedSigner => {
                let text = right.await?;
                whole(&text, &[sign(&other, &text).await?])
            }
            Self::AnotherKey => {
                let text = right.await?;
                let mut entry = sign(&other, &text).await?;
                entry["wallet_address"] = Value::from(signer.address().to_string());
                whole(&text, &[entry])
            }
            Self::SignatureAltered => {
                let text = right.await?;
                let mut entry = sign(&signer, &text).await?;
                let mut digits = entry["msgsign"].as_str().unwrap_or_default().to_owned();
                let last = if digits.pop() == Some('0') { '1' } else { '0' };
                digits.push(last);
                entry["msgsign"] = Value::from(digits);
                whole(&text, &[entry])
            }
            Self::ParamsAltered => {
                let text = right.await?;
                let altered = text.replacen(REFUSED, "to be taken", 1);
                different(&text, &altered)?;
                whole(&altered, &[sign(&signer, &text).await?])
            }
            Self::FeeAltered => {
                let text = right.await?;
                let altered = with_another_fee(context, &text)?;
                different(&text, &altered)?;
                whole(&altered, &[sign(&signer, &text).await?])
            }
            Self::SignatureNotHex => {
                let text = right.await?;
                let mut entry = sign(&signer, &text).await?;
                entry["msgsign"] = Value::from("zz".repeat(64));
                whole(&text, &[entry])
            }
            Self::NoTransaction => {
                let entry = sign(&signer, &right.await?).await?;
                format!("{{\"signatures\":[{entry}]}}")
            }
            Self::NoSignatures => format!("{{\"transaction\":{}}}", right.await?),
            Self::Oversized => {
                // Nothing but its size is wrong with this one, so no wallet of worth signs it.
                let nobody = throw_away(0x5a)?;
                let remarks = REFUSED.repeat(OVERSIZED / REFUSED.len());
                let text = draft(context, &[nobody.address()], &remarks).await?;
                whole(&text, &[sign(&nobody, &text).await?])
            }
        })
    }
}

/// Submits it.
pub(super) async fn submit(context: &Context, refusal: Refusal) -> Answer {
    let body = refusal.body(context).await?;
    let asked = context.node.ask(Request::post("/submit-transaction", body));
    match asked.await {
        // A node may close the connection rather than read it all, which is no lost node.
        Err(Obstacle::Transport(reason)) if refusal == Refusal::Oversized => Err(
            Obstacle::NoMaterial(format!("the node did not answer it: {reason}")),
        ),
        answered => answered,
    }
}

/// A wallet whose key everybody can know, and that holds nothing.
fn throw_away(byte: u8) -> Result<SigningWallet, Obstacle> {
    KeyPair::from_bytes(&[byte; 32])
        .map(SigningWallet::from)
        .map_err(|error| Obstacle::Harness(error.to_string()))
}

/// Signs whatever it is, also what the wallet is no signer of.
async fn sign(wallet: &SigningWallet, text: &str) -> Result<Value, Obstacle> {
    let message = signed_message(text).map_err(|error| Obstacle::Harness(error.to_string()))?;
    let signing = wallet.signer().sign_message(message.as_bytes());
    let signature = signing.await.map_err(|error| {
        Obstacle::NoMaterial(format!("what is to be refused was not signed: {error}"))
    })?;
    Ok(json!({"wallet_address": wallet.address(), "msgsign": signature}))
}

fn whole(transaction: &str, entries: &[Value]) -> String {
    let entries: Vec<_> = entries.iter().map(Value::to_string).collect();
    format!(
        "{{\"transaction\":{transaction},\"signatures\":[{}]}}",
        entries.join(",")
    )
}

fn with_another_fee(context: &Context, text: &str) -> Result<String, Obstacle> {
    let fee = context.submissions.with.fee.as_str();
    let other: u64 = if fee == "2000000" {
        2_000_001
    } else {
        2_000_000
    };
    RawTransaction::from_text(text)
        .and_then(|raw| raw.with_fee(&Amount::from(other)))
        .and_then(|raw| raw.transaction_text().map(ToOwned::to_owned))
        .map_err(|error| Obstacle::NoMaterial(format!("the fee can't be changed: {error}")))
}

fn different(text: &str, altered: &str) -> Result<(), Obstacle> {
    if text == altered {
        let reason = "the transaction to alter has not what is altered in it";
        return Err(Obstacle::Harness(reason.to_owned()));
    }
    Ok(())
}
