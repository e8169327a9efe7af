//! The programs that are run against hostile servers.

use std::{ffi::OsString, path::PathBuf, process::Command};

use super::{Hostile, Running};

/// A program that sends requests to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consumer {
    /// A request of the client, and a submission.
    Client,
    /// A run of `nodeproof`.
    Conformance,
    /// `nodectl`, with a different command each time.
    Nodectl,
}

/// How to start the programs: a program, and the start of its command line.
#[derive(Clone, Debug)]
pub struct Programs {
    /// Sends the client's requests.
    pub client: (PathBuf, Vec<OsString>),
    /// `nodeproof`.
    pub conformance: (PathBuf, Vec<OsString>),
    /// `nodectl`.
    pub nodectl: (PathBuf, Vec<OsString>),
    /// The program that measures others.
    pub measuring: PathBuf,
}

impl Programs {
    /// Uses `nodectl` as it is. The other programs are part of the program `hostile`.
    #[must_use]
    pub fn out_of(hostile: PathBuf, nodectl: PathBuf) -> Self {
        Self {
            client: (hostile.clone(), vec!["client".into()]),
            conformance: (hostile.clone(), vec!["conformance".into()]),
            nodectl: (nodectl, Vec::new()),
            measuring: hostile,
        }
    }

    /// Returns the command of a consumer for a server.
    #[must_use]
    pub fn command(&self, consumer: Consumer, hostile: &Hostile, server: &Running) -> Command {
        let (program, first) = match consumer {
            Consumer::Client => &self.client,
            Consumer::Conformance => &self.conformance,
            Consumer::Nodectl => &self.nodectl,
        };
        let mut command = Command::new(program);
        command.args(first).args(["--base-url", &server.base_url]);
        // One in 600 requests over a connection that is closed at once waits for its time limit, and is sent again then.
        let patience = match consumer {
            _ if hostile.short_timeout => "0.5",
            Consumer::Conformance => "20",
            Consumer::Client | Consumer::Nodectl => "120",
        };
        command.args(["--request-timeout", patience]);
        if consumer == Consumer::Conformance {
            command.args(["--network", "devnet", "--deadline", "60", "--jobs"]);
            command.arg(hostile.jobs.to_string());
        }
        if consumer == Consumer::Nodectl {
            command.args(["--network", "devnet"]);
            // The programs must not read the settings of the user who runs the tests.
            for name in ["HOME", "XDG_CONFIG_HOME"] {
                command.env(name, server.home());
            }
            for name in ["NODECTL_CONFIG", "NODECTL_MAX_BODY"] {
                command.env_remove(name);
            }
        }
        // Servers without their own authority use the machine's, but the machine may have none.
        if let Some(roots) = server.roots() {
            command.env("SSL_CERT_FILE", roots);
        }
        command.env_remove("SSL_CERT_DIR");
        command
    }
}
