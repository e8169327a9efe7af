//! Records of verification contracts.

use std::borrow::Cow;

use nodeproof_primitives::{
    ContractAddress, Integer, RawJson, WalletAddress, escape::escaped_up_to,
};
use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::{Map, Value, value::RawValue};

use crate::{
    InputError, from_json,
    json_text::{check_inner, kind_of, text_in},
};

/// A record of the table `verification`: a claim that is stored on the chain.
///
/// The specification shows neither the columns nor the shape of a record. It states that the
/// created fields are those of `add_verification`. Observed: a row of columns in a fixed
/// [order](Self::COLUMNS), with lists as JSON inside a string. An object with the fields by name is
/// accepted, too.
///
/// ```
/// use nodeproof_client::VerificationRecord;
///
/// let row = r#"["ctcc8321d6375c494d043fdd0260f21bc0ec51dacc", "asset 7", "token",
///     "0xc8111e8386bed918b8068b3f719c53a2e76810c3", 1, "[\"doc1\"]", "[]", "sealed", 2500000]"#;
/// let record = VerificationRecord::from_json(&row.parse()?)?;
/// assert_eq!((&*record.asset_id, &*record.remarks), ("asset 7", "sealed"));
/// assert_eq!(record.doc_hash_list, ["doc1"]);
/// let stored = serde_json::to_string(&record)?;
/// assert_eq!(VerificationRecord::from_json(&stored.parse()?)?, record);
/// let rows = format!("[{row}, {row}]").parse()?;
/// assert_eq!(VerificationRecord::all_from_json(&rows)?, [record.clone(), record]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "a row or an object")]
#[non_exhaustive]
pub struct VerificationRecord {
    /// The contract that stores the record, if the node returns it.
    #[serde(default, rename = "address", alias = "contract_address")]
    pub contract: Option<ContractAddress>,
    /// Identifier of the asset that the claim is about.
    pub asset_id: String,
    /// Kind of asset, such as `token`.
    pub asset_type: String,
    /// Wallet of the verifier. Nodes were seen to store the wallet that signed.
    pub verifier_address: WalletAddress,
    /// Result of the verification. The specification does not state what the values mean.
    pub outcome: Integer,
    /// Hashes of the supporting documents, in whatever form they were stored.
    #[serde(deserialize_with = "texts")]
    pub doc_hash_list: Vec<String>,
    /// Links to the supporting documents.
    #[serde(deserialize_with = "texts")]
    pub doc_link_list: Vec<String>,
    /// Free text.
    pub remarks: String,
    /// Threshold after which the record may be deleted. The specification does not state its unit.
    pub deletable_after: Integer,
    /// Undocumented fields of an object.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
    /// Columns of a row after the last known one, unchanged.
    #[serde(skip_deserializing, skip_serializing_if = "Vec::is_empty")]
    pub extra_columns: Vec<RawJson>,
}

impl VerificationRecord {
    /// The columns of the contract's table, in the order of a row. Observed on a real node.
    pub const COLUMNS: [&str; 9] = [
        "address",
        "asset_id",
        "asset_type",
        "verifier_address",
        "outcome",
        "doc_hash_list",
        "doc_link_list",
        "remarks",
        "deletable_after",
    ];

    /// Parses one record from a row or an object, or from a string that contains one.
    ///
    /// # Errors
    /// If it is neither, or a column is missing or malformed. The error names the column.
    pub fn from_json(record: &RawJson) -> Result<Self, InputError> {
        let text = unwrapped(record.as_str())?;
        if !text.starts_with('[') {
            return from_json(text.as_bytes());
        }
        let columns: Vec<&RawValue> = serde_json::from_str(&text).map_err(InputError::from)?;
        let split = columns.len().min(Self::COLUMNS.len());
        let (known, more) = columns.split_at(split);
        // The columns by name, in the same text as before.
        let members: Vec<String> = Self::COLUMNS
            .iter()
            .zip(known)
            .map(|(name, value)| format!("\"{name}\":{value}"))
            .collect();
        let mut record: Self = from_json(format!("{{{}}}", members.join(",")).as_bytes())?;
        record.extra_columns = more.iter().map(|raw| (*raw).to_owned().into()).collect();
        Ok(record)
    }

    /// Parses records from a list of them, or from a single one.
    ///
    /// # Errors
    /// As for [`from_json`](Self::from_json).
    pub fn all_from_json(records: &RawJson) -> Result<Vec<Self>, InputError> {
        let text = unwrapped(records.as_str())?;
        let several: Option<Vec<RawJson>> = serde_json::from_str(&text).ok();
        // The first column of a row is an address. In a list of records, it is a list or an object.
        let several = several.filter(|items| {
            items.first().is_none_or(|first| {
                unwrapped(first.as_str()).is_ok_and(|text| text.starts_with(['[', '{']))
            })
        });
        match several {
            Some(items) => items.iter().map(Self::from_json).collect(),
            None => Self::from_json(records).map(|record| vec![record]),
        }
    }
}

/// Reads an array of strings, or a string that contains such an array.
fn texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let raw = Box::<RawValue>::deserialize(deserializer)?;
    let text = unwrapped(raw.get()).map_err(de::Error::custom)?;
    serde_json::from_str(&text).map_err(|_| {
        let found = escaped_up_to(&kind_of(raw.get()), 100);
        de::Error::custom(format!("expected a list of texts, found {found}"))
    })
}

/// Returns the content of a string, or any other value unchanged.
fn unwrapped(text: &str) -> Result<Cow<'_, str>, InputError> {
    let Some(inner) = text_in(text) else {
        return Ok(Cow::Borrowed(text));
    };
    check_inner(&inner)?;
    Ok(Cow::Owned(inner.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ContractState;

    const ROW: &str = r#"["ctcc8321d6375c494d043fdd0260f21bc0ec51dacc","asset","token",
        "0xc8111e8386bed918b8068b3f719c53a2e76810c3",1,"[\"doc1\", \"doc2\"]","[]","re\"marks",1347344]"#;

    fn record(text: &str) -> Result<VerificationRecord, String> {
        VerificationRecord::from_json(&text.parse().unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_row_and_an_object_read_alike() {
        let row = record(ROW).unwrap();
        let object = record(
            r#"{"asset_type":"token","asset_id":"asset","address":"ctcc8321d6375c494d043fdd0260f21bc0ec51dacc",
                "verifier_address":"0xc8111e8386bed918b8068b3f719c53a2e76810c3","outcome":1,
                "doc_hash_list":["doc1","doc2"],"doc_link_list":"[]","remarks":"re\"marks","deletable_after":1347344}"#,
        );
        assert_eq!(row, object.unwrap());
        assert_eq!(row.doc_hash_list, ["doc1", "doc2"]);
        assert_eq!(row.remarks, "re\"marks");
    }

    #[test]
    fn keeps_more_columns_and_every_digit() {
        let wide = ROW.replace(
            "1347344]",
            "123456789012345678901234567890,\"new\",{\"a\":1.0}]",
        );
        let record = record(&wide).unwrap();
        assert_eq!(
            record.deletable_after.to_string(),
            "123456789012345678901234567890"
        );
        assert_eq!(record.extra_columns[1].as_str(), "{\"a\":1.0}");
    }

    #[test]
    fn names_the_first_wrong_column() {
        for (text, reason) in [
            (
                ROW.replace("1347344", "null"),
                "`deletable_after`: expected an integer, received null",
            ),
            (ROW.replace(",1347344", ""), "`deletable_after` is missing"),
            (
                ROW.replace("\"asset\"", "7"),
                "`asset_id`: expected a string, received the number 7",
            ),
            ("{}".to_owned(), "`asset_id` is missing"),
            ("[]".to_owned(), "`asset_id` is missing"),
            (
                "7".to_owned(),
                "expected a row or an object, received the number 7",
            ),
        ] {
            assert_eq!(record(&text).unwrap_err(), reason, "{text}");
        }
        let lists = record(&ROW.replace("\"[]\"", "\"{}\"")).unwrap_err();
        assert!(
            lists.starts_with("`doc_link_list`: expected a list of texts"),
            "{lists}"
        );
    }

    #[test]
    fn state_yields_the_record_wherever_it_is() {
        for body in [
            format!(r#"{{"status":"SUCCESS","data":{ROW}}}"#),
            format!(r#"{{"value":{ROW}}}"#),
            format!(r#"{{"value":null,"data":{ROW}}}"#),
            format!(r#"{{"value":[{ROW},{ROW}]}}"#),
            format!(r#"{{"value":[{}]}}"#, serde_json::to_string(ROW).unwrap()),
            format!(r#"{{"value":{}}}"#, serde_json::to_string(ROW).unwrap()),
        ] {
            let state: ContractState = from_json(body.as_bytes()).unwrap();
            let record = state.record().unwrap().unwrap();
            let records = VerificationRecord::all_from_json(record).unwrap();
            assert_eq!(records[0].asset_id, "asset", "{body}");
        }
    }

    #[test]
    fn an_object_beside_a_row_is_the_same_record_if_every_field_is_equal() {
        let object = r#"{"asset_id":"asset","asset_type":"token","outcome":1,"remarks":"re\"marks",
            "verifier_address":"0xc8111e8386bed918b8068b3f719c53a2e76810c3","deletable_after":1347344,
            "doc_hash_list":["doc1","doc2"],"doc_link_list":[]}"#;
        let state = |object: &str| -> ContractState {
            from_json(format!(r#"{{"value":{object},"data":{ROW}}}"#).as_bytes()).unwrap()
        };
        assert!(state(object).record().unwrap().is_some());
        for (field, other) in [
            ("\"asset\"", "\"asset 2\""),
            (":1,", ":2,"),
            ("doc2", "doc3"),
            (
                "{",
                r#"{"address":"ct0000000000000000000000000000000000000000","#,
            ),
        ] {
            let other = object.replacen(field, other, 1);
            assert!(state(&other).record().is_err(), "{other}");
        }
    }
}
