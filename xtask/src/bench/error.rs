//! The errors of a measurement.

/// The reason why something could not be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
    /// The program to measure does not exist.
    #[error(
        "there is no {0}: build it first, with cargo build --release -p nodeproof-conformance -p xtask"
    )]
    NoBinary(String),
    /// The local node did not start.
    #[error("the local node did not start: {0}")]
    Node(String),
    /// The program can't be started.
    #[error("{} can't be started", binary.display())]
    Start {
        /// The program.
        binary: std::path::PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A run did not end with exit status 0.
    #[error("a run against the local node ended with {0}, so its time means nothing")]
    Run(String),
    /// The report can't be read.
    #[error("the run's report can't be read")]
    Report(#[from] serde_json::Error),
    /// A request of the plain loop failed.
    #[error("the plain loop got no response from the local node: {0}")]
    Loop(String),
    /// No request arrived.
    #[error("nodeproof ended before it sent a request")]
    NoRequest,
    /// A program, a socket or a file failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}
