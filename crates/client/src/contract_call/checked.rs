//! A transaction that is exactly the requested call, and may be signed.

use std::fmt;

use super::{
    built_call::{BuiltCallMismatch, check_built, check_final, check_signable, check_signed},
    fee::Fee,
};
use crate::{ContractCall, InputError, RawTransaction, SignatureEntry, SignedTransaction};
use nodeproof_primitives::{Signer, TimestampMs, TransactionCode, escape::escaped};

/// The longest submission that nodes accept, in characters of JSON.
///
/// Source: SUBMIT-11, observed.
pub const MAX_SUBMISSION_LENGTH: usize = 4096;

/// A transaction that a node built and that is exactly the requested call, at the chosen fee.
///
/// It can only be made by passing that check, so it is safe to sign. It can be any contract call,
/// not only a claim.
///
/// ```no_run
/// # async fn example(
/// #     node: nodeproof_client::Client,
/// #     call: nodeproof_client::ContractCall,
/// #     wallet: &dyn nodeproof_client::Signer,
/// # ) -> Result<(), Box<dyn std::error::Error>> {
/// use nodeproof_client::{CheckedTransaction, Clock, Fee, SubmitPolicy};
///
/// let fee = Fee::new(1_500_000.into(), "TKN")?;
/// CheckedTransaction::check_call(&call)?;
/// let checked = node.build_call(&call, &fee, Clock::Local).await?;
/// println!("{checked}");
/// println!("the signed message: {}", checked.message());
/// let signed = checked.sign(&[wallet]).await?;
/// node.submit(&signed, &SubmitPolicy::ONCE).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedTransaction {
    requested: ContractCall,
    fee: Fee,
    raw: RawTransaction,
    message: String,
    trans_code: TransactionCode,
    timestamp: TimestampMs,
}

impl CheckedTransaction {
    /// Checks that a call can be signed, before a node builds it. It must not be too long, no member
    /// may occur twice, and its numbers must have a form in the signed message.
    ///
    /// # Errors
    /// The first problem that prevents a signature.
    pub fn check_call(requested: &ContractCall) -> Result<(), BuiltCallMismatch> {
        check_signable(requested)
    }

    /// Checks that a node built the requested call, and sets the fee, its currency and an empty
    /// `descr`: nobody asked for a description that the node wrote.
    ///
    /// The resulting text is checked again, because it is the text that is signed.
    ///
    /// # Errors
    /// The first mismatch. Do not sign the transaction then.
    pub fn check(
        requested: &ContractCall,
        built: &RawTransaction,
        fee: &Fee,
    ) -> Result<Self, BuiltCallMismatch> {
        check_built(requested, built)?;
        let completed = built
            .without_description()?
            .with_currency(fee.currency())?
            .with_fee(fee.amount())?;
        check_final(requested, completed.transaction_text()?, fee)?;
        Self::of(requested, fee, completed.transaction_text()?)
    }

    /// Checks a transaction that was signed earlier, such as a saved one. It must be the requested
    /// call at this fee, signed by exactly the call's signers.
    ///
    /// This does not verify the signatures: the client has no keys.
    ///
    /// # Errors
    /// The first mismatch.
    ///
    /// ```no_run
    /// # fn example(
    /// #     call: nodeproof_client::ContractCall,
    /// #     fee: nodeproof_client::contract_call::Fee,
    /// # ) -> Result<(), Box<dyn std::error::Error>> {
    /// use nodeproof_client::{SignedTransaction, CheckedTransaction};
    ///
    /// let signed = SignedTransaction::from_json(&std::fs::read_to_string("transaction.json")?)?;
    /// let checked = CheckedTransaction::check_signed(&call, &signed, &fee)?;
    /// println!("{} for {}", checked.trans_code(), checked.fee().amount());
    /// # Ok(())
    /// # }
    /// ```
    pub fn check_signed(
        requested: &ContractCall,
        signed: &SignedTransaction,
        fee: &Fee,
    ) -> Result<Self, BuiltCallMismatch> {
        check_signed(requested, signed, fee)?;
        Self::of(requested, fee, signed.transaction_text())
    }

    fn of(requested: &ContractCall, fee: &Fee, text: &str) -> Result<Self, BuiltCallMismatch> {
        let raw = RawTransaction::from_json(text)?;
        let message = nodeproof_primitives::signed_message(text)?;
        let transaction = raw.transaction()?;
        Ok(Self {
            requested: requested.clone(),
            fee: fee.clone(),
            raw,
            message,
            trans_code: transaction.trans_code,
            timestamp: transaction.timestamp,
        })
    }

    /// Returns the transaction's text, byte for byte as it will be submitted.
    #[must_use]
    pub fn transaction_text(&self) -> &str {
        // The constructor has read the text, so it is never empty.
        self.raw.transaction_text().unwrap_or_default()
    }

    /// Returns the signed message, byte for byte. It is ASCII only.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the requested call: contract, function, signers and parameters.
    #[must_use]
    pub fn call(&self) -> &ContractCall {
        &self.requested
    }

    /// Returns the fee, in base units of its currency.
    #[must_use]
    pub fn fee(&self) -> &Fee {
        &self.fee
    }

    /// Returns the transaction's identifier.
    #[must_use]
    pub fn trans_code(&self) -> TransactionCode {
        self.trans_code
    }

    /// Returns the time at which the node built it.
    #[must_use]
    pub fn timestamp(&self) -> TimestampMs {
        self.timestamp
    }

    /// Returns the length of the submission as nodes count it: the characters of the transaction and of
    /// one signature for each signer, as the JSON that Python writes.
    ///
    /// Source: observed.
    fn submission_length(&self) -> usize {
        const AROUND: usize = r#"{"transaction": , "signatures": []}"#.len();
        const ENTRY: usize = r#"{"wallet_address": "", "msgsign": ""}"#.len() + 42 + 128;
        let signers = self.requested.signers.len();
        let separators = 2 * signers.saturating_sub(1);
        AROUND + self.message.len() + signers * ENTRY + separators
    }

    /// Has every signer of the call sign the transaction, one after another, in the call's order.
    ///
    /// # Errors
    /// If a signer is missing, is not one of the call's signers, or does not sign, or if the
    /// submission would be longer than [`MAX_SUBMISSION_LENGTH`]. All of this
    /// but the last signature is checked before the first one signs.
    pub async fn sign(&self, signers: &[&dyn Signer]) -> Result<SignedTransaction, InputError> {
        let length = self.submission_length();
        if length > MAX_SUBMISSION_LENGTH {
            return Err(InputError::new(format!(
                "the submission would have {length} characters, and nodes refuse more than \
                 {MAX_SUBMISSION_LENGTH}; shorten the params of the call"
            )));
        }
        let mut addresses = Vec::with_capacity(signers.len());
        for signer in signers {
            let wallet = signer.wallet_address();
            if !self.requested.signers.contains(&wallet) {
                let reason = format!("{wallet} is not one of the call's signers");
                return Err(InputError::new(reason));
            }
            if addresses.contains(&wallet) {
                return Err(InputError::new(format!("{wallet} would sign twice")));
            }
            addresses.push(wallet);
        }
        let mut order = Vec::with_capacity(signers.len());
        for (place, wallet) in self.requested.signers.iter().enumerate() {
            if self.requested.signers[..place].contains(wallet) {
                let reason = format!("the call names {wallet} as a signer twice");
                return Err(InputError::new(reason));
            }
            let signer = signers
                .iter()
                .find(|signer| signer.wallet_address() == *wallet);
            order.push(signer.ok_or_else(|| {
                InputError::new(format!(
                    "{wallet} must sign, but no signer was given for it"
                ))
            })?);
        }
        if order.is_empty() {
            return Err(InputError::new(
                "the call names no signer; add the wallets that sign",
            ));
        }
        let mut entries = Vec::with_capacity(order.len());
        for signer in order {
            let wallet_address = signer.wallet_address();
            let signature = signer.sign_message(self.message.as_bytes()).await;
            let signature =
                signature.map_err(|source| InputError::not_signed(wallet_address, source))?;
            entries.push(SignatureEntry::new(wallet_address, signature));
        }
        let signed = self.raw.with_signatures(entries)?;
        check_signed(&self.requested, &signed, &self.fee)
            .map_err(|mismatch| InputError::new(mismatch.to_string()))?;
        Ok(signed)
    }
}

/// Writes several lines for the person who signs. Text from elsewhere is escaped.
impl fmt::Display for CheckedTransaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "transaction  {}", self.trans_code)?;
        writeln!(f, "contract     {}", self.requested.sc_address)?;
        writeln!(
            f,
            "function     {}",
            escaped(&self.requested.function_called)
        )?;
        writeln!(
            f,
            "time         {} ({} milliseconds since 1970)",
            self.timestamp,
            self.timestamp.as_millis()
        )?;
        writeln!(
            f,
            "fee          {} {}",
            self.fee.amount(),
            escaped(self.fee.currency())
        )?;
        for wallet in &self.requested.signers {
            writeln!(f, "signer       {wallet}")?;
        }
        write!(
            f,
            "params       {}",
            escaped(self.requested.params.as_str())
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract_call::sample::{FIRST, FakeSigner, SECOND, check, honest};

    #[tokio::test]
    async fn all_signers_of_the_call_sign_in_its_order_whatever_the_order_here() {
        let (first, second) = (FakeSigner::of(FIRST), FakeSigner::of(SECOND));
        let checked = check(&honest()).unwrap();
        let signed = checked.sign(&[&second, &first]).await.unwrap();
        assert_eq!(signed.transaction_text(), checked.transaction_text());
        let signatures = signed.signatures().unwrap();
        assert_eq!(signatures[0].wallet_address, first.wallet);
        assert_eq!(signatures[1].wallet_address, second.wallet);
        // Each signer gets the message, which has a space where the text has none.
        assert!(signatures[0].msgsign.as_str().ends_with("74"));
    }

    #[tokio::test]
    async fn nobody_signs_before_everybody_is_there() {
        let (first, second) = (FakeSigner::of(FIRST), FakeSigner::of(SECOND));
        let stranger = FakeSigner::of("0x00000000000000000000000000000000000000a1");
        let checked = check(&honest()).unwrap();
        let reason = async |signers: &[&dyn Signer]| {
            let error = checked.sign(signers).await.unwrap_err();
            assert!(error.signer_error().is_none());
            error.to_string()
        };
        let missing = reason(&[&second]).await;
        assert_eq!(
            missing,
            format!("{FIRST} must sign, but no signer was given for it")
        );
        let more = reason(&[&first, &second, &stranger]).await;
        assert_eq!(
            more,
            format!("{} is not one of the call's signers", stranger.wallet)
        );
        let twice = reason(&[&first, &second, &first]).await;
        assert_eq!(twice, format!("{FIRST} would sign twice"));
    }

    #[tokio::test]
    async fn a_call_that_names_a_signer_twice_is_not_signed() {
        let mut call = crate::contract_call::sample::call();
        call.signers[1] = call.signers[0];
        let built = honest().replace(SECOND, FIRST);
        let built = RawTransaction::from_json(&built).unwrap();
        let fee = crate::contract_call::sample::fee();
        let checked = CheckedTransaction::check(&call, &built, &fee).unwrap();
        let error = checked.sign(&[&FakeSigner::of(FIRST)]).await.unwrap_err();
        assert!(error.to_string().ends_with("as a signer twice"), "{error}");
    }

    #[tokio::test]
    async fn a_signer_who_refuses_is_named() {
        let first = FakeSigner::of(FIRST);
        let dry = FakeSigner {
            dry: true,
            ..FakeSigner::of(SECOND)
        };
        let error = check(&honest()).unwrap().sign(&[&first, &dry]).await;
        let error = error.unwrap_err();
        let (wallet, reason) = error.signer_error().unwrap();
        assert!(wallet == dry.wallet && reason.is_refusal());
        assert_eq!(
            nodeproof_primitives::with_causes(&error),
            format!("{SECOND} did not sign: the signer refused: not today")
        );
    }

    #[test]
    fn a_person_is_shown_what_is_signed_without_what_a_terminal_acts_on() {
        let mut call = crate::contract_call::sample::call();
        call.function_called = "f\u{1b}[2J".to_owned();
        let built = honest().replace(":\"add_verification", ":\"f\\u001b[2J");
        let built = RawTransaction::from_json(&built).unwrap();
        let fee = crate::contract_call::sample::fee();
        let shown = CheckedTransaction::check(&call, &built, &fee)
            .unwrap()
            .to_string();
        assert!(shown.contains("f\\u{1b}[2J") && !shown.contains('\u{1b}'));
        assert!(shown.contains("1500000.25 TKN"));
        assert!(shown.contains(FIRST) && shown.contains(SECOND));
    }
}
