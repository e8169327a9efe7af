//! The kinds of responses that several cases check.

use nodeproof_openapi::{Parameter, Spec, View};

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

    /// Returns the operation as case IDs name it, such as `get-block`.
    pub(crate) fn operation(self) -> &'static str {
        self.path().trim_start_matches('/')
    }

    pub(crate) fn operation_id(self) -> String {
        self.operation().replace('-', "_")
    }

    /// Returns the documented parameters of the operation.
    pub(crate) fn parameters(self, spec: &Spec) -> Vec<Parameter<'_>> {
        let operation = spec.operation(View::Documented, &self.operation_id());
        operation.map_or_else(Vec::new, |operation| operation.parameters())
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

    /// Returns the location of these responses' schema in the documented view of the spec.
    pub(crate) fn schema(self, spec: &Spec) -> Option<String> {
        let balance_type = match self {
            Self::TokenBalance => "TOKEN_IN_WALLET",
            Self::WalletBalances => "ALL_TOKENS_IN_WALLET",
            Self::TokenHolders => "ALL_WALLETS_FOR_TOKEN",
            _ => "",
        };
        let query = [("balance_type", balance_type)];
        let at = spec.response_schema(View::Documented, &self.operation_id(), 200, &query)?;
        spec.unwrap(View::Documented, &at).map(|(at, _)| at)
    }
}
