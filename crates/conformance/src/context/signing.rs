//! The wallet and the fee for the transactions that a run submits.

use std::{fmt, num::NonZeroU8, sync::Arc, time::Duration};

use nodeproof_primitives::{Amount, ContractAddress, Signer, WalletAddress};

use super::redactor::Redactor;

/// A wallet that signs transactions, with any kind of signer.
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

/// The wallets, the contract and the fee for the transactions that a run submits.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Submitting {
    /// The wallet that signs the claims of the write tier. Submissions that a node must refuse name its
    /// address, because it can pay. With one claim, they never carry its signature, except that of the claim
    /// itself: the claim is submitted with faults, too. All of these have one code, so at most one is paid.
    pub wallet: Option<SigningWallet>,
    /// A wallet whose private key is public, such as a test wallet of a local node. It signs
    /// submissions that a node must refuse. Without it, a throw-away wallet without money signs them.
    ///
    /// Anyone who receives these submissions can assemble a valid transaction from them. Never use
    /// a wallet of any value.
    pub public_wallet: Option<SigningWallet>,
    /// A second wallet of the chain. With it, the run also makes a claim of both wallets, first
    /// with one signature missing or wrong, and then with both. All of these have one code, so at most one
    /// is paid. If the second wallet holds the fee, it also makes a claim alone.
    pub co_signer: Option<SigningWallet>,
    /// The contract for the claim. Default: one that is found on the chain.
    pub contract: Option<ContractAddress>,
    /// The fee, written exactly as it is submitted.
    pub fee: Amount,
    /// The token that pays the fee. Default: the one in the response of `/call-sc`.
    pub currency: Option<String>,
    /// Number of claims to make, from 1 to 8. Each pays a fee, and has other values. With two or more, the
    /// signature of the first one is also submitted with other transactions, and the wallet also signs
    /// transactions of a wrong form. A node must refuse all of these. On a devnet, some of them offer more than the
    /// wallet holds, one more claim offers the fee in another token, and one is about the co-signer's asset. There, the
    /// wallet also transfers one and a half fees to itself and to a new wallet, which makes two claims.
    pub claims: NonZeroU8,
    /// Maximum time to wait until a claim can be read.
    pub settle_timeout: Duration,
    /// The signatures that reports must not show.
    pub(crate) redactor: Redactor,
    /// Whether the run makes a claim, because a case of the write tier is selected and allowed.
    pub(crate) makes_a_claim: bool,
}

impl Submitting {
    /// Returns the addresses of the user's wallets.
    pub(crate) fn wallets(&self) -> Vec<WalletAddress> {
        let wallets = self.wallet.iter().chain(&self.co_signer);
        wallets.map(SigningWallet::address).collect()
    }
}

impl Default for Submitting {
    fn default() -> Self {
        Self {
            wallet: None,
            public_wallet: None,
            co_signer: None,
            contract: None,
            fee: Amount::from(1_000_000_u64),
            currency: None,
            claims: NonZeroU8::MIN,
            settle_timeout: Duration::from_secs(60),
            redactor: Redactor::default(),
            makes_a_claim: false,
        }
    }
}
