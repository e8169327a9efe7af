//! A whole dapp with a co-signer, which is killed, and survives outages and a replaced chain.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use integration_tests::{
    built,
    restart::{self, start_at, stop},
};
use nodeproof_devnode::{BlockTime, Handle, Outage};
use nodeproof_wallet::{KeyFile, Protection};
use tokio::time::sleep;

use super::*;

const ASSETS: i128 = 12;
const FEE: i128 = 1_500_000;
/// What the owner gets for each asset, in base units.
const TOKENS: i128 = 1_500_000;
/// Two refunds are equal.
const REFUNDS: [i128; 3] = [250_000, 250_000, 40];

/// A program that ends when this is dropped, also if its test fails.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The programs of the dapp, and the folder with its files.
struct Dapp {
    folder: PathBuf,
    arguments: Vec<String>,
    co_signer: String,
}

impl Dapp {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Starts the dapp. Its messages go to a file.
    fn start(&self) -> Child {
        let mut command = Command::new(built::example("provenance").unwrap());
        let messages = File::create(self.path("messages")).unwrap();
        command.args(&self.arguments).stderr(messages);
        command.stdout(Stdio::piped()).spawn().unwrap()
    }

    /// Makes one block after another until the dapp has done everything.
    async fn finish(&self, child: Child, node: &Handle) {
        let ended = tokio::task::spawn_blocking(|| child.wait_with_output());
        while !ended.is_finished() {
            node.node().make_block();
            sleep(PAUSE).await;
        }
        let output = ended.await.unwrap().unwrap();
        assert!(output.status.success(), "{output:?} {}", self.messages());
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.ends_with("paid 12\nrefunded 3\n"), "{text}");
        let index = fs::read_to_string(self.path("output/index.jsonl")).unwrap();
        assert_eq!(index.matches("../lot/").count(), 12);
    }

    fn messages(&self) -> String {
        fs::read_to_string(self.path("messages")).unwrap()
    }

    /// Starts the co-signer, and waits until it listens.
    async fn co_signer(&self) -> Ended {
        let mut command = Command::new(built::example("remote_signer").unwrap());
        command.arg("serve").arg(&self.co_signer);
        command.arg(self.path("co-signer.json"));
        let mut child = Ended(command.stdout(Stdio::piped()).spawn().unwrap());
        let mut lines = BufReader::new(child.0.stdout.take().unwrap()).lines();
        let first = tokio::task::spawn_blocking(move || {
            let first = lines.next();
            // The others are read until it ends.
            std::thread::spawn(move || lines.for_each(drop));
            first
        });
        assert!(first.await.unwrap().unwrap().unwrap().starts_with("http"));
        child
    }
}

/// The pause before the next block, when the dapp has time to work.
const PAUSE: Duration = Duration::from_millis(20);

/// Makes one block after another until the dapp has reached something. Fails if the dapp ends before. There is a look
/// before each block, so the dapp is not done before it is seen, however loaded the machine is.
async fn until(dapp: &mut Child, node: &Handle, what: &str, is_reached: impl Fn() -> bool) {
    while !is_reached() {
        let ended = dapp.try_wait().unwrap();
        assert!(
            ended.is_none() || is_reached(),
            "before {what}, the dapp ended: {ended:?}"
        );
        node.node().make_block();
        sleep(PAUSE).await;
    }
}

fn killed(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Returns what alice holds for fees, and the tokens of bob and carol.
async fn balances(node: &Handle) -> [i128; 3] {
    let client = Client::new(node.base_url()).unwrap();
    let held = async |token, name: &str| {
        let wallet = node.wallet(name).unwrap().address();
        let balance = client.token_balance(token, wallet).await.unwrap();
        balance.unwrap_or_default().get()
    };
    [
        held(node.native_token(), "alice").await,
        held("GRAIN", "bob").await,
        held("GRAIN", "carol").await,
    ]
}

/// Checks that each claim, each payment and each refund was paid once.
async fn assert_paid_once(node: &Handle, before: [i128; 3]) {
    let after = balances(node).await;
    let refunds = i128::try_from(REFUNDS.len()).unwrap();
    let expected = [
        before[0] - (2 * ASSETS + refunds) * FEE,
        before[1] + ASSETS * TOKENS,
        before[2] + REFUNDS.iter().sum::<i128>(),
    ];
    assert_eq!(after, expected);
}

fn written(folder: &Path, node: &Handle) -> Dapp {
    let wallet = |name: &str| node.wallet(name).unwrap().keys().clone();
    let (bob, carol) = (wallet("bob").address(), wallet("carol").address());
    let path = |name: &str| folder.join(name).display().to_string();
    // Asset IDs that can't be file names.
    let asset = |one: i128| format!("../lot/{one}, \"{one} t\", {bob}, 1.5\n");
    fs::write(
        path("assets.csv"),
        (0..ASSETS).map(asset).collect::<String>(),
    )
    .unwrap();
    let tokens = nodeproof_client::TokenDecimals::new(6);
    let refund = |amount: i128| format!("../lot/3, {carol}, {}\n", tokens.format(amount.into()));
    fs::write(path("recalled.csv"), REFUNDS.map(refund).concat()).unwrap();
    KeyFile::write(path("co-signer.json"), &wallet("carol"), Protection::Plain).unwrap();
    let co_signer = format!("127.0.0.1:{}", restart::port());
    let arguments = [
        node.base_url().to_owned(),
        format!("http://{co_signer}"),
        path("assets.csv"),
        path("recalled.csv"),
        path("output"),
    ];
    Dapp {
        folder: folder.to_owned(),
        arguments: arguments.to_vec(),
        co_signer,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dapp_pays_for_each_claim_payment_and_refund_once_whatever_is_interrupted() {
    let config = || Config::for_tests().with_block_time(BlockTime::Manual);
    let node = restart::start(config()).await;
    let folder = tempfile::tempdir().unwrap();
    let dapp = written(folder.path(), &node);
    let before = balances(&node).await;
    let co_signer = dapp.co_signer().await;

    // Killed while it submits, and its responses are late.
    let state = node.node();
    state.set_submission_outage(Some(Outage::Delayed(Duration::from_secs(3600))));
    let mut first = dapp.start();
    until(&mut first, &node, "the first submissions", || {
        node.submissions_received() >= 3
    })
    .await;
    killed(first);
    state.set_submission_outage(None);

    // The node is gone for a while, and then the co-signer, in the middle of the work.
    let mut second = dapp.start();
    until(
        &mut second,
        &node,
        "the submissions of the second run",
        || node.submissions_received() >= 9,
    )
    .await;
    state.set_outage(Some(Outage::Unavailable));
    let requests = state.requests_received();
    until(&mut second, &node, "an outage", || {
        state.requests_received() > requests + 20
    })
    .await;
    drop(co_signer);
    state.set_outage(None);
    until(&mut second, &node, "a refusal to sign", || {
        dapp.messages().contains("did not sign")
    })
    .await;
    let co_signer = dapp.co_signer().await;

    // Killed while it pays, and while it refunds.
    until(&mut second, &node, "the payments", || {
        dapp.path("output/payments/2.json").exists()
    })
    .await;
    killed(second);
    let mut third = dapp.start();
    until(&mut third, &node, "the refunds", || {
        dapp.path("output/refunds/1.json").exists()
    })
    .await;
    killed(third);
    dapp.finish(dapp.start(), &node).await;
    assert_paid_once(&node, before).await;

    // Again, it has nothing to pay.
    let received = node.submissions_received();
    dapp.finish(dapp.start(), &node).await;
    assert_paid_once(&node, before).await;
    assert_eq!(node.submissions_received(), received);

    // Another chain at the same URL, which is shorter at first. All is paid there, once, with the same files.
    let port = stop(node).await;
    let node = start_at(port, config()).await;
    let before = balances(&node).await;
    let signed = saved_files(&dapp);
    let mut fifth = dapp.start();
    until(
        &mut fifth,
        &node,
        "the submissions to the other chain",
        || node.submissions_received() >= 3,
    )
    .await;
    killed(fifth);
    dapp.finish(dapp.start(), &node).await;
    assert!(dapp.messages().contains("the index is read again"));
    assert_paid_once(&node, before).await;
    assert_eq!(saved_files(&dapp), signed);
    drop(co_signer);
}

/// Returns the codes of all saved transactions.
fn saved_files(dapp: &Dapp) -> Vec<(PathBuf, String)> {
    let folders = ["output/claims", "output/payments", "output/refunds"];
    let entries = folders
        .iter()
        .flat_map(|name| fs::read_dir(dapp.path(name)).unwrap());
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut codes: Vec<_> = paths
        .filter(|path| !path.file_name().unwrap().to_string_lossy().starts_with('.'))
        .map(|path| {
            let saved = SavedTransaction::open(&path).unwrap().unwrap();
            (path, saved.trans_code().to_string())
        })
        .collect();
    codes.sort();
    codes
}
