//! The command line.

use clap::{Parser, Subcommand};

use crate::{arguments::global::GlobalArgs, commands};

const AFTER_HELP: &str = "\
Settings come from flags, then from the environment (NODECTL_…), then from the configuration
file, $XDG_CONFIG_HOME/nodectl/config.toml or ~/.config/nodectl/config.toml. The file is TOML; its
keys are base_url, network, contract, wallet (a key file, or a list of them; a relative path is
relative to the configuration file's folder), fee, currency, request_timeout and max_body.
Private keys and passphrases are read from files or hidden prompts, and never from flags.

A signature is not bound to a network: there is no chain ID, so what is signed on one network can be
submitted on another. Use one wallet for each network: `wallet new --network` records it in the key
file, and signing for another network is refused unless --any-network is given.

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

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show a block
    Block(commands::block::BlockArgs),
    /// Show the balance of one token in one wallet
    Balance(commands::balance::BalanceArgs),
    /// Show the balances of every token in a wallet
    Balances(commands::balance::BalancesArgs),
    /// Show the holders of a token
    Holders(commands::balance::HoldersArgs),
    /// Show the trust score from one wallet to another
    Trust(commands::trust::TrustArgs),
    /// Show what a contract has stored
    State(commands::state::StateArgs),
    /// Create, import, show and export wallets
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
    /// Show the URL of the node's API listing, and whether the node responds there
    Docs(commands::docs::DocsArgs),
    /// Follow new blocks until Ctrl-C
    Watch(commands::watch::WatchArgs),
    /// Print the completions of a shell
    Completions(commands::manual::CompletionsArgs),
    /// Print the manual page, or write the pages of all commands to a folder
    Man(commands::manual::ManArgs),
}

impl Command {
    /// Whether the command reads the configuration file.
    pub(crate) const fn needs_settings(&self) -> bool {
        !matches!(self, Self::Completions(_) | Self::Man(_))
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_holds_together() {
        Cli::command().debug_assert();
    }
}
