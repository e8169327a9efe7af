//! A transaction with its existing signatures, which are checked.

use std::collections::BTreeMap;

use nodeproof_client::{
    RawTransaction, SignatureEntry, SignedTransaction,
    contract_call::{BuiltCallMismatch, check_unique_members},
};
use nodeproof_primitives::{
    Amount, MessageSignature, RawJson, Signer, TimestampMs, WalletAddress, signed_message,
};
use nodeproof_wallet::{Signature, TransactionError, required_signers};

use super::described::TransactionMembers;
use crate::failure::Failure;

/// The longest distance between a time and the local clock, in milliseconds.
const DAY: u64 = 24 * 60 * 60 * 1_000;

/// A transaction to which signatures are added. Its text never changes.
pub(super) struct HalfSigned {
    transaction: String,
    message: String,
    /// The description of its type.
    what: String,
    /// Whether it is a contract call, whose signers are listed.
    is_call: bool,
    /// The wallets that must sign. Empty if the transaction does not list them.
    required: Vec<WalletAddress>,
    signed: SignedTransaction,
    by: Vec<WalletAddress>,
}

impl HalfSigned {
    /// Parses a transaction with any number of signatures, and checks them.
    pub(super) fn read(text: &str) -> Result<Self, Failure> {
        let this = Self::unverified(text)?;
        this.check_signatures()?;
        Ok(this)
    }

    /// Parses a transaction without checking its signatures.
    pub(super) fn unverified(text: &str) -> Result<Self, Failure> {
        let raw = RawTransaction::from_json(text).map_err(Failure::usage)?;
        let transaction = raw.transaction_text().map_err(Failure::usage)?.to_owned();
        check_one_meaning(text)?;
        let signed = if has_signatures(text) {
            SignedTransaction::from_json(text)
        } else {
            raw.with_signatures(Vec::<SignatureEntry>::new())
        }
        .map_err(Failure::usage)?;
        let message = signed_message(&transaction).map_err(Failure::usage)?;
        let view = TransactionMembers::of(&transaction);
        let required = match required_signers(&transaction) {
            Ok(signers) => signers,
            Err(TransactionError::NoSigners) => Vec::new(),
            // Other types than contract calls have their parties in other members.
            Err(TransactionError::Signers(_)) if !view.is_call() => Vec::new(),
            Err(error) => return Err(Failure::usage(error)),
        };
        let entries = signed.signatures().map_err(Failure::usage)?;
        Ok(Self {
            what: view.kind(),
            is_call: view.is_call(),
            transaction,
            message,
            required,
            signed,
            by: entries.iter().map(|entry| entry.wallet_address).collect(),
        })
    }

    /// Checks that the time is within a day of the local clock, which a person could do who sees it.
    pub(super) fn check_time(&self) -> Result<(), Failure> {
        let time: Option<TimestampMs> = TransactionMembers::of(&self.transaction).get("timestamp");
        let now = TimestampMs::now();
        let distance = time.map(|time| time.as_millis().abs_diff(now.as_millis()));
        if distance.is_some_and(|distance| distance <= DAY) {
            return Ok(());
        }
        let time = time.map_or_else(
            || "no time in milliseconds".to_owned(),
            |time| format!("the time {time}"),
        );
        Err(Failure::usage(format!(
            "the transaction has {time}, and this computer's clock has {now}: with --yes, they must not differ by more \
             than a day; without it, you are asked"
        )))
    }

    /// Checks every existing signature.
    pub(super) fn check_signatures(&self) -> Result<(), Failure> {
        for entry in self.signed.signatures().map_err(Failure::usage)? {
            let wallet = entry.wallet_address;
            let signature = MessageSignature::try_from(&entry).map_err(|error| {
                Failure::usage(format!("the signature of {wallet} is malformed: {error}"))
            })?;
            self.check(wallet, signature)?;
        }
        Ok(())
    }

    /// Rejects a number, anywhere in the transaction, that is signed as a different number.
    pub(super) fn check_numbers(&self) -> Result<(), Failure> {
        let transaction = self.transaction.parse().map_err(Failure::usage)?;
        check_exact(&transaction, "transaction")
    }

    /// Returns a warning if the type does not list signers, so the required ones are not known.
    pub(super) fn unknown_signers(&self) -> Option<String> {
        (self.required.is_empty() && !self.is_call).then(|| {
            format!(
                "the transaction is of {}, which does not list its signers in \
                 specific_data.signers, so the required signers are unknown",
                self.what
            )
        })
    }

    /// Returns the wallets that have signed.
    pub(super) fn by(&self) -> &[WalletAddress] {
        &self.by
    }

    /// Returns a wallet that has signed but is not a required signer.
    pub(super) fn unlisted(&self) -> Option<WalletAddress> {
        if self.unknown_signers().is_some() {
            return None;
        }
        let mut by = self.by.iter().copied();
        by.find(|wallet| !self.required.contains(wallet))
    }

    pub(super) fn text(&self) -> &str {
        self.signed.text().as_str()
    }

    pub(super) fn transaction(&self) -> &str {
        &self.transaction
    }

    pub(super) fn message(&self) -> &str {
        &self.message
    }

    pub(super) fn required(&self) -> &[WalletAddress] {
        &self.required
    }

    pub(super) fn is_signed_by(&self, wallet: WalletAddress) -> bool {
        self.by.contains(&wallet)
    }

    /// Returns the required wallets that have not signed.
    pub(super) fn missing(&self) -> Vec<WalletAddress> {
        let missing = self.required.iter().copied();
        missing.filter(|wallet| !self.by.contains(wallet)).collect()
    }

    /// Adds the signature of one more wallet, after checking it.
    pub(super) async fn sign(&mut self, signer: &dyn Signer) -> Result<(), Failure> {
        let wallet = signer.wallet_address();
        let signature = signer
            .sign_message(self.message.as_bytes())
            .await
            .map_err(|error| Failure::usage(format!("{wallet}: {error}")))?;
        self.check(wallet, signature)?;
        let entry = SignatureEntry::new(wallet, signature);
        self.signed = self
            .signed
            .with_signatures([entry])
            .map_err(Failure::usage)?;
        self.by.push(wallet);
        Ok(())
    }

    fn check(&self, wallet: WalletAddress, signature: MessageSignature) -> Result<(), Failure> {
        Signature::try_from(signature)
            .map_err(|error| error.to_string())
            .and_then(|signature| {
                signature
                    .verify_by_address(self.message.as_bytes(), wallet)
                    .map(|_| ())
                    .map_err(|error| error.to_string())
            })
            .map_err(|why| Failure::usage(format!("the signature of {wallet} is wrong: {why}")))
    }
}

/// Rejects JSON with duplicate members, because people and nodes would read different values.
pub(super) fn check_one_meaning(text: &str) -> Result<(), Failure> {
    check_unique_members(text).map_err(|error| match error {
        BuiltCallMismatch::Twice { member } => Failure::usage(format!(
            "there is more than one `{member}`: nodes read and sign the last one, while a person \
             may look at the first; leave one"
        )),
        BuiltCallMismatch::TooDeep { .. } => Failure::usage(error),
        _ => Failure::usage(
            "the name of a member can't be read, so it can't be distinguished from others",
        ),
    })
}

/// Rejects a number that is signed as a different number, in a value at `place`.
///
/// The nesting was checked before.
fn check_exact(value: &RawJson, place: &str) -> Result<(), Failure> {
    if let Ok(members) = value.decode::<BTreeMap<String, RawJson>>() {
        return members
            .iter()
            .try_for_each(|(name, value)| check_exact(value, &format!("{place}.{name}")));
    }
    if let Ok(elements) = value.decode::<Vec<RawJson>>() {
        let mut elements = elements.iter().enumerate();
        return elements
            .try_for_each(|(index, value)| check_exact(value, &format!("{place}[{index}]")));
    }
    if !value
        .as_str()
        .starts_with(|c: char| c == '-' || c.is_ascii_digit())
    {
        return Ok(());
    }
    let exact = value
        .as_str()
        .parse::<Amount>()
        .map_err(|error| error.to_string())
        .and_then(|amount| amount.check_exact().map_err(|error| error.to_string()));
    exact.map_err(|error| Failure::usage(format!("`{place}`: {error}; nothing was signed")))
}

fn has_signatures(text: &str) -> bool {
    let members: Result<BTreeMap<String, RawJson>, _> = serde_json::from_str(text);
    members.is_ok_and(|members| {
        let signatures = members.get("signatures");
        signatures.is_some_and(|signatures| !signatures.is_null())
    })
}
