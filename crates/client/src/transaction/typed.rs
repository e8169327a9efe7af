//! Methods of the generated types of transactions.

use nodeproof_primitives::{MessageSignature, ParseHexError, WalletAddress};

use crate::{ContractCallData, InputError, SignatureEntry, Transaction, from_json};

impl Transaction {
    /// The documented members. `is_child_txn` may be missing.
    pub const MEMBERS: [&'static str; 9] = [
        "timestamp",
        "trans_code",
        "type",
        "currency",
        "fee",
        "descr",
        "valid",
        "specific_data",
        "is_child_txn",
    ];

    /// Reads the transaction that a signer has to sign, to show it or to decide.
    ///
    /// `message` is what [`Signer::sign_message`](crate::Signer::sign_message) gets. A transaction in another
    /// form than the documented one is an error: do not sign what you can't show.
    ///
    /// # Errors
    /// If the message is not a transaction.
    ///
    /// ```
    /// use nodeproof_client::{Transaction, signed_message};
    ///
    /// let message = signed_message(
    ///     r#"{"timestamp":1767225593000,"trans_code":"04087cb4c58f389c80bef882e3392f1b3b0e9e3c","type":3,
    ///         "currency":"TKN","fee":1500000,"descr":"","valid":1,"specific_data":{}}"#,
    /// )?;
    /// let transaction = Transaction::from_message(message.as_bytes())?;
    /// assert_eq!((transaction.fee.as_str(), &*transaction.currency), ("1500000", "TKN"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_message(message: &[u8]) -> Result<Self, InputError> {
        from_json(message)
    }

    /// Returns the data of a contract call, which is a transaction of the type 3.
    ///
    /// # Errors
    /// If `specific_data` does not have the documented form.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     raw: nodeproof_client::RawTransaction,
    /// # ) -> Result<(), Box<dyn std::error::Error>> {
    /// let call = raw.transaction()?.contract_call()?;
    /// println!("{} of {} with {}", call.function, call.address, call.params);
    /// # Ok(())
    /// # }
    /// ```
    pub fn contract_call(&self) -> Result<ContractCallData, InputError> {
        from_json(self.specific_data.as_str().as_bytes())
    }
}

impl SignatureEntry {
    /// Creates the entry of a wallet from its signature.
    ///
    /// ```
    /// use nodeproof_client::{SignatureEntry, MessageSignature};
    ///
    /// let wallet = "0xc8111e8386bed918b8068b3f719c53a2e76810c3".parse()?;
    /// let signature = MessageSignature::from_bytes([0x7e; 64]);
    /// let entry = SignatureEntry::new(wallet, signature);
    /// assert_eq!(MessageSignature::try_from(&entry)?, signature);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new(wallet_address: WalletAddress, signature: MessageSignature) -> Self {
        Self {
            wallet_address,
            msgsign: signature.into(),
            extra: serde_json::Map::new(),
        }
    }
}

/// Reads the signature, if it has the observed form: 64 bytes.
impl TryFrom<&SignatureEntry> for MessageSignature {
    type Error = ParseHexError;

    fn try_from(entry: &SignatureEntry) -> Result<Self, Self::Error> {
        entry.msgsign.as_str().parse()
    }
}

impl From<(WalletAddress, MessageSignature)> for SignatureEntry {
    fn from((wallet_address, signature): (WalletAddress, MessageSignature)) -> Self {
        Self::new(wallet_address, signature)
    }
}

impl TryFrom<SignatureEntry> for (WalletAddress, MessageSignature) {
    type Error = ParseHexError;

    fn try_from(entry: SignatureEntry) -> Result<Self, Self::Error> {
        Ok((entry.wallet_address, MessageSignature::try_from(&entry)?))
    }
}
