//! A file with the blocks of a chain, which survives a restart of the node.
//!
//! The first line has the start of the chain, and each further line one block. A block is written before any
//! request can read it, so a node that is killed loses only pending transactions.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, BufRead as _, BufReader, Seek as _, SeekFrom, Write as _},
    path::Path,
};

use nodeproof_primitives::{Hash256, MessageSignature};
use serde::{Deserialize, Serialize};

use super::block::Block;
use crate::Config;

/// The format tag, with the version.
const FORMAT: &str = "nodeproof-devnode/1";
/// Maximum length of the file, in bytes. A chain of one block a second takes more than a week for it.
const MAX_LENGTH: u64 = 1 << 29;

/// The start of a chain. The initial blocks follow from it.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    format: String,
    network: String,
    seed: u64,
    initial_blocks: u64,
    funded: Vec<String>,
    /// The time of the chain's start, in milliseconds.
    start: i64,
}

/// A block after the initial ones.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SavedBlock {
    /// The hash of the block, which the hash of the previous block is part of.
    pub(crate) hash: Hash256,
    pub(crate) timestamp: i64,
    /// Whether it is on another chain, because of a fault.
    pub(crate) is_forked: bool,
    /// The signatures of the receipts, in hexadecimal.
    pub(crate) receipts: Vec<String>,
    /// The elements of the block's transactions, as JSON.
    pub(crate) transactions: Vec<Box<str>>,
}

impl SavedBlock {
    pub(crate) fn of(block: &Block, hash: Hash256) -> Self {
        let receipts = block.receipts.iter().flat_map(|receipts| receipts.iter());
        Self {
            hash,
            timestamp: block.timestamp,
            is_forked: block.is_forked,
            receipts: receipts
                .map(|signature| MessageSignature::from_bytes(*signature).to_string())
                .collect(),
            transactions: block.transactions.to_vec(),
        }
    }
}

/// An open file of a chain.
#[derive(Debug)]
pub(crate) struct SavedChain {
    file: File,
    length: u64,
}

impl SavedChain {
    /// Opens the file, or creates it. Returns also the chain's start and its blocks. `start` is the start of a
    /// new chain. Another file is not changed.
    pub(crate) fn open(
        path: &Path,
        config: &Config,
        start: i64,
    ) -> io::Result<(Self, i64, Vec<SavedBlock>)> {
        let mut header = Header {
            format: FORMAT.to_owned(),
            network: config.network.to_string(),
            seed: config.seed,
            initial_blocks: config.blocks,
            funded: config.funded.iter().map(ToString::to_string).collect(),
            start,
        };
        if !path.try_exists()? {
            create(path, &header)?;
        }
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::other("another node is using it"));
            }
            // On a file system without locks, nothing else can be done.
            Err(TryLockError::Error(_)) => {}
        }
        let metadata = file.metadata()?;
        if !metadata.is_file() || metadata.len() > MAX_LENGTH {
            let reason = format!("it is not a regular file of at most {MAX_LENGTH} bytes");
            return Err(io::Error::other(reason));
        }
        let mut saved = Self { file, length: 0 };
        let mut blocks = Vec::new();
        let mut reader = BufReader::new(&saved.file);
        let mut line = String::new();
        for number in 1_u64.. {
            line.clear();
            let read = reader.read_line(&mut line)?;
            // A last line without an end was being written when the node was killed. No request read its block.
            let is_complete = line.ends_with('\n');
            match number {
                1 => header.start = header.check(&line)?,
                _ if !is_complete => break,
                _ => blocks.push(serde_json::from_str(&line).map_err(|error| {
                    io::Error::other(format!("line {number} is not a block: {error}"))
                })?),
            }
            saved.length += read as u64;
        }
        saved.file.set_len(saved.length)?;
        saved.file.seek(SeekFrom::End(0))?;
        Ok((saved, header.start, blocks))
    }

    /// Appends a block.
    pub(crate) fn append(&mut self, block: &SavedBlock) -> io::Result<()> {
        let line = serde_json::to_string(block)? + "\n";
        let length = self.length + line.len() as u64;
        if length > MAX_LENGTH {
            return Err(io::Error::other(format!(
                "it would have more than {MAX_LENGTH} bytes"
            )));
        }
        if let Err(error) = self.file.write_all(line.as_bytes()) {
            // Removes a part of the line. If this fails, the next start does it.
            let _ = self.file.set_len(self.length);
            return Err(error);
        }
        self.length = length;
        Ok(())
    }
}

impl Header {
    /// Compares the first line of a file with the options. Returns the start of the chain.
    fn check(&self, line: &str) -> io::Result<i64> {
        let found: Self = serde_json::from_str(line)
            .ok()
            .filter(|found: &Self| found.format == FORMAT && line.ends_with('\n'))
            .ok_or_else(|| io::Error::other("it is not the chain of a devnode"))?;
        let start = found.start;
        let same = Self {
            start: self.start,
            ..found
        };
        if same != *self {
            return Err(io::Error::other(format!(
                "it is the chain of a node with other options: --network {} --seed {} --blocks {}{}",
                same.network,
                same.seed,
                same.initial_blocks,
                same.funded
                    .iter()
                    .map(|wallet| format!(" --fund {wallet}"))
                    .collect::<String>()
            )));
        }
        Ok(start)
    }
}

/// Creates the file with its first line at once.
fn create(path: &Path, header: &Header) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.tmp", std::process::id()));
    fs::write(&beside, serde_json::to_string(header)? + "\n")?;
    fs::rename(&beside, path)
}
