//! `nodectl balance`, `balances` and `holders`.

use clap::Args;
use nodeproof_client::{HolderAddress, HolderBalance, Listing, TokenBalance};
use nodeproof_primitives::{Integer, WalletAddress, escape::escaped_up_to};
use serde::Serialize;

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

pub(crate) async fn one(args: &BalanceArgs, session: &Session) -> Result<(), Failure> {
    let client = session.client()?;
    let balance = client.token_balance(&args.token, args.wallet).await?;
    let balance = balance.ok_or_else(|| {
        Failure::not_found(format!(
            "the node has no balance of {} in {}: the balance is zero, or the token or wallet is unknown",
            args.token, args.wallet
        ))
    })?;
    session.output.show(&Balance {
        wallet: args.wallet,
        token: &args.token,
        balance,
    })
}

/// A list of balances, and the faults of its unreadable entries.
#[derive(Serialize)]
struct Balances<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    wallet: Option<WalletAddress>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'a str>,
    balances: Vec<Entry<'a>>,
    /// The faults of the entries that can't be read.
    faults: Vec<String>,
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
        // If no entry of a non-empty list can be read, the command has failed before.
        let mut text = if self.balances.is_empty() {
            "none\n".to_owned()
        } else {
            let what = if self.token.is_some() {
                "holder"
            } else {
                "token"
            };
            let mut columns = Columns::headed([what, "balance"]);
            for entry in &self.balances {
                let name = entry.holder.as_deref().or(entry.token).unwrap_or_default();
                let balance = entry
                    .balance
                    .as_ref()
                    .map_or("-".to_owned(), ToString::to_string);
                columns.row([name, &balance]);
            }
            columns.numbers_in(1);
            columns.text()
        };
        for fault in &self.faults {
            text.push_str(&format!("not readable: {fault}\n"));
        }
        text
    }
}

pub(crate) async fn of_wallet(args: &BalancesArgs, session: &Session) -> Result<(), Failure> {
    let listing: Option<Listing<TokenBalance>> = session.client()?.balances(args.wallet).await?;
    let listing = listing.ok_or_else(|| {
        Failure::not_found(format!("the node does not have the wallet {}", args.wallet))
    })?;
    some_readable(&listing)?;
    let requested = HolderAddress::from(args.wallet);
    let other = |held: &TokenBalance| held.holder.filter(|holder| *holder != requested);
    if let Some(other) = listing.iter().find_map(other) {
        return Err(another("of the wallet", &requested, &other.to_string()));
    }
    session.output.show(&Balances {
        wallet: Some(args.wallet),
        token: None,
        balances: listing
            .iter()
            .map(|held| Entry {
                holder: None,
                token: Some(&held.token_code),
                balance: held.balance.clone(),
            })
            .collect(),
        faults: faults(&listing),
    })
}

pub(crate) async fn of_token(args: &HoldersArgs, session: &Session) -> Result<(), Failure> {
    let listing: Option<Listing<HolderBalance>> = session.client()?.holders(&args.token).await?;
    let listing = listing.ok_or_else(|| {
        Failure::not_found(format!("the node does not have the token {:?}", args.token))
    })?;
    some_readable(&listing)?;
    let mut tokens = listing.iter().filter_map(|held| held.token_code.as_deref());
    if let Some(other) = tokens.find(|token| *token != args.token) {
        return Err(another("of the token", &args.token, other));
    }
    session.output.show(&Balances {
        wallet: None,
        token: Some(&args.token),
        balances: listing
            .iter()
            .map(|held| Entry {
                holder: Some(held.holder.to_string()),
                token: None,
                balance: held.balance.clone(),
            })
            .collect(),
        faults: faults(&listing),
    })
}

/// Fails if no entry of a non-empty list can be read. That differs from an empty list.
fn some_readable<T>(listing: &Listing<T>) -> Result<(), Failure> {
    match listing.faults() {
        [first, rest @ ..] if listing.is_empty() => {
            let more = match rest.len() {
                0 => String::new(),
                more => format!("; and {more} more"),
            };
            Err(Failure::unexpected(format!(
                "nothing in the node's list of balances can be read: {first}{more}"
            )))
        }
        _ => Ok(()),
    }
}

fn another(what: &str, requested: &dyn std::fmt::Display, found: &str) -> Failure {
    Failure::unexpected(format!(
        "expected balances {what} {requested}, but the node's list has one {what} {}",
        escaped_up_to(found, 60)
    ))
}

fn faults<T>(listing: &Listing<T>) -> Vec<String> {
    listing.faults().iter().map(ToString::to_string).collect()
}
