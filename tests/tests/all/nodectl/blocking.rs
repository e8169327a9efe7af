//! Reading input that never ends or never arrives.

use std::{
    io::Write,
    process::{Child, Stdio},
};

use crate::nodectl::{
    program::{Home, RunOutput, words},
    watching::interrupt,
};

/// Returns more than a pipe's buffer. When all of it is written, the reader has read some of it.
fn more_than_a_pipe_holds() -> Vec<u8> {
    vec![b' '; 300_000]
}

fn interrupted(child: Child) {
    interrupt(child.id());
    let ran = RunOutput::of(child.wait_with_output().expect("its end")).ended(130);
    assert!(ran.err.contains("interrupted"), "{ran:?}");
}

#[test]
fn ctrl_c_ends_a_run_that_reads_standard_input() {
    let home = Home::new();
    let wallet = home.wallet(
        "w.json",
        &nodeproof_wallet::KeyPair::from_bytes(&[5; 32]).unwrap(),
    );
    let claim = format!(
        "claim add --asset a --deletable-after 1 --contract \
             ct00000000000000000000000000000000000000c1 --fee 1000000 --currency DEVN \
             --remarks-file - --wallet {wallet}"
    );
    let claim = words(&claim);
    for arguments in [
        &["verify", "-"][..],
        &["sign", "-", "--wallet", &wallet],
        &["submit", "-"],
        &claim,
    ] {
        let mut child = home
            .command(arguments)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(&more_than_a_pipe_holds()).unwrap();
        interrupted(child);
        drop(input);
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_with_a_name_is_refused_and_not_waited_for() {
    let home = Home::new();
    let fifo = home.path("fifo");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.is_ok_and(|status| status.success()));
    let fifo = fifo.display().to_string();
    for arguments in [
        &["wallet", "show", &fifo][..],
        &["sign", &fifo, "--wallet", &fifo],
        &["wallet", "new", "x.pem", "--passphrase-file", &fifo],
        &["--config", &fifo, "block", "1"],
    ] {
        let ran = home.run(arguments).ended(2);
        assert!(ran.err.contains("not a regular file"), "{ran:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_configuration_without_an_end_is_refused() {
    let ran = Home::new()
        .run(&["--config", "/dev/zero", "block", "1"])
        .ended(2);
    assert!(ran.err.contains("not a regular file"), "{ran:?}");
}
