//! Pays a wallet in a token, once for each file, and prints the new balance.
//!
//! `cargo run -p nodeproof-claims --example pay_once -- http://localhost:8420 invoice-17.json [tokens]`
//!
//! It uses the public test key and the contract of a devnode with the seed 0. For another node,
//! change the constants, and read the key from a key file (`nodeproof_wallet::KeyFile`). If you run the
//! example again with the same file, it does not pay again.

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::{env, error::Error};

use nodeproof_claims::SavedCall;
use nodeproof_client::{Client, ContractCall, Fee, TokenDecimals, Transfer};
use nodeproof_wallet::KeyPair;

/// The key of alice. It is public.
const KEY: &str = "b4d386bbda044be10d3dc8519923e39edf3e871e534b727a7056a18de72f5f6c";
const TOKEN_CONTRACT: &str = "ct87ae5551c15d55001ce2bb86e4ef2de4cec76a38";
const TOKEN: &str = "GRAIN";
/// No node returns the decimals of a token.
const DECIMALS: TokenDecimals = TokenDecimals::new(6);
const BOB: &str = "0x38285bb39a5a310136f59be7b20ed056ea9c1d67";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let node = Client::new(arguments.next().ok_or("give the base URL of a node")?)?;
    let file = arguments.next().ok_or("give a file for this payment")?;
    let tokens = arguments.next().unwrap_or("1.25".to_owned());

    let (wallet, receiver) = (KeyPair::from_hex(KEY)?, BOB.parse()?);
    let transfer = Transfer::new(DECIMALS.parse(&tokens)?, receiver, TOKEN);
    let transfer = ContractCall::of(TOKEN_CONTRACT.parse()?, &transfer)?;
    let fee = Fee::new(1_500_000.into(), "DEVN")?;
    let call = SavedCall::new(transfer, fee, file);
    let outcome = call.make(&node, &[&wallet]).await?;
    let Some(block) = outcome.block() else {
        return Err(format!(
            "{} is not in a block yet; run this again",
            outcome.trans_code()
        )
        .into());
    };
    println!("paid {tokens} {TOKEN} in block {block}");

    // An accepted transfer can still fail, for example if the wallet does not have the tokens.
    let balance = node
        .token_balance(TOKEN, receiver)
        .await?
        .unwrap_or_default();
    println!("{receiver} has {} {TOKEN}", DECIMALS.format(balance));
    Ok(())
}
