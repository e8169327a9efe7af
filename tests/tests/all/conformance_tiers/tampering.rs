//! Nodes that build a different transaction: a conformance run does not sign it.

use integration_tests::{
    faults::change_response,
    proxy::LocalProxy,
    submissions::{SUBMIT, kind_of_submission, options},
    tampering::MANIPULATIONS,
};
use nodeproof_conformance::{Tier, report::Outcome};

use crate::conformance_tiers::{ended, local};

/// Manipulations of what this claim has beside an outcome.
const MORE: [(&str, &str); 2] = [
    (r#""fee":0.0"#, r#""fee":0.0,"fee":1"#),
    (
        r#""doc_link_list":["#,
        r#""doc_link_list":["http://thief.example","#,
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn whatever_a_node_builds_only_what_was_asked_for_is_signed() {
    let node = local().await;
    // Of each kind one, as the client's table has them all. The last one changes nothing, so its claim is
    // signed.
    let manipulations = MANIPULATIONS.iter().step_by(4).copied().chain(MORE);
    for (from, to) in manipulations.chain([("{", "{")]) {
        let fault = change_response("/call-sc", move |_, response| {
            let text = String::from_utf8_lossy(&response.body).replacen(from, to, 1);
            assert!(text.contains(to), "{from} is not in {text}");
            response.with_body(text)
        });
        let proxy = LocalProxy::new(&node, fault).expect("a proxy");
        let mut options = options(&node, Tier::Write);
        options
            .select_only(["submit-transaction/claim-accepted"])
            .expect("an ID");
        let report = proxy.check(&options).await;
        let requests = proxy.requests().into_iter();
        let submitted = requests.filter(|request| request.path == SUBMIT);
        let kinds: Vec<_> = submitted
            .map(|request| kind_of_submission(&request))
            .collect();
        let is_asked = from == to;
        assert_eq!(kinds.contains(&"claim"), is_asked, "{to}: {kinds:?}");
        let (outcome, reason) = ended(&report, "submit-transaction/claim-accepted");
        assert_eq!(outcome == Outcome::Pass, is_asked, "{to}: {reason}");
        assert_eq!(report.exit_code == 0, is_asked, "{to}");
    }
}
