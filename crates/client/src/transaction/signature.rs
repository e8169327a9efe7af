//! The signature of one signer.

use nodeproof_primitives::{MessageSignature, ParseHexError, WalletAddress};
use serde::{Deserialize, Serialize};

use crate::HexText;

/// The signature of one signer.
///
/// [`new`](Self::new) makes an entry from a wallet's signature, and [`signature`](Self::signature)
/// returns the signature of an entry. `nodeproof-wallet` converts its own entries to and from the
/// same pair, a wallet and a [`MessageSignature`].
///
/// Source: the contract, "Signature element".
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[doc(alias = "msgsign")]
pub struct SignatureEntry {
    /// The signer, one of the wallets that `specific_data.signers` lists.
    pub wallet_address: WalletAddress,
    /// The signature, hexadecimal.
    pub msgsign: HexText,
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
        }
    }

    /// Returns the signature, if it has the observed form: 64 bytes.
    ///
    /// # Errors
    /// If it has another length.
    pub fn signature(&self) -> Result<MessageSignature, ParseHexError> {
        self.msgsign.text().parse()
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
