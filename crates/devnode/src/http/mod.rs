//! The HTTP layer: routes, requests and responses.

mod balances;
mod blocks;
mod body;
mod browser;
mod call;
mod contract_state;
mod docs;
mod fields;
mod outage;
mod query;
mod rate_limit;
mod response;
mod submit;
mod trust;

use std::sync::Arc;

use axum::{
    Router,
    extract::{Request, State},
    http::StatusCode,
    middleware::{self, Next},
    response::Response,
    routing::{get, post},
};

use crate::{
    InjectedFault, Node,
    edit::{Edit, edited},
};

pub(crate) use rate_limit::RateLimit;

/// Returns the node's endpoints, as an axum router over the node's state.
///
/// ```
/// use std::sync::Arc;
///
/// let node = Arc::new(nodeproof_devnode::Node::new(&nodeproof_devnode::Config::for_tests()));
/// let router: axum::Router = nodeproof_devnode::router(node);
/// ```
pub fn router(node: Arc<Node>) -> Router {
    let router = Router::new();
    #[cfg(feature = "swagger-ui")]
    let router = {
        use tower::ServiceExt as _;
        let files = docs::files().fallback(not_found);
        router.route(
            "/docs/{file}",
            get(|request: Request| files.oneshot(request)),
        )
    };
    let router = router
        .route("/get-block", get(blocks::get_block))
        .route("/get-balances", get(balances::get_balances))
        .route("/sc-state", get(contract_state::sc_state))
        .route(
            "/get-trustscore-wallets",
            get(trust::get_trustscore_wallets),
        )
        .route("/call-sc", post(call::call_sc))
        .route(submit::PATH, post(submit::submit_transaction))
        .route(submit::BATCH_PATH, post(submit::submit_transaction_batch))
        .route("/docs", get(docs::page))
        .route("/docs/", get(docs::page))
        .route("/openapi.yaml", get(docs::yaml))
        .route("/openapi.json", get(docs::json))
        .fallback(not_found)
        .method_not_allowed_fallback(|| async {
            response::detail(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed")
        })
        .with_state(Arc::clone(&node));
    let router = match node.later_fault().and_then(InjectedFault::edit) {
        Some(edit) => edited(router, from_its_block(edit, Arc::clone(&node))),
        None => router,
    };
    router
        .layer(middleware::from_fn_with_state(
            Arc::clone(&node),
            outage::apply,
        ))
        .layer(middleware::from_fn_with_state(
            Arc::clone(&node),
            browser::guard,
        ))
        .layer(middleware::from_fn_with_state(node, count))
}

/// Applies an edit only if the node has its fault already.
fn from_its_block(edit: Edit, node: Arc<Node>) -> Edit {
    match edit {
        Edit::Request(edit) => {
            Edit::request(move |request| node.fault().and_then(|_| edit(request)))
        }
        Edit::Response(edit) => Edit::response(move |request, response| match node.fault() {
            Some(_) => edit(request, response),
            None => response,
        }),
    }
}

async fn not_found() -> Response {
    response::detail(StatusCode::NOT_FOUND, "Not Found")
}

async fn count(State(node): State<Arc<Node>>, request: Request, next: Next) -> Response {
    node.count_request();
    next.run(request).await
}
