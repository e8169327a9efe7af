//! Keys in data that would be sent by mistake. The node must not receive any of them.

use integration_tests::proxy::Proxy;
use nodeproof_devnode::Config;
use nodeproof_wallet::{KeyFile, KeyPair, Protection};

use crate::nodectl::program::{Home, RunOutput, words};

const CONTRACT: &str = "ctcc8321d6375c494d043fdd0260f21bc0ec51dacc";

/// The place of a secret, and the command that it completes. Words in capitals are filled in.
const COMMANDS: &str = "\
file CALL CURRENCY --function f --params
input CALL CURRENCY --function f --params
argument CALL CURRENCY --params PARAMS --function
argument CALL --function f --params PARAMS --currency
file CLAIM ASSET CURRENCY --remarks-file
input CLAIM ASSET CURRENCY --remarks-file
argument CLAIM ASSET CURRENCY --remarks
argument CLAIM ASSET CURRENCY --link
argument CLAIM ASSET CURRENCY --asset-type
argument CLAIM CURRENCY --asset
argument CLAIM ASSET --currency
argument STATE --table t --column c --value
argument STATE --table t --value v --column
argument STATE --column c --value v --table
argument claim get --contract CONTRACT
argument balance 0x00000000000000000000000000000000000000a1
argument holders
file submit --unverified
input submit --unverified
file sign --yes
input sign --yes
file submit
header block 2 --header";

#[tokio::test(flavor = "multi_thread")]
async fn no_input_takes_a_key_to_the_node() {
    let node = nodeproof_devnode::spawn(Config::for_tests()).await.unwrap();
    let proxy = Proxy::honest(&node).await.unwrap();
    let home = Home::new();
    let keys = KeyPair::from_hex(&"5ec2e7f1".repeat(8)).unwrap();
    let (plain, sealed) = (home.path("plain.json"), home.path("sealed.pem"));
    KeyFile::write(&plain, &keys, Protection::Plain).unwrap();
    KeyFile::write(&sealed, &keys, Protection::Passphrase("correct horse")).unwrap();
    let read = |path| std::fs::read_to_string(path).unwrap();
    let digits = keys.private_key().reveal();
    let secrets = [
        read(&plain),
        read(&sealed),
        format!("{{\"asset_id\":\"a\",\"remarks\":\"{}\"}}", *digits),
        digits.to_string(),
        digits.to_uppercase(),
        format!("0x{}", *digits),
    ];
    let wallet = plain.display().to_string();
    let sealed = sealed.display().to_string();
    let signer = keys.address().to_string();
    let params = home.file("params.json", "{}");
    let filled = |text: &str| {
        let text = text
            .replace(
                "CALL",
                &format!("call --contract CONTRACT --signer {signer} --fee 1000000"),
            )
            .replace(
                "CLAIM",
                "claim add --contract CONTRACT --fee 1000000 --deletable-after 9 --no-wait",
            )
            .replace("STATE", "state --contract CONTRACT")
            .replace("ASSET", "--asset a")
            .replace("CURRENCY", "--currency DEVN");
        text.replace("PARAMS", &params)
            .replace("CONTRACT", CONTRACT)
    };
    let table: Vec<_> = COMMANDS.lines().map(filled).collect();
    let url = proxy.server.base_url();
    for (number, secret) in secrets.iter().enumerate() {
        for row in &table {
            let (place, arguments) = row.split_once(' ').unwrap();
            // The wallet is loaded, but the passphrase of the second one is not known yet.
            let wallets = if **secret == **digits { 2 } else { 1 };
            for wallet in [&wallet, &sealed].into_iter().take(wallets) {
                let mut arguments = words(arguments);
                let file = home.file("given", secret);
                let header = format!("X-Api-Key: @{file}");
                arguments.push(match place {
                    "argument" => secret,
                    "file" => &file,
                    "header" => &header,
                    _ => "-",
                });
                let target = ["--base-url", &*url, "--network", "devnet"];
                let mut command = home.command(&[&arguments[..], &target].concat());
                command.env("NODECTL_WALLET", wallet);
                let ran = match place {
                    "input" => fed(command, secret),
                    _ => RunOutput::of(command.output().unwrap()),
                };
                let ran = ran.ended(2);
                assert!(
                    ran.err.lines().all(|line| !line.contains(&**digits)),
                    "{number}: {ran:?}"
                );
                let requests = proxy.requests();
                assert!(requests.is_empty(), "{number}, {arguments:?}: {requests:?}");
            }
        }
    }
    // The wallet is named on the command line, and the header as a whole.
    let header = format!("x-api-key: {}", *digits);
    let add = filled("CLAIM ASSET CURRENCY --dry-run --wallet");
    let add = [&words(&add)[..], &[&wallet, "--header", &header]].concat();
    let ran = home.ask(&url, &add).ended(2);
    assert!(
        ran.err.contains("contains the private key of 0x"),
        "{ran:?}"
    );
    assert!(proxy.requests().is_empty());
    // An ordinary number of that length is not a key.
    let hash = "7f".repeat(32);
    let get = ["claim", "get", "--contract", CONTRACT, &hash];
    let ran = home.ask(&url, &get).ended(1);
    assert!(
        ran.err.contains("no record") || !proxy.requests().is_empty(),
        "{ran:?}"
    );
}

fn fed(mut command: std::process::Command, input: &str) -> RunOutput {
    use std::io::Write as _;

    let mut child = command
        .stdin(std::process::Stdio::piped())
        .spawn()
        .expect("the program");
    // The program may end before it has read everything.
    let _fed = child
        .stdin
        .take()
        .expect("its input")
        .write_all(input.as_bytes());
    RunOutput::of(child.wait_with_output().expect("its end"))
}
