//! `nodectl transfer`, and claims and transfers with several wallets.

use integration_tests::{faults::change_json, proxy::Proxy};
use nodeproof_client::Client;
use nodeproof_devnode::{BlockTime, Config, Handle, InjectedFault, Outage};
use serde_json::{Value, json};

use crate::nodectl::program::{Home, RunOutput, keys, words};

struct Payer {
    home: Home,
    node: Handle,
    wallets: [String; 2],
}

impl Payer {
    async fn new(config: Config) -> Self {
        let node = nodeproof_devnode::spawn(config).await.expect("a node");
        let home = Home::new();
        let wallet = |name: &str| home.wallet(&format!("{name}.json"), &keys(&node, name));
        Self {
            wallets: [wallet("alice"), wallet("carol")],
            node,
            home,
        }
    }

    /// Starts a node that makes a block for each submission.
    async fn quick() -> Self {
        Self::new(Config::for_tests().with_block_time(BlockTime::OnSubmission)).await
    }

    /// Transfers 1.25 tokens from alice to bob.
    fn pay(&self, more: &[&str]) -> RunOutput {
        self.pay_at(self.node.base_url(), more)
    }

    fn pay_at(&self, base_url: &str, more: &[&str]) -> RunOutput {
        let contract = self.node.token_contract_address().to_string();
        let to = keys(&self.node, "bob").address().to_string();
        let transfer = format!(
            "--json transfer --token-contract {contract} --token GRAIN --amount 1.25 \
                 --decimals 6 --to {to} --currency DEVN --wallet {} --keep invoice-17.json",
            self.wallets[0]
        );
        let transfer = words(&transfer);
        let fee: &[&str] = match more.contains(&"--fee") {
            true => &[],
            false => &["--fee", "1500000"],
        };
        self.home
            .ask(base_url, &[&transfer[..], fee, more].concat())
    }

    async fn balance(&self, token: &str, wallet: &str) -> i128 {
        let client = Client::new(self.node.base_url()).expect("a client");
        let wallet = keys(&self.node, wallet).address();
        let balance = client.token_balance(token, wallet).await;
        balance.expect("a response").unwrap_or_default().get()
    }

    fn is_saved(&self) -> bool {
        self.home.path("invoice-17.json").exists()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transfer_is_paid_once_and_its_block_is_shown() {
    let payer = Payer::quick().await;
    let before = payer.balance("GRAIN", "bob").await;
    let plan = payer.pay(&["--dry-run"]).ended(0).json();
    assert_eq!(plan["already_signed"], false);
    assert!(!payer.is_saved());

    let node = payer.node.node();
    node.set_submission_outage(Some(Outage::LostResponses));
    // The response is lost, but the block shows the transaction.
    let first = payer.pay(&[]).ended(0).json();
    node.set_submission_outage(Some(Outage::Unavailable));
    payer.pay(&["--dry-run"]).ended(0);
    node.set_submission_outage(None);
    let again = payer.pay(&[]).ended(0).json();
    assert_eq!(again["trans_code"], first["trans_code"]);
    assert_eq!(
        (&again["resumed"], &again["block"]),
        (&json!(true), &first["block"])
    );
    assert_eq!(again["amount"], 1_250_000);
    assert_eq!(payer.balance("GRAIN", "bob").await - before, 1_250_000);

    let other = payer.pay(&["--fee", "1600000"]).ended(2);
    assert!(other.err.contains("`fee` was 1500000"), "{other:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transfer_that_is_not_confirmed_or_is_refused_ends_with_its_own_status() {
    let payer = Payer::new(Config::for_tests()).await;
    for (decimals, amount, expected) in [
        (
            &["--decimals", "6"][..],
            ["--amount", "0"],
            "not above zero",
        ),
        (&["--decimals", "6"], ["--amount", "-1"], "not above zero"),
        (
            &["--decimals", "6"],
            ["--amount", "0.0000001"],
            "more than 6 decimals",
        ),
        (&[], ["--amount", "0"], "not above zero"),
        // Whoever writes this means a whole token.
        (&[], ["--amount", "1.000"], "smallest unit"),
        (&[], ["--amount", "1e3"], "smallest unit"),
        (&[], ["--amount", "1.5"], "smallest unit"),
    ] {
        let home = &payer.home;
        let contract = payer.node.token_contract_address().to_string();
        let to = keys(&payer.node, "bob").address().to_string();
        let transfer = format!(
            "transfer --token-contract {contract} --token GRAIN --to {to} \
                 --fee 1500000 --currency DEVN --wallet {} --keep other.json",
            payer.wallets[0]
        );
        let transfer = words(&transfer);
        let refused = home.ask(
            payer.node.base_url(),
            &[&transfer[..], decimals, &amount].concat(),
        );
        let refused = refused.ended(2);
        assert!(refused.err.contains(expected), "{refused:?}");
    }
    assert_eq!(payer.node.submissions_received(), 0);
    let pending = payer.pay(&["--wait", "0.01"]).ended(5);
    assert!(
        pending.error()["message"]
            .to_string()
            .contains("no block that was read so far has it")
    );
    let accepted = payer.pay(&["--no-wait"]).ended(0).json();
    assert_eq!(
        (&accepted["block"], &accepted["new_transaction"]),
        (&json!(null), &json!(false))
    );

    let poor = Payer::quick().await;
    let refused = poor.pay(&["--fee", "1"]).ended(4);
    assert_eq!(refused.error()["maybe_sent"], true);

    let payer = Payer::quick().await;
    let fails = change_json("/get-block", |_, block| {
        let list = block.pointer_mut("/text/transactions");
        let list = list.and_then(Value::as_array_mut).into_iter().flatten();
        list.for_each(|entry| entry["status"] = json!(-1));
    });
    let proxy = Proxy::spawn(&payer.node, fails).await.expect("a proxy");
    let failed = payer.pay_at(&proxy.server.base_url(), &[]).ended(5);
    let message = failed.error()["message"].to_string();
    assert!(message.contains("with status -1"), "{message}");

    let rows = Config::for_tests().with_fault(InjectedFault::BlockRows);
    let unseen = Payer::new(rows).await.pay(&[]).ended(5);
    assert!(
        unseen.error()["message"]
            .to_string()
            .contains("nodectl balance")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn several_wallets_sign_in_one_command_and_the_first_one_counts() {
    let payer = Payer::quick().await;
    let before = payer.balance("GRAIN", "alice").await;
    let both = ["--wallet", &payer.wallets[1]];
    let paid = payer.pay(&both).ended(0).json();
    assert_eq!(before - payer.balance("GRAIN", "alice").await, 1_250_000);

    let contract = payer.node.contract_address().to_string();
    let claim = format!(
        "--json claim add --asset lot-7 --deletable-after 9 --contract {contract} --fee \
             1500000 --currency DEVN --wallet {} --wallet {}",
        payer.wallets[1], payer.wallets[0]
    );
    let claim = words(&claim);
    let made = payer
        .home
        .ask(payer.node.base_url(), &claim)
        .ended(0)
        .json();
    let carol = keys(&payer.node, "carol").address();
    assert_eq!(made["record"]["verifier_address"], json!(carol));

    let client = Client::new(payer.node.base_url()).expect("a client");
    for block in [&paid["block"], &made["block"]] {
        let index = block.as_u64().expect("a block");
        let block = client
            .block(index)
            .await
            .expect("a response")
            .expect("a block");
        let [transaction] = block.transactions().expect("transactions") else {
            panic!("{block:?}")
        };
        let signed = transaction.signed().expect("a transaction");
        assert_eq!(signed.signatures().expect("signatures").len(), 2);
    }
}
