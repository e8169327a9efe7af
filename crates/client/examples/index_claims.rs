//! Writes the claims and payments of a chain to an SQLite database, and reads on where an earlier run ended.
//!
//! `cargo run -p nodeproof-client --example index_claims -- http://localhost:8420 ct… claims.db [last block]`

#![expect(clippy::print_stderr, reason = "an example prints")]

use std::{env, error::Error};

use nodeproof_client::{
    Block, Client, ContractAddress, ContractFunction, FollowOptions, Hash256, TransactionCode,
    Transfer,
};
use nodeproof_wallet::{PublicKeyCache, verify_receipts};
use rusqlite::{Connection, OptionalExtension};

const TABLES: &str = "
    create table if not exists block (height integer primary key, hash text not null) strict;
    create table if not exists claim (
        trans_code text primary key,
        height integer not null references block,
        asset_id text not null,
        verifier text not null,
        params text not null
    ) strict;
    create index if not exists claims_of_asset on claim (asset_id);
    create table if not exists payment (
        trans_code text primary key,
        height integer not null references block,
        contract text not null,
        payer text not null,
        receiver text not null,
        token text not null,
        amount text not null
    ) strict;
    create index if not exists payments_of_wallet on payment (payer);";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let node = Client::new(arguments.next().ok_or("give the base URL of a node")?)?;
    let contract = arguments.next().ok_or("give the contract")?.parse()?;
    let path = arguments.next().ok_or("give the file of the database")?;
    let end: Option<u64> = arguments.next().map(|index| index.parse()).transpose()?;

    let mut index = Connection::open(path)?;
    index.execute_batch(TABLES)?;
    let last = last_block(&index)?;
    if let (Some((height, _)), Some(end)) = (last, end)
        && height >= end
    {
        return Ok(());
    }
    let voters = PublicKeyCache::default();
    let mut blocks = node.follow_blocks(FollowOptions {
        start: Some(1),
        after: last,
        read_ahead: 8,
        retry_at_start: true,
        ..FollowOptions::default()
    });
    while let Some(block) = blocks.next().await {
        let height = add(&mut index, &block?, contract, &voters)?;
        if end.is_some_and(|end| height >= end) {
            break;
        }
    }
    Ok(())
}

/// Returns the index and the hash of the last block in the database.
fn last_block(index: &Connection) -> Result<Option<(u64, Hash256)>, Box<dyn Error>> {
    let sql = "select height, hash from block order by height desc limit 1";
    let row = index.query_row(sql, [], |row| {
        Ok((row.get::<_, i64>("height")?, row.get::<_, String>("hash")?))
    });
    let row = row.optional()?;
    row.map(|(height, hash)| Ok((u64::try_from(height)?, hash.parse()?)))
        .transpose()
}

/// Adds a block with its claims and payments, and returns its index. After a crash, all of a block is there, or nothing.
fn add(
    index: &mut Connection,
    block: &Block,
    contract: ContractAddress,
    voters: &PublicKeyCache,
) -> Result<u64, Box<dyn Error>> {
    for result in verify_receipts(block.receipts()?, voters) {
        if let Err(error) = result {
            eprintln!("a receipt in block {} is not valid: {error}", block.index);
        }
    }
    let height = block.index.as_u64().ok_or("the index is too large")?;
    let hash = block.block_hash().ok_or("the block has no hash")?;
    let changes = index.transaction()?;
    let row = (i64::try_from(height)?, hash.to_string());
    changes.execute("insert into block values (?1, ?2)", row)?;
    for claim in block.claims(contract)? {
        match claim {
            Ok(claim) => {
                let row = (
                    claim.trans_code.to_string(),
                    i64::try_from(height)?,
                    &claim.params.asset_id,
                    claim.verifier.to_string(),
                    serde_json::to_string(&claim.params)?,
                );
                let sql = "insert or ignore into claim values (?1, ?2, ?3, ?4, ?5)";
                warn_if_known(changes.execute(sql, row)?, height, claim.trans_code);
            }
            // Anyone can submit a claim in another form.
            Err(error) => eprintln!("{error}"),
        }
    }
    for entry in block.transactions()? {
        let Ok(Some(call)) = entry.contract_call() else {
            continue;
        };
        if call.function == Transfer::NAME
            && let (Some(code), Some(payer)) = (entry.trans_code(), call.signers.first())
            && let Ok(transfer) = call.params.decode::<Transfer>()
        {
            let row = (
                code.to_string(),
                i64::try_from(height)?,
                call.address.to_string(),
                payer.to_string(),
                transfer.receiver.to_string(),
                &transfer.asset_code,
                transfer.amount_to_send.to_string(),
            );
            let sql = "insert or ignore into payment values (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
            warn_if_known(changes.execute(sql, row)?, height, code);
        }
    }
    changes.commit()?;
    Ok(height)
}

/// Reports a transaction that the chain lists twice. The first one stays in the index.
fn warn_if_known(added: usize, height: u64, code: TransactionCode) {
    if added == 0 {
        eprintln!("block {height} lists the transaction {code} once more");
    }
}
