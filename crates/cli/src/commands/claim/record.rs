//! Records of claims, for output.

use nodeproof_client::{ExtraFields, VerificationRecord};
use nodeproof_primitives::{ContractAddress, Integer, RawJson, WalletAddress};
use serde::Serialize;

use crate::{
    commands::field_text::{as_object, written},
    io::{output::shown_json, table::Columns},
};

/// A record: its readable fields, and the faults of the others.
#[derive(Serialize)]
pub(super) struct RecordView<'r> {
    contract: Option<ContractAddress>,
    asset_id: Option<&'r str>,
    asset_type: Option<&'r str>,
    verifier_address: Option<WalletAddress>,
    outcome: Option<&'r Integer>,
    doc_hash_list: Option<&'r [String]>,
    doc_link_list: Option<&'r [String]>,
    remarks: Option<&'r str>,
    deletable_after: Option<&'r Integer>,
    /// Undocumented fields, unchanged.
    #[serde(serialize_with = "as_object")]
    extra: &'r ExtraFields,
    /// Columns after the last known one, unchanged.
    extra_columns: &'r [RawJson],
    faults: Vec<String>,
    #[serde(skip)]
    record: &'r VerificationRecord,
}

impl<'r> RecordView<'r> {
    pub(super) fn of(record: &'r VerificationRecord) -> Self {
        Self {
            contract: record.contract_address().ok(),
            asset_id: record.asset_id().ok(),
            asset_type: record.asset_type().ok(),
            verifier_address: record.verifier_address().ok(),
            outcome: record.outcome().ok(),
            doc_hash_list: record.doc_hash_list().ok(),
            doc_link_list: record.doc_link_list().ok(),
            remarks: record.remarks().ok(),
            deletable_after: record.deletable_after().ok(),
            extra: record.extra(),
            extra_columns: record.extra_columns(),
            faults: record.faults().iter().map(ToString::to_string).collect(),
            record,
        }
    }

    pub(super) fn rows(&self, columns: &mut Columns) {
        let record = self.record;
        columns.row(["asset", &written(record.asset_id())]);
        columns.row(["kind of asset", &written(record.asset_type())]);
        columns.row(["verifier", &written(record.verifier_address())]);
        columns.row(["outcome", &written(record.outcome())]);
        let lists = [
            ("document hash", record.doc_hash_list()),
            ("document link", record.doc_link_list()),
        ];
        for (name, list) in lists {
            match list {
                Ok([]) => columns.row([name, "none"]),
                Ok(entries) => entries.iter().for_each(|entry| columns.row([name, entry])),
                Err(fault) => columns.row([name, &written::<&str>(Err(fault))]),
            }
        }
        columns.row(["remarks", &written(record.remarks())]);
        columns.row(["deletable after", &written(record.deletable_after())]);
        columns.row(["contract", &written(record.contract_address())]);
        for (name, value) in record.extra().iter() {
            columns.row([name, &shown_json(value.as_str())]);
        }
        for value in record.extra_columns() {
            columns.row(["another column", &shown_json(value.as_str())]);
        }
        for fault in &self.faults {
            columns.row(["not readable", fault]);
        }
    }
}
