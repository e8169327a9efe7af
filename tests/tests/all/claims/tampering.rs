//! Nodes that build a different transaction: it is not signed, saved or sent.

use nodeproof_claims::ClaimError;

use super::*;

/// Changes the text of the built transaction. `from` must occur exactly once.
fn building(from: &'static str, to: String) -> Fault {
    Arc::new(move |request, response| {
        if request.path != "/call-sc" {
            return response;
        }
        let text = String::from_utf8(response.body.to_vec()).unwrap();
        assert_eq!(text.matches(from).count(), 1, "{from} in {text}");
        response.with_body(text.replacen(from, &to, 1))
    })
}

#[tokio::test]
async fn what_was_not_asked_for_is_never_signed() {
    let world = TestEnvironment::new().await;
    let wallet = world.wallet(0);
    let thief = world.wallet(1).address().to_string();
    let transfer = format!(
        r#""function":"transfer","x":{{"amount_to_send":1,"receiver":"{thief}"}},"unused":"add_verification""#
    );
    let table = [
        (
            r#""function":"add_verification""#,
            transfer,
            "specific_data.function",
        ),
        (
            r#""outcome":1"#,
            r#""outcome":2"#.to_owned(),
            "params.outcome",
        ),
        (
            r#""deletable_after":9007199254740993"#,
            r#""deletable_after":9007199254740992"#.to_owned(),
            "params.deletable_after",
        ),
        (
            r#""asset_type":"#,
            r#""asset_type":"x","asset_type":"#.to_owned(),
            "params.asset_type",
        ),
        (
            r#""signers":["#,
            format!(r#""signers":["{thief}","#),
            "specific_data.signers[0]",
        ),
        (r#""type":3"#, r#""type":5"#.to_owned(), "transaction.type"),
        (
            r#""descr":"""#,
            r#""descr":"","fee":7000000"#.to_owned(),
            "transaction.fee",
        ),
        (
            r#""signatures":[]"#,
            r#""signatures":[],"also":{}"#.to_owned(),
            "also",
        ),
    ];
    for (from, to, member) in table {
        let (_proxy, client) = world.behind(building(from, to)).await;
        let mut claim = world.claim("a");
        claim.deletable_after = 9_007_199_254_740_993_u64.into();
        let error = claim
            .make(&client, &[&wallet], &world.with_blocks())
            .await
            .unwrap_err();
        match &error {
            ClaimError::BuiltCallMismatch(fault) => {
                assert!(fault.member().unwrap().ends_with(member), "{fault}");
            }
            other => panic!("{member}: {other}"),
        }
        assert!(!error.maybe_sent());
        assert!(error.to_string().ends_with("nothing was signed"));
    }
    assert_eq!(world.node.submissions_received(), 0);
    assert!(!world.file().exists());
}

#[tokio::test]
async fn a_record_of_another_wallet_or_with_other_words_is_not_taken_for_the_claim() {
    let world = TestEnvironment::new().await;
    let (claim, wallet) = (world.claim("a"), world.wallet(0));
    let lie: Fault = Arc::new(|request, response| {
        if request.path != "/sc-state" {
            return response;
        }
        let text = String::from_utf8(response.body.to_vec()).unwrap();
        response.with_body(text.replace("na\u{ef}ve", "naive"))
    });
    let (_proxy, client) = world.behind(lie).await;
    let outcome = claim
        .make(&client, &[&wallet], &world.with_blocks())
        .await
        .unwrap();
    match outcome.read_back {
        nodeproof_claims::ReadBack::Differs { differences, .. } => {
            let fields: Vec<_> = differences.iter().map(|one| one.field).collect();
            assert_eq!(fields, ["remarks"]);
        }
        seen => panic!("{seen:?}"),
    }
}
