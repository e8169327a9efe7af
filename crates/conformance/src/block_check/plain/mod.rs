//! The quick way to judge a block: for those that are plainly as documented.
//!
//! Nearly every block of a long chain conforms. To find that out, its text need not become a tree of
//! values, be held against a schema, and be read by the client: it is gone through once. Whatever is
//! anything else than plainly right goes the long way, which finds what is wrong with it, if there
//! is something. So this way never finds anything, and may pass by what is right; but what it takes
//! must be right by every check that leaves a block to it (`plain` of a [`BlockCheck`]). Tests hold
//! it against the long way, and it is only gone where the description says of a block what it said
//! when this was written ([`describes`]).
//!
//! [`BlockCheck`]: super::BlockCheck

mod cursor;
mod described;
mod voters;

use nodeproof_primitives::{TimestampMs, TransactionCode};

pub(crate) use described::describes;
pub(crate) use voters::Voters;

use super::memory::{Fingerprint, Links, Previous};
use crate::cases::MILLISECONDS;
use cursor::{Cursor, Member};

/// A block that is plainly as documented.
#[derive(Debug)]
pub(crate) struct Plain {
    index: u64,
    time: i64,
    /// The hash of the block before, in lower case.
    previous: String,
    /// How many votes there are on the block before.
    pub(crate) receipts: usize,
    /// The codes of the transactions, if each has the form of what is submitted, a code and a time in
    /// milliseconds; nothing where one has another form, as the contract leaves that open.
    codes: Option<Vec<TransactionCode>>,
}

/// What a block has to be besides, to be right.
#[derive(Clone, Copy)]
pub(crate) struct Expected<'e> {
    /// Its index.
    pub(crate) index: u64,
    /// How deep it may be nested.
    pub(crate) depth: usize,
    /// Who has which key, where that counts.
    pub(crate) voters: Option<&'e Voters>,
}

/// The most receipts and the most transactions of a block that is read here. The checks look at no
/// more than some of a longer list.
const MOST: usize = 500;

impl Plain {
    /// Reads a block; nothing if it is anything else than plainly right.
    pub(crate) fn read(body: &[u8], expected: Expected<'_>) -> Option<Self> {
        let text = std::str::from_utf8(body).ok()?;
        let index = i64::try_from(expected.index).ok()?;
        let mut cursor = Cursor::new(text, expected.depth);
        let mut time = 0;
        let mut previous = "";
        let mut inside = Inside {
            codes: Vec::new(),
            all_submitted: true,
            receipts: 0,
            about: None,
            voters: Vec::new(),
        };
        cursor.space();
        let seen = cursor.object(|cursor, name| {
            Some(match name {
                "index" => {
                    (cursor.integer()? == index).then_some(())?;
                    Member::Known(0)
                }
                "timestamp" => {
                    time = cursor.time()?;
                    Member::Known(1)
                }
                "proof" => {
                    cursor.integer()?;
                    Member::Known(2)
                }
                "status" => {
                    cursor.integer()?;
                    Member::Known(3)
                }
                "text" => {
                    inside.read(cursor, index, expected.voters)?;
                    Member::Known(4)
                }
                "creator_wallet" => {
                    cursor.address()?;
                    Member::Known(5)
                }
                "expected_miner" => {
                    cursor.address()?;
                    Member::Known(6)
                }
                "committee" => {
                    cursor.array(|cursor, _| cursor.address().map(drop))?;
                    Member::Known(7)
                }
                "previous_hash" => {
                    previous = cursor.hash()?;
                    Member::Known(8)
                }
                // The client, or a check, looks at these where the documented ones are not there.
                "block_index" | "transactions" | "previous_block_receipts" => return None,
                _ => Member::Other,
            })
        })?;
        cursor.space();
        let follows = |about: &str| about.eq_ignore_ascii_case(previous);
        let right = cursor.is_done() && seen == 0b1_1111_1111 && inside.about.is_none_or(follows);
        right.then(|| Self {
            index: expected.index,
            time,
            previous: previous.to_ascii_lowercase(),
            receipts: inside.receipts,
            codes: inside.all_submitted.then_some(inside.codes),
        })
    }

    /// How many transactions there are, if each has the form of what is submitted.
    pub(crate) fn transactions(&self) -> Option<u64> {
        let codes = self.codes.as_ref()?;
        u64::try_from(codes.len()).ok()
    }

    /// What the block has in common with others, if its transactions are known.
    pub(crate) fn links(&self) -> Option<Links> {
        Some(Links {
            index: self.index,
            time: Some(TimestampMs::from_millis(self.time)),
            previous: Some(Previous {
                fingerprint: Fingerprint::of(&self.previous),
                text: self.previous.clone(),
            }),
            transactions: self.transactions()?,
            codes: self.codes.as_ref()?.iter().copied().enumerate().collect(),
        })
    }

    /// Whether it has a place for a field below these members.
    pub(crate) fn has_place(&self, path: &[&str]) -> bool {
        self.receipts > 0 || !path.contains(&"*")
    }
}

/// What is in a block's `text`.
struct Inside<'t> {
    codes: Vec<TransactionCode>,
    /// Whether each transaction has the form of what is submitted.
    all_submitted: bool,
    receipts: usize,
    /// The hash of the block that all votes are about.
    about: Option<&'t str>,
    voters: Vec<&'t str>,
}

impl<'t> Inside<'t> {
    fn read(&mut self, cursor: &mut Cursor<'t>, index: i64, voters: Option<&Voters>) -> Option<()> {
        let seen = cursor.object(|cursor, name| {
            Some(match name {
                "transactions" => {
                    cursor.array(|cursor, place| {
                        (place < MOST).then_some(())?;
                        self.transaction(cursor)
                    })?;
                    Member::Known(0)
                }
                "previous_block_receipts" => {
                    self.receipts = cursor.array(|cursor, place| {
                        (place < MOST).then_some(())?;
                        self.receipt(cursor, index, voters)
                    })?;
                    Member::Known(1)
                }
                _ => Member::Other,
            })
        })?;
        (seen == 0b11 && self.each_votes_once()).then_some(())
    }

    fn each_votes_once(&mut self) -> bool {
        self.voters.sort_unstable();
        self.voters.windows(2).all(|pair| pair[0] != pair[1])
    }

    fn transaction(&mut self, cursor: &mut Cursor<'t>) -> Option<()> {
        if !cursor.is_at(b'{') {
            self.all_submitted = false;
            return cursor.any();
        }
        let mut code = None;
        let seen = cursor.object(|cursor, name| {
            Some(match name {
                "transaction" => {
                    code = Some(submitted(cursor)?);
                    Member::Known(0)
                }
                "signatures" => {
                    cursor.array(|cursor, _| cursor.any())?;
                    Member::Known(1)
                }
                _ => Member::Other,
            })
        })?;
        self.all_submitted &= seen == 0b11;
        self.codes.extend(code);
        Some(())
    }

    fn receipt(
        &mut self,
        cursor: &mut Cursor<'t>,
        index: i64,
        voters: Option<&Voters>,
    ) -> Option<()> {
        let (mut voter, mut key) = ("", "");
        let seen = cursor.object(|cursor, name| {
            Some(match name {
                "data" => {
                    voter = self.data(cursor, index)?;
                    Member::Known(0)
                }
                "public_key" => {
                    key = cursor.hex_text()?;
                    Member::Known(1)
                }
                "signature" => {
                    cursor.hex_text()?;
                    Member::Known(2)
                }
                _ => Member::Other,
            })
        })?;
        self.voters.push(voter);
        let right = seen == 0b111 && voters.is_none_or(|voters| voters.has(voter, key));
        right.then_some(())
    }

    /// What was voted, by the one that is handed back.
    fn data(&mut self, cursor: &mut Cursor<'t>, index: i64) -> Option<&'t str> {
        let mut voter = "";
        let seen = cursor.object(|cursor, name| {
            Some(match name {
                "block_index" => {
                    (cursor.integer()? == index - 1).then_some(())?;
                    Member::Known(0)
                }
                "block_hash" => {
                    let about = cursor.hash()?;
                    let same = about.eq_ignore_ascii_case(self.about.get_or_insert(about));
                    same.then_some(())?;
                    Member::Known(1)
                }
                "vote" => {
                    cursor.integer()?;
                    Member::Known(2)
                }
                "timestamp" => {
                    cursor.time()?;
                    Member::Known(3)
                }
                "wallet_address" => {
                    voter = cursor.address()?;
                    Member::Known(4)
                }
                _ => Member::Other,
            })
        })?;
        (seen == 0b1_1111).then_some(voter)
    }
}

/// What was signed, by its code.
fn submitted(cursor: &mut Cursor<'_>) -> Option<TransactionCode> {
    let mut code = None;
    let seen = cursor.object(|cursor, name| {
        Some(match name {
            "trans_code" => {
                code = Some(cursor.code()?);
                Member::Known(0)
            }
            "timestamp" => {
                cursor.time()?;
                Member::Known(1)
            }
            _ => Member::Other,
        })
    })?;
    code.filter(|_| seen == 0b11)
}

impl Cursor<'_> {
    /// The code of a transaction.
    fn code(&mut self) -> Option<TransactionCode> {
        self.transaction_code()?.parse().ok()
    }

    /// A time in milliseconds.
    fn time(&mut self) -> Option<i64> {
        self.integer().filter(|time| MILLISECONDS.contains(time))
    }
}
