//! Nodes that make blocks faster than the nodes are compared.

use super::*;

/// Two nodes with one chain, behind proxies. Both chains grow with every eighth request to the second node.
///
/// A reading of that node takes at most six requests: four if there is a new block, and two in which there
/// is none. So it has a reading at every height, and the first node has one of them, whichever is faster.
async fn growing(fault: Fault) -> (Arc<[nodeproof_devnode::Handle; 2]>, Proxy, Proxy) {
    let nodes = Arc::new([devnode(7, 40).await, devnode(7, 40).await]);
    let honest = Proxy::honest(&nodes[0]).await.expect("a proxy");
    let (grown, requests) = (Arc::clone(&nodes), AtomicU64::new(0));
    let grows: Fault = Arc::new(move |request: &RecordedRequest, response: Response| {
        if requests.fetch_add(1, Ordering::Relaxed) % 8 == 7 {
            for node in &*grown {
                node.node().make_block();
            }
        }
        fault(request, response)
    });
    let slow = proxy(&nodes[1], grows).await;
    (nodes, honest, slow)
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_that_grow_while_they_respond_are_compared_in_everything() {
    let (_nodes, one, slow) = growing(Arc::new(|_, response| response)).await;
    let urls = [one.server.base_url(), slow.server.base_url()];
    let report = check(&[&urls[0], &urls[1]], &Options::default()).await;
    for id in ["blocks", "balances", "contract-state", "trust-scores"] {
        let check = cross(&report, id);
        assert_eq!(check.outcome, Outcome::Pass, "{check:?}");
        assert!(
            check.compared > Some(0) && check.reason.is_none(),
            "{check:?}"
        );
    }
    // Requests of the comparison are counted, too, and there are few of them. A comparison that meets a new block is
    // repeated: a run alone sends about 400, and both together sent from 530 to 800.
    for (node, proxy) in report.nodes.iter().zip([&one, &slow]) {
        assert_eq!(node.requests, proxy.requests().len() as u64);
        assert!(node.requests < 1_500, "{}", node.requests);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_balance_that_is_another_one_is_found_although_the_nodes_grow() {
    let (_nodes, one, slow) = growing(more_held()).await;
    let urls = [one.server.base_url(), slow.server.base_url()];
    let report = check(&[&urls[0], &urls[1]], &Options::default()).await;
    let balances = cross(&report, "balances");
    assert_eq!(balances.outcome, Outcome::Fail, "{balances:?}");
    assert_eq!(report.exit_code, 1);
}
