//! Records of claims, for output.

use nodeproof_client::VerificationRecord;
use nodeproof_primitives::{ContractAddress, Integer, RawJson, WalletAddress};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::{
    commands::field_text::written,
    io::{output::shown_json, table::Columns},
};

/// A record of a claim.
#[derive(Serialize)]
pub(super) struct RecordView<'r> {
    contract: Option<ContractAddress>,
    asset_id: &'r str,
    asset_type: &'r str,
    verifier_address: WalletAddress,
    outcome: &'r Integer,
    doc_hash_list: &'r [String],
    doc_link_list: &'r [String],
    remarks: &'r str,
    deletable_after: &'r Integer,
    /// Undocumented fields.
    extra: &'r Map<String, Value>,
    /// Columns after the last known one, unchanged.
    extra_columns: &'r [RawJson],
}

impl<'r> RecordView<'r> {
    pub(super) fn of(record: &'r VerificationRecord) -> Self {
        Self {
            contract: record.contract,
            asset_id: &record.asset_id,
            asset_type: &record.asset_type,
            verifier_address: record.verifier_address,
            outcome: &record.outcome,
            doc_hash_list: &record.doc_hash_list,
            doc_link_list: &record.doc_link_list,
            remarks: &record.remarks,
            deletable_after: &record.deletable_after,
            extra: &record.extra,
            extra_columns: &record.extra_columns,
        }
    }

    pub(super) fn rows(&self, columns: &mut Columns) {
        columns.row(["asset", self.asset_id]);
        columns.row(["kind of asset", self.asset_type]);
        columns.row(["verifier", &self.verifier_address.to_string()]);
        columns.row(["outcome", &self.outcome.to_string()]);
        let lists = [
            ("document hash", self.doc_hash_list),
            ("document link", self.doc_link_list),
        ];
        for (name, list) in lists {
            if list.is_empty() {
                columns.row([name, "none"]);
            }
            list.iter().for_each(|entry| columns.row([name, entry]));
        }
        columns.row(["remarks", self.remarks]);
        columns.row(["deletable after", &self.deletable_after.to_string()]);
        columns.row(["contract", &written(self.contract)]);
        for (name, value) in self.extra {
            columns.row([name, &shown_json(&value.to_string())]);
        }
        for value in self.extra_columns {
            columns.row(["another column", &shown_json(value.as_str())]);
        }
    }
}
