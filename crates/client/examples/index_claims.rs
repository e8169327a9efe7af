//! Writes the claims of a chain to a file, and reads on where an earlier run ended.
//!
//! `cargo run -p nodeproof-client --example index_claims -- http://localhost:8420 ct… claims.jsonl [last block]`

#![expect(clippy::print_stderr, reason = "an example prints")]

use std::{
    env,
    error::Error,
    fs::{File, OpenOptions},
    io::{Read, Write},
};

use nodeproof_client::{
    AddVerification, Block, Client, FollowOptions,
    nodeproof_primitives::{ContractAddress, Hash256, TransactionCode, WalletAddress},
};
use nodeproof_wallet::{PublicKeyCache, verify_receipts};
use serde::{Deserialize, Serialize};

/// One line of the file.
#[derive(Serialize, Deserialize)]
struct IndexedBlock {
    block: u64,
    hash: Hash256,
    claims: Vec<IndexedClaim>,
}

#[derive(Serialize, Deserialize)]
struct IndexedClaim {
    transaction: TransactionCode,
    verifier: WalletAddress,
    claim: AddVerification,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let node = Client::new(arguments.next().ok_or("give the base URL of a node")?)?;
    let contract = arguments.next().ok_or("give the contract")?.parse()?;
    let path = arguments.next().ok_or("give the file of the index")?;
    let end: Option<u64> = arguments.next().map(|index| index.parse()).transpose()?;

    let (mut file, last) = open(&path)?;
    if let (Some(last), Some(end)) = (&last, end)
        && last.block >= end
    {
        return Ok(());
    }
    let voters = PublicKeyCache::default();
    let mut blocks = node.follow_blocks(FollowOptions {
        start: Some(1),
        after: last.map(|last| (last.block, last.hash)),
        read_ahead: 8,
        retry_at_start: true,
        ..FollowOptions::default()
    });
    while let Some(block) = blocks.next().await {
        let indexed = index(&block?, contract, &voters)?;
        let line = serde_json::to_string(&indexed)?;
        file.write_all(format!("{line}\n").as_bytes())?;
        if end.is_some_and(|end| indexed.block >= end) {
            break;
        }
    }
    Ok(())
}

/// Opens the file. Also returns its last block.
fn open(path: &str) -> Result<(File, Option<IndexedBlock>), Box<dyn Error>> {
    let mut options = OpenOptions::new();
    let mut file = options.create(true).read(true).append(true).open(path)?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    // A crash can leave an incomplete line at the end.
    let complete = text.rfind('\n').map_or(0, |end| end + 1);
    file.set_len(u64::try_from(complete)?)?;
    let last = text[..complete].lines().last();
    Ok((file, last.map(serde_json::from_str).transpose()?))
}

fn index(
    block: &Block,
    contract: ContractAddress,
    voters: &PublicKeyCache,
) -> Result<IndexedBlock, Box<dyn Error>> {
    for result in verify_receipts(block.all_receipts()?, voters) {
        if let Err(error) = result {
            eprintln!("a receipt in block {} is not valid: {error}", block.index);
        }
    }
    let mut claims = Vec::new();
    for claim in block.claims(contract)? {
        match claim {
            Ok(claim) => claims.push(IndexedClaim {
                transaction: claim.trans_code,
                verifier: claim.verifier(),
                claim: claim.params,
            }),
            // Anyone can submit a claim in another form.
            Err(error) => eprintln!("{error}"),
        }
    }
    Ok(IndexedBlock {
        block: block.index.as_u64().ok_or("the index is too large")?,
        hash: block.block_hash().ok_or("the block has no hash")?,
        claims,
    })
}
