//! `nodectl block`.

use clap::Args;
use nodeproof_client::{
    Block, BlockTransaction, Client, ExactText, PreviousHash, Receipt, ReceiptData,
};
use nodeproof_primitives::{Hash256, Integer, TimestampMs, WalletAddress};
use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    field_text::{date_and_time, written},
    refusal::refusal,
};
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
        BlockArgument::Latest => latest(&client, session.output).await?,
        BlockArgument::At(index) => named(&client, index).await?,
    };
    session.output.show(&BlockView::of(&block))
}

/// Requests the block at an index that the user gave.
async fn named(client: &Client, index: u64) -> Result<Block, Failure> {
    match client.block(index).await? {
        Some(block) => Ok(block),
        None => {
            let words = refusal(client.generated().get_block(&index.into()).await).await;
            let message = format!("the node has no block {index}{words}");
            Err(Failure::not_found(message))
        }
    }
}

/// A higher index than any chain has. At one block per second, it would take 30,000 years.
const IMPLAUSIBLE_INDEX: u64 = 1_000_000_000_000;

/// Returns the latest block. Warns if the result is implausible.
pub(super) async fn latest(client: &Client, output: Output) -> Result<Block, Failure> {
    let Some(block) = client.latest_block().await? else {
        let words = refusal(client.generated().get_block(&1_u64.into()).await).await;
        return Err(Failure::not_found(format!(
            "the node has neither a block 1 nor a block 0{words}; its latest block can't be found: \
             give an index"
        )));
    };
    if block.index > IMPLAUSIBLE_INDEX {
        output.warn(&format!(
            "the node returns a block for index {} and for each lower index that was tried: \
             no chain is that long, so this is probably not the latest block",
            block.index
        ));
    }
    Ok(block)
}

/// A block for output.
#[derive(Serialize)]
pub(super) struct BlockView<'b> {
    index: &'b Integer,
    timestamp: TimestampMs,
    previous_hash: &'b PreviousHash,
    hash: Option<Hash256>,
    creator_wallet: Option<WalletAddress>,
    expected_miner: Option<WalletAddress>,
    status: Option<&'b Integer>,
    proof: Option<&'b Integer>,
    committee: &'b [WalletAddress],
    transactions: Option<&'b [BlockTransaction]>,
    receipts: Option<Vec<ReceiptView<'b>>>,
    /// Undocumented fields.
    extra: &'b Map<String, Value>,
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
    data: &'b ExactText<ReceiptData>,
    public_key: &'b str,
    signature: &'b str,
}

impl<'b> ReceiptView<'b> {
    fn of(receipt: &'b Receipt) -> Self {
        Self {
            data: &receipt.data,
            public_key: receipt.public_key.as_str(),
            signature: receipt.signature.as_str(),
        }
    }
}

impl<'b> BlockView<'b> {
    pub(super) fn of(block: &'b Block) -> Self {
        Self {
            index: &block.index,
            timestamp: block.timestamp,
            previous_hash: &block.previous_hash,
            hash: block.hash,
            creator_wallet: block.creator_wallet,
            expected_miner: block.expected_miner,
            status: block.status.as_ref(),
            proof: block.proof.as_ref(),
            committee: &block.committee,
            transactions: block.transactions().ok(),
            receipts: block
                .receipts()
                .ok()
                .map(|list| list.iter().map(ReceiptView::of).collect()),
            extra: &block.extra,
            breaks: None,
            block,
        }
    }

    /// Adds the result of the comparison with the previous block.
    pub(super) fn with_breaks(self, breaks: Vec<String>) -> Self {
        Self {
            breaks: Some(breaks),
            ..self
        }
    }

    /// Returns the block on one line, for lists of blocks.
    pub(super) fn line(&self) -> String {
        format!(
            "{}  {}  {} transactions  {} votes  {}\n",
            self.index,
            date_and_time(self.timestamp),
            written(self.transactions.map(<[_]>::len)),
            written(self.receipts.as_ref().map(Vec::len)),
            written(self.creator_wallet),
        )
    }

    pub(super) fn json(&self) -> Result<String, Failure> {
        json_line(self)
    }
}

impl CommandResult for BlockView<'_> {
    fn for_a_person(&self) -> String {
        let mut about = Columns::new();
        about.row(["block", &self.index.to_string()]);
        let (made, millis) = (date_and_time(self.timestamp), self.timestamp.as_millis());
        about.row(["made", &format!("{made} ({millis})")]);
        about.row(["previous hash", &self.previous_hash.to_string()]);
        if let Some(hash) = self.hash {
            about.row(["hash", &hash.to_string()]);
        }
        about.row(["creator", &written(self.creator_wallet)]);
        about.row(["expected miner", &written(self.expected_miner)]);
        about.row(["status", &written(self.status)]);
        about.row(["proof", &written(self.proof)]);
        about.row(["committee", &self.committee.len().to_string()]);
        for wallet in self.committee {
            about.row(["", &wallet.to_string()]);
        }
        about.row(["transactions", &written(self.transactions.map(<[_]>::len))]);
        about.row(["votes", &written(self.receipts.as_ref().map(Vec::len))]);
        let mut text = about.text();
        text.push_str(&transactions(self.transactions.unwrap_or_default()));
        text.push_str(&votes(self.block.receipts().unwrap_or_default()));
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
        let signers = call.as_ref().map(|call| {
            let signers: Vec<_> = call.signers.iter().map(ToString::to_string).collect();
            signers.join(" ")
        });
        columns.row([
            &view.trans_code.to_string(),
            &view.type_.to_string(),
            &format!("{} {}", view.fee, view.currency),
            call.as_ref().map_or("-", |call| &call.function),
            signers.as_deref().unwrap_or("-"),
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
        let vote = &receipt.data;
        columns.row([
            &vote.wallet_address.to_string(),
            &vote.vote.to_string(),
            &vote.block_index.to_string(),
            &vote.block_hash.to_string(),
        ]);
    }
    format!("\n{}", columns.text())
}
