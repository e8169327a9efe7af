//! Keys in the wrong place, and values that are not names.

use crate::nodectl::program::{Home, words};

#[test]
fn a_file_is_not_written_to_a_hyphen() {
    let home = Home::new();
    let claim = words("claim add --asset a --deletable-after 1 --keep -");
    let call = words(
        "call --function f --signer 0x00000000000000000000000000000000000000a1 --params p \
             --out -",
    );
    for arguments in [
        &claim[..],
        &call,
        &["sign", "x", "--out", "-"],
        &["wallet", "new", "-", "--plain"],
        &["wallet", "export", "x", "-", "--plain"],
    ] {
        let ran = home.run(arguments).ended(2);
        assert!(ran.err.contains("expected a file name"), "{ran:?}");
    }
    assert!(!home.path("-").exists());
}

#[cfg(unix)]
#[test]
fn a_file_name_can_not_write_lines_of_its_own() {
    let home = Home::new();
    let name = "x\nerror: all is well";
    for arguments in [
        &["sign", name][..],
        &["verify", name],
        &["wallet", "show", name],
        &["wallet", "export", name, "y.json", "--plain"],
        &["--config", name, "block", "1"],
    ] {
        let ran = home.run(arguments).ended(2);
        assert_eq!(ran.err.lines().count(), 1, "{ran:?}");
    }
}

#[test]
fn a_wallet_tells_its_bare_address_to_other_programs() {
    let home = Home::new();
    let keys = nodeproof_wallet::KeyPair::from_bytes(&[5; 32]).unwrap();
    let wallet = home.wallet("w.json", &keys);
    let shown = home.run(&["wallet", "show", &wallet, "--address"]).ended(0);
    assert_eq!(shown.out, format!("{}\n", keys.address()));
    // A relative path in the configuration is relative to that file's folder.
    std::fs::create_dir_all(home.path("conf")).unwrap();
    home.wallet("conf/mine.json", &keys);
    let file = home.file("conf/c.toml", "wallet = \"mine.json\"\n");
    let show = ["--config", &file, "wallet", "show", "--address"];
    assert_eq!(home.run(&show).ended(0).out, shown.out);
    assert!(home.run(&["--help"]).ended(0).out.contains("folder"));
}
