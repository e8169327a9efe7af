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
    for (mode, told) in [(0o640, true), (0o604, true), (0o600, false), (0o611, false)] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(
            KeyFile::read(&path).unwrap().is_readable_by_others(),
            told,
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
    assert!(matches!(error.fault(), KeyFileFault::EmptyPassphrase));
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
    let address = wallet().address().to_string();
    let text = plain().replace(&address, &other().address().to_string());
    assert!(matches!(
        fault(text),
        KeyFileFault::Mismatch { other: "address" }
    ));
    let public = wallet().public_key().to_string();
    let text = plain().replace(&public, &other().public_key().to_string());
    assert!(matches!(
        fault(text),
        KeyFileFault::Mismatch {
            other: "public key"
        }
    ));
    let text = plain().replace("0001\"", "0002\"");
    assert!(matches!(fault(text), KeyFileFault::Mismatch { .. }));
    let text = plain().replace(&address, &address[..41]);
    assert!(matches!(
        fault(text),
        KeyFileFault::Malformed { what: "an address" }
    ));
    let text = format!(r#"{{"private":"{PRIVATE}"}}"#);
    assert!(matches!(fault(text), KeyFileFault::Unchecked));
}

#[test]
fn rejects_an_invalid_key_file_without_quoting_it() {
    for text in [
        "",
        PRIVATE,
        "\0",
        "5ec2e7 -----BEGIN PRIVATE KEY-----",
        &format!("[{}]", plain()),
    ] {
        assert!(matches!(fault(text), KeyFileFault::Form), "{text:?}");
    }
    assert!(matches!(fault(b"\xff{}"), KeyFileFault::Form));
    for text in [
        plain().replace("\"private\"", "\"privat\""),
        plain().replace(&format!("\"{PRIVATE}\""), "[5]"),
        plain().replace('}', ""),
        plain().replace('}', ",\"private\":\"5ec2e7\"}"),
        format!("{{\"5ec2e7\n\":{PRIVATE}}}"),
    ] {
        assert!(matches!(fault(&text), KeyFileFault::Json { .. }), "{text}");
    }
    for text in [
        plain().replace("0001\"", "\""),
        plain().replace("5ec", "xec"),
    ] {
        assert!(matches!(fault(&text), KeyFileFault::Key(_)), "{text}");
    }
    let long = format!("{}{}", plain(), " ".repeat(64 * 1024));
    assert!(matches!(
        fault(long),
        KeyFileFault::TooLong { limit: 65536 }
    ));
    let folder = tempfile::tempdir().unwrap();
    for path in [folder.path().join("none.key"), folder.path().to_owned()] {
        let error = KeyFile::read(&path).unwrap_err();
        assert!(matches!(error.fault(), KeyFileFault::Read(_)), "{error}");
    }
}

#[test]
fn keys_that_openssl_made_are_read() {
    for (text, passphrase) in [
        (include_str!("openssl/sec1.pem"), None),
        (include_str!("openssl/pkcs8.pem"), None),
        (include_str!("openssl/pbkdf2.pem"), Some("openssl")),
        (include_str!("openssl/scrypt.pem"), Some("openssl")),
    ] {
        for text in [text.to_owned(), text.replace('\n', "\r\n")] {
            let read = KeyFile::from_text(&text).unwrap();
            assert_eq!(read.is_encrypted(), passphrase.is_some());
            // No text above the encrypted key names its wallet.
            assert_eq!(read.address().is_none(), passphrase.is_some());
            let key = read.key_pair(passphrase).unwrap();
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
fn pem_that_is_not_read_is_refused_with_the_reason() {
    assert!(matches!(
        fault(include_str!("openssl/public.pem")),
        KeyFileFault::NoPrivateKey
    ));
    assert!(matches!(
        fault(include_str!("openssl/p256.pem")),
        KeyFileFault::UnsupportedCurve
    ));
    assert!(matches!(
        fault(include_str!("openssl/rounds.pem")),
        KeyFileFault::TooCostly { .. }
    ));
    for text in [
        include_str!("openssl/pbes1.pem"),
        include_str!("openssl/traditional.pem"),
    ] {
        assert!(matches!(fault(text), KeyFileFault::Unsupported), "{text}");
    }
    let sha1 = KeyFile::from_text(include_str!("openssl/sha1.pem")).unwrap();
    assert!(matches!(
        sha1.key_pair(Some("openssl")).unwrap_err().into_fault(),
        KeyFileFault::Unsupported
    ));
    let whole = include_str!("openssl/scrypt.pem");
    for text in [
        whole.replace("-----END", "-----"),
        whole.replace("MIHk", "MIHj"),
        whole.replace("MIHk", "M Hk"),
        whole.replace("ENCRYPTED PRIVATE", "PRIVATE"),
        whole.replace("ENCRYPTED PRIVATE", "EC PRIVATE"),
    ] {
        assert!(
            matches!(fault(&text), KeyFileFault::Damaged { .. }),
            "{text}"
        );
    }
}

#[test]
fn lines_of_pem_may_have_another_length() {
    let rewrapped = |text: &str, width: usize| {
        let lines: Vec<&str> = text.trim_end().lines().collect();
        let (first, last) = (lines[0], lines[lines.len() - 1]);
        let body = lines[1..lines.len() - 1].concat();
        let body: Vec<&str> = body
            .as_bytes()
            .chunks(width)
            .map(|line| std::str::from_utf8(line).unwrap())
            .collect();
        format!("{first}\n{}\n{last}\n", body.join("\n"))
    };
    for width in [76, 48, 4000] {
        let text = rewrapped(include_str!("openssl/scrypt.pem"), width);
        assert_eq!(opened(&text), OF_OPENSSL, "{width}");
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
        assert!(matches!(
            fault(&text),
            KeyFileFault::MultipleKeys { count: 2 }
        ));
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
            KeyFileFault::Mismatch { other: "address" }
        ));
    }
    assert!(matches!(
        fault(above(&wallet().address().to_string(), &public)),
        KeyFileFault::OtherAddress
    ));
    assert!(matches!(
        fault(above("0x12", &public)),
        KeyFileFault::Malformed { what: "an address" }
    ));
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
    let sec1 = include_str!("openssl/sec1.pem").to_owned();
    for (text, right) in [
        (plain(), wallet().public_key().to_string()),
        (sec1, OF_OPENSSL.to_owned()),
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
            KeyFile::write_for(&path, &wallet(), Some(network), protection).unwrap();
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
    let unknown = plain().replace('}', r#", "network": "Mainnet"}"#);
    assert!(matches!(fault(&unknown), KeyFileFault::UnknownNetwork));
}
