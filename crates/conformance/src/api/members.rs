//! Reading the members of a response one by one.
//!
//! A wrong member fails its own case only. So a check reads each member from its own text, and not
//! the response as a whole, as the client does.

use std::{borrow::Cow, collections::BTreeMap, fmt};

use nodeproof_client::BlockTransaction;
use nodeproof_primitives::{
    Hash256, HexText, Integer, RawJson, TimestampMs, WalletAddress, escape::escaped_up_to as shown,
};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::inner_json::inner_json;

/// The reason why a member has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    Missing(&'static str),
    Null(&'static str),
    /// The member has another form. This is its text.
    Malformed(&'static str, RawJson),
}

impl Unread {
    /// Returns the text of a malformed member.
    pub(crate) const fn raw(&self) -> Option<&RawJson> {
        match self {
            Self::Malformed(_, raw) => Some(raw),
            Self::Missing(_) | Self::Null(_) => None,
        }
    }
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(name) => write!(f, "`{name}` is missing"),
            Self::Null(name) => write!(f, "`{name}` is null"),
            Self::Malformed(name, raw) => {
                write!(f, "`{name}` is malformed: {}", shown(raw.as_str(), 100))
            }
        }
    }
}

/// A member, or the reason why it has no value.
pub(crate) type Member<T> = Result<T, Unread>;

/// The members of an object. Of several with the same name, the last counts.
pub(crate) struct Members<'t>(BTreeMap<Cow<'t, str>, &'t RawValue>);

impl<'t> Members<'t> {
    /// Reads an object. Returns `None` if the text is not an object.
    pub(crate) fn of(text: &'t str) -> Option<Self> {
        serde_json::from_str(text).ok().map(Self)
    }

    /// Returns the text of a member that is neither missing nor null.
    fn text(&self, name: &'static str) -> Member<&'t RawValue> {
        match self.0.get(name) {
            None => Err(Unread::Missing(name)),
            Some(raw) if raw.get() == "null" => Err(Unread::Null(name)),
            Some(raw) => Ok(raw),
        }
    }

    pub(crate) fn read<T: DeserializeOwned>(&self, name: &'static str) -> Member<T> {
        let raw = self.text(name)?;
        serde_json::from_str(raw.get()).map_err(|_| malformed(name, raw))
    }

    /// Reads a member that may be inside a string, as nodes were seen to write lists.
    fn read_or_in_a_string<T: DeserializeOwned>(&self, name: &'static str) -> Member<T> {
        let raw = self.text(name)?;
        let inner: Option<String> = serde_json::from_str(raw.get()).ok();
        let text = inner.as_deref().unwrap_or(raw.get());
        inner_json(text).ok_or_else(|| malformed(name, raw))
    }

    /// Reads a member with one of two names.
    pub(crate) fn either<T: DeserializeOwned>(
        &self,
        name: &'static str,
        other: &'static str,
    ) -> Member<T> {
        match self.read(name) {
            Err(Unread::Missing(_)) if self.0.contains_key(other) => self.read(other),
            found => found,
        }
    }
}

fn malformed(name: &'static str, raw: &RawValue) -> Unread {
    Unread::Malformed(name, raw.to_owned().into())
}

/// A block, in any form, member by member.
#[derive(Debug)]
pub(crate) struct BlockMembers {
    pub(crate) index: Member<Integer>,
    pub(crate) timestamp: Member<TimestampMs>,
    pub(crate) proof: Member<Integer>,
    pub(crate) status: Member<Integer>,
    pub(crate) creator_wallet: Member<WalletAddress>,
    pub(crate) expected_miner: Member<WalletAddress>,
    /// Null in the first block of a chain, whose member is `"0"`.
    pub(crate) previous_hash: Member<Hash256>,
    /// The texts of the committee's entries.
    pub(crate) committee: Member<Vec<RawJson>>,
    pub(crate) transactions: Member<Vec<BlockTransaction>>,
    pub(crate) receipts: Member<Vec<ReceiptMembers>>,
}

/// A receipt, member by member.
#[derive(Debug)]
pub(crate) struct ReceiptMembers {
    /// The whole receipt, unchanged, if a part of it can't be read.
    pub(crate) text: Option<RawJson>,
    /// The signed text.
    pub(crate) data: Member<RawJson>,
    pub(crate) block_hash: Member<Hash256>,
    pub(crate) timestamp: Member<TimestampMs>,
    pub(crate) wallet_address: Member<WalletAddress>,
    pub(crate) public_key: Member<HexText>,
    pub(crate) signature: Member<HexText>,
}

impl BlockMembers {
    /// Reads a block. Returns `None` if the text is not an object.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let block = Members::of(text)?;
        let (transactions, receipts) = match block.text("text") {
            Err(unread) => (Err(unread.clone()), Err(unread)),
            Ok(raw) => {
                let inner: Option<String> = serde_json::from_str(raw.get()).ok();
                match inner_json(inner.as_deref().unwrap_or(raw.get())).map(Members) {
                    None => {
                        let unread = malformed("text", raw);
                        (Err(unread.clone()), Err(unread))
                    }
                    Some(content) => (content.read("transactions"), receipts(&content)),
                }
            }
        };
        let first = block
            .read::<String>("previous_hash")
            .is_ok_and(|text| text == "0");
        Some(Self {
            index: block.either("index", "block_index"),
            timestamp: block.read("timestamp"),
            proof: block.read("proof"),
            status: block.read("status"),
            creator_wallet: block.read("creator_wallet"),
            expected_miner: block.read("expected_miner"),
            previous_hash: if first {
                Err(Unread::Null("previous_hash"))
            } else {
                block.read("previous_hash")
            },
            committee: block.read_or_in_a_string("committee"),
            transactions,
            receipts,
        })
    }
}

fn receipts(content: &Members<'_>) -> Member<Vec<ReceiptMembers>> {
    let name = "previous_block_receipts";
    let raw = content.text(name)?;
    let list: Vec<&RawValue> = serde_json::from_str(raw.get()).map_err(|_| malformed(name, raw))?;
    Ok(list.into_iter().map(ReceiptMembers::of).collect())
}

impl ReceiptMembers {
    pub(crate) fn of(raw: &RawValue) -> Self {
        let members = Members::of(raw.get());
        let members = members.unwrap_or_else(|| Members(BTreeMap::new()));
        let data: Member<RawJson> =
            members
                .read_or_in_a_string("data")
                .and_then(|data: RawJson| match data.as_str().starts_with('{') {
                    true => Ok(data),
                    false => Err(Unread::Malformed("data", data)),
                });
        let voted = data
            .as_ref()
            .ok()
            .and_then(|data| Members::of(data.as_str()));
        let voted = voted.unwrap_or_else(|| Members(BTreeMap::new()));
        let (block_hash, wallet_address) = (voted.read("block_hash"), voted.read("wallet_address"));
        let timestamp = voted.read("timestamp");
        let mut receipt = Self {
            text: None,
            block_hash,
            timestamp,
            wallet_address,
            public_key: members.read("public_key"),
            signature: members.read("signature"),
            data,
        };
        let is_read =
            receipt.data.is_ok() && receipt.public_key.is_ok() && receipt.signature.is_ok();
        receipt.text = (!is_read).then(|| raw.to_owned().into());
        receipt
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: &str = "21f7581d94352dd63d9f5b0c5a7800573aa405d3f97755d249fb0548ca68e1c7";

    #[test]
    fn a_wrong_member_leaves_the_others() {
        let block = BlockMembers::of(&format!(
            r#"{{"block_index":7,"timestamp":"x","previous_hash":"{HASH}","status":null,
                "committee":"[\"0x1\"]","text":{{"transactions":[],"previous_block_receipts":[7]}}}}"#
        ))
        .unwrap();
        assert_eq!(block.index, Ok(7.into()));
        assert_eq!(
            block.timestamp.unwrap_err().raw().unwrap().as_str(),
            "\"x\""
        );
        assert_eq!(block.status, Err(Unread::Null("status")));
        assert_eq!(block.proof, Err(Unread::Missing("proof")));
        assert_eq!(block.previous_hash.unwrap().to_string(), HASH);
        assert_eq!(block.committee.unwrap()[0].as_str(), "\"0x1\"");
        let receipts = block.receipts.unwrap();
        assert_eq!(receipts[0].data, Err(Unread::Missing("data")));
        assert_eq!(receipts[0].text.as_ref().unwrap().as_str(), "7");
    }

    #[test]
    fn a_receipts_signed_text_is_kept_also_from_a_string() {
        for text in [r#"{"data": {"vote" : 5}}"#, r#"{"data":"{\"vote\" : 5}"}"#] {
            let raw: Box<RawValue> = serde_json::from_str(text).unwrap();
            let receipt = ReceiptMembers::of(&raw);
            assert_eq!(receipt.data.unwrap().as_str(), r#"{"vote" : 5}"#);
        }
    }
}
