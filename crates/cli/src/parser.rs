//! The command line.

use clap::{Parser, Subcommand};

use crate::{arguments::global::GlobalArgs, commands};

const AFTER_HELP: &str = "\
Settings come from flags, then from environment variables (NODECTL_…), then from the configuration
file, $XDG_CONFIG_HOME/nodectl/config.toml or ~/.config/nodectl/config.toml. The file is TOML. Its
keys are base_url, network, contract, wallet (a key file, or a list of them; a relative path is
relative to the configuration file's folder), fee, currency, request_timeout (in seconds), max_body
(in bytes), headers (one or a list, as for --header), ca_file and client_cert. Headers and a client
certificate from the file are used only for the server of its base_url.
Private keys and passphrases are read from files or hidden prompts, never from flags.

A signature is not bound to a network, because there is no chain ID: a transaction that is signed
for one network can be submitted to another. Use one wallet for each network. `wallet new --network`
records the network in the key file. Signing for another network needs --any-network.

With --json, standard output is one JSON document (watch: one per line). An error is
{\"error\":{\"kind\",\"status\",\"message\",\"maybe_sent\"}} on standard error. Notes and warnings are
{\"note\"} and {\"warning\"} there. Standard output has a document only if the exit status is 0.
call and sign always print a transaction; completions, man and --help always print text.

Exit status:
  0    success
  1    the requested object does not exist; for verify: not valid
  2    invalid usage, configuration or input; no transaction was sent
  3    the node was not reached, did not respond in time, or returned an error status
  4    the node refused the transaction
  5    a transaction was sent, or may have been sent, and is not confirmed or was recorded
       differently; the message explains how to continue
  6    the node's response does not conform to the specification, contradicts itself, or is not what was
       requested;
       nothing was signed
  130  interrupted by Ctrl-C
  143  interrupted by SIGTERM";

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
    /// Show the wallets that hold a token
    Holders(commands::balance::HoldersArgs),
    /// Show the trust score from one wallet to another
    Trust(commands::trust::TrustArgs),
    /// Show a stored record of a contract
    State(commands::state::StateArgs),
    /// Create and inspect wallets
    Wallet(commands::wallet::WalletArgs),
    /// Have the node build a contract call, check it, and print the raw transaction
    Call(commands::call::CallArgs),
    /// Sign a raw or partly signed transaction, without a node
    Sign(commands::sign::SignArgs),
    /// Submit a signed transaction
    Submit(commands::submit::SubmitArgs),
    /// Check a signed transaction or a receipt, without a node
    Verify(commands::verify::VerifyArgs),
    /// Transfer a token: build, check, sign, save, submit, and wait for the block.
    ///
    /// The signed transaction is saved in a file before it is sent. After a crash or a lost
    /// connection, run the same command again: it submits the same transaction, so you pay once.
    Transfer(Box<commands::transfer::TransferArgs>),
    /// Make a claim about an asset, or read one
    Claim(commands::claim::ClaimArgs),
    /// Show the URL of the node's API documentation, and test whether it responds
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
