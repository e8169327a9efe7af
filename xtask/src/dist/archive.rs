//! The archive, and the checksums of all archives in a folder.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    path::Path,
};

use flate2::{Compression, write::GzEncoder};
use sha2::{Digest as _, Sha256};
use tar::{Builder, Header};

use super::{
    error::DistError,
    tools::{at, read},
};

/// A file in the archive.
pub(super) struct Entry {
    /// The path below the archive's folder.
    pub(super) path: String,
    bytes: Vec<u8>,
    mode: u32,
}

impl Entry {
    pub(super) fn file(path: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self {
            path: path.into(),
            bytes,
            mode: 0o644,
        }
    }

    pub(super) fn program(path: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self {
            path: path.into(),
            bytes,
            mode: 0o755,
        }
    }
}

/// Writes an archive whose files are all in one folder. It depends only on the files and the time.
pub(super) fn write_archive(
    path: &Path,
    folder: &str,
    entries: &[Entry],
    time: u64,
) -> Result<(), DistError> {
    let write = || -> io::Result<()> {
        let file = GzEncoder::new(File::create(path)?, Compression::default());
        let mut archive = Builder::new(file);
        for entry in entries {
            let mut header = Header::new_gnu();
            header.set_size(entry.bytes.len() as u64);
            header.set_mode(entry.mode);
            header.set_mtime(time);
            archive.append_data(
                &mut header,
                format!("{folder}/{}", entry.path),
                &entry.bytes[..],
            )?;
        }
        archive.into_inner()?.finish()?.flush()
    };
    write().map_err(at(path))
}

/// Returns the SHA-256 sums of all archives in a folder, in the form that `sha256sum --check` reads.
pub(super) fn checksums(folder: &Path) -> Result<String, DistError> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(at(folder))? {
        let name = entry.map_err(at(folder))?.file_name();
        let name = name.to_string_lossy().into_owned();
        if name.ends_with(".tar.gz") {
            names.push(name);
        }
    }
    names.sort();
    let mut sums = String::new();
    for name in names {
        let sum = Sha256::digest(read(&folder.join(&name))?);
        sums.push_str(&format!("{}  {name}\n", const_hex::encode(sum)));
    }
    Ok(sums)
}
