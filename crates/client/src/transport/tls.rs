//! TLS through rustls and ring.

use std::{error::Error as StdError, io, sync::Arc};

use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};
use rustls_platform_verifier::Verifier;

use super::options::TransportOptions;
use crate::{BaseUrl, Error};

/// Returns the TLS configuration for a node.
///
/// It names the provider and does not use the one of the process. So neither this crate nor its
/// users depend on which provider was installed first.
pub(super) fn config(base: &BaseUrl, options: &TransportOptions) -> Result<ClientConfig, Error> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|source| Error::configuration("TLS can't be set up", source))?;
    let builder = if base.is_https() {
        let roots = from_pem(&options.extra_roots_pem)?;
        check_file_of_system()?;
        let verifier = Verifier::new_with_extra_roots(roots, provider).map_err(|source| {
            Error::configuration(
                "TLS can't be set up: there are no usable certificate authorities; install the \
                 system's ca-certificates package, or set SSL_CERT_FILE",
                source,
            )
        })?;
        builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
    } else {
        // Redirects are not followed, so TLS is never used, and no file of the system is read for it.
        from_pem(&options.extra_roots_pem)?;
        builder.with_root_certificates(RootCertStore::empty())
    };
    let mut config = match &options.client_certificate_pem {
        None => builder.with_no_client_auth(),
        Some(_) if !base.is_https() => {
            return Err(Error::unusable(
                "a client certificate is used only with TLS: write https:// in the base URL",
            ));
        }
        Some(file) => {
            let (certificates, key) = identity(file.expose())?;
            builder
                .with_client_auth_cert(certificates, key)
                .map_err(|source| {
                    Error::configuration("the client certificate can't be used", source)
                })?
        }
    };
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

/// Checks the file with the system's certificate authorities, if the environment names one. A pipe may never be written to,
/// and a device may have no end.
fn check_file_of_system() -> Result<(), Error> {
    let named = std::env::var_os("SSL_CERT_FILE");
    match named.map(std::fs::metadata) {
        Some(Ok(about)) if !about.is_file() => Err(Error::unusable(
            "TLS can't be set up: the file that SSL_CERT_FILE names is not a regular file",
        )),
        _ => Ok(()),
    }
}

/// Returns advice about a handshake that failed.
pub(super) fn advice(error: &(dyn StdError + 'static)) -> Option<&'static str> {
    use rustls::{
        AlertDescription, CertificateError, Error as TlsError, InvalidMessage, PeerIncompatible,
    };

    if let Some(error) = error.downcast_ref::<TlsError>() {
        return match error {
            TlsError::InvalidMessage(InvalidMessage::InvalidContentType) => Some(
                "the server does not use TLS on this port: if it serves plain HTTP, write http:// in \
                 the base URL",
            ),
            TlsError::PeerIncompatible(PeerIncompatible::ServerDoesNotSupportTls12Or13)
            | TlsError::AlertReceived(AlertDescription::ProtocolVersion) => Some(
                "the server supports only outdated versions of TLS: expected TLS 1.2 or TLS 1.3",
            ),
            TlsError::InvalidCertificate(CertificateError::UnknownIssuer) => Some(
                "the server's certificate is of an authority that this machine does not know (UnknownIssuer): \
                 --ca-file, or extra_roots_pem in a program, adds the authority's certificate",
            ),
            _ => None,
        };
    }
    // The source of an I/O error is that of the error inside it.
    match error.downcast_ref::<io::Error>().map(io::Error::get_ref) {
        Some(Some(inner)) => advice(inner),
        _ => error.source().and_then(advice),
    }
}

/// Returns the certificates and the private key in a PEM file.
fn identity(file: &[u8]) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), Error> {
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(file).collect();
    let certificates = certificates.unwrap_or_default();
    // The cause can have parts of the key, so it is not shown.
    match PrivateKeyDer::from_pem_slice(file) {
        Ok(key) if !certificates.is_empty() => Ok((certificates, key)),
        _ => Err(Error::unusable(
            "the PEM file of the client certificate must have the certificate and its private key, \
             which is not encrypted: expected -----BEGIN CERTIFICATE----- and -----BEGIN PRIVATE \
             KEY-----",
        )),
    }
}

/// Returns the certificates in PEM files. Each file must have at least one.
fn from_pem(files: &[Vec<u8>]) -> Result<Vec<CertificateDer<'static>>, Error> {
    let mut all = Vec::new();
    for file in files {
        let before = all.len();
        for certificate in CertificateDer::pem_slice_iter(file) {
            let broken = |source| Error::configuration("a certificate is not PEM", source);
            all.push(certificate.map_err(broken)?);
        }
        if all.len() == before {
            return Err(Error::unusable(
                "a PEM file of certificate authorities has no certificate: expected \
                 -----BEGIN CERTIFICATE-----",
            ));
        }
    }
    Ok(all)
}
