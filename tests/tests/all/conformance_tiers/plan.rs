//! A run sends only requests that a dry run lists.

use std::{collections::BTreeSet, num::NonZeroU8};

use integration_tests::{
    proxy::{LocalProxy, RecordedRequest},
    submissions::options,
};
use nodeproof_conformance::{Baseline, Method, Options, Tier, cli::LocalNode, plan};
use nodeproof_primitives::Network;

use crate::conformance_tiers::local;

/// The parts of a request that are known before it is sent.
type Kind = (String, String, Vec<String>);

fn kind_of(request: &RecordedRequest) -> Kind {
    let mut names: Vec<String> = request
        .query
        .split('&')
        .filter_map(|pair| pair.split('=').next())
        .filter(|name| !name.is_empty())
        // A probe may send a parameter as an array or an object, or twice.
        // The rule *near* writes a name in other letters.
        .map(|name| name.split('[').next().unwrap_or(name).to_lowercase())
        .collect();
    names.sort();
    names.dedup();
    // A HEAD is an extra request for what a GET returns.
    let method = request.method.as_str().replace("HEAD", "GET");
    (method, request.path.clone(), names)
}

fn planned(options: &Options) -> BTreeSet<Kind> {
    plan::planned(options, Network::Devnet)
        .iter()
        .map(|request| {
            let kind = request.kind;
            let mut names: Vec<_> = kind
                .parameters
                .iter()
                .map(|(name, _)| (*name).to_owned())
                .collect();
            names.sort();
            let method = if kind.method == Method::Get {
                "GET"
            } else {
                "POST"
            };
            (method.to_owned(), kind.path.to_owned(), names)
        })
        .collect()
}

async fn sent(node: &LocalNode, options: &Options) -> BTreeSet<Kind> {
    let proxy = LocalProxy::honest(node).expect("a proxy");
    let report = proxy.check(options).await;
    assert!(report.exit_code <= 1, "{:?}", report.reason);
    proxy.requests().iter().map(kind_of).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_sent_is_what_the_plan_says() {
    let node = local().await;
    for allow in Tier::ALL {
        let options = options(&node, allow);
        assert_eq!(sent(&node, &options).await, planned(&options), "{allow:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_case_sends_what_the_plan_says_of_it() {
    let node = local().await;
    let folder = tempfile::tempdir().expect("a folder");
    let mut all = options(&node, Tier::Write);
    all.selection.probe = true;
    // More claims send the same kinds of requests.
    all.submitting.claims = NonZeroU8::MIN;
    all.files.baseline = Some(Baseline::named("here", folder.path(), true).expect("a baseline"));
    let mut wrong = Vec::new();
    for case in all.cases() {
        let mut options = all.clone();
        options.select_only([case.id]).expect("an ID");
        let (sent, planned) = (sent(&node, &options).await, planned(&options));
        let unplanned: Vec<_> = sent.difference(&planned).collect();
        let unsent: Vec<_> = planned.difference(&sent).collect();
        if !unplanned.is_empty() || !unsent.is_empty() {
            wrong.push(format!(
                "{}: unplanned {unplanned:?}, not sent {unsent:?}",
                case.id
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "`sends` of a case is not what it sends:\n{}",
        wrong.join("\n")
    );
}
