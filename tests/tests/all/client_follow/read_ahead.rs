//! Several blocks at a time: ranges, and streams that are behind.

use super::*;

#[tokio::test]
async fn a_range_comes_in_order_with_a_bounded_number_of_requests() {
    let running = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
    let counted = Arc::clone(&running);
    let router = Router::new().fallback(move |uri: Uri| {
        let counted = Arc::clone(&counted);
        async move {
            let (now, most) = &*counted;
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            let index: u64 = uri.query().unwrap()["block_index=".len()..]
                .parse()
                .unwrap();
            // Later blocks arrive sooner than earlier ones.
            tokio::time::sleep(Duration::from_millis(20 - index % 4 * 5)).await;
            now.fetch_sub(1, Ordering::SeqCst);
            if index == 40 {
                return (StatusCode::BAD_REQUEST, r#"{"detail":"Block not found"}"#)
                    .into_response();
            }
            format!(r#"{{"index":{index},"timestamp":1,"previous_hash":"0"}}"#).into_response()
        }
    });
    let server = Server::spawn(router).await.unwrap();
    let client = client(&server.base_url());
    let mut blocks = client.blocks(10..30, 4);
    for expected in 10..30 {
        assert_eq!(index(&mut blocks).await, expected);
    }
    assert!(blocks.next().await.is_none());
    assert_eq!(running.1.load(Ordering::SeqCst), 4);

    let mut blocks = client.blocks(38..50, 4);
    assert_eq!(
        [index(&mut blocks).await, index(&mut blocks).await],
        [38, 39]
    );
    let error = end(&mut blocks).await;
    assert_eq!(error.kind(), ErrorKind::MissingBlock);
    assert_eq!(error.to_string(), "the node has no block 40");
    assert!(client.blocks(5..5, 0).next().await.is_none());
}

#[tokio::test]
async fn a_stream_that_is_behind_requests_several_blocks_at_a_time() {
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let requested = Arc::new(Mutex::new(Vec::new()));
    let counted = (
        Arc::clone(&running),
        Arc::clone(&most),
        Arc::clone(&requested),
    );
    let router = Router::new().fallback(move |uri: Uri| {
        let (running, most, requested) = counted.clone();
        async move {
            let index = index_in(&uri);
            requested.lock().unwrap().push(index);
            most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            // Later blocks arrive sooner than earlier ones.
            tokio::time::sleep(Duration::from_millis(20 - index % 4 * 5)).await;
            running.fetch_sub(1, Ordering::SeqCst);
            if index >= 30 {
                return (StatusCode::BAD_REQUEST, r#"{"detail":"Block not found"}"#)
                    .into_response();
            }
            format!(r#"{{"index":{index},"timestamp":1,"previous_hash":"0"}}"#).into_response()
        }
    });
    let server = Server::spawn(router).await.unwrap();
    let mut blocks = client(&server.base_url()).follow_blocks(FollowOptions {
        read_ahead: 4,
        ..from(10)
    });
    for expected in 10..30 {
        assert_eq!(index(&mut blocks).await, expected);
    }
    assert_eq!(most.load(Ordering::SeqCst), 4);
    // At the end of the chain, the stream requests the next block alone.
    let waiting = tokio::spawn(async move { blocks.next().await.is_some() });
    let times = |index: u64| {
        let requested = requested.lock().unwrap();
        requested.iter().filter(|one| **one == index).count()
    };
    while times(30) < 6 {
        tokio::task::yield_now().await;
    }
    waiting.abort();
    assert!(times(32) <= 1 && times(33) <= 1);
    assert!(*requested.lock().unwrap().iter().max().unwrap() <= 33);
}

#[tokio::test]
async fn reading_ahead_leaves_no_gap_where_a_request_fails() {
    let (node, _) = start().await;
    let failures = AtomicUsize::new(2);
    let fault: Fault = Arc::new(move |request, response| {
        let fails = requested(request) == Some(4)
            && failures
                .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
                    left.checked_sub(1)
                })
                .is_ok();
        match fails {
            true => response.with_status(StatusCode::SERVICE_UNAVAILABLE),
            false => response,
        }
    });
    let proxy = Proxy::spawn(&node, fault).await.unwrap();
    let mut blocks = client(&proxy.server.base_url()).follow_blocks(FollowOptions {
        read_ahead: 8,
        ..from(1)
    });
    for expected in 1..=node.height() {
        assert_eq!(index(&mut blocks).await, expected);
    }
    let made = node.make_block();
    assert_eq!(index(&mut blocks).await, made);
}

#[tokio::test]
async fn reading_ahead_ends_at_the_largest_index() {
    let router = Router::new().fallback(|uri: Uri| async move {
        let index = index_in(&uri);
        format!(r#"{{"index":{index},"timestamp":1,"previous_hash":"0"}}"#)
    });
    let server = Server::spawn(router).await.unwrap();
    let mut blocks = client(&server.base_url()).follow_blocks(FollowOptions {
        read_ahead: usize::MAX,
        ..from(u64::MAX - 3)
    });
    for expected in u64::MAX - 3..u64::MAX {
        assert_eq!(index(&mut blocks).await, expected);
    }
    assert!(blocks.next().await.is_none());
}
