//! What a gateway in front of the node needs: headers, certificate authorities and a client certificate.

use std::path::{Path, PathBuf};

use nodeproof_client::{BaseUrl, ClientOptions, transport::SecretHeaders};
use nodeproof_files::{header_option, read_text};
use nodeproof_primitives::redact::Secrets;

use super::config_file::ConfigFile;
use crate::{arguments::global::GlobalArgs, failure::Failure};

/// Maximum length of a file with a header's value or with certificates, in bytes.
const MAX_FILE: u64 = 1024 * 1024;

/// Rejects a header by its description and its value, before it is sent.
pub(super) type Check<'c> = &'c dyn Fn(&str, &str) -> Result<(), Failure>;

/// The headers and certificates for a node. `Debug` shows no secret.
#[derive(Debug, Default)]
pub(super) struct Access(ClientOptions);

impl Access {
    /// Reads what the command line and the configuration file have for the node at this URL.
    ///
    /// Headers and a client certificate of the file are only for the server of the file's `base_url`.
    pub(super) fn of(
        flags: &GlobalArgs,
        file: &ConfigFile,
        node: &BaseUrl,
        check: Check<'_>,
    ) -> Result<Self, Failure> {
        let mut access = Self::default();
        if is_server_of(file, node) {
            for header in &file.headers {
                access.add_header(header.expose(), &file.folder, check)?;
            }
        }
        for header in &flags.header {
            access.add_header(header.expose(), Path::new(""), check)?;
        }
        let own = |path: &PathBuf| file.folder.join(path);
        let authorities = flags.ca_file.clone();
        if let Some(path) = authorities.or_else(|| file.ca_file.as_ref().map(own)) {
            access.0.extra_roots_pem.push(pem(&path)?);
        }
        let certificate = flags.client_cert.clone().or_else(|| {
            let path = file.client_cert.as_ref().map(own)?;
            is_server_of(file, node).then_some(path)
        });
        if let Some(path) = certificate {
            access.0.client_certificate_pem = Some(pem(&path)?.into());
        }
        Ok(access)
    }

    fn add_header(&mut self, option: &str, folder: &Path, check: Check<'_>) -> Result<(), Failure> {
        let read = |path: &Path| read_text(&folder.join(path), MAX_FILE);
        let (name, value) = header_option(option, read).map_err(Failure::usage)?;
        check(&format!("the header \"{name}\""), &value)?;
        Ok(self.0.headers.add(&name, &value)?)
    }

    /// Returns the options of a client with everything.
    pub(super) fn options(self) -> ClientOptions {
        self.0
    }

    /// Returns a text without the values of the headers.
    pub(super) fn without_secrets(&self, text: &str) -> String {
        let mut secrets = Secrets::default();
        self.0.headers.add_to(&mut secrets);
        let redacted = secrets.redact(text, SecretHeaders::REDACTED);
        redacted.unwrap_or_else(|| text.to_owned())
    }
}

/// Whether the node is on the server of the file's `base_url`.
fn is_server_of(file: &ConfigFile, node: &BaseUrl) -> bool {
    let named: Option<BaseUrl> = file.base_url.as_ref().and_then(|url| url.parse().ok());
    named.is_some_and(|named| {
        // The node has the port of its network if the URL has none.
        let is_same_port = !named.has_port() || named.port() == node.port();
        let (named, node) = (named.as_ref(), node.as_ref());
        is_same_port && named.scheme() == node.scheme() && named.host() == node.host()
    })
}

fn pem(path: &Path) -> Result<Vec<u8>, Failure> {
    read_text(path, MAX_FILE)
        .map(String::into_bytes)
        .map_err(|error| {
            let path = path.display();
            Failure::usage(format!("the certificates in {path} can't be read: {error}"))
        })
}
