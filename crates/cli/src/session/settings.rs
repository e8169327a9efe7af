//! Settings. Flags have priority over the environment, then the configuration file, then the defaults.
//! Clap combines the first two.

use std::{path::PathBuf, time::Duration};

use nodeproof_client::{
    BaseUrl, CallOptions, Client, ClientOptions, Clock, Fee, contract_call::SubmitPolicy,
};
use nodeproof_primitives::{ContractAddress, Network, redact::redact};

use crate::{
    arguments::{fee::FeeArgs, global::GlobalArgs},
    failure::Failure,
    io::output::Output,
    session::{
        access::Access, config_file::ConfigFile, connections::connection_runtime,
        without_key::without_key,
    },
};

/// The host of the node if no URL is given.
const LOCAL_HOST: &str = "127.0.0.1";

/// The settings of a command.
pub(crate) struct Session {
    pub(crate) output: Output,
    flags: GlobalArgs,
    file: ConfigFile,
}

/// A node, and the network that it should belong to.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) base_url: BaseUrl,
    /// Not known if the user did not give it, and the port does not belong to a network.
    pub(crate) network: Option<Network>,
}

impl Session {
    pub(crate) fn new(flags: GlobalArgs, file: ConfigFile, output: Output) -> Self {
        Self {
            output,
            flags,
            file,
        }
    }

    /// Returns the node for requests.
    pub(crate) fn target(&self) -> Result<Target, Failure> {
        let network = self.network();
        let url = self.flags.base_url.as_ref().or(self.file.base_url.as_ref());
        let Some(url) = url else {
            let network = network.unwrap_or(Network::Devnet);
            return Ok(Target {
                base_url: BaseUrl::for_network(LOCAL_HOST, network)?,
                network: Some(network),
            });
        };
        if redact(url) != *url {
            return Err(Failure::usage(
                "the base URL has what looks like a private key in it, which would be sent to the \
                 node",
            ));
        }
        let base_url: BaseUrl = url.parse()?;
        match network {
            Some(network) => Ok(Target {
                base_url: base_url.of_network(network)?,
                network: Some(network),
            }),
            None if !base_url.has_port() => Err(Failure::usage(format!(
                "{base_url} has no port: give --network devnet, testnet or mainnet for that \
                 network's, or write the port in the URL"
            ))),
            None => Ok(Target {
                network: Network::from_port(base_url.port()),
                base_url,
            }),
        }
    }

    /// Returns the network from the command line or the configuration file.
    pub(crate) fn network(&self) -> Option<Network> {
        self.flags.network.or(self.file.network)
    }

    /// Returns a client for the node.
    pub(crate) fn client(&self) -> Result<Client, Failure> {
        self.client_of(&self.target()?)
    }

    /// Returns a client of a node.
    pub(crate) fn client_of(&self, target: &Target) -> Result<Client, Failure> {
        let timeout = self.request_timeout();
        let check = |what: &str, value: &str| without_key(what, value, &[], self.wallets(&[]));
        let access = Access::of(&self.flags, &self.file, &target.base_url, &check)?;
        let mut options = ClientOptions {
            user_agent: concat!("nodectl/", env!("CARGO_PKG_VERSION")).to_owned(),
            connect_timeout: timeout.min(Duration::from_secs(5)),
            request_timeout: timeout,
            // Time for retries. Each request takes at most one timeout.
            total_timeout: timeout.saturating_mul(3),
            connection_runtime: connection_runtime(),
            ..access.options()
        };
        if let Some(bytes) = self.flags.max_body.or(self.file.max_body) {
            options.max_body = bytes;
        }
        Ok(Client::with_options(&target.base_url, options)?)
    }

    /// Returns the same failure without the values of headers, which a node can send back.
    pub(crate) fn without_secrets(&self, failure: Failure) -> Failure {
        // If the headers can't be read, none was sent.
        let access = self.target().and_then(|target| {
            Access::of(&self.flags, &self.file, &target.base_url, &|_, _| Ok(()))
        });
        match access {
            Ok(access) => failure.rewritten(|text| access.without_secrets(text)),
            Err(_) => failure,
        }
    }

    pub(crate) fn request_timeout(&self) -> Duration {
        self.flags
            .request_timeout
            .or(self.file.request_timeout)
            .unwrap_or(Duration::from_secs(20))
    }

    /// Returns how a call is made for a user who waits this long for its effect. A busy node gets it again for that time, or
    /// for as long as other requests may take in all their attempts.
    pub(crate) fn call_options(&self, clock: Clock, wait: Duration) -> CallOptions {
        let policy = SubmitPolicy::default();
        let submit = SubmitPolicy {
            deadline: policy.deadline.min(wait.max(3 * self.request_timeout())),
            ..policy
        };
        CallOptions { clock, submit }
    }

    /// Returns the contract of the command line, or else of the configuration file.
    pub(crate) fn contract(
        &self,
        flag: Option<ContractAddress>,
    ) -> Result<ContractAddress, Failure> {
        flag.or(self.file.contract).ok_or_else(|| {
            Failure::usage(
                "which contract? Give --contract ct…, set NODECTL_CONTRACT, or write `contract` \
                 in the configuration file",
            )
        })
    }

    /// Returns the key files of the command line, or else of the configuration file.
    pub(crate) fn wallets(&self, flags: &[PathBuf]) -> Vec<PathBuf> {
        if flags.is_empty() {
            self.file.wallet.clone().into_vec()
        } else {
            flags.to_vec()
        }
    }

    /// Returns the fee of the command line, or else of the configuration file.
    ///
    /// Fails if nodes would read the fee as a different number.
    pub(crate) fn fee(&self, flags: &FeeArgs) -> Result<Fee, Failure> {
        let amount = flags
            .fee
            .as_ref()
            .or(self.file.fee.as_ref())
            .ok_or_else(|| {
                Failure::usage(
                    "which fee? Give --fee AMOUNT, set NODECTL_FEE, or write `fee` in the \
                 configuration file; known nodes require at least 1000000",
                )
            })?;
        let currency = flags
            .currency
            .as_ref()
            .or(self.file.currency.as_ref())
            .ok_or_else(|| {
                Failure::usage(
                    "in which token is the fee paid? Give --currency TOKEN, set NODECTL_CURRENCY, \
                     or write `currency` in the configuration file",
                )
            })?;
        Fee::new(amount.clone(), currency).map_err(Failure::usage)
    }
}

impl Target {
    /// Fails if the transaction would be sent to mainnet without permission.
    pub(crate) fn may_submit(&self, allow_mainnet: bool) -> Result<Network, Failure> {
        match self.network {
            None => Err(Failure::usage(format!(
                "which network? {} has no network's port: give --network devnet, testnet or \
                 mainnet",
                self.base_url
            ))),
            Some(Network::Mainnet) if !allow_mainnet => Err(Failure::usage(
                "a transaction on mainnet costs real money: add --allow-mainnet",
            )),
            Some(network) => Ok(network),
        }
    }
}
