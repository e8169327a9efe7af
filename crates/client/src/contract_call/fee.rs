//! The fee of a transaction.

use nodeproof_primitives::{Amount, InexactAmountError, MessageError, signed_message};

/// A fee: an exact amount and the token in which it is paid.
///
/// Nodes build transactions with the fee `0.0`. The caller chooses the fee before signing.
///
/// Source: the contract, "`transaction.fee` … number … decimal", "`transaction.currency`".
///
/// ```
/// use nodeproof_client::contract_call::Fee;
///
/// let fee = Fee::new("1500000".parse()?, "TKN")?;
/// assert_eq!((fee.amount().as_str(), fee.currency()), ("1500000", "TKN"));
/// assert!(Fee::new("0.10000000000000000001".parse()?, "TKN").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fee {
    amount: Amount,
    currency: String,
}

/// A fee that can't be paid exactly.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FeeError {
    /// The amount is below zero. Give zero or more, without a minus sign.
    #[error("a fee is not below zero, and this one is {0}")]
    Negative(Amount),
    /// Nodes would read another amount. Give the fee as an integer, or with at most 15 digits.
    #[error("the fee {0}")]
    Inexact(#[from] InexactAmountError),
    /// No node reads a number with this many digits. Give at most 4300.
    #[error("the fee can't be signed: {0}")]
    Unsignable(MessageError),
    /// The currency is empty. Give the code of the token that pays the fee.
    #[error("the fee names no currency; give the code of the token that it is paid in")]
    NoCurrency,
}

impl Fee {
    /// Creates a fee. `amount` is in base units of the token with the code `currency`.
    ///
    /// # Errors
    /// If the amount is below zero, if nodes would read another amount, or if `currency` is empty.
    pub fn new(amount: Amount, currency: impl Into<String>) -> Result<Self, FeeError> {
        let currency = currency.into();
        if amount.as_str().starts_with('-') {
            return Err(FeeError::Negative(amount));
        }
        amount.check_exact()?;
        signed_message(amount.as_str()).map_err(FeeError::Unsignable)?;
        if currency.trim().is_empty() {
            return Err(FeeError::NoCurrency);
        }
        Ok(Self { amount, currency })
    }

    /// Returns the amount in base units of the [currency](Self::currency), with every digit as
    /// written.
    #[must_use]
    pub fn amount(&self) -> &Amount {
        &self.amount
    }

    /// Returns the code of the token in which the fee is paid.
    #[must_use]
    pub fn currency(&self) -> &str {
        &self.currency
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fee(amount: &str, currency: &str) -> Result<Fee, FeeError> {
        Fee::new(amount.parse().unwrap(), currency)
    }

    #[test]
    fn takes_every_amount_that_nodes_read_exactly() {
        for amount in ["0", "0.0", "1e6", "1500000.25", "9007199254740993"] {
            assert_eq!(fee(amount, "TKN").unwrap().amount().as_str(), amount);
        }
    }

    #[test]
    fn refuses_what_would_be_paid_as_something_else() {
        assert!(matches!(fee("-1", "TKN"), Err(FeeError::Negative(_))));
        assert!(matches!(fee("-0", "TKN"), Err(FeeError::Negative(_))));
        let inexact = fee("1500000.00000000001", "TKN").unwrap_err().to_string();
        assert!(inexact.starts_with("the fee 1500000.00000000001 has more digits"));
        assert!(matches!(fee("1e400", "TKN"), Err(FeeError::Inexact(_))));
        assert!(matches!(fee("1", " "), Err(FeeError::NoCurrency)));
        let long = "9".repeat(5000);
        assert!(matches!(fee(&long, "TKN"), Err(FeeError::Unsignable(_))));
    }
}
