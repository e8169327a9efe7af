//! A chain in a file, and faults that begin at a height.

use std::{fs, io::Write as _, path::Path, sync::Arc, time::Duration};

use nodeproof_devnode::{BlockTime, ChainTime, Config, InjectedFault, Node, spawn};

use crate::peer::Peer;

fn saved_at(path: &Path) -> Config {
    let mut config = Config::for_tests();
    config.state = Some(path.to_owned());
    config
}

/// Opens the chain of a node that was dropped. The tasks of its connections end a moment later.
async fn reopened(path: &Path) -> Node {
    loop {
        match Node::open(&saved_at(path)) {
            Ok(node) => return node,
            Err(error) if error.to_string().contains("another node") => {
                tokio::task::yield_now().await;
            }
            Err(error) => assert_eq!(error.to_string(), ""),
        }
    }
}

#[tokio::test]
async fn a_saved_chain_goes_on_after_the_node_was_killed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chain");
    let peer = Peer::with(saved_at(&path)).await;
    let alice = peer.keys("alice").address();
    let signed = peer.signed_claim("alice", "asset-x").await;
    assert!(peer.submit(signed.clone()).await.verdict().0);
    for _ in 0..3 {
        peer.node.make_block();
    }
    let seen = async |peer: &Peer| {
        let mut seen = vec![peer.record("asset-x").await.text];
        seen.push(peer.balance(alice, "DEVN").await.to_string());
        for index in 1..=15 {
            seen.push(peer.block(index).await.to_string());
        }
        seen
    };
    let before = seen(&peer).await;
    // A second node can't write the same file.
    let held = Node::open(&saved_at(&path)).unwrap_err().to_string();
    assert!(held.contains("another node is using it"), "{held}");
    let Peer { node, http } = peer;
    drop(http);
    node.shutdown().await;
    drop(reopened(&path).await);
    // The node was killed while it wrote a line.
    let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(b"{\"timestamp\":17").unwrap();
    drop(file);
    let peer = Peer::with(saved_at(&path)).await;
    assert_eq!(seen(&peer).await, before);
    // The transaction is known, and the next block follows the last one.
    assert_eq!(
        peer.submit(signed).await.verdict(),
        (true, "Already validated and in mempool".to_owned(), false)
    );
    assert_eq!(peer.node.make_block(), 16);
    drop(peer);
    assert_eq!(reopened(&path).await.height(), 16);
}

#[test]
fn a_file_that_is_not_this_chain_is_an_error_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chain");
    let node = Node::open(&saved_at(&path)).unwrap();
    for _ in 0..3 {
        node.make_block();
    }
    drop(node);
    let good = fs::read_to_string(&path).unwrap();
    let lines: Vec<_> = good.lines().collect();
    let [header, first, second, third] = lines[..] else {
        panic!("{good}");
    };
    let other_seed = saved_at(&path).with_seed(7);
    let file = |blocks: &[&str]| format!("{header}\n{}\n", blocks.join("\n"));
    let longer = first.replace("\"receipts\":[\"", "\"receipts\":[\"00");
    let digit = first.find("\"receipts\":[\"").unwrap() + "\"receipts\":[\"".len();
    let mut flipped = first.to_owned();
    let other = if first[digit..].starts_with('0') {
        "1"
    } else {
        "0"
    };
    flipped.replace_range(digit..=digit, other);
    let later = first.replacen("\"timestamp\":", "\"timestamp\":1", 1);
    for (text, config, part) in [
        (
            "notes\n".to_owned(),
            saved_at(&path),
            "not the chain of a devnode",
        ),
        (
            header.to_owned(),
            saved_at(&path),
            "not the chain of a devnode",
        ),
        (
            file(&["{}", second, third]),
            saved_at(&path),
            "line 2 is not a block",
        ),
        (
            file(&[&longer, second]),
            saved_at(&path),
            "line 2 is damaged",
        ),
        (
            file(&[&flipped, second]),
            saved_at(&path),
            "line 2 is damaged",
        ),
        (
            file(&[&later, second]),
            saved_at(&path),
            "line 2 is damaged",
        ),
        (file(&[first, third]), saved_at(&path), "line 3 is damaged"),
        (
            file(&[first, third, second]),
            saved_at(&path),
            "line 3 is damaged",
        ),
        (file(&[first, first]), saved_at(&path), "line 3 is damaged"),
        (
            good.clone(),
            other_seed,
            "other options: --network devnet --seed 0 --blocks 12",
        ),
    ] {
        fs::write(&path, &text).unwrap();
        let error = Node::open(&config).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "{part}");
    }
    fs::write(&path, good).unwrap();
    assert_eq!(Node::open(&saved_at(&path)).unwrap().height(), 15);
}

#[tokio::test]
async fn a_fault_begins_at_its_block() {
    let mut config = Config::for_tests().with_fault(InjectedFault::BlockSeconds);
    config.fault_from = 14;
    let peer = Peer::with(config).await;
    let time = async || peer.block(12).await["timestamp"].as_i64().unwrap();
    let before = time().await;
    peer.node.make_block();
    assert_eq!(time().await, before);
    peer.node.make_block();
    assert_eq!(time().await, before / 1000);
}

#[tokio::test]
async fn a_forked_node_has_other_blocks_from_there_on() {
    let config = || Config::for_tests().with_time(ChainTime::FIXED);
    let mut forked = config().with_fault(InjectedFault::Fork);
    forked.fault_from = 13;
    let (usual, forked) = (Peer::with(config()).await, Peer::with(forked).await);
    for peer in [&usual, &forked] {
        for _ in 0..3 {
            peer.node.make_block();
        }
    }
    assert_eq!(usual.block(13).await, forked.block(13).await);
    for index in [14, 15] {
        assert_ne!(usual.block(index).await, forked.block(index).await);
    }
    let link = |block: serde_json::Value| block["previous_hash"].clone();
    assert_ne!(link(usual.block(15).await), link(forked.block(15).await));
}

#[tokio::test(start_paused = true)]
async fn a_node_that_stalls_makes_all_missing_blocks_later() {
    let mut config = Config::for_tests()
        .with_time(ChainTime::FIXED)
        .with_block_time(BlockTime::Every(Duration::from_secs(1)));
    let usual = spawn(config.clone()).await.unwrap();
    config.fault = Some(InjectedFault::Stalls);
    config.fault_from = 22;
    let stalls = spawn(config).await.unwrap();
    let (usual, stalls) = (Arc::clone(usual.node()), stalls);
    let heights = async |seconds| {
        tokio::time::sleep(Duration::from_secs(seconds)).await;
        (usual.height(), stalls.height())
    };
    let (_, first) = heights(60).await;
    assert_eq!(first, 22);
    assert_eq!(heights(200).await.1, 22);
    // The two heights are read between the same two blocks.
    let (_, later) = heights(100).await;
    assert!(later > 350, "{later}");
}
