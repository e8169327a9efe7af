//! The examples as users run them: real processes against a local node.

#![expect(clippy::unwrap_used, reason = "a test fails if its setup fails")]

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Output, Stdio},
    time::Duration,
};

use integration_tests::built;
use nodeproof_client::{
    CallOptions, Client, ContractCall, Fee, Transfer,
    transport::{TransportOptions, http_client},
};
use nodeproof_devnode::{BlockTime, Config, Handle};
use nodeproof_wallet::{KeyFile, Protection};
use rusqlite::{Connection, OpenFlags};

/// A program that ends when this is dropped, also if its test fails.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts an example of the client.
fn start(name: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(built::example(name).unwrap());
    command.args(arguments).stdout(Stdio::piped());
    command
}

async fn run(name: &'static str, arguments: Vec<String>) -> Output {
    let run = move || {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        start(name, &arguments).stderr(Stdio::piped()).output()
    };
    tokio::task::spawn_blocking(run).await.unwrap().unwrap()
}

async fn quick() -> Handle {
    let every = BlockTime::Every(Duration::from_millis(100));
    let config = Config::for_tests().with_block_time(every);
    nodeproof_devnode::spawn(config).await.unwrap()
}

fn printed(output: &Output) -> String {
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn read_chain_prints_blocks_and_balances() {
    let node = nodeproof_devnode::spawn(Config::for_tests()).await.unwrap();
    let height = node.node().height();
    let arguments = vec![node.base_url().to_owned(), (height - 1).to_string()];
    let text = printed(&run("read_chain", arguments).await);
    assert!(text.contains(&format!("block {height} of ")), "{text}");
    assert!(text.contains(" holds "), "{text}");
    assert!(
        text.contains(&format!("there is no block {}", height + 1)),
        "{text}"
    );
    assert!(!text.contains("not as documented"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn follow_prints_each_block_once() {
    let node = quick().await;
    let arguments = [node.base_url(), "2", "14"].map(str::to_owned).to_vec();
    let text = printed(&run("follow", arguments).await);
    let blocks: Vec<&str> = text.lines().collect();
    assert_eq!(blocks.len(), 14, "{text}");
    for (index, line) in (2..).zip(blocks) {
        assert!(line.starts_with(&format!("block {index} of ")), "{line}");
        assert!(line.ends_with(" transactions"), "{line}");
    }
}

/// Returns the indexed blocks, and the assets of the indexed claims.
fn indexed(path: &Path) -> rusqlite::Result<(Vec<u64>, Vec<String>)> {
    let index = rusqlite::Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut blocks = index.prepare("select height from block order by height")?;
    let blocks = blocks.query_map([], |row| row.get::<_, i64>(0))?;
    let blocks = blocks.map(|height| height.map(i64::cast_unsigned));
    let mut assets = index.prepare("select asset_id from claim order by height")?;
    let assets = assets.query_map([], |row| row.get(0))?;
    Ok((
        blocks.collect::<Result<_, _>>()?,
        assets.collect::<Result<_, _>>()?,
    ))
}

#[tokio::test(flavor = "multi_thread")]
async fn index_claims_has_each_block_once_although_it_is_killed() {
    let every = BlockTime::Every(Duration::from_millis(50));
    let config = Config::for_tests().with_block_time(every);
    let node = nodeproof_devnode::spawn(config.clone()).await.unwrap();
    let contract = node.contract_address().to_string();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("claims.db");
    let file = path.display().to_string();
    let until = async |base: &str, end: u64| {
        let arguments = [base, &contract, &file, &end.to_string()].map(str::to_owned);
        run("index_claims", arguments.to_vec()).await
    };
    let paid = pay_bob(&node).await;
    for height in [5, 20] {
        // Without an end, it follows the chain.
        let mut endless = start("index_claims", &[node.base_url(), &contract, &file]);
        let mut endless = endless.spawn().unwrap();
        let mut pauses = 0;
        while indexed(&path).map_or(0, |(blocks, _)| blocks.len()) < height {
            assert!(endless.try_wait().unwrap().is_none(), "it ended");
            pauses += 1;
            assert!(pauses < 6_000, "it indexes nothing");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        endless.kill().unwrap();
        endless.wait().unwrap();
    }
    let end = node.height();
    let ended = until(node.base_url(), end).await;
    assert!(
        printed(&ended).is_empty() && ended.stderr.is_empty(),
        "{ended:?}"
    );
    let (blocks, assets) = indexed(&path).unwrap();
    assert!(blocks.len() as u64 >= end);
    assert_eq!(blocks, (1..=blocks.len() as u64).collect::<Vec<_>>());
    assert!(
        assets.iter().any(|asset| asset == "warehouse-receipt-0001"),
        "{assets:?}"
    );

    assert!(payments(&path).contains(&paid));

    // These blocks are in the database already. The stream would wait for the next one.
    for end in [end, 3] {
        printed(&until(node.base_url(), end).await);
    }
    let more = blocks.len() as u64 + 100;
    let other = nodeproof_devnode::spawn(config.with_seed(7).with_blocks(more));
    let ended = until(other.await.unwrap().base_url(), more).await;
    assert!(!ended.status.success());
    let error = String::from_utf8_lossy(&ended.stderr);
    assert!(error.contains("ChainReplaced"), "{error}");
    assert_eq!(indexed(&path).unwrap(), (blocks, assets));
}

/// Pays bob 5 units, and returns the row of the payment.
async fn pay_bob(node: &Handle) -> String {
    let client = Client::new(node.base_url()).unwrap();
    let (alice, bob) = (node.wallet("alice").unwrap(), node.wallet("bob").unwrap());
    let fee = Fee::new(1_500_000.into(), node.native_token()).unwrap();
    let transfer = Transfer::new(5, bob.address(), "GRAIN");
    let transfer = ContractCall::of(node.token_contract_address(), &transfer).unwrap();
    let options = CallOptions::default();
    let accepted = client
        .call(&transfer, &fee, &[alice.keys()], &options)
        .await;
    let code = accepted.unwrap().trans_code();
    format!("{code} {} {} GRAIN 5", alice.address(), bob.address())
}

fn payments(path: &Path) -> Vec<String> {
    let index = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let sql = "select trans_code || ' ' || payer || ' ' || receiver || ' ' || token || ' ' || amount \
               from payment order by height";
    let mut rows = index.prepare(sql).unwrap();
    let rows = rows.query_map([], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn transfer_moves_tokens_and_names_the_block() {
    let node = quick().await;
    let client = Client::new(node.base_url()).unwrap();
    let bob = node.wallet("bob").unwrap().address();
    let held = async || client.token_balance("GRAIN", bob).await.unwrap().unwrap();
    let before = held().await.get();
    let text = printed(&run("transfer", vec![node.base_url().to_owned()]).await);
    assert!(text.contains("\nin block "), "{text}");
    let after = held().await.get();
    assert_eq!(after - before, 1_000);
    let last = format!("{bob} holds {after} GRAIN\n");
    assert!(text.ends_with(&last), "{text}");

    // This is more than the wallet holds.
    let too_much = [node.base_url(), &bob.to_string(), "999999999999999"].map(str::to_owned);
    let refused = run("transfer", too_much.to_vec()).await;
    assert!(!refused.status.success(), "{refused:?}");
    let error = String::from_utf8_lossy(&refused.stderr);
    assert!(error.contains("Refused"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn watch_balance_prints_each_change() {
    let node = nodeproof_devnode::spawn(Config::for_tests()).await.unwrap();
    let client = Client::new(node.base_url()).unwrap();
    let (alice, bob) = (node.wallet("alice").unwrap(), node.wallet("bob").unwrap());
    let arguments = [node.base_url(), &alice.address().to_string(), "GRAIN", "1"];
    let mut child = start("watch_balance", &arguments).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut line = move || lines.next().unwrap().unwrap();
    let (first, line) = tokio::task::spawn_blocking(move || (line(), line))
        .await
        .unwrap();
    let held = client.token_balance("GRAIN", alice.address()).await;
    let held = held.unwrap().unwrap().get();
    assert_eq!(first, format!("{} holds {held} GRAIN", alice.address()));

    let fee = Fee::new(1_500_000.into(), node.native_token()).unwrap();
    let contract = node.token_contract_address();
    let transfer = Transfer::new(7, bob.address(), "GRAIN");
    let transfer = ContractCall::of(contract, &transfer).unwrap();
    let accepted = client
        .call(&transfer, &fee, &[alice.keys()], &CallOptions::default())
        .await;
    accepted.unwrap();
    let made = node.make_block();
    let second = tokio::task::spawn_blocking(line).await.unwrap();
    // If the example had not requested the balance yet, it got the change after the block before.
    let seen_after = |block| format!("{} GRAIN, seen after block {block}", held - 7);
    let seen = [seen_after(made - 1), seen_after(made)];
    assert!(seen.contains(&second), "{second}");
    assert!(child.wait().unwrap().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn test_with_devnode_passes_and_reads_another_node() {
    assert_eq!(printed(&run("test_with_devnode", Vec::new()).await), "ok\n");
    let node = nodeproof_devnode::spawn(Config::for_tests()).await.unwrap();
    let text = printed(&run("test_with_devnode", vec![node.base_url().to_owned()]).await);
    assert!(
        text.ends_with(" transactions in the latest block\n"),
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_remote_signer_signs_what_it_can_show_and_refuses_the_rest() {
    let node = quick().await;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let alice = node.wallet("alice").unwrap();
    KeyFile::write(path("wallet.json"), alice.keys(), Protection::Plain).unwrap();
    let serve = ["serve", "127.0.0.1:0", &path("wallet.json")];
    let mut server = Ended(start("remote_signer", &serve).spawn().unwrap());
    let mut lines = BufReader::new(server.0.stdout.take().unwrap()).lines();
    let url = lines.next().unwrap().unwrap();
    let contract = node.contract_address().to_string();
    let arguments = [
        "claim",
        node.base_url(),
        &contract,
        &url,
        "lot-7",
        &path("a"),
    ];
    let claimed = run("remote_signer", arguments.map(str::to_owned).to_vec()).await;
    assert_eq!(printed(&claimed), "recorded: true\n");
    let signed = tokio::task::spawn_blocking(move || lines.next().unwrap().unwrap());
    let expected = "signed: a claim about \"lot-7\" for 1500000 DEVN";
    assert_eq!(signed.await.unwrap(), expected);

    // A transfer is refused.
    let base = url.parse().unwrap();
    let http = http_client(&base, &TransportOptions::default()).unwrap();
    let address = alice.address();
    let transfer = format!(
        r#"{{"timestamp": 1, "trans_code": "04087cb4c58f389c80bef882e3392f1b3b0e9e3c", "type": 3, "currency": "DEVN", "fee": 1, "descr": "", "valid": 1, "specific_data": {{"address": "{contract}", "function": "transfer", "signers": ["{address}"], "params": {{}}}}}}"#
    );
    let refused = http.post(&*url).body(transfer).send().await.unwrap();
    assert_eq!(refused.status(), 403);
    assert!(refused.text().await.unwrap().contains("only claims"));
    // A signer that is gone is named.
    drop(server);
    let arguments = [
        "claim",
        node.base_url(),
        &contract,
        &url,
        "lot-8",
        &path("b"),
    ];
    let failed = run("remote_signer", arguments.map(str::to_owned).to_vec()).await;
    assert!(!failed.status.success(), "{failed:?}");
    assert_eq!(node.submissions_received(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn build_claim_prints_what_is_to_be_signed() {
    let node = nodeproof_devnode::spawn(Config::for_tests()).await.unwrap();
    let verifier = node.node().wallets().first().unwrap().address().to_string();
    let contract = node.node().contract_address().to_string();
    let arguments = [node.base_url(), &contract, &verifier, "caf\u{e9}"]
        .map(str::to_owned)
        .to_vec();
    let example = built::example("build_claim").unwrap();
    let build = move || Command::new(example).args(arguments).output();
    let built = tokio::task::spawn_blocking(build).await.unwrap();
    let text = printed(&built.unwrap());
    assert!(text.contains("fee 1500000\n"), "{text}");
    assert!(
        text.contains(&format!("calls add_verification of {contract}")),
        "{text}"
    );
    // The message is shown as it is signed: in ASCII only.
    assert!(text.contains(r#""asset_id": "caf\u00e9""#), "{text}");
    assert_eq!(node.node().submissions_received(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_example_says_what_is_wrong_with_its_node() {
    let output = run("read_chain", vec!["localhost:8420".to_owned()]).await;
    assert!(!output.status.success());
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("http://localhost:8420"), "{error}");
}
