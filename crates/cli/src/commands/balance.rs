//! `nodectl balance`, `balances` and `holders`.

use clap::Args;
use nodeproof_client::BalanceType;
use nodeproof_primitives::{Integer, WalletAddress, escape::escaped_up_to};
use serde::Serialize;

use super::{field_text::written, refusal::refusal};
use crate::{
    arguments::addresses::wallet_address,
    failure::Failure,
    io::{output::CommandResult, table::Columns},
    session::settings::Session,
};

#[derive(Debug, Args)]
pub(crate) struct BalanceArgs {
    /// Address of the wallet: 0x and 40 lower-case hexadecimal digits
    #[arg(value_name = "WALLET", value_parser = wallet_address)]
    wallet: WalletAddress,
    /// Code of the token
    #[arg(value_name = "TOKEN")]
    token: String,
}

#[derive(Debug, Args)]
pub(crate) struct BalancesArgs {
    /// Address of the wallet: 0x and 40 lower-case hexadecimal digits
    #[arg(value_name = "WALLET", value_parser = wallet_address)]
    wallet: WalletAddress,
}

#[derive(Debug, Args)]
pub(crate) struct HoldersArgs {
    /// Code of the token
    #[arg(value_name = "TOKEN")]
    token: String,
}

#[derive(Serialize)]
struct Balance<'a> {
    wallet: WalletAddress,
    token: &'a str,
    balance: Integer,
}

impl CommandResult for Balance<'_> {
    fn for_a_person(&self) -> String {
        format!("{}\n", self.balance)
    }
}

pub(crate) async fn balance(args: &BalanceArgs, session: &Session) -> Result<(), Failure> {
    let client = session.client()?;
    let balance = client.token_balance(&args.token, args.wallet).await?;
    let Some(balance) = balance else {
        let (kind, token) = (BalanceType::TokenInWallet, Some(&*args.token));
        let request = client.generated();
        let words = refusal(request.get_balances(kind, token, Some(&args.wallet)).await).await;
        return Err(Failure::not_found(format!(
            "the node has no balance of {} in {}: the balance is zero, or the token or wallet is unknown{words}",
            args.token, args.wallet
        )));
    };
    session.output.show(&Balance {
        wallet: args.wallet,
        token: &args.token,
        balance,
    })
}

/// A list of balances.
#[derive(Serialize)]
struct Balances<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    wallet: Option<WalletAddress>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'a str>,
    balances: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    holder: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'a str>,
    balance: Option<Integer>,
}

impl CommandResult for Balances<'_> {
    fn for_a_person(&self) -> String {
        if self.balances.is_empty() {
            return "none\n".to_owned();
        }
        let what = if self.token.is_some() {
            "holder"
        } else {
            "token"
        };
        let mut columns = Columns::headed([what, "balance"]);
        for entry in &self.balances {
            let name = entry.holder.as_deref().or(entry.token).unwrap_or_default();
            columns.row([name, &written(entry.balance.as_ref())]);
        }
        columns.numbers_in(1);
        columns.text()
    }
}

pub(crate) async fn wallet_balances(args: &BalancesArgs, session: &Session) -> Result<(), Failure> {
    let client = session.client()?;
    let held = client.balances(args.wallet).await?;
    if held.is_empty() {
        let request = client.generated();
        let kind = BalanceType::AllTokensInWallet;
        let words = refusal(request.get_balances(kind, None, Some(&args.wallet)).await).await;
        check_refusal("wallet", &args.wallet.to_string(), &words)?;
    }
    let wallet = args.wallet.to_string();
    let mut wallets = held
        .iter()
        .filter_map(|held| held.extra.get("wallet")?.as_str());
    if let Some(other) = wallets.find(|other| *other != wallet) {
        return Err(mismatch_failure("wallet", &wallet, other));
    }
    session.output.show(&Balances {
        wallet: Some(args.wallet),
        token: None,
        balances: held
            .iter()
            .map(|held| Entry {
                holder: None,
                token: Some(&held.token_code),
                balance: held.balance,
            })
            .collect(),
    })
}

pub(crate) async fn token_holders(args: &HoldersArgs, session: &Session) -> Result<(), Failure> {
    let client = session.client()?;
    let holders = client.holders(&args.token).await?;
    if holders.is_empty() {
        let (kind, token) = (BalanceType::AllWalletsForToken, Some(&*args.token));
        let request = client.generated();
        let words = refusal(request.get_balances(kind, token, None).await).await;
        check_refusal("token", &args.token, &words)?;
    }
    let mut tokens = holders.iter().filter_map(|held| held.token_code.as_deref());
    if let Some(other) = tokens.find(|token| *token != args.token) {
        return Err(mismatch_failure("token", &args.token, other));
    }
    session.output.show(&Balances {
        wallet: None,
        token: Some(&args.token),
        balances: holders
            .iter()
            .map(|held| Entry {
                holder: Some(held.wallet.to_string()),
                token: None,
                balance: held.balance,
            })
            .collect(),
    })
}

/// Fails if the node refused to list the balances. An empty list is one.
fn check_refusal(what: &str, requested: &str, words: &str) -> Result<(), Failure> {
    if words.is_empty() {
        return Ok(());
    }
    Err(Failure::not_found(format!(
        "the node lists no balances of the {what} {requested}: it is unknown, or the base URL is not a node's{words}"
    )))
}

fn mismatch_failure(what: &str, requested: &str, found: &str) -> Failure {
    Failure::unexpected(format!(
        "expected balances of the {what} {requested}, but the node's list has one of the {what} {}",
        escaped_up_to(found, 60)
    ))
}
