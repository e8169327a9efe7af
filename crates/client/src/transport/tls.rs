//! TLS through rustls and ring.

use std::{error::Error as StdError, io, sync::Arc};

use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, pem::PemObject as _},
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
    let mut config = if base.is_https() {
        let roots = options.extra_roots.iter().map(|der| der.clone().into());
        let roots = roots.chain(from_pem(&options.extra_roots_pem)?);
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
        // Redirects are not followed, so TLS is never used, and no file is read for it.
        builder.with_root_certificates(RootCertStore::empty())
    }
    .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

/// Returns whether the server responded to the TLS handshake with something other than TLS.
pub(super) fn is_without_tls(error: &(dyn StdError + 'static)) -> bool {
    if let Some(error) = error.downcast_ref::<rustls::Error>() {
        let other = rustls::Error::InvalidMessage(rustls::InvalidMessage::InvalidContentType);
        return *error == other;
    }
    // The source of an I/O error is that of the error inside it.
    match error.downcast_ref::<io::Error>().map(io::Error::get_ref) {
        Some(Some(inner)) => is_without_tls(inner),
        _ => error.source().is_some_and(is_without_tls),
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
