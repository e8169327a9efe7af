//! A typed view of a transaction.

use nodeproof_primitives::{
    Amount, ContractAddress, Integer, RawJson, TimestampMs, TransactionCode, WalletAddress,
};

use crate::{
    DecodeError,
    decode::{ExtraFields, Field, FieldError, Leaf, kind_of, members},
};

/// A typed view of a transaction, for reading.
///
/// Nothing is ever written back from it. The text that it was read from is signed and submitted.
///
/// Source: the contract, "Transaction (body of `/submit-transaction`)".
///
/// ```
/// use nodeproof_client::Transaction;
///
/// let view = Transaction::from_text(
///     r#"{"timestamp": 1767225593000, "trans_code": "04087cb4c58f389c80bef882e3392f1b3b0e9e3c",
///         "type": 3, "currency": "TKN", "fee": 1500000.0, "descr": "first claim", "valid": 1,
///         "is_child_txn": false, "specific_data": {}}"#,
/// )?;
/// assert_eq!(view.timestamp()?.as_millis(), 1_767_225_593_000);
/// assert_eq!(view.trans_code()?.to_string(), "04087cb4c58f389c80bef882e3392f1b3b0e9e3c");
/// assert_eq!(*view.kind()?, 3);
/// assert_eq!((view.currency()?, view.fee()?.as_str()), ("TKN", "1500000.0"));
/// assert_eq!(view.descr()?, "first claim");
/// assert_eq!(*view.valid()?, 1);
/// assert_eq!(view.specific_data()?.as_str(), "{}");
/// assert_eq!(view.extra().len(), 1);
/// # Ok::<(), nodeproof_client::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transaction {
    timestamp: Field<TimestampMs>,
    trans_code: Field<TransactionCode>,
    kind: Field<Integer>,
    currency: Field<String>,
    fee: Field<Amount>,
    descr: Field<String>,
    valid: Field<Integer>,
    specific_data: Field<RawJson>,
    extra: ExtraFields,
}

/// A typed view of a smart contract call's specific data, for reading.
///
/// Source: the contract, "Specific data of a smart contract call (type 3)".
///
/// ```
/// use nodeproof_client::Transaction;
///
/// let view = Transaction::from_text(
///     r#"{"specific_data": {"address": "ctcc8321d6375c494d043fdd0260f21bc0ec51dacc",
///         "function": "add_verification", "params": {"n": 1E2},
///         "signers": ["0xc8111e8386bed918b8068b3f719c53a2e76810c3"]}}"#,
/// )?;
/// let call = view.contract_call()?;
/// assert_eq!(call.address()?.to_string(), "ctcc8321d6375c494d043fdd0260f21bc0ec51dacc");
/// assert_eq!(call.function()?, "add_verification");
/// assert_eq!(call.signers()?[0].to_string(), "0xc8111e8386bed918b8068b3f719c53a2e76810c3");
/// assert_eq!(call.params()?.as_str(), r#"{"n": 1E2}"#);
/// assert!(call.extra().is_empty());
/// # Ok::<(), nodeproof_client::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContractCallView {
    address: Field<ContractAddress>,
    function: Field<String>,
    signers: Field<Signers>,
    params: Field<RawJson>,
    extra: ExtraFields,
}

impl Transaction {
    /// Parses a transaction from its JSON text.
    ///
    /// # Errors
    /// If it is not one JSON object.
    pub fn from_text(text: &str) -> Result<Self, DecodeError> {
        let mut read = Self::default();
        members(text, |name, raw| match name {
            "timestamp" => read.timestamp = Field::read(raw),
            "trans_code" => read.trans_code = Field::read(raw),
            "type" => read.kind = Field::read(raw),
            "currency" => read.currency = Field::read(raw),
            "fee" => read.fee = Field::read(raw),
            "descr" => read.descr = Field::read(raw),
            "valid" => read.valid = Field::read(raw),
            "specific_data" => read.specific_data = Field::read(raw),
            _ => read.extra.push(name, raw.to_owned().into()),
        })
        .map_err(|source| DecodeError::new("a transaction", text.as_bytes(), source))?;
        Ok(read)
    }

    /// Returns the time at which the transaction was made.
    ///
    /// # Errors
    /// If it is not an integer of milliseconds.
    pub fn timestamp(&self) -> Result<TimestampMs, FieldError> {
        self.timestamp.require("timestamp").copied()
    }

    /// Returns the transaction's identifier.
    ///
    /// # Errors
    /// If it is not 40 hexadecimal digits.
    pub fn trans_code(&self) -> Result<TransactionCode, FieldError> {
        self.trans_code.require("trans_code").copied()
    }

    /// Returns `type`: 3 for a smart contract call. The contract does not show other values.
    ///
    /// # Errors
    /// If it is not an integer.
    #[doc(alias = "type")]
    pub fn kind(&self) -> Result<&Integer, FieldError> {
        self.kind.require("type")
    }

    /// Returns the code of the token in which the fee is paid.
    ///
    /// # Errors
    /// If it is not a string.
    pub fn currency(&self) -> Result<&str, FieldError> {
        self.currency.require("currency").map(String::as_str)
    }

    /// Returns the fee in base units of the [currency](Self::currency), with all its digits.
    ///
    /// # Errors
    /// If it is not a number.
    pub fn fee(&self) -> Result<&Amount, FieldError> {
        self.fee.require("fee")
    }

    /// Returns the free text, which may be empty.
    ///
    /// # Errors
    /// If it is not a string.
    pub fn descr(&self) -> Result<&str, FieldError> {
        self.descr.require("descr").map(String::as_str)
    }

    /// Returns `valid`: 1 for a contract call.
    ///
    /// # Errors
    /// If it is not an integer.
    pub fn valid(&self) -> Result<&Integer, FieldError> {
        self.valid.require("valid")
    }

    /// Returns the data that depends on the transaction's type, unchanged.
    ///
    /// # Errors
    /// If it is missing or null.
    pub fn specific_data(&self) -> Result<&RawJson, FieldError> {
        self.specific_data.require("specific_data")
    }

    /// Returns the specific data as that of a smart contract call.
    ///
    /// # Errors
    /// If it is not an object.
    pub fn contract_call(&self) -> Result<ContractCallView, FieldError> {
        let data = self.specific_data()?;
        let mut read = ContractCallView::default();
        let walked = members(data.as_str(), |name, raw| match name {
            "address" => read.address = Field::read(raw),
            "function" => read.function = Field::read(raw),
            "signers" => read.signers = Field::read(raw),
            "params" => read.params = Field::read(raw),
            _ => read.extra.push(name, raw.to_owned().into()),
        });
        match walked {
            Ok(()) => Ok(read),
            Err(_) => {
                let found = kind_of(data.as_str());
                let reason = format!("expected an object, found {found}");
                Field::malformed(reason, data.clone())
                    .require("specific_data")
                    .cloned()
            }
        }
    }

    /// Returns the undocumented fields, unchanged.
    #[must_use]
    pub fn extra(&self) -> &ExtraFields {
        &self.extra
    }
}

impl ContractCallView {
    /// Returns the address of the contract.
    ///
    /// # Errors
    /// If it is not a contract address.
    pub fn address(&self) -> Result<ContractAddress, FieldError> {
        self.within(self.address.require("address")).copied()
    }

    /// Returns the name of the contract's function.
    ///
    /// # Errors
    /// If it is not a string.
    #[doc(alias = "function_called")]
    pub fn function(&self) -> Result<&str, FieldError> {
        self.within(self.function.require("function"))
            .map(String::as_str)
    }

    /// Returns the wallets that must sign.
    ///
    /// # Errors
    /// If it is not an array of wallet addresses.
    pub fn signers(&self) -> Result<&[WalletAddress], FieldError> {
        self.within(self.signers.require("signers"))
            .map(|signers| signers.0.as_slice())
    }

    /// Returns the function's parameters, unchanged.
    ///
    /// # Errors
    /// If they are missing or null.
    pub fn params(&self) -> Result<&RawJson, FieldError> {
        self.within(self.params.require("params"))
    }

    /// Returns the undocumented fields, unchanged.
    #[must_use]
    pub fn extra(&self) -> &ExtraFields {
        &self.extra
    }

    #[expect(
        clippy::unused_self,
        reason = "reads as what it is: a field within this view"
    )]
    fn within<'f, T>(&self, field: Result<&'f T, FieldError>) -> Result<&'f T, FieldError> {
        field.map_err(|fault| fault.within("specific_data"))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Signers(Vec<WalletAddress>);

impl Leaf for Signers {
    fn read(text: &str) -> Result<Self, String> {
        serde_json::from_str(text)
            .map(Self)
            .map_err(|error| error.to_string())
    }
}

impl Leaf for Amount {
    fn read(text: &str) -> Result<Self, String> {
        text.parse()
            .map_err(|_| format!("expected a number, found {}", kind_of(text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_what_is_there_to_the_last_digit() {
        let view = Transaction::from_text(
            r#"{"timestamp":1767225593000,"trans_code":"04087cb4c58f389c80bef882e3392f1b3b0e9e3c","type":3,
                "currency":"TKN","fee":1500000.000000000000000001,"descr":"","valid":1,"is_child_txn":false,
                "specific_data":{"address":"ctcc8321d6375c494d043fdd0260f21bc0ec51dacc","function":"f",
                "signers":["0xc8111e8386bed918b8068b3f719c53a2e76810c3"],"params":{"n":1E2}}}"#,
        )
        .unwrap();
        assert_eq!(view.fee().unwrap().as_str(), "1500000.000000000000000001");
        assert_eq!(view.extra().get("is_child_txn").unwrap().as_str(), "false");
        let call = view.contract_call().unwrap();
        assert_eq!(call.signers().unwrap().len(), 1);
        assert_eq!(call.params().unwrap().as_str(), r#"{"n":1E2}"#);
    }

    #[test]
    fn each_field_says_for_itself_what_is_wrong() {
        let view =
            Transaction::from_text(r#"{"type":"3","fee":null,"specific_data":{"signers":7}}"#)
                .unwrap();
        assert!(
            view.kind()
                .unwrap_err()
                .to_string()
                .contains("the string \"3\"")
        );
        assert!(view.fee().unwrap_err().is_null());
        let call = view.contract_call().unwrap();
        assert_eq!(
            call.address().unwrap_err().to_string(),
            "`specific_data.address` is missing"
        );
        assert!(call.signers().is_err());
        let odd = Transaction::from_text(r#"{"specific_data":[]}"#).unwrap();
        assert!(
            odd.contract_call()
                .unwrap_err()
                .to_string()
                .contains("an array")
        );
        assert!(Transaction::from_text("[]").is_err());
    }
}
