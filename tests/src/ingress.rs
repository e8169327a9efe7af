//! A gateway in front of a good node: it demands a header, and can demand TLS with a client certificate.

use std::{
    error::Error,
    io::{self, Write},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
};

use axum::{
    Router,
    http::{HeaderValue, StatusCode},
};
use nodeproof_devnode::{
    Handle,
    edit::{Edit, Response, edited},
};
use rcgen::{CertificateParams, ExtendedKeyUsagePurpose, Issuer, KeyPair};
use tempfile::NamedTempFile;
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        RootCertStore, ServerConfig,
        crypto::ring,
        pki_types::PrivatePkcs8KeyDer,
        server::{VerifierBuilderError, WebPkiClientVerifier},
    },
};

use crate::{
    hostile::{
        Certificate,
        certificates::{authority, changing},
        pem,
    },
    server::Server,
};

/// The name of the header that the gateway demands.
pub const HEADER: &str = "X-Gateway-Key";
/// The value of the header.
pub const SECRET: &str = "Bearer 5ec2e7Zq9xL4-5ec2e7Wv3";

type Failure = Box<dyn Error + Send + Sync>;

/// A running gateway.
#[derive(Debug)]
pub struct Ingress {
    /// Its base URL.
    pub base_url: String,
    tls: Option<TlsFiles>,
    refused: Arc<AtomicU32>,
    _server: Server,
}

/// PEM files for the clients of a gateway with TLS.
#[derive(Debug)]
struct TlsFiles {
    authority: NamedTempFile,
    client: NamedTempFile,
}

impl Ingress {
    /// Starts a gateway with plain HTTP. It fails at the path of one endpoint, and sends the header back.
    ///
    /// # Errors
    /// When no port is free.
    pub async fn plain(node: &Handle, echoes_at: Option<&'static str>) -> io::Result<Self> {
        let (router, refused) = router(node, echoes_at);
        let server = Server::spawn(router).await?;
        Ok(Self {
            base_url: server.base_url(),
            tls: None,
            refused,
            _server: server,
        })
    }

    /// Starts a gateway that demands TLS with a client certificate.
    ///
    /// # Errors
    /// When no port is free, or no certificate can be made.
    pub async fn tls(node: &Handle) -> Result<Self, Failure> {
        let (router, refused) = router(node, None);
        let (acceptor, files) = certificates()?;
        let server = Server::spawn_with_tls(router, acceptor).await?;
        Ok(Self {
            base_url: format!("https://{}", server.address),
            tls: Some(files),
            refused,
            _server: server,
        })
    }

    /// Starts a gateway without a demand, with TLS. From the first request for this path on, it
    /// shows another certificate, until a test restores the first one.
    ///
    /// # Errors
    /// When no port is free, or no certificate can be made.
    pub async fn changing(
        node: &Handle,
        fault: Certificate,
        path: &'static str,
    ) -> Result<(String, NamedTempFile, Server, Arc<AtomicBool>), Failure> {
        let (acceptor, authority, has_changed) = changing(Certificate::Good, fault)?;
        let switch = Arc::clone(&has_changed);
        let router = nodeproof_devnode::router(Arc::clone(node.node()));
        // Only a new connection shows the certificate.
        let router = edited(
            router,
            Edit::response(move |request, mut response| {
                if request.path == path {
                    switch.store(true, Ordering::SeqCst);
                }
                response
                    .headers
                    .insert("connection", HeaderValue::from_static("close"));
                response
            }),
        );
        let server = Server::spawn_with_tls(router, acceptor).await?;
        Ok((
            format!("https://{}", server.address),
            authority,
            server,
            has_changed,
        ))
    }

    /// Returns the number of requests without the header.
    #[must_use]
    pub fn refused(&self) -> u32 {
        self.refused.load(Ordering::SeqCst)
    }

    /// Returns the PEM files of the authority, and of the client's certificate and key.
    ///
    /// # Errors
    /// When the gateway is without TLS.
    pub fn files(&self) -> Result<(&Path, &Path), Failure> {
        let files = self.tls.as_ref().ok_or("a gateway without TLS")?;
        Ok((files.authority.path(), files.client.path()))
    }
}

fn router(node: &Handle, echoes_at: Option<&'static str>) -> (Router, Arc<AtomicU32>) {
    let refused = Arc::<AtomicU32>::default();
    let counted = Arc::clone(&refused);
    let gate = Edit::request(move |request| {
        if request
            .headers
            .get(HEADER)
            .is_none_or(|value| value != SECRET)
        {
            counted.fetch_add(1, Ordering::SeqCst);
            let text = r#"{"detail":"no key"}"#;
            return Some(Response::json(StatusCode::UNAUTHORIZED, text));
        }
        (echoes_at == Some(request.path.as_str())).then(|| {
            let text = format!(r#"{{"detail":"no upstream for {SECRET}"}}"#);
            Response::json(StatusCode::INTERNAL_SERVER_ERROR, text)
        })
    });
    let node = nodeproof_devnode::router(Arc::clone(node.node()));
    (edited(node, gate), refused)
}

/// Makes an authority, a server certificate for 127.0.0.1, and a client certificate.
fn certificates() -> Result<(TlsAcceptor, TlsFiles), Failure> {
    let (authority, authority_key, trusted) = authority()?;
    let issuer = Issuer::from_params(&authority, &authority_key);

    let server_key = KeyPair::generate()?;
    let server = CertificateParams::new(vec!["127.0.0.1".to_owned()])?;
    let server = server.signed_by(&server_key, &issuer)?;
    let client_key = KeyPair::generate()?;
    let mut client = CertificateParams::new(vec!["a client".to_owned()])?;
    client.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    let client = client.signed_by(&client_key, &issuer)?;

    let provider = Arc::new(ring::default_provider());
    let mut roots = RootCertStore::empty();
    roots.add(trusted.der().clone())?;
    let verifier =
        WebPkiClientVerifier::builder_with_provider(roots.into(), Arc::clone(&provider)).build();
    let verifier = verifier.map_err(|error: VerifierBuilderError| error.to_string())?;
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_client_cert_verifier(verifier)
        .with_single_cert(
            vec![server.der().clone()],
            PrivatePkcs8KeyDer::from(server_key.serialize_der()).into(),
        )?;
    let file = |parts: &[String]| -> io::Result<NamedTempFile> {
        let mut file = NamedTempFile::new()?;
        file.write_all(parts.concat().as_bytes())?;
        Ok(file)
    };
    let files = TlsFiles {
        authority: file(&[pem("CERTIFICATE", trusted.der())])?,
        client: file(&[
            pem("CERTIFICATE", client.der()),
            pem("PRIVATE KEY", &client_key.serialize_der()),
        ])?,
    };
    Ok((TlsAcceptor::from(Arc::new(config)), files))
}
