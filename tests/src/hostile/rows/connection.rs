//! Faults of the connection.

use std::time::Duration;

use nodeproof_client::ErrorKind::{Connect, Connection};

use super::row::{
    CLOSED, RESET, TIMED_OUT, TOO_LARGE, both, doing, fails, row, slow, unreachable, unsent,
};
use crate::hostile::{
    Hostile, Start,
    front::{Act, raw},
};

const A_SECOND: Duration = Duration::from_secs(1);

pub(super) fn rows() -> Vec<Hostile> {
    vec![
        row(
            "not-listening",
            "is not listening",
            Start::NotListening,
            both(
                unsent(Connect, "can't connect: Connection refused"),
                unreachable("Connection refused"),
            ),
        ),
        slow(
            "no-response",
            "accepts connections and never responds",
            Start::OnConnect(Act::Silence),
            TIMED_OUT,
        ),
        row(
            "closed-at-once",
            "closes each connection as soon as it is established",
            Start::OnConnect(Act::close("")),
            CLOSED,
        ),
        row(
            "reset",
            "resets the connection instead of responding",
            Start::Instead(|_| doing(|_, _| Act::reset(""))),
            CLOSED,
        ),
        slow(
            "slow-head",
            "sends one byte of the response per second",
            Start::Instead(|_| doing(|_, good| Act::slowly("", good.whole(), A_SECOND))),
            TIMED_OUT,
        ),
        slow(
            "slow-body",
            "sends the headers at once, and one byte of the body per second",
            Start::Instead(|_| {
                doing(|_, good| {
                    let head = good.with_length(good.body.len());
                    let first = head.len() - good.body.len();
                    Act::slowly(head[..first].to_vec(), good.body.clone(), A_SECOND)
                })
            }),
            TIMED_OUT,
        ),
        row(
            "reset-head",
            "resets the connection in the middle of the headers",
            Start::Instead(|_| doing(|_, _| Act::reset("HTTP/1.1 200 OK\r\nContent-Ty"))),
            RESET,
        ),
        row(
            "reset-body",
            "resets the connection in the middle of the body",
            Start::Instead(|_| {
                doing(|_, good| {
                    let whole = good.whole();
                    Act::reset(whole[..whole.len() - good.body.len() / 2].to_vec())
                })
            }),
            RESET,
        ),
        row(
            "short-body",
            "closes the connection before the end of the Content-Length",
            Start::Instead(|_| doing(|_, good| Act::close(good.with_length(good.body.len() + 10)))),
            both(
                fails(Connection, "the connection failed: "),
                unreachable("end of file before message length reached"),
            ),
        ),
        row(
            "endless-body",
            "sends an endless body",
            Start::Instead(|_| {
                doing(|_, _| {
                    let head = raw(
                        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n",
                        b"[",
                    );
                    Act::endless(head, vec![b' '; 65_536], Duration::ZERO)
                })
            }),
            TOO_LARGE,
        ),
        row(
            "endless-headers",
            "sends endless headers",
            Start::Instead(|_| {
                doing(|_, _| {
                    Act::endless(
                        "HTTP/1.1 200 OK\r\n",
                        "X-More: and more\r\n".repeat(1000),
                        Duration::ZERO,
                    )
                })
            }),
            both(
                fails(Connection, "the connection failed: "),
                unreachable("message head is too large"),
            ),
        ),
    ]
}
