//! The table of the verification contract.

use std::collections::HashMap;

use nodeproof_primitives::{ContractAddress, Integer, WalletAddress};

/// The table's name. Source: RECORD-13 of the specification.
pub(crate) const TABLE: &str = "verification";

/// One claim about an asset.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) asset_id: String,
    pub(crate) asset_type: String,
    /// The wallet that signed, regardless of the call's params. Observed on a real node.
    pub(crate) verifier: WalletAddress,
    pub(crate) outcome: Integer,
    /// A list as JSON text with CPython's spaces.
    pub(crate) doc_hash_list: String,
    /// A list as JSON text with CPython's spaces.
    pub(crate) doc_link_list: String,
    pub(crate) remarks: String,
    pub(crate) deletable_after: Integer,
}

/// The table does not have this column.
#[derive(Debug)]
pub(crate) struct UnknownColumn;

/// Compares a record's value in a column with a text.
type Column = fn(&Table, &Record, &str) -> bool;

/// All claims, in the order of their arrival.
#[derive(Debug)]
pub(crate) struct Table {
    address: ContractAddress,
    records: Vec<Record>,
    by_asset: HashMap<String, Vec<usize>>,
}

impl Table {
    pub(crate) fn new(address: ContractAddress) -> Self {
        Self {
            address,
            records: Vec::new(),
            by_asset: HashMap::new(),
        }
    }

    /// Whether this verifier already has a claim about this asset.
    pub(crate) fn holds(&self, asset_id: &str, verifier: WalletAddress) -> bool {
        self.by_asset.get(asset_id).is_some_and(|places| {
            places
                .iter()
                .any(|place| self.records[*place].verifier == verifier)
        })
    }

    /// Adds a claim, unless this verifier already has one about this asset.
    pub(crate) fn insert(&mut self, record: Record) -> bool {
        if self.holds(&record.asset_id, record.verifier) {
            return false;
        }
        self.by_asset
            .entry(record.asset_id.clone())
            .or_default()
            .push(self.records.len());
        self.records.push(record);
        true
    }

    /// Returns the first claim with a value in a column, as a row of JSON values.
    pub(crate) fn find(&self, column: &str, value: &str) -> Result<Option<String>, UnknownColumn> {
        let found = if column == "asset_id" {
            self.by_asset
                .get(value)
                .and_then(|places| places.first())
                .and_then(|place| self.records.get(*place))
        } else {
            let matches = Self::column(column).ok_or(UnknownColumn)?;
            self.records
                .iter()
                .find(|record| matches(self, record, value))
        };
        Ok(found.map(|record| self.row(record)))
    }

    /// Returns the first claim of all, as a row of JSON values.
    pub(crate) fn first(&self) -> Option<String> {
        self.records.first().map(|record| self.row(record))
    }

    fn column(name: &str) -> Option<Column> {
        Some(match name {
            "address" => |table, _, value| table.address.to_string() == value,
            "asset_type" => |_, record, value| record.asset_type == value,
            "verifier_address" => |_, record, value| record.verifier.to_string() == value,
            "outcome" => |_, record, value| record.outcome.to_string() == value,
            "doc_hash_list" => |_, record, value| record.doc_hash_list == value,
            "doc_link_list" => |_, record, value| record.doc_link_list == value,
            "remarks" => |_, record, value| record.remarks == value,
            "deletable_after" => |_, record, value| record.deletable_after.to_string() == value,
            _ => return None,
        })
    }

    /// Returns the values in the order of the table's columns. Observed on a real node.
    fn row(&self, record: &Record) -> String {
        let text = |text: &str| serde_json::Value::from(text).to_string();
        format!(
            "[\"{}\",{},{},\"{}\",{},{},{},{},{}]",
            self.address,
            text(&record.asset_id),
            text(&record.asset_type),
            record.verifier,
            record.outcome,
            text(&record.doc_hash_list),
            text(&record.doc_link_list),
            text(&record.remarks),
            record.deletable_after,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(asset_id: &str, verifier: u8) -> Record {
        Record {
            asset_id: asset_id.into(),
            asset_type: "token".into(),
            verifier: WalletAddress::from_bytes([verifier; 20]),
            outcome: 1.into(),
            doc_hash_list: r#"["a", "b"]"#.into(),
            doc_link_list: "[]".into(),
            remarks: "said \"so\"".into(),
            deletable_after: 7.into(),
        }
    }

    fn table() -> Table {
        Table::new(ContractAddress::from_bytes([9; 20]))
    }

    #[test]
    fn a_verifier_makes_one_claim_about_an_asset() {
        let mut table = table();
        assert!(table.insert(record("x", 1)));
        assert!(table.insert(record("x", 2)));
        assert!(table.insert(record("y", 1)));
        assert!(!table.insert(record("x", 1)));
    }

    #[test]
    fn every_column_can_be_asked_for() {
        let mut table = table();
        table.insert(record("x", 1));
        let row = table.find("asset_id", "x").unwrap().unwrap();
        let values: Vec<serde_json::Value> = serde_json::from_str(&row).unwrap();
        let columns = [
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
        assert_eq!(values.len(), columns.len());
        for (column, value) in columns.iter().zip(&values) {
            let text = value.as_str().map_or(value.to_string(), str::to_owned);
            assert_eq!(table.find(column, &text).unwrap().as_ref(), Some(&row));
            assert_eq!(table.find(column, "other").unwrap(), None);
        }
        assert!(table.find("nosuch", "x").is_err());
    }
}
