//! Passphrases follow the same rules in every program and from every source.

use std::{fs, os::unix::fs::PermissionsExt as _, process::Command};

use integration_tests::built::program;
use nodeproof_wallet::{KeyFile, KeyPair, Protection};

use crate::nodectl::program::{Home, RunOutput, words};

const GOOD: &str = "correct horse battery";

/// Runs both programs that read a passphrase file, with a file of this text and mode.
fn both(home: &Home, text: &[u8], mode: u32) -> [RunOutput; 3] {
    let path = home.path("pw");
    fs::write(&path, text).expect("a file");
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("permissions");
    let _gone = fs::remove_file(home.path("copy.pem"));
    let _gone = fs::remove_file(home.path("new.pem"));
    let opened = words("wallet export w.pem copy.pem --plain --from-passphrase-file pw");
    let made = ["wallet", "new", "new.pem", "--passphrase-file", "pw"];
    let mut nodeproof = Command::new(program("nodeproof").expect("an executable"));
    nodeproof
        .args([
            "--base-url",
            "http://127.0.0.1:9",
            "--network",
            "devnet",
            "--dry-run",
        ])
        .args(["--wallet", "w.pem", "--passphrase-file", "pw"])
        .current_dir(home.folder.path());
    [
        home.run(&opened),
        home.run(&made),
        RunOutput::of(nodeproof.output().expect("the program")),
    ]
}

#[test]
fn every_program_refuses_the_same_passphrases() {
    let home = Home::new();
    let keys = KeyPair::from_bytes(&[5; 32]).unwrap();
    KeyFile::write(home.path("w.pem"), &keys, Protection::Passphrase(GOOD)).unwrap();
    for ran in both(&home, format!("{GOOD}\nnotes\n").as_bytes(), 0o600) {
        let ran = ran.ended(0);
        let warns = ["others can read", "guessed"];
        assert!(
            !warns.iter().any(|words| ran.err.contains(words)),
            "{ran:?}"
        );
    }
    let long = "x".repeat(4097);
    for (text, words) in [
        (&b"\ncorrect horse battery"[..], "empty"),
        (b"correct horse\x1b[D battery", "control character"),
        (
            format!("{GOOD}\n{long}").as_bytes(),
            "longer than 4096 bytes",
        ),
    ] {
        for ran in both(&home, text, 0o600) {
            let ran = ran.ended(2);
            assert!(ran.err.contains(words), "{words}: {ran:?}");
            assert!(!ran.err.contains("horse"), "{ran:?}");
        }
        assert!(!home.path("new.pem").exists() && !home.path("copy.pem").exists());
    }
    // The program warns about passphrases that other users can read, or that can be guessed.
    fs::remove_file(home.path("w.pem")).unwrap();
    KeyFile::write(home.path("w.pem"), &keys, Protection::Passphrase("horse")).unwrap();
    for ran in both(&home, b"horse", 0o644) {
        let ran = ran.ended(0);
        for words in ["others can read", "can be guessed"] {
            assert!(ran.err.contains(words), "{ran:?}");
        }
        assert!(!ran.err.contains("horse"), "{ran:?}");
    }
}

#[test]
fn standard_input_has_the_same_rules() {
    let home = Home::new();
    let new = ["wallet", "new", "new.pem", "--passphrase-file", "-"];
    let ran = home.run_with_input(&new, "correct\0horse\n").ended(2);
    assert!(ran.err.contains("control character"), "{ran:?}");
    assert!(!home.path("new.pem").exists());
    home.run_with_input(&new, "correct horse battery\n")
        .ended(0);
}
