//! The records that a node shows, compared with a claim.

use std::fmt;

use nodeproof_client::{
    AddVerification, FieldError, HexText, VerificationRecord, contract_call::shown_apart,
};
use nodeproof_primitives::{ContractAddress, RawJson, WalletAddress};
use serde::Serialize;

/// The state of a claim, as a node shows it.
///
/// ```
/// use nodeproof_claims::ReadBack;
/// use nodeproof_client::VerificationRecord;
///
/// let record = r#"{"asset_id":"asset 7","remarks":"sealed"}"#.parse()?;
/// let seen = ReadBack::Recorded(VerificationRecord::from_json(&record)?);
/// assert!(seen.is_final() && seen.record().is_some());
/// assert!(!ReadBack::Nothing.is_final());
/// assert_eq!(seen.contradiction(), None);
/// assert!(ReadBack::Nothing.contradiction().is_some_and(|shown| shown.starts_with("no record")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadBack {
    /// This verifier's record about the asset. It states what was claimed.
    Recorded(VerificationRecord),
    /// This verifier's record states what was claimed, but it existed before the transaction was
    /// signed, so it comes from another transaction. A node stores one record for each verifier and
    /// asset, so no further record will follow.
    Before(VerificationRecord),
    /// This verifier's record about the asset states something else. A node stores one record for each
    /// verifier and asset, so no further record will follow. If no record existed before, it comes from
    /// this claim, and the node recorded it wrongly.
    Differs {
        /// The record.
        record: VerificationRecord,
        /// The fields in which it differs.
        differences: Vec<Difference>,
    },
    /// Only records of other verifiers. Nodes were seen to show only the first record about an asset,
    /// so this verifier's record may exist.
    OtherVerifiers(Vec<VerificationRecord>),
    /// No record about this asset.
    Nothing,
}

/// A field in which a record differs from the claim. Its text is safe to print.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// The field, as the contract names it.
    pub field: &'static str,
    /// The claimed value, as JSON. Long values are truncated.
    pub requested: String,
    /// The recorded value, as JSON, or a note that it is missing. Long values are truncated.
    pub recorded: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            field,
            requested,
            recorded,
        } = self;
        write!(f, "{field}: expected {requested}, recorded {recorded}")
    }
}

impl Difference {
    /// Returns the difference of a field, or `None` if the values are the same.
    fn of(
        field: &'static str,
        same: bool,
        requested: &impl Serialize,
        recorded: Result<impl Serialize, FieldError>,
    ) -> Option<Self> {
        if same {
            return None;
        }
        let json = |value: Result<RawJson, serde_json::Error>| {
            value.map_or_else(|_| "(not readable)".to_owned(), |text| text.to_string())
        };
        let recorded = match recorded {
            Ok(value) => json(RawJson::from_value(&value)),
            Err(fault) => match fault.raw() {
                Some(raw) => raw.to_string(),
                None if fault.is_null() => "null".to_owned(),
                None => "missing".to_owned(),
            },
        };
        let (requested, recorded) = shown_apart(&json(RawJson::from_value(requested)), &recorded);
        Some(Self {
            field,
            requested,
            recorded,
        })
    }
}

impl ReadBack {
    /// Returns the record that states what was claimed, if it may come from the submitted transaction.
    #[must_use]
    pub fn record(&self) -> Option<&VerificationRecord> {
        match self {
            Self::Recorded(record) => Some(record),
            _ => None,
        }
    }

    /// Returns whether the state can't change any more.
    #[must_use]
    pub fn is_final(&self) -> bool {
        matches!(
            self,
            Self::Recorded(_) | Self::Before(_) | Self::Differs { .. }
        )
    }

    /// Turns [`Recorded`](Self::Recorded) into [`Before`](Self::Before) if the record existed before
    /// the transaction was signed.
    pub(crate) fn after(self, recorded_before: bool) -> Self {
        match self {
            Self::Recorded(record) if recorded_before => Self::Before(record),
            seen => seen,
        }
    }

    /// Returns what a node shows instead of a record that it has shown before. `None` if the record is
    /// still there.
    #[must_use]
    pub fn contradiction(&self) -> Option<String> {
        match self {
            Self::Recorded(_) | Self::Before(_) => None,
            Self::Differs { differences, .. } => {
                let differences: Vec<String> =
                    differences.iter().map(ToString::to_string).collect();
                Some(format!("another record ({})", differences.join("; ")))
            }
            Self::OtherVerifiers(_) => Some("only records of other verifiers".to_owned()),
            Self::Nothing => Some("no record about the asset".to_owned()),
        }
    }

    /// Compares records with a claim. The node stores one of `verifiers` as the claim's verifier.
    pub(crate) fn of(
        records: Vec<VerificationRecord>,
        contract: ContractAddress,
        claim: &AddVerification,
        verifiers: &[WalletAddress],
    ) -> Self {
        let mut different = None;
        let mut others = Vec::new();
        for record in records {
            // A record of another asset or contract was not requested.
            let is_foreign = record
                .contract_address()
                .is_ok_and(|found| found != contract);
            if is_foreign || record.asset_id() != Ok(&claim.asset_id) {
                continue;
            }
            let own = record
                .verifier_address()
                .is_ok_and(|verifier| verifiers.contains(&verifier));
            if !own {
                others.push(record);
                continue;
            }
            let differences = differences(&record, contract, claim);
            if differences.is_empty() {
                return Self::Recorded(record);
            }
            different = different.or(Some(Self::Differs {
                record,
                differences,
            }));
        }
        match different {
            Some(different) => different,
            None if others.is_empty() => Self::Nothing,
            None => Self::OtherVerifiers(others),
        }
    }
}

/// Returns the fields in which a record differs from the claim, or which can't be read.
fn differences(
    record: &VerificationRecord,
    contract: ContractAddress,
    claim: &AddVerification,
) -> Vec<Difference> {
    let same_hashes = record.doc_hash_list().is_ok_and(|list| {
        list.len() == claim.doc_hash_list.len()
            && list.iter().zip(&claim.doc_hash_list).all(|(stored, hash)| {
                // Upper and lower case are equal.
                stored.parse::<HexText>().ok() == hash.to_string().parse().ok()
            })
    });
    let (address, kind) = (record.contract_address(), record.asset_type());
    let (outcome, links) = (record.outcome(), record.doc_link_list());
    let (remarks, after) = (record.remarks(), record.deletable_after());
    let same = (
        address == Ok(contract),
        kind == Ok(&claim.asset_type),
        outcome == Ok(&claim.outcome),
        links == Ok(&claim.doc_link_list),
        remarks == Ok(&claim.remarks),
        after == Ok(&claim.deletable_after),
    );
    let hashes = record.doc_hash_list();
    [
        Difference::of("address", same.0, &contract, address),
        Difference::of("asset_type", same.1, &claim.asset_type, kind),
        Difference::of("outcome", same.2, &claim.outcome, outcome),
        Difference::of("doc_hash_list", same_hashes, &claim.doc_hash_list, hashes),
        Difference::of("doc_link_list", same.3, &claim.doc_link_list, links),
        Difference::of("remarks", same.4, &claim.remarks, remarks),
        Difference::of("deletable_after", same.5, &claim.deletable_after, after),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeproof_client::ContractState;

    const CONTRACT: &str = "ctcc8321d6375c494d043fdd0260f21bc0ec51dacc";

    fn wallet(byte: u8) -> WalletAddress {
        WalletAddress::from_bytes([byte; 20])
    }

    fn claim() -> AddVerification {
        AddVerification::new("a", wallet(1), 99)
            .document("AB".repeat(32).parse().unwrap())
            .link("https://documents.example.org/a")
            .remarks("fine")
    }

    fn row(asset: &str, verifier: u8, remarks: &str) -> String {
        format!(
            r#"["{CONTRACT}","{asset}","token","{}",1,"[\"{}\"]","[\"https://documents.example.org/a\"]","{remarks}",99]"#,
            wallet(verifier),
            "Ab".repeat(32)
        )
    }

    fn seen(records: &str) -> ReadBack {
        let body = format!(r#"{{"data":{records}}}"#);
        let state = ContractState::from_slice(body.as_bytes()).unwrap();
        let contract = CONTRACT.parse().unwrap();
        ReadBack::of(
            state.verifications().unwrap(),
            contract,
            &claim(),
            &[wallet(1)],
        )
    }

    #[test]
    fn the_own_record_is_found_wherever_it_stands() {
        let (own, other) = (row("a", 1, "fine"), row("a", 2, "fine"));
        for records in [
            own.clone(),
            format!("[{own}]"),
            format!("[{other},{own}]"),
            // A different, possibly older record does not hide it.
            format!("[{},{own}]", row("a", 1, "old")),
        ] {
            let seen = seen(&records);
            assert!(seen.record().is_some() && seen.is_final(), "{records}");
        }
    }

    #[test]
    fn other_records_are_told_apart() {
        assert_eq!(seen("null"), ReadBack::Nothing);
        assert_eq!(seen("[]"), ReadBack::Nothing);
        // A record of another asset or another contract does not count.
        assert_eq!(seen(&row("b", 1, "fine")), ReadBack::Nothing);
        let other_asset = row("a", 1, "fine").replace("cc8", "cc9");
        assert_eq!(seen(&other_asset), ReadBack::Nothing);
        match seen(&format!(
            "[{},{}]",
            row("a", 2, "fine"),
            row("a", 3, "fine")
        )) {
            ReadBack::OtherVerifiers(records) => assert_eq!(records.len(), 2),
            other => panic!("{other:?}"),
        }
        match seen(&row("a", 1, "other")) {
            ReadBack::Differs { differences, .. } => {
                let told: Vec<_> = differences.iter().map(ToString::to_string).collect();
                assert_eq!(told, [r#"remarks: expected "fine", recorded "other""#]);
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn each_field_that_differs_or_can_not_be_read_is_named() {
        let own = row("a", 1, "fine");
        for (from, to, field) in [
            (CONTRACT, "ctcc", "address"),
            ("\"token\"", "\"Token\"", "asset_type"),
            (",1,", ",2,", "outcome"),
            (",1,", ",null,", "outcome"),
            ("AbAb", "AcAb", "doc_hash_list"),
            ("[\\\"Ab", "[\\\"x\\\",\\\"Ab", "doc_hash_list"),
            ("org/a", "org/b", "doc_link_list"),
            ("fine", "fine ", "remarks"),
            (",99]", ",98]", "deletable_after"),
            (",99]", "]", "deletable_after"),
        ] {
            let other = own.replacen(from, to, 1);
            assert_ne!(other, own, "{from}");
            match seen(&other) {
                ReadBack::Differs { differences, .. } => {
                    let fields: Vec<_> = differences.iter().map(|one| one.field).collect();
                    assert_eq!(fields, [field], "{other}");
                }
                seen => panic!("{seen:?}"),
            }
        }
    }
}
