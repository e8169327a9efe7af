//! Nodes that build a different transaction: a conformance run does not sign it.

use integration_tests::{
    faults::change_response,
    proxy::Proxy,
    submissions::{SUBMIT, kind_of_submission, options},
    watch::check,
};
use nodeproof_conformance::{Tier, report::Outcome};

use crate::{ended, local};

/// Text in a built transaction, and the node's replacement.
const MANIPULATIONS: [(&str, &str); 30] = [
    (r#""type":3"#, r#""type":5"#),
    (r#""type":3"#, r#""type":3.0"#),
    (r#""type":3"#, r#""type":"3""#),
    (r#""type":3"#, r#""type":3,"pay_to":"0xb0""#),
    (r#""type":3"#, r#""type":3,"type":3"#),
    (r#""timestamp":"#, r#""timestamp":0,"timestamp":"#),
    (r#""fee":0.0"#, r#""fee":0.0,"Fee":7000000"#),
    (r#""fee":0.0"#, r#""fee":0.0,"fee":1"#),
    (r#""valid":1"#, r#""valid":0"#),
    (r#""valid":1"#, r#""valid":true"#),
    (r#""is_child_txn":false"#, r#""is_child_txn":true"#),
    (r#""descr":"""#, r#""descr":"for the thief""#),
    (r#""descr":"""#, r#""descr":null"#),
    (
        r#""function":"add_verification""#,
        r#""function":"transfer""#,
    ),
    (
        r#""function":"add_verification""#,
        r#""function":"add_verification ""#,
    ),
    (
        r#""function":"add_verification""#,
        r#""function":["add_verification"]"#,
    ),
    (r#""outcome":1"#, r#""outcome":2"#),
    (r#""outcome":1"#, r#""outcome":1.0"#),
    (r#""outcome":1"#, r#""outcome":true"#),
    (r#""outcome":1"#, r#""outcome":1,"more":1"#),
    (r#""asset_type":"token""#, r#""asset_type":"t\u043eken""#),
    (r#""asset_type":"token""#, r#""asset_type":"token\u0000""#),
    (
        r#""doc_link_list":["#,
        r#""doc_link_list":["http://thief.example","#,
    ),
    (r#""doc_hash_list":["#, r#""doc_hash_list":[[],"#),
    (
        r#""deletable_after":1347345"#,
        r#""deletable_after":1347346"#,
    ),
    (
        r#""signers":["#,
        r#""signers":["0x00000000000000000000000000000000000000b0","#,
    ),
    (r#""signatures":[]"#, r#""signatures":[],"also":{}"#),
    (
        r#""signatures":[]"#,
        r#""signatures":[{"wallet_address":"0xb0","msgsign":"00"}]"#,
    ),
    (r#""transaction":{"#, r#""transaction":{"transaction":{},"#),
    (
        r#""specific_data":{"#,
        r#""specific_data":{"address":"ct00","#,
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn whatever_a_node_builds_only_what_was_asked_for_is_signed() {
    let node = local().await;
    // The last one changes nothing, so its claim is signed.
    for (from, to) in MANIPULATIONS.into_iter().chain([("{", "{")]) {
        let fault = change_response("/call-sc", move |_, response| {
            let text = String::from_utf8_lossy(&response.body).replacen(from, to, 1);
            assert!(text.contains(to), "{from} is not in {text}");
            response.with_body(text)
        });
        let proxy = Proxy::spawn(&node, fault).await.expect("a proxy");
        let mut options = options(&node, Tier::Write);
        options
            .select_only(["submit-transaction/claim-accepted"])
            .expect("an ID");
        let report = check(&proxy.server.base_url(), &options).await;
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
