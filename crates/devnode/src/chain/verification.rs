//! The table of the verification contract.

use std::collections::BTreeSet;

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

/// The columns, in the order of a row. Observed on a real node.
const COLUMNS: [&str; 9] = [
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

/// All claims, in the order of their arrival. Each value of a row is JSON text.
#[derive(Debug)]
pub(crate) struct Table {
    address: ContractAddress,
    rows: Vec<[String; COLUMNS.len()]>,
}

impl Table {
    pub(crate) fn new(address: ContractAddress) -> Self {
        Self {
            address,
            rows: Vec::new(),
        }
    }

    /// Whether this verifier already has a claim about this asset.
    pub(crate) fn holds(&self, asset_id: &str, verifier: WalletAddress) -> bool {
        let (asset_id, verifier) = (quoted(asset_id), quoted(&verifier.to_string()));
        self.rows
            .iter()
            .any(|[_, asset, _, by, ..]| *asset == asset_id && *by == verifier)
    }

    /// Whether any verifier has a claim about this asset.
    pub(crate) fn has_asset(&self, asset_id: &str) -> bool {
        let asset_id = quoted(asset_id);
        self.rows.iter().any(|[_, asset, ..]| *asset == asset_id)
    }

    /// Adds a claim, unless this verifier already has one about this asset.
    pub(crate) fn insert(&mut self, record: &Record) {
        if !self.holds(&record.asset_id, record.verifier) {
            self.rows.push([
                quoted(&self.address.to_string()),
                quoted(&record.asset_id),
                quoted(&record.asset_type),
                quoted(&record.verifier.to_string()),
                record.outcome.to_string(),
                quoted(&record.doc_hash_list),
                quoted(&record.doc_link_list),
                quoted(&record.remarks),
                record.deletable_after.to_string(),
            ]);
        }
    }

    /// Removes all claims about an asset.
    pub(crate) fn remove(&mut self, asset_id: &str) {
        let asset_id = quoted(asset_id);
        self.rows.retain(|row| row[1] != asset_id);
    }

    /// Removes a verifier's claim about an asset.
    pub(crate) fn remove_of(&mut self, asset_id: &str, verifier: WalletAddress) {
        let (asset_id, verifier) = (quoted(asset_id), quoted(&verifier.to_string()));
        self.rows
            .retain(|row| row[1] != asset_id || row[3] != verifier);
    }

    /// Removes all claims but the latest ones.
    pub(crate) fn keep_latest(&mut self, count: usize) {
        self.rows.drain(..self.rows.len().saturating_sub(count));
    }

    /// Gives a verifier's claim about an asset the links of this record.
    pub(crate) fn set_links(&mut self, record: &Record) {
        let asset_id = quoted(&record.asset_id);
        let verifier = quoted(&record.verifier.to_string());
        let mut rows = self.rows.iter_mut();
        if let Some(row) = rows.find(|row| row[1] == asset_id && row[3] == verifier) {
            row[6] = quoted(&record.doc_link_list);
        }
    }

    /// Returns the hashes of a claim with the same ones, in any order, as the JSON text of a list.
    pub(crate) fn with_same_hashes(&self, list: &str) -> Option<String> {
        let hashes = |text: &str| serde_json::from_str::<BTreeSet<String>>(text).ok();
        let stored = self.rows.iter();
        let mut stored = stored.filter_map(|row| serde_json::from_str::<String>(&row[5]).ok());
        stored.find(|stored| hashes(stored) == hashes(list))
    }

    /// Gives all claims about an asset this type.
    pub(crate) fn set_types(&mut self, asset_id: &str, asset_type: &str) {
        let asset_id = quoted(asset_id);
        for row in self.rows.iter_mut().filter(|row| row[1] == asset_id) {
            row[2] = quoted(asset_type);
        }
    }

    /// Returns the first claim with a value in a column, as a row of JSON values.
    pub(crate) fn find(&self, column: &str, value: &str) -> Result<Option<String>, UnknownColumn> {
        let column = COLUMNS.iter().position(|name| *name == column);
        let column = column.ok_or(UnknownColumn)?;
        let text = quoted(value);
        let found = self.rows.iter().find(|row| {
            let is_text = row[column].starts_with('"');
            row[column] == if is_text { text.as_str() } else { value }
        });
        Ok(found.map(|row| as_json(row)))
    }

    /// Returns the first claim of all, as a row of JSON values.
    pub(crate) fn first(&self) -> Option<String> {
        self.rows.first().map(|row| as_json(row))
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn as_json(row: &[String]) -> String {
    format!("[{}]", row.join(","))
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
        for (asset_id, verifier, count) in [("x", 1, 1), ("x", 2, 2), ("y", 1, 3), ("x", 1, 3)] {
            table.insert(&record(asset_id, verifier));
            assert_eq!(table.rows.len(), count);
        }
    }

    #[test]
    fn every_column_can_be_asked_for() {
        let mut table = table();
        table.insert(&record("x", 1));
        let row = table.first().unwrap();
        let values: Vec<serde_json::Value> = serde_json::from_str(&row).unwrap();
        assert_eq!(values.len(), COLUMNS.len());
        for (column, value) in COLUMNS.iter().zip(&values) {
            let text = value.as_str().map_or(value.to_string(), str::to_owned);
            assert_eq!(table.find(column, &text).unwrap().as_ref(), Some(&row));
            assert_eq!(table.find(column, "other").unwrap(), None);
        }
        assert!(table.find("nosuch", "x").is_err());
    }
}
