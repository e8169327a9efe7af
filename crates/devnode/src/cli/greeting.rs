//! The command's output when the node listens: text for people, or one line of JSON for programs.

use std::fmt::Write as _;

use nodeproof_primitives::{ContractAddress, Network, WalletAddress};
use serde::Serialize;

use crate::{BlockTime, Config, FUNDS, Handle, MIN_FEE};

/// The data of a running node that users need.
///
/// The names of the fields are those of `--json`. README.md documents them.
#[derive(Serialize)]
pub(super) struct Greeting<'a> {
    base_url: &'a str,
    network: Network,
    port: u16,
    pid: u32,
    docs_url: String,
    contract: ContractAddress,
    token_contract: ContractAddress,
    currency: &'static str,
    least_fee: u128,
    asset: Option<&'static str>,
    height: u64,
    block_time: String,
    seed: u64,
    fault: Option<&'static str>,
    wallets: Vec<Wallet>,
    funded: Vec<Funded>,
}

#[derive(Serialize)]
struct Wallet {
    name: &'static str,
    address: WalletAddress,
    private_key: String,
}

#[derive(Serialize)]
struct Funded {
    address: WalletAddress,
    balance: u64,
}

impl<'a> Greeting<'a> {
    pub(super) fn of(node: &'a Handle, config: &Config) -> Self {
        let wallets = node.wallets().iter().map(|wallet| Wallet {
            name: wallet.name(),
            address: wallet.address(),
            private_key: wallet.keys().private_key().reveal().as_str().to_owned(),
        });
        let funded = config.funded.iter().map(|address| Funded {
            address: *address,
            balance: FUNDS,
        });
        Self {
            base_url: node.base_url(),
            network: node.network(),
            port: node.address().port(),
            pid: std::process::id(),
            docs_url: format!("{}/docs", node.base_url()),
            contract: node.contract_address(),
            token_contract: node.token_contract_address(),
            currency: node.native_token(),
            least_fee: MIN_FEE,
            asset: node.claimed_asset(),
            height: node.height(),
            block_time: config.block_time.to_string(),
            seed: config.seed,
            fault: config.fault.map(crate::InjectedFault::name),
            wallets: wallets.collect(),
            funded: funded.collect(),
        }
    }

    /// Returns one JSON object on one line.
    pub(super) fn json(&self) -> Result<String, serde_json::Error> {
        Ok(serde_json::to_string(self)? + "\n")
    }

    pub(super) fn text(&self, config: &Config) -> String {
        let mut text = format!(
            "{network} node, made for development and tests\n\
             \n\
             base URL               {url}\n\
             interactive listing    {docs_url}\n\
             verification contract  {contract}\n\
             token contract         {token_contract}\n\
             fees are paid in       {currency}\n\
             blocks                 {height}, {block_time}\n\
             seed                   {seed}\n\
             \n\
             TEST KEYS: they are public. Never send anything of value to these wallets.\n\
             wallet       address                                     private key\n",
            network = self.network,
            url = self.base_url,
            docs_url = self.docs_url,
            contract = self.contract,
            token_contract = self.token_contract,
            currency = self.currency,
            height = self.height,
            block_time = match config.block_time {
                BlockTime::Every(_) => format!("one more every {}", self.block_time),
                BlockTime::OnSubmission => "one more for each submission".to_owned(),
                BlockTime::Manual => "no more".to_owned(),
            },
            seed = self.seed,
        );
        // Writing to a string can't fail.
        for Wallet {
            name,
            address,
            private_key,
        } in &self.wallets
        {
            let _written = writeln!(text, "{name:<12} {address}  {private_key}");
        }
        for Funded { address, balance } in &self.funded {
            let token = self.currency;
            let _written = write!(text, "\n{address} holds {balance} {token} for fees");
        }
        if !self.funded.is_empty() {
            text.push('\n');
        }
        if let Some(fault) = config.fault {
            let from = match config.fault_from {
                0 => String::new(),
                block => format!(", from block {block} on"),
            };
            let _written = writeln!(text, "\nINJECTED FAULT: {}{from}", fault.description());
        }
        text.push_str("\nCtrl-C ends it.\n");
        text
    }
}
