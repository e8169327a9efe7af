//! The command line.

use std::{path::PathBuf, time::Duration};

use clap::{Args, Parser, Subcommand};
use nodeproof_primitives::{Amount, ContractAddress, Network, WalletAddress};

use crate::{commands, seconds, withheld::looks_like_a_key};

const AFTER_HELP: &str = "\
Settings come from flags, then from the environment (NODECTL_…), then from the configuration
file, $XDG_CONFIG_HOME/nodectl/config.toml or ~/.config/nodectl/config.toml. The file is TOML; its
keys are base_url, network, contract, wallet (a key file, or a list of them; a relative path is
relative to the configuration file's folder), fee, currency, request_timeout and max_body.
Private keys and passphrases are read from files or hidden prompts, and never from flags.

With --json, standard output is one JSON document (watch: one a line), and a failure is
{\"error\":{\"kind\",\"status\",\"message\",\"maybe_sent\"}} on standard error, where notes and warnings
are {\"note\"} and {\"warning\"}. Standard output holds a document only where the exit status is 0.
call and sign print a transaction either way, and completions, man and --help print text.

Exit status:
  0    done
  1    what was asked for is not there, however the node says so, or, for verify, not so
  2    wrong usage, configuration or input; no transaction was sent
  3    the node was not reached, did not answer in time, or answered with an error status
  4    the node refused the transaction
  5    a transaction was sent, or maybe sent, and is not confirmed, or is recorded otherwise; the
       message says how to go on
  6    the node's answer is not what the contract says, contradicts itself, or is not what was
       asked for; nothing was signed
  130  interrupted";

/// A blockchain node from a terminal: blocks, balances, wallets, contract calls and claims.
#[derive(Debug, Parser)]
#[command(name = "nodectl", version, after_help = AFTER_HELP, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArgs {
    /// Base URL of the node, such as http://localhost:8420; without a port, it is the network's
    /// [default: this machine, 127.0.0.1, at the network's port]
    #[arg(
        long,
        global = true,
        value_name = "URL",
        env = "NODECTL_BASE_URL",
        hide_env_values = true
    )]
    pub(crate) base_url: Option<String>,

    /// Network of the node [default: the one that the URL's port tells; without a URL, devnet]
    #[arg(
        long,
        global = true,
        value_name = "devnet|testnet|mainnet",
        env = "NODECTL_NETWORK",
        hide_env_values = true
    )]
    pub(crate) network: Option<Network>,

    /// Configuration file, TOML [default: nodectl/config.toml in $XDG_CONFIG_HOME or ~/.config]
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        env = "NODECTL_CONFIG",
        hide_env_values = true
    )]
    pub(crate) config: Option<PathBuf>,

    /// How long a request may take, in seconds, such as 10 or 0.5 [default: 20]
    #[arg(long, global = true, value_name = "S", env = "NODECTL_REQUEST_TIMEOUT", hide_env_values = true,
          value_parser = seconds::positive, allow_negative_numbers = true)]
    pub(crate) request_timeout: Option<Duration>,

    /// The largest answer that is read, in bytes [default: 16777216]
    #[arg(
        long,
        global = true,
        value_name = "BYTES",
        env = "NODECTL_MAX_BODY",
        hide_env_values = true
    )]
    pub(crate) max_body: Option<usize>,

    /// Write one JSON document instead of text for a person; failures are JSON, too
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// No progress and no notes on standard error; warnings and errors stay
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show a block
    Block(commands::block::BlockArgs),
    /// Show the balance of one token in one wallet
    Balance(commands::balance::BalanceArgs),
    /// Show the balances of every token in a wallet
    Balances(commands::balance::BalancesArgs),
    /// Show who holds a token
    Holders(commands::balance::HoldersArgs),
    /// Show how far one wallet trusts another
    Trust(commands::trust::TrustArgs),
    /// Show what a contract has stored
    State(commands::state::StateArgs),
    /// Make and look at wallets
    Wallet(commands::wallet::WalletArgs),
    /// Have the node build a contract call, check it, and print the raw transaction
    Call(commands::call::CallArgs),
    /// Sign a raw or half-signed transaction, without a node
    Sign(commands::sign::SignArgs),
    /// Submit a signed transaction
    Submit(commands::submit::SubmitArgs),
    /// Check a signed transaction or a receipt, without a node
    Verify(commands::verify::VerifyArgs),
    /// Make a claim about an asset, or read one
    Claim(commands::claim::ClaimArgs),
    /// Tell where the node lists its calls, and whether it answers there
    Docs(commands::docs::DocsArgs),
    /// Follow new blocks until Ctrl-C
    Watch(commands::watch::WatchArgs),
    /// Print the completions of a shell
    Completions(commands::manual::CompletionsArgs),
    /// Print the manual page, or write those of all commands to a folder
    Man(commands::manual::ManArgs),
}

impl Command {
    /// Whether files of keys or of transactions are named in the command, and no hashes.
    pub(crate) const fn takes_key_files(&self) -> bool {
        matches!(
            self,
            Self::Wallet(_) | Self::Sign(_) | Self::Submit(_) | Self::Verify(_)
        )
    }

    /// Whether the command looks at the configuration file.
    pub(crate) const fn needs_settings(&self) -> bool {
        !matches!(self, Self::Completions(_) | Self::Man(_))
    }
}

/// The fee of what is to be signed.
#[derive(Clone, Debug, Args)]
pub(crate) struct FeeArgs {
    /// The fee, as an exact decimal number, such as 1000000; nodes were seen to want that at least
    #[arg(
        long,
        value_name = "AMOUNT",
        env = "NODECTL_FEE",
        hide_env_values = true,
        allow_negative_numbers = true
    )]
    pub(crate) fee: Option<Amount>,

    /// The code of the token that the fee is paid in
    #[arg(
        long,
        value_name = "TOKEN",
        env = "NODECTL_CURRENCY",
        hide_env_values = true
    )]
    pub(crate) currency: Option<String>,
}

/// A wallet's address; says so where it is a contract's, or in upper case.
pub(crate) fn wallet_address(text: &str) -> Result<WalletAddress, String> {
    no_key(text)?;
    text.parse()
        .map_err(|error: nodeproof_primitives::ParseHexError| {
            if text.parse::<ContractAddress>().is_ok() {
                "this is the address of a contract, and that of a wallet is wanted: 0x and 40 \
             lower-case hexadecimal digits"
                    .to_owned()
            } else {
                in_lower_case::<WalletAddress>(text).unwrap_or_else(|| error.to_string())
            }
        })
}

/// A contract's address; says so where it is a wallet's, or in upper case.
pub(crate) fn contract_address(text: &str) -> Result<ContractAddress, String> {
    no_key(text)?;
    text.parse()
        .map_err(|error: nodeproof_primitives::ParseHexError| {
            if text.parse::<WalletAddress>().is_ok() {
                "this is the address of a wallet, and that of a contract is wanted: ct and 40 \
             lower-case hexadecimal digits"
                    .to_owned()
            } else {
                in_lower_case::<ContractAddress>(text).unwrap_or_else(|| error.to_string())
            }
        })
}

/// Says nothing of a key that was given for an address.
fn no_key(text: &str) -> Result<(), String> {
    if looks_like_a_key(text) {
        return Err(
            "an address is wanted here: a prefix of two characters and 40 lower-case hexadecimal \
             digits"
                .to_owned(),
        );
    }
    Ok(())
}

fn in_lower_case<T: std::str::FromStr>(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    lower
        .parse::<T>()
        .is_ok()
        .then(|| format!("addresses are written in lower case: {lower}"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_holds_together() {
        Cli::command().debug_assert();
    }

    #[test]
    fn an_address_of_the_wrong_kind_is_called_that() {
        let (wallet, contract) = (
            format!("0x{}", "ab".repeat(20)),
            format!("ct{}", "ab".repeat(20)),
        );
        assert!(
            wallet_address(&contract)
                .unwrap_err()
                .contains("of a contract")
        );
        assert!(
            contract_address(&wallet)
                .unwrap_err()
                .contains("of a wallet")
        );
        assert_eq!(
            wallet_address(&wallet.to_uppercase().replace("0X", "0x")).unwrap_err(),
            format!("addresses are written in lower case: {wallet}")
        );
        assert!(wallet_address(&wallet[..41]).unwrap_err().contains("39"));
    }
}
