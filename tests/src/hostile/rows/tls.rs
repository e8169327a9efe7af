//! Faults of TLS.

use nodeproof_client::ErrorKind::Connect;

use super::row::{CONFORMS, both, doing, fails, row, unreachable, unsent};
use crate::hostile::{Certificate, Client, Hostile, Start, front::Act};

pub(super) fn rows() -> Vec<Hostile> {
    let refused = |says| both(unsent(Connect, says), unreachable(says));
    vec![
        row(
            "expired",
            "has an expired certificate",
            Start::Tls(Certificate::Expired),
            refused("certificate expired"),
        ),
        row(
            "self-signed",
            "has a self-signed certificate",
            Start::Tls(Certificate::SelfSigned),
            refused("--ca-file, or extra_roots_pem"),
        ),
        row(
            "another-name",
            "has a certificate for another name",
            Start::Tls(Certificate::ForAnotherName),
            refused("certificate not valid for name"),
        ),
        row(
            "good-certificate",
            "has a valid certificate, as a control",
            Start::Tls(Certificate::Good),
            both(Client::Response, CONFORMS),
        ),
        row(
            "tls-only",
            "responds like a TLS server that receives plain HTTP",
            Start::Instead(|_| doing(|_, _| Act::close(&b"\x15\x03\x01\x00\x02\x02\x16"[..]))),
            both(
                fails(
                    nodeproof_client::ErrorKind::Connection,
                    "the connection failed: ",
                ),
                unreachable("invalid HTTP version parsed"),
            ),
        ),
    ]
}
