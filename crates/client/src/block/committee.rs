//! The members of a committee.

use nodeproof_primitives::WalletAddress;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::decode::{Element, Field, FieldError, List};

/// A member of a committee, or another value in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member(Field<WalletAddress>);

impl Element for Member {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <&RawValue>::deserialize(deserializer).map(|raw| Self(Field::read(raw)))
    }

    fn is_odd(&self) -> bool {
        self.0.value().is_none()
    }
}

/// Returns the members that are wallet addresses.
pub(super) fn wallets(committee: &Field<List<Member>>) -> Vec<WalletAddress> {
    let members = committee
        .value()
        .map(|list| list.items.as_slice())
        .unwrap_or_default();
    members
        .iter()
        .filter_map(|member| member.0.value().copied())
        .collect()
}

/// Returns the faults of the members that are not wallet addresses.
pub(super) fn faults(committee: Option<&List<Member>>) -> Vec<FieldError> {
    let members = committee
        .map(|list| list.items.as_slice())
        .unwrap_or_default();
    let numbered = members.iter().enumerate();
    numbered
        .filter_map(|(at, member)| member.0.fault(format!("committee[{at}]")))
        .collect()
}
