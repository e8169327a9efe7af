//! Transactions in a block.

use nodeproof_primitives::{Integer, RawJson, TransactionCode};
use serde::{Deserialize, Serialize};

use crate::{ContractCallData, InputError, SignedTransaction, from_json};

/// The type of a contract call.
const CONTRACT_CALL: i64 = 3;

/// A transaction in a block, unchanged.
///
/// The specification does not show its shape (OPEN-1).
/// Observed: a submitted transaction with its signatures and a `status`. The methods expect this
/// form. Any other one is kept, too.
///
/// ```
/// use nodeproof_client::{BlockTransaction, from_json};
///
/// let entry: BlockTransaction = from_json(
///     br#"{"transaction": {"type": 3, "fee": 1500000.0,
///          "trans_code": "04087cb4c58f389c80bef882e3392f1b3b0e9e3c"},
///          "signatures": [], "status": 1}"#,
/// )?;
/// let code = "04087cb4c58f389c80bef882e3392f1b3b0e9e3c".parse()?;
/// assert_eq!(entry.trans_code(), Some(code));
/// assert_eq!(entry.status(), Some(1.into()));
/// assert!(entry.text().as_str().ends_with(r#""status": 1}"#));
/// assert!(entry.signed()?.signatures()?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BlockTransaction(RawJson);

impl BlockTransaction {
    /// Returns the text, byte for byte.
    #[must_use]
    pub fn text(&self) -> &RawJson {
        &self.0
    }

    /// Returns the submitted transaction with its signatures.
    ///
    /// # Errors
    /// If it does not have the observed form.
    pub fn signed(&self) -> Result<SignedTransaction, InputError> {
        SignedTransaction::from_json(self.0.as_str())
    }

    /// Returns the data of the contract call, or `None` if the transaction is not a contract call, which
    /// is a transaction of the type 3.
    ///
    /// # Errors
    /// If it does not have the observed form, or its `specific_data` not the documented one.
    ///
    /// ```
    /// use nodeproof_client::{AddVerification, BlockTransaction, from_json};
    ///
    /// # fn example(entry: BlockTransaction) -> Result<(), Box<dyn std::error::Error>> {
    /// if let Some(call) = entry.contract_call()? {
    ///     println!("{} of {} by {:?}", call.function, call.address, call.signers);
    ///     let claim: AddVerification = from_json(call.params.as_str().as_bytes())?;
    ///     println!("{}: {}", claim.asset_id, claim.remarks);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn contract_call(&self) -> Result<Option<ContractCallData>, InputError> {
        #[derive(Deserialize)]
        struct Entry<T> {
            transaction: T,
        }
        #[derive(Deserialize)]
        struct Typed {
            r#type: Integer,
        }
        #[derive(Deserialize)]
        struct Call {
            specific_data: RawJson,
        }
        let text = self.0.as_str().as_bytes();
        // A transaction of another type need not have the member `specific_data`.
        let entry: Entry<Typed> = from_json(text)?;
        if entry.transaction.r#type != CONTRACT_CALL {
            return Ok(None);
        }
        let call = from_json::<Entry<Call>>(text)?.transaction;
        from_json(call.specific_data.as_str().as_bytes()).map(Some)
    }

    /// Returns the transaction's identifier, or `None` if it does not have the observed form.
    #[must_use]
    pub fn trans_code(&self) -> Option<TransactionCode> {
        #[derive(Deserialize)]
        struct Entry {
            transaction: Identified,
        }
        #[derive(Deserialize)]
        struct Identified {
            trans_code: TransactionCode,
        }
        let entry: Entry = self.0.decode().ok()?;
        Some(entry.transaction.trans_code)
    }

    /// Returns `status` if it is an integer. Observed in valid blocks: 1.
    #[must_use]
    pub fn status(&self) -> Option<Integer> {
        #[derive(Deserialize)]
        struct Entry {
            status: Integer,
        }
        Some(self.0.decode::<Entry>().ok()?.status)
    }
}
