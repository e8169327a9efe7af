//! The fee of a transaction.

use nodeproof_primitives::{Amount, signed_message};

use crate::InputError;

/// A fee: an exact amount and the token in which it is paid.
///
/// Nodes build transactions with the fee `0.0`. The caller chooses the fee before signing.
///
/// Source: TX-4 and TX-5 of the specification.
///
/// ```
/// use nodeproof_client::Fee;
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

impl Fee {
    /// Creates a fee. `amount` is in base units of the token with the code `currency`.
    ///
    /// # Errors
    /// If the amount is below zero, if nodes would read another amount, or if `currency` is empty.
    pub fn new(amount: Amount, currency: impl Into<String>) -> Result<Self, InputError> {
        let currency = currency.into();
        if amount.as_str().starts_with('-') {
            return Err(InputError::new(format!(
                "a fee is not below zero, and this one is {amount}"
            )));
        }
        amount
            .check_exact()
            .map_err(|fault| InputError::new(format!("the fee {fault}")))?;
        signed_message(amount.as_str())
            .map_err(|fault| InputError::new(format!("the fee can't be signed: {fault}")))?;
        if currency.trim().is_empty() {
            return Err(InputError::new(
                "the fee names no currency; give the code of the token that it is paid in",
            ));
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

    fn fee(amount: &str, currency: &str) -> Result<Fee, InputError> {
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
        let reason = |amount: &str, currency: &str| fee(amount, currency).unwrap_err().to_string();
        assert!(reason("-1", "TKN").starts_with("a fee is not below zero"));
        assert!(reason("-0", "TKN").starts_with("a fee is not below zero"));
        assert!(
            reason("1500000.00000000001", "TKN")
                .starts_with("the fee 1500000.00000000001 has more digits")
        );
        assert!(reason("1e400", "TKN").starts_with("the fee 1e400"));
        assert!(reason("1", " ").starts_with("the fee names no currency"));
        let long = "9".repeat(5000);
        assert!(reason(&long, "TKN").starts_with("the fee can't be signed"));
    }
}
