//! A dapp: claims the assets of a CSV file, indexes the claims of the chain, checks the records, pays the
//! owners, and refunds the buyers of recalled assets. A co-signer on another machine signs each claim, too.
//! Kill it, stop the node, or replace the chain, at any time: started again, it pays for nothing twice.
//!
//! ```text
//! cargo run -p integration-tests --example remote_signer -- serve 127.0.0.1:9000 wallet.json
//! cargo run -p integration-tests --example provenance -- http://localhost:8420 http://127.0.0.1:9000 \
//!     assets.csv recalled.csv folder
//! ```
//!
//! A line of `assets.csv` has an asset, remarks, the wallet of its owner, and the tokens for the owner. A line
//! of `recalled.csv` has an asset, the wallet of a buyer, and the tokens for the buyer. It uses the public
//! test key and the contracts of a devnode with the seed 0.

#![expect(clippy::print_stdout, reason = "an example prints")]
#![expect(clippy::print_stderr, reason = "an example prints")]

mod remote_wallet;

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
    Client, ContractAddress, ContractCall, ErrorKind, Fee, FollowOptions, Hash256,
    InclusionOptions, Signer, TokenDecimals, Transfer, WalletAddress,
};
use nodeproof_wallet::KeyPair;
use serde::{Deserialize, Serialize};

use remote_wallet::RemoteWallet;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// The key of alice. It is public.
const KEY: &str = "b4d386bbda044be10d3dc8519923e39edf3e871e534b727a7056a18de72f5f6c";
const CLAIMS: &str = "ct4067725761fa19365c94b555e18f5a911f649fa3";
const TOKENS: &str = "ct87ae5551c15d55001ce2bb86e4ef2de4cec76a38";
const TOKEN: &str = "GRAIN";
const DECIMALS: TokenDecimals = TokenDecimals::new(6);
/// The pause before the same work is tried again.
const PAUSE: Duration = Duration::from_millis(200);

/// A line of `assets.csv`.
struct Asset {
    id: String,
    remarks: String,
    owner: WalletAddress,
    tokens: String,
}

/// A line of `recalled.csv`.
struct Refund {
    asset: String,
    buyer: WalletAddress,
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
    co_signer: RemoteWallet,
    folder: PathBuf,
}

#[tokio::main]
async fn main() -> Outcome {
    let mut arguments = env::args().skip(1);
    let mut next = |what: &str| arguments.next().ok_or(format!("give {what}"));
    let node = Client::new(next("the base URL of a node")?)?;
    let co_signer = RemoteWallet::connect(next("the URL of the co-signer")?).await?;
    let asset = |[id, remarks, owner, tokens]: [String; 4]| -> Outcome<_> {
        let owner = owner.parse()?;
        Ok(Asset {
            id,
            remarks,
            owner,
            tokens,
        })
    };
    let assets = read_csv(&next("the file of assets")?, asset)?;
    let refund = |[asset, buyer, tokens]: [String; 3]| -> Outcome<_> {
        let buyer = buyer.parse()?;
        Ok(Refund {
            asset,
            buyer,
            tokens,
        })
    };
    let refunds = read_csv(&next("the file of recalled assets")?, refund)?;
    let folder = PathBuf::from(next("a folder")?);
    for name in ["claims", "payments", "refunds"] {
        fs::create_dir_all(folder.join(name))?;
    }
    let dapp = Dapp {
        node,
        claims: CLAIMS.parse()?,
        tokens: TOKENS.parse()?,
        fee: Fee::new(1_500_000.into(), "DEVN")?,
        wallet: KeyPair::from_hex(KEY)?,
        co_signer,
        folder,
    };
    loop {
        let result = dapp.work(&assets, &refunds).await;
        let Some(error) = result.as_ref().err().filter(|error| is_replaced(&***error)) else {
            return result;
        };
        eprintln!("the index is read again: {error}");
        fs::remove_file(dapp.index_file())?;
    }
}

/// Returns whether the node has another chain than the one that was indexed.
fn is_replaced(error: &(dyn Error + 'static)) -> bool {
    let error = error.downcast_ref::<nodeproof_client::Error>();
    error.is_some_and(|error| error.kind() == ErrorKind::ChainReplaced)
}

fn read_csv<const N: usize, T>(
    path: &str,
    read: impl Fn([String; N]) -> Outcome<T>,
) -> Outcome<Vec<T>> {
    let text = fs::read_to_string(path)?;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| {
            let fields = line.split(',').map(|field| field.trim().to_owned());
            let fields: Vec<String> = fields.collect();
            let fields = fields.try_into();
            read(fields.map_err(|_| format!("not {N} fields: {line:?}"))?)
        })
        .collect()
}

impl Dapp {
    /// Does all that is left to do. With the same files, what is done already is not done again.
    async fn work(&self, assets: &[Asset], refunds: &[Refund]) -> Outcome {
        self.claim_all(assets).await?;
        println!("claimed {}", assets.len());
        self.index(assets).await?;
        println!("indexed {}", assets.len());
        for asset in assets {
            self.check(asset).await?;
        }
        println!("checked {}", assets.len());
        for (line, asset) in assets.iter().enumerate() {
            let file = format!("payments/{line}.json");
            self.pay(&file, asset.owner, &asset.tokens).await?;
        }
        println!("paid {}", assets.len());
        for (line, refund) in refunds.iter().enumerate() {
            if !assets.iter().any(|asset| asset.id == refund.asset) {
                return Err(format!("{:?} was never claimed", refund.asset).into());
            }
            let file = format!("refunds/{line}.json");
            self.pay(&file, refund.buyer, &refund.tokens).await?;
        }
        println!("refunded {}", refunds.len());
        Ok(())
    }

    /// Makes all claims, until each has a record.
    async fn claim_all(&self, assets: &[Asset]) -> Outcome {
        let claim = |asset: &Asset| Claim {
            remarks: asset.remarks.clone(),
            ..Claim::new(self.claims, &*asset.id, 2_500_000, self.fee.clone())
        };
        let claims: Vec<Claim> = assets.iter().map(claim).collect();
        let (options, folder) = (ClaimOptions::default(), self.folder.join("claims"));
        loop {
            let signers: [&dyn Signer; 2] = [&self.wallet, &self.co_signer];
            let results =
                Claim::make_all(&claims, &self.node, &signers, &options, &folder, 4).await;
            let mut is_done = true;
            for (asset, result) in assets.iter().zip(results) {
                match result {
                    Ok(outcome) => is_done &= outcome.record().is_some(),
                    Err(error) if error.same_record().is_some() => {}
                    Err(error) => {
                        // The co-signer can be started again. If it refuses, that is final.
                        let signer = error.signer_error();
                        let is_down = signer.is_some_and(|(_, signer)| !signer.is_refusal());
                        if !is_down && !error.is_retryable() {
                            return Err(error.into());
                        }
                        eprintln!("{}: {error}", asset.id);
                        is_done = false;
                    }
                }
            }
            if is_done {
                return Ok(());
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    fn index_file(&self) -> PathBuf {
        self.folder.join("index.jsonl")
    }

    /// Writes one line for each block, until the index has all assets. It reads at least one block, which
    /// shows whether the chain was replaced.
    async fn index(&self, assets: &[Asset]) -> Outcome {
        let path = self.index_file();
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
        loop {
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
            if missing.is_empty() {
                return Ok(());
            }
        }
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

    /// Pays tokens to a wallet. Each payment has its own file.
    async fn pay(&self, file: &str, receiver: WalletAddress, tokens: &str) -> Outcome {
        let transfer = Transfer::new(DECIMALS.parse(tokens)?, receiver, TOKEN);
        let wait = InclusionOptions {
            interval: PAUSE,
            ..InclusionOptions::default()
        };
        let transfer = ContractCall::of(self.tokens, &transfer)?;
        let call = SavedCall {
            wait,
            ..SavedCall::new(transfer, self.fee.clone(), self.folder.join(file))
        };
        loop {
            match call.make(&self.node, &[&self.wallet]).await {
                Ok(outcome) if outcome.block().is_some() => return Ok(()),
                Ok(outcome) => eprintln!("{} is not in a block yet", outcome.trans_code()),
                Err(error) if error.is_retryable() => eprintln!("{file}: {error}"),
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
