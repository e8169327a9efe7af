//! The command-line arguments.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use clap::{Args, Subcommand, ValueEnum};
use nodeproof_primitives::{Amount, ContractAddress, Network};

use crate::{api::Tier, monitor::LogFormat, sweep::BlockRange};

const EXIT_STATUS: &str = "\
Exit status:
  0    the node conforms
  1    it does not
  2    wrong usage or configuration; no case selected, too
  3    the node was unreachable or lost, what answers is no node, or time ran out
  4    the harness is at fault
  5    an expectation is stale: a case passes that was expected to depart
  130  interrupted by Ctrl-C; what was found until then is reported
  143  the same by SIGTERM
Of several nodes it is the worst, where 130 and 143 are worse than 4, 4 than 3, 3 than 1, 1 than 5,
and 5 than 0; where the nodes do not agree with one another, it counts as 1, and as 3 where they could not be
compared at all.";

const DIFF_EXIT_STATUS: &str = "\
Exit status:
  0  nothing is worse than before
  1  a case newly fails (with --strict, also: warns), or the later run has a worse exit status, such as
     one without a verdict
  2  wrong usage, or a file that is not a report.json of this version";

const MONITOR_EXIT_STATUS: &str = "\
Exit status:
  0  ended by Ctrl-C or SIGTERM
  2  wrong usage or configuration, such as a port in use";

/// What can be done besides a run.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Explain a case or a requirement: what it says, what is checked, and what a good response is.
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
    /// Check nodes again and again, and serve the results as metrics (OpenMetrics). Only changes are printed.
    #[command(after_help = MONITOR_EXIT_STATUS)]
    Monitor(Box<MonitorArgs>),
}

/// Checks nodes again and again.
#[derive(Clone, Debug, Args)]
pub struct MonitorArgs {
    /// The nodes, the cases and the limits.
    #[command(flatten)]
    pub check: CheckArgs,

    /// Time from the start of a run to the start of the next one, in seconds.
    #[arg(long, value_name = "S", default_value = "60", value_parser = seconds)]
    pub interval: Duration,

    /// Address and port of /metrics and /healthz.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:9464")]
    pub listen: SocketAddr,

    /// Form of the log on standard output, one line for each change.
    #[arg(long, value_enum, default_value_t = LogFormat::Text)]
    pub log: LogFormat,
}

/// Check whether a node keeps the contract.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXIT_STATUS)]
pub struct ConformanceArgs {
    /// What to do instead of checking a node.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// The nodes, the cases and the limits.
    #[command(flatten)]
    pub check: CheckArgs,

    /// Key file of the wallet that signs: a JSON object with public, private and address, or an
    /// encrypted private key (PEM).
    #[arg(long, value_name = "FILE")]
    pub wallet: Option<PathBuf>,

    /// File whose first line is the passphrase of an encrypted --wallet.
    #[arg(long, value_name = "FILE", requires = "wallet")]
    pub passphrase_file: Option<PathBuf>,

    /// Sign with the wallet although its key file records another network. Signatures are not bound to a
    /// network: what is signed for one can be submitted on another. So use one wallet per network.
    #[arg(long, requires = "wallet")]
    pub any_network: bool,

    /// The fee of what is submitted.
    #[arg(long, value_name = "AMOUNT", default_value = "1000000")]
    pub fee: Amount,

    /// The token that the fee is paid in [default: the one that /call-sc writes, if the run started
    /// the node itself].
    #[arg(long, value_name = "TOKEN")]
    pub currency: Option<String>,

    /// The verification contract that the claim is made with [default: one that is found on the chain,
    /// if the run started the node itself].
    #[arg(long, value_name = "ct…")]
    pub contract: Option<ContractAddress>,

    /// How long a claim is waited for until it can be read, in seconds.
    #[arg(long, value_name = "S", default_value = "60", value_parser = seconds, allow_negative_numbers = true)]
    pub settle_timeout: Duration,

    /// List every request that a run would make, by its kind, and send nothing.
    #[arg(long)]
    pub dry_run: bool,

    /// List the cases with their levels and tiers below their requirements, and send nothing.
    #[arg(long)]
    pub list: bool,

    /// Fail where something that the contract documents was not exercised.
    #[arg(long)]
    pub require_coverage: bool,

    /// Compare with what was recorded of this node under that name.
    #[arg(long, value_name = "NAME")]
    pub baseline: Option<String>,

    /// Record what the baseline has not pinned yet, and leave what differs for `cargo insta review`.
    #[arg(long, requires = "baseline")]
    pub record: bool,

    /// Folder of the baselines [default: that of the crate in its repository, else ./baselines].
    #[arg(long, value_name = "DIR", requires = "baseline")]
    pub baseline_dir: Option<PathBuf>,

    /// Have the cases about blocks look at all of these blocks, and not at a few: 5..10 is 5 to 9,
    /// 5..=10 is 5 to 10, and .. is all that there is when the run begins.
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    pub blocks: Option<BlockRange>,

    /// Go on with the sweep that was cut, from the state that it has left.
    #[arg(long, requires = "blocks")]
    pub resume: bool,

    /// Where a sweep keeps its state [default: in --report-dir, else in the user's folder for
    /// states, named by the node].
    #[arg(long, value_name = "FILE", requires = "blocks")]
    pub state: Option<PathBuf>,

    /// How many requests are sent in all at most [default: 2000, and a sweep's besides].
    #[arg(long, value_name = "N")]
    pub max_requests: Option<u64>,

    /// How long the whole run may take, in seconds [default: 300, and a sweep as long as it takes].
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true)]
    pub deadline: Option<Duration>,

    /// Form of the report on standard output.
    #[arg(long, value_enum, default_value_t = Format::Pretty)]
    pub format: Format,

    /// Repeat the run on Enter, or also every so many seconds (--watch=30), and show what is fixed and
    /// what is new since the last run. Ctrl-C ends it with the exit status of the last run.
    #[arg(
        long,
        value_name = "S",
        num_args = 0..=1,
        require_equals = true,
        value_parser = seconds,
        conflicts_with_all = ["blocks", "record", "summary"]
    )]
    pub watch: Option<Option<Duration>>,

    /// Append a summary in Markdown to this file, such as $GITHUB_STEP_SUMMARY.
    #[arg(long, value_name = "FILE")]
    pub summary: Option<PathBuf>,

    /// Folder to write report.json, junit.xml and report.html to; made where it is not there. Those
    /// of an earlier run are removed first.
    #[arg(long, value_name = "DIR")]
    pub report_dir: Option<PathBuf>,

    /// Only the report, without progress.
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,

    /// A line for each case on a terminal, too.
    #[arg(short, long)]
    pub verbose: bool,
}

/// The nodes, the cases and the limits, as every check of nodes needs them.
#[derive(Clone, Debug, Args)]
pub struct CheckArgs {
    /// Base URL of the node, such as http://localhost:8420; the network's port where it has none.
    /// Given more than once, all are checked, and held against one another.
    #[arg(long, value_name = "URL")]
    pub base_url: Vec<String>,

    /// A TOML file of nodes to check: a `[[node]]` with base_url and, if wanted, network for each.
    #[arg(long, value_name = "FILE", conflicts_with = "base_url")]
    pub targets: Option<PathBuf>,

    /// Network of the node; the URL's port may tell it, and without a URL it is devnet.
    #[arg(long, value_name = "devnet|testnet|mainnet")]
    pub network: Option<Network>,

    /// How far the run may go: read only asks, reject submits what must be refused, write does that and
    /// makes a claim and pays its fee. Besides, probe asks with odd values that a careless node takes
    /// for something else: --allow read,probe. A node that the run starts itself is open to all of it.
    #[arg(
        long,
        value_enum,
        value_name = "read|probe|reject|write",
        value_delimiter = ',',
        hide_possible_values = true
    )]
    pub allow: Vec<Tier>,

    /// Go beyond reading on mainnet, too.
    #[arg(long)]
    pub allow_mainnet: bool,

    /// Run only the cases whose ID matches; may be given more than once.
    #[arg(long, value_name = "GLOB")]
    pub only: Vec<String>,

    /// Do not run the cases whose ID matches; may be given more than once.
    #[arg(long, value_name = "GLOB")]
    pub skip: Vec<String>,

    /// Fail on departures from what is expected but not written, too.
    #[arg(long)]
    pub strict: bool,

    /// A JSON file with what is known of the node: blocks, wallets, tokens, assets, trust.
    #[arg(long, value_name = "FILE")]
    pub fixture: Option<PathBuf>,

    /// A TOML file of known departures: cases with a reason and, if wanted, an expiry.
    #[arg(long, value_name = "FILE")]
    pub expect: Option<PathBuf>,

    /// How many cases run side by side, and how many blocks a sweep asks for at a time.
    ///
    /// With 1, each request has a connection of its own, and one is open at a time. With more, the
    /// second request tests whether the node responds while another connection is idle. If it does
    /// not, the run goes on with one connection at a time, and the report notes that.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = positive, allow_negative_numbers = true)]
    pub jobs: usize,

    /// How many requests are sent in a second at most; as many as the node answers, if not given.
    #[arg(long, value_name = "N", value_parser = rate, allow_negative_numbers = true)]
    pub rate: Option<f64>,

    /// The most that is read of one answer, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..))]
    pub max_body: u16,

    /// The most memory that answers may take that are looked at together, in MiB; the program itself
    /// takes about 20 besides.
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..))]
    pub max_memory: u16,

    /// How deep the JSON document of an answer may be nested, up to 127 levels.
    #[arg(long, value_name = "LEVELS", default_value_t = 127, value_parser = clap::value_parser!(u8).range(1..=127))]
    pub max_depth: u8,

    /// How long a request may take, in seconds.
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

fn seconds(text: &str) -> Result<Duration, String> {
    let wrong = || format!("{text:?} is no number of seconds, such as 10 or 0.5");
    let seconds: f64 = text.parse().map_err(|_| wrong())?;
    if seconds <= 0.0 || seconds > 1e6 {
        return Err(wrong());
    }
    Duration::try_from_secs_f64(seconds).map_err(|_| wrong())
}

fn rate(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(rate) if rate > 0.0 && rate <= 1e6 => Ok(rate),
        _ => Err(format!(
            "{text:?} is no number of requests in a second, such as 10 or 0.5"
        )),
    }
}

fn positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count @ 1..=256) => Ok(count),
        _ => Err(format!("{text:?} is no number from 1 to 256")),
    }
}
