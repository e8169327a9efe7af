//! Methods of the generated types of transactions.

use nodeproof_primitives::{MessageSignature, ParseHexError, WalletAddress};

use crate::{ContractCallData, InputError, SignatureEntry, Transaction, from_json};

impl Transaction {
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
    /// use nodeproof_client::{SignatureEntry, nodeproof_primitives::MessageSignature};
    ///
    /// let wallet = "0xc8111e8386bed918b8068b3f719c53a2e76810c3".parse()?;
    /// let signature = MessageSignature::from_bytes([0x7e; 64]);
    /// let entry = SignatureEntry::new(wallet, signature);
    /// assert_eq!(entry.signature()?, signature);
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

    /// Returns the signature, if it has the observed form: 64 bytes.
    ///
    /// # Errors
    /// If it has another length.
    pub fn signature(&self) -> Result<MessageSignature, ParseHexError> {
        self.msgsign.as_str().parse()
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
        Ok((entry.wallet_address, entry.signature()?))
    }
}
