//! The harness's own faults are not reported as faults of the node.

use integration_tests::watch::{check, ids};
use nodeproof_conformance::{Options, report::Outcome};
use nodeproof_devnode::Config;

#[tokio::test(flavor = "multi_thread")]
async fn a_harness_without_its_snapshots_says_so_and_blames_no_node() {
    let node = nodeproof_devnode::spawn(Config::for_tests())
        .await
        .expect("a local node");
    let empty = tempfile::tempdir().expect("a folder");
    let mut options = Options::default();
    options.files.reviewable_snapshots = Some(empty.path().to_owned());
    let report = check(node.base_url(), &options).await;
    assert_eq!(report.exit_code, 4, "{:?}", report.reason);
    assert_eq!(ids(&report, Outcome::Fail), [""; 0]);
    assert!(
        report
            .reason
            .is_some_and(|reason| reason.contains("there is no snapshot"))
    );
}
