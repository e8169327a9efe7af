//! The command-line arguments.

use std::{net::SocketAddr, ops::RangeInclusive, path::PathBuf, time::Duration};

use clap::{Args, Parser, Subcommand, ValueEnum, value_parser};
use clap_complete::Shell;
use nodeproof_client::BaseUrl;
use nodeproof_primitives::{Amount, ContractAddress, Hidden, Network};

use crate::{
    api::Tier,
    history::MAX_CLAIMS,
    monitor::LogFormat,
    sweep::{BlockRange, Part},
};

const EXIT_STATUS: &str = "\
Exit status:
  0    the node conforms
  1    the node does not conform or differs from the baseline, or the run did not meet
       --require-coverage
  2    invalid usage or configuration, or no case was selected
  3    no verdict: the node was unreachable, busy or lost, the server is not a node, a limit was
       reached, there was nothing to check, or a tier given with --allow could not run
  4    the harness itself failed, or could not write its report of a run without a fault
  5    a case passed that the file given with --expect lists as a known failure
  130  interrupted by Ctrl-C; the findings so far are reported
  143  interrupted by SIGTERM; the findings so far are reported
For several nodes, it is the worst one: 130 and 143, then 4, 3, 1, 5, 0. Nodes that disagree with each
other count as 1, and as 3 if they could not be compared.";

const DIFF_EXIT_STATUS: &str = "\
Exit status:
  0  nothing is worse than before
  1  a case newly fails (with --strict, also: warns), or the later run has a worse exit status, such as
     one without a verdict
  2  invalid usage, or a file that is not a report.json of this version
  3  nothing is worse, but the later run did not check all earlier findings again
  4  nothing is worse, but the comparison could not be written";

const JUDGE_EXIT_STATUS: &str = "\
Exit status:
  0  no case failed
  1  the node does not conform
  2  invalid usage or configuration, or a file that is not an HTTP Archive
  3  no verdict: no recorded response could be judged
  4  the harness itself failed, or could not write its report of a record without a fault
  5  a case passed that the file given with --expect lists as a known failure";

const MONITOR_EXIT_STATUS: &str = "\
Exit status:
  0  ended by Ctrl-C or SIGTERM
  2  invalid usage or configuration, such as a port in use";

/// The command line of `nodeproof`.
#[derive(Debug, Parser)]
#[command(
    name = "nodeproof",
    version,
    about = "Check whether a node conforms to the specification of its HTTP API"
)]
pub struct Nodeproof {
    /// The arguments, which `cargo xtask conformance` has, too.
    #[command(flatten)]
    pub args: ConformanceArgs,
}

/// What the command can do instead of a run.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Explain a case or a requirement: what is checked, why, and a good response.
    Explain {
        /// The ID, such as get-block/text or BLOCK-6.
        id: String,
    },
    /// Compare two reports: what is new, fixed, changed and slower.
    #[command(after_help = DIFF_EXIT_STATUS)]
    Diff {
        /// report.json of the earlier run.
        before: PathBuf,
        /// report.json of the later run.
        after: PathBuf,
        /// Form of the comparison on standard output.
        #[arg(long, value_enum, default_value_t = DiffFormat::Text)]
        format: DiffFormat,
    },
    /// Judge recorded exchanges with a node, and send nothing: history.har of a run, or an HTTP Archive (HAR)
    /// of a browser, a proxy or a test. Cases that need requests of their own are skipped.
    #[command(after_help = JUDGE_EXIT_STATUS)]
    Judge(Box<JudgeArgs>),
    /// Check nodes again and again, and serve the results as metrics (OpenMetrics). Only changes are printed.
    /// SIGHUP reads the files again.
    #[command(after_help = MONITOR_EXIT_STATUS)]
    Monitor(Box<MonitorArgs>),
    /// Print the completions of a shell.
    Completions {
        /// The shell.
        #[arg(value_enum, value_name = "SHELL")]
        shell: Shell,
    },
    /// Print the manual page, or write the pages of all commands to a folder.
    Man {
        /// Write the pages to this folder, which must exist.
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
    },
}

/// The arguments of `judge`.
#[derive(Clone, Debug, Args)]
pub struct JudgeArgs {
    /// HTTP Archive (HAR) of up to 256 MiB and 100,000 exchanges.
    pub file: PathBuf,

    /// Base URL of the node in the file [default: the one with the most requests to endpoints of a node].
    #[arg(long, value_name = "URL")]
    pub base_url: Option<BaseUrl>,

    /// Network of the node [default: the one in history.har, or that of the URL's port].
    #[arg(long, value_name = "devnet|testnet|mainnet")]
    pub network: Option<Network>,

    /// Which cases judge, and how much of a response.
    #[command(flatten)]
    pub cases: CaseArgs,

    /// Where the report goes.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// The arguments of `monitor`.
#[derive(Clone, Debug, Args)]
pub struct MonitorArgs {
    /// The nodes, the cases and the limits.
    #[command(flatten)]
    pub check: CheckArgs,

    /// Time from one probe of a node to the next one, and from one comparison of the nodes to the next one, in
    /// seconds. A probe measures reachability, latency and height.
    #[arg(long, value_name = "S", default_value = "15", value_parser = seconds)]
    pub interval: Duration,

    /// Time from the start of a run of all cases to the start of the next one, in seconds.
    #[arg(long, value_name = "S", default_value = "60", value_parser = seconds)]
    pub run_interval: Duration,

    /// Address and port of /metrics and /healthz.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:9464")]
    pub listen: SocketAddr,

    /// File of the last checked block of each node, and of the nodes that left the majority. After a
    /// restart, the monitor continues there [default: none; the check begins at the latest block].
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,

    /// Form of the log on standard output, one line for each change.
    #[arg(long, value_enum, default_value_t = LogFormat::Text)]
    pub log: LogFormat,
}

/// Check whether a node conforms to the specification of its HTTP API.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXIT_STATUS)]
pub struct ConformanceArgs {
    /// What to do instead of checking a node.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// The nodes, the cases and the limits.
    #[command(flatten)]
    pub check: CheckArgs,

    /// Key file of the wallet that signs: JSON with public, private and address, or an encrypted
    /// private key (PEM).
    #[arg(long, value_name = "FILE")]
    pub wallet: Option<PathBuf>,

    /// File whose first line is the passphrase of an encrypted --wallet, and of an encrypted --co-signer.
    #[arg(long, value_name = "FILE", requires = "wallet")]
    pub passphrase_file: Option<PathBuf>,

    /// Key file of a second wallet of the chain. The run also makes a claim of both wallets, and one of
    /// this wallet alone if it holds the fee. Each pays one more fee. They decide whether the node
    /// requires the signature of each signer, and whether each wallet pays for its own claims.
    #[arg(long, value_name = "FILE", requires = "wallet")]
    pub co_signer: Option<PathBuf>,

    /// Sign even if the key file records another network. A transaction that is signed for one network
    /// can be submitted on another, so use one wallet for each network.
    #[arg(long, requires = "wallet")]
    pub any_network: bool,

    /// Fee of each submission, in the token's smallest unit. Claims after the first one pay up to 9 units
    /// more.
    #[arg(long, value_name = "AMOUNT", default_value = "1000000")]
    pub fee: Amount,

    /// Code of the token that the fee is paid in [default: none; for the local node of cargo xtask
    /// conformance, the one that /call-sc returns].
    #[arg(long, value_name = "TOKEN")]
    pub currency: Option<String>,

    /// Address of the verification contract for the claim [default: the first one in --fixture; for the
    /// local node of cargo xtask conformance, one from the chain].
    #[arg(long, value_name = "ct…")]
    pub contract: Option<ContractAddress>,

    /// Number of claims to make, from 1 to 8. Each pays the fee, and has other values: long texts, empty
    /// ones, texts that look like numbers, long lists, asset IDs that are almost equal [default: 1; 8 on
    /// a devnet]. With two or more, the wallet's signatures are also
    /// submitted with wrong transactions. A node that accepts one of these can charge one fee more. On a
    /// devnet, one more claim offers the fee in another token of the wallet, one offers a fee beyond 32 bits
    /// if the wallet holds 16 times that, one names another wallet as the one that pays, one is about an asset
    /// of the co-signer, and some fees are more than it holds.
    #[arg(long, value_name = "N", value_parser = value_parser!(u8).range(1..=i64::from(MAX_CLAIMS)))]
    pub claims: Option<u8>,

    /// Longest time until a claim can be read, in seconds. After one wait in vain, the run waits less for the others.
    #[arg(long, value_name = "S", default_value = "60", value_parser = seconds, allow_negative_numbers = true)]
    pub settle_timeout: Duration,

    /// List every kind of request that a run would send, and send nothing.
    #[arg(long)]
    pub dry_run: bool,

    /// List the cases by requirement, with their levels and tiers, and send nothing.
    #[arg(long)]
    pub list: bool,

    /// Fail the run if it did not exercise everything that the specification documents.
    #[arg(long)]
    pub require_coverage: bool,

    /// Compare the node with the baseline of this name.
    #[arg(long, value_name = "NAME")]
    pub baseline: Option<String>,

    /// Record what is not in the baseline yet. What differs is written beside it, to .snap.new files.
    #[arg(long, requires = "baseline")]
    pub record: bool,

    /// Folder of the baselines [default: crates/conformance/baselines in the clone, else ./baselines].
    #[arg(long, value_name = "DIR", requires = "baseline")]
    pub baseline_dir: Option<PathBuf>,

    /// Check all blocks of a range instead of a few: 5..10 is 5 to 9, 5..=10 is 5 to 10, and .. is
    /// every block that exists when the run starts.
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    pub blocks: Option<BlockRange>,

    /// Check only one of N equal parts of --blocks, which must have an end. I counts from 0: 0/4 to 3/4.
    #[arg(
        long,
        value_name = "I/N",
        requires = "blocks",
        allow_hyphen_values = true
    )]
    pub part: Option<Part>,

    /// Continue an interrupted sweep from its state. Without a state, the sweep starts. A finished sweep
    /// keeps its report and its exit status.
    #[arg(long, requires = "blocks")]
    pub resume: bool,

    /// Continue a sweep as --resume does, and after a finished one, check the blocks after its last block.
    #[arg(long, requires = "blocks", conflicts_with = "resume")]
    pub new_blocks: bool,

    /// Merge the finished sweeps over all parts of --blocks: files of their states, or their report folders. The
    /// report has the findings of all parts, and the worst verdict.
    #[arg(
        long,
        value_name = "PATH",
        num_args = 1..,
        requires = "blocks",
        conflicts_with_all = ["resume", "new_blocks", "part", "watch"]
    )]
    pub merge: Vec<PathBuf>,

    /// File of the sweep's state [default: in --report-dir, or in the user's state folder].
    #[arg(long, value_name = "FILE", requires = "blocks")]
    pub state: Option<PathBuf>,

    /// Maximum number of requests [default: 5000, plus those of a sweep].
    #[arg(long, value_name = "N")]
    pub max_requests: Option<u64>,

    /// Timeout of the whole run, in seconds [default: 300, or 900 with --allow; none for a sweep].
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true)]
    pub deadline: Option<Duration>,

    /// Repeat the run on Enter or, with --watch=30, also every 30 seconds. Shows what is fixed and what is
    /// new since the last run. Ctrl-C ends it with the exit status of the last run.
    #[arg(
        long,
        value_name = "S",
        num_args = 0..=1,
        require_equals = true,
        value_parser = seconds,
        conflicts_with_all = ["blocks", "record", "summary"]
    )]
    pub watch: Option<Option<Duration>>,

    /// Where the report goes.
    #[command(flatten)]
    pub output: OutputArgs,

    /// Removed. Any value is an error.
    #[arg(long, hide = true, value_parser = removed_progress)]
    pub progress: Option<String>,

    /// Print the report only, without progress.
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Print a line for each case on a terminal, too.
    #[arg(short, long)]
    pub verbose: bool,
}

/// Which cases judge, how strictly, and how much of a response.
#[derive(Clone, Debug, Args)]
pub struct CaseArgs {
    /// Use only cases whose ID matches. Can be repeated.
    #[arg(long, value_name = "GLOB")]
    pub only: Vec<String>,

    /// Skip cases whose ID matches. Can be repeated.
    #[arg(long, value_name = "GLOB")]
    pub skip: Vec<String>,

    /// Fail on warnings, too: mismatches with what is expected but not documented.
    #[arg(long)]
    pub strict: bool,

    /// TOML file of known failures: cases with a reason and, optionally, an expiry date.
    #[arg(long, value_name = "FILE")]
    pub expect: Option<PathBuf>,

    /// Maximum size of a response, in MiB (1,048,576 bytes). Longer ones are not judged.
    #[arg(long, value_name = "MIB", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..))]
    pub max_body: u16,

    /// Maximum number of JSON values in a response, and in all responses that are kept, counted by
    /// opening brackets and commas. 1,000 values need up to 0.5 MB of memory.
    #[arg(long, value_name = "N", default_value_t = 250_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub max_values: u32,
}

/// Where the report goes, and in which form.
#[derive(Clone, Debug, Args)]
pub struct OutputArgs {
    /// Form of the report on standard output.
    #[arg(long, value_enum, default_value_t = Format::Pretty)]
    pub format: Format,

    /// Append a summary in Markdown to this file, such as $GITHUB_STEP_SUMMARY.
    #[arg(long, value_name = "FILE")]
    pub summary: Option<PathBuf>,

    /// Folder for report.json, junit.xml and report.html, and for history.har of a run, an HTTP Archive of its
    /// exchanges for `nodeproof judge`. It is created if it does not exist. Reports of an earlier run are removed first.
    #[arg(long, value_name = "DIR")]
    pub report_dir: Option<PathBuf>,
}

/// The nodes, the cases and the limits of every run.
#[derive(Clone, Debug, Args)]
pub struct CheckArgs {
    /// Base URL of the node, such as http://localhost:8420. Without a port, it is the network's. Repeat
    /// it for several nodes. A run compares them with each other; monitor compares their heights and latest blocks.
    #[arg(long, value_name = "URL")]
    pub base_url: Vec<String>,

    /// TOML file of nodes to check: a `[[node]]` for each, with base_url and, optionally, network, headers,
    /// ca_file and client_cert.
    #[arg(long, value_name = "FILE", conflicts_with = "base_url")]
    pub targets: Option<PathBuf>,

    /// Network of the node [default: the network of the URL's port; devnet for the local node of cargo
    /// xtask conformance].
    #[arg(long, value_name = "devnet|testnet|mainnet")]
    pub network: Option<Network>,

    /// Header for every request, such as the key of a gateway in front of the node. Can be repeated. The
    /// value is in a file with 'NAME: @FILE', and in an environment variable with 'NAME: env:VARIABLE'.
    /// Reports show the name, and not the value.
    #[arg(long, value_name = "NAME: VALUE")]
    pub header: Vec<Hidden<String>>,

    /// PEM file of certificate authorities to trust in addition to the system's.
    #[arg(long, value_name = "FILE")]
    pub ca_file: Option<PathBuf>,

    /// PEM file of a certificate and its unencrypted private key, for a server that requires a client
    /// certificate.
    #[arg(long, value_name = "FILE")]
    pub client_cert: Option<PathBuf>,

    /// What the run may send. read: GETs and /call-sc. probe: unusual values in them. reject: submissions that
    /// a node must refuse. write: these, and a claim, for which the wallet pays; not for monitor. Tiers can
    /// be combined: --allow write,probe [default: read; all for the local node of cargo xtask conformance].
    #[arg(
        long,
        value_enum,
        value_name = "read|probe|reject|write",
        value_delimiter = ',',
        hide_possible_values = true
    )]
    pub allow: Vec<Tier>,

    /// Allow tiers beyond read on mainnet.
    #[arg(long)]
    pub allow_mainnet: bool,

    /// Which cases judge, and how much of a response.
    #[command(flatten)]
    pub cases: CaseArgs,

    /// JSON file of samples that the node has: blocks, wallets, tokens, balances, assets, contracts,
    /// trust. An entry can have values that the node must return.
    #[arg(long, value_name = "FILE")]
    pub fixture: Option<PathBuf>,

    /// A report.json of an earlier run, whose findings to check again: the run requests their
    /// samples, and has no verdict if it cannot.
    #[arg(long, value_name = "FILE")]
    pub recheck: Option<PathBuf>,

    /// Number of requests that are sent at the same time, also by a sweep. Submissions have limits of
    /// their own.
    ///
    /// With 1, one connection is open at a time, and each request has its own. A node that handles one
    /// connection at a time needs that.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = positive, allow_negative_numbers = true)]
    pub jobs: usize,

    /// Maximum number of requests per second [default: 50 at a node on another machine, but no limit for
    /// submissions and the blocks of a sweep; no limit at a node on this machine; 20 for monitor].
    #[arg(long, value_name = "N", value_parser = rate, allow_negative_numbers = true)]
    pub rate: Option<f64>,

    /// Replaced by --max-values.
    #[arg(long, hide = true, value_parser = |_: &str| Err::<String, _>("use --max-values instead"))]
    pub max_memory: Option<String>,

    /// Maximum nesting of a response's JSON, up to 127 levels.
    #[arg(long, value_name = "LEVELS", default_value_t = 127, value_parser = clap::value_parser!(u8).range(1..=127))]
    pub max_depth: u8,

    /// Timeout of a request, in seconds.
    #[arg(long, value_name = "S", default_value = "10", value_parser = seconds, allow_negative_numbers = true)]
    pub request_timeout: Duration,
}

/// Form of the report on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a person.
    Pretty,
    /// One line for each case.
    Compact,
    /// The text of report.json.
    Json,
    /// Annotations of a GitHub Actions job.
    Github,
}

/// Form of a comparison on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DiffFormat {
    /// For a person.
    Text,
    /// For a comment or a job summary.
    Markdown,
}

fn removed_progress(_: &str) -> Result<String, String> {
    Err(
        "there is no other form of progress now: read `next` and `to` in the file of --state"
            .to_owned(),
    )
}

/// The limits of a number of seconds, and of requests per second.
const LIMITS: RangeInclusive<f64> = 0.001..=1e6;

fn seconds(text: &str) -> Result<Duration, String> {
    let wrong =
        || format!("{text:?} is not a number of seconds from 0.001 to 1000000, such as 10 or 0.5");
    let seconds: f64 = text.parse().map_err(|_| wrong())?;
    if !LIMITS.contains(&seconds) {
        return Err(wrong());
    }
    Duration::try_from_secs_f64(seconds).map_err(|_| wrong())
}

fn rate(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(rate) if LIMITS.contains(&rate) => Ok(rate),
        _ => Err(format!(
            "{text:?} is not a number of requests per second from 0.001 to 1000000, such as 10 or 0.5"
        )),
    }
}

fn positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count @ 1..=256) => Ok(count),
        _ => Err(format!("{text:?} is not a number from 1 to 256")),
    }
}
