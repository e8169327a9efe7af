//! Key files on disk: writing, reading, and rejected files.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{fs, path::PathBuf};

use nodeproof_wallet::{KeyFile, KeyFileFault, KeyPair, Protection};
use tempfile::TempDir;

/// A private key whose digits are easy to find in a text.
const PRIVATE: &str = "5ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e70001";
/// The public key of `tests/openssl`, as `openssl ec -text` shows it.
const OF_OPENSSL: &str = "b5fc1406e96e26ff9d4c69d37f3cbb32fee5d0fec9df7798ab1924a9f6344cb8\
                          fbbc795c0ebd6dbfa8367dcbda9284f88db7157444cf4799cfe11e45c522f056";

fn wallet() -> KeyPair {
    KeyPair::from_hex(PRIVATE).unwrap()
}

fn other() -> KeyPair {
    KeyPair::from_bytes(&[7; 32]).unwrap()
}

fn plain() -> String {
    format!(
        r#"{{"public":"{}","private":"{PRIVATE}","address":"{}"}}"#,
        wallet().public_key(),
        wallet().address()
    )
}

fn file(text: impl AsRef<[u8]>) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wallet.key");
    fs::write(&path, text).unwrap();
    (folder, path)
}

/// Returns the fault of a file with this text. No error may quote the text.
fn fault(text: impl AsRef<[u8]>) -> KeyFileFault {
    let (_folder, path) = file(text);
    let error = KeyFile::read(&path).unwrap_err();
    let shown = format!("{error} {error:?}").to_lowercase();
    assert!(!shown.contains("5ec2e7"), "{shown}");
    assert!(shown.contains("wallet.key"), "{shown}");
    error.into_fault()
}

fn names_in(folder: &TempDir) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_plain_file_is_the_object_that_other_tools_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wallet.json");
    KeyFile::write(&path, &wallet(), Protection::Plain).unwrap();
    let object: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    assert_eq!(
        object,
        serde_json::from_str::<serde_json::Value>(&plain()).unwrap()
    );

    let read = KeyFile::read(&path).unwrap();
    assert!(!read.is_encrypted() && !read.is_readable_by_others());
    assert_eq!(read.address(), Some(wallet().address()));
    assert_eq!(read.public_key(), Some(*wallet().public_key()));
    let key = read.key_pair(None).unwrap();
    assert_eq!(*key.private_key().reveal(), PRIVATE);
}

#[test]
fn an_encrypted_file_is_shown_without_its_passphrase_and_opened_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wallet.pem");
    KeyFile::write(&path, &wallet(), Protection::Passphrase("pässword")).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        text.contains("-----BEGIN ENCRYPTED PRIVATE KEY-----"),
        "{text}"
    );
    assert!(!text.to_lowercase().contains("5ec2e7"), "{text}");

    let read = KeyFile::read(&path).unwrap();
    assert!(read.is_encrypted() && !read.is_readable_by_others());
    assert_eq!(read.address(), Some(wallet().address()));
    assert_eq!(read.public_key(), Some(*wallet().public_key()));
    let refused = |passphrase| read.key_pair(passphrase).unwrap_err();
    assert!(matches!(
        refused(None).fault(),
        KeyFileFault::PassphraseRequired
    ));
    let wrong = refused(Some("password"));
    assert!(matches!(wrong.fault(), KeyFileFault::WrongPassphrase));
    assert!(!format!("{wrong} {wrong:?}").contains("password"));
    let key = read.key_pair(Some("pässword")).unwrap();
    assert_eq!(*key.private_key().reveal(), PRIVATE);
}

#[test]
fn two_files_of_one_wallet_and_passphrase_have_nothing_in_common() {
    let folder = tempfile::tempdir().unwrap();
    let lines = ["1", "2"].map(|name| {
        let path = folder.path().join(name);
        KeyFile::write(&path, &wallet(), Protection::Passphrase("x")).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        text.lines().skip(7).map(str::to_owned).collect::<Vec<_>>()
    });
    assert!(!lines[0].is_empty());
    assert!(
        lines[0]
            .iter()
            .all(|line| line.starts_with("-----") || !lines[1].contains(line))
    );
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_what_is_written_and_others_reading_is_told() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wallet.json");
    KeyFile::write(&path, &wallet(), Protection::Plain).unwrap();
    let mode = |path: &PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o600);
    for (mode, is_reported) in [(0o640, true), (0o604, true), (0o600, false), (0o611, false)] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(
            KeyFile::read(&path).unwrap().is_readable_by_others(),
            is_reported,
            "{mode:o}"
        );
    }
}

#[test]
fn nothing_is_written_over_and_nothing_is_left_behind() {
    let (folder, path) = file("somebody's own");
    for protection in [Protection::Plain, Protection::Passphrase("x")] {
        let error = KeyFile::write(&path, &wallet(), protection).unwrap_err();
        assert!(matches!(error.fault(), KeyFileFault::Exists), "{error}");
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "somebody's own");
    assert_eq!(names_in(&folder), ["wallet.key"]);

    let beside = folder.path().join("new.key");
    let error = KeyFile::write(&beside, &wallet(), Protection::Passphrase("")).unwrap_err();
    assert!(matches!(error.fault(), KeyFileFault::Encrypt(_)));
    let nowhere = folder.path().join("no/such/folder.key");
    let error = KeyFile::write(&nowhere, &wallet(), Protection::Plain).unwrap_err();
    assert!(matches!(error.fault(), KeyFileFault::Write(_)), "{error}");
    assert_eq!(names_in(&folder), ["wallet.key"]);
}

#[test]
fn case_prefixes_space_further_members_and_one_missing_member_do_not_matter() {
    let public = wallet().public_key().to_string();
    let address = wallet().address().to_string();
    let upper = PRIVATE.to_uppercase();
    for text in [
        plain(),
        format!("\u{feff}{}\r\n", plain()),
        format!(r#"{{"private":"{upper}","address":"{address}"}}"#),
        format!(r#"{{"private":"0x{PRIVATE}","public":"0x{public}"}}"#),
        format!(r#"{{"private":"0X{upper}\n","public":null,"address":"{address}"}}"#),
        format!(
            r#"{{"name":{{}},"private":"{PRIVATE}","address":"0x{}"}}"#,
            address[2..].to_uppercase()
        ),
        format!(
            r#"{{"private":"{PRIVATE}","public":"{}"}}"#,
            public.to_uppercase()
        ),
    ] {
        let (_folder, path) = file(&text);
        let read = KeyFile::read(&path).unwrap();
        assert_eq!(read.address(), Some(wallet().address()), "{text}");
        assert!(!format!("{read:?}").contains("5ec2e7"));
    }
}

#[test]
fn parts_that_do_not_belong_together_are_named() {
    let (address, public) = (
        wallet().address().to_string(),
        wallet().public_key().to_string(),
    );
    let of_other = |part: &str, other: String| plain().replace(part, &other);
    for (text, named) in [
        (plain().replace("0001\"", "0002\""), "address"),
        (
            of_other(&address, other().address().to_string()),
            "public key",
        ),
        (
            of_other(&public, other().public_key().to_string()),
            "public key",
        ),
    ] {
        let fault = fault(&text);
        assert!(
            matches!(fault, KeyFileFault::Mismatch { other, .. } if other == named),
            "{text}: {fault}"
        );
    }
}

#[test]
fn rejects_an_invalid_key_file_without_quoting_it() {
    let address = wallet().address().to_string();
    for (text, reason) in [
        (String::new(), "JSON object"),
        (PRIVATE.to_owned(), "JSON object"),
        ("\0".to_owned(), "JSON object"),
        (format!("[{}]", plain()), "JSON object"),
        (include_str!("openssl/public.pem").to_owned(), "JSON object"),
        (
            plain().replace("\"private\"", "\"privat\""),
            "line 1, column",
        ),
        (
            plain().replace(&format!("\"{PRIVATE}\""), "[5]"),
            "line 1, column",
        ),
        (plain().replace('}', ""), "line 1, column"),
        (
            plain().replace('}', ",\"private\":\"5ec2e7\"}"),
            "line 1, column",
        ),
        (format!("{{\"5ec2e7\n\":{PRIVATE}}}"), "line 2, column"),
        (
            plain().replace(&address, &address[..41]),
            "malformed address",
        ),
        (format!(r#"{{"private":"{PRIVATE}"}}"#), "add the member"),
        (
            plain().replace('}', r#", "network": "Mainnet"}"#),
            "unknown network",
        ),
        (
            format!("{}{}", plain(), " ".repeat(64 * 1024)),
            "more than 65536 bytes",
        ),
    ] {
        let fault = fault(&text);
        assert!(matches!(fault, KeyFileFault::Invalid(_)), "{text}: {fault}");
        assert!(fault.to_string().contains(reason), "{text}: {fault}");
    }
    assert!(matches!(fault(b"\xff{}"), KeyFileFault::Invalid(_)));
    for text in [
        plain().replace("0001\"", "\""),
        plain().replace("5ec", "xec"),
    ] {
        assert!(matches!(fault(&text), KeyFileFault::Key(_)), "{text}");
    }
    let folder = tempfile::tempdir().unwrap();
    for path in [folder.path().join("none.key"), folder.path().to_owned()] {
        let error = KeyFile::read(&path).unwrap_err();
        assert!(matches!(error.fault(), KeyFileFault::Read(_)), "{error}");
    }
}

#[test]
fn keys_that_openssl_encrypted_are_read() {
    for text in [
        include_str!("openssl/pbkdf2.pem"),
        include_str!("openssl/scrypt.pem"),
    ] {
        for text in [text.to_owned(), text.replace('\n', "\r\n")] {
            let read = KeyFile::from_text(&text).unwrap();
            // No text above the encrypted key names its wallet.
            assert!(read.is_encrypted() && read.address().is_none());
            let key = read.key_pair(Some("openssl")).unwrap();
            assert_eq!(key.public_key().to_string(), OF_OPENSSL);
        }
    }
}

#[test]
fn openssl_reads_what_is_written() {
    use std::process::Command;

    let version = Command::new("openssl").arg("version").output();
    if !version.is_ok_and(|said| said.stdout.starts_with(b"OpenSSL 3.")) {
        eprintln!("there is no OpenSSL 3 on this machine: not compared with it");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wallet.pem");
    KeyFile::write(&path, &wallet(), Protection::Passphrase("pässword")).unwrap();
    let said = Command::new("openssl")
        .args([
            "pkey",
            "-noout",
            "-text",
            "-passin",
            "env:PASSPHRASE",
            "-in",
        ])
        .arg(&path)
        .env("PASSPHRASE", "pässword")
        .output()
        .unwrap();
    let text = String::from_utf8(said.stdout).unwrap();
    let digits = text.replace([' ', '\n', ':'], "");
    assert!(digits.contains(PRIVATE), "{:?}", said.status);
    assert!(digits.contains(&wallet().public_key().to_string()) && text.contains("secp256k1"));
}

#[test]
fn other_forms_are_refused_with_the_command_that_converts_them() {
    let whole = include_str!("openssl/scrypt.pem");
    for text in [
        include_str!("openssl/sec1.pem"),
        include_str!("openssl/pkcs8.pem"),
        include_str!("openssl/p256.pem"),
        include_str!("openssl/pbes1.pem"),
        include_str!("openssl/traditional.pem"),
        &whole.replace("-----END", "-----"),
        &whole.replace("MIHk", "MIHj"),
        &whole.replace("MIHk", "M Hk"),
    ] {
        let fault = fault(text);
        assert!(matches!(fault, KeyFileFault::Unsupported), "{text}");
        assert!(fault.to_string().contains("`openssl pkcs8 -topk8 -in"));
    }
    let sha1 = KeyFile::from_text(include_str!("openssl/sha1.pem")).unwrap();
    let fault = sha1.key_pair(Some("openssl")).unwrap_err().into_fault();
    assert!(matches!(fault, KeyFileFault::Unsupported));
    assert!(matches!(
        self::fault(include_str!("openssl/rounds.pem")),
        KeyFileFault::TooCostly { .. }
    ));
}

/// Returns the PEM text of a test key after the command that errors name.
fn converted_by_openssl(name: &str) -> Option<String> {
    let path = format!("{}/tests/openssl/{name}", env!("CARGO_MANIFEST_DIR"));
    let output = std::process::Command::new("openssl")
        .args(["pkcs8", "-topk8", "-passin", "pass:openssl"])
        .args(["-passout", "pass:openssl", "-in", &path])
        .output();
    output.ok().map(|output| {
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {said}");
        String::from_utf8(output.stdout).unwrap()
    })
}

#[test]
fn the_named_command_converts_every_other_form() {
    for name in [
        "sec1.pem",
        "pkcs8.pem",
        "pbes1.pem",
        "sha1.pem",
        "traditional.pem",
    ] {
        match converted_by_openssl(name) {
            Some(text) => assert_eq!(opened(&text), OF_OPENSSL, "{name}"),
            None => eprintln!("there is no OpenSSL on this machine: {name} was not converted"),
        }
    }
    if let Some(text) = converted_by_openssl("p256.pem") {
        assert!(opened(&text).contains("a key of another kind"));
    }
}

#[test]
fn of_two_keys_in_one_file_neither_is_taken() {
    let (key, public) = (
        include_str!("openssl/scrypt.pem"),
        include_str!("openssl/public.pem"),
    );
    for text in [
        format!("{key}{key}"),
        format!("{key}{}", include_str!("openssl/sec1.pem")),
    ] {
        let fault = fault(&text);
        assert!(
            fault.to_string().contains("several private keys"),
            "{fault}"
        );
    }
    // A PEM block of another kind next to the key is allowed.
    for text in [format!("{key}{public}"), format!("{public}{key}")] {
        assert_eq!(opened(&text), OF_OPENSSL);
    }
}

fn opened(text: &str) -> String {
    let wallet = KeyFile::from_text(text).and_then(|file| file.key_pair(Some("openssl")));
    wallet.map_or_else(
        |error| error.to_string(),
        |wallet| wallet.public_key().to_string(),
    )
}

#[test]
fn what_stands_above_an_encrypted_key_is_held_against_it() {
    let above = |address: &str, public: &str| {
        format!(
            "Address: {address}\nPublic-Key: {public}\n{}",
            include_str!("openssl/scrypt.pem")
        )
    };
    let (address, public) = (
        other().address().to_string(),
        other().public_key().to_string(),
    );
    // Without the passphrase, nothing shows that this text belongs to another wallet.
    for text in [
        above(&address, &public),
        above(&address, "").replace("Public-Key: \n", ""),
    ] {
        let read = KeyFile::from_text(&text).unwrap();
        assert_eq!(read.address(), Some(other().address()));
        assert!(matches!(
            read.key_pair(Some("openssl")).unwrap_err().into_fault(),
            KeyFileFault::Mismatch {
                other: "address",
                ..
            }
        ));
    }
    assert!(matches!(
        fault(above(&wallet().address().to_string(), &public)),
        KeyFileFault::Mismatch {
            other: "public key",
            ..
        }
    ));
    let malformed = fault(above("0x12", &public)).to_string();
    assert_eq!(malformed, "has a malformed address");
}

#[test]
fn each_of_300_wrong_passphrases_is_told_as_such() {
    // With so many wrong passphrases, some leave padding that looks valid after decryption.
    let read = KeyFile::from_text(include_str!("openssl/pbkdf2.pem")).unwrap();
    for number in 0..300 {
        let error = read.key_pair(Some(&format!("wrong {number}"))).unwrap_err();
        assert!(
            matches!(error.fault(), KeyFileFault::WrongPassphrase),
            "{error}"
        );
    }
}

#[test]
fn a_file_with_one_altered_character_never_opens_as_another_wallet() {
    let pem = include_str!("openssl/pbkdf2.pem").to_owned();
    for (text, right) in [
        (plain(), wallet().public_key().to_string()),
        (pem, OF_OPENSSL.to_owned()),
    ] {
        let mut refused = 0;
        for (at, found) in text.char_indices() {
            for other in ['A', 'f', '7', '+', '"', '\n', '\0'] {
                if other == found {
                    continue;
                }
                let mut altered = text.clone();
                altered.replace_range(at..=at, other.encode_utf8(&mut [0; 4]));
                match KeyFile::from_text(&altered).and_then(|file| file.key_pair(Some("openssl"))) {
                    Ok(wallet) => assert_eq!(wallet.public_key().to_string(), right, "{altered}"),
                    Err(_) => refused += 1,
                }
            }
        }
        assert!(refused > text.len(), "{refused} of {}", text.len());
    }
}

#[test]
fn no_passphrase_shows_in_debug_text() {
    assert!(!format!("{:?}", Protection::Passphrase("horse")).contains("horse"));
}

#[test]
fn a_file_records_its_network_and_refuses_another_one() {
    use nodeproof_primitives::Network;

    let folder = tempfile::tempdir().unwrap();
    for (name, protection) in [
        ("plain", Protection::Plain),
        ("sealed", Protection::Passphrase("correct horse")),
    ] {
        for network in Network::ALL {
            let path = folder.path().join(format!("{name}-{network}"));
            KeyFile::write(&path, &wallet().for_network(Some(network)), protection).unwrap();
            let read = KeyFile::read(&path).unwrap();
            assert_eq!(read.network(), Some(network));
            let key = read.key_pair(Some("correct horse")).unwrap();
            assert_eq!(key.address(), wallet().address());
            for wanted in Network::ALL {
                let checked = read.check_network(wanted);
                assert_eq!(checked.is_ok(), wanted == network);
                if let Err(error) = checked {
                    let text = error.to_string();
                    assert!(
                        text.contains(&format!("is a wallet of {network}")),
                        "{text}"
                    );
                    assert!(text.contains(&format!("this is {wanted}")), "{text}");
                }
            }
        }
        // Older files are not bound to a network.
        let path = folder.path().join(name);
        KeyFile::write(&path, &wallet(), protection).unwrap();
        let read = KeyFile::read(&path).unwrap();
        assert_eq!(read.network(), None);
        assert!(
            Network::ALL
                .iter()
                .all(|one| read.check_network(*one).is_ok())
        );
    }
}
