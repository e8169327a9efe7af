//! Nodes with a fault. Each of them shows the fault, and a node without a fault shows none of them.

use std::collections::BTreeMap;

use nodeproof_devnode::{ChainTime, Config, InjectedFault};
use nodeproof_wallet::sign_transaction;

use crate::peer::{Peer, with_signatures};

/// A node's responses in a session, by request: status, content type and body.
type Session = BTreeMap<String, String>;

struct Asker {
    peer: Peer,
    session: Session,
}

impl Asker {
    async fn ask(&mut self, name: &str, request: reqwest::RequestBuilder) {
        let response = request.send().await.unwrap();
        let kind = format!("{:?}", response.headers().get("content-type"));
        let status = response.status();
        let text = response.text().await.unwrap();
        let place = format!("{:02} {name}", self.session.len());
        self.session
            .insert(place, format!("{status} {kind} {text}"));
    }

    async fn get(&mut self, path: &str) {
        let request = self.peer.http.get(self.peer.url(path));
        self.ask(path, request).await;
    }

    async fn post(&mut self, name: &str, path: &str, body: String) {
        let request = self.peer.http.post(self.peer.url(path));
        let request = request.header("content-type", "application/json");
        self.ask(name, request.body(body)).await;
    }
}

/// Runs a session with a node: a request to every endpoint, and several kinds of submissions.
async fn session(fault: Option<InjectedFault>) -> Session {
    let mut config = Config::for_tests().with_time(ChainTime::FIXED);
    config.fault = fault;
    let mut asker = Asker {
        peer: Peer::with(config).await,
        session: Session::new(),
    };
    // This node builds the transactions, so a fault of `/call-sc` shows only in responses of `/call-sc`.
    let honest = Peer::new().await;
    let [alice, bob] = ["alice", "bob"].map(|name| honest.keys(name).address());
    let contract = honest.node.contract_address();
    let balance = |token: &str| {
        format!(
            "/get-balances?balance_type=TOKEN_IN_WALLET&wallet_address={alice}&token_code={token}"
        )
    };
    let state = |table: &str, asset: &str| {
        format!(
            "/sc-state?table_name={table}&contract_address={contract}&unique_column=asset_id\
             &unique_value={asset}"
        )
    };
    let trust =
        format!("/get-trustscore-wallets?src_wallet_address={alice}&dst_wallet_address={bob}");
    for path in [
        balance("DEVN"),
        balance("VAULT"),
        "/get-balances?balance_type=ALL_WALLETS_FOR_TOKEN&token_code=VAULT".to_owned(),
        trust,
        state("verification%27%20OR%201=1%20--", "nosuch"),
        "/docs".to_owned(),
        "/get-block?block_index=12".to_owned(),
        "/get-block?block_index=5".to_owned(),
        "/get-block?block_index=999".to_owned(),
    ] {
        asker.get(&path).await;
    }
    for asset in ["one", "two"] {
        let claim = honest.claim_request(&["alice"], asset).to_string();
        asker.post("call", "/call-sc", claim).await;
    }

    let submit = "/submit-transaction";
    let claim = |signers: &[&str], asset: &str| {
        let request = honest.claim_request(signers, asset);
        let honest = &honest;
        async move { honest.raw(&request).await }
    };
    let good = claim(&["alice"], "good").await;
    let signed = honest.signed(&good, &["alice"]);
    asker.post("good", submit, signed.clone()).await;
    let of_bob = claim(&["alice"], "forged").await;
    let mut entry = sign_transaction(honest.keys("bob"), &claim(&["bob"], "forged").await).unwrap();
    entry.wallet_address = alice;
    asker
        .post("forged", submit, with_signatures(&of_bob, &[entry]))
        .await;
    let half = claim(&["alice", "bob"], "half").await;
    let half = honest.signed(&half, &["alice"]);
    asker.post("half", submit, half).await;
    let nobody = claim(&["alice"], "not-listening").await;
    let nobody = nobody.replace(&format!("\"signers\":[\"{alice}\"]"), "\"signers\":[]");
    asker
        .post("not-listening", submit, with_signatures(&nobody, &[]))
        .await;
    let altered = good.replace("\"descr\":\"\"", "\"descr\":\"other\"");
    assert_ne!(altered, good);
    asker
        .post("known code", submit, honest.signed(&altered, &["alice"]))
        .await;
    for _ in 0..3 {
        asker.peer.node.make_block();
    }
    asker.post("again", submit, signed).await;
    for asset in ["good", "forged"] {
        asker.get(&state("verification", asset)).await;
    }
    asker.get(&balance("DEVN")).await;
    for _ in 0..20 {
        asker.get("/get-block?block_index=13").await;
    }
    asker.session
}

#[tokio::test]
async fn each_fault_shows() {
    let honest = session(None).await;
    assert_eq!(honest, session(None).await);
    let mut seen = BTreeMap::new();
    for fault in InjectedFault::all() {
        let faulty = session(Some(fault)).await;
        let shown: Vec<_> = faulty
            .into_iter()
            .filter(|(name, response)| honest[name] != *response)
            .collect();
        assert!(!shown.is_empty(), "{fault} does not show");
        if let Some(other) = seen.insert(shown, fault) {
            panic!("{fault} looks like {other}");
        }
    }
}
