//! The reason why there is no archive.

use std::{io, path::PathBuf};

/// The reason why there is no archive.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DistError {
    /// A program can't be started.
    #[error("{program} can't be started")]
    Start {
        /// The program.
        program: String,
        /// The system's error.
        source: io::Error,
    },
    /// A program failed.
    #[error("{program} ended with {status}")]
    Failed {
        /// The program and its arguments.
        program: String,
        /// Its exit status.
        status: std::process::ExitStatus,
    },
    /// The standard library of the target is not installed.
    #[error("Rust's standard library for {0} is not installed: rustup target add {0}")]
    NoTarget(String),
    /// The C compiler of the target is not installed.
    #[error(
        "C code for {0} needs musl-gcc, which is not installed: on Debian and Ubuntu, apt install musl-tools. \
         --target {1} builds programs that need the system's C library"
    )]
    NoCompiler(String, String),
    /// A file can't be read or written.
    #[error("{path}")]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A tool printed something unexpected.
    #[error("{0}")]
    Unexpected(String),
}
