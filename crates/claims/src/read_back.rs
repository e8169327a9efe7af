//! The records that a node shows, compared with a claim.

use std::fmt;

use nodeproof_client::{AddVerification, HexText, VerificationRecord, contract_call::shown_apart};
use nodeproof_primitives::{ContractAddress, RawJson, WalletAddress};
use serde::Serialize;

/// The state of a claim, as a node shows it.
///
/// ```
/// use nodeproof_claims::ReadBack;
/// use nodeproof_client::VerificationRecord;
///
/// let record = r#"["ctcc8321d6375c494d043fdd0260f21bc0ec51dacc", "asset 7", "token",
///     "0xc8111e8386bed918b8068b3f719c53a2e76810c3", 1, "[]", "[]", "sealed", 2500000]"#.parse()?;
/// let seen = ReadBack::Recorded(VerificationRecord::from_json(&record)?);
/// assert!(seen.record().is_some());
/// assert_eq!(ReadBack::Nothing.to_string(), "no record about the asset");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ReadBack {
    /// This verifier's record about the asset. It states what was claimed.
    Recorded(VerificationRecord),
    /// This verifier's record about the asset states something else. A node stores one record for each
    /// verifier and asset, so no further record will follow. If this run signed the claim, there was no
    /// record before, and the node recorded the claim wrongly.
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
    /// The field, as the specification names it.
    pub field: &'static str,
    /// The claimed value, as JSON. Long values are truncated.
    pub requested: String,
    /// The recorded value, as JSON, or `null` if it is missing. Long values are truncated.
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
        recorded: &impl Serialize,
    ) -> Option<Self> {
        if same {
            return None;
        }
        let json = |value: Result<RawJson, serde_json::Error>| {
            value.map_or_else(|_| "(not readable)".to_owned(), |text| text.to_string())
        };
        let (requested, recorded) = shown_apart(
            &json(RawJson::from_value(requested)),
            &json(RawJson::from_value(recorded)),
        );
        Some(Self {
            field,
            requested,
            recorded,
        })
    }
}

/// What a node shows about the asset, for a message.
impl fmt::Display for ReadBack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Recorded(_) => f.write_str("the record"),
            Self::Differs { differences, .. } => {
                let differences: Vec<_> = differences.iter().map(ToString::to_string).collect();
                write!(f, "another record ({})", differences.join("; "))
            }
            Self::OtherVerifiers(_) => f.write_str("only records of other verifiers"),
            Self::Nothing => f.write_str("no record about the asset"),
        }
    }
}

impl ReadBack {
    /// Returns the record that states what was claimed.
    #[must_use]
    pub fn record(&self) -> Option<&VerificationRecord> {
        match self {
            Self::Recorded(record) => Some(record),
            _ => None,
        }
    }

    /// Returns whether the state can't change any more.
    #[must_use]
    pub(crate) fn is_final(&self) -> bool {
        matches!(self, Self::Recorded(_) | Self::Differs { .. })
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
            let is_foreign = record.contract.is_some_and(|found| found != contract);
            if is_foreign || record.asset_id != claim.asset_id {
                continue;
            }
            if !verifiers.contains(&record.verifier_address) {
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

/// Returns the fields in which a record differs from the claim.
pub(crate) fn differences(
    record: &VerificationRecord,
    contract: ContractAddress,
    claim: &AddVerification,
) -> Vec<Difference> {
    // Upper-case and lower-case digits are equal.
    let hashes = |list: &[String]| -> Vec<Option<HexText>> {
        list.iter().map(|hash| hash.parse().ok()).collect()
    };
    let same_hashes = record.doc_hash_list == claim.doc_hash_list
        || hashes(&record.doc_hash_list) == hashes(&claim.doc_hash_list);
    macro_rules! compared {
        ($field:ident) => {
            Difference::of(
                stringify!($field),
                record.$field == claim.$field,
                &claim.$field,
                &record.$field,
            )
        };
    }
    let address = record.contract;
    [
        // A record with names needs no address: the request names the contract.
        Difference::of(
            "address",
            address.is_none_or(|address| address == contract),
            &contract,
            &address,
        ),
        compared!(asset_type),
        compared!(outcome),
        Difference::of(
            "doc_hash_list",
            same_hashes,
            &claim.doc_hash_list,
            &record.doc_hash_list,
        ),
        compared!(doc_link_list),
        compared!(remarks),
        compared!(deletable_after),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTRACT: &str = "ctcc8321d6375c494d043fdd0260f21bc0ec51dacc";

    fn wallet(byte: u8) -> WalletAddress {
        WalletAddress::from_bytes([byte; 20])
    }

    fn claim() -> AddVerification {
        AddVerification {
            doc_hash_list: vec!["AB".repeat(32)],
            doc_link_list: vec!["https://documents.example.org/a".to_owned()],
            remarks: "fine".to_owned(),
            ..AddVerification::new("a", wallet(1), 99)
        }
    }

    fn row(asset: &str, verifier: u8, remarks: &str) -> String {
        format!(
            r#"["{CONTRACT}","{asset}","token","{}",1,"[\"{}\"]","[\"https://documents.example.org/a\"]","{remarks}",99]"#,
            wallet(verifier),
            "Ab".repeat(32)
        )
    }

    fn seen(records: &str) -> ReadBack {
        let records = VerificationRecord::all_from_json(&records.parse().unwrap()).unwrap();
        ReadBack::of(records, CONTRACT.parse().unwrap(), &claim(), &[wallet(1)])
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
    fn a_record_with_names_needs_no_address() {
        let named = format!(
            r#"{{"asset_id":"a","asset_type":"token","verifier_address":"{}","outcome":1,
                "doc_hash_list":["{}"],"doc_link_list":["https://documents.example.org/a"],
                "remarks":"fine","deletable_after":99}}"#,
            wallet(1),
            "ab".repeat(32)
        );
        assert!(seen(&named).record().is_some());
        let other = named.replacen(
            '{',
            r#"{"address":"ct0000000000000000000000000000000000000000","#,
            1,
        );
        assert_eq!(seen(&other), ReadBack::Nothing);
    }

    #[test]
    fn other_records_are_told_apart() {
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
                let texts: Vec<_> = differences.iter().map(ToString::to_string).collect();
                assert_eq!(texts, [r#"remarks: expected "fine", recorded "other""#]);
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn each_field_that_differs_is_named() {
        let own = row("a", 1, "fine");
        for (from, to, field) in [
            ("\"token\"", "\"Token\"", "asset_type"),
            (",1,", ",2,", "outcome"),
            ("AbAb", "AcAb", "doc_hash_list"),
            ("[\\\"Ab", "[\\\"x\\\",\\\"Ab", "doc_hash_list"),
            ("org/a", "org/b", "doc_link_list"),
            ("fine", "fine ", "remarks"),
            (",99]", ",98]", "deletable_after"),
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
