//! Builders for the rows of the list: expectations, and actions of the servers.

use std::sync::Arc;

use nodeproof_client::ErrorKind;

use crate::hostile::{
    Client, Conformance, Ended, Expected, Hostile, Nodectl, Start,
    front::{Act, Do, Good, Seen},
};

pub(super) fn row(
    name: &'static str,
    what: &'static str,
    start: Start,
    expected: Expected,
) -> Hostile {
    Hostile {
        name,
        what,
        start,
        short_timeout: false,
        jobs: 4,
        expected,
    }
}

/// Makes a row for a slow server. No consumer should wait long for it.
pub(super) fn slow(
    name: &'static str,
    what: &'static str,
    start: Start,
    expected: Expected,
) -> Hostile {
    Hostile {
        short_timeout: true,
        ..row(name, what, start, expected)
    }
}

/// Makes a row for a server that counts. Its requests should come one after the other.
pub(super) fn counting(
    name: &'static str,
    what: &'static str,
    start: Start,
    expected: Expected,
) -> Hostile {
    Hostile {
        jobs: 1,
        ..row(name, what, start, expected)
    }
}

/// A request that fails after it was sent, or during its response.
pub(super) const fn fails(kind: ErrorKind, says: &'static str) -> Client {
    Client::Fails {
        kind,
        says,
        maybe_sent: true,
    }
}

/// A request that fails before anything is sent.
pub(super) const fn unsent(kind: ErrorKind, says: &'static str) -> Client {
    Client::Fails {
        kind,
        says,
        maybe_sent: false,
    }
}

pub(super) const fn ends(exit: u8, verdict: &'static str, says: &'static str) -> Conformance {
    Conformance {
        exit,
        verdict,
        says,
    }
}

pub(super) const fn unreachable(says: &'static str) -> Conformance {
    ends(3, "unreachable", says)
}

pub(super) const fn does_not_conform(says: &'static str) -> Conformance {
    ends(1, "does-not-conform", says)
}

pub(super) const TIMED_OUT: Expected = both(
    fails(ErrorKind::Timeout, "no complete response in time"),
    unreachable("no complete response from"),
);
pub(super) const TOO_LARGE: Expected = both(
    fails(
        ErrorKind::BodyTooLarge,
        "the response is larger than 8388608 bytes",
    ),
    unreachable("longer than 8 MiB"),
);
pub(super) const CLOSED: Expected = both(
    fails(ErrorKind::Connection, "the connection failed: "),
    unreachable("closed the connection without a response to GET "),
);
pub(super) const RESET: Expected = both(
    fails(
        ErrorKind::Connection,
        "the connection failed: Connection reset by peer",
    ),
    unreachable("Connection reset by peer"),
);

pub(super) const CONFORMS: Conformance = ends(0, "conforms", "conforms");

/// The node conforms, but the output contains this text.
pub(super) const fn conforms(says: &'static str) -> Conformance {
    ends(0, "conforms", says)
}

/// The read and the submission have the same result.
pub(super) const fn both(client: Client, conformance: Conformance) -> Expected {
    each(client, client, conformance)
}

pub(super) const fn each(read: Client, submit: Client, conformance: Conformance) -> Expected {
    Expected {
        read,
        submit,
        conformance,
        nodectl: Nodectl {
            read: nodectl_reads(read),
            submit: nodectl_submits(submit),
        },
    }
}

/// Returns the result of `nodectl` for a result of the client's read. An unreadable response is the
/// node's fault (6). Every other error means that the node was not reached (3).
const fn nodectl_reads(client: Client) -> Ended {
    match client {
        Client::Response => ends_well("block           5"),
        Client::Fails { kind, says, .. } | Client::MayFail { kind, says } => Ended {
            exit: match kind {
                ErrorKind::Decode | ErrorKind::BodyTooLarge => 6,
                _ => 3,
            },
            says,
            maybe_sent: false,
        },
    }
}

/// Returns the same for a submission. If it may have arrived, it is not confirmed (5), whatever the error.
const fn nodectl_submits(client: Client) -> Ended {
    match client {
        // Each run is a new process, so it has no old connection that could break.
        Client::Response | Client::MayFail { .. } => ends_well("new          "),
        Client::Fails {
            says, maybe_sent, ..
        } => Ended {
            exit: if maybe_sent { 5 } else { 3 },
            says,
            maybe_sent,
        },
    }
}

pub(super) const fn ends_well(says: &'static str) -> Ended {
    Ended {
        exit: 0,
        says,
        maybe_sent: false,
    }
}

impl Expected {
    /// Sets the end of `nodectl block`, if it differs from that of the client's read.
    pub(super) const fn nodectl_reading(mut self, exit: u8, says: &'static str) -> Self {
        self.nodectl.read = Ended {
            exit,
            says,
            maybe_sent: false,
        };
        self
    }

    /// Sets the end of `nodectl submit`, if it differs from that of the client's submission.
    pub(super) const fn nodectl_submitting(mut self, submit: Ended) -> Self {
        self.nodectl.submit = submit;
        self
    }
}

pub(super) fn doing(act: impl Fn(&Seen, &Good) -> Act + Send + Sync + 'static) -> Do {
    Arc::new(act)
}

/// Changes a good node's responses with status 200, except its page.
pub(super) fn good_documents(change: impl Fn(&Good) -> Act + Send + Sync + 'static) -> Do {
    doing(move |seen, good| {
        if good.is_ok() && seen.path != "/docs" {
            change(good)
        } else {
            Act::Right
        }
    })
}
