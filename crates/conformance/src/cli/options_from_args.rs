//! The options of a run from the command-line arguments.

use std::path::{Path, PathBuf};

use globset::{Glob, GlobMatcher};
use nodeproof_primitives::Network;
use nodeproof_wallet::{KeyFile, KeyFileFault};
use zeroize::Zeroizing;

use super::{args::ConformanceArgs, error::UsageError, output::complain};
use crate::{
    api::Tier,
    cases::{BASELINE, Case, FIXTURE, all},
    context::{Baseline, SigningWallet, Submitting},
    discovery::Fixture,
    http::{Target, TargetError},
    run::{Expectations, Files, Options, RunLimits, Selection},
    sweep::{Sweep, about_blocks},
};

pub(crate) const MIB: usize = 1024 * 1024;

/// Whether the run may go as far as it was told to, and any case is left to run then.
pub(crate) fn permitted(options: &Options, network: Network) -> Result<(), UsageError> {
    if options.selection.allow > Tier::Read
        && network == Network::Mainnet
        && !options.selection.allow_mainnet
    {
        return Err(UsageError::Mainnet(options.selection.allow.name()));
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

pub(crate) fn options(args: &ConformanceArgs) -> Result<Options, UsageError> {
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
    let mut known = all();
    if baseline.is_some() {
        known.extend_from_slice(BASELINE);
    }
    if args.fixture.is_some() {
        known.extend_from_slice(FIXTURE);
    }
    let contract = args.contract.or(fixture.contracts.first().copied());
    let defaults = RunLimits::default();
    let options = Options {
        selection: Selection {
            only: globs("--only", &args.only, &known)?,
            skip: globs("--skip", &args.skip, &known)?,
            allow: args.allow.unwrap_or_default(),
            allow_mainnet: args.allow_mainnet,
        },
        limits: RunLimits {
            jobs: args.jobs,
            request_timeout: args.request_timeout,
            deadline: args.deadline.unwrap_or(defaults.deadline),
            rate: args.rate,
            max_requests: args.max_requests.unwrap_or(defaults.max_requests),
            max_body: usize::from(args.max_body) * MIB,
            max_memory: usize::from(args.max_memory) * MIB,
            max_depth: args.max_depth.into(),
        },
        files: Files {
            fixture,
            baseline,
            expectations,
            reviewable_snapshots: None,
        },
        strict: args.strict,
        submitting: Submitting {
            wallet: args
                .wallet
                .as_deref()
                .map(|path| wallet(path, args.passphrase_file.as_deref()))
                .transpose()?,
            fee: args.fee.clone(),
            currency: args.currency.clone(),
            contract,
            settle_timeout: args.settle_timeout,
            ..Submitting::default()
        },
        require_coverage: args.require_coverage,
        sweep: args.blocks.map(|blocks| {
            let mut sweep = Sweep::new(blocks);
            sweep.counts_requests = args.max_requests.is_some();
            sweep.has_deadline = args.deadline.is_some();
            sweep
        }),
    };
    if !options.cases().iter().any(|case| options.selects(case.id)) {
        return Err(UsageError::NothingSelected);
    }
    let about_blocks = about_blocks(&options.cases());
    if options.sweep.is_some() && !about_blocks.iter().any(|case| options.selects(case.id)) {
        return Err(UsageError::NothingAboutBlocks);
    }
    Ok(options)
}

pub(crate) fn globs(
    flag: &'static str,
    given: &[String],
    cases: &[Case],
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

pub(crate) fn baseline_dir(args: &ConformanceArgs) -> PathBuf {
    // `cargo insta review` looks into member crates' folders only.
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots");
    match &args.baseline_dir {
        Some(folder) => folder.clone(),
        None if own.is_dir() => own.with_file_name("baselines"),
        None => PathBuf::from("baselines"),
    }
}

pub(crate) fn read_fixture(path: &Path) -> Result<Fixture, UsageError> {
    let wrong = |reason: String| UsageError::Fixture {
        path: path.display().to_string(),
        reason,
    };
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))
}

pub(crate) fn read_expectations(path: &Path) -> Result<Expectations, UsageError> {
    let wrong = |reason: String| UsageError::Expectations {
        path: path.display().to_string(),
        reason,
    };
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    Expectations::from_toml(&text).map_err(|error| wrong(error.to_string()))
}

pub(crate) fn wallet(
    path: &Path,
    passphrase_file: Option<&Path>,
) -> Result<SigningWallet, UsageError> {
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
pub(crate) fn passphrase(path: &Path) -> Result<Zeroizing<String>, UsageError> {
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

pub(crate) fn target(url: &str, network: Option<Network>) -> Result<Target, UsageError> {
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

pub(crate) fn report_dir(folder: &Path, error: &std::io::Error) -> UsageError {
    UsageError::ReportDir {
        path: folder.display().to_string(),
        reason: error.to_string(),
    }
}
