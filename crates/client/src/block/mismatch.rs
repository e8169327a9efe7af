//! Fields of a block that are not as documented.

use std::{borrow::Cow, fmt};

use super::model::{Block, PreviousHash};
use crate::decode::{Field, FieldError, FieldFault, List};

/// One mismatch between a block and the contract.
///
/// ```
/// use nodeproof_client::{Block, MismatchKind};
///
/// let block = Block::from_slice(br#"{"block_index": 7, "timestamp": null}"#)?;
/// let mismatches = block.mismatches();
/// assert_eq!(mismatches[0].field(), "index");
/// assert_eq!(mismatches[0].kind(), &MismatchKind::Elsewhere("block_index"));
/// assert_eq!(mismatches[1].to_string(), "`timestamp` is null");
/// assert_eq!(block.missing()[..3], ["index", "proof", "status"]);
/// # Ok::<(), nodeproof_client::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    field: Cow<'static, str>,
    kind: MismatchKind,
}

/// The kind of mismatch of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MismatchKind {
    /// The field is missing.
    Missing,
    /// The field is null.
    Null,
    /// The field has another name, or is in another place.
    Elsewhere(&'static str),
    /// The field has another form, which can be read.
    OtherForm(&'static str),
    /// The field has a value that can't be read, for this reason.
    Malformed(String),
}

impl Mismatch {
    /// Returns the field's name in the contract, with positions in lists, such as
    /// `text.previous_block_receipts[3].data.vote`.
    #[must_use]
    pub fn field(&self) -> &str {
        &self.field
    }

    /// Returns the kind of mismatch.
    #[must_use]
    pub fn kind(&self) -> &MismatchKind {
        &self.kind
    }

    fn new(field: impl Into<Cow<'static, str>>, kind: MismatchKind) -> Self {
        Self {
            field: field.into(),
            kind,
        }
    }
}

impl From<FieldError> for Mismatch {
    fn from(error: FieldError) -> Self {
        let kind = match error.fault() {
            FieldFault::Missing => MismatchKind::Missing,
            FieldFault::Null => MismatchKind::Null,
            FieldFault::Malformed(reason) | FieldFault::Doubtful(reason) => {
                MismatchKind::Malformed(reason.clone())
            }
        };
        Self::new(error.field().to_owned(), kind)
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = &self.field;
        match &self.kind {
            MismatchKind::Missing => write!(f, "`{field}` is missing"),
            MismatchKind::Null => write!(f, "`{field}` is null"),
            MismatchKind::Elsewhere(place) => write!(f, "`{field}` is found as `{place}`"),
            MismatchKind::OtherForm(form) => write!(f, "`{field}` is {form}"),
            MismatchKind::Malformed(reason) => {
                let reason = nodeproof_primitives::escape::escaped_up_to(reason, 200);
                write!(f, "`{field}` is malformed: {reason}")
            }
        }
    }
}

impl Block {
    /// Returns the documented fields that are missing, in the contract's order.
    ///
    /// A field that has another name, such as `block_index`, counts as missing.
    #[must_use]
    pub fn missing(&self) -> Vec<String> {
        let missing = |mismatch: &Mismatch| {
            matches!(
                mismatch.kind,
                MismatchKind::Missing | MismatchKind::Elsewhere(_)
            )
        };
        let mismatches = self.mismatches().into_iter();
        mismatches
            .filter(missing)
            .map(|mismatch| mismatch.field.into_owned())
            .collect()
    }

    /// Returns every mismatch between the block and the contract, in the contract's order.
    ///
    /// Undocumented fields do not count: see [`extra`](Self::extra).
    #[must_use]
    pub fn mismatches(&self) -> Vec<Mismatch> {
        let mut all = Mismatches(Vec::new());
        match (&self.index, &self.block_index) {
            (Field::Missing, Field::Value(_)) => {
                all.push("index", MismatchKind::Elsewhere("block_index"));
            }
            (index, _) => all.fault(index.fault("index")),
        }
        all.fault(self.timestamp.fault("timestamp"));
        all.fault(self.proof.fault("proof"));
        all.fault(self.status.fault("status"));
        all.contents(self);
        all.fault(self.creator_wallet.fault("creator_wallet"));
        all.fault(self.expected_miner.fault("expected_miner"));
        all.fault(self.committee.fault("committee"));
        all.form("committee", written_in_text(&self.committee));
        all.faults(self.committee_faults(), "");
        all.fault(self.previous_hash.fault("previous_hash"));
        if self.previous_hash.value() == Some(&PreviousHash::None) {
            all.form(
                "previous_hash",
                Some("`0` rather than 64 hexadecimal digits"),
            );
        }
        all.0
    }
}

struct Mismatches(Vec<Mismatch>);

impl Mismatches {
    fn push(&mut self, field: impl Into<Cow<'static, str>>, kind: MismatchKind) {
        self.0.push(Mismatch::new(field, kind));
    }

    fn fault(&mut self, fault: Option<FieldError>) {
        self.0.extend(fault.map(Mismatch::from));
    }

    fn faults(&mut self, faults: Vec<FieldError>, parent: &str) {
        self.0.extend(faults.into_iter().map(|fault| {
            Mismatch::from(if parent.is_empty() {
                fault
            } else {
                fault.within(parent)
            })
        }));
    }

    fn form(&mut self, field: &'static str, form: Option<&'static str>) {
        if let Some(form) = form {
            self.push(field, MismatchKind::OtherForm(form));
        }
    }

    /// Checks `text` and the fields that belong inside it.
    fn contents(&mut self, block: &Block) {
        self.fault(block.text_mismatch());
        if block.text.in_text {
            self.form("text", Some("an object inside a string"));
        }
        let inside = block.text.found.value().is_some();
        if let (Field::Missing, Field::Value(_)) =
            (&block.text.transactions, &block.beside.transactions)
        {
            self.push("text.transactions", MismatchKind::Elsewhere("transactions"));
        } else if inside {
            self.fault(block.text.transactions.fault("text.transactions"));
        }
        self.form(
            "text.transactions",
            written_in_text(&block.text.transactions),
        );
        if let (Field::Missing, Field::Value(_)) = (&block.text.receipts, &block.beside.receipts) {
            let place = "previous_block_receipts";
            self.push(
                "text.previous_block_receipts",
                MismatchKind::Elsewhere(place),
            );
        } else if inside {
            self.fault(block.text.receipts.fault("text.previous_block_receipts"));
        }
        self.form(
            "text.previous_block_receipts",
            written_in_text(&block.text.receipts),
        );
        for (at, receipt) in block.receipts().unwrap_or_default().iter().enumerate() {
            let place = format!("text.previous_block_receipts[{at}]");
            match receipt.not_a_receipt() {
                Some(_) => self.0.extend(receipt.faults().into_iter().map(|fault| {
                    let kind = Mismatch::from(fault).kind;
                    Mismatch::new(place.clone(), kind)
                })),
                None => self.faults(receipt.faults(), &place),
            }
        }
    }
}

/// Returns the form of a list that was inside a string, for a message.
fn written_in_text<T>(field: &Field<List<T>>) -> Option<&'static str> {
    field
        .value()
        .filter(|list| list.in_text)
        .map(|_| "an array inside a string")
}
