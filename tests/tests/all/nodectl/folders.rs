//! Folders that other users control are not trusted.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, chown},
    path::Path,
};

use integration_tests::proxy::Proxy;
#[cfg(target_os = "linux")]
use integration_tests::without_locks;
use nodeproof_devnode::Config;

use crate::nodectl::claims::Verifier;

fn make(path: &Path, mode: u32) {
    fs::create_dir_all(path).expect("a folder");
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_others_control_is_refused() {
    let node = nodeproof_devnode::spawn(Config::for_tests()).await.unwrap();
    let proxy = Proxy::honest(&node).await.unwrap();
    let url = proxy.server.base_url();
    let verifier = Verifier::of(&node);
    let (home, own) = (&verifier.home, verifier.home.path("own"));
    let claims = home.path(".local/state/nodectl/claims");
    let keep = own.join("c.json").display().to_string();
    let table: [(&Path, &[&str]); 3] = [
        (&claims, &["--no-wait"]),
        // A named file's folder must meet the same rules, and so must the usual folder.
        (&own, &["--no-wait", "--keep", &keep]),
        (&claims, &["--no-wait", "--keep", &keep]),
    ];
    for (folder, more) in table {
        for mode in [0o777, 0o770, 0o702] {
            make(folder, mode);
            let ran = verifier.add_signed(&url, "a", more).ended(2);
            assert!(
                ran.err.contains("other users can write to"),
                "{mode:o}: {ran:?}"
            );
            assert!(ran.err.contains("chmod go-w"), "{ran:?}");
            make(folder, 0o700);
        }
        // Only root can give a folder away.
        if chown(folder, Some(4711), None).is_ok() {
            let ran = verifier.add_signed(&url, "a", more).ended(2);
            assert!(ran.err.contains("belongs to another user"), "{ran:?}");
            fs::remove_dir(folder).expect("an empty folder");
        }
    }
    assert!(proxy.requests().is_empty(), "{:?}", proxy.requests());
    // A folder like /tmp is allowed for a named file, but not as the usual folder.
    make(&claims, 0o1777);
    verifier.add_signed(&url, "a", &["--no-wait"]).ended(2);
    make(&claims, 0o700);
    make(&own, 0o1777);
    verifier
        .add_signed(&url, "a", &["--no-wait", "--keep", &keep])
        .ended(0);

    // The configuration decides where money goes.
    let config = home.path(".config/nodectl");
    make(&config, 0o777);
    home.file(".config/nodectl/config.toml", "fee = 1000000\n");
    let ran = home.run(&["--json", "block", "1"]).ended(2);
    assert!(ran.err.contains("other users can write to"), "{ran:?}");
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn without_locks_nothing_is_paid_unless_a_flag_allows_it() {
    let node = nodeproof_devnode::spawn(Config::for_tests()).await.unwrap();
    let verifier = Verifier::of(&node);
    // Programs of this home load it.
    let _library = without_locks::library(&verifier.home.path(""));
    let keep = verifier.home.path("own/c.json").display().to_string();
    for more in [&["--no-wait"][..], &["--no-wait", "--keep", &keep]] {
        let ran = verifier.add_signed(node.base_url(), "a", more).ended(2);
        assert!(ran.err.contains("has no locks"), "{ran:?}");
        assert!(ran.err.contains("--without-lock"), "{ran:?}");
        assert!(ran.err.contains("nothing was sent"), "{ran:?}");
    }
    assert_eq!(node.node().submissions_received(), 0);
    let allowed = ["--no-wait", "--without-lock"];
    let ran = verifier.add_signed(node.base_url(), "a", &allowed).ended(0);
    assert!(ran.err.contains("has no locks"), "{ran:?}");
    // Earlier claims are found even so.
    let other = ["--no-wait", "--without-lock", "--outcome", "2"];
    let ran = verifier.add_signed(node.base_url(), "a", &other).ended(2);
    assert!(ran.err.contains("--again"), "{ran:?}");
    assert_eq!(node.node().submissions_received(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn with_another_state_folder_only_a_record_prevents_a_second_payment() {
    let node = nodeproof_devnode::spawn(Config::for_tests()).await.unwrap();
    let (verifier, url) = (Verifier::of(&node), node.base_url());
    let states = ["one", "two", "three"].map(|name| verifier.home.path(name));
    let states = states.map(|path| path.display().to_string());
    let add_with = |state: &str, more: &[&str]| {
        verifier.add_with(&[("XDG_STATE_HOME", state)], url, "a", more)
    };
    let add = |state: &str| add_with(state, &["--no-wait"]);
    let sent = || node.node().submissions_received();
    let code = |ran: &crate::nodectl::program::RunOutput| ran.json()["trans_code"].clone();

    let first = add(&states[0]).ended(0);
    // With the same folder, the same transaction is submitted again.
    assert_eq!(code(&add(&states[0]).ended(0)), code(&first));
    assert_eq!(sent(), 2);
    // With another folder, it is another transaction, because no record shows the first one yet.
    assert_ne!(code(&add(&states[1]).ended(0)), code(&first));
    assert_eq!(sent(), 3);

    // Once a block has the record, nothing more is sent.
    node.node().make_block();
    for more in [&["--no-wait"][..], &["--no-wait", "--outcome", "2"]] {
        let ran = add_with(&states[2], more).ended(2);
        assert!(ran.err.contains("has a record about"), "{ran:?}");
        assert!(ran.err.contains("nothing was signed"), "{ran:?}");
    }
    assert_eq!(sent(), 3);
}
