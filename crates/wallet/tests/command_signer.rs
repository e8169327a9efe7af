//! Signing by external programs. Here they are shell scripts.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{fs, path::Path, time::Duration};

use nodeproof_wallet::{
    CommandSigner, KeyPair, SignTransactionError, Signer, SignerError, sign_with,
    verify_transaction,
};

const MESSAGE: &[u8] = br#"{"fee": 1000000, "descr": "\u00e9"}"#;

fn wallet() -> KeyPair {
    KeyPair::from_bytes(&[5; 32]).unwrap()
}

/// Returns a signer that runs this script. The script gets further arguments in `$1` and so on.
fn script(text: &str, arguments: &[&str]) -> CommandSigner {
    CommandSigner::new(wallet().address(), "sh")
        .arguments(["-c", text, "sh"])
        .arguments(arguments)
}

async fn refused(signer: CommandSigner) -> SignerError {
    signer.sign_message(MESSAGE).await.unwrap_err()
}

/// Waits until a script has written this file with its process ID, and returns the ID.
async fn process_in(path: &Path) -> String {
    loop {
        if let Ok(text) = fs::read_to_string(path)
            && text.ends_with('\n')
        {
            return text.trim().to_owned();
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Waits until the process does not exist, or is a zombie.
async fn is_gone(process: &str) {
    let state = || {
        let status = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        status.rsplit(") ").next()?.chars().next()
    };
    let gone = async {
        while !matches!(state(), None | Some('Z')) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    // This is far more than it needs, and far less than the scripts would sleep.
    tokio::time::timeout(Duration::from_secs(60), gone)
        .await
        .unwrap();
}

#[tokio::test]
async fn the_program_gets_the_message_and_the_address_and_its_signature_is_handed_on() {
    let folder = tempfile::tempdir().unwrap();
    let (message, copy) = (folder.path().join("message"), folder.path().join("copy"));
    let signature = wallet().sign(MESSAGE);
    let signer = script(
        r#"cat > "$1"; printf '%s|%s' "$NODE_WALLET_ADDRESS" "$3" > "$2"; echo asking >&2; printf ' %s\r\n' "$4""#,
        &[
            message.to_str().unwrap(),
            copy.to_str().unwrap(),
            "$(one) argument",
            &signature.to_string().to_uppercase(),
        ],
    );
    let signed = signer.sign_message(MESSAGE).await.unwrap();
    assert_eq!(signed, signature.into());
    assert_eq!(fs::read(message).unwrap(), MESSAGE);
    assert_eq!(
        fs::read_to_string(copy).unwrap(),
        format!("{}|$(one) argument", wallet().address())
    );
}

#[tokio::test]
async fn a_transaction_is_signed_by_a_program_and_a_key_one_after_the_other() {
    let (first, second) = (wallet(), KeyPair::generate().unwrap());
    let transaction = format!(
        r#"{{"fee":1e6,"specific_data":{{"signers":["{}","{}"]}}}}"#,
        first.address(),
        second.address()
    );
    let message = nodeproof_primitives::signed_message(&transaction).unwrap();
    let signature = first.sign(message.as_bytes()).to_string();
    let program = script("cat > /dev/null; echo $1", &[&signature]);
    let mut entries = vec![sign_with(&program, &transaction).await.unwrap()];
    let by_key: Box<dyn Signer> = Box::new(second);
    entries.push(sign_with(by_key.as_ref(), &transaction).await.unwrap());
    assert_eq!(verify_transaction(&transaction, &entries), Ok(()));

    let other = r#"{"specific_data":{"signers":[]}}"#;
    assert!(matches!(
        sign_with(&program, other).await,
        Err(SignTransactionError::NotASigner(_))
    ));
}

#[tokio::test]
async fn another_wallets_signature_is_not_handed_on() {
    let other = KeyPair::from_bytes(&[6; 32]).unwrap().sign(MESSAGE);
    let elsewhere = wallet().sign(b"another message");
    for signature in [other, elsewhere] {
        let error = refused(script("echo $1", &[&signature.to_string()])).await;
        assert!(!error.is_refusal());
        let text = error.to_string();
        assert!(
            text.contains("does not match the address 0x")
                && text.contains(&wallet().address().to_string()),
            "{text}"
        );
    }
}

#[tokio::test]
async fn what_is_no_signature_is_refused_without_being_quoted() {
    let right = wallet().sign(MESSAGE).to_string();
    for (output, reason) in [
        ("", "wrote nothing"),
        ("  \n", "wrote nothing"),
        ("5ec2e7", "128 hexadecimal digits"),
        (&right[1..], "128 hexadecimal digits"),
        (&format!("0x{right}"), "the prefix 0x"),
        (&format!("{right} {right}"), "128 hexadecimal digits"),
        (&right.replace(&right[..1], "g"), "not a hexadecimal digit"),
        (&"0".repeat(128), "between 1 and the order"),
        (&"1 ".repeat(2049), "more than 4096 bytes"),
    ] {
        let text = refused(script("printf %s \"$1\"", &[output]))
            .await
            .to_string();
        assert!(text.contains(reason), "{output:?}: {text}");
        assert!(!text.contains("5ec2e7"), "{text}");
    }
    let text = refused(script("printf '\\377'", &[])).await.to_string();
    assert!(text.contains("no text"), "{text}");
    // It ends although the program would never stop by itself.
    let text = refused(script("yes", &[])).await.to_string();
    assert!(text.contains("more than 4096 bytes"), "{text}");
}

#[tokio::test]
async fn a_failing_program_gives_its_reason_and_status_escaped_and_bounded() {
    let error = refused(script(
        r"printf 'no \033[31mdevice\nfound' >&2; exit 7",
        &[],
    ))
    .await;
    assert!(!error.is_refusal());
    assert_eq!(
        error.to_string(),
        r"the signer failed: the program sh printed: no \u{1b}[31mdevice\nfound (exit status: 7)"
    );
    let text = refused(script("yes complaint | head -c 100000 >&2; exit 1", &[]))
        .await
        .to_string();
    assert!(text.len() < 1400 && text.contains(" …"), "{text}");
    let text = refused(script("exit 9", &[])).await.to_string();
    assert!(text.contains("gave no reason (exit status: 9)"), "{text}");
    let text = refused(script("echo hidden >&2; exit 9", &[]).show_stderr(true))
        .await
        .to_string();
    assert!(!text.contains("hidden"), "{text}");
    let text = refused(CommandSigner::new(
        wallet().address(),
        "no\u{1b}such\nprogram",
    ))
    .await
    .to_string();
    assert!(
        text.contains(r"the program no\u{1b}such\nprogram can't be started"),
        "{text}"
    );
}

#[tokio::test]
async fn exit_status_three_is_a_decision() {
    let error = refused(script("echo the owner said no >&2; exit 3", &[])).await;
    assert!(error.is_refusal());
    assert_eq!(
        error.to_string(),
        "the signer refused: the program sh printed: the owner said no"
    );
}

#[tokio::test]
async fn a_program_that_reads_nothing_of_a_long_message_may_still_sign() {
    let message = vec![b'x'; 1 << 20];
    let signature = wallet().sign(&message);
    let signer = script("echo $1", &[&signature.to_string()]);
    let signed = signer.sign_message(&message).await.unwrap();
    assert_eq!(signed, signature.into());
}

#[tokio::test]
async fn a_program_that_takes_too_long_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("process");
    let signer = script(
        r#"echo $$ > "$1"; exec sleep 600"#,
        &[path.to_str().unwrap()],
    )
    .deadline(Duration::from_millis(300));
    let text = refused(signer).await.to_string();
    assert!(text.contains("within 0.3 s"), "{text}");
    if let Ok(process) = fs::read_to_string(&path) {
        is_gone(process.trim()).await;
    }
}

#[tokio::test]
async fn a_program_that_nobody_waits_for_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("process");
    let signer = script(
        r#"echo $$ > "$1"; exec sleep 600"#,
        &[path.to_str().unwrap()],
    );
    let process = tokio::select! {
        _ = signer.sign_message(MESSAGE) => String::new(),
        process = process_in(&path) => process,
    };
    assert!(!process.is_empty());
    is_gone(&process).await;
}
