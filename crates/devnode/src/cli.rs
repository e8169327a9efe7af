//! The command line of the binary `devnode` and of `cargo xtask devnode`.
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use clap::Parser;
//! use nodeproof_devnode::cli::{DevnodeArgs, exit_with, run};
//!
//! #[derive(Parser)]
//! struct Command {
//!     #[command(flatten)]
//!     args: DevnodeArgs,
//! }
//!
//! #[tokio::main]
//! async fn main() -> ExitCode {
//!     let command = Command::try_parse().unwrap_or_else(|error| exit_with(&error));
//!     run(command.args).await
//! }
//! ```

mod greeting;

use std::{
    convert::Infallible,
    io::{self, Write as _},
    net::{IpAddr, Ipv4Addr},
    num::NonZeroU32,
    path::PathBuf,
    process::ExitCode,
    time::Duration,
};

use clap::Args;
use nodeproof_primitives::{
    Network, TimestampMs, WalletAddress,
    redact::{given_keys, redact_parts},
};

use crate::{BlockTime, ChainTime, Config, InjectedFault, Outage, platform::end, spawn};
use greeting::Greeting;

/// Exit status if the node can't be started with these options, or if the usage is invalid.
const EXIT_USAGE: u8 = 2;
/// Exit status if a block could not be saved.
const EXIT_NOT_SAVED: u8 = 1;

/// Options of the command that runs a node until a signal ends it.
#[derive(Args, Clone, Debug)]
pub struct DevnodeArgs {
    /// Network of the node: devnet, testnet or mainnet
    #[arg(long, value_name = "NETWORK", default_value = "devnet")]
    pub network: Network,
    /// Port to listen on, 0 for a free one [default: the network's]
    #[arg(long, value_name = "N")]
    pub port: Option<u16>,
    /// Address to listen on. The node's keys are public, so keep it on this machine
    #[arg(long, value_name = "ADDR", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), value_parser = host)]
    pub host: IpAddr,
    /// Seed of the keys, the addresses and the amounts
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// Number of blocks that the chain starts with
    #[arg(long, value_name = "N", default_value_t = 12)]
    pub blocks: u64,
    /// Time between blocks, such as 1s or 250ms; on-submission for a block with each transaction, or
    /// manual for no blocks
    #[arg(long, value_name = "TIME", default_value_t = BlockTime::Every(Duration::from_secs(1)))]
    pub block_time: BlockTime,
    /// Time of the chain's start, such as 2026-01-01T00:00:00Z. Time then follows from the blocks. Two
    /// nodes with the same options return the same bytes for the same block [default: time is the
    /// machine's clock]
    #[arg(long, value_name = "TIME", value_parser = start_time)]
    pub start_time: Option<TimestampMs>,
    /// Time that each response takes longer, such as 200ms, for tests with a slow node [default: none]
    #[arg(long, value_name = "TIME", value_parser = latency)]
    pub latency: Option<Duration>,
    /// Maximum number of submissions per second, as on real nodes [default: no limit]
    #[arg(long, value_name = "N")]
    pub rate_limit: Option<NonZeroU32>,
    /// Address of a wallet that gets tokens for fees. Can be repeated
    #[arg(long, value_name = "WALLET")]
    pub fund: Vec<WalletAddress>,
    /// Print the greeting as one line of JSON
    #[arg(long)]
    pub json: bool,
    /// Fault that the node has on purpose, to see a case fail; with @BLOCK, from that height on; list prints
    /// all faults
    #[arg(long, value_name = "NAME[@BLOCK]", value_parser = fault)]
    pub fault: Option<FaultArg>,
    /// File of the chain's blocks. After a restart with the same options, the chain continues there [default:
    /// none; the chain is lost]
    #[arg(long, value_name = "FILE", value_parser = state_file)]
    pub state: Option<PathBuf>,
    /// Host name that requests may use, in addition to IP addresses and localhost. Can be repeated
    #[arg(long, value_name = "NAME", value_parser = host_name)]
    pub allow_host: Vec<String>,
    /// Names the options that replace this one.
    #[arg(long, hide = true, value_parser = forms_are_faults)]
    forms: Option<Infallible>,
}

impl DevnodeArgs {
    /// Returns the configuration for these options.
    ///
    /// ```
    /// use clap::Parser;
    /// use nodeproof_devnode::cli::DevnodeArgs;
    ///
    /// #[derive(Parser)]
    /// struct Command {
    ///     #[command(flatten)]
    ///     args: DevnodeArgs,
    /// }
    ///
    /// let command = Command::try_parse_from(["devnode", "--port", "0", "--blocks", "3"])?;
    /// let config = command.args.config();
    /// assert_eq!((config.port, config.blocks), (Some(0), 3));
    /// # Ok::<(), clap::Error>(())
    /// ```
    #[must_use]
    pub fn config(&self) -> Config {
        let mut config = Config::new(self.network)
            .with_seed(self.seed)
            .with_blocks(self.blocks)
            .with_block_time(self.block_time)
            .with_time(self.start_time.map_or(ChainTime::Clock, ChainTime::From));
        config.host = self.host;
        config.port = self.port;
        config.rate_limit = self.rate_limit;
        if let Some(FaultArg::Inject(fault, from)) = self.fault {
            (config.fault, config.fault_from) = (Some(fault), from);
        }
        config.state.clone_from(&self.state);
        config.funded.clone_from(&self.fund);
        config.allowed_hosts.clone_from(&self.allow_host);
        config
    }
}

/// The value of `--fault`.
#[derive(Clone, Copy, Debug)]
pub enum FaultArg {
    /// Print all faults.
    List,
    /// Use this fault from this height on.
    Inject(InjectedFault, u64),
}

fn fault(text: &str) -> Result<FaultArg, String> {
    if text == "list" {
        return Ok(FaultArg::List);
    }
    let (name, block) = text.split_once('@').unwrap_or((text, "0"));
    let fault = name
        .parse::<InjectedFault>()
        .map_err(|error| error.to_string())?;
    let block = block
        .parse()
        .map_err(|_| "write the number of a block after @, such as @100")?;
    Ok(FaultArg::Inject(fault, block))
}

/// Parses the name of a file. A private key in this place is a mistake.
fn state_file(text: &str) -> Result<PathBuf, &'static str> {
    let is_key = redact_parts(text, &given_keys("DEVNODE_")) != text;
    if is_key {
        Err("this looks like a private key")
    } else {
        Ok(text.into())
    }
}

fn list_of_faults() -> String {
    InjectedFault::all()
        .map(|fault| format!("{:<22} {}\n", fault.name(), fault.description()))
        .collect()
}

fn forms_are_faults(_: &str) -> Result<Infallible, &'static str> {
    Err("--forms was removed; use --fault observed-forms for rows, or --fault text-forms for text")
}

/// Parses the time that responses take longer.
fn latency(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(BlockTime::Every(time)) => Ok(time),
        _ => Err("write a number with ms, s or m, such as 200ms".to_owned()),
    }
}

/// The start of the year 9000. A chain needs time until 9999, the last year of a date.
const LAST_START: i64 = 221_845_392_000_000;

/// Parses the start time of a chain. Times before 1970 are not allowed.
fn start_time(text: &str) -> Result<TimestampMs, String> {
    let time: Option<TimestampMs> = text.parse().ok();
    let time = time.filter(|time| (0..=LAST_START).contains(&time.as_millis()));
    time.ok_or_else(|| {
        "write a date from 1970 to 8999 and a time, such as 2026-01-01T00:00:00Z".to_owned()
    })
}

/// Parses an address of this machine, which may be written as in a URL.
fn host(text: &str) -> Result<IpAddr, String> {
    let bare = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    match bare.unwrap_or(text) {
        "localhost" => Ok(Ipv4Addr::LOCALHOST.into()),
        address => address
            .parse()
            .map_err(|_| "write an IP address, such as 127.0.0.1 or ::1, or localhost".to_owned()),
    }
}

/// Parses the name of a host, as a request has it without the port.
fn host_name(text: &str) -> Result<String, String> {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
    if text.is_empty() || !text.chars().all(is_of_name) {
        return Err("write the name alone, without a port, such as node.test".to_owned());
    }
    Ok(text.to_owned())
}

/// Shows the help or the error of a command line without anything that looks like a private key, and
/// exits.
pub fn exit_with(error: &clap::Error) -> ! {
    let text = error.render().to_string();
    let harmless = redact_parts(&text, &given_keys("DEVNODE_"));
    if harmless == text {
        error.exit()
    }
    let _written = write!(io::stderr(), "{harmless}");
    std::process::exit(error.exit_code())
}

/// Runs a node until Ctrl-C or SIGTERM, and returns the exit status.
///
/// It is 0 after such a signal, 2 if the node can't be started with these options, and 1 if a block could not be
/// saved.
pub async fn run(args: DevnodeArgs) -> ExitCode {
    // A program that runs a node in its own process may have another subscriber.
    let _set = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::WARN)
        .with_writer(io::stderr)
        .with_ansi(false)
        .with_target(false)
        .without_time()
        .try_init();
    match serve(&args).await {
        Ok(()) => ExitCode::SUCCESS,
        Err((status, message)) => {
            // If even standard error can't be written to, nothing else can be done.
            let _written = writeln!(io::stderr(), "error: {message}");
            ExitCode::from(status)
        }
    }
}

async fn serve(args: &DevnodeArgs) -> Result<(), (u8, String)> {
    let unusable = |message: String| (EXIT_USAGE, message);
    if let Some(FaultArg::List) = args.fault {
        // A closed pipe is not an error.
        let _written = io::stdout().write_all(list_of_faults().as_bytes());
        return Ok(());
    }
    let end = end().map_err(|error| unusable(format!("can't wait for signals: {error}")))?;
    tokio::pin!(end);
    let config = args.config();
    let node = tokio::select! {
        started = spawn(config.clone()) => started.map_err(|error| unusable(error.to_string()))?,
        () = &mut end => return Ok(()),
    };
    node.set_outage(args.latency.map(Outage::Delayed));
    if !args.host.to_canonical().is_loopback() {
        let _written = writeln!(
            io::stderr(),
            "warning: {} can be reached from other machines, and this node's private keys are \
             public: anyone can sign with them",
            node.address()
        );
    }
    let greeting = Greeting::of(&node, &config);
    let greeting = if args.json {
        greeting
            .json()
            .map_err(|error| unusable(error.to_string()))?
    } else {
        greeting.text(&config)
    };
    // A closed pipe is not a reason to end the node.
    let _written = io::stdout().write_all(greeting.as_bytes());
    let failed = tokio::select! {
        () = end => None,
        reason = node.saving_failed() => Some(reason),
    };
    node.shutdown().await;
    match (failed, &args.state) {
        (Some(reason), Some(path)) => {
            let path = path.display();
            Err((
                EXIT_NOT_SAVED,
                format!("{path}: a block could not be saved: {reason}"),
            ))
        }
        _ => Ok(()),
    }
}
