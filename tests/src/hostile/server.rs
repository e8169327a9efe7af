//! A running hostile server.

use std::{
    error::Error,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use nodeproof_claims::Claim;
use nodeproof_client::{Client, Clock, contract_call::Fee};
use nodeproof_devnode::Config;
use tempfile::{NamedTempFile, TempDir};
use tokio::{net::TcpListener, task::JoinHandle};

use super::{
    Certificate, Expected, certificates,
    front::{Act, Do, Door, Front, behind},
};

/// One hostile behaviour.
pub struct Hostile {
    /// A short name, such as `endless-body`.
    pub name: &'static str,
    /// What the server does.
    pub what: &'static str,
    /// How it does it.
    pub start: Start,
    /// Whether a consumer should wait for a response only briefly.
    pub short_timeout: bool,
    /// The number of concurrent cases in a conformance run. It is 1 if the server counts requests.
    pub jobs: u8,
    /// The expected results.
    pub expected: Expected,
}

/// How a server is hostile.
#[derive(Clone)]
pub enum Start {
    /// No server listens.
    NotListening,
    /// It does this with each connection, for any request.
    OnConnect(Act),
    /// It sends this response instead of the good node's. The function gets the address of a server that
    /// no redirect may reach.
    Instead(fn(SocketAddr) -> Do),
    /// It is a good node behind TLS, with this certificate.
    Tls(Certificate),
}

/// A hostile server that runs until it is dropped.
#[derive(Debug)]
pub struct Running {
    /// Its base URL.
    pub base_url: String,
    front: Option<Front>,
    visits: Arc<AtomicUsize>,
    elsewhere: JoinHandle<()>,
    roots: Option<NamedTempFile>,
    home: TempDir,
    _node: nodeproof_devnode::Handle,
}

impl Running {
    /// Returns the heads of all received requests, in order.
    #[must_use]
    pub fn heads(&self) -> Vec<String> {
        self.front.as_ref().map(Front::heads).unwrap_or_default()
    }

    /// Returns the number of POST requests for a path.
    #[must_use]
    pub fn posts(&self, path: &str) -> usize {
        let line = format!("POST {path} ");
        let heads = self.heads();
        heads.iter().filter(|head| head.starts_with(&line)).count()
    }

    /// Returns how often a program followed a redirect.
    #[must_use]
    pub fn visits_elsewhere(&self) -> usize {
        self.visits.load(Ordering::SeqCst)
    }

    /// Returns the certificate authorities that a client of a server behind TLS should trust.
    #[must_use]
    pub fn roots(&self) -> Option<&Path> {
        self.roots.as_ref().map(NamedTempFile::path)
    }

    /// Returns the home folder for the programs.
    #[must_use]
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// Returns the path of a file with a signed transaction that the good node takes.
    #[must_use]
    pub fn transaction(&self) -> PathBuf {
        self.home.path().join("signed.json")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.elsewhere.abort();
    }
}

impl Hostile {
    /// Starts it on a free loopback port.
    ///
    /// # Errors
    /// When no port is free, or neither a certificate nor a transaction can be made.
    pub async fn start(&self) -> Result<Running, Box<dyn Error + Send + Sync>> {
        let node = nodeproof_devnode::spawn(Config::for_tests()).await?;
        let home = tempfile::tempdir()?;
        std::fs::write(home.path().join("signed.json"), signed_for(&node).await?)?;
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let led_to = listener.local_addr()?;
        let visits = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&visits);
        let elsewhere = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::SeqCst);
                drop(stream);
            }
        });
        let mut scheme = "http";
        let mut roots = None;
        let door = match &self.start {
            Start::NotListening => None,
            Start::OnConnect(act) => Some(Door::OnConnect(act.clone())),
            Start::Instead(act) => Some(Door::Http(act(led_to))),
            Start::Tls(certificate) => {
                let (acceptor, trusted) = certificates::tls(*certificate)?;
                scheme = "https";
                roots = Some(trusted);
                Some(Door::Tls(acceptor, Arc::new(|_, _| Act::Right)))
            }
        };
        let front = match door {
            Some(door) => Some(behind(node.base_url(), door).await?),
            None => None,
        };
        let address = match &front {
            Some(front) => front.address,
            None => (Ipv4Addr::LOCALHOST, crate::restart::port()).into(),
        };
        Ok(Running {
            base_url: format!("{scheme}://{address}"),
            front,
            visits,
            elsewhere,
            roots,
            home,
            _node: node,
        })
    }
}

/// Returns a signed claim by one of the node's wallets.
async fn signed_for(
    node: &nodeproof_devnode::Handle,
) -> Result<String, Box<dyn Error + Send + Sync>> {
    let wallet = node.wallets().first().ok_or("the node has no wallets")?;
    let fee = Fee::new(1_500_000.into(), node.native_token())?;
    let claim = Claim::new(node.contract_address(), "an asset", 99, fee);
    let call = claim.call(&[wallet.keys().address()], Vec::new())?;
    let client = Client::new(node.base_url())?;
    let checked = client.build_call(&call, &claim.fee, Clock::Local).await?;
    let signed = checked.sign(&[wallet.keys()]).await?;
    Ok(signed.text().to_string())
}
