//! Votes on a block.

use nodeproof_primitives::{Hash256, Integer, RawJson, TimestampMs, WalletAddress};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::{
    HexText,
    decode::{Element, ExtraFields, Field, FieldError, members, not_an_object, text_in},
};

/// A signed vote on the block before, parsed leniently.
///
/// The signature covers the member `data`. Its text is unchanged.
///
/// Source: the contract, "Receipt (element of `previous_block_receipts`)".
///
/// ```
/// use nodeproof_client::Receipt;
///
/// let receipt = Receipt::from_text(
///     r#"{"data": {"block_index": 1199, "vote": 9, "timestamp": 1767225591000,
///           "block_hash": "21f7581d94352dd63d9f5b0c5a7800573aa405d3f97755d249fb0548ca68e1c7",
///           "wallet_address": "0xe8cf534e934cf1d5fb523b8c3134a501037d470e"},
///         "public_key": "dc75", "signature": "4b9f"}"#,
/// )?;
/// assert_eq!(*receipt.block_index()?, 1199);
/// assert!(receipt.block_hash()?.to_string().starts_with("21f7"));
/// assert_eq!(*receipt.vote()?, 9);
/// assert_eq!(receipt.timestamp()?.as_millis(), 1_767_225_591_000);
/// assert_eq!(receipt.wallet_address()?.to_string(), "0xe8cf534e934cf1d5fb523b8c3134a501037d470e");
/// assert_eq!(receipt.public_key()?.text(), "dc75");
/// assert_eq!(receipt.signature()?.text(), "4b9f");
/// assert!(receipt.data_text()?.starts_with(r#"{"block_index": 1199, "vote": 9,"#));
/// assert!(receipt.faults().is_empty() && receipt.extra().is_empty());
///
/// let odd = Receipt::from_text("[1, 2.50]")?;
/// assert_eq!(odd.not_a_receipt().map(|value| value.as_str()), Some("[1, 2.50]"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Receipt {
    data: Field<Box<str>>,
    block_index: Field<Integer>,
    block_hash: Field<Hash256>,
    vote: Field<Integer>,
    timestamp: Field<TimestampMs>,
    wallet_address: Field<WalletAddress>,
    public_key: Field<HexText>,
    signature: Field<HexText>,
    extra: ExtraFields,
    /// The value in the receipt's place, if it is not an object.
    odd: Option<Box<(String, RawJson)>>,
}

impl Receipt {
    /// Parses a receipt from its JSON text.
    ///
    /// # Errors
    /// If the text is not JSON. For JSON that is not a receipt, see [`faults`](Self::faults).
    pub fn from_text(text: &str) -> Result<Self, serde_json::Error> {
        let text = serde_json::from_str::<&RawValue>(text)?.get();
        Ok(Self::tolerantly(text))
    }

    /// Returns the signed text: `data`, byte for byte.
    ///
    /// # Errors
    /// If `data` is not an object.
    pub fn data_text(&self) -> Result<&str, FieldError> {
        self.data.require("data").map(|text| &**text)
    }

    /// Returns the index of the block that the vote is about.
    ///
    /// # Errors
    /// If it is not an integer.
    pub fn block_index(&self) -> Result<&Integer, FieldError> {
        self.of_data(&self.block_index, "data.block_index")
    }

    /// Returns the hash of the block that the vote is about.
    ///
    /// # Errors
    /// If it is not 64 hexadecimal digits.
    pub fn block_hash(&self) -> Result<&Hash256, FieldError> {
        self.of_data(&self.block_hash, "data.block_hash")
    }

    /// Returns the vote. The contract shows 1 and 9 without a meaning.
    ///
    /// # Errors
    /// If it is not an integer.
    pub fn vote(&self) -> Result<&Integer, FieldError> {
        self.of_data(&self.vote, "data.vote")
    }

    /// Returns the time of the vote.
    ///
    /// # Errors
    /// If it is not an integer of milliseconds.
    pub fn timestamp(&self) -> Result<TimestampMs, FieldError> {
        self.of_data(&self.timestamp, "data.timestamp").copied()
    }

    /// Returns the voter's wallet.
    ///
    /// # Errors
    /// If it is not a wallet address.
    pub fn wallet_address(&self) -> Result<&WalletAddress, FieldError> {
        self.of_data(&self.wallet_address, "data.wallet_address")
    }

    /// Returns the voter's public key.
    ///
    /// # Errors
    /// If it is not hexadecimal.
    pub fn public_key(&self) -> Result<&HexText, FieldError> {
        self.public_key.require("public_key")
    }

    /// Returns the voter's signature over `data`.
    ///
    /// # Errors
    /// If it is not hexadecimal.
    pub fn signature(&self) -> Result<&HexText, FieldError> {
        self.signature.require("signature")
    }

    /// Returns the undocumented fields, unchanged. Those of `data` are in its text.
    #[must_use]
    pub fn extra(&self) -> &ExtraFields {
        &self.extra
    }

    /// Returns the value in the receipt's place, if it is not an object.
    #[must_use]
    pub fn not_a_receipt(&self) -> Option<&RawJson> {
        self.odd.as_ref().map(|odd| &odd.1)
    }

    /// Returns the faults of all fields that are missing, null or malformed.
    #[must_use]
    pub fn faults(&self) -> Vec<FieldError> {
        if let Some(odd) = &self.odd {
            let whole = Field::<()>::malformed(odd.0.clone(), odd.1.clone());
            return whole.fault("receipt").into_iter().collect();
        }
        let data = self.data_text().err();
        let mut faults = Vec::new();
        if data.is_some() {
            faults.extend(data);
        } else {
            faults.extend(self.block_index().err());
            faults.extend(self.block_hash().err());
            faults.extend(self.vote().err());
            faults.extend(self.timestamp().err());
            faults.extend(self.wallet_address().err());
        }
        faults.extend(self.public_key().err());
        faults.extend(self.signature().err());
        faults
    }

    /// Returns a field of `data`, or the fault of `data` if it has no fields at all.
    fn of_data<'f, T>(&self, field: &'f Field<T>, name: &'static str) -> Result<&'f T, FieldError> {
        match (field, &self.data) {
            (Field::Missing, Field::Null | Field::Malformed(_)) => {
                Err(self.data.fault("data").unwrap_or_else(|| unread(name)))
            }
            _ => field.require(name),
        }
    }

    /// Reads every field that can be read. `text` must be JSON.
    fn tolerantly(text: &str) -> Self {
        let mut receipt = Self::default();
        let read = members(text, |name, raw| match name {
            "data" => receipt.read_data(raw),
            "public_key" => receipt.public_key = Field::read(raw),
            "signature" => receipt.signature = Field::read(raw),
            _ => receipt.extra.push(name, raw.to_owned().into()),
        });
        if read.is_err()
            && let Ok(raw) = RawJson::from_text(text.to_owned())
        {
            receipt.odd = Some(Box::new((not_an_object(text), raw)));
        }
        receipt
    }

    fn read_data(&mut self, raw: &RawValue) {
        let text = raw.get();
        // Some nodes write the object inside a string.
        let inner = text_in(text);
        let object = inner.as_deref().unwrap_or(text);
        let read = members(object, |name, raw| match name {
            "block_index" => self.block_index = Field::read(raw),
            "block_hash" => self.block_hash = Field::read(raw),
            "vote" => self.vote = Field::read(raw),
            "timestamp" => self.timestamp = Field::read(raw),
            "wallet_address" => self.wallet_address = Field::read(raw),
            _ => {}
        });
        self.data = match (read, &inner) {
            (Ok(()), None) => Field::Value(text.into()),
            (Ok(()), Some(inner)) => Field::Value(inner.trim().into()),
            (Err(_), _) if text == "null" => Field::Null,
            (Err(_), _) => Field::malformed(not_an_object(text), raw.to_owned().into()),
        };
    }
}

fn unread(name: &'static str) -> FieldError {
    FieldError::new(name, crate::FieldFault::Missing)
}

impl Element for Receipt {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&RawValue>::deserialize(deserializer)?.get();
        Ok(Self::tolerantly(text))
    }

    fn is_odd(&self) -> bool {
        self.odd.is_some()
            || self.data.value().is_none()
            || self.block_index.value().is_none()
            || self.block_hash.value().is_none()
            || self.vote.value().is_none()
            || self.timestamp.value().is_none()
            || self.wallet_address.value().is_none()
            || self.public_key.value().is_none()
            || self.signature.value().is_none()
    }
}
