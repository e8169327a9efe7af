//! The signature of one signer.

use nodeproof_primitives::WalletAddress;
use serde::{Deserialize, Serialize};

use crate::HexText;

/// The signature of one signer.
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
