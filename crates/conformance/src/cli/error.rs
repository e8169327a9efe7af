//! Why a run did not begin.

use std::path::Path;

use nodeproof_files::FolderError;
use nodeproof_primitives::Network;
use nodeproof_wallet::KeyFileError;

use crate::{
    context::BaselineError,
    sweep::{PartError, StateError},
};

impl UsageError {
    /// A file that can't be used. `{}` in `what` stands for its path.
    pub(crate) fn file(what: &str, path: &Path, reason: impl ToString) -> Self {
        Self::File {
            what: what.replacen("{}", &path.display().to_string(), 1),
            reason: reason.to_string(),
        }
    }
}

impl From<nodeproof_client::Error> for UsageError {
    fn from(error: nodeproof_client::Error) -> Self {
        Self::Access(error)
    }
}

/// The reason why a run did not begin.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UsageError {
    /// A file that can't be used.
    #[error("{what}: {reason}")]
    File { what: String, reason: String },
    #[error(transparent)]
    Target(#[from] nodeproof_client::InputError),
    #[error(transparent)]
    Part(#[from] PartError),
    #[error("there is no node to check: give --base-url URL and --network NETWORK")]
    NoTarget,
    #[error("which network? {0} has no network's port: give --network devnet, testnet or mainnet")]
    NoNetwork(String),
    #[error("{flag} {glob:?} is not a glob: {reason}")]
    Glob {
        flag: &'static str,
        glob: String,
        reason: String,
    },
    #[error("{flag} {glob:?} matches no case: see --list")]
    NothingMatches { flag: &'static str, glob: String },
    #[error(
        "{id:?} is neither a case nor a requirement{}; `--list` shows both",
        near.map(|near| format!(", did you mean {near}?")).unwrap_or_default()
    )]
    Unexplained {
        id: String,
        near: Option<&'static str>,
    },
    #[error("no case is left to run: --skip takes away all that --only selects")]
    NothingSelected,
    #[error("none of the selected cases may run: {id} {needed}")]
    NothingAllowed {
        id: &'static str,
        needed: &'static str,
    },
    #[error("--allow {0} on mainnet also needs --allow-mainnet: mainnet is not a test network")]
    Mainnet(&'static str),
    #[error(
        "--co-signer is the wallet of --wallet: give the key file of another wallet of the chain"
    )]
    SameCoSigner,
    #[error("--allow write needs a wallet that signs and pays: give its key file with --wallet")]
    NoWallet,
    #[error(
        "--allow write needs {flag}: otherwise the node would choose what your wallet signs. Take it \
         from the operator of the network, and not from the node"
    )]
    NotNamed { flag: &'static str },
    #[error(
        "monitor makes no claims, because each one costs a fee: give --allow read, probe or reject"
    )]
    MonitorWrites,
    #[error("cannot listen on {address}: {reason}; give another address with --listen")]
    Listen {
        address: std::net::SocketAddr,
        reason: String,
    },
    #[error("{0}. Give --any-network to sign anyway")]
    OtherNetworksWallet(KeyFileError),
    #[error("core dumps of this process, which can hold the wallet's key, can't be disabled: {0}")]
    CoreDumps(std::io::Error),
    #[error("{0} contains what looks like a private key, which belongs in a key file")]
    KeyInArgument(&'static str),
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Wallet(#[from] KeyFileError),
    #[error("the wallet {0} is encrypted: give the file of its passphrase with --passphrase-file")]
    PassphraseRequired(String),
    #[error(
        "the fixture {path} contains {found}, and its values are sent to the node: nothing was sent"
    )]
    FixtureKey {
        path: String,
        found: nodeproof_wallet::Exposure,
    },
    #[error(transparent)]
    Baseline(#[from] BaselineError),
    #[error(
        "--watch repeats the run, and with --allow write each run would make a claim and pay its fee: \
         give --allow reject at most"
    )]
    WatchWrites,
    #[error("--watch shows what changes to a person: give --format pretty or compact")]
    WatchFormat,
    #[error("the report can't be written to standard output: {0}")]
    Output(String),
    #[error("the local node did not start: {0}")]
    Local(String),
    #[error("--blocks has nothing to do: none of the selected cases is about blocks")]
    NothingAboutBlocks,
    #[error(
        "--resume needs the --base-url of the node of the earlier sweep, and so do --new-blocks and --merge: a \
         local node is a new one each time"
    )]
    ResumedLocal,
    #[error("the sweep's state has no file: give --report-dir DIR or --state FILE")]
    NoPlaceForState,
    #[error(
        "the state of the merged sweep would replace {0}, which is to be merged: give another --state FILE or \
         --report-dir DIR"
    )]
    MergedState(String),
    #[error(transparent)]
    State(#[from] StateError),
    /// The headers, or the certificates, are not valid. The values are not part of the message.
    #[error("{}", .0.reason())]
    Access(nodeproof_client::Error),
    #[error(
        "the header \"{name}\" contains {found} and would be sent to the node: nothing was sent"
    )]
    HeaderKey {
        name: String,
        found: nodeproof_wallet::Exposure,
    },
    /// An option `--header` has no name or no value.
    #[error("{0}")]
    Header(String),
    #[error(
        "--header and --client-cert are for one server, and the nodes are on several: give each node \
         its own, with headers and client_cert in the file for --targets"
    )]
    SecretForSeveral,
    #[error("{0} is listed twice: a node cannot be compared with itself")]
    Twice(String),
    #[error(
        "the nodes are of different networks, {one} and {other}: only nodes of one network have \
         one chain"
    )]
    NetworkMismatch { one: Network, other: Network },
    #[error("{0} nodes are named: at most 32 are checked side by side")]
    TooMany(usize),
    #[error("{0} is for one node alone: name one --base-url")]
    OneNodeOnly(&'static str),
}
