//! Submitted transactions, and all checks that don't depend on the chain.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    time::{SystemTime, UNIX_EPOCH},
};

use nodeproof_primitives::{
    Amount, ContractAddress, HolderAddress, Integer, RawJson, TransactionCode, WalletAddress,
    escape::escaped_up_to, signed_message,
};
use nodeproof_wallet::{SignatureEntry, verify_transaction};
use serde::{
    Deserialize,
    de::{DeserializeOwned, IgnoredAny},
};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::InjectedFault;

use super::{MAX_SUBMISSION_LENGTH, MIN_FEE, NATIVE_TOKEN, NATIVE_UNIT, Record};

/// Times in milliseconds that are plausible: after 1973 and before 5138. Neither seconds nor microseconds are.
const MILLISECONDS: Range<u64> = 100_000_000_000..100_000_000_000_000;

/// A submission whose fields have the documented types. Nothing else has been checked.
#[derive(Debug)]
pub(crate) struct Submission<'a> {
    /// `transaction` as it was sent.
    pub(crate) transaction: &'a str,
    /// `transaction.trans_code`, if it has the form of a code.
    pub(crate) code: Option<TransactionCode>,
    /// The wallet and the signature of each element of `signatures`.
    pub(crate) signatures: Vec<(String, String)>,
    /// The length of the whole submission, in bytes.
    pub(crate) size: usize,
}

/// The reason why a transaction is not valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal(pub(crate) String);

impl Refusal {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

/// The contracts of this node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TransactionRules {
    pub(crate) verification: ContractAddress,
    pub(crate) token: ContractAddress,
}

/// A transaction that has passed all checks that don't depend on the chain.
#[derive(Debug)]
pub(crate) struct Transaction {
    pub(crate) code: TransactionCode,
    /// The SHA-256 digest of its signed message. Submissions with the same digest are the same transaction.
    pub(crate) digest: [u8; 32],
    /// Its element of a block's transactions: the transaction, its signatures and its status.
    pub(crate) entry: Box<str>,
    pub(crate) fee: u128,
    /// The wallet that pays the fee: the first signer.
    pub(crate) payer: HolderAddress,
    pub(crate) other_signers: Vec<WalletAddress>,
    pub(crate) call: Call,
    /// Whether its time was more than ten minutes ago when it was submitted.
    pub(crate) is_old: bool,
}

/// The effect of a transaction.
#[derive(Debug)]
pub(crate) enum Call {
    AddVerification(Record),
    Transfer {
        from: HolderAddress,
        to: HolderAddress,
        token: String,
        amount: u128,
    },
}

/// The members of a transaction. A time or a type is not written with a fraction or an exponent.
#[derive(Deserialize)]
struct View {
    timestamp: u64,
    trans_code: String,
    #[serde(rename = "type")]
    kind: u64,
    currency: String,
    fee: Amount,
    #[serde(rename = "valid")]
    _valid: i64,
    specific_data: RawJson,
}

#[derive(Deserialize)]
struct CallView {
    address: ContractAddress,
    function: String,
    signers: Vec<WalletAddress>,
    params: RawJson,
}

/// The params of a call, by name.
struct Params(BTreeMap<String, RawJson>);

impl Params {
    fn of(call: &CallView) -> Result<Self, Refusal> {
        let params = call.params.decode();
        params
            .map(Self)
            .map_err(|_| Refusal::new("Invalid params: they are not an object"))
    }

    /// Lets a param with capital letters in its name stand for the one with small letters.
    fn take_any_letters(&mut self) {
        let all = std::mem::take(&mut self.0);
        for (name, value) in all.into_iter().rev() {
            self.0.insert(name.to_lowercase(), value);
        }
    }

    /// Returns a param that is an integer, written with digits only.
    fn integer(&self, name: &str) -> Result<Integer, Refusal> {
        let text: RawJson = self.get(name)?;
        let value: Result<i128, _> = text.as_str().parse();
        value.map(Integer::from).map_err(|_| {
            let text = escaped_up_to(text.as_str(), 40);
            Refusal(format!(
                "Invalid params: {name}: {text} is not an integer of digits only, such as 1"
            ))
        })
    }

    /// Returns the value of a param. A refusal names the param, and not its place in a text that was not sent like this.
    fn get<T: DeserializeOwned>(&self, name: &str) -> Result<T, Refusal> {
        let Some(value) = self.0.get(name) else {
            return Err(Refusal(format!("Invalid params: {name} is missing")));
        };
        value.decode().map_err(|error| {
            let text = error.to_string();
            let reason = text
                .rsplit_once(" at line ")
                .map_or(&*text, |(reason, _)| reason);
            Refusal(format!("Invalid params: {name}: {reason}"))
        })
    }
}

impl Transaction {
    /// Reads an element of a block's transactions. Its signatures were verified when it was submitted.
    pub(super) fn of_entry(entry: &str, rules: TransactionRules) -> Option<Self> {
        #[derive(Deserialize)]
        struct Entry {
            transaction: RawJson,
            signatures: Vec<SignatureEntry>,
        }
        let read: Entry = serde_json::from_str(entry).ok()?;
        let signatures = read.signatures.iter();
        let submission = Submission {
            transaction: read.transaction.as_str(),
            code: None,
            signatures: signatures
                .map(|one| (one.wallet_address.to_string(), one.msgsign.to_string()))
                .collect(),
            size: 0,
        };
        // Without signers, another fault accepted it.
        let faults = [
            InjectedFault::NoSignatureCheck,
            InjectedFault::UnsignedAccepted,
        ];
        let mut read = faults
            .into_iter()
            .map(|fault| submission.check(rules, Some(fault)));
        read.find_map(Result::ok)
    }
}

impl Submission<'_> {
    /// Returns the digest that identifies the transaction, if it has a valid signed message.
    pub(crate) fn digest(&self) -> Option<[u8; 32]> {
        signed_message(self.transaction)
            .ok()
            .map(|message| Sha256::digest(message).into())
    }

    /// Checks everything that doesn't depend on the chain, signatures first.
    ///
    /// Some faults leave out checks.
    pub(crate) fn check(
        &self,
        rules: TransactionRules,
        fault: Option<InjectedFault>,
    ) -> Result<Transaction, Refusal> {
        if self.size > MAX_SUBMISSION_LENGTH {
            return Err(Refusal::new("Transaction size exceeded"));
        }
        let message = signed_message(self.transaction)
            .map_err(|error| Refusal(format!("Invalid transaction structure: {error}")))?;
        // CPython writes a number that is too large for a float as a word that is not valid JSON.
        let view: View = serde_json::from_str::<IgnoredAny>(&message)
            .and_then(|_| serde_json::from_str(&message))
            .map_err(|error| Refusal(format!("Invalid transaction structure: {error}")))?;
        if !MILLISECONDS.contains(&view.timestamp) {
            return Err(Refusal(format!(
                "Invalid timestamp: {} is not in milliseconds since the Unix epoch",
                view.timestamp
            )));
        }
        let code = view
            .trans_code
            .parse()
            .map_err(|error| Refusal(format!("Invalid transaction code: {error}")))?;
        let call: CallView = if view.kind == 3 {
            view.specific_data
                .decode()
                .map_err(|error| Refusal(format!("Invalid specific_data: {error}")))?
        } else {
            return Err(Refusal(format!(
                "Transactions of type {} are not supported by this node",
                view.kind
            )));
        };
        let unsigned = fault == Some(InjectedFault::UnsignedAccepted) && call.signers.is_empty();
        let signatures = match fault {
            _ if unsigned => Vec::new(),
            Some(InjectedFault::NoSignatureCheck) => {
                self.entries()?.iter().map(entry_text).collect()
            }
            Some(InjectedFault::FirstSignatureOnly) => {
                self.first_verified(&message, &call.signers, 1)?
            }
            Some(InjectedFault::TransfersHalfSigned) if call.function == "transfer" => {
                self.first_verified(&message, &call.signers, 1)?
            }
            Some(InjectedFault::ThirdUnchecked)
                if call.signers.len() > 2 && self.entries()?.len() == call.signers.len() =>
            {
                self.first_verified(&message, &call.signers, 2)?
            }
            Some(InjectedFault::OutsiderPays) => self.verified_of(&call.signers)?,
            Some(InjectedFault::ReceiverSigns) => self
                .verified_of_receiver(&message, &call)
                .map_or_else(|| self.verified_signatures(), Ok)?,
            Some(InjectedFault::ThirdSigns) => self.verified_of_any(&message, &call.signers)?,
            _ => self.verified_signatures()?,
        };
        let (payer, fee) = match call.signers.first() {
            Some(payer) => (*payer, fee(&view, fault)?),
            // There is no payer.
            None if unsigned => (WalletAddress::from_bytes([0; 20]), 0),
            None => return Err(invalid_signatures()),
        };
        Ok(Transaction {
            code,
            digest: Sha256::digest(&message).into(),
            entry: format!(
                "{{\"transaction\":{},\"signatures\":[{}],\"status\":1}}",
                without_spaces(&message),
                signatures.join(",")
            )
            .into(),
            fee: match fault {
                Some(InjectedFault::DescriptionCosts) => {
                    let parsed: Value = serde_json::from_str(&message).unwrap_or_default();
                    fee.saturating_add(parsed["descr"].as_str().unwrap_or_default().len() as u128)
                }
                Some(InjectedFault::OldFree) if is_old(view.timestamp) => 0,
                _ => fee,
            },
            payer: HolderAddress::Wallet(match fault {
                Some(InjectedFault::VerifierPays) => verifier(&call).unwrap_or(payer),
                Some(InjectedFault::OutsiderPays) => self.outsider(&call.signers).unwrap_or(payer),
                _ => payer,
            }),
            other_signers: call.signers.iter().skip(1).copied().collect(),
            call: contract_call(&call, payer, rules, fault)?,
            is_old: is_old(view.timestamp),
        })
    }

    /// Returns the signatures, if all of them are well-formed.
    fn entries(&self) -> Result<Vec<SignatureEntry>, Refusal> {
        self.signatures
            .iter()
            .map(|(wallet, signature)| {
                Some(SignatureEntry {
                    wallet_address: wallet.parse().ok()?,
                    msgsign: signature.parse().ok()?,
                })
            })
            .collect::<Option<Vec<_>>>()
            .ok_or_else(invalid_signatures)
    }

    /// Returns the signatures as JSON, if there is a valid one for each signer and no other one.
    fn verified_signatures(&self) -> Result<Vec<String>, Refusal> {
        let entries = self.entries()?;
        verify_transaction(self.transaction, &entries).map_err(|_| invalid_signatures())?;
        Ok(entries.iter().map(entry_text).collect())
    }

    /// Whether each signer has signed it, and nobody else.
    pub(crate) fn has_right_signatures(&self) -> bool {
        self.verified_signatures().is_ok()
    }

    /// Returns all signatures as JSON if those of the signers are valid. This is a fault.
    fn verified_of(&self, signers: &[WalletAddress]) -> Result<Vec<String>, Refusal> {
        let entries = self.entries()?;
        let mut needed = entries.clone();
        needed.retain(|entry| signers.contains(&entry.wallet_address));
        verify_transaction(self.transaction, &needed).map_err(|_| invalid_signatures())?;
        Ok(entries.iter().map(entry_text).collect())
    }

    /// Returns the signature as JSON if it is that of the receiver of a transfer. This is a fault.
    fn verified_of_receiver(&self, message: &str, call: &CallView) -> Option<Vec<String>> {
        let receiver = Params::of(call).ok()?.get("receiver").ok()?;
        let [entry] = &self.entries().ok()?[..] else {
            return None;
        };
        let verified = entry
            .msgsign
            .verify_by_address(message.as_bytes(), receiver);
        (verified.is_ok() && entry.wallet_address == receiver).then(|| vec![entry_text(entry)])
    }

    /// Returns the signatures as JSON if each is valid, they are of as many wallets as there are signers, and one is the first
    /// signer's. This is a fault.
    fn verified_of_any(
        &self,
        message: &str,
        signers: &[WalletAddress],
    ) -> Result<Vec<String>, Refusal> {
        let entries = self.entries()?;
        let wallets: BTreeSet<_> = entries.iter().map(|entry| entry.wallet_address).collect();
        let are_enough = entries.len() == signers.len() && wallets.len() == signers.len();
        if !are_enough || !signers.first().is_some_and(|first| wallets.contains(first)) {
            return Err(invalid_signatures());
        }
        let is_valid = |entry: &SignatureEntry| {
            let signature = &entry.msgsign;
            let verified = signature.verify_by_address(message.as_bytes(), entry.wallet_address);
            verified.is_ok()
        };
        match entries.iter().all(is_valid) {
            true => Ok(entries.iter().map(entry_text).collect()),
            false => Err(invalid_signatures()),
        }
    }

    /// Returns a wallet that is not among the signers and has an entry in the signatures.
    fn outsider(&self, signers: &[WalletAddress]) -> Option<WalletAddress> {
        let entries = self.entries().ok()?;
        let mut wallets = entries.iter().map(|entry| entry.wallet_address);
        wallets.find(|wallet| !signers.contains(wallet))
    }

    /// Returns all signatures as JSON if there are some and the first ones are valid. This is a fault.
    fn first_verified(
        &self,
        message: &str,
        signers: &[WalletAddress],
        count: usize,
    ) -> Result<Vec<String>, Refusal> {
        let entries = self.entries()?;
        let mut first = entries.iter().take(count);
        let is_right = first.all(|entry| {
            let verified = entry
                .msgsign
                .verify_by_address(message.as_bytes(), entry.wallet_address);
            verified.is_ok() && signers.contains(&entry.wallet_address)
        });
        match is_right && !entries.is_empty() {
            true => Ok(entries.iter().map(entry_text).collect()),
            false => Err(invalid_signatures()),
        }
    }
}

fn entry_text(entry: &SignatureEntry) -> String {
    format!(
        "{{\"wallet_address\":\"{}\",\"msgsign\":\"{}\"}}",
        entry.wallet_address, entry.msgsign
    )
}

fn invalid_signatures() -> Refusal {
    Refusal::new("Transaction has invalid signatures")
}

fn fee(view: &View, fault: Option<InjectedFault>) -> Result<u128, Refusal> {
    let is_almost =
        view.currency != NATIVE_TOKEN && view.currency.eq_ignore_ascii_case(NATIVE_TOKEN);
    if is_almost && fault == Some(InjectedFault::CurrencyLetters) {
        return Ok(0);
    }
    if view.currency != NATIVE_TOKEN {
        return Err(Refusal(format!(
            "Fee validation failed: fees are paid in {NATIVE_TOKEN}"
        )));
    }
    let too_low = || {
        Refusal(format!(
            "Not enough fee. Min of {} {NATIVE_TOKEN} is required: {MIN_FEE} base units",
            MIN_FEE / NATIVE_UNIT
        ))
    };
    if view.fee < MIN_FEE.into() {
        return Err(too_low());
    }
    // A higher fee than all existing tokens can't be paid. Neither can a fraction of a base unit.
    base_units(&view.fee).ok_or_else(|| {
        Refusal::new(
            "Fee validation failed: the fee must be a whole number of base units, and no more than exist",
        )
    })
}

/// Whether a time in milliseconds is more than ten minutes ago.
fn is_old(timestamp: u64) -> bool {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.unwrap_or_default().as_millis();
    u128::from(timestamp) + 600_000 < now
}

/// Parses a whole number of base units.
fn base_units(amount: &Amount) -> Option<u128> {
    Integer::try_from(amount).ok()?.try_into().ok()
}

fn contract_call(
    call: &CallView,
    payer: WalletAddress,
    rules: TransactionRules,
    fault: Option<InjectedFault>,
) -> Result<Call, Refusal> {
    let is_claim = call.function == "add_verification" || fault == Some(InjectedFault::AnyFunction);
    let is_any = fault == Some(InjectedFault::AnyContract) && call.address != rules.token;
    match (call.address, call.function.as_str()) {
        (address, _) if (address == rules.verification || is_any) && is_claim => {
            let mut params = Params::of(call)?;
            if fault == Some(InjectedFault::AnyLetters) {
                params.take_any_letters();
            }
            let list = |name| {
                params.get::<Vec<String>>(name)?;
                params.get::<RawJson>(name).map(|list| list.to_string())
            };
            let verifier = params.get("verifier_address")?;
            Ok(Call::AddVerification(Record {
                asset_id: params.get("asset_id")?,
                asset_type: params.get("asset_type")?,
                verifier: match fault {
                    Some(InjectedFault::AnyVerifier) => verifier,
                    _ => payer,
                },
                outcome: params.integer("outcome")?,
                doc_hash_list: list("doc_hash_list")?,
                doc_link_list: list("doc_link_list")?,
                remarks: params.get("remarks")?,
                deletable_after: params.integer("deletable_after")?,
            }))
        }
        (address, "transfer") if address == rules.token => {
            let params = Params::of(call)?;
            let (from, to) = (payer, params.get("receiver")?);
            let number: serde_json::Number = params.get("amount_to_send")?;
            let is_negative = number.as_f64().is_some_and(|number| number < 0.0);
            let is_taken =
                is_negative && number.is_f64() && fault == Some(InjectedFault::NegativeFraction);
            let amount = match is_taken {
                true => number.as_f64().map(|number| -number as u128),
                false => base_units(&params.get::<Amount>("amount_to_send")?),
            };
            let amount = match fault {
                Some(InjectedFault::TransferWrapped) => amount.map(|amount| (amount as u64).into()),
                _ => amount,
            };
            let amount = amount.ok_or_else(|| {
                Refusal::new("amount_to_send is not a whole number of base units, 0 or more")
            })?;
            let (from, to) = if is_taken { (to, from) } else { (from, to) };
            Ok(Call::Transfer {
                from: HolderAddress::Wallet(from),
                to: HolderAddress::Wallet(to),
                token: params.get("asset_code")?,
                amount,
            })
        }
        (address, function) if address == rules.verification || address == rules.token => Err(
            Refusal(format!("Contract {address} has no function {function:?}")),
        ),
        (address, _) => Err(Refusal(format!("Contract {address} not found"))),
    }
}

/// Returns the verifier in the params of a claim.
fn verifier(call: &CallView) -> Option<WalletAddress> {
    Params::of(call).ok()?.get("verifier_address").ok()
}

/// Removes the spaces between the values of a message in CPython's form.
fn without_spaces(message: &str) -> String {
    let mut dense = String::with_capacity(message.len());
    let (mut quoted, mut escaped) = (false, false);
    for character in message.chars() {
        if quoted {
            quoted = escaped || character != '"';
            escaped = !escaped && character == '\\';
        } else if character == '"' {
            quoted = true;
        }
        if quoted || character != ' ' {
            dense.push(character);
        }
    }
    dense
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_inside_of_strings_stay() {
        let message = r#"{"a b": " \" , \\", "c": [1, 2.0, "x: \"y\", z"]}"#;
        let dense = without_spaces(message);
        assert_eq!(dense, r#"{"a b":" \" , \\","c":[1,2.0,"x: \"y\", z"]}"#);
        assert_eq!(signed_message(&dense).unwrap(), message);
    }

    #[test]
    fn base_units_are_whole_and_not_negative() {
        let read = |text: &str| base_units(&text.parse().unwrap());
        assert_eq!(read("1500000.0"), Some(1_500_000));
        assert_eq!(read("1e6"), Some(1_000_000));
        for text in ["-1", "0.5", "1e60", "1e999999999"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
