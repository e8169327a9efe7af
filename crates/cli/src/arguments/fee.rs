//! The fee of a transaction.

use clap::Args;
use nodeproof_primitives::Amount;

/// The fee of the transaction that will be signed.
#[derive(Clone, Debug, Args)]
pub(crate) struct FeeArgs {
    /// Fee, as an exact decimal number, such as 1000000. Known nodes require at least that
    #[arg(
        long,
        value_name = "AMOUNT",
        env = "NODECTL_FEE",
        hide_env_values = true,
        allow_negative_numbers = true
    )]
    pub(crate) fee: Option<Amount>,

    /// Code of the token for the fee
    #[arg(
        long,
        value_name = "TOKEN",
        env = "NODECTL_CURRENCY",
        hide_env_values = true
    )]
    pub(crate) currency: Option<String>,
}
