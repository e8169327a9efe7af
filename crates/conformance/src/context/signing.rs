//! The wallet and the fee for what a run submits.

use std::{fmt, sync::Arc, time::Duration};

use nodeproof_primitives::{Amount, Signer, WalletAddress};

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
    /// The wallet that signs; a throw-away one signs what is to be refused where there is none.
    pub wallet: Option<SigningWallet>,
    /// The fee, written as it is submitted.
    pub fee: Amount,
    /// The token that the fee is paid in; the one that `/call-sc` writes, if not given.
    pub currency: Option<String>,
    /// How long a claim is waited for until it can be read.
    pub settle_timeout: Duration,
}

impl Default for Submitting {
    fn default() -> Self {
        Self {
            wallet: None,
            fee: Amount::from(1_000_000_u64),
            currency: None,
            settle_timeout: Duration::from_secs(60),
        }
    }
}
