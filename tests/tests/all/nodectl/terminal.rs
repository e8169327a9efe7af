//! `nodectl` on a terminal, with hidden prompts, as a person uses it.

use std::{ffi::OsStr, fs, time::Duration};

use nix::sys::termios::{LocalFlags, tcgetattr};
use nodeproof_client::WalletAddress;
use nodeproof_devnode::{BlockTime, Config};
use nodeproof_wallet::KeyPair;
use pty_process::{Pty, Size};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::Child,
    time::timeout,
};

use crate::nodectl::program::{Home, binary, words};

const PASSPHRASE: &str = "correct horse battery";
/// A time that nothing takes, on any machine.
const NEVER: Duration = Duration::from_secs(120);

/// A terminal in which the program runs.
struct Terminal {
    pty: Pty,
    child: Child,
    /// Everything that it has shown so far.
    shown: String,
    /// The end of the text that was already waited for.
    seen: usize,
}

impl Terminal {
    fn open<S: AsRef<OsStr>>(home: &Home, arguments: &[S]) -> Self {
        Self::of(binary().as_os_str(), home, arguments)
    }

    fn of<S: AsRef<OsStr>>(program: &OsStr, home: &Home, arguments: &[S]) -> Self {
        let (pty, pts) = pty_process::open().expect("a terminal");
        pty.resize(Size::new(40, 200)).expect("a size");
        let child = pty_process::Command::new(program)
            .args(arguments)
            .env_clear()
            .env("HOME", home.folder.path())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("TERM", "xterm")
            .current_dir(home.folder.path())
            .kill_on_drop(true)
            .spawn(pts)
            .expect("the program");
        Self {
            pty,
            child,
            shown: String::new(),
            seen: 0,
        }
    }

    /// Reads more output. Returns false if the program has ended.
    async fn read(&mut self) -> bool {
        let mut bytes = [0; 4096];
        // After the last program has ended, reading is an error on Linux and the end of input elsewhere.
        let read = timeout(NEVER, self.pty.read(&mut bytes)).await;
        assert!(read.is_ok(), "nothing more came after {:?}", self.shown);
        let count = read.map_or(0, Result::unwrap_or_default);
        self.shown += &String::from_utf8_lossy(&bytes[..count]);
        count > 0
    }

    /// Waits until a text is shown, after the text that was waited for before.
    async fn shows(&mut self, text: &str) {
        loop {
            if let Some(place) = self.shown[self.seen..].find(text) {
                self.seen += place + text.len();
                return;
            }
            assert!(
                self.read().await,
                "{text:?} was not shown: {:?}",
                self.shown
            );
        }
    }

    fn echoes(&self) -> bool {
        let settings = tcgetattr(&self.pty).expect("a terminal");
        settings.local_flags.contains(LocalFlags::ECHO)
    }

    /// Replies to a prompt as soon as the terminal hides input.
    async fn type_reply(&mut self, prompt: &str, typed: &str) {
        self.shows(prompt).await;
        let hidden = async {
            while self.echoes() {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        let hidden = timeout(NEVER, hidden).await;
        hidden.expect("typed input is hidden");
        let typed = self.pty.write_all(typed.as_bytes()).await;
        typed.expect("a terminal");
    }

    /// Waits for the end. Returns all output, and asserts the status.
    async fn ended(mut self, status: i32) -> String {
        while self.read().await {}
        let ended = timeout(NEVER, self.child.wait()).await.expect("an end");
        assert_eq!(
            ended.expect("a status").code(),
            Some(status),
            "{:?}",
            self.shown
        );
        self.shown
    }
}

#[tokio::test]
async fn a_passphrase_is_asked_for_twice_and_never_shown() {
    let home = Home::new();
    let mut terminal = Terminal::open(&home, &["wallet", "new", "w.pem"]);
    let line = format!("{PASSPHRASE}\n");
    terminal.type_reply("New passphrase: ", &line).await;
    terminal.type_reply("The same again: ", &line).await;
    terminal.shows("encrypted   yes").await;
    let shown = terminal.ended(0).await;
    assert!(!shown.contains(PASSPHRASE), "{shown}");

    // The typed passphrase opens it, without the line end.
    let passphrase = home.file("pw", PASSPHRASE);
    let arguments = ["wallet", "export", "w.pem", "plain.json", "--plain"];
    let with_file = [&arguments[..], &["--from-passphrase-file", &passphrase]].concat();
    home.run(&with_file).ended(0);
}

#[tokio::test]
async fn two_passphrases_that_differ_make_no_wallet() {
    let home = Home::new();
    let mut terminal = Terminal::open(&home, &["wallet", "new", "w.pem"]);
    terminal
        .type_reply("New passphrase: ", "one of them\n")
        .await;
    terminal
        .type_reply("The same again: ", "the other one\n")
        .await;
    let shown = terminal.ended(2).await;
    assert!(shown.contains("differ"), "{shown}");
    assert!(!home.path("w.pem").exists());
}

#[tokio::test]
async fn a_key_that_is_typed_is_never_shown() {
    let home = Home::new();
    let key = "5e".repeat(32);
    let mut terminal = Terminal::open(&home, &["wallet", "import", "w.json", "--plain"]);
    terminal.type_reply(": ", &format!("{key}\n")).await;
    let shown = terminal.ended(0).await;
    assert!(!shown.contains(&key), "{shown}");
    let expected = KeyPair::from_bytes(&[0x5e; 32]).unwrap();
    assert!(shown.contains(&expected.address().to_string()), "{shown}");
}

#[tokio::test]
async fn ctrl_c_at_a_prompt_ends_with_130_and_gives_the_terminal_back() {
    let home = Home::new();
    let mut terminal = Terminal::open(&home, &["wallet", "new", "w.pem"]);
    terminal
        .type_reply("New passphrase: ", "half of it\u{3}")
        .await;
    terminal.shows("interrupted").await;
    assert!(terminal.echoes(), "further input is not shown");
    let shown = terminal.ended(130).await;
    assert!(!shown.contains("half of it"), "{shown}");
    assert!(!home.path("w.pem").exists());
}

#[tokio::test]
async fn a_signal_at_a_prompt_ends_the_run_and_gives_the_terminal_back() {
    for (signal, status) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let home = Home::new();
        let mut terminal = Terminal::open(&home, &["wallet", "new", "w.pem"]);
        terminal.type_reply("New passphrase: ", "half of it").await;
        let id = terminal.child.id().expect("it runs").to_string();
        let sent = std::process::Command::new("kill")
            .args(["-s", signal, &id])
            .status();
        assert!(sent.expect("kill").success());
        terminal.shows("\n").await;
        assert!(terminal.echoes(), "{signal}: further input is not shown");
        terminal.ended(status).await;
        assert!(!home.path("w.pem").exists());
    }
}

#[tokio::test]
async fn a_passphrase_is_what_was_typed_or_none() {
    let home = Home::new();
    let mut terminal = Terminal::open(&home, &["wallet", "new", "w.pem"]);
    terminal.type_reply("New passphrase: ", "a\tbé\n").await;
    terminal.type_reply("The same again: ", "a\tbé\n").await;
    terminal.ended(0).await;
    let passphrase = home.file("passphrase", "a\tbé");
    let arguments = ["wallet", "export", "w.pem", "plain.json", "--plain"];
    let with_file = [&arguments[..], &["--from-passphrase-file", &passphrase]].concat();
    home.run(&with_file).ended(0);
    for (typed, output) in [
        (&b"up\x1b[A\n"[..], "control character"),
        (b"p\xff\n", "not UTF-8"),
        (b"\x04", "nothing was typed"),
    ] {
        let mut terminal = Terminal::open(&home, &["wallet", "new", "other.pem"]);
        terminal.type_reply("New passphrase: ", "").await;
        terminal.pty.write_all(typed).await.expect("a terminal");
        let shown = terminal.ended(2).await;
        assert!(shown.contains(output), "{shown}");
        assert!(!home.path("other.pem").exists());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn from_a_new_wallet_to_its_claim_as_the_readme_says() {
    let home = Home::new();
    let line = format!("{PASSPHRASE}\n");
    let mut terminal = Terminal::open(&home, &["wallet", "new", "me.pem"]);
    terminal.type_reply("New passphrase: ", &line).await;
    terminal.type_reply("The same again: ", &line).await;
    terminal.ended(0).await;
    let address = home
        .run(&["wallet", "show", "me.pem", "--address"])
        .ended(0);

    let address: WalletAddress = address.out.trim().parse().unwrap();

    let config = Config::for_tests().with_funded(address);
    let every = BlockTime::Every(Duration::from_millis(50));
    let node = nodeproof_devnode::spawn(config.with_block_time(every))
        .await
        .unwrap();
    let settings = format!(
        "base_url = \"{}\"\nnetwork = \"devnet\"\ncontract = \"{}\"\nwallet = \"{}\"\n\
         fee = 1000000\ncurrency = \"DEVN\"\n",
        node.base_url(),
        node.contract_address(),
        home.path("me.pem").display(),
    );
    fs::create_dir_all(home.path(".config/nodectl")).unwrap();
    home.file(".config/nodectl/config.toml", &settings);
    home.file("report.txt", "abc");
    let claim = [
        "claim",
        "add",
        "--asset",
        "lot-7",
        "--document",
        "report.txt",
        "--remarks",
        "Weighed: 20 t – ok",
        "--deletable-after",
        "2600000",
    ];
    let mut terminal = Terminal::open(&home, &claim);
    terminal.shows("the node built transaction").await;
    terminal.type_reply("me.pem: ", &line).await;
    terminal.shows("signed, and saved to").await;
    terminal.shows("verifier         ").await;
    let shown = terminal.ended(0).await;
    assert!(!shown.contains(PASSPHRASE), "{shown}");

    let shown = Terminal::open(&home, &["claim", "get", "lot-7"]);
    let shown = shown.ended(0).await;
    for part in [
        format!("verifier         {address}"),
        "remarks          Weighed: 20 t – ok".to_owned(),
        "document hash    ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
            .to_owned(),
    ] {
        assert!(shown.contains(&part), "{part}: {shown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signature_is_confirmed_after_all_of_it_was_shown() {
    let home = Home::new();
    let keys = KeyPair::from_bytes(&[5; 32]).unwrap();
    home.wallet("w.json", &keys);
    let text = crate::nodectl::confirming::raw(|it| {
        it["transaction"]["specific_data"]["params"]["long"] = "x".repeat(3_000).into();
        it["transaction"]["specific_data"]["params"]["z"] = "the end".into();
        it["transaction"]["pay_to"] = "thief".into();
    });
    home.file("raw.json", &text);
    let sign = words("sign -q raw.json --wallet w.json --out signed.json");
    for (reply, status) in [
        ("\n", 2),
        ("n\n", 2),
        ("yesterday\n", 2),
        ("\u{4}", 2),
        ("y\n", 0),
        ("YES\n", 0),
    ] {
        let mut terminal = Terminal::open(&home, &sign);
        terminal.shows("unknown member pay_to: \"thief\"").await;
        terminal.shows("the end").await;
        terminal.shows("fee 1000000 DEVN, of 2026-01-01").await;
        terminal.shows("[y/N] ").await;
        terminal.pty.write_all(reply.as_bytes()).await.unwrap();
        let shown = terminal.ended(status).await;
        assert_eq!(shown.contains("nothing was signed"), status != 0, "{shown}");
        assert_eq!(home.path("signed.json").exists(), status == 0, "{reply:?}");
    }
    // If standard error is redirected, no one saw what will be signed.
    let shell = "exec \"$0\" \"$@\" 2>output";
    let mut arguments = vec!["-c", shell, binary().to_str().unwrap()];
    arguments.extend(sign);
    fs::remove_file(home.path("signed.json")).unwrap();
    let terminal = Terminal::of("sh".as_ref(), &home, &arguments);
    terminal.ended(2).await;
    assert!(!home.path("signed.json").exists());
}
