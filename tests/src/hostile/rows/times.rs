//! Faults that come and go over time.

use nodeproof_client::ErrorKind::Connection;

use super::row::{CONFORMS, both, conforms, counting, doing, each, row, unreachable};
use crate::hostile::{
    Client, Hostile, Start,
    front::{Act, raw},
};

/// The number of responses before a node restarts or disappears.
const BEFORE: usize = 20;
/// The number of requests during a restart.
const MEANWHILE: usize = 36;

pub(super) fn rows() -> Vec<Hostile> {
    vec![
        counting(
            "each-tenth-reset",
            "resets the connection at every tenth request",
            Start::Instead(|_| {
                doing(|seen, _| match seen.place % 10 {
                    0 => Act::reset(""),
                    _ => Act::Right,
                })
            }),
            both(Client::Response, CONFORMS),
        ),
        counting(
            "each-tenth-500",
            "responds to every tenth request with 500",
            Start::Instead(|_| {
                doing(|seen, _| match seen.place % 10 {
                    0 => Act::send(raw(
                        "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n",
                        b"",
                    )),
                    _ => Act::Right,
                })
            }),
            both(Client::Response, conforms("http/no-retries")),
        ),
        row(
            "closed-when-reused",
            "resets a connection when it is reused",
            Start::Instead(|_| {
                doing(|seen, _| match seen.on_connection {
                    1 => Act::Right,
                    _ => Act::reset(""),
                })
            }),
            each(
                Client::Response,
                // The connection may also not be back in time for reuse.
                Client::MayFail {
                    kind: Connection,
                    says: "the connection failed: ",
                },
                CONFORMS,
            ),
        ),
        row(
            "closed-after-response",
            "closes each connection after its response, without `Connection: close`",
            Start::Instead(|_| doing(|_, good| Act::close(good.whole()))),
            each(
                Client::Response,
                // It is a race whether the end of a connection is noticed before its reuse.
                Client::MayFail {
                    kind: Connection,
                    says: "the connection failed: ",
                },
                CONFORMS,
            ),
        ),
        row(
            "restart",
            "restarts in the middle of a run",
            Start::Instead(|_| {
                doing(|seen, _| {
                    if (BEFORE..BEFORE + MEANWHILE).contains(&seen.place) {
                        Act::reset("")
                    } else {
                        Act::Right
                    }
                })
            }),
            both(
                Client::Response,
                unreachable("some requests had no response"),
            ),
        ),
        row(
            "lost",
            "goes down in the middle of a run",
            Start::Instead(|_| {
                doing(|seen, _| match seen.place {
                    ..=BEFORE => Act::Right,
                    _ => Act::Gone,
                })
            }),
            both(
                Client::Response,
                unreachable("the node was lost during the run"),
            ),
        ),
    ]
}
