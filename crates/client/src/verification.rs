//! Records of the verification contract.

use std::borrow::Cow;

use nodeproof_primitives::{
    ContractAddress, Integer, RawJson, WalletAddress, escape::escaped_up_to,
};
use serde_json::value::RawValue;

use crate::{
    DecodeError,
    decode::{ExtraFields, Field, FieldError, FieldFault, Leaf, kind_of, members, text_in},
};

/// A record of the table `verification`: a claim about an asset.
///
/// Its fields are those of `add_verification`. The contract does not show the stored shape. Nodes
/// were seen to return the columns of the table in order, with lists as JSON text. This type reads
/// both rows and objects, and stores undocumented columns. Each field that can't be read returns its
/// own error.
///
/// Source: the contract, "Verification record".
///
/// ```
/// use nodeproof_client::{VerificationRecord, nodeproof_primitives::RawJson};
///
/// let row: RawJson = r#"["ctcc8321d6375c494d043fdd0260f21bc0ec51dacc", "asset-7", "token",
///     "0xc8111e8386bed918b8068b3f719c53a2e76810c3", 1, "[\"doc1\"]", "[]", "sealed", 2500000, "new"]"#
///     .parse()?;
/// let record = VerificationRecord::from_json(&row)?;
/// assert_eq!((record.asset_id()?, record.asset_type()?), ("asset-7", "token"));
/// assert_eq!(record.verifier_address()?.to_string(), "0xc8111e8386bed918b8068b3f719c53a2e76810c3");
/// assert_eq!(*record.outcome()?, 1);
/// assert_eq!(record.doc_hash_list()?, ["doc1"]);
/// assert!(record.doc_link_list()?.is_empty());
/// assert_eq!(record.remarks()?, "sealed");
/// assert_eq!(*record.deletable_after()?, 2_500_000);
/// assert_eq!(record.extra_columns()[0].as_str(), "\"new\"");
/// assert!(record.faults().is_empty() && record.extra().is_empty());
/// record.check_matches(record.contract_address()?, "asset-7")?;
/// assert_eq!(VerificationRecord::all(&row)?, [record]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerificationRecord {
    address: Field<ContractAddress>,
    asset_id: Field<String>,
    asset_type: Field<String>,
    verifier_address: Field<WalletAddress>,
    outcome: Field<Integer>,
    doc_hash_list: Field<TextList>,
    doc_link_list: Field<TextList>,
    remarks: Field<String>,
    deletable_after: Field<Integer>,
    extra: ExtraFields,
    extra_columns: Vec<RawJson>,
}

impl VerificationRecord {
    /// The columns of the contract's table, in the order of a row. Observed on a real node. The
    /// contract does not show the full list. It states that the created fields are those of
    /// `add_verification`.
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
    /// If it is neither, or has none of the fields of such a record.
    pub fn from_json(record: &RawJson) -> Result<Self, DecodeError> {
        let text = unwrapped(record.as_str());
        let mut read = Self::default();
        match text.as_bytes().first() {
            Some(b'[') => {
                let columns: Vec<&RawValue> = serde_json::from_str(&text).map_err(not_a_record)?;
                let mut columns = columns.into_iter();
                for (name, raw) in Self::COLUMNS.into_iter().zip(&mut columns) {
                    read.take(name, raw);
                }
                read.extra_columns = columns.map(|raw| raw.to_owned().into()).collect();
            }
            Some(b'{') => {
                members(&text, |name, raw| {
                    if !read.take(name, raw) {
                        read.extra.push(name, raw.to_owned().into());
                    }
                })
                .map_err(not_a_record)?;
            }
            _ => {
                let found = kind_of(record.as_str());
                let reason = format!("expected a row or an object, found {found}");
                return Err(DecodeError::because("a verification record", &reason));
            }
        }
        if read.is_without_fields() {
            let found = escaped_up_to(record.as_str(), 60);
            let reason = format!("it has no field of one, and is {found}");
            return Err(DecodeError::because("a verification record", &reason));
        }
        Ok(read)
    }

    /// Parses records from a list of them, or from a single one.
    ///
    /// # Errors
    /// If one of them is neither a row nor an object, or has none of the fields of such a record.
    pub fn all(records: &RawJson) -> Result<Vec<Self>, DecodeError> {
        let text = unwrapped(records.as_str());
        let several: Option<Vec<RawJson>> = serde_json::from_str(&text).ok();
        // The first column of a row is an address. In a list of records, it is a list or an object.
        let several = several.filter(|items| {
            items
                .first()
                .is_none_or(|first| unwrapped(first.as_str()).starts_with(['[', '{']))
        });
        match several {
            Some(items) => items.iter().map(Self::from_json).collect(),
            None => Self::from_json(records).map(|record| vec![record]),
        }
    }

    /// Returns the contract that stores the record.
    ///
    /// # Errors
    /// If it is not a contract address.
    pub fn contract_address(&self) -> Result<ContractAddress, FieldError> {
        self.address.require("address").copied()
    }

    /// Returns the identifier of the asset that the claim is about.
    ///
    /// # Errors
    /// If it is not a string.
    pub fn asset_id(&self) -> Result<&str, FieldError> {
        self.asset_id.require("asset_id").map(String::as_str)
    }

    /// Returns the kind of asset, such as `token`.
    ///
    /// # Errors
    /// If it is not a string.
    pub fn asset_type(&self) -> Result<&str, FieldError> {
        self.asset_type.require("asset_type").map(String::as_str)
    }

    /// Returns the verifier's wallet. Nodes were seen to store the wallet that signed.
    ///
    /// # Errors
    /// If it is not a wallet address.
    pub fn verifier_address(&self) -> Result<WalletAddress, FieldError> {
        self.verifier_address.require("verifier_address").copied()
    }

    /// Returns the result of the verification, such as 1. The contract does not state what the
    /// values mean.
    ///
    /// # Errors
    /// If it is not an integer.
    pub fn outcome(&self) -> Result<&Integer, FieldError> {
        self.outcome.require("outcome")
    }

    /// Returns the hashes of the supporting documents, in whatever form they were stored.
    ///
    /// # Errors
    /// If it is neither an array of strings nor a string that contains such an array.
    pub fn doc_hash_list(&self) -> Result<&[String], FieldError> {
        self.doc_hash_list
            .require("doc_hash_list")
            .map(|list| list.0.as_slice())
    }

    /// Returns the links to the supporting documents.
    ///
    /// # Errors
    /// If it is neither an array of strings nor a string that contains such an array.
    pub fn doc_link_list(&self) -> Result<&[String], FieldError> {
        self.doc_link_list
            .require("doc_link_list")
            .map(|list| list.0.as_slice())
    }

    /// Returns the free text.
    ///
    /// # Errors
    /// If it is not a string.
    pub fn remarks(&self) -> Result<&str, FieldError> {
        self.remarks.require("remarks").map(String::as_str)
    }

    /// Returns the threshold after which the record may be deleted. The contract does not state its
    /// unit.
    ///
    /// # Errors
    /// If it is not an integer.
    pub fn deletable_after(&self) -> Result<&Integer, FieldError> {
        self.deletable_after.require("deletable_after")
    }

    /// Returns the undocumented fields of an object, unchanged.
    #[must_use]
    pub fn extra(&self) -> &ExtraFields {
        &self.extra
    }

    /// Returns the columns of a row after the last known one, unchanged.
    #[must_use]
    pub fn extra_columns(&self) -> &[RawJson] {
        &self.extra_columns
    }

    /// Returns the faults of all fields that are missing, null or malformed.
    #[must_use]
    pub fn faults(&self) -> Vec<FieldError> {
        let faults = [
            self.contract_address().err(),
            self.asset_id().err(),
            self.asset_type().err(),
            self.verifier_address().err(),
            self.outcome().err(),
            self.doc_hash_list().err(),
            self.doc_link_list().err(),
            self.remarks().err(),
            self.deletable_after().err(),
        ];
        faults.into_iter().flatten().collect()
    }

    /// Checks that the record is of the requested contract and asset. Fields that can't be read are
    /// not checked.
    ///
    /// # Errors
    /// If it names another contract, or another asset.
    pub fn check_matches(
        &self,
        contract: ContractAddress,
        asset_id: &str,
    ) -> Result<(), FieldError> {
        let other = |name: &'static str, requested: &str, found: &str| {
            let reason = format!(
                "expected \"{}\", but this is \"{}\"",
                escaped_up_to(requested, 60),
                escaped_up_to(found, 60)
            );
            Err(FieldError::new(name, FieldFault::Malformed(reason)))
        };
        match (self.contract_address(), self.asset_id()) {
            (Ok(found), _) if found != contract => {
                other("address", &contract.to_string(), &found.to_string())
            }
            (_, Ok(found)) if found != asset_id => other("asset_id", asset_id, found),
            _ => Ok(()),
        }
    }

    /// Returns whether every field is missing or null.
    fn is_without_fields(&self) -> bool {
        let faults = self.faults();
        faults.len() == Self::COLUMNS.len()
            && faults
                .iter()
                .all(|fault| fault.is_missing() || fault.is_null())
    }

    /// Sets a field. Returns `false` if the field is unknown.
    fn take(&mut self, name: &str, raw: &RawValue) -> bool {
        match name {
            "address" | "contract_address" => self.address = Field::read(raw),
            "asset_id" => self.asset_id = Field::read(raw),
            "asset_type" => self.asset_type = Field::read(raw),
            "verifier_address" => self.verifier_address = Field::read(raw),
            "outcome" => self.outcome = Field::read(raw),
            "doc_hash_list" => self.doc_hash_list = Field::read(raw),
            "doc_link_list" => self.doc_link_list = Field::read(raw),
            "remarks" => self.remarks = Field::read(raw),
            "deletable_after" => self.deletable_after = Field::read(raw),
            _ => return false,
        }
        true
    }
}

/// An array of strings, or a string that contains such an array.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct TextList(Vec<String>);

impl Leaf for TextList {
    fn read(text: &str) -> Result<Self, String> {
        serde_json::from_str(&unwrapped(text))
            .map(Self)
            .map_err(|_| format!("expected a list of texts, found {}", kind_of(text)))
    }
}

/// Returns the content of a string, or any other value unchanged.
fn unwrapped(text: &str) -> Cow<'_, str> {
    match text_in(text) {
        Some(inner) => Cow::Owned(inner.trim().to_owned()),
        None => Cow::Borrowed(text),
    }
}

fn not_a_record(source: serde_json::Error) -> DecodeError {
    DecodeError::because("a verification record", &source.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ContractState;

    const ROW: &str = r#"["ctcc8321d6375c494d043fdd0260f21bc0ec51dacc","asset","token",
        "0xc8111e8386bed918b8068b3f719c53a2e76810c3",1,"[\"doc1\", \"doc2\"]","[]","re\"marks",1347344]"#;

    fn record(text: &str) -> VerificationRecord {
        VerificationRecord::from_json(&text.parse().unwrap()).unwrap()
    }

    #[test]
    fn a_row_and_an_object_read_alike() {
        let row = record(ROW);
        let object = record(
            r#"{"asset_type":"token","asset_id":"asset","address":"ctcc8321d6375c494d043fdd0260f21bc0ec51dacc",
                "verifier_address":"0xc8111e8386bed918b8068b3f719c53a2e76810c3","outcome":1,
                "doc_hash_list":["doc1","doc2"],"doc_link_list":"[]","remarks":"re\"marks","deletable_after":1347344}"#,
        );
        assert_eq!(row, object);
        assert_eq!(row.doc_hash_list().unwrap(), ["doc1", "doc2"]);
        assert_eq!(row.remarks().unwrap(), "re\"marks");
        assert!(row.faults().is_empty());
    }

    #[test]
    fn keeps_columns_and_fields_that_nobody_described() {
        let wide = format!("{},\"new\",{{\"a\":1.0}}]", ROW.trim_end_matches(']'));
        let columns = record(&wide).extra_columns().to_vec();
        assert_eq!(columns[1].as_str(), "{\"a\":1.0}");
        let object = record(r#"{"asset_id":"a","level":3}"#);
        assert_eq!(object.extra().get("level").unwrap().as_str(), "3");
        assert_eq!(object.faults().len(), 8);
    }

    #[test]
    fn a_short_row_says_what_is_missing() {
        let short = record(r#"["ct11",null]"#);
        assert!(short.asset_id().unwrap_err().is_null());
        assert!(short.remarks().unwrap_err().is_missing());
        assert!(
            short
                .contract_address()
                .unwrap_err()
                .to_string()
                .contains("`address` is malformed")
        );
    }

    #[test]
    fn a_record_of_another_contract_or_asset_is_not_the_one_that_was_asked_for() {
        let contract = "ctcc8321d6375c494d043fdd0260f21bc0ec51dacc"
            .parse()
            .unwrap();
        let row = record(ROW);
        assert_eq!(row.check_matches(contract, "asset"), Ok(()));
        // Missing fields are not checked here.
        let silent = record(r#"{"remarks":"r"}"#);
        assert_eq!(silent.check_matches(contract, "asset"), Ok(()));
        let error = row.check_matches(contract, "asset\u{1b}").unwrap_err();
        assert_eq!(
            error.to_string(),
            r#"`asset_id` is malformed: expected "asset\u{1b}", but this is "asset""#
        );
        let other = ContractAddress::from_bytes([9; 20]);
        let error = row.check_matches(other, "asset").unwrap_err();
        assert_eq!(error.field(), "address");
    }

    #[test]
    fn what_has_no_field_of_a_record_is_none() {
        for text in [
            "{}",
            "[{}]",
            r#"{"level":3}"#,
            r#"{"asset_id":null}"#,
            "[null,null]",
            r#""{}""#,
        ] {
            let body = format!(r#"{{"data":{text}}}"#);
            let state = ContractState::from_slice(body.as_bytes()).unwrap();
            let error = state.verifications().unwrap_err().to_string();
            assert!(error.contains("it has no field of one"), "{text}: {error}");
        }
        assert!(VerificationRecord::from_json(&"[]".parse().unwrap()).is_err());
    }

    #[test]
    fn data_with_another_status_is_neither_a_record_nor_absent() {
        for (status, shown) in [
            (r#""FAILURE""#, "found \"FAILURE\""),
            (r#""""#, "found \"\""),
            ("null", "`status` is null"),
            ("5", "`status` is malformed"),
        ] {
            for data in [ROW, "null"] {
                let body = format!(r#"{{"status":{status},"data":{data}}}"#);
                let state = ContractState::from_slice(body.as_bytes()).unwrap();
                let error = state.verifications().unwrap_err().to_string();
                assert!(error.contains(shown), "{error}");
                assert!(state.record().is_err() && state.verification().is_err());
            }
        }
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
            let state = ContractState::from_slice(body.as_bytes()).unwrap();
            assert_eq!(
                state.verification().unwrap().unwrap().asset_id().unwrap(),
                "asset",
                "{body}"
            );
        }
        let none = ContractState::from_slice(br#"{"status":"SUCCESS","data":null}"#).unwrap();
        assert_eq!(none.verification(), Ok(None));
        assert_eq!(none.status(), Some("SUCCESS"));
        let silent = ContractState::from_slice(b"{}").unwrap();
        assert!(silent.record().unwrap_err().is_missing());
        let odd = ContractState::from_slice(br#"{"value":7}"#).unwrap();
        assert!(
            odd.verification()
                .unwrap_err()
                .to_string()
                .contains("the number 7")
        );
    }
}
