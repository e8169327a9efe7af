//! A hostile server that runs.

use std::{
    error::Error,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use nodeproof_claims::Claim;
use nodeproof_client::{
    Client,
    contract_call::{CheckedTransaction, Fee},
};
use nodeproof_devnode::Config;
use tempfile::{NamedTempFile, TempDir};
use tokio::{net::TcpListener, task::JoinHandle};

use super::{
    Certificate, Expected, certificates,
    front::{Act, Do, Door, Front, behind},
};

/// One hostile behaviour.
pub struct Hostile {
    /// A short name, as a word: `endless-body`.
    pub name: &'static str,
    /// What the server does.
    pub what: &'static str,
    /// How it does it.
    pub start: Start,
    /// Whether a consumer should wait for an answer for a moment only.
    pub impatient: bool,
    /// How many cases of a conformance run go side by side: one where the server counts requests.
    pub jobs: u8,
    /// What has to come of it.
    pub expected: Expected,
}

/// How a server is hostile.
#[derive(Clone)]
pub enum Start {
    /// Nobody listens.
    Nobody,
    /// It does this with each connection, whatever is asked.
    AtOnce(Act),
    /// It answers this instead of what a good node answers; it knows the address of a server that
    /// nobody may be led to.
    Instead(fn(SocketAddr) -> Do),
    /// It is a good node behind TLS, with this certificate.
    Tls(Certificate),
}

/// A hostile server, until it is dropped.
#[derive(Debug)]
pub struct Running {
    /// Where it listens.
    pub base_url: String,
    front: Option<Front>,
    visits: Arc<AtomicUsize>,
    elsewhere: JoinHandle<()>,
    roots: Option<NamedTempFile>,
    home: TempDir,
    _node: nodeproof_devnode::Handle,
}

impl Running {
    /// The heads of all requests that came, in order.
    #[must_use]
    pub fn heads(&self) -> Vec<String> {
        self.front.as_ref().map(Front::heads).unwrap_or_default()
    }

    /// How many POSTs of a path came.
    #[must_use]
    pub fn posts(&self, path: &str) -> usize {
        let line = format!("POST {path} ");
        let heads = self.heads();
        heads.iter().filter(|head| head.starts_with(&line)).count()
    }

    /// How often somebody came to where redirects lead.
    #[must_use]
    pub fn visits_elsewhere(&self) -> usize {
        self.visits.load(Ordering::SeqCst)
    }

    /// The certificate authorities that a client of a server behind TLS is to trust.
    #[must_use]
    pub fn roots(&self) -> Option<&Path> {
        self.roots.as_ref().map(NamedTempFile::path)
    }

    /// A folder of somebody who asks the server.
    #[must_use]
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// A file with a signed transaction, which the good node takes.
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
    /// Starts it on a free port of the loopback.
    ///
    /// # Errors
    /// When no port can be had, or neither a certificate nor a transaction can be made.
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
            Start::Nobody => None,
            Start::AtOnce(act) => Some(Door::AtOnce(act.clone())),
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
            None => nobodys_address().await?,
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

/// A claim by one of the node's wallets, signed.
async fn signed_for(
    node: &nodeproof_devnode::Handle,
) -> Result<String, Box<dyn Error + Send + Sync>> {
    let wallet = node.wallets().first().ok_or("the node has no wallets")?;
    let fee = Fee::new(1_500_000.into(), node.native_token())?;
    let claim = Claim::new(node.contract_address(), "an asset", 99, fee);
    let call = claim.call(&[wallet.keys().address()], Vec::new())?;
    let raw = Client::new(node.base_url())?.build_call(&call).await?;
    let checked = CheckedTransaction::check(&call, &raw, &claim.fee)?;
    let signed = checked.sign(&[wallet.keys()]).await?;
    Ok(signed.text().to_string())
}

/// An address where nobody listens any more.
async fn nobodys_address() -> std::io::Result<SocketAddr> {
    TcpListener::bind(("127.0.0.1", 0)).await?.local_addr()
}
