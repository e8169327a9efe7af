//! The kinds of responses that several cases check.

use nodeproof_openapi::{Spec, View};

/// A kind of response that several cases check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sample {
    Blocks,
    TokenBalance,
    WalletBalances,
    TokenHolders,
    ContractState,
    TrustScore,
    Docs,
    CallSc,
    /// Responses to submissions that must be refused.
    Refusals,
    /// Responses to valid submissions.
    Acceptances,
}

impl Sample {
    /// All kinds, in their order.
    pub(crate) const ALL: [Self; 10] = [
        Self::Blocks,
        Self::TokenBalance,
        Self::WalletBalances,
        Self::TokenHolders,
        Self::ContractState,
        Self::TrustScore,
        Self::Docs,
        Self::CallSc,
        Self::Refusals,
        Self::Acceptances,
    ];

    /// Number of kinds.
    pub(crate) const COUNT: usize = Self::ALL.len();

    pub(crate) const fn operation_id(self) -> &'static str {
        match self {
            Self::Blocks => "get_block",
            Self::TokenBalance | Self::WalletBalances | Self::TokenHolders => "get_balances",
            Self::ContractState => "sc_state",
            Self::TrustScore => "get_trustscore_wallets",
            Self::Docs => "docs",
            Self::CallSc => "call_sc",
            Self::Refusals | Self::Acceptances => "submit_transaction",
        }
    }

    /// Returns the path of the endpoint.
    pub(crate) const fn path(self) -> &'static str {
        match self {
            Self::Blocks => "/get-block",
            Self::TokenBalance | Self::WalletBalances | Self::TokenHolders => "/get-balances",
            Self::ContractState => "/sc-state",
            Self::TrustScore => "/get-trustscore-wallets",
            Self::Docs => "/docs",
            Self::CallSc => "/call-sc",
            Self::Refusals | Self::Acceptances => "/submit-transaction",
        }
    }

    /// Returns the location of these responses' schema in a view of the spec.
    pub(crate) fn schema(self, spec: &Spec, view: View) -> Option<String> {
        let balance_type = match self {
            Self::TokenBalance => "TOKEN_IN_WALLET",
            Self::WalletBalances => "ALL_TOKENS_IN_WALLET",
            Self::TokenHolders => "ALL_WALLETS_FOR_TOKEN",
            _ => "",
        };
        let query = [("balance_type", balance_type)];
        let at = spec.response_schema(view, self.operation_id(), 200, &query)?;
        spec.unwrap(view, &at).map(|(at, _)| at)
    }
}
