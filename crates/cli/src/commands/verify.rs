//! `nodectl verify`.

use std::path::PathBuf;

use clap::Args;
use nodeproof_client::{Receipt, from_json};
use nodeproof_primitives::WalletAddress;
use nodeproof_wallet::{PublicKey, Signature, verify_receipt};
use serde::Serialize;

use super::{
    signing::{HalfSigned, check_one_meaning},
    transaction_input::TransactionInput,
};
use crate::{
    failure::{Failure, Kind},
    io::{output::CommandResult, table::Columns},
    session::settings::Session,
};

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// A signed transaction, as it is submitted, or a receipt, as a block contains it; JSON, or - for
    /// standard input
    #[arg(value_name = "FILE|-")]
    file: PathBuf,
}

/// The output for valid signatures.
#[derive(Serialize)]
struct ValidSignatures {
    /// `transaction` or `receipt`.
    what: &'static str,
    signed_by: Vec<WalletAddress>,
    /// For a transaction: whether all required signers have signed. Null if they are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    complete: Option<Option<bool>>,
    #[serde(skip)]
    warning: Option<String>,
}

impl CommandResult for ValidSignatures {
    fn for_a_person(&self) -> String {
        let mut columns = Columns::new();
        let right = if self.complete == Some(None) {
            "valid, but signatures may be missing"
        } else {
            "right"
        };
        columns.row([self.what, right]);
        for wallet in &self.signed_by {
            columns.row(["signed by", &wallet.to_string()]);
        }
        columns.text()
    }
}

pub(crate) fn run(args: &VerifyArgs, session: &Session) -> Result<(), Failure> {
    let input = TransactionInput::read("the document to verify", &args.file)?;
    let right = input.parsed(|text| {
        if text.starts_with('[') {
            return Err(Failure::usage(
                "this is an array, and one signed transaction or one receipt is verified at a time: \
                 give its elements one by one",
            ));
        }
        match is_receipt(text) {
            true => receipt(text),
            false => transaction(text),
        }
    })?;
    if let Some(warning) = &right.warning {
        session.output.warn(warning);
    }
    session.output.show(&right)
}

fn is_receipt(text: &str) -> bool {
    #[derive(serde::Deserialize)]
    struct Named {
        data: Option<nodeproof_primitives::RawJson>,
        transaction: Option<nodeproof_primitives::RawJson>,
    }
    serde_json::from_str(text)
        .is_ok_and(|named: Named| named.data.is_some() && named.transaction.is_none())
}

fn transaction(text: &str) -> Result<ValidSignatures, Failure> {
    let transaction = HalfSigned::unverified(text)?;
    let unknown = transaction.unknown_signers();
    if transaction.required().is_empty() && unknown.is_none() {
        return Err(Failure::usage(
            "the transaction names no signers in specific_data.signers, so the required signers \
             are unknown",
        ));
    }
    let wrong = |why: String| not_valid(format!("the transaction is not valid: {why}"));
    transaction.check_signatures().map_err(|failure| {
        let hint = "`nodectl sign --dry-run` shows the message and its SHA-1 digest";
        wrong(format!("{}; {hint}", failure.message))
    })?;
    if transaction.by().is_empty() {
        return Err(wrong("it has no signature".to_owned()));
    }
    if let Some(wallet) = transaction.missing().first() {
        return Err(wrong(format!("the signature of {wallet} is missing")));
    }
    if let Some(wallet) = transaction.unlisted() {
        return Err(wrong(format!(
            "{wallet} signed, but is not listed in specific_data.signers"
        )));
    }
    Ok(ValidSignatures {
        what: "transaction",
        signed_by: transaction.by().to_vec(),
        complete: Some(unknown.is_none().then_some(true)),
        warning: unknown,
    })
}

fn not_valid(message: String) -> Failure {
    Failure::new(Kind::NotValid, message)
}

fn receipt(text: &str) -> Result<ValidSignatures, Failure> {
    let receipt: Receipt = from_json(text.as_bytes())
        .map_err(|error| Failure::usage(format!("not a receipt: {error}")))?;
    check_one_meaning(text)?;
    let key: PublicKey = receipt
        .public_key
        .as_str()
        .parse()
        .map_err(Failure::usage)?;
    let signature: Signature = receipt.signature.as_str().parse().map_err(Failure::usage)?;
    verify_receipt(receipt.data.text(), &key, &signature)
        .map_err(|error| not_valid(format!("the receipt is not valid: {error}")))?;
    Ok(ValidSignatures {
        what: "receipt",
        signed_by: vec![key.address()],
        complete: None,
        warning: None,
    })
}
