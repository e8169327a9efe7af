//! What has to come of it.

use std::process::Output;

use node_client::ErrorKind;

/// What each consumer has to make of a server.
#[derive(Clone, Copy, Debug)]
pub struct Expected {
    /// `Client::block`.
    pub read: Client,
    /// `Client::submit`, on the same client behind it.
    pub submit: Client,
    /// A run of `node-conformance`.
    pub conformance: Conformance,
}

/// What a call of the client hands back.
#[derive(Clone, Copy, Debug)]
pub enum Client {
    /// An answer.
    Answer,
    /// An error.
    Fails {
        /// Its kind.
        kind: ErrorKind,
        /// What its text contains.
        says: &'static str,
        /// Whether the request may have reached the node.
        maybe_sent: bool,
    },
    /// An answer, or an error of that kind, as it happens; the request may have reached the node.
    Perhaps {
        /// The error's kind.
        kind: ErrorKind,
        /// What its text contains.
        says: &'static str,
    },
}

/// How a conformance run ends.
#[derive(Clone, Copy, Debug)]
pub struct Conformance {
    /// The exit status.
    pub exit: u8,
    /// The verdict in the report.
    pub verdict: &'static str,
    /// What is printed, among other things.
    pub says: &'static str,
}

/// What a call of the client came to, as told by the program that made it.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Seen {
    /// The kind of the error, as its `Debug` text; none for an answer.
    pub kind: Option<String>,
    /// The error's text.
    pub text: String,
    /// Whether the request may have reached the node.
    pub maybe_sent: bool,
}

impl Expected {
    /// What is wrong with what the client's program printed.
    #[must_use]
    pub fn of_client(&self, printed: &[u8]) -> Vec<String> {
        let seen: Result<[Seen; 2], _> = serde_json::from_slice(printed);
        match seen {
            Ok([read, submit]) => [self.read.differs(&read), self.submit.differs(&submit)]
                .into_iter()
                .flatten()
                .collect(),
            Err(_) => vec![format!(
                "the client told {:?}",
                String::from_utf8_lossy(printed)
            )],
        }
    }

    /// What is wrong with how a conformance run ended, and what it printed.
    #[must_use]
    pub fn of_conformance(&self, output: &Output) -> Option<String> {
        let expected = &self.conformance;
        let printed = String::from_utf8_lossy(&output.stdout);
        let exit = output.status.code();
        let right = exit == Some(expected.exit.into()) && printed.contains(expected.says);
        (!right).then(|| {
            let end: Vec<_> = printed.lines().rev().take(12).collect();
            let end = end.into_iter().rev().collect::<Vec<_>>().join("\n");
            let errors = String::from_utf8_lossy(&output.stderr);
            format!("{exit:?} where {expected:?} belongs: {errors}{end}")
        })
    }
}

impl Client {
    /// What is wrong with what was seen.
    #[must_use]
    pub fn differs(&self, seen: &Seen) -> Option<String> {
        let right = match self {
            Self::Answer => seen.kind.is_none(),
            Self::Fails {
                kind,
                says,
                maybe_sent,
            } => {
                seen.kind.as_deref() == Some(&format!("{kind:?}"))
                    && seen.text.contains(says)
                    && seen.maybe_sent == *maybe_sent
            }
            Self::Perhaps { kind, says } => {
                let fails = Self::Fails {
                    kind: *kind,
                    says,
                    maybe_sent: true,
                };
                seen.kind.is_none() || fails.differs(seen).is_none()
            }
        };
        (!right).then(|| format!("{seen:?} where {self:?} belongs"))
    }

    /// As a cell of the table.
    #[must_use]
    pub fn told(&self) -> String {
        match self {
            Self::Answer => "an answer".to_owned(),
            Self::Fails { kind, says, .. } => format!("{kind:?}: {says}"),
            Self::Perhaps { kind, .. } => format!("an answer, or {kind:?}"),
        }
    }
}
