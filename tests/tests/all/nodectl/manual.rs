//! Help, completions and manual pages.

use crate::nodectl::program::Home;

#[test]
fn every_command_and_every_flag_is_explained() {
    let home = Home::new();
    let commands: [&[&str]; 20] = [
        &[],
        &["block"],
        &["balance"],
        &["balances"],
        &["holders"],
        &["trust"],
        &["state"],
        &["wallet", "new"],
        &["wallet", "import"],
        &["wallet", "show"],
        &["wallet", "export"],
        &["call"],
        &["sign"],
        &["submit"],
        &["verify"],
        &["claim", "add"],
        &["claim", "get"],
        &["docs"],
        &["watch"],
        &["man"],
    ];
    for command in commands {
        let ran = home.run(&[command, &["--help"]].concat()).ended(0);
        assert_eq!(ran.err, "");
        let mut lines = ran.out.lines().peekable();
        while let Some(line) = lines.next() {
            let entry = line.trim_start();
            if entry.starts_with("--") || entry.starts_with("-q") {
                let here = entry
                    .split_once("  ")
                    .is_some_and(|(_, text)| !text.trim().is_empty());
                let below = lines
                    .peek()
                    .is_some_and(|next| next.starts_with("          "));
                assert!(here || below, "{command:?}: {line:?} is not explained");
            }
        }
        assert!(!ran.out.contains("private key of"), "{command:?}");
    }
    let top = home.run(&["--help"]).ended(0).out;
    for status in ["0 ", "1 ", "2 ", "3 ", "4 ", "5 ", "6 ", "130 "] {
        assert!(top.contains(&format!("\n  {status}")), "{status}");
    }
}

#[test]
fn no_flag_takes_a_secret() {
    let home = Home::new();
    for command in [
        &["wallet", "new"][..],
        &["wallet", "import"],
        &["sign"],
        &["claim", "add"],
    ] {
        for flag in [
            "--private-key",
            "--key",
            "--passphrase",
            "--password",
            "--secret",
        ] {
            let ran = home.run(&[command, &[flag, "x"]].concat()).ended(2);
            assert!(ran.err.contains("unexpected argument"), "{ran:?}");
        }
    }
}

#[test]
fn completions_are_written_for_each_shell() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = home.run(&["completions", shell]).ended(0).out;
        assert!(
            script.contains("nodectl") && script.contains("deletable-after"),
            "{shell}"
        );
    }
    home.run(&["completions", "tcsh"]).ended(2);
}

#[test]
fn manual_pages_are_written_for_each_command() {
    let home = Home::new();
    assert!(home.run(&["man"]).ended(0).out.contains(".SH NAME"));
    let folder = home.folder.path().to_str().unwrap();
    home.run(&["man", "--dir", folder]).ended(0);
    for page in [
        "nodectl.1",
        "nodectl-claim-add.1",
        "nodectl-wallet-new.1",
        "nodectl-watch.1",
    ] {
        let text = std::fs::read_to_string(home.path(page)).unwrap();
        assert!(text.contains(".SH OPTIONS"), "{page}");
    }
    home.run(&["man", "--dir", "/no/such/folder"]).ended(2);
}
