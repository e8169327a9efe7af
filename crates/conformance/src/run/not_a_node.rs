//! Finds out whether the target is a node at all.

use crate::{
    api::is_missing_endpoint,
    discovery::Discovered,
    http::{Exchange, InconclusiveReason, Node, Request},
};

/// Returns the reason why the target is not a node, if none of the tested endpoints exists on it.
pub(crate) async fn not_a_node_reason(
    node: &Node,
    discovered: &Discovered,
) -> Result<Option<String>, InconclusiveReason> {
    if !discovered.blocks.is_empty() {
        return Ok(None);
    }
    let first = discovered.first_response.clone();
    if let Some(exchange) = first.as_ref().filter(|exchange| is_denied(exchange))
        && denies_all(node).await?
    {
        if exchange.status == 407 {
            return Ok(Some(format!(
                "a proxy in front of {} requires authentication: name it with its credentials, such as in \
                 http_proxy=http://USER:PASSWORD@HOST:PORT",
                node.target().base_url
            )));
        }
        let what = match exchange.status {
            401 => "requires authentication",
            _ => "denies access, for lack of a header, or because it does not serve this host name",
        };
        return Ok(Some(format!(
            "the server at {} {what}: GET {} gave {}; --header gives a header, such as --header \
             'Authorization: @FILE'",
            node.target().base_url,
            exchange.request.path,
            exchange.summary(),
        )));
    }
    if first.as_ref().is_some_and(|exchange| is_a_nodes(exchange)) {
        return Ok(None);
    }
    for path in OTHERS {
        let other = node.send(Request::get(path)).await?;
        if is_a_nodes(&other) {
            return Ok(None);
        }
    }
    let said = first.map_or_else(String::new, |exchange| {
        let media = exchange
            .content_type
            .as_deref()
            .unwrap_or("no Content-Type");
        format!(
            ": GET {} gave {} ({})",
            exchange.request.path,
            exchange.summary(),
            nodeproof_primitives::escape::escaped_up_to(media, 60)
        )
    });
    Ok(Some(format!(
        "the server at {} is not a node{said}; check host, port and path",
        node.target().base_url
    )))
}

/// Whether the server denies access to the other endpoints, too.
async fn denies_all(node: &Node) -> Result<bool, InconclusiveReason> {
    for path in OTHERS {
        if !is_denied(&*node.send(Request::get(path)).await?) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether the status demands credentials, or forbids access.
fn is_denied(exchange: &Exchange) -> bool {
    matches!(exchange.status, 401 | 403 | 407)
}

/// Endpoints other than that of blocks.
const OTHERS: [&str; 2] = ["/get-balances", "/get-trustscore-wallets"];

/// Whether a response could be from a node: the endpoint exists and returns JSON, valid or not.
fn is_a_nodes(exchange: &Exchange) -> bool {
    let json = exchange
        .content_type
        .as_deref()
        .is_some_and(|media| media.contains("json"))
        || exchange.json().is_ok_and(serde_json::Value::is_object);
    json && !matches!(exchange.status, 300..=399) && !is_missing_endpoint(exchange.status)
}
