//! What a node can combine from everything that it receives.
//!
//! A node builds the transactions, so it has their text, and it receives every signature. It may combine
//! them in any way and submit the result to any other node.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex},
};

use integration_tests::{
    faults::{change_json, set},
    proxy::{Fault, LocalProxy, RecordedRequest},
    submissions::SUBMIT,
};
use nodeproof_client::transport::{TransportOptions, http_client};
use nodeproof_conformance::{Options, Tier};
use nodeproof_devnode::TestWallet;
use nodeproof_primitives::signed_message;
use nodeproof_wallet::{PublicKey, Signature};
use secp256k1::{Keypair, PublicKey as Point, Scalar};
use serde_json::{Value, json};
use sha1::{Digest as _, Sha1};

use crate::conformance_tiers::local;

/// Everything in the requests of a run that a node could combine.
#[derive(Default)]
struct Collection {
    /// Texts of transactions, as received.
    texts: BTreeSet<String>,
    /// Texts that the node built itself, with the fees that it received.
    guesses: BTreeSet<String>,
    /// Hexadecimal texts that may be signatures.
    signatures: BTreeSet<String>,
}

impl Collection {
    fn of(requests: &[RecordedRequest], built: &[Value]) -> Self {
        let mut this = Self::default();
        let mut fees = BTreeSet::new();
        for request in requests
            .iter()
            .filter(|request| request.path.starts_with(SUBMIT))
        {
            let Ok(body) = serde_json::from_slice::<Value>(&request.body) else {
                continue;
            };
            this.take(&body);
        }
        for text in &this.texts {
            let transaction: Value = serde_json::from_str(text).expect("JSON");
            fees.insert((
                transaction["fee"].to_string(),
                transaction["currency"].to_string(),
            ));
        }
        // Add the transactions that the node built, with every fee and currency that it received.
        for raw in built {
            for (fee, currency) in &fees {
                let mut transaction = raw["transaction"].clone();
                transaction["fee"] = serde_json::from_str(fee).expect("JSON");
                transaction["currency"] = serde_json::from_str(currency).expect("JSON");
                this.guesses.insert(transaction.to_string());
            }
            this.guesses.insert(raw["transaction"].to_string());
        }
        this
    }

    fn take(&mut self, value: &Value) {
        match value {
            Value::Object(members) => {
                if members.contains_key("trans_code") {
                    self.texts.insert(value.to_string());
                }
                members.values().for_each(|member| self.take(member));
            }
            Value::Array(items) => items.iter().for_each(|item| self.take(item)),
            Value::String(text) => {
                if let Ok(inner) = serde_json::from_str::<Value>(text)
                    && inner.is_object()
                {
                    self.take(&inner);
                }
                if text.len() == 128 && text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                    self.signatures.insert(text.clone());
                }
            }
            _ => {}
        }
    }

    /// Returns the transactions that this wallet demonstrably signed. It tries every signature for every text.
    /// For the texts that were received, it also tries them with the last digit changed.
    fn spendable(&self, wallet: &PublicKey) -> BTreeSet<&String> {
        let signatures = parsed(self.signatures.iter().cloned());
        let changed = parsed(self.signatures.iter().flat_map(|text| one_digit_off(text)));
        let mut spendable = signed(&self.guesses, &signatures, wallet);
        spendable.extend(signed(&self.texts, &changed, wallet));
        spendable
    }
}

fn parsed(texts: impl Iterator<Item = String>) -> Vec<Signature> {
    texts.filter_map(|text| text.parse().ok()).collect()
}

/// Returns the texts that one of these signatures signs.
fn signed<'t>(
    texts: &'t BTreeSet<String>,
    signatures: &[Signature],
    wallet: &PublicKey,
) -> BTreeSet<&'t String> {
    let pairs = pairs(texts.iter(), signatures, wallet).into_iter();
    pairs.map(|(text, _)| text).collect()
}

/// Returns each text with each of these signatures that is the wallet's signature over it, sorted by text.
///
/// To verify each signature for each text would take minutes. A signature `(r, s)` of the key `Q` is over the digest
/// `z` if `zG = sR - rQ`, with a point `R` whose coordinate is `r`. So each text and each signature gives points, and
/// equal ones belong together.
fn pairs<'t, 's>(
    texts: impl Iterator<Item = &'t String>,
    signatures: &'s [Signature],
    wallet: &PublicKey,
) -> Vec<(&'t String, &'s Signature)> {
    let mut by_point = HashMap::<Point, Vec<&String>>::new();
    for text in texts {
        let message = signed_message(text).expect("a message");
        let mut digest = [0; 32];
        digest[12..].copy_from_slice(&Sha1::digest(message));
        let point = Keypair::from_secret_bytes(digest).expect("a digest");
        by_point.entry(point.public_key()).or_default().push(text);
    }
    let key: Point = format!("04{wallet}").parse().expect("a point");
    let mut found = Vec::new();
    for signature in signatures {
        let bytes = signature.to_bytes();
        let (r, s) = bytes.split_at(32);
        let scalar = |bytes: &[u8]| Scalar::from_be_bytes(bytes.try_into().expect("32 bytes"));
        let (Ok(times_r), Ok(times_s)) = (scalar(r), scalar(s)) else {
            continue;
        };
        let subtracted = key.mul_tweak(&times_r).expect("a point").negate();
        for sign in [2, 3] {
            // For some numbers, there is no such point.
            let point = Point::from_slice(&[&[sign], r].concat());
            let point = point.and_then(|point| point.mul_tweak(&times_s)?.combine(&subtracted));
            let texts = point.ok().and_then(|point| by_point.get(&point));
            found.extend(texts.into_iter().flatten().map(|text| (*text, signature)));
        }
    }
    found.sort_by_key(|(text, _)| *text);
    for (text, signature) in &found {
        let message = signed_message(text).expect("a message");
        let verified = wallet.verify(message.as_bytes(), signature);
        verified.expect("a signature of the wallet");
    }
    found
}

/// Returns the text, and all variants with another last digit.
fn one_digit_off(text: &str) -> impl Iterator<Item = String> {
    let start = text[..text.len() - 1].to_owned();
    "0123456789abcdef"
        .chars()
        .map(move |last| format!("{start}{last}"))
}

/// Submits each collected transaction with each signature of the wallet over it to a right node, each for a block of its
/// own. Returns the balances of the wallet before and after.
async fn spend(collection: &Collection, wallet: &TestWallet, token: &str) -> (i64, i64) {
    let config = nodeproof_devnode::Config::for_tests();
    let node = nodeproof_devnode::spawn(config).await.expect("a node");
    let address = wallet.address();
    let base = node.base_url().parse().expect("a URL");
    let http = http_client(&base, &TransportOptions::default()).expect("a client");
    let balance = async || {
        let query =
            format!("balance_type=TOKEN_IN_WALLET&token_code={token}&wallet_address={address}");
        let response = http.get(format!("{}/get-balances?{query}", node.base_url()));
        let text = response.send().await.expect("a response").text().await;
        let body: Value = serde_json::from_str(&text.expect("a body")).expect("JSON");
        body["balance"].as_i64().expect("a balance")
    };
    let before = balance().await;
    let signatures = parsed(collection.signatures.iter().cloned());
    let texts = collection.texts.union(&collection.guesses);
    for (text, signature) in pairs(texts, &signatures, wallet.keys().public_key()) {
        let entry = json!({"wallet_address": address, "msgsign": signature});
        let body = format!("{{\"transaction\":{text},\"signatures\":[{entry}]}}");
        let request = http.post(format!("{}{SUBMIT}", node.base_url()));
        let request = request
            .header("content-type", "application/json")
            .body(body);
        request.send().await.expect("a response");
        node.make_block();
    }
    (before, balance().await)
}

/// Returns the options of a run with a user's own wallet, as the command line makes them.
fn with_own_wallet(node: &nodeproof_devnode::Node, wallet: &TestWallet, allow: Tier) -> Options {
    let mut options = Options::default();
    options.selection.allow = allow;
    options.submitting.wallet = Some(wallet.keys().clone().into());
    options.submitting.currency = Some(node.native_token().to_owned());
    options.submitting.contract = Some(node.contract_address());
    options.submitting.settle_timeout = std::time::Duration::from_secs(2);
    options
}

async fn spendable_after(allow: Tier) -> (usize, String) {
    let change = |_: &mut Options| {};
    spendable_after_changed(allow, change).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_right_node_charges_each_of_several_claims_once() {
    let same = nodeproof_devnode::Node::new(&nodeproof_devnode::Config::for_tests());
    let wallet = same.wallet("bob").expect("a wallet");
    let co_signer = same.wallet("carol").expect("a wallet").keys().clone();
    let node = local().await;
    let proxy = LocalProxy::new(&node, Arc::new(|_, response| response)).expect("a proxy");
    let mut options = with_own_wallet(&same, wallet, Tier::Write);
    options.submitting.claims = 4.try_into().expect("a number");
    options.submitting.co_signer = Some(co_signer.into());
    let report = proxy.check(&options).await;
    assert_eq!(report.exit_code, 0, "{:?}", report.reason);
    let collection = Collection::of(&proxy.requests(), &[]);
    let signed = collection.spendable(wallet.keys().public_key());
    assert!(
        signed.len() > 20,
        "wrong transactions are signed, too: {}",
        signed.len()
    );
    let (before, after) = spend(&collection, wallet, same.native_token()).await;
    // On a devnet, one claim pays ten million more, another one a fee beyond 32 bits, and a node may accept sixteen more
    // transactions, such as one that names another payer. This one does, if it gets them without other wallets' signatures. Each of them pays some
    // more units than the one before it. The fourth claim pays three units more, and the one about the co-signer's asset
    // twelve, and one of many wallets' claims is its own. 154 of the transfers cost it a fee each, most of them some units more. One of these is only sent in wrong forms. They
    // move two fees and three quarters and seven units three times, nine fees and seven units, five fees, eight four times, two four times with 400 units once and 127 units once, once one unit, and 132
    // times seven units.
    let more = 15 + 354 + 233 + 435 + 6_909;
    let fees = 173 * 1_000_000 + 10_000_000 + (1 << 32) + 1 + more;
    let transfers = 7_750_007 + 9_000_007 + 17_000_000 + 2_750_007 + 132 * 7 + 1 + 28_000_527;
    assert_eq!(before - after, fees + transfers);
}

async fn spendable_after_changed(
    allow: Tier,
    change: impl FnOnce(&mut Options),
) -> (usize, String) {
    let node = local().await;
    // This second node has the same wallets.
    let same = nodeproof_devnode::Node::new(&nodeproof_devnode::Config::for_tests());
    let wallet = same.wallet("bob").expect("a wallet");
    let built = Arc::new(Mutex::new(Vec::new()));
    let collected = Arc::clone(&built);
    let fault: Fault = Arc::new(move |request, response| {
        if request.path == "/call-sc"
            && let Ok(raw) = serde_json::from_slice(&response.body)
        {
            collected.lock().expect("a list").push(raw);
        }
        response
    });
    let proxy = LocalProxy::new(&node, fault).expect("a proxy");
    let mut options = with_own_wallet(&same, wallet, allow);
    change(&mut options);
    let report = proxy.check(&options).await;
    let report = serde_json::to_string(&report).expect("a report");
    let built = built.lock().expect("a list").clone();
    let collection = Collection::of(&proxy.requests(), &built);
    assert!(!collection.texts.is_empty() || allow == Tier::Read);
    let spendable = collection.spendable(wallet.keys().public_key());
    if options.submitting.public_wallet.is_some() {
        return (spendable.len(), report);
    }
    // No report may publish a signature that the node has received.
    let texts: BTreeSet<String> = collection
        .texts
        .union(&collection.guesses)
        .cloned()
        .collect();
    let shown = collection
        .signatures
        .iter()
        .filter(|text| report.contains(*text));
    let shown = parsed(shown.cloned());
    assert!(
        signed(&texts, &shown, wallet.keys().public_key()).is_empty(),
        "the report shows a signature of the user's wallet"
    );
    (spendable.len(), report)
}

#[tokio::test(flavor = "multi_thread")]
async fn reading_gives_a_node_nothing_to_spend() {
    assert_eq!(spendable_after(Tier::Read).await.0, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_submissions_give_a_node_nothing_to_spend() {
    assert_eq!(spendable_after(Tier::Reject).await.0, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_collection_finds_a_signature_that_can_be_spent() {
    // Let the user's wallet sign the submissions that must be refused.
    let (count, _) = spendable_after_changed(Tier::Reject, |options| {
        options
            .submitting
            .public_wallet
            .clone_from(&options.submitting.wallet);
    })
    .await;
    assert!(count > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn writing_gives_a_node_the_one_claim_and_nothing_else() {
    let (count, report) = spendable_after(Tier::Write).await;
    assert_eq!(count, 1);
    assert!(report.contains("(signature redacted)"), "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_co_signer_gives_a_node_one_more_claim_of_both_wallets() {
    let same = nodeproof_devnode::Node::new(&nodeproof_devnode::Config::for_tests());
    let co_signer = same.wallet("carol").expect("a wallet").keys().clone();
    let (count, report) = spendable_after_changed(Tier::Write, |options| {
        options.submitting.co_signer = Some(co_signer.into());
    })
    .await;
    assert_eq!(count, 2);
    assert!(report.contains("(signature redacted)"), "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_claim_is_not_printed_as_a_command() {
    let node = local().await;
    let same = nodeproof_devnode::Node::new(&nodeproof_devnode::Config::for_tests());
    let wallet = same.wallet("bob").expect("a wallet");
    let fault = change_json(SUBMIT, |request, response| {
        // The refusal repeats the submission in capital letters.
        let body = String::from_utf8_lossy(&request.body).to_uppercase();
        set(response, "/response/valid", json!(false));
        set(
            response,
            "/response/msg",
            json!(format!("not today: {body}")),
        );
    });
    let proxy = LocalProxy::new(&node, fault).expect("a proxy");
    let options = with_own_wallet(&same, wallet, Tier::Write);
    let report = proxy.check(&options).await;
    let claim = report
        .cases
        .iter()
        .find(|case| case.id == "submit-transaction/claim-accepted")
        .expect("a case");
    assert!(claim.findings.iter().all(|finding| finding.curl.is_none()));
    let text = serde_json::to_string(&report)
        .expect("a report")
        .to_lowercase();
    let requests = proxy.requests();
    let mut spendable = BTreeSet::new();
    for request in requests.iter().filter(|request| request.path == SUBMIT) {
        let mut one = Collection::default();
        if let Ok(value) = serde_json::from_slice(&request.body) {
            one.take(&value);
        }
        let texts = one.spendable(wallet.keys().public_key());
        if !texts.is_empty() {
            spendable.extend(texts.into_iter().cloned());
            for signature in &one.signatures {
                assert!(!text.contains(signature.as_str()));
            }
        }
    }
    // The claim itself, which the run submits with faults, and then rightly.
    assert_eq!(spendable.len(), 1);
}
