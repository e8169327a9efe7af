//! `nodectl block`.

use std::borrow::Cow;

use clap::Args;
use nodeproof_client::{Block, BlockTransaction, Client, ExtraFields, Receipt};
use nodeproof_primitives::{Integer, RawJson, TimestampMs, WalletAddress, escape::escaped_up_to};
use serde::Serialize;

use super::field_text::{as_object, date_and_time, written};
use crate::{
    failure::Failure,
    io::{
        output::{CommandResult, Output, json_line},
        table::Columns,
    },
    session::settings::Session,
};

#[derive(Debug, Args)]
pub(crate) struct BlockArgs {
    /// Index of the block, or `latest`
    #[arg(value_name = "INDEX|latest", value_parser = parse_block_argument)]
    which: BlockArgument,
}

#[derive(Clone, Copy, Debug)]
enum BlockArgument {
    Latest,
    At(u64),
}

fn parse_block_argument(text: &str) -> Result<BlockArgument, String> {
    if text == "latest" {
        return Ok(BlockArgument::Latest);
    }
    text.parse()
        .map(BlockArgument::At)
        .map_err(|_| "a block has a whole number as its index, such as 12; or write latest".into())
}

pub(crate) async fn run(args: &BlockArgs, session: &Session) -> Result<(), Failure> {
    let client = session.client()?;
    let block = match args.which {
        BlockArgument::Latest => latest(&client, session.output).await?.1,
        BlockArgument::At(index) => named(&client, index).await?,
    };
    session.output.show(&BlockView::of(&block))
}

/// Maximum number of a number's digits in a message.
const MAX_DIGITS: usize = 40;

/// Requests the block at an index that the user gave.
async fn named(client: &Client, index: u64) -> Result<Block, Failure> {
    let none = |words: &str| Failure::not_found(format!("the node has no block {index}: {words}"));
    let block = match client.block_response(index).await {
        Ok(block) => the_one(index, block)?,
        Err(error) if error.is_absent() => return Err(none(error.reason())),
        Err(error) => return Err(error.into()),
    };
    if !block.is_blank() {
        return Ok(block);
    }
    let words = block.extra().detail();
    if block.extra().say_absent() {
        return Err(none(&format!(
            "its message: {}",
            words.as_deref().unwrap_or_default()
        )));
    }
    let words = words.map_or_else(
        || "an object without block fields".to_owned(),
        |words| format!("this: {words}"),
    );
    Err(Failure::unexpected(format!(
        "expected block {index}, but instead of a block the node returned {words}"
    )))
}

/// Returns the block at `index`, or `None` if the node has no such block.
async fn look(client: &Client, index: u64) -> Result<Option<Block>, Failure> {
    let block = client.block_if_there(index).await?;
    block.map(|block| the_one(index, block)).transpose()
}

fn the_one(index: u64, block: Block) -> Result<Block, Failure> {
    match block.index() {
        Ok(found) if *found != index => Err(Failure::unexpected(another(index, found))),
        _ => Ok(block),
    }
}

/// Describes the failure that the node returned another block. The index may be as long as a response.
fn another(index: u64, found: &Integer) -> String {
    let found = escaped_up_to(&found.to_string(), MAX_DIGITS);
    format!("expected block {index}, but the node returned block {found}")
}

/// A higher index than any chain has. At one block per second, it would take 30,000 years.
const IMPLAUSIBLE_INDEX: u64 = 1_000_000_000_000;

/// Returns the latest block with its index. Warns if the result is implausible.
pub(super) async fn latest(client: &Client, output: Output) -> Result<(u64, Block), Failure> {
    let Some(index) = client.latest_block().await? else {
        // Request block 1 again for the node's message.
        let words = match client.block_response(1).await {
            Err(error) => format!(" ({})", error.reason()),
            Ok(block) => block
                .extra()
                .detail()
                .map(|words| format!(" (its message: {words})"))
                .unwrap_or_default(),
        };
        return Err(Failure::not_found(format!(
            "the node has neither a block 1 nor a block 0{words}, so its latest block can't be \
             found: give an index"
        )));
    };
    let block = look(client, index).await?;
    if index > IMPLAUSIBLE_INDEX {
        output.warn(&format!(
            "the node returns a block for index {index} and for each lower index that was tried: \
             no chain is that long, so this is probably not the latest block"
        ));
    }
    if let Some(Err(fault)) = block.as_ref().map(Block::index) {
        output.warn(&format!(
            "the block has no index, so it may not be block {index}: \
             {fault}"
        ));
    }
    block.map(|block| (index, block)).ok_or_else(|| {
        Failure::unexpected(format!(
            "the node had block {index} during the search for the latest block, and no longer has it"
        ))
    })
}

/// A block for output: its readable fields, and its mismatches with the contract.
#[derive(Serialize)]
pub(super) struct BlockView<'b> {
    index: Option<&'b Integer>,
    timestamp: Option<TimestampMs>,
    previous_hash: Option<String>,
    hash: Option<String>,
    creator_wallet: Option<WalletAddress>,
    expected_miner: Option<WalletAddress>,
    status: Option<&'b Integer>,
    proof: Option<&'b Integer>,
    committee: Option<&'b [WalletAddress]>,
    transactions: Option<Vec<&'b RawJson>>,
    receipts: Option<Vec<ReceiptView<'b>>>,
    /// Undocumented fields, unchanged.
    #[serde(serialize_with = "as_object")]
    extra: &'b ExtraFields,
    mismatches: Vec<String>,
    /// How it fails to follow the previously shown block, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    breaks: Option<Vec<String>>,
    #[serde(skip)]
    block: &'b Block,
}

/// A vote on the previous block, for output.
#[derive(Serialize)]
struct ReceiptView<'b> {
    /// The signed data, unchanged.
    data: Option<RawJson>,
    public_key: Option<Cow<'b, str>>,
    signature: Option<Cow<'b, str>>,
}

impl<'b> ReceiptView<'b> {
    fn of(receipt: &'b Receipt) -> Self {
        Self {
            data: receipt.data_text().ok().and_then(|text| text.parse().ok()),
            public_key: receipt.public_key().ok().map(|key| key.text()),
            signature: receipt.signature().ok().map(|signature| signature.text()),
        }
    }
}

impl<'b> BlockView<'b> {
    pub(super) fn of(block: &'b Block) -> Self {
        let texts = |list: &'b [BlockTransaction]| list.iter().map(BlockTransaction::text);
        Self {
            index: block.index().ok(),
            timestamp: block.timestamp().ok(),
            previous_hash: block.previous_hash().ok().map(ToString::to_string),
            hash: block.hash().ok().map(ToString::to_string),
            creator_wallet: block.creator_wallet().ok(),
            expected_miner: block.expected_miner().ok(),
            status: block.status().ok(),
            proof: block.proof().ok(),
            committee: block.committee().ok(),
            transactions: block.transactions().ok().map(|list| texts(list).collect()),
            receipts: block
                .receipts()
                .ok()
                .map(|list| list.iter().map(ReceiptView::of).collect()),
            extra: block.extra(),
            mismatches: block.mismatches().iter().map(ToString::to_string).collect(),
            breaks: None,
            block,
        }
    }

    /// Adds the result of the comparison with the previous block.
    pub(super) fn after(self, breaks: Vec<String>) -> Self {
        Self {
            breaks: Some(breaks),
            ..self
        }
    }

    /// Returns the block on one line, for lists of blocks.
    pub(super) fn line(&self) -> String {
        let index = written(self.block.index());
        let made = self.timestamp.map_or_else(|| "-".to_owned(), date_and_time);
        let count = |count: Option<usize>| count.map_or_else(|| "-".to_owned(), |n| n.to_string());
        format!(
            "{index}  {made}  {} transactions  {} votes  {}\n",
            count(self.transactions.as_ref().map(Vec::len)),
            count(self.receipts.as_ref().map(Vec::len)),
            written(self.block.creator_wallet()),
        )
    }

    pub(super) fn json(&self) -> Result<String, Failure> {
        json_line(self)
    }
}

impl CommandResult for BlockView<'_> {
    fn for_a_person(&self) -> String {
        let block = self.block;
        let mut about = Columns::new();
        about.row(["block", &written(block.index())]);
        let made = block
            .timestamp()
            .map(|time| format!("{} ({})", date_and_time(time), time.as_millis()));
        about.row(["made", &written(made)]);
        about.row(["previous hash", &written(block.previous_hash())]);
        if block.hash().is_ok() {
            about.row(["hash", &written(block.hash())]);
        }
        about.row(["creator", &written(block.creator_wallet())]);
        about.row(["expected miner", &written(block.expected_miner())]);
        about.row(["status", &written(block.status())]);
        about.row(["proof", &written(block.proof())]);
        about.row([
            "committee",
            &written(block.committee().map(|wallets| wallets.len())),
        ]);
        for wallet in block.committee().unwrap_or_default() {
            about.row(["", &wallet.to_string()]);
        }
        about.row([
            "transactions",
            &written(block.transactions().map(<[_]>::len)),
        ]);
        about.row(["votes", &written(block.receipts().map(<[_]>::len))]);
        let mut text = about.text();
        text.push_str(&transactions(block.transactions().unwrap_or_default()));
        text.push_str(&votes(block.receipts().unwrap_or_default()));
        if !self.mismatches.is_empty() {
            text.push_str("\nnot as documented\n");
            let mut list = Columns::new();
            for mismatch in &self.mismatches {
                list.row(["-", mismatch]);
            }
            text.push_str(&list.text());
        }
        text
    }
}

fn transactions(list: &[BlockTransaction]) -> String {
    if list.is_empty() {
        return String::new();
    }
    let mut columns = Columns::headed(["transaction", "type", "fee", "function", "signers"]);
    for transaction in list {
        let Ok(view) = transaction.signed().and_then(|signed| signed.transaction()) else {
            columns.row(["not readable", "-", "-", "-", "-"]);
            continue;
        };
        let call = view.contract_call().ok();
        let signers = call.as_ref().and_then(|call| call.signers().ok());
        let fee = match (view.fee(), view.currency()) {
            (Ok(fee), Ok(currency)) => format!("{fee} {currency}"),
            (fee, _) => written(fee),
        };
        columns.row([
            &written(view.trans_code()),
            &written(view.kind()),
            &fee,
            call.as_ref()
                .and_then(|call| call.function().ok())
                .unwrap_or("-"),
            &signers.map_or_else(
                || "-".to_owned(),
                |signers| {
                    let signers: Vec<_> = signers.iter().map(ToString::to_string).collect();
                    signers.join(" ")
                },
            ),
        ]);
    }
    format!("\n{}", columns.text())
}

fn votes(list: &[Receipt]) -> String {
    if list.is_empty() {
        return String::new();
    }
    let mut columns = Columns::headed(["voter", "vote", "on block", "hash"]);
    for receipt in list {
        columns.row([
            &written(receipt.wallet_address()),
            &written(receipt.vote()),
            &written(receipt.block_index()),
            &written(receipt.block_hash()),
        ]);
    }
    format!("\n{}", columns.text())
}
