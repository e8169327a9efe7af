//! The verdict of a run of only some cases, and the subject of a finding.

use std::num::NonZeroU8;

use integration_tests::{
    faults::{change_json, set},
    proxy::{Fault, LocalProxy, Proxy, RecordedRequest},
    watch::{causes, check, ids},
};
use nodeproof_conformance::{
    Options, Tier,
    report::{self, NodeReport, Outcome, Style},
};
use nodeproof_devnode::{BlockTime, ChainTime, Config, InjectedFault};
use serde_json::{Value, json};

use crate::conformance_tiers::{ended, local};

#[tokio::test(flavor = "multi_thread")]
async fn a_selection_that_passes_does_not_conform() {
    let node = local().await;
    let mut options = Options::default();
    options.select_only(["get-block/proof"]).expect("an ID");
    let report = check(&node.base_url, &options).await;
    assert_eq!(report.exit_code, 0);
    let report = report.into();
    for text in [report::text(&report, Style::Plain), report::html(&report)] {
        assert!(text.contains("1 of 1 selected cases passed"), "{text}");
        assert!(!text.to_lowercase().contains("conforms"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_with_another_clock_is_a_warning() {
    for (time, warned) in [
        (ChainTime::Clock, &[][..]),
        (ChainTime::FIXED, &["call-sc/timestamp-current"]),
    ] {
        let node = nodeproof_devnode::spawn(Config::for_tests().with_time(time));
        let node = node.await.expect("a local node");
        let report = check(node.base_url(), &Options::default()).await;
        assert_eq!(ids(&report, Outcome::Warn), warned);
        assert_eq!(report.exit_code, 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_lets_others_spend_is_the_first_finding() {
    let config = Config::for_tests().with_fault(InjectedFault::UnsignedAccepted);
    let node = nodeproof_devnode::spawn(config).await.expect("a node");
    let other = change_json("/get-block", |_, block| set(block, "/proof", json!("0")));
    let proxy = Proxy::spawn(node.base_url(), other).await.expect("a proxy");
    let mut options = Options::default();
    options.selection.allow = Tier::Reject;
    let report = check(&proxy.server.base_url(), &options).await;
    let causes = report.causes();
    let causes: Vec<_> = causes.iter().map(|(cause, _)| cause.id.as_str()).collect();
    assert_eq!(causes, ["submit-transaction/unsigned", "get-block/proof"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_fixture_names_and_the_node_does_not_have_is_a_warning() {
    let node = nodeproof_devnode::spawn(Config::for_tests())
        .await
        .expect("a local node");
    let alice = node
        .wallet("alice")
        .expect("a wallet")
        .address()
        .to_string();
    let nobody = format!("0x{}", "ab".repeat(20));
    let contract = node.node().contract_address().to_string();
    let right = json!({"wallets": [alice], "tokens": [node.node().native_token()], "blocks": [1]});
    let wrong = json!({
        "blocks": [7_000_000], "wallets": [nobody], "tokens": ["NONE"],
        "assets": [{"contract": contract, "asset_id": "nothing-5a5a"}], "trust": [[nobody, nobody]],
    });
    for (fixture, outcome, findings) in [(right, Outcome::Pass, 0), (wrong, Outcome::Warn, 5)] {
        let mut options = Options::default();
        options.files.fixture = serde_json::from_value(fixture).expect("a fixture");
        let report = check(node.base_url(), &options).await;
        let case = report.cases.iter().find(|case| case.id == "fixture/found");
        let case = case.expect("the case of a fixture");
        assert_eq!(
            (case.outcome, case.findings.len()),
            (outcome, findings),
            "{case:?}"
        );
        // A warning is a verdict, even if no other case was selected.
        options
            .select_only(["fixture/found"])
            .expect("a case of this name");
        let alone = check(node.base_url(), &options).await;
        assert_eq!(alone.exit_code, 0, "{:?}", alone.reason);
    }
    let report = check(node.base_url(), &Options::default()).await;
    assert!(report.cases.iter().all(|case| case.id != "fixture/found"));
}

#[tokio::test(flavor = "multi_thread")]
async fn values_that_a_fixture_states_are_compared() {
    let node = local().await;
    let report = check(&node.base_url, &Options::default()).await;
    let response = |part: &str| -> (String, Value) {
        let exchanges = report.exchanges.iter();
        let mut found = exchanges.filter(|exchange| exchange.url.contains(part));
        let found = found.find_map(|exchange| {
            let body: Value = serde_json::from_str(&exchange.body).ok()?;
            let has_value = body["value"].is_array() || !part.contains("sc-state");
            has_value.then(|| (exchange.url.clone(), body))
        });
        found.unwrap_or_else(|| panic!("a response to {part}"))
    };
    let (_, block) = response("block_index=3");
    let (_, next) = response("block_index=4");
    let (list_url, list) = response("ALL_TOKENS_IN_WALLET");
    let holder = list_url.rsplit('=').next().expect("a wallet");
    let held = &list["balance"][0];
    let (record, stored) = response("/sc-state");
    let record = reqwest::Url::parse(&record).expect("a URL");
    let of = |name: &str| {
        let mut pairs = record.query_pairs();
        let (_, value) = pairs.find(|(known, _)| known == name).expect("a parameter");
        value.to_string()
    };
    let (contract, asset) = (of("contract_address"), of("unique_value"));
    let outcome = stored["value"][4].as_i64().expect("an outcome");
    let balance = held["balance"].as_i64().expect("a balance");
    let fixture = |proof: i64, hash: &Value, balance: i64, outcome: i64| {
        json!({
            "blocks": [1, {"index": 3, "hash": hash, "members": {"proof": proof, "index": 3}}],
            "balances": [{"wallet": holder, "token": held["token_code"], "balance": balance}],
            "assets": [{"contract": contract, "asset_id": asset, "record": {"outcome": outcome}}],
        })
    };
    let (proof, hash) = (
        block["proof"].as_i64().expect("a proof"),
        &next["previous_hash"],
    );
    let other_hash = json!("ab".repeat(32));
    for (fixture, wrong) in [
        (fixture(proof, hash, balance, outcome), None),
        (
            fixture(proof + 1, hash, balance, outcome),
            Some("proof is not"),
        ),
        (
            fixture(proof, &other_hash, balance, outcome),
            Some("previous_hash is not"),
        ),
        (
            fixture(proof, hash, balance + 1, outcome),
            Some("the balance is not"),
        ),
        (
            fixture(proof, hash, balance, outcome + 1),
            Some("outcome of the record is not"),
        ),
    ] {
        let mut options = Options::default();
        options.files.fixture = serde_json::from_value(fixture).expect("a fixture");
        options.select_only(["fixture/values"]).expect("a case");
        let report = check(&node.base_url, &options).await;
        let case = report.cases.iter().find(|case| case.id == "fixture/values");
        let case = case.expect("the case of values");
        let found: Vec<_> = case
            .findings
            .iter()
            .map(|finding| finding.what.as_str())
            .collect();
        match wrong {
            None => assert_eq!(
                (case.outcome, report.exit_code),
                (Outcome::Pass, 0),
                "{case:?}"
            ),
            Some(what) => {
                assert_eq!((case.outcome, found.len()), (Outcome::Fail, 1), "{case:?}");
                assert!(found[0].starts_with(what), "{found:?}");
            }
        }
    }
}

/// Runs the write tier on a chain of one block, which has no claim and no contract.
async fn on_a_new_chain(fault: Option<InjectedFault>) -> NodeReport {
    // On a busy machine, a run can't read all blocks if they come faster.
    let every = BlockTime::Every(std::time::Duration::from_millis(100));
    let mut config = Config::for_tests().with_blocks(0).with_block_time(every);
    config.fault = fault;
    let node = nodeproof_devnode::spawn(config)
        .await
        .expect("a local node");
    node.node().make_block();
    let contract = node.node().contract_address().to_string();
    let mut options = Options::default();
    options.selection.allow = Tier::Write;
    options.selection.probe = true;
    let keys = |name| node.wallet(name).map(|wallet| wallet.keys().clone().into());
    options.submitting.wallet = keys("bob");
    options.submitting.co_signer = keys("carol");
    options.submitting.claims = const { NonZeroU8::new(4).unwrap() };
    // A run can't keep the blocks of a minute.
    options.submitting.settle_timeout = std::time::Duration::from_secs(5);
    options.files.fixture =
        serde_json::from_value(json!({"contracts": [contract]})).expect("a fixture");
    check(node.base_url(), &options).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fixture_with_a_contract_starts_the_write_tier_on_a_new_chain() {
    let report = on_a_new_chain(None).await;
    // The claim's record is the only one of the chain, and stands for all.
    for case in [
        "submit-transaction/claim-accepted",
        "submit-transaction/refused-not-stored",
        "sc-state/unique-value-echo",
        "http/probes-only-requested",
    ] {
        assert_eq!(ended(&report, case).0, Outcome::Pass, "{case}");
    }
    assert_eq!(report.exit_code, 0, "{:?}", report.reason);
    // Balances are read before a case about records makes the claim.
    let report = on_a_new_chain(Some(InjectedFault::VerifierPays)).await;
    let (outcome, reason) = ended(&report, "submit-transaction/fee-paid");
    assert_eq!(outcome, Outcome::Fail, "{reason}");
}

/// Runs against a node that adds 1 to every balance in responses of one type.
async fn with_wrong_balance(balance_type: &'static str) -> NodeReport {
    let node = local().await;
    let add = |value: &mut Value| {
        if let Some(balance) = value.as_i64().filter(|balance| *balance > 0) {
            *value = json!(balance + 1);
        }
    };
    let fault: Fault = change_json(
        "/get-balances",
        move |request: &RecordedRequest, response| {
            // All letters of a value may be percent-encoded.
            let encoded: String = balance_type
                .bytes()
                .map(|byte| format!("%{byte:02x}"))
                .collect();
            let is_asked = |value: &str| request.query.contains(&format!("balance_type={value}"));
            if !is_asked(balance_type) && !is_asked(&encoded) {
                return;
            }
            add(&mut response["balance"]);
            for entry in response["balance"].as_array_mut().into_iter().flatten() {
                add(&mut entry["balance"]);
            }
        },
    );
    let proxy = LocalProxy::new(&node, fault).expect("a proxy");
    proxy.check(&Options::default()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn of_three_balances_the_one_that_stands_alone_is_blamed() {
    for (balance_type, cause) in [
        ("TOKEN_IN_WALLET", "get-balances/agree"),
        ("ALL_TOKENS_IN_WALLET", "get-balances/agree"),
        ("ALL_WALLETS_FOR_TOKEN", "get-balances/agree"),
    ] {
        let report = with_wrong_balance(balance_type).await;
        assert_eq!(causes(&report), [cause], "{balance_type}");
        let case = report.cases.iter().find(|case| case.id == cause);
        for finding in &case.expect("a case").findings {
            assert!(
                finding.what.starts_with(balance_type),
                "{balance_type}: {finding:?}"
            );
            let curl = finding.curl.as_deref().unwrap_or_default();
            assert!(
                curl.contains(&format!("balance_type={balance_type}")),
                "{curl}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_command_is_never_cut() {
    let node = local().await;
    let fault = change_json("/call-sc", |_, response| {
        set(
            response,
            "/transaction/specific_data/params/deep",
            json!("cut"),
        );
    });
    let proxy = LocalProxy::new(&node, fault).expect("a proxy");
    let report = proxy.check(&Options::default()).await;
    let text = report::text(&report.into(), Style::Plain);
    let mut lines = text.lines().filter(|line| line.starts_with("  try "));
    let line = lines.find(|line| line.contains(" bytes: `curl` in report.json"));
    assert!(
        line.is_some_and(|line| !line.contains("curl -sS")),
        "{text}"
    );
}
