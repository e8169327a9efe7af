//! Signs with a key that is on another machine: a co-signer that decides what it signs, and a service that
//! makes claims with it.
//!
//! ```text
//! cargo run -p integration-tests --example remote_signer -- serve 127.0.0.1:0 wallet.json
//! cargo run -p integration-tests --example remote_signer -- claim http://localhost:8420 ct… http://127.0.0.1:… asset file
//! ```
//!
//! A real co-signer also authenticates its callers, and uses TLS.

#![expect(clippy::print_stdout, reason = "an example prints")]

mod remote_wallet;

use std::{env, error::Error, sync::Arc};

use axum::{Router, body::Bytes, extract::State, http::StatusCode, routing};
use nodeproof_claims::{Claim, ClaimOptions};
use nodeproof_client::{AddVerification, Client, ContractFunction, Fee, Integer, Transaction};
use nodeproof_wallet::{KeyFile, KeyPair};

use remote_wallet::RemoteWallet;

/// The highest fee that the co-signer signs for, in base units.
const MAX_FEE: i128 = 2_000_000;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let mut next = |what: &str| arguments.next().ok_or(format!("{what} is missing"));
    match &*next("serve or claim")? {
        "serve" => serve(&next("an address")?, &next("a key file")?).await,
        _ => {
            let (node, contract) = (Client::new(next("a node")?)?, next("a contract")?.parse()?);
            let wallet = RemoteWallet::connect(next("the signer's URL")?).await?;
            let (asset, file) = (next("an asset")?, next("a file")?);
            let claim = Claim::new(contract, asset, 99, Fee::new(1_500_000.into(), "DEVN")?);
            let made = claim.make(&node, &[&wallet], file, &ClaimOptions::default());
            match made.await {
                Ok(outcome) => println!("recorded: {}", outcome.record().is_some()),
                // The signer's owner, or its machine.
                Err(error) => match error.signer_error() {
                    Some((wallet, error)) => println!("{wallet}: {error}"),
                    None => return Err(error.into()),
                },
            }
            Ok(())
        }
    }
}

/// Serves a wallet: GET returns its address, and POST signs the message in its body.
async fn serve(address: &str, key_file: &str) -> Result<(), Box<dyn Error>> {
    let wallet = Arc::new(KeyFile::read(key_file)?.key_pair(None)?);
    let router = Router::new()
        .route("/", routing::get(show).post(sign))
        .with_state(wallet);
    let listener = tokio::net::TcpListener::bind(address).await?;
    println!("http://{}", listener.local_addr()?);
    Ok(axum::serve(listener, router).await?)
}

async fn show(State(wallet): State<Arc<KeyPair>>) -> String {
    wallet.address().to_string()
}

async fn sign(State(wallet): State<Arc<KeyPair>>, message: Bytes) -> (StatusCode, String) {
    match allowed(&message) {
        Ok(what) => println!("signed: {what}"),
        Err(reason) => return (StatusCode::FORBIDDEN, reason),
    }
    (StatusCode::OK, wallet.sign(&message).to_string())
}

/// Returns the description of a message, if this co-signer signs it.
fn allowed(message: &[u8]) -> Result<String, String> {
    let transaction = Transaction::from_message(message).map_err(|error| error.to_string())?;
    let call = transaction
        .contract_call()
        .map_err(|error| error.to_string())?;
    let fee: Integer = transaction
        .fee
        .as_str()
        .parse()
        .map_err(|_| "a fee in parts".to_owned())?;
    if call.function != AddVerification::NAME {
        return Err(format!("only claims, and this calls {:?}", call.function));
    }
    if fee > MAX_FEE {
        return Err(format!("the fee {fee} is above {MAX_FEE}"));
    }
    let claim: AddVerification = call.params.decode().map_err(|error| error.to_string())?;
    Ok(format!(
        "a claim about {:?} for {fee} {}",
        claim.asset_id, transaction.currency
    ))
}
