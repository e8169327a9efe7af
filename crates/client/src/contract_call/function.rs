//! Typed functions of contracts.

use nodeproof_primitives::{Amount, WalletAddress};
use serde::Serialize;

/// A function of a contract: its name, and its parameters as the type itself.
///
/// Implement it for a type that serializes as the JSON object of the parameters. The members are
/// signed in this order. [`Client::call`](crate::Client::call) calls the function.
///
/// ```
/// use nodeproof_client::{ContractCall, contract_call::ContractFunction};
/// use serde::Serialize;
///
/// #[derive(Serialize)]
/// struct Vote {
///     proposal: u64,
///     approve: bool,
/// }
///
/// impl ContractFunction for Vote {
///     const NAME: &'static str = "vote";
/// }
///
/// let contract = "ct8acac3e5d4b00f083c314707a41ca995c61c6f8c".parse()?;
/// let call = ContractCall::of(contract, &Vote { proposal: 7, approve: true })?;
/// assert_eq!(call.function_called, "vote");
/// assert_eq!(call.params.as_str(), r#"{"proposal":7,"approve":true}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait ContractFunction: Serialize {
    /// The name of the function, such as `add_verification`.
    const NAME: &'static str;
}

/// The parameters of `transfer`: an amount of a token, from the wallet that signs to another one.
///
/// The contract does not state the unit of the amount. Nodes were seen to count in base units, which
/// are whole numbers.
///
/// Source: the contract, "The transfer function shows these params".
///
/// ```
/// use nodeproof_client::contract_call::Transfer;
///
/// let receiver = "0xb21854c8df7c314b3778036b532c5438abfeff03".parse()?;
/// let transfer = Transfer::new(1_250_000, receiver, "TKN");
/// # let _ = transfer;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Transfer {
    /// The amount to send, in base units of the token.
    pub amount_to_send: Amount,
    /// The wallet that receives it.
    pub receiver: WalletAddress,
    /// The code of the token.
    pub asset_code: String,
}

impl Transfer {
    /// Creates the parameters of a transfer. The amount is in base units of the token.
    #[must_use]
    pub fn new(
        amount: impl Into<Amount>,
        receiver: WalletAddress,
        token_code: impl Into<String>,
    ) -> Self {
        Self {
            amount_to_send: amount.into(),
            receiver,
            asset_code: token_code.into(),
        }
    }
}

impl ContractFunction for Transfer {
    const NAME: &'static str = "transfer";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transfer_is_written_as_the_contract_lists_it_with_every_digit() {
        let receiver = WalletAddress::from_bytes([0xb2; 20]);
        let amount: Amount = "9007199254740993.50".parse().unwrap();
        let text = serde_json::to_string(&Transfer::new(amount, receiver, "TKN")).unwrap();
        assert_eq!(
            text,
            format!(
                r#"{{"amount_to_send":9007199254740993.50,"receiver":"{receiver}","asset_code":"TKN"}}"#
            )
        );
    }
}
