//! A node that behaves like an observed real node where that differs from the specification: the forms of
//! `--fault observed-forms`, and internal errors in place of refusals.
//!
//! The contents are those of a local node. Only forms and errors are observed.

use std::{io, sync::Arc};

use axum::http::StatusCode;
use nodeproof_devnode::{
    ChainTime, Config, InjectedFault, Node,
    edit::{Edit, Request, Response, edited},
};

use crate::server::Server;

/// Starts the node on a free port.
///
/// # Errors
/// When no port is free.
pub async fn spawn() -> io::Result<Server> {
    let config = Config::for_tests()
        .with_blocks(6)
        .with_time(ChainTime::FIXED)
        .with_fault(InjectedFault::ObservedForms);
    let node = nodeproof_devnode::router(Arc::new(Node::new(&config)));
    Server::spawn(edited(node, Edit::response(fails))).await
}

/// Fails for a submission or a table that it does not understand.
fn fails(request: &Request, response: Response) -> Response {
    let detail = match request.path.as_str() {
        "/submit-transaction-batch" => {
            return response.with_status(StatusCode::NOT_FOUND);
        }
        "/submit-transaction" if request.method == "POST" => {
            "Expecting value: line 1 column 1 (char 0)"
        }
        "/sc-state" if response.status == StatusCode::BAD_REQUEST => "no such table or column",
        _ => return response,
    };
    match response.status {
        StatusCode::OK => response,
        _ => Response::json(
            StatusCode::INTERNAL_SERVER_ERROR,
            format!(r#"{{"detail":"{detail}"}}"#),
        ),
    }
}
