//! The conformance cases as tests. Each case is one test, named by its ID.
//!
//! They run against the node in `NODE_BASE_URL` and `NODE_NETWORK`, or else against a local node.
//! Filters, `--list`, nextest and `cargo insta review` work as with any tests.

use std::{
    collections::BTreeMap,
    env,
    sync::{Arc, OnceLock},
};

use integration_tests::watch::check_target;
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use nodeproof_conformance::{
    Options, Target, Tier, cases,
    report::{self, CaseReport, NodeReport, Outcome, Style},
};
use nodeproof_primitives::Network;

fn main() {
    let arguments = Arguments::from_args();
    let selected: Vec<&str> = cases::all()
        .iter()
        .map(|case| case.id)
        .filter(|id| selects(&arguments, id))
        .collect();
    // All selected cases share one run, so the samples are requested only once.
    let report: Arc<OnceLock<Result<NodeReport, String>>> = Arc::default();
    let selected = Arc::new(selected);
    let trials = cases::all()
        .into_iter()
        .map(|case| {
            let (report, selected) = (Arc::clone(&report), Arc::clone(&selected));
            Trial::ignorable_test(case.id, move || {
                let report = report.get_or_init(|| run(&selected)).as_ref();
                outcome(report.map_err(Clone::clone)?, case.id)
            })
        })
        .collect();
    libtest_mimic::run(&arguments, trials).exit();
}

/// Selects tests by name like libtest.
fn selects(arguments: &Arguments, id: &str) -> bool {
    let matches = |filter: &String| {
        if arguments.exact {
            id == filter
        } else {
            id.contains(filter.as_str())
        }
    };
    arguments.filter.as_ref().is_none_or(matches) && !arguments.skip.iter().any(matches)
}

fn run(selected: &[&'static str]) -> Result<NodeReport, String> {
    let runtime = tokio::runtime::Runtime::new().map_err(|error| error.to_string())?;
    let network = match env::var("NODE_NETWORK") {
        Ok(name) => name
            .parse()
            .map_err(|error| format!("NODE_NETWORK: {error}"))?,
        Err(_) => Network::Devnet,
    };
    let mut options = Options::default();
    options
        .select_only(selected.iter().copied())
        .map_err(|error| error.to_string())?;
    runtime.block_on(async {
        if let Ok(url) = env::var("NODE_BASE_URL") {
            return against(&url, network, &options).await;
        }
        let local = xtask::conformance::start_local()(network).await?;
        options.files.reviewable_snapshots = local.reviewable_snapshots.clone();
        options.selection.allow = Tier::Write;
        options.submitting.wallet.clone_from(&local.wallet);
        let report = against(&local.base_url, network, &options).await;
        drop(local);
        report
    })
}

async fn against(url: &str, network: Network, options: &Options) -> Result<NodeReport, String> {
    let target = Target::parse(url, network)
        .map_err(|error| format!("NODE_BASE_URL, NODE_NETWORK: {error}"))?;
    Ok(check_target(target, options).await)
}

fn outcome(report: &NodeReport, id: &str) -> Result<Completion, Failed> {
    let by_id: BTreeMap<_, &CaseReport> = report
        .cases
        .iter()
        .map(|case| (case.id.as_str(), case))
        .collect();
    let Some(case) = by_id.get(id) else {
        return Err(format!("{id} did not run").into());
    };
    match case.outcome {
        Outcome::Fail | Outcome::Stale => Err(report::case_text(case, Style::Plain).into()),
        Outcome::Inconclusive if report.exit_code >= 3 => Err(report
            .reason
            .clone()
            .or(case.reason.clone())
            .unwrap_or_default()
            .into()),
        Outcome::Inconclusive | Outcome::Skipped => Ok(Completion::ignored_with(
            case.reason.clone().unwrap_or_default(),
        )),
        _ => Ok(Completion::Completed),
    }
}
