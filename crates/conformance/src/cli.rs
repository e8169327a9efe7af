//! The command line, shared by `cargo xtask conformance` and `nodeproof`.

mod error;
mod output;
mod report_folder;
mod several;
mod signals;
mod swept;

use std::{
    ffi::OsString,
    future::Future,
    path::{Path, PathBuf},
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use clap::{Args, ValueEnum};
use globset::{Glob, GlobMatcher};
use nodeproof_primitives::{Amount, Network};
use nodeproof_report::ExitStatus;
use nodeproof_wallet::{KeyFile, KeyFileFault};

use error::UsageError;
use output::{complain, list, print, show, style};
use report_folder::{ReportFolder, remove_stale};
use several::{named_targets, several};
use signals::{Signals, mark_terminated};
use swept::sweep_with_state;

use crate::{
    Expectations, Options,
    api::Tier,
    cases::{self, BASELINE},
    context::{Baseline, SigningWallet, Submitting},
    discovery::Fixture,
    http::{Target, TargetError},
    plan,
    progress::Progress,
    run,
    sweep::{self, BlockRange, Sweep},
};
use zeroize::Zeroizing;

const MIB: usize = 1024 * 1024;

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

/// Check whether a node keeps the contract.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXIT_STATUS)]
pub struct ConformanceArgs {
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

    /// How far the run may go: read only asks, reject submits what must be refused, write makes a
    /// claim and pays its fee. A node that the run starts itself is open to all of it.
    #[arg(
        long,
        value_enum,
        value_name = "read|reject|write",
        hide_possible_values = true
    )]
    pub allow: Option<Tier>,

    /// Go beyond reading on mainnet, too.
    #[arg(long)]
    pub allow_mainnet: bool,

    /// Key file of the wallet that signs: a JSON object with public, private and address, or an
    /// encrypted private key (PEM).
    #[arg(long, value_name = "FILE")]
    pub wallet: Option<PathBuf>,

    /// File whose first line is the passphrase of an encrypted --wallet.
    #[arg(long, value_name = "FILE", requires = "wallet")]
    pub passphrase_file: Option<PathBuf>,

    /// The fee of what is submitted.
    #[arg(long, value_name = "AMOUNT", default_value = "1000000")]
    pub fee: Amount,

    /// The token that the fee is paid in [default: the one that /call-sc writes].
    #[arg(long, value_name = "TOKEN")]
    pub currency: Option<String>,

    /// How long a claim is waited for until it can be read, in seconds.
    #[arg(long, value_name = "S", default_value = "60", value_parser = seconds, allow_negative_numbers = true)]
    pub settle_timeout: Duration,

    /// List every request that a run would make, by its kind, and send nothing.
    #[arg(long)]
    pub dry_run: bool,

    /// List the cases with their levels and requirements, and send nothing.
    #[arg(long)]
    pub list: bool,

    /// Run only the cases whose ID matches; may be given more than once.
    #[arg(long, value_name = "GLOB")]
    pub only: Vec<String>,

    /// Do not run the cases whose ID matches; may be given more than once.
    #[arg(long, value_name = "GLOB")]
    pub skip: Vec<String>,

    /// Fail on departures from what is expected but not written, too.
    #[arg(long)]
    pub strict: bool,

    /// Fail where something that the contract documents was not exercised.
    #[arg(long)]
    pub require_coverage: bool,

    /// A JSON file with what is known of the node: blocks, wallets, tokens, assets, trust.
    #[arg(long, value_name = "FILE")]
    pub fixture: Option<PathBuf>,

    /// A TOML file of known departures: cases with a reason and, if wanted, an expiry.
    #[arg(long, value_name = "FILE")]
    pub expect: Option<PathBuf>,

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

    /// How many cases run side by side, and how many blocks a sweep asks for at a time.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = positive, allow_negative_numbers = true)]
    pub jobs: usize,

    /// How many requests are sent in a second at most; as many as the node answers, if not given.
    #[arg(long, value_name = "N", value_parser = rate, allow_negative_numbers = true)]
    pub rate: Option<f64>,

    /// How many requests are sent in all at most [default: 1000, and a sweep's besides].
    #[arg(long, value_name = "N")]
    pub max_requests: Option<u64>,

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

    /// How long the whole run may take, in seconds [default: 300, and a sweep as long as it takes].
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true)]
    pub deadline: Option<Duration>,

    /// Form of the report on standard output.
    #[arg(long, value_enum, default_value_t = Format::Pretty)]
    pub format: Format,

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

/// Form of the report on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a person.
    Pretty,
    /// The text of report.json.
    Json,
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

/// A node that was started for a run, and ends when this is dropped.
pub struct LocalNode {
    /// Where it answers.
    pub base_url: String,
    /// The folder of the shared snapshots, which this node's run may leave for review.
    pub reviewable_snapshots: Option<PathBuf>,
    /// A wallet of its own that can pay fees.
    pub wallet: Option<SigningWallet>,
    /// Ends the node when it is dropped.
    pub guard: Box<dyn std::any::Any + Send>,
}

/// Starts a node of our own for a run without a URL.
pub type StartLocal = Box<
    dyn FnOnce(Network) -> Pin<Box<dyn Future<Output = Result<LocalNode, String>> + Send>> + Send,
>;

/// Does what the command line says, and hands back the exit status.
///
/// Reports of an earlier run are removed from the folder of reports before anything else.
pub async fn execute(args: &ConformanceArgs, local: Option<StartLocal>) -> u8 {
    if let Some(folder) = args.report_dir.as_deref()
        && !args.list
        && !args.dry_run
    {
        remove_stale(folder);
    }
    match try_execute(args, local).await {
        Ok(status) => status,
        Err(error) => {
            complain(&format!("error: {error}"));
            ExitStatus::Usage.code()
        }
    }
}

/// Removes the reports of an earlier run from the folder that a command line names, which is wrong
/// otherwise, so that nothing else is done: it is no verdict of the run that was asked for.
pub fn remove_stale_reports(arguments: impl IntoIterator<Item = OsString>) {
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let Some(text) = argument.to_str() else {
            continue;
        };
        let folder = match text.strip_prefix("--report-dir") {
            Some("") => arguments.next(),
            Some(rest) => rest.strip_prefix('=').map(OsString::from),
            None => None,
        };
        if let Some(folder) = folder {
            remove_stale(Path::new(&folder));
        }
    }
}

async fn try_execute(args: &ConformanceArgs, local: Option<StartLocal>) -> Result<u8, UsageError> {
    let named = named_targets(args)?;
    let mut options = options(args)?;
    if args.list {
        list(&options)?;
        return Ok(0);
    }
    if named.len() > 1 {
        return several(args, options, named).await;
    }
    let named = named.into_iter().next();
    if named.is_none() && local.is_some() {
        // The run's own node is nobody's mainnet, whatever it is called.
        options.allow = args.allow.unwrap_or(Tier::Write);
        options.allow_mainnet = true;
    }
    if args.dry_run {
        let target = named;
        let network = target
            .as_ref()
            .map(|target| target.network)
            .or(args.network);
        let network = network.unwrap_or(Network::Devnet);
        permitted(&options, network)?;
        print(&plan::text(&options, target.as_ref(), network))?;
        return Ok(0);
    }
    let (target, _guard) = match (named, local) {
        (Some(target), _) => {
            permitted(&options, target.network)?;
            if options.allow == Tier::Write && options.submitting.wallet.is_none() {
                return Err(UsageError::NoWallet);
            }
            (target, None)
        }
        (None, None) => return Err(UsageError::NoTarget),
        (None, Some(start)) => {
            let network = args.network.unwrap_or(Network::Devnet);
            permitted(&options, network)?;
            let node = start(network).await.map_err(UsageError::Local)?;
            options.reviewable_snapshots = node.reviewable_snapshots.clone();
            let wallet = &mut options.submitting.wallet;
            *wallet = wallet.take().or(node.wallet);
            (Target::parse(&node.base_url, network)?, Some(node.guard))
        }
    };
    if let Some(sweep) = options.sweep.take() {
        options.sweep = Some(sweep_with_state(sweep, args, &options, &target)?);
    }
    let folder = match args.report_dir.as_deref() {
        Some(path) => {
            let folder = ReportFolder::prepare(path).map_err(|error| report_dir(path, &error))?;
            Some((path, folder))
        }
        None => None,
    };
    let style = style();
    let progress = Arc::new(Progress::new(
        args.quiet || args.format == Format::Json,
        args.verbose,
        style,
    ));
    let signals = Signals::default();
    let mut report = run(target, &options, progress, signals.listen()).await;
    mark_terminated(&mut report, signals.status());
    // Each has its place, whatever becomes of the other.
    let shown = show(&report, args.format, style);
    if let Some((path, folder)) = folder {
        folder
            .write(&report)
            .map_err(|error| report_dir(path, &error))?;
    }
    shown?;
    if report.sweep.as_ref().is_some_and(|sweep| sweep.done)
        && let Some(state) = options
            .sweep
            .as_ref()
            .and_then(|sweep| sweep.state.as_ref())
    {
        sweep::remove_finished(state);
    }
    Ok(report.exit_code)
}

/// Whether the run may go as far as it was told to, and any case is left to run then.
fn permitted(options: &Options, network: Network) -> Result<(), UsageError> {
    if options.allow > Tier::Read && network == Network::Mainnet && !options.allow_mainnet {
        return Err(UsageError::Mainnet(options.allow.name()));
    }
    let cases = options.cases();
    let mut refused = None;
    for case in cases.iter().filter(|case| options.selects(case.id)) {
        match options.permits(case, network) {
            Ok(()) => return Ok(()),
            Err(needed) => refused = refused.or(Some((case.id, needed))),
        }
    }
    match refused {
        Some((id, needed)) => Err(UsageError::NothingAllowed { id, needed }),
        None => Err(UsageError::NothingSelected),
    }
}

fn wallet(path: &Path, passphrase_file: Option<&Path>) -> Result<SigningWallet, UsageError> {
    let file = KeyFile::read(path)?;
    if file.others_can_read() {
        complain(&format!(
            "warning: others can read the wallet {}; chmod 600 keeps it to yourself",
            path.display()
        ));
    }
    let passphrase = passphrase_file.map(passphrase).transpose()?;
    let keys = file.key_pair(passphrase.as_ref().map(|text| text.as_str()));
    keys.map(SigningWallet::from)
        .map_err(|error| match error.fault() {
            KeyFileFault::PassphraseNeeded => {
                UsageError::PassphraseNeeded(path.display().to_string())
            }
            _ => error.into(),
        })
}

/// The first line of a file, which is read no further than any passphrase is long.
fn passphrase(path: &Path) -> Result<Zeroizing<String>, UsageError> {
    const MOST: usize = 4096;
    let failed = |reason: String| UsageError::PassphraseFile {
        path: path.display().to_string(),
        reason,
    };
    // With room for all of it from the start, no copy is left behind by growing.
    let mut text = Zeroizing::new(String::with_capacity(MOST));
    let file = std::fs::File::open(path).map_err(|error| failed(error.to_string()))?;
    let mut start = std::io::Read::take(file, MOST as u64);
    std::io::Read::read_to_string(&mut start, &mut text)
        .map_err(|error| failed(error.to_string()))?;
    let line = text.lines().next().unwrap_or_default().len();
    text.truncate(line);
    Ok(text)
}

fn report_dir(folder: &Path, error: &std::io::Error) -> UsageError {
    UsageError::ReportDir {
        path: folder.display().to_string(),
        reason: error.to_string(),
    }
}

fn target(url: &str, network: Option<Network>) -> Result<Target, UsageError> {
    if let Some(network) = network {
        return Ok(Target::parse(url, network)?);
    }
    // A port says which network it is; devnet only stands in to have the URL read.
    let known = Target::parse(url, Network::Devnet);
    let base_url: nodeproof_client::BaseUrl = url.parse().map_err(TargetError::from)?;
    match Network::from_port(base_url.port()) {
        Some(network) => Ok(Target::parse(url, network)?),
        None => {
            known?;
            Err(UsageError::NoNetwork(base_url.to_string()))
        }
    }
}

fn options(args: &ConformanceArgs) -> Result<Options, UsageError> {
    let fixture = args
        .fixture
        .as_deref()
        .map(read_fixture)
        .transpose()?
        .unwrap_or_default();
    let expectations = args
        .expect
        .as_deref()
        .map(read_expectations)
        .transpose()?
        .unwrap_or_default();
    let baseline = args
        .baseline
        .as_deref()
        .map(|name| Baseline::named(name, &baseline_dir(args), args.record))
        .transpose()?;
    let mut known = cases::all();
    if baseline.is_some() {
        known.extend_from_slice(BASELINE);
    }
    let defaults = Options::default();
    let options = Options {
        only: globs("--only", &args.only, &known)?,
        skip: globs("--skip", &args.skip, &known)?,
        baseline,
        jobs: args.jobs,
        request_timeout: args.request_timeout,
        deadline: args.deadline.unwrap_or(defaults.deadline),
        strict: args.strict,
        allow: args.allow.unwrap_or_default(),
        allow_mainnet: args.allow_mainnet,
        submitting: Submitting {
            wallet: args
                .wallet
                .as_deref()
                .map(|path| wallet(path, args.passphrase_file.as_deref()))
                .transpose()?,
            fee: args.fee.clone(),
            currency: args.currency.clone(),
            settle_timeout: args.settle_timeout,
        },
        fixture,
        expectations,
        require_coverage: args.require_coverage,
        rate: args.rate,
        most_body: usize::from(args.max_body) * MIB,
        most_memory: usize::from(args.max_memory) * MIB,
        most_depth: args.max_depth.into(),
        most_requests: args.max_requests.unwrap_or(defaults.most_requests),
        sweep: args.blocks.map(|blocks| {
            let mut sweep = Sweep::new(blocks);
            sweep.counts_requests = args.max_requests.is_some();
            sweep.has_deadline = args.deadline.is_some();
            sweep
        }),
        ..defaults
    };
    if !options.cases().iter().any(|case| options.selects(case.id)) {
        return Err(UsageError::NothingSelected);
    }
    let about_blocks = sweep::about_blocks(&options.cases());
    if options.sweep.is_some() && !about_blocks.iter().any(|case| options.selects(case.id)) {
        return Err(UsageError::NothingAboutBlocks);
    }
    Ok(options)
}

fn globs(
    flag: &'static str,
    given: &[String],
    cases: &[cases::Case],
) -> Result<Vec<GlobMatcher>, UsageError> {
    given
        .iter()
        .map(|glob| {
            let matcher = Glob::new(glob)
                .map_err(|error| UsageError::Glob {
                    flag,
                    glob: glob.clone(),
                    reason: error.kind().to_string(),
                })?
                .compile_matcher();
            if cases.iter().any(|case| matcher.is_match(case.id)) {
                Ok(matcher)
            } else {
                Err(UsageError::NothingMatches {
                    flag,
                    glob: glob.clone(),
                })
            }
        })
        .collect()
}

fn baseline_dir(args: &ConformanceArgs) -> PathBuf {
    // `cargo insta review` looks into member crates' folders only.
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots");
    match &args.baseline_dir {
        Some(folder) => folder.clone(),
        None if own.is_dir() => own.with_file_name("baselines"),
        None => PathBuf::from("baselines"),
    }
}

fn read_fixture(path: &Path) -> Result<Fixture, UsageError> {
    let wrong = |reason: String| UsageError::Fixture {
        path: path.display().to_string(),
        reason,
    };
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))
}

fn read_expectations(path: &Path) -> Result<Expectations, UsageError> {
    let wrong = |reason: String| UsageError::Expectations {
        path: path.display().to_string(),
        reason,
    };
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    Expectations::from_toml(&text).map_err(|error| wrong(error.to_string()))
}
