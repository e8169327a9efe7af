//! A dapp: claims the assets of a CSV file, indexes the claims of the chain, checks the records, and pays
//! the owners. Kill it, or stop the node, at any time: started again, it pays for nothing twice.
//!
//! `cargo run -p integration-tests --example provenance -- http://localhost:8420 assets.csv folder`
//!
//! A line of the file has an asset, remarks, the wallet of its owner, and the tokens for the owner. It uses
//! the public test key and the contracts of a devnode with the seed 0.

#![expect(clippy::print_stdout, reason = "an example prints")]
#![expect(clippy::print_stderr, reason = "an example prints")]

use std::{
    collections::BTreeSet,
    env,
    error::Error,
    fs::{self, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
    time::Duration,
};

use nodeproof_claims::{Claim, ClaimOptions, SavedCall};
use nodeproof_client::{
    Client, ContractAddress, ContractCall, Fee, FollowOptions, Hash256, InclusionOptions,
    TokenDecimals, Transfer, WalletAddress,
};
use nodeproof_wallet::KeyPair;
use serde::{Deserialize, Serialize};

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// The key of alice. It is public.
const KEY: &str = "b4d386bbda044be10d3dc8519923e39edf3e871e534b727a7056a18de72f5f6c";
const CLAIMS: &str = "ct4067725761fa19365c94b555e18f5a911f649fa3";
const TOKENS: &str = "ct87ae5551c15d55001ce2bb86e4ef2de4cec76a38";
const TOKEN: &str = "GRAIN";
const DECIMALS: TokenDecimals = TokenDecimals::new(6);
/// The pause before the same work is tried again.
const PAUSE: Duration = Duration::from_millis(500);

/// A line of the CSV file.
struct Asset {
    id: String,
    remarks: String,
    owner: WalletAddress,
    tokens: String,
}

/// A line of the index.
#[derive(Serialize, Deserialize)]
struct IndexedBlock {
    block: u64,
    hash: Hash256,
    /// The assets that this dapp's wallet claimed in the block.
    assets: Vec<String>,
}

struct Dapp {
    node: Client,
    claims: ContractAddress,
    tokens: ContractAddress,
    fee: Fee,
    wallet: KeyPair,
    folder: PathBuf,
}

#[tokio::main]
async fn main() -> Outcome {
    let mut arguments = env::args().skip(1);
    let node = Client::new(arguments.next().ok_or("give the base URL of a node")?)?;
    let assets = read_csv(&arguments.next().ok_or("give a CSV file")?)?;
    let folder = PathBuf::from(arguments.next().ok_or("give a folder")?);
    for name in ["claims", "payments"] {
        fs::create_dir_all(folder.join(name))?;
    }
    let dapp = Dapp {
        node,
        claims: CLAIMS.parse()?,
        tokens: TOKENS.parse()?,
        fee: Fee::new(1_500_000.into(), "DEVN")?,
        wallet: KeyPair::from_hex(KEY)?,
        folder,
    };
    dapp.claim_all(&assets).await?;
    println!("claimed {}", assets.len());
    dapp.index(&assets).await?;
    println!("indexed {}", assets.len());
    for asset in &assets {
        dapp.check(asset).await?;
    }
    println!("checked {}", assets.len());
    for (line, asset) in assets.iter().enumerate() {
        dapp.pay(line, asset).await?;
    }
    println!("paid {}", assets.len());
    Ok(())
}

fn read_csv(path: &str) -> Outcome<Vec<Asset>> {
    let text = fs::read_to_string(path)?;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split(',').map(str::trim).collect();
            let [id, remarks, owner, tokens] = fields[..] else {
                return Err(format!("not four fields: {line:?}").into());
            };
            Ok(Asset {
                id: id.to_owned(),
                remarks: remarks.to_owned(),
                owner: owner.parse()?,
                tokens: tokens.to_owned(),
            })
        })
        .collect()
}

impl Dapp {
    /// Makes all claims, until each has a record.
    async fn claim_all(&self, assets: &[Asset]) -> Outcome {
        let claim = |asset: &Asset| Claim {
            remarks: asset.remarks.clone(),
            ..Claim::new(self.claims, &*asset.id, 2_500_000, self.fee.clone())
        };
        let claims: Vec<Claim> = assets.iter().map(claim).collect();
        let (options, folder) = (ClaimOptions::default(), self.folder.join("claims"));
        loop {
            let results =
                Claim::make_all(&claims, &self.node, &[&self.wallet], &options, &folder, 4).await;
            let mut is_done = true;
            for (asset, result) in assets.iter().zip(results) {
                match result {
                    Ok(outcome) => is_done &= outcome.record().is_some(),
                    Err(error) if error.same_record().is_some() => {}
                    Err(error) if error.is_retryable() => {
                        eprintln!("{}: {error}", asset.id);
                        is_done = false;
                    }
                    Err(error) => return Err(error.into()),
                }
            }
            if is_done {
                return Ok(());
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Writes one line for each block, until the index has all assets.
    async fn index(&self, assets: &[Asset]) -> Outcome {
        let path = self.folder.join("index.jsonl");
        let lines = complete_lines(&path)?;
        let mut missing: BTreeSet<&str> = assets.iter().map(|asset| &*asset.id).collect();
        for asset in lines.iter().flat_map(|line| &line.assets) {
            missing.remove(&**asset);
        }
        let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
        let mut blocks = self.node.follow_blocks(FollowOptions {
            start: Some(1),
            interval: PAUSE,
            after: lines.last().map(|last| (last.block, last.hash)),
            read_ahead: 8,
            retry_at_start: true,
            ..FollowOptions::default()
        });
        while !missing.is_empty() {
            let block = blocks.next().await.ok_or("the stream ended")??;
            let claims = block.claims(self.claims)?.into_iter().flatten();
            let own = claims.filter(|claim| claim.verifier == self.wallet.address());
            let line = IndexedBlock {
                block: block.index.as_u64().ok_or("the index is too large")?,
                hash: block.block_hash().ok_or("the block has no hash")?,
                assets: own.map(|claim| claim.params.asset_id).collect(),
            };
            for asset in &line.assets {
                missing.remove(&**asset);
            }
            file.write_all(format!("{}\n", serde_json::to_string(&line)?).as_bytes())?;
        }
        Ok(())
    }

    /// Compares a record with the file.
    async fn check(&self, asset: &Asset) -> Outcome {
        let record = self.node.verification(self.claims, &asset.id).await?;
        let record = record.ok_or_else(|| format!("{} has no record", asset.id))?;
        if record.verifier_address != self.wallet.address() || record.remarks != asset.remarks {
            return Err(format!("{} has another record", asset.id).into());
        }
        Ok(())
    }

    /// Pays the owner of an asset. The file's name is the number of the line.
    async fn pay(&self, line: usize, asset: &Asset) -> Outcome {
        let file = self.folder.join("payments").join(format!("{line}.json"));
        let transfer = Transfer::new(DECIMALS.parse(&asset.tokens)?, asset.owner, TOKEN);
        let wait = InclusionOptions {
            interval: PAUSE,
            ..InclusionOptions::default()
        };
        let transfer = ContractCall::of(self.tokens, &transfer)?;
        let call = SavedCall {
            wait,
            ..SavedCall::new(transfer, self.fee.clone(), file)
        };
        loop {
            match call.make(&self.node, &[&self.wallet]).await {
                Ok(outcome) if outcome.block().is_some() => return Ok(()),
                Ok(outcome) => eprintln!("{} is not in a block yet", outcome.trans_code()),
                Err(error) if error.is_retryable() => eprintln!("{}: {error}", asset.id),
                Err(error) => return Err(error.into()),
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
}

/// Returns the lines of the index. A crash can leave an incomplete line at the end, which is removed.
fn complete_lines(path: &Path) -> Outcome<Vec<IndexedBlock>> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        text => text?,
    };
    let complete = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
    if complete.len() < text.len() {
        fs::write(path, complete)?;
    }
    let lines = complete.lines().map(serde_json::from_str);
    Ok(lines.collect::<Result<_, _>>()?)
}
