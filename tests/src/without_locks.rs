//! A system whose file systems have no locks.

#![expect(clippy::expect_used, reason = "a test fails if its setup fails")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

const SOURCE: &str = "#include <errno.h>\n\
    int flock(int file, int operation) { errno = ENOTSUP; return -1; }\n";

/// Returns a library for `LD_PRELOAD`. A program with it can't lock a file.
///
/// # Panics
/// If there is no C compiler.
#[must_use]
pub fn library(folder: &Path) -> PathBuf {
    let (source, library) = (folder.join("preload.c"), folder.join("preload.so"));
    fs::write(&source, SOURCE).expect("a source file");
    let mut compiler = Command::new("cc");
    let compiler = compiler.args(["-shared", "-fPIC", "-o"]);
    let built = compiler.arg(&library).arg(source).status();
    assert!(built.expect("a C compiler").success());
    library
}
