//! What a sweep went through and found.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A sweep. What its cases found stands with the cases; here is how often and where.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct SweepReport {
    /// The range as it was given, such as `..` or `5..10`; its end is not in it.
    pub blocks: String,
    /// The first block.
    pub from: u64,
    /// The index behind the last block: the newest one that there was in the beginning, at most.
    pub to: u64,
    /// The lowest block that the node has, where the range left its start open and the chain's first
    /// blocks are gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub none_below: Option<u64>,
    /// The block that comes next, where the sweep was cut.
    pub next: u64,
    /// Whether all blocks were gone through.
    pub done: bool,
    /// How many answers were judged as blocks.
    pub judged: u64,
    /// How many indexes have no block.
    pub missing: u64,
    /// How many blocks could not be read, as no answer came of them, or more than is read.
    pub unread: u64,
    /// How many findings there are in all.
    pub findings: u64,
    /// What was found, by case, and what is wrong in one way together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<SweepKind>,
    /// The file from which the sweep can be resumed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Why there is no such file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

/// What is wrong in one way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct SweepKind {
    /// The case's ID.
    pub case: String,
    /// What is wrong.
    pub what: String,
    /// In how many places.
    pub count: u64,
    /// The first blocks that have it.
    pub blocks: Vec<u64>,
}
