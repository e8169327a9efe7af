//! The arguments of every command.

use std::{path::PathBuf, time::Duration};

use clap::Args;
use nodeproof_primitives::{Hidden, Network};

use super::seconds;

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArgs {
    /// Base URL of the node, such as http://localhost:8420. Without a port, the network's port is
    /// used [default: 127.0.0.1 at the network's port]
    #[arg(
        long,
        global = true,
        value_name = "URL",
        env = "NODECTL_BASE_URL",
        hide_env_values = true
    )]
    pub(crate) base_url: Option<String>,

    /// Network of the node [default: the network of the URL's port; without a URL, devnet]
    #[arg(
        long,
        global = true,
        value_name = "devnet|testnet|mainnet",
        env = "NODECTL_NETWORK",
        hide_env_values = true
    )]
    pub(crate) network: Option<Network>,

    /// Header for every request, such as the key of a gateway in front of the node. Can be repeated.
    /// The value is in a file with 'NAME: @FILE', and in an environment variable with
    /// 'NAME: env:VARIABLE'
    #[arg(long, global = true, value_name = "NAME: VALUE")]
    pub(crate) header: Vec<Hidden<String>>,

    /// PEM file of certificate authorities to trust in addition to the system's
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        env = "NODECTL_CA_FILE",
        hide_env_values = true
    )]
    pub(crate) ca_file: Option<PathBuf>,

    /// PEM file of a certificate and its unencrypted private key, for a server that requires a
    /// client certificate
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        env = "NODECTL_CLIENT_CERT",
        hide_env_values = true
    )]
    pub(crate) client_cert: Option<PathBuf>,

    /// Configuration file, TOML [default: nodectl/config.toml in $XDG_CONFIG_HOME or ~/.config]
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        env = "NODECTL_CONFIG",
        hide_env_values = true
    )]
    pub(crate) config: Option<PathBuf>,

    /// Timeout of a request, in seconds, such as 10 or 0.5 [default: 20]
    #[arg(long, global = true, value_name = "S", env = "NODECTL_REQUEST_TIMEOUT", hide_env_values = true,
          value_parser = seconds::positive, allow_negative_numbers = true)]
    pub(crate) request_timeout: Option<Duration>,

    /// Maximum size of a response, in bytes [default: 8388608, which is 8 MiB]
    #[arg(
        long,
        global = true,
        value_name = "BYTES",
        env = "NODECTL_MAX_BODY",
        hide_env_values = true
    )]
    pub(crate) max_body: Option<usize>,

    /// Print one JSON document instead of text. Errors are JSON, too
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// Hide progress and notes on standard error. Warnings and errors are still shown
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}
