//! A gateway in front of a good node: it demands a header, and can demand TLS with a client certificate.

use std::{
    error::Error,
    io::{self, Write},
    net::SocketAddr,
    path::Path,
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    http::{self, StatusCode},
    serve::Listener,
};
use nodeproof_devnode::Handle;
use rcgen::{CertificateParams, ExtendedKeyUsagePurpose, Issuer, KeyPair};
use tempfile::NamedTempFile;
use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        RootCertStore, ServerConfig,
        crypto::ring,
        pki_types::PrivatePkcs8KeyDer,
        server::{VerifierBuilderError, WebPkiClientVerifier},
    },
    server::TlsStream,
};
use tower::ServiceExt as _;

use crate::{
    hostile::{certificates::authority, pem},
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
    refused: Arc<Mutex<u32>>,
    _server: Running,
}

#[derive(Debug)]
enum Running {
    Plain(#[expect(dead_code, reason = "it runs until this is dropped")] Server),
    Tls(JoinHandle<()>),
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Self::Tls(task) = self {
            task.abort();
        }
    }
}

/// PEM files for the clients of a gateway with TLS.
#[derive(Debug)]
struct TlsFiles {
    authority: NamedTempFile,
    client: NamedTempFile,
}

#[derive(Clone)]
struct Shared {
    node: Router,
    refused: Arc<Mutex<u32>>,
    /// The path of the endpoint that fails, and sends the header back.
    echoes_at: Option<&'static str>,
}

impl Ingress {
    /// Starts a gateway with plain HTTP.
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
            _server: Running::Plain(server),
        })
    }

    /// Starts a gateway that demands TLS with a client certificate.
    ///
    /// # Errors
    /// When no port is free, or no certificate can be made.
    pub async fn tls(node: &Handle) -> Result<Self, Failure> {
        let (router, refused) = router(node, None);
        let (acceptor, files) = certificates()?;
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let task = tokio::spawn(async move {
            // Aborting the task ends it.
            let _ = axum::serve(TlsListener { listener, acceptor }, router).await;
        });
        Ok(Self {
            base_url: format!("https://{address}"),
            tls: Some(files),
            refused,
            _server: Running::Tls(task),
        })
    }

    /// Returns the number of requests without the header.
    #[must_use]
    pub fn refused(&self) -> u32 {
        self.refused.lock().map(|count| *count).unwrap_or_default()
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

fn router(node: &Handle, echoes_at: Option<&'static str>) -> (Router, Arc<Mutex<u32>>) {
    let refused = Arc::default();
    let shared = Shared {
        node: nodeproof_devnode::router(Arc::clone(node.node())),
        refused: Arc::clone(&refused),
        echoes_at,
    };
    (Router::new().fallback(admit).with_state(shared), refused)
}

async fn admit(State(shared): State<Shared>, request: Request) -> http::Response<Body> {
    let given = request.headers().get(HEADER);
    if given.is_none_or(|value| value != SECRET) {
        if let Ok(mut count) = shared.refused.lock() {
            *count += 1;
        }
        return response(
            StatusCode::UNAUTHORIZED,
            r#"{"detail":"no key"}"#.to_owned(),
        );
    }
    if shared.echoes_at == Some(request.uri().path()) {
        let text = format!(r#"{{"detail":"no upstream for {SECRET}"}}"#);
        return response(StatusCode::INTERNAL_SERVER_ERROR, text);
    }
    let Ok(response) = shared.node.oneshot(request).await;
    response
}

fn response(status: StatusCode, json: String) -> http::Response<Body> {
    let mut response = http::Response::new(Body::from(json));
    *response.status_mut() = status;
    let media = http::HeaderValue::from_static("application/json");
    response.headers_mut().insert("content-type", media);
    response
}

struct TlsListener {
    listener: TcpListener,
    acceptor: TlsAcceptor,
}

impl Listener for TlsListener {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            if let Ok((stream, address)) = self.listener.accept().await
                && let Ok(stream) = self.acceptor.accept(stream).await
            {
                return (stream, address);
            }
        }
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.listener.local_addr()
    }
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
