//! Certificates for servers behind TLS, valid and invalid. Each server gets new ones.

use std::{
    error::Error,
    io::Write,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use base64::{Engine, engine::general_purpose::STANDARD};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    date_time_ymd,
};
use tempfile::NamedTempFile;
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::ring,
        pki_types::PrivatePkcs8KeyDer,
        server::{ClientHello, NoServerSessionStorage, ResolvesServerCert},
        sign::CertifiedKey,
    },
};

/// The fault of a certificate, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certificate {
    /// It has no fault.
    Good,
    /// It has expired.
    Expired,
    /// No authority signed it.
    SelfSigned,
    /// It belongs to another server.
    ForAnotherName,
}

type Failure = Box<dyn Error + Send + Sync>;

/// A server's end of TLS, and a file with the authority that a client should trust.
pub(super) type Tls = (TlsAcceptor, NamedTempFile);

/// Makes an authority: its parameters, its key and its own certificate.
pub(crate) fn authority() -> Result<(CertificateParams, KeyPair, rcgen::Certificate), rcgen::Error>
{
    let mut authority = CertificateParams::new(Vec::new())?;
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    let name = &mut authority.distinguished_name;
    name.push(DnType::CommonName, "an authority made for tests");
    let key = KeyPair::generate()?;
    let trusted = authority.self_signed(&key)?;
    Ok((authority, key, trusted))
}

/// Makes an authority, and a certificate for 127.0.0.1 with this fault.
pub(super) fn tls(fault: Certificate) -> Result<Tls, Failure> {
    let (acceptor, file, _) = changing(fault, fault)?;
    Ok((acceptor, file))
}

/// Makes an authority, and two certificates for 127.0.0.1. The second one is used once the switch is
/// on, for new connections. No session is resumed, so that each connection shows a certificate.
pub(crate) fn changing(
    first: Certificate,
    then: Certificate,
) -> Result<(TlsAcceptor, NamedTempFile, Arc<AtomicBool>), Failure> {
    let (authority, authority_key, trusted) = authority()?;
    let issuer = Issuer::from_params(&authority, &authority_key);
    let certificates = Certificates {
        first: Arc::new(certified(first, &issuer)?),
        then: Arc::new(certified(then, &issuer)?),
        has_changed: Arc::default(),
    };
    let switch = Arc::clone(&certificates.has_changed);
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(certificates));
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 0;
    let mut file = NamedTempFile::new()?;
    file.write_all(pem("CERTIFICATE", trusted.der()).as_bytes())?;
    Ok((TlsAcceptor::from(Arc::new(config)), file, switch))
}

/// Makes a server's certificate and its key.
fn certified(fault: Certificate, issuer: &Issuer<'_, &KeyPair>) -> Result<CertifiedKey, Failure> {
    let name = match fault {
        Certificate::ForAnotherName => "node.example.org",
        _ => "127.0.0.1",
    };
    let mut server = CertificateParams::new(vec![name.to_owned()])?;
    server.not_before = date_time_ymd(2020, 1, 1);
    server.not_after = match fault {
        Certificate::Expired => date_time_ymd(2021, 1, 1),
        _ => date_time_ymd(2999, 1, 1),
    };
    let key = KeyPair::generate()?;
    let certificate = match fault {
        Certificate::SelfSigned => server.self_signed(&key)?,
        _ => server.signed_by(&key, issuer)?,
    };
    let key = PrivatePkcs8KeyDer::from(key.serialize_der()).into();
    let key = ring::sign::any_supported_type(&key)?;
    Ok(CertifiedKey::new(vec![certificate.der().clone()], key))
}

/// A server's certificate, and the one that takes its place.
#[derive(Debug)]
struct Certificates {
    first: Arc<CertifiedKey>,
    then: Arc<CertifiedKey>,
    has_changed: Arc<AtomicBool>,
}

impl ResolvesServerCert for Certificates {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let has_changed = self.has_changed.load(Ordering::SeqCst);
        let certificate = if has_changed { &self.then } else { &self.first };
        Some(Arc::clone(certificate))
    }
}

/// Returns a document with this label in PEM.
pub(crate) fn pem(label: &str, der: &[u8]) -> String {
    let mut text = format!("-----BEGIN {label}-----\n");
    let digits = STANDARD.encode(der);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && at % 64 == 0 {
            text.push('\n');
        }
        text.push(digit);
    }
    text.push_str(&format!("\n-----END {label}-----\n"));
    text
}
