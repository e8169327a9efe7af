//! `nodectl wallet`: key files. Secrets appear nowhere else.

use std::fs;

use nodeproof_wallet::KeyPair;
use serde_json::Value;

use crate::nodectl::program::{Home, RunOutput, words};

const PASSPHRASE: &str = "correct horse battery";

#[cfg(unix)]
fn mode(home: &Home, name: &str) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    let found = fs::metadata(home.path(name)).expect("a file");
    found.permissions().mode() & 0o777
}

fn wallet() -> (KeyPair, String) {
    let keys = KeyPair::from_bytes(&[0x5e; 32]).expect("a key");
    let secret = keys.private_key().reveal().to_string();
    (keys, secret)
}

#[track_caller]
fn keeps_secret(ran: &RunOutput, secret: &str) {
    for text in [&ran.out, &ran.err] {
        assert!(
            !text.to_lowercase().contains(secret),
            "the key is in {ran:?}"
        );
        assert!(!text.contains(PASSPHRASE), "the passphrase is in {ran:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_new_wallet_is_encrypted_and_only_its_owner_can_read_it() {
    let home = Home::new();
    let passphrase = home.file("pw", PASSPHRASE);
    let new = [
        "--json",
        "wallet",
        "new",
        "w.pem",
        "--passphrase-file",
        &passphrase,
    ];
    let made = home.run(&new).ended(0).json();
    assert_eq!(made["encrypted"], true);
    assert_eq!(mode(&home, "w.pem"), 0o600);
    let text = fs::read_to_string(home.path("w.pem")).unwrap();
    assert!(text.contains("ENCRYPTED PRIVATE KEY"));
    let shown = home
        .run(&["--json", "wallet", "show", "w.pem"])
        .ended(0)
        .json();
    assert_eq!(shown["wallets"][0]["address"], made["address"]);
    assert_eq!(shown["wallets"][0]["public_key"], made["public_key"]);

    let second = home.run(&[
        "--json",
        "wallet",
        "new",
        "v.pem",
        "--passphrase-file",
        &passphrase,
    ]);
    assert_ne!(second.ended(0).json()["address"], made["address"]);
}

#[cfg(unix)]
#[test]
fn a_plain_wallet_has_the_form_of_the_network_and_a_warning() {
    let home = Home::new();
    let ran = home.run(&["wallet", "new", "w.json", "--plain"]).ended(0);
    assert!(ran.err.contains("warning"), "{ran:?}");
    assert_eq!(mode(&home, "w.json"), 0o600);
    let file: Value =
        serde_json::from_str(&fs::read_to_string(home.path("w.json")).unwrap()).unwrap();
    let secret = file["private"].as_str().unwrap();
    let keys = KeyPair::from_hex(secret).unwrap();
    assert_eq!(file["address"], keys.address().to_string());
    assert_eq!(file["public"], keys.public_key().to_string());
    keeps_secret(&ran, secret);
    keeps_secret(&home.run(&["wallet", "show", "w.json"]).ended(0), secret);
    assert!(ran.out.contains(&keys.address().to_string()));
}

#[cfg(unix)]
#[test]
fn a_key_file_that_others_can_read_is_warned_of() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let (keys, secret) = wallet();
    let path = home.wallet("w.json", &keys);
    assert_eq!(home.run(&["wallet", "show", &path]).ended(0).err, "");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let ran = home.run(&["wallet", "show", &path]).ended(0);
    assert!(ran.err.contains("others can read"), "{ran:?}");
    keeps_secret(&ran, &secret);
}

#[test]
fn a_key_is_imported_from_digits_and_from_key_files_and_exported_again() {
    let home = Home::new();
    let (keys, secret) = wallet();
    let passphrase = home.file("pw", PASSPHRASE);
    let address = keys.address().to_string();
    let import = format!("wallet import a.pem --from - --passphrase-file {passphrase}");
    let import = words(&import);
    let ran = home
        .run_with_input(&import, &format!("{secret}\n"))
        .ended(0);
    assert!(ran.out.contains(&address));
    keeps_secret(&ran, &secret);
    assert!(!home.everything_written().contains(&secret));

    let export = format!("wallet export a.pem b.json --plain --from-passphrase-file {passphrase}");
    let export = words(&export);
    let ran = home.run(&export).ended(0);
    keeps_secret(&ran, &secret);
    assert!(
        fs::read_to_string(home.path("b.json"))
            .unwrap()
            .contains(&secret)
    );

    let again = [
        "--json", "wallet", "import", "c.json", "--plain", "--from", "b.json",
    ];
    let ran = home.run(&again).ended(0);
    assert_eq!(ran.json()["address"], address.as_str());
    let again = format!(
        "--json wallet import d.json --plain --from a.pem --from-passphrase-file \
             {passphrase}"
    );
    let again = words(&again);
    assert_eq!(
        home.run(&again).ended(0).json()["address"],
        address.as_str()
    );
}

#[test]
fn a_key_that_is_wrong_or_of_another_wallet_is_not_imported() {
    let home = Home::new();
    let (_, secret) = wallet();
    let other = KeyPair::from_bytes(&[9; 32]).unwrap().address().to_string();
    let import = |arguments: &[&str], input: &str| {
        let fixed = ["wallet", "import", "w.json", "--plain", "--from", "-"];
        let ran = home
            .run_with_input(&[&fixed, arguments].concat(), input)
            .ended(2);
        keeps_secret(&ran, &secret);
        assert!(!home.path("w.json").exists());
        ran.err
    };
    assert!(import(&["--address", &other], &secret).contains(&other));
    assert!(import(&[], &secret[..63]).contains("64 hexadecimal digits"));
    let mismatch = format!(r#"{{"private":"{secret}","address":"{other}"}}"#);
    assert!(import(&[], &mismatch).contains("address"));
}
