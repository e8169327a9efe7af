//! Why a node refused a transaction.

use std::fmt;

use nodeproof_primitives::{Integer, WalletAddress, escape::escaped_up_to};

/// Why a node refused a transaction. Its text is safe to print.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The wallet that pays the fee has less of the token than the fee. Fill the wallet, or pay in another
    /// token.
    Fee {
        /// The wallet.
        wallet: WalletAddress,
        /// Its balance, in base units of the token.
        have: Integer,
        /// The fee, in base units of the token.
        need: Integer,
        /// The code of the token.
        token: String,
    },
    /// The fee is in a token that no wallet and no contract holds. Its code is probably wrong.
    UnknownToken {
        /// The code of the token.
        token: String,
    },
    /// Another reason, in the node's words. It can be a fee that is below the node's minimum, which no
    /// request returns, or a lack of money because of transactions that are pending.
    Other(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fee {
                wallet,
                have,
                need,
                token,
            } => {
                let token = escaped_up_to(token, 60);
                write!(
                    f,
                    "wallet {wallet} has {have} {token}, and the fee is {need}"
                )
            }
            Self::UnknownToken { token } => {
                let token = escaped_up_to(token, 60);
                write!(
                    f,
                    "nobody holds the token {token} of the fee: is its code right?"
                )
            }
            Self::Other(messages) => f.write_str(messages),
        }
    }
}
