//! Turns the command-line arguments into the options of a run.

use std::{
    collections::BTreeSet,
    num::NonZeroU8,
    path::{Path, PathBuf},
    time::Duration,
};

use globset::{Glob, GlobMatcher};
use nodeproof_files::read_text;
use nodeproof_primitives::{Network, WalletAddress, escape::escaped_up_to, redact::redact};
use nodeproof_report::Report;
use nodeproof_wallet::{KeyFile, KeyFileFault, Passphrase, exposed_key, forbid_core_dumps};

use super::{
    args::{CaseArgs, CheckArgs, ConformanceArgs},
    diff::read_report,
    error::UsageError,
    output::complain,
};
use crate::{
    api::Tier,
    cases::{BASELINE, Case, FIXTURE, all},
    context::{Baseline, SigningWallet, Submitting},
    discovery::Fixture,
    history::MAX_CLAIMS,
    http::Target,
    run::{Expectations, Options, Recheck, Selection},
    sweep::{Sweep, about_blocks},
};

const MIB: usize = 1024 * 1024;

/// The usual deadline of a run that sends more than reads. At a node with a latency of 400 ms, it takes ten minutes.
const DEADLINE_BEYOND_READING: Duration = Duration::from_secs(900);

/// Returns the highest allowed tier. Probes are not part of that order.
pub(crate) fn furthest(allowed: &[Tier]) -> Tier {
    let ordered = allowed.iter().filter(|tier| **tier != Tier::Probe);
    ordered.max().copied().unwrap_or_default()
}

/// Returns the highest tier of a selection, with its probes.
fn highest(selection: &Selection) -> Tier {
    match (selection.allow, selection.probe) {
        (Tier::Read, true) => Tier::Probe,
        (tier, _) => tier,
    }
}

/// Checks that the tiers are allowed on this network, and that at least one case can run.
pub(crate) fn permitted(options: &Options, network: Network) -> Result<(), UsageError> {
    let selection = &options.selection;
    let tier = highest(selection);
    if tier > Tier::Read && network == Network::Mainnet && !selection.allow_mainnet {
        return Err(UsageError::Mainnet(tier.name()));
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

/// Returns the options that every check of nodes needs. Without a baseline, its cases are left out.
pub(crate) fn check_options(args: &CheckArgs, has_baseline: bool) -> Result<Options, UsageError> {
    let fixture = args
        .fixture
        .as_deref()
        .map(|path| read_fixture(path, &[]))
        .transpose()?
        .unwrap_or_default();
    let recheck = args.recheck.as_deref().map(read_report).transpose()?;
    let mut known = all();
    if has_baseline {
        known.extend(BASELINE);
    }
    if args.fixture.is_some() {
        known.extend_from_slice(FIXTURE);
    }
    if let (Some(report), Some(path)) = (&recheck, &args.recheck) {
        warn_of_unknown_cases(report, path, &known);
    }
    let mut options = options_of_cases(&args.cases, &known)?;
    options.selection.allow = furthest(&args.allow);
    options.selection.probe = args.allow.contains(&Tier::Probe);
    options.selection.allow_mainnet = args.allow_mainnet;
    options.limits.jobs = args.jobs;
    options.limits.request_timeout = args.request_timeout;
    options.limits.rate = args.rate;
    options.limits.max_depth = args.max_depth.into();
    options.files.fixture = fixture;
    options.recheck = recheck.as_ref().map(Recheck::of).unwrap_or_default();
    Ok(options)
}

/// Returns the options of a judgement by these cases.
pub(super) fn options_of_cases(args: &CaseArgs, known: &[Case]) -> Result<Options, UsageError> {
    let mut options = Options::default();
    options.selection.only = globs("--only", &args.only, known)?;
    options.selection.skip = globs("--skip", &args.skip, known)?;
    options.limits.max_body = usize::from(args.max_body) * MIB;
    options.limits.max_values = usize::try_from(args.max_values).unwrap_or(usize::MAX);
    let expectations = args.expect.as_deref().map(read_expectations).transpose()?;
    options.files.expectations = expectations.unwrap_or_default();
    options.strict = args.strict;
    Ok(options)
}

/// Warns of findings of an earlier run that no case of this version can check again.
fn warn_of_unknown_cases(report: &Report, path: &Path, known: &[Case]) {
    let cases = report.nodes.iter().flat_map(|node| &node.cases);
    let with_findings = cases.filter(|case| case.outcome.has_findings());
    let unknown: BTreeSet<_> = with_findings
        .map(|case| case.id.as_str())
        // Other nodes of the same run decide these.
        .filter(|id| !id.starts_with("cross-check/"))
        .filter(|id| !known.iter().any(|case| case.id == *id))
        .collect();
    if !unknown.is_empty() {
        let unknown: Vec<_> = unknown
            .into_iter()
            .map(|id| escaped_up_to(id, 60))
            .collect();
        complain(&format!(
            "warning: {} has findings of cases that this run does not have, so they are not checked again: {}",
            path.display(),
            escaped_up_to(&unknown.join(", "), 300)
        ));
    }
}

/// Returns the number of claims of a run, unless the user gives one. A fee costs nothing on a devnet, and at a local node,
/// which has no network here.
fn usual_claims(network: Option<Network>) -> u8 {
    match network {
        None | Some(Network::Devnet) => MAX_CLAIMS,
        _ => 1,
    }
}

/// Returns the options of a run against nodes of this network, or against a local node.
pub(crate) fn options(
    args: &ConformanceArgs,
    network: Option<Network>,
) -> Result<Options, UsageError> {
    let baseline = args
        .baseline
        .as_deref()
        .map(|name| Baseline::named(name, &baseline_dir(args), args.record))
        .transpose()?;
    let mut options = check_options(&args.check, baseline.is_some())?;
    options.files.baseline = baseline;
    let usual = match highest(&options.selection) {
        Tier::Read => options.limits.deadline,
        _ => DEADLINE_BEYOND_READING,
    };
    options.limits.deadline = args.deadline.unwrap_or(usual);
    options.limits.max_requests = args.max_requests.unwrap_or(options.limits.max_requests);
    options.require_coverage = args.require_coverage;
    let contracts = &options.files.fixture.contracts;
    let wallet_in = |path: Option<&Path>| path.map(|path| wallet(path, args, network)).transpose();
    options.submitting = Submitting {
        wallet: wallet_in(args.wallet.as_deref())?,
        co_signer: wallet_in(args.co_signer.as_deref())?,
        fee: args.fee.clone(),
        currency: args.currency.clone(),
        contract: args.contract.or(contracts.first().copied()),
        claims: NonZeroU8::new(args.claims.unwrap_or_else(|| usual_claims(network)))
            .unwrap_or(NonZeroU8::MIN),
        settle_timeout: args.settle_timeout,
        ..Submitting::default()
    };
    let wallets = options.submitting.wallets();
    if let [one, other] = wallets[..]
        && one == other
    {
        return Err(UsageError::SameCoSigner);
    }
    if let (Some(path), false) = (&args.check.fixture, wallets.is_empty()) {
        // Now the keys are known that the fixture must not contain.
        read_fixture(path, &wallets)?;
    }
    if let Some(blocks) = args.blocks {
        let mut sweep = match args.part {
            Some(part) => Sweep::new(part.of(blocks)?),
            None => Sweep::new(blocks),
        };
        sweep.counts_requests = args.max_requests.is_some();
        sweep.has_deadline = args.deadline.is_some();
        options.sweep = Some(sweep);
    }
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
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let clone = own.ancestors().nth(2);
    let is_in_clone = || {
        let here = std::env::current_dir();
        clone.is_some_and(|clone| here.is_ok_and(|here| here.starts_with(clone)))
    };
    let folder = match &args.baseline_dir {
        Some(folder) => folder.clone(),
        // `cargo insta review` searches only the folders of member crates.
        None if is_in_clone() => own.join("baselines"),
        None => PathBuf::from("baselines"),
    };
    // insta would look for a relative folder below that of its caller's source.
    std::path::absolute(&folder).unwrap_or(folder)
}

/// Maximum length of a file of samples, expectations or targets, in bytes.
pub(crate) const MAX_INPUT: u64 = 16 * 1024 * 1024;

/// Reads a fixture. It must contain no key file, and no private key of these wallets.
pub(crate) fn read_fixture(path: &Path, wallets: &[WalletAddress]) -> Result<Fixture, UsageError> {
    let wrong = |reason: String| UsageError::file("the fixture {} can't be read", path, reason);
    let text = read_text(path, MAX_INPUT).map_err(|error| wrong(error.to_string()))?;
    match exposed_key(&text, wallets) {
        Some(found) => Err(UsageError::FixtureKey {
            path: path.display().to_string(),
            found,
        }),
        None => serde_json::from_str(&text).map_err(|error| wrong(error.to_string())),
    }
}

pub(crate) fn read_expectations(path: &Path) -> Result<Expectations, UsageError> {
    let wrong =
        |reason: String| UsageError::file("the expectations in {} can't be used", path, reason);
    let text = read_text(path, MAX_INPUT).map_err(|error| wrong(error.to_string()))?;
    Expectations::from_toml(&text).map_err(|error| wrong(error.to_string()))
}

fn wallet(
    path: &Path,
    args: &ConformanceArgs,
    network: Option<Network>,
) -> Result<SigningWallet, UsageError> {
    forbid_core_dumps().map_err(UsageError::CoreDumps)?;
    let file = KeyFile::read(path)?;
    if let Some(network) = network.filter(|_| !args.any_network) {
        file.check_network(network)
            .map_err(UsageError::OtherNetworksWallet)?;
    }
    if file.is_readable_by_others() {
        complain(&format!(
            "warning: others can read the wallet {}; chmod 600 keeps it to yourself",
            path.display()
        ));
    }
    let passphrase = args
        .passphrase_file
        .as_deref()
        .map(passphrase)
        .transpose()?;
    let keys = file.key_pair(passphrase.as_ref().map(Passphrase::as_str));
    keys.map(SigningWallet::from)
        .map_err(|error| match error.fault() {
            KeyFileFault::PassphraseRequired => {
                UsageError::PassphraseRequired(path.display().to_string())
            }
            _ => error.into(),
        })
}

/// Reads the passphrase in a file, by the rules that all programs share.
fn passphrase(path: &Path) -> Result<Passphrase, UsageError> {
    let passphrase = Passphrase::read(path)
        .map_err(|error| UsageError::file("the passphrase file {} can't be read", path, error))?;
    for warning in passphrase.warnings(&format!("the file {}", path.display())) {
        complain(&format!("warning: {warning}"));
    }
    Ok(passphrase)
}

pub(crate) fn target(url: &str, network: Option<Network>) -> Result<Target, UsageError> {
    if redact(url) != url {
        // Reports show the URL.
        return Err(UsageError::KeyInArgument("--base-url"));
    }
    let base_url: nodeproof_client::BaseUrl = url.parse()?;
    // Without `--network`, the port determines the network.
    let network = network
        .or_else(|| Network::from_port(base_url.port()))
        .ok_or_else(|| UsageError::NoNetwork(base_url.to_string()))?;
    Ok(Target::parse(url, network)?)
}

pub(crate) fn report_dir(folder: &Path, error: &std::io::Error) -> UsageError {
    UsageError::file("reports can't be written to {}", folder, error)
}
