//! The expected results.

use std::process::Output;

use nodeproof_client::ErrorKind;
use serde_json::Value;

/// The expected result of each consumer with a server.
#[derive(Clone, Copy, Debug)]
pub struct Expected {
    /// `Client::block`.
    pub read: Client,
    /// `Client::submit`, on the same client after the read.
    pub submit: Client,
    /// A run of `nodeproof`.
    pub conformance: Conformance,
    /// Runs of `nodectl`.
    pub nodectl: Nodectl,
}

/// The result of a request of the client.
#[derive(Clone, Copy, Debug)]
pub enum Client {
    /// A response.
    Response,
    /// An error.
    Fails {
        /// Its kind.
        kind: ErrorKind,
        /// A part of its text.
        says: &'static str,
        /// Whether the request may have reached the node.
        maybe_sent: bool,
    },
    /// Either a response or an error of this kind, by chance. The request may have reached the node.
    MayFail {
        /// The error's kind.
        kind: ErrorKind,
        /// A part of its text.
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
    /// A part of the output.
    pub says: &'static str,
}

/// How `nodectl` ends. Each run is a separate process, as when users and scripts start it.
#[derive(Clone, Copy, Debug)]
pub struct Nodectl {
    /// `nodectl block`.
    pub read: Ended,
    /// `nodectl submit`, with a transaction that a good node takes.
    pub submit: Ended,
}

/// The end of a run of `nodectl`.
#[derive(Clone, Copy, Debug)]
pub struct Ended {
    /// The exit status.
    pub exit: u8,
    /// A part of its output: on standard output after success, otherwise on standard error.
    pub says: &'static str,
    /// Whether a transaction may have reached the node, as reported with `--json`.
    pub maybe_sent: bool,
}

/// The result of a request of the client, as its program reports it.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Seen {
    /// The kind of the error, as its `Debug` text, or `None` for a response.
    pub kind: Option<String>,
    /// The error's text.
    pub text: String,
    /// Whether the request may have reached the node.
    pub maybe_sent: bool,
}

impl Expected {
    /// Describes the mismatch in the output of the client's program.
    #[must_use]
    pub fn of_client(&self, printed: &[u8]) -> Vec<String> {
        let seen: Result<[Seen; 2], _> = serde_json::from_slice(printed);
        match seen {
            Ok([read, submit]) => [self.read.differs(&read), self.submit.differs(&submit)]
                .into_iter()
                .flatten()
                .collect(),
            Err(_) => vec![format!(
                "the client printed {:?}",
                String::from_utf8_lossy(printed)
            )],
        }
    }

    /// Describes the mismatch in the end of a conformance run or its output.
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
            format!("{exit:?} expected {expected:?}: {errors}{end}")
        })
    }
}

impl Client {
    /// Describes the mismatch in an actual result.
    #[must_use]
    pub fn differs(&self, seen: &Seen) -> Option<String> {
        let right = match self {
            Self::Response => seen.kind.is_none(),
            Self::Fails {
                kind,
                says,
                maybe_sent,
            } => {
                seen.kind.as_deref() == Some(&format!("{kind:?}"))
                    && seen.text.contains(says)
                    && seen.maybe_sent == *maybe_sent
            }
            Self::MayFail { kind, says } => {
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

    /// Returns the text of its cell in the table.
    #[must_use]
    pub fn cell(&self) -> String {
        match self {
            Self::Response => "a response".to_owned(),
            Self::Fails { kind, says, .. } => format!("{kind:?}: {says}"),
            Self::MayFail { kind, .. } => format!("a response, or {kind:?}"),
        }
    }
}

impl Ended {
    /// Describes the mismatch in a run without `--json`.
    #[must_use]
    pub fn differs(&self, output: &Output) -> Option<String> {
        let printed = match self.exit {
            0 => &output.stdout,
            _ => &output.stderr,
        };
        let right = self.has_status(output)
            && String::from_utf8_lossy(printed).contains(self.says)
            && (self.exit == 0 || output.stdout.is_empty());
        (!right).then(|| self.instead(output))
    }

    /// Describes the mismatch in a run with `--json`.
    ///
    /// After success, standard output is one document. Otherwise it is empty, and standard error
    /// has the error in one line. Every other line of standard error is a document too.
    #[must_use]
    pub fn differs_as_json(&self, output: &Output) -> Option<String> {
        let documents = |bytes: &[u8]| -> Option<Vec<Value>> {
            let lines = String::from_utf8(bytes.to_vec()).ok()?;
            let lines = lines.lines().map(serde_json::from_str::<Value>);
            lines.collect::<Result<_, _>>().ok()
        };
        let right = match (documents(&output.stdout), documents(&output.stderr)) {
            (Some(out), Some(errors)) => {
                let cell = errors.iter().find_map(|line| line.get("error"));
                self.has_status(output)
                    && match cell {
                        None => self.exit == 0 && out.len() == 1,
                        Some(error) => out.is_empty() && self.is_told(error),
                    }
            }
            _ => false,
        };
        (!right).then(|| format!("as JSON: {}", self.instead(output)))
    }

    fn is_told(&self, error: &Value) -> bool {
        let message = error.get("message").and_then(Value::as_str);
        error.get("status").and_then(Value::as_u64) == Some(self.exit.into())
            && error.get("maybe_sent").and_then(Value::as_bool) == Some(self.maybe_sent)
            && message.is_some_and(|message| message.contains(self.says))
    }

    fn has_status(&self, output: &Output) -> bool {
        output.status.code() == Some(self.exit.into())
    }

    fn instead(&self, output: &Output) -> String {
        let begin = |bytes: &[u8]| -> String {
            String::from_utf8_lossy(bytes).chars().take(1000).collect()
        };
        format!(
            "{:?} where {self:?} belongs: {:?} {:?}",
            output.status.code(),
            begin(&output.stderr),
            begin(&output.stdout)
        )
    }

    /// Returns the text of its cell in the table.
    #[must_use]
    pub fn cell(&self) -> String {
        let says: Vec<_> = self.says.split_whitespace().collect();
        format!("{}: {}", self.exit, says.join(" ").trim_end_matches(':'))
    }
}
