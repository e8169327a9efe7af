//! A chain that ends or is replaced while it is followed, or between two runs.

use super::*;

#[tokio::test]
async fn a_chain_that_is_gone_ends_the_stream() {
    let (node, _) = start().await;
    let height = node.height();
    for (status, kind) in [
        // Either the chain is shorter now, or the node does not exist any more.
        (StatusCode::BAD_REQUEST, ErrorKind::MissingBlock),
        (StatusCode::NOT_FOUND, ErrorKind::NotANode),
    ] {
        let gone = Arc::new(AtomicBool::new(false));
        let switch = Arc::clone(&gone);
        let fault: Fault = Arc::new(move |request, response| {
            let is_hidden = requested(request).is_some_and(|index| index >= 2);
            match switch.load(Ordering::Relaxed) {
                true if status == StatusCode::NOT_FOUND => response.with_status(status),
                true if is_hidden => not_found(response),
                _ => response,
            }
        });
        let proxy = Proxy::spawn(&node, fault).await.unwrap();
        let brief = FollowOptions {
            max_outage: 4 * SHORT,
            ..options()
        };
        let mut blocks = client(&proxy.server.base_url()).follow_blocks(brief);
        assert_eq!(index(&mut blocks).await, height);
        gone.store(true, Ordering::Relaxed);
        let error = end(&mut blocks).await;
        assert_eq!(error.kind(), kind, "{error}");
    }
}

#[tokio::test]
async fn another_chain_in_place_of_the_followed_one_ends_the_stream() {
    let time = |later: i64| ChainTime::From(TimestampMs::from_millis(1_767_225_600_000 + later));
    let config = Config::for_tests().with_blocks(5);
    let node = restart::start(config.clone().with_time(time(0))).await;
    let base = node.base_url().to_owned();
    let mut blocks = client(&base).follow_blocks(options());
    assert_eq!(index(&mut blocks).await, 5);
    let port = stop(node).await;
    let _other = start_at(port, config.with_time(time(7))).await;
    let error = end(&mut blocks).await;
    assert_eq!(error.kind(), ErrorKind::ChainReplaced);
    assert!(error.to_string().contains("block 5"), "{error}");
}

#[tokio::test]
async fn a_later_run_notices_that_the_chain_was_replaced() {
    let start = |config: Config| async move {
        let node = nodeproof_devnode::spawn(config).await.unwrap();
        let client = client(node.base_url());
        (node, client)
    };
    let config = Config::for_tests().with_blocks(6);
    let (_node, read) = start(config.clone()).await;
    let hash = read.block(5).await.unwrap().unwrap().block_hash().unwrap();
    let after = |last: u64| FollowOptions {
        after: Some((last, hash)),
        max_outage: 4 * SHORT,
        ..options()
    };
    let time = ChainTime::From(TimestampMs::from_millis(1_767_225_600_000));
    let other = config.with_time(time);
    let (_longer, client) = start(other.clone()).await;
    let error = end(&mut client.follow_blocks(after(5))).await;
    assert_eq!(error.kind(), ErrorKind::ChainReplaced);
    assert!(error.to_string().contains("in place of block 5"), "{error}");
    // A shorter chain may still be catching up, so this is an outage first.
    let (_shorter, client) = start(other.with_blocks(3)).await;
    let error = end(&mut client.follow_blocks(after(5))).await;
    assert_eq!(error.kind(), ErrorKind::MissingBlock);
    assert!(error.to_string().contains("no block 5 any more"), "{error}");
}

#[tokio::test]
async fn a_longer_chain_in_place_of_the_followed_one_ends_the_stream() {
    let time = |later: i64| ChainTime::From(TimestampMs::from_millis(1_767_225_600_000 + later));
    let config = Config::for_tests().with_blocks(5);
    for read_ahead in [1, 4] {
        let node = restart::start(config.clone().with_time(time(0))).await;
        let mut blocks = client(node.base_url()).follow_blocks(FollowOptions {
            read_ahead,
            ..from(5)
        });
        assert_eq!(index(&mut blocks).await, 5);
        let port = stop(node).await;
        // The next block exists at once.
        let other = config.clone().with_time(time(7)).with_blocks(9);
        let _other = start_at(port, other).await;
        let error = end(&mut blocks).await;
        assert_eq!(error.kind(), ErrorKind::ChainReplaced, "{error}");
        assert!(error.to_string().contains("block 5"), "{error}");
    }
}

#[tokio::test]
async fn a_node_that_hashes_in_another_way_is_followed_with_one_more_request_for_each_block() {
    let (node, _) = start().await;
    let fault: Fault = Arc::new(|_, response| {
        response.with_json(|block| block["previous_hash"] = "5a".repeat(32).into())
    });
    let proxy = Proxy::spawn(&node, fault).await.unwrap();
    let mut blocks = client(&proxy.server.base_url()).follow_blocks(from(1));
    for expected in 1..=4 {
        assert_eq!(index(&mut blocks).await, expected);
    }
    let indexes: Vec<_> = proxy.requests().iter().filter_map(requested).collect();
    assert_eq!(indexes, [1, 2, 1, 3, 2, 4, 3]);
    // Otherwise, there is one request for each block.
    let proxy = Proxy::honest(&node).await.unwrap();
    let mut blocks = client(&proxy.server.base_url()).follow_blocks(from(1));
    for expected in 1..=4 {
        assert_eq!(index(&mut blocks).await, expected);
    }
    assert_eq!(proxy.requests().len(), 4);
}

#[tokio::test]
async fn a_last_block_that_the_node_has_dropped_is_not_a_replaced_chain() {
    let (node, direct) = start().await;
    let hash = direct.block(2).await.unwrap().unwrap().block_hash();
    let after = FollowOptions {
        after: hash.map(|hash| (2, hash)),
        max_outage: 4 * SHORT,
        ..options()
    };
    for (hashes_differ, expected) in [(false, None), (true, Some(ErrorKind::MissingBlock))] {
        let fault: Fault = Arc::new(move |request, response| match requested(request) {
            Some(0..=2) => not_found(response),
            _ if hashes_differ => {
                response.with_json(|block| block["previous_hash"] = "5a".repeat(32).into())
            }
            _ => response,
        });
        let proxy = Proxy::spawn(&node, fault).await.unwrap();
        let mut blocks = client(&proxy.server.base_url()).follow_blocks(after.clone());
        match blocks.next().await.unwrap() {
            Ok(block) => assert_eq!((number(&block), expected), (3, None)),
            Err(error) => {
                assert_eq!(Some(error.kind()), expected, "{error}");
                assert_eq!(
                    error.to_string(),
                    "the node has no block 2 any more, so it can't be compared with block 3"
                );
            }
        }
    }
}
