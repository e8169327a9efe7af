//! The table: faults during transfer, and how a run must end.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use integration_tests::hostile::front::{Act, Do, Good, Seen, raw};
use nodeproof_conformance::report::Verdict;

pub(crate) const TRUST: &str = "/get-trustscore-wallets";
const RESPONDS: &[&str] = &["get-trustscore-wallets/responds"];

/// An action on requests, and the cases that it concerns.
pub(crate) struct Fault {
    pub(crate) act: Do,
    /// The start of the IDs of the cases that it concerns. An empty text means all cases.
    pub(crate) about: &'static str,
}

/// One row of the table.
pub(crate) struct Hostile {
    pub(crate) name: &'static str,
    pub(crate) fault: Fault,
    pub(crate) ends: Ends,
    /// Whether the run should wait for a response only briefly.
    pub(crate) short_timeout: bool,
    pub(crate) jobs: usize,
}

/// How a run must end.
#[derive(Clone, Copy)]
pub(crate) enum Ends {
    /// Exit status 3 without a mismatch.
    Unreachable,
    /// Exit status 1, with exactly these failed cases.
    DoesNotConform(&'static [&'static str]),
    /// Exit status 0, with exactly these warnings.
    Warns(&'static [&'static str]),
    /// Exit status 0, and every case passes.
    Passes,
}

impl Ends {
    pub(crate) fn failed(self) -> &'static [&'static str] {
        match self {
            Self::DoesNotConform(cases) | Self::Warns(cases) => cases,
            _ => &[],
        }
    }

    pub(crate) const fn verdict(self) -> (u8, Verdict, &'static str) {
        match self {
            Self::Unreachable => (3, Verdict::Unreachable, "unreachable"),
            Self::DoesNotConform(_) => (1, Verdict::DoesNotConform, "does-not-conform"),
            Self::Warns(_) | Self::Passes => (0, Verdict::Conforms, "conforms"),
        }
    }
}

/// Applies an action to every request.
pub(crate) fn always(act: impl Fn(&Seen, &Good) -> Act + Send + Sync + 'static) -> Fault {
    let act = Arc::new(act);
    Fault { act, about: "" }
}

/// Applies an action to the successful requests for trust scores.
fn trust(act: impl Fn(&Good) -> Act + Send + Sync + 'static) -> Fault {
    let fault = always(move |seen, good| {
        if seen.path == TRUST && good.head.starts_with("HTTP/1.1 200") {
            act(good)
        } else {
            Act::Right
        }
    });
    Fault {
        about: "get-trustscore-wallets/",
        ..fault
    }
}

/// Replaces the number in the good body with another text.
fn score(text: &'static str) -> Fault {
    trust(move |good| {
        let body = good.text();
        let (before, after) = body.split_once("\"trust_score\":").expect("a score");
        let rest = after.trim_start_matches(|c: char| c.is_ascii_digit() || c == '-' || c == '.');
        Act::send(good.changed(format!("{before}\"trust_score\":{text}{rest}")))
    })
}

fn patient(name: &'static str, fault: Fault, ends: Ends) -> Hostile {
    Hostile {
        name,
        fault,
        ends,
        short_timeout: false,
        jobs: 4,
    }
}

fn short_timeout(name: &'static str, fault: Fault, ends: Ends) -> Hostile {
    Hostile {
        short_timeout: true,
        // These runs only wait for timeouts, so many cases can wait at the same time.
        jobs: 16,
        ..patient(name, fault, ends)
    }
}

/// Sends one request after the other, so that the fault's count does not depend on scheduling.
fn in_turn(name: &'static str, fault: Fault, ends: Ends) -> Hostile {
    Hostile {
        jobs: 1,
        ..patient(name, fault, ends)
    }
}

const JSON: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

#[expect(clippy::too_many_lines, reason = "a table")]
pub(crate) fn hostile(elsewhere: SocketAddr) -> Vec<Hostile> {
    use Ends::{DoesNotConform, Passes, Unreachable, Warns};
    vec![
        patient(
            "one endpoint resets the connection in the middle of a body",
            trust(|good| {
                let whole = good.whole();
                Act::reset(whole[..whole.len() - good.body.len() / 2].to_vec())
            }),
            Unreachable,
        ),
        patient(
            "every endpoint resets the connection in the middle of a body",
            always(|_, good| {
                let whole = good.whole();
                Act::reset(whole[..whole.len() - good.body.len() / 2].to_vec())
            }),
            Unreachable,
        ),
        patient(
            "a body is shorter than its Content-Length",
            trust(|good| Act::close(good.with_length(good.body.len() + 10))),
            Unreachable,
        ),
        patient(
            "the Content-Length is shorter than the document",
            trust(|good| Act::close(good.with_length(good.body.len() - 1))),
            DoesNotConform(RESPONDS),
        ),
        patient(
            "extra bytes follow a complete body, and the connection closes",
            trust(|good| Act::close([good.whole(), b"more".to_vec()].concat())),
            Passes,
        ),
        short_timeout(
            "one endpoint never responds",
            trust(|_| Act::Silence),
            Unreachable,
        ),
        short_timeout(
            "no endpoint ever responds",
            always(|_, _| Act::Silence),
            Unreachable,
        ),
        short_timeout(
            "one endpoint sends one byte every 50 ms",
            trust(|good| {
                let head = format!("{}Content-Length: 100000\r\n\r\n", good.head).into_bytes();
                Act::endless(head, b" ".to_vec(), Duration::from_millis(50))
            }),
            Unreachable,
        ),
        short_timeout(
            "one endpoint sends 100 Continue forever",
            trust(|_| {
                Act::endless(
                    Vec::new(),
                    b"HTTP/1.1 100 Continue\r\n\r\n".to_vec(),
                    Duration::from_millis(5),
                )
            }),
            Unreachable,
        ),
        patient(
            "one endpoint sends only a body, as in HTTP/0.9",
            trust(|good| Act::close(good.body.clone())),
            Unreachable,
        ),
        patient(
            "every endpoint sends only a body, as in HTTP/0.9",
            always(|_, good| Act::close(good.body.clone())),
            Unreachable,
        ),
        patient(
            "one endpoint sends an invalid status line",
            trust(|good| Act::close(raw("HTTP/1.1 two hundred\r\n", &good.body))),
            Unreachable,
        ),
        patient(
            "one endpoint sends endless headers",
            trust(|good| {
                Act::endless(
                    good.head.clone().into_bytes(),
                    b"X-More: and more\r\n".repeat(1000),
                    Duration::ZERO,
                )
            }),
            Unreachable,
        ),
        patient(
            "one endpoint sends an endless body",
            trust(|good| {
                let head = format!("{}Transfer-Encoding: chunked\r\n\r\n", good.head).into_bytes();
                let chunk = [b"80000\r\n".to_vec(), vec![b' '; 0x80000], b"\r\n".to_vec()].concat();
                Act::endless(head, chunk, Duration::ZERO)
            }),
            Unreachable,
        ),
        patient(
            "one endpoint sends an invalid chunk size",
            trust(|good| {
                Act::close(raw(
                    &format!("{}Transfer-Encoding: chunked\r\n", good.head),
                    b"many\r\n{}\r\n",
                ))
            }),
            Unreachable,
        ),
        patient(
            "one endpoint redirects to itself",
            trust(|_| {
                let head =
                    format!("HTTP/1.1 302 Found\r\nLocation: {TRUST}\r\nContent-Length: 0\r\n");
                Act::send(raw(&head, b""))
            }),
            DoesNotConform(RESPONDS),
        ),
        patient(
            "one endpoint redirects to another host",
            trust(move |_| {
                let head = format!(
                    "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://{elsewhere}/\r\nContent-Length: 0\r\n"
                );
                Act::send(raw(&head, b""))
            }),
            DoesNotConform(RESPONDS),
        ),
        patient(
            "every endpoint redirects to another host",
            always(move |_, _| {
                let head = format!(
                    "HTTP/1.1 302 Found\r\nLocation: http://{elsewhere}/\r\nContent-Length: 0\r\n"
                );
                Act::send(raw(&head, b""))
            }),
            Unreachable,
        ),
        patient(
            "one endpoint responds with 204 and no body",
            trust(|_| Act::send(raw("HTTP/1.1 204 No Content\r\n", b""))),
            DoesNotConform(RESPONDS),
        ),
        patient(
            "one endpoint responds with 304 and no body",
            trust(|_| Act::send(raw("HTTP/1.1 304 Not Modified\r\n", b""))),
            DoesNotConform(RESPONDS),
        ),
        patient(
            "one endpoint sends JSON with Content-Type text/html",
            trust(|good| {
                let head = format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n",
                    good.body.len()
                );
                Act::send(raw(&head, &good.body))
            }),
            Warns(&["http/content-type"]),
        ),
        patient(
            "one endpoint labels an uncompressed body as gzip",
            trust(|good| {
                let head = format!(
                    "{JSON}Content-Encoding: gzip\r\nContent-Length: {}\r\n",
                    good.body.len()
                );
                Act::send(raw(&head, &good.body))
            }),
            DoesNotConform(RESPONDS),
        ),
        patient(
            "a body has a byte order mark",
            trust(|good| Act::send(good.changed(format!("\u{feff}{}", good.text())))),
            DoesNotConform(RESPONDS),
        ),
        patient(
            "a body is encoded in Latin-1",
            trust(|good| {
                let text = good.text();
                let body = [&text.as_bytes()[..text.len() - 1], b",\"note\":\"\xe9\"}"].concat();
                Act::send(good.changed(body))
            }),
            DoesNotConform(RESPONDS),
        ),
        patient("a number is NaN", score("NaN"), DoesNotConform(RESPONDS)),
        patient(
            "an object has a duplicate member",
            score("1,\"trust_score\":1"),
            DoesNotConform(RESPONDS),
        ),
        patient(
            "extra data follows the JSON document",
            trust(|good| Act::send(good.changed(format!("{} {{}}", good.text())))),
            DoesNotConform(RESPONDS),
        ),
        patient(
            "a body is empty",
            trust(|good| Act::send(good.changed(""))),
            DoesNotConform(RESPONDS),
        ),
        patient(
            "every response is 429",
            always(|_, _| {
                Act::send(raw(
                    "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 0\r\nContent-Length: 0\r\n",
                    b"",
                ))
            }),
            Unreachable,
        ),
        patient(
            "every response is 503 with Retry-After",
            always(|_, _| {
                Act::send(raw(
                    "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n",
                    b"",
                ))
            }),
            Unreachable,
        ),
        in_turn(
            "the connection of every tenth request is reset",
            always(|seen, _| {
                if seen.place.is_multiple_of(10) {
                    Act::reset(Vec::new())
                } else {
                    Act::Right
                }
            }),
            Passes,
        ),
        in_turn(
            "every tenth response is 500",
            always(|seen, _| {
                if seen.place.is_multiple_of(10) {
                    Act::send(raw(
                        "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n",
                        b"",
                    ))
                } else {
                    Act::Right
                }
            }),
            Warns(&["http/no-retries"]),
        ),
        in_turn(
            "every third response is 429",
            always(|seen, _| {
                if seen.place.is_multiple_of(3) {
                    Act::send(raw(
                        "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 0\r\nContent-Length: 0\r\n",
                        b"",
                    ))
                } else {
                    Act::Right
                }
            }),
            Passes,
        ),
        patient(
            "a connection is reset when it is reused",
            always(|seen, _| {
                if seen.on_connection > 1 {
                    Act::reset(Vec::new())
                } else {
                    Act::Right
                }
            }),
            Passes,
        ),
        patient(
            "every connection closes after its response, without `Connection: close`",
            always(|_, good| Act::close(good.whole())),
            Passes,
        ),
        patient(
            "the node resets every connection after 40 requests",
            always(|seen, _| {
                if seen.place > 40 {
                    Act::Gone
                } else {
                    Act::Right
                }
            }),
            Unreachable,
        ),
    ]
}
