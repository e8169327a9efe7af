//! Claims of many wallets about a few assets, alone and together, on networks whose tokens have no value.

use std::collections::BTreeSet;

use nodeproof_primitives::Signer as _;
use nodeproof_wallet::KeyPair;
use serde_json::json;

use super::{
    around_claim::{entries_of, signed_by_all, with_more_fee, with_new_code},
    claim_step::Taken,
    claim_values::own_type,
    draft::{code_of, unique},
    edit::altered,
    signatures::{in_the_name_of, signed_over},
    signing::SigningWallet,
    submitter::Submitter,
    transfers::{Transfers, batch_of},
    waiting::{later_blocks, read_missing_blocks, wait_for_text},
};
use crate::{
    api::{contract_state_request, is_valid},
    history::OF_MANY,
    http::{Act, Request, Step},
};

/// Number of wallets that no chain knows. The first one has nothing at the beginning, and gets the fees of two claims later. The
/// last one has the fees of two claims.
const GUESTS: usize = 5;
const POOR: usize = 0;
const LAST: usize = GUESTS - 1;
/// The number of a claim whose record may be deleted at once.
const OF_PAST: u8 = 3;
/// Number of fees that the others get.
const FEES: i64 = 8;
/// What the last one gets beside two fees.
const REST: i64 = 400;
/// What is added to the first fee. It is more than what other claims add.
const MORE: u8 = 60;

/// The claims that follow those of all wallets about the first asset: their signers, of which the first is the verifier, the
/// number of the asset, and whether they are in a batch. The first one costs the last wallet a part of a fee.
const LATER: [(&[usize], u8, bool); 5] = [
    (&[LAST, 3, 1], 2, false),
    (&[1, 2, 3], 2, true),
    (&[2, 1], 2, true),
    (&[3], 3, false),
    (&[2], 4, false),
];

/// A signed claim.
struct Signed {
    number: u8,
    asset: String,
    asset_type: String,
    verifier: String,
    text: String,
    request: Request,
    is_in_batch: bool,
}

/// Makes claims like an accepted one for many wallets. First come claims of all of them about one asset, at the same moment, and
/// the claim of a wallet that has nothing yet. Then follow some that several of them sign. What a node refused is submitted
/// once more when the others are in a block.
pub(super) async fn claim_as_many(transfers: &Transfers<'_>, accepted: &str) -> Taken<()> {
    let (submitter, token) = (transfers.submitter, transfers.token);
    let (wallet, fee) = (transfers.wallet, transfers.fee);
    let Some(guests) = generate().filter(|_| fee > 0) else {
        return Ok(());
    };
    let crowd = Crowd {
        transfers,
        accepted,
        run: unique(),
    };
    for guest in &guests {
        transfers.balance(guest.address(), token).await?;
    }
    let of_poor = crowd.sign(&[&guests[POOR]], 0, 0).await?;
    submitter.submit_serialized(of_poor.request.clone()).await?;
    let amount = |number: usize| match number {
        LAST => 2 * fee + REST,
        _ => FEES * fee,
    };
    let gift = |number: usize| (wallet, guests[number].address(), amount(number), token);
    let gifts: Vec<_> = (1..GUESTS).map(gift).collect();
    if transfers.give(token, &gifts).await?.len() < gifts.len() {
        return Ok(());
    }
    for (_, guest, amount, _) in gifts {
        if !transfers.has_received(guest, amount).await? {
            return Ok(());
        }
    }
    let mut claims = Vec::new();
    let known = [wallet].into_iter().chain(&submitter.with.co_signer);
    for (number, one) in (1..).zip(known.chain(&guests[1..])) {
        claims.push(crowd.sign(&[one], 1, number).await?);
    }
    crowd.submit(&claims).await;
    crowd.submit_refused(&guests[3], &claims).await?;
    let all: Vec<_> = guests[1..].iter().collect();
    crowd.submit_forged(&all).await?;
    crowd.settle(&claims).await?;
    let next = claims.len() as u8 + 1;
    // The fees of its two claims, and no unit more.
    let of_both = 2 * (fee + i64::from(MORE)) + next as i64;
    let poor = guests[POOR].address();
    transfers
        .give(token, &[(wallet, poor, of_both, token)])
        .await?;
    transfers.has_received(poor, of_both).await?;
    let is_left_out = crowd.claim_again(&guests[LAST], next - 1, fee).await?;
    let mut later = vec![crowd.sign(&[&guests[POOR]], 1, next).await?];
    for (signers, asset, is_in_batch) in LATER.into_iter().skip(is_left_out.into()) {
        let signers: Vec<_> = signers.iter().map(|at| &guests[*at]).collect();
        let number = next + later.len() as u8;
        let signed = crowd.sign(&signers, asset, number).await?;
        later.push(Signed {
            is_in_batch,
            ..signed
        });
    }
    later.push(of_poor);
    crowd.submit(&later).await;
    crowd.submit_refused(&guests[3], &later).await?;
    claims.extend(later);
    crowd.settle(&claims).await?;
    // A claim must have a record two blocks later.
    later_blocks(submitter).await?;
    read_missing_blocks(submitter).await?;
    crowd.read(&claims).await?;
    for guest in &guests {
        transfers.balance(guest.address(), token).await?;
    }
    submit_oldest(submitter).await
}

/// Submits the first accepted transfer of the run again. A node may have forgotten its code.
async fn submit_oldest(submitter: &Submitter) -> Taken<()> {
    let history = submitter.samples.history();
    let mut transfers = history
        .accepted()
        .filter(|(entry, transaction)| entry.submissions().len() == 1 && transaction.is_transfer());
    if let Some((entry, _)) = transfers.next() {
        let again = entry.exchange.request.clone();
        submitter.submit_serialized(again).await?;
    }
    Ok(())
}

/// Returns new wallets. The address of one of them begins with a zero byte, which a program may lose.
fn generate() -> Option<Vec<SigningWallet>> {
    let mut guests = Vec::new();
    while guests.len() < GUESTS {
        let keys = KeyPair::generate().ok()?;
        let begins_with_zero = keys.wallet_address().to_string().starts_with("0x00");
        if guests.len() != 2 || begins_with_zero {
            guests.push(SigningWallet::from(keys));
        }
    }
    Some(guests)
}

/// What the claims have in common.
struct Crowd<'c> {
    transfers: &'c Transfers<'c>,
    /// A transaction that the node has accepted.
    accepted: &'c str,
    run: u128,
}

impl Crowd<'_> {
    fn submitter(&self) -> &Submitter {
        self.transfers.submitter
    }

    /// Returns the asset with this number. Some begin or end with a character of four bytes, one looks like an address in
    /// capitals, one is a number, and the last one is an asset that has a record already.
    fn asset(&self, number: u8) -> String {
        let run = self.run;
        let known = self.submitter().samples.discovered.assets.last();
        match (number, known) {
            (0, _) => format!("\u{1f600} {run:x}"),
            (1, _) => format!("0xAB{run:038X}"),
            (2, _) => format!("{run:x} \u{1d11e}"),
            (4, Some((_, asset))) => asset.clone(),
            (3, _) => format!("1{run}"),
            (number, _) => format!("{number} of {run:x}"),
        }
    }

    /// Writes a claim about an asset, and signs it.
    async fn sign(&self, signers: &[&SigningWallet], asset: u8, number: u8) -> Taken<Signed> {
        let asset_type = own_type(OF_MANY + number, self.run);
        let asset = self.asset(asset);
        let text = self.text(signers, [&asset, &asset_type], number)?;
        let request = signed_by_all(self.submitter(), signers, &text).await?;
        Ok(Signed {
            number,
            asset,
            asset_type,
            verifier: signers[0].address().to_string(),
            text,
            request,
            is_in_batch: false,
        })
    }

    /// Claims the first asset once more. If a node refuses that, what is left still pays a part of a fee, and the claim is not
    /// known. Returns whether the wallet can pay no such part.
    async fn claim_again(&self, wallet: &SigningWallet, number: u8, fee: i64) -> Taken<bool> {
        let (transfers, submitter) = (self.transfers, self.submitter());
        let again = self.sign(&[wallet], 1, number).await?.request;
        let mut is_made = is_valid(&*submitter.submit_serialized(again.clone()).await?);
        if !is_made {
            is_made = is_valid(&*submitter.submit_serialized(again).await?);
        }
        let left = transfers.balance(wallet.address(), transfers.token).await?;
        Ok(is_made || left < fee.into())
    }

    /// Submits a claim of many signers, the last of whom has the signature of the first.
    async fn submit_forged(&self, signers: &[&SigningWallet]) -> Taken<()> {
        let text = self.text(signers, [&self.asset(9), "house"], 0)?;
        let mut entries = entries_of(self.submitter(), signers, &text).await?;
        if let (Some(last), Some(signature)) = (signers.last(), entries.first().cloned()) {
            entries.pop();
            entries.push(in_the_name_of(last.address(), signature));
        }
        let request = signed_over(&text, &text, &entries).carrying_signature();
        let request = request.wrongly_signed("a claim of four whose last signature is wrong");
        self.submitter().submit_serialized(request).await.map(drop)
    }

    /// Writes a claim about an asset of a type.
    fn text(
        &self,
        signers: &[&SigningWallet],
        [asset, asset_type]: [&str; 2],
        number: u8,
    ) -> Taken<String> {
        let wallets: Vec<_> = signers.iter().map(|wallet| wallet.address()).collect();
        let text = with_more_fee(&with_new_code(self.accepted)?, (MORE + number).into())?;
        altered(&text, |transaction| {
            transaction["timestamp"] = json!(unique() / 1_000_000);
            let call = &mut transaction["specific_data"];
            call["signers"] = json!(wallets);
            let params = &mut call["params"];
            params["verifier_address"] = json!(wallets[0]);
            params["asset_id"] = json!(asset);
            params["asset_type"] = json!(asset_type);
            params["outcome"] = json!(number % 3);
            // What a node deletes must not take the records of others with it.
            if number == OF_PAST {
                params["deletable_after"] = json!(5);
            }
            // A program may write it in another way.
            params["doc_link_list"] = json!([format!("IPFS://Example.ORG:443/a/../{number}?")]);
        })
    }

    /// Returns the request that submits a claim, as a step of the run.
    fn step(claim: &Signed) -> Request {
        let step = Step::Claim(OF_MANY + claim.number, Act::Submit);
        claim.request.clone().for_step(step)
    }

    /// Submits claims at the same moment, some of them in a batch.
    async fn submit(&self, claims: &[Signed]) {
        let alone = claims.iter().filter(|claim| !claim.is_in_batch);
        let mut requests: Vec<_> = alone.map(Self::step).collect();
        let in_batch = claims.iter().filter(|claim| claim.is_in_batch);
        let in_batch: Vec<_> = in_batch.map(|claim| &claim.request).collect();
        if !in_batch.is_empty() {
            requests.push(batch_of(&in_batch));
        }
        self.submitter().submit_at_once(requests).await;
    }

    /// Submits, while claims are pending, what a wallet can't pay, and its claim once more with a higher fee. Neither must put its
    /// pending claim aside.
    async fn submit_refused(&self, wallet: &SigningWallet, claims: &[Signed]) -> Taken<()> {
        let address = wallet.address().to_string();
        let Some(pending) = claims.iter().find(|claim| claim.verifier == address) else {
            return Ok(());
        };
        let other_asset = altered(&pending.text, |transaction| {
            transaction["specific_data"]["params"]["asset_id"] = json!(self.asset(9));
        })?;
        for (text, more) in [(&other_asset, 1 << 50), (&pending.text, 5)] {
            let text = with_more_fee(&with_new_code(text)?, more)?;
            let request = signed_by_all(self.submitter(), &[wallet], &text).await?;
            self.submitter().submit_serialized(request).await?;
        }
        Ok(())
    }

    /// Waits for claims, submits those once more that are not accepted yet, or only in a batch, and reads all.
    async fn settle(&self, claims: &[Signed]) -> Taken<()> {
        let submitter = self.submitter();
        let history = submitter.samples.history();
        let codes = history.accepted().filter_map(|(_, one)| one.code());
        let codes: BTreeSet<_> = codes.collect();
        let is_accepted = |claim: &&Signed| codes.contains(&*code_of(&claim.text));
        if let Some(accepted) = claims.iter().rev().find(is_accepted) {
            wait_for_text(
                submitter,
                accepted.request.body.as_deref().unwrap_or_default(),
            )
            .await;
        }
        for claim in claims
            .iter()
            .filter(|claim| claim.is_in_batch || !is_accepted(claim))
        {
            let again = submitter.submit_serialized(Self::step(claim)).await?;
            if is_valid(&again) {
                wait_for_text(submitter, claim.request.body.as_deref().unwrap_or_default()).await;
            }
        }
        self.read(claims).await
    }

    /// Requests the records of claims in three ways.
    async fn read(&self, claims: &[Signed]) -> Taken<()> {
        let contract = self.transfers.verification;
        let requests = claims.iter().flat_map(|claim| {
            let values = [
                ("asset_id", &claim.asset),
                ("asset_type", &claim.asset_type),
                ("verifier_address", &claim.verifier),
            ];
            values.map(|(column, value)| {
                let request = contract_state_request(contract, value);
                request.setting("unique_column", column.to_owned())
            })
        });
        let node = &self.submitter().samples.node;
        node.send_all(requests.collect()).await.map(drop)
    }
}
