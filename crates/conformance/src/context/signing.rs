//! The wallet and the fee for what a run submits.

use std::{fmt, sync::Arc, time::Duration};

use nodeproof_primitives::{Amount, ContractAddress, Signer, WalletAddress};

use super::redactor::Redactor;

/// A wallet that signs what a run submits, whatever holds its key.
#[derive(Clone)]
pub struct SigningWallet(Arc<dyn Signer>);

impl SigningWallet {
    /// The wallet's address.
    #[must_use]
    pub fn address(&self) -> WalletAddress {
        self.0.wallet_address()
    }

    pub(crate) fn signer(&self) -> &dyn Signer {
        &*self.0
    }
}

impl<S: Signer + 'static> From<S> for SigningWallet {
    fn from(signer: S) -> Self {
        Self(Arc::new(signer))
    }
}

impl fmt::Debug for SigningWallet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningWallet({})", self.address())
    }
}

/// With what a run signs and pays for what it submits.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Submitting {
    /// The wallet that signs the claim of the write tier, and nothing else. Submissions that a node
    /// must refuse name its address, because it can pay, but never carry a signature of it.
    pub wallet: Option<SigningWallet>,
    /// A wallet whose private key is public, such as a test wallet of a local node. It signs
    /// submissions that a node must refuse; without one, a throw-away wallet without money does.
    ///
    /// Whoever receives these submissions can assemble a valid transaction from them. So this must
    /// never be a wallet that holds anything of worth.
    pub public_wallet: Option<SigningWallet>,
    /// The contract that the claim is made with; without it, one that is found on the chain.
    pub contract: Option<ContractAddress>,
    /// The fee, written as it is submitted.
    pub fee: Amount,
    /// The token that the fee is paid in; the one that `/call-sc` writes, if not given.
    pub currency: Option<String>,
    /// How long a claim is waited for until it can be read.
    pub settle_timeout: Duration,
    /// What reports must not show.
    pub(crate) redactor: Redactor,
}

impl Default for Submitting {
    fn default() -> Self {
        Self {
            wallet: None,
            public_wallet: None,
            contract: None,
            fee: Amount::from(1_000_000_u64),
            currency: None,
            settle_timeout: Duration::from_secs(60),
            redactor: Redactor::default(),
        }
    }
}
