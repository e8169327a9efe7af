//! A small dapp and its tests, built only with our crates. Sellers make claims about what they weighed,
//! buyers pay sellers that they trust, and an auditor follows the blocks.

use std::{error::Error as StdError, path::Path, time::Duration};

use integration_tests::restart;
use nodeproof_claims::{Claim, ClaimError, ClaimOptions};
use nodeproof_client::{
    Client, FollowOptions, InclusionOptions, SubmitError, Transfer,
    contract_call::Fee,
    nodeproof_primitives::{ContractAddress, ParseTokensError, TokenDecimals, TransactionCode},
};
use nodeproof_devnode::{BlockTime, Config, Handle};
use nodeproof_primitives::Integer;
use nodeproof_wallet::{KeyPair, verify_signed};

type TestResult<T = ()> = Result<T, Box<dyn StdError>>;
/// A transaction, and its block if it is in one.
type Place = (TransactionCode, Option<u64>);

const TOKEN: &str = "GRAIN";
/// The key of a wallet without any trust.
const STRANGER: &str = "0101010101010101010101010101010101010101010101010101010101010101";
const DECIMALS: TokenDecimals = TokenDecimals::new(3);

struct Dapp {
    node: Client,
    claims: ContractAddress,
    tokens: ContractAddress,
    fee: Fee,
    wallet: KeyPair,
}

impl Dapp {
    /// Makes a claim about a weighed asset. Returns the transaction and its block.
    async fn claim(&self, asset: &str, remarks: &str, folder: &Path) -> Result<Place, ClaimError> {
        let claim = Claim::new(self.claims, asset, 2_500_000, self.fee.clone()).remarks(remarks);
        let file = folder.join(format!("{asset}.claim.json"));
        let options = ClaimOptions::default();
        let outcome = claim
            .make(&self.node, &[&self.wallet], file, &options)
            .await?;
        let block = outcome.record().and(outcome.inclusion.as_ref());
        Ok((outcome.trans_code(), block.map(|included| included.block)))
    }

    /// Pays for an asset if this wallet trusts the seller who made the claim. Returns the transaction and
    /// the new balance of the seller, or `None` if nothing was paid.
    async fn pay(&self, asset: &str, tokens: &str) -> TestResult<Option<(Place, String)>> {
        let Some(record) = self.node.verification(self.claims, asset).await? else {
            return Ok(None);
        };
        let seller = record.verifier_address;
        let trust = self.node.trust_score(self.wallet.address(), seller).await?;
        let Some(trust) = trust else { return Ok(None) };
        if trust.trust_score < 1 {
            return Ok(None);
        }
        let transfer = Transfer::new(DECIMALS.parse(tokens)?, seller, TOKEN);
        let wallet = &[&self.wallet as _];
        let accepted = self.node.call(self.tokens, &transfer, &self.fee, wallet);
        let code = accepted.await?.trans_code();
        let options = InclusionOptions::default();
        let included = self.node.wait_for_inclusion(code, &options).await?;
        let held = self.node.token_balance(TOKEN, seller).await?;
        let held = DECIMALS.format(held.unwrap_or_default());
        Ok(Some((
            (code, included.map(|included| included.block)),
            held,
        )))
    }
}

/// Verifies each transaction from a block on. Returns the first `count` of them with their blocks.
async fn audit(node: &Client, first: u64, count: usize) -> TestResult<Vec<Place>> {
    let mut blocks = node.follow_blocks(FollowOptions {
        start: Some(first),
        interval: Duration::from_millis(20),
        ..FollowOptions::default()
    });
    let mut found = Vec::new();
    while found.len() < count {
        let block = blocks.next().await.ok_or("the stream ended")??;
        for entry in block.transactions().ok_or("a row")? {
            verify_signed(entry.text())?;
            let code = entry.trans_code().ok_or("no code")?;
            found.push((code, block.index.as_u64()));
        }
    }
    Ok(found)
}

fn dapp(devnode: &Handle, wallet: &str) -> TestResult<Dapp> {
    Ok(Dapp {
        node: Client::new(devnode.base_url())?,
        claims: devnode.contract_address(),
        tokens: devnode.token_contract_address(),
        fee: Fee::new(1_500_000.into(), devnode.native_token())?,
        wallet: devnode.wallet(wallet).ok_or("no wallet")?.keys().clone(),
    })
}

async fn start() -> TestResult<Handle> {
    let config = Config::for_tests().with_block_time(BlockTime::OnSubmission);
    let config = config.with_funded(KeyPair::from_hex(STRANGER)?.address());
    Ok(restart::start(config).await)
}

#[tokio::test]
async fn a_seller_claims_a_buyer_pays_and_an_auditor_sees_both() -> TestResult {
    let (devnode, folder) = (start().await?, tempfile::tempdir()?);
    let (seller, buyer) = (dapp(&devnode, "alice")?, dapp(&devnode, "bob")?);
    let height = seller.node.check_node().await?.ok_or("no block")?;
    let (node, address) = (&seller.node, seller.wallet.address());
    let held = async || node.token_balance(TOKEN, address).await;
    let before = held().await?.unwrap_or_default();
    let work = async {
        let claimed = seller.claim("lot-7", "20 t", folder.path()).await?;
        let paid = buyer.pay("lot-7", "1.25").await?.ok_or("not paid")?;
        Ok::<_, Box<dyn StdError>>((claimed, paid))
    };
    let (audited, done) = tokio::join!(audit(&buyer.node, height + 1, 2), work);
    let (claimed, (paid, shown)) = done?;
    assert_eq!((claimed.1, paid.1), (Some(height + 1), Some(height + 2)));
    assert_eq!(audited?, [claimed, paid]);
    let after = Integer::from(before.get() + 1_250);
    assert_eq!(shown, DECIMALS.format(after));
    assert_eq!(held().await?, Some(after));
    Ok(())
}

#[tokio::test]
async fn what_is_not_there_is_none_and_each_failure_has_its_own_error() -> TestResult {
    let (devnode, folder) = (start().await?, tempfile::tempdir()?);
    let (seller, buyer) = (dapp(&devnode, "alice")?, dapp(&devnode, "bob")?);
    assert_eq!(buyer.pay("not-claimed", "1").await?, None);
    let mut stranger = dapp(&devnode, "carol")?;
    stranger.wallet = KeyPair::from_hex(STRANGER)?;
    stranger.claim("lot-8", "8 t", folder.path()).await?;
    assert_eq!(buyer.pay("lot-8", "1").await?, None);
    seller.claim("lot-7", "20 t", folder.path()).await?;
    let other = tempfile::tempdir()?;
    let again = seller.claim("lot-7", "21 t", other.path()).await;
    let is_recorded = matches!(again, Err(ClaimError::AlreadyRecorded { .. }));
    assert!(is_recorded, "{again:?}");
    let refused = buyer.pay("lot-7", "999999999999").await.unwrap_err();
    assert!(refused.is::<SubmitError>(), "{refused}");
    let malformed = buyer.pay("lot-7", "1,5").await.unwrap_err();
    assert!(malformed.is::<ParseTokensError>(), "{malformed}");
    restart::stop(devnode).await;
    let gone = buyer.pay("lot-7", "1").await.unwrap_err();
    let gone = gone.downcast_ref::<nodeproof_client::Error>();
    assert!(gone.is_some_and(nodeproof_client::Error::is_connect));
    Ok(())
}
