//! The headers and certificates of the command line, and of the file of nodes.

use std::path::Path;

use nodeproof_files::{header_option, read_text};
use nodeproof_primitives::Hidden;

use super::{args::CheckArgs, error::UsageError};
use crate::http::{Access, Target};

/// Maximum length of a file with a header's value or with certificates, in bytes.
const MAX_ACCESS_FILE: u64 = 1024 * 1024;

/// Adds the headers and certificates of the command line. A header or a client certificate is for one
/// server: another one must not get them.
pub(super) fn add_access(args: &CheckArgs, targets: &mut [Target]) -> Result<(), UsageError> {
    let files = AccessFiles {
        authorities: args.ca_file.as_deref(),
        client_certificate: args.client_cert.as_deref(),
    };
    let given = access(&args.header, &files, Path::new(""))?;
    let origin = |target: &Target| target.base_url.as_ref().origin();
    let mut origins = targets.iter().map(origin);
    let first = origins.next();
    if given.has_secret() && origins.any(|other| Some(other) != first) {
        return Err(UsageError::SecretForSeveral);
    }
    for target in targets {
        target.access.add_all(&given);
        target.access.check(&target.base_url)?;
    }
    Ok(())
}

/// The PEM files that TLS needs.
#[derive(Default)]
pub(super) struct AccessFiles<'a> {
    pub(super) authorities: Option<&'a Path>,
    pub(super) client_certificate: Option<&'a Path>,
}

/// Reads headers and PEM files. Relative paths are relative to `folder`.
pub(super) fn access(
    headers: &[Hidden<String>],
    files: &AccessFiles<'_>,
    folder: &Path,
) -> Result<Access, UsageError> {
    let read = |path: &Path| read_text(&folder.join(path), MAX_ACCESS_FILE);
    let pem = |path: &Path| {
        read(path)
            .map_err(|error| UsageError::file("the certificates in {} can't be read", path, error))
    };
    let mut access = Access::default();
    for header in headers {
        let (name, value) = header_option(header.expose(), read)
            .map_err(|error| UsageError::Header(error.to_string()))?;
        access.add_header(&name, &value)?;
    }
    if let Some(path) = files.authorities {
        access.add_authorities(pem(path)?);
    }
    if let Some(path) = files.client_certificate {
        access.set_client_certificate(pem(path)?);
    }
    Ok(access)
}
