//! What a row of the list is made of: its expectations, and the deeds of its server.

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
        impatient: false,
        jobs: 4,
        expected,
    }
}

/// A server that keeps everybody waiting, whom nobody should wait for long.
pub(super) fn slow(
    name: &'static str,
    what: &'static str,
    start: Start,
    expected: Expected,
) -> Hostile {
    Hostile {
        impatient: true,
        ..row(name, what, start, expected)
    }
}

/// A server that counts, so that its requests had better come one after the other.
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

/// A call that fails behind its answer's first byte, or at least behind the request's last.
pub(super) const fn fails(kind: ErrorKind, says: &'static str) -> Client {
    Client::Fails {
        kind,
        says,
        maybe_sent: true,
    }
}

/// A call that fails before anything is sent.
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

pub(super) const fn departs(says: &'static str) -> Conformance {
    ends(1, "departs", says)
}

pub(super) const CONFORMS: Conformance = ends(0, "conforms", "conforms");

/// It conforms, and something is said about it all the same.
pub(super) const fn conforms(says: &'static str) -> Conformance {
    ends(0, "conforms", says)
}

/// The call and the submission come to the same.
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

/// What `nodectl` makes of a call that the client ends so: an answer that can't be read is the
/// node's (6), and everything else means that it was not reached (3).
const fn nodectl_reads(client: Client) -> Ended {
    match client {
        Client::Answer => ends_well("block           5"),
        Client::Fails { kind, says, .. } | Client::Perhaps { kind, says } => Ended {
            exit: match kind {
                ErrorKind::Decode | ErrorKind::BodyTooLarge => 6,
                _ => 3,
            },
            says,
            maybe_sent: false,
        },
    }
}

/// The same of a submission: what may have arrived is not confirmed (5), whatever went wrong.
const fn nodectl_submits(client: Client) -> Ended {
    match client {
        // A run is a process, and has no connection from before that could break.
        Client::Answer | Client::Perhaps { .. } => ends_well("new          "),
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
    /// Where `nodectl block` does not end as the client's call does.
    pub(super) const fn nodectl_reading(mut self, exit: u8, says: &'static str) -> Self {
        self.nodectl.read = Ended {
            exit,
            says,
            maybe_sent: false,
        };
        self
    }

    /// Where `nodectl submit` does not end as the client's submission does.
    pub(super) const fn nodectl_submitting(mut self, submit: Ended) -> Self {
        self.nodectl.submit = submit;
        self
    }
}

pub(super) fn doing(act: impl Fn(&Seen, &Good) -> Act + Send + Sync + 'static) -> Do {
    Arc::new(act)
}

/// Changes what a good node answers with status 200, but for its page.
pub(super) fn good_documents(change: impl Fn(&Good) -> Act + Send + Sync + 'static) -> Do {
    doing(move |seen, good| {
        if good.is_ok() && seen.path != "/docs" {
            change(good)
        } else {
            Act::Right
        }
    })
}
