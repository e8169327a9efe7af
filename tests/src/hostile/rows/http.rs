//! Faults of HTTP.

use std::{net::SocketAddr, time::Duration};

use nodeproof_client::ErrorKind::{Connection, Decode, Status};

use super::row::{
    TIMED_OUT, both, conforms, does_not_conform, doing, each, fails, good_documents, row, slow,
    unreachable,
};
use crate::hostile::{
    Client, Ended, Hostile, Start,
    front::{Act, Do, raw},
};

/// Acts in the same way on every request.
fn always(act: Act) -> Do {
    doing(move |_, _| act.clone())
}

/// Redirects every request.
fn redirect(to: &str) -> Do {
    let head =
        format!("HTTP/1.1 307 Temporary Redirect\r\nLocation: {to}\r\nContent-Length: 0\r\n");
    always(Act::send(raw(&head, b"")))
}

fn elsewhere(address: SocketAddr) -> Do {
    redirect(&format!("http://{address}/get-block"))
}

const NOT_A_NODE: &str = "is not a node";

/// The node was reached, and reports that it takes nothing.
const TAKES_NOTHING: Ended = Ended {
    exit: 3,
    says: "the node reports that it takes nothing now: try again later",
    maybe_sent: false,
};

pub(super) fn rows() -> Vec<Hostile> {
    vec![
        row(
            "not-http",
            "sends an SSH banner",
            Start::OnConnect(Act::close("SSH-2.0-OpenSSH_9.6\r\n")),
            both(
                fails(Connection, "the connection failed: "),
                unreachable("has no verdict: unreachable: "),
            ),
        ),
        row(
            "http-0.9",
            "sends only the body, as in HTTP/0.9",
            Start::Instead(|_| doing(|_, good| Act::close(good.body.clone()))),
            both(
                fails(Connection, "the connection failed: "),
                unreachable("invalid HTTP version parsed"),
            ),
        ),
        slow(
            "endless-1xx",
            "sends 100 Continue forever, as fast as it can",
            Start::Instead(|_| {
                let many = "HTTP/1.1 100 Continue\r\n\r\n".repeat(4_000);
                always(Act::endless("", many, Duration::ZERO))
            }),
            TIMED_OUT,
        ),
        row(
            "no-content",
            "responds to everything with 204 and no body",
            Start::Instead(|_| always(Act::send("HTTP/1.1 204 No Content\r\n\r\n"))),
            both(
                fails(Status, "204 No Content, where 200 with a"),
                unreachable(NOT_A_NODE),
            )
            .nodectl_reading(6, "204 No Content, where 200 with a"),
        ),
        row(
            "not-modified",
            "responds to everything with 304 and no body",
            Start::Instead(|_| always(Act::send("HTTP/1.1 304 Not Modified\r\n\r\n"))),
            both(
                fails(Status, "304 Not Modified, where 200 with a"),
                unreachable(NOT_A_NODE),
            ),
        ),
        row(
            "redirect-loop",
            "redirects every request to the same path",
            Start::Instead(|_| redirect("/get-block?block_index=1")),
            both(
                fails(
                    Status,
                    "a redirect to /get-block?block_index=1, which is not followed",
                ),
                unreachable(NOT_A_NODE),
            ),
        ),
        row(
            "redirect-to-host",
            "redirects to another host",
            Start::Instead(elsewhere),
            both(
                fails(Status, "which is not followed"),
                unreachable(NOT_A_NODE),
            ),
        ),
        row(
            "redirect-to-file",
            "redirects to a file",
            Start::Instead(|_| redirect("file:///etc/passwd")),
            both(
                fails(
                    Status,
                    "a redirect to file:///etc/passwd, which is not followed",
                ),
                unreachable("gave 307 to file:///etc/passwd"),
            ),
        ),
        row(
            "wrong-type",
            "sends JSON with Content-Type text/html",
            Start::Instead(|_| {
                good_documents(|good| {
                    let head = format!(
                        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n",
                        good.body.len()
                    );
                    Act::send(raw(&head, &good.body))
                })
            }),
            both(Client::Response, conforms("http/content-type")),
        ),
        row(
            "bad-chunks",
            "sends a chunked body with an invalid chunk size",
            Start::Instead(|_| {
                doing(|_, good| {
                    let head = format!("{}Transfer-Encoding: chunked\r\n", good.head);
                    Act::close(raw(&head, b"many\r\n{}\r\n"))
                })
            }),
            both(
                fails(Connection, "the connection failed: "),
                unreachable("Invalid chunk size line"),
            ),
        ),
        row(
            "two-lengths",
            "sends two different Content-Length headers",
            Start::Instead(|_| {
                doing(|_, good| {
                    let length = good.body.len();
                    let head = format!(
                        "{}Content-Length: {length}\r\nContent-Length: {}\r\n",
                        good.head,
                        length + 1
                    );
                    Act::send(raw(&head, &good.body))
                })
            }),
            both(
                fails(Connection, "the connection failed: "),
                unreachable("invalid content-length parsed"),
            ),
        ),
        row(
            "busy-429",
            "responds to everything with 429",
            Start::Instead(|_| {
                always(Act::send(
                    "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n",
                ))
            }),
            both(
                fails(Status, "429 Too Many Requests"),
                unreachable("the node stayed busy: 429"),
            )
            .nodectl_submitting(TAKES_NOTHING),
        ),
        row(
            "busy-503",
            "responds to everything with 503 and Retry-After: 1",
            Start::Instead(|_| {
                always(Act::send(
                    "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n",
                ))
            }),
            both(
                fails(Status, "503 Service Unavailable"),
                unreachable("the node stayed busy: 503"),
            ),
        ),
        row(
            "failing",
            "responds to everything with 500 and a message with control characters",
            Start::Instead(|_| {
                let detail = serde_json::json!({"detail": super::text::HOSTILE}).to_string();
                let head = format!(
                    "HTTP/1.1 500 Internal Server Error\r\nContent-Type: application/json\r\nContent-Length: {}\r\n",
                    detail.len()
                );
                always(Act::send(raw(&head, detail.as_bytes())))
            }),
            each(
                fails(Status, "500 Internal Server Error: \\u{1b}"),
                fails(Status, "500 Internal Server Error: \\u{1b}"),
                does_not_conform("get-block/responds"),
            ),
        ),
        row(
            "long-body",
            "sends a Content-Length shorter than the document",
            Start::Instead(|_| {
                good_documents(|good| Act::close(good.with_length(good.body.len() - 1)))
            }),
            both(
                fails(Decode, "EOF while parsing"),
                does_not_conform("get-block/responds"),
            ),
        ),
    ]
}
