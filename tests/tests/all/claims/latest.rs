//! Finding the latest block.

use super::*;

#[tokio::test]
async fn the_latest_block_is_found_with_few_requests() {
    for blocks in [1, 2, 3, 8, 12, 31] {
        let config = Config::for_tests().with_blocks(blocks);
        let node = nodeproof_devnode::spawn(config).await.unwrap();
        let client = Client::new(node.base_url()).unwrap();
        let latest = client.latest_block().await.unwrap();
        assert_eq!(latest.unwrap().index, node.height(), "{blocks}");
        assert!(node.requests_received() <= 12, "{blocks}");
        let next = node.make_block();
        let latest = client.latest_block().await.unwrap();
        assert_eq!(latest.unwrap().index, next);
    }
}

#[tokio::test]
async fn a_chain_without_blocks_has_no_latest_one() {
    let config = Config::for_tests().with_blocks(0);
    let node = nodeproof_devnode::spawn(config).await.unwrap();
    let client = Client::new(node.base_url()).unwrap();
    assert_eq!(client.latest_block().await.unwrap(), None);
}

#[tokio::test]
async fn a_node_that_has_every_block_is_asked_a_bounded_number_of_times() {
    let world = TestEnvironment::new().await;
    let every: Fault = Arc::new(|request, response| {
        let index = request.query.trim_start_matches("block_index=").to_owned();
        let block = format!(r#"{{"index":{index},"timestamp":1,"previous_hash":"0"}}"#);
        response
            .with_status(axum::http::StatusCode::OK)
            .with_body(block)
    });
    let (proxy, client) = world.behind(every).await;
    let latest = client.latest_block().await.unwrap();
    assert_eq!(latest.unwrap().index, u64::MAX - 1);
    assert!(proxy.requests().len() <= 129, "{}", proxy.requests().len());
}

#[tokio::test]
async fn a_node_that_fails_is_not_taken_for_one_without_blocks() {
    let world = TestEnvironment::new().await;
    let failing: Fault =
        Arc::new(|_, response| response.with_status(axum::http::StatusCode::INTERNAL_SERVER_ERROR));
    let (_proxy, client) = world.behind(failing).await;
    assert!(client.latest_block().await.is_err());
}
