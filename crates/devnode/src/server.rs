//! The server: listens, handles connections, and shuts down.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    ops::Deref,
    sync::Arc,
    time::Duration,
};

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use tokio::{net::TcpListener, sync::oneshot, task::JoinHandle, time::MissedTickBehavior};

use crate::{BlockTime, Config, InjectedFault, Node, router};

/// Time limit for responses in progress when a node is shut down.
const GRACE: Duration = Duration::from_millis(500);

/// Time limit for the head of a request, and so for an idle connection. Without one, anybody could keep all connections.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// Pause after a connection could not be accepted, such as without a free file descriptor.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// How long a node makes no block, if it has that fault.
const STALL: Duration = Duration::from_secs(300);

/// The reason why a node didn't start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpawnError {
    /// The node can't listen on the address. Choose another port, or 0 for a free one.
    #[error("can't listen on {address}: {source}{}", hint(source))]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The file of the chain can't be used, or the thread that creates the chain could not be started. The text
    /// shows which.
    #[error("the chain could not be created: {0}")]
    Chain(io::Error),
}

fn hint(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::AddrInUse => "; choose another port, or 0 for a free one",
        io::ErrorKind::PermissionDenied => "; choose a port from 1024 on",
        _ => "",
    }
}

/// A running node. Dropping it ends the node. Only responses in progress are still sent.
///
/// [`shutdown`](Self::shutdown) waits for them.
///
/// ```
/// use std::sync::Arc;
///
/// use nodeproof_devnode::{Config, spawn};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let _installed = rustls::crypto::ring::default_provider().install_default();
/// let node = spawn(Config::for_tests()).await?;
/// assert_eq!(node.base_url(), format!("http://{}", node.address()));
///
/// let request = reqwest::Client::new()
///     .post(format!("{}/submit-transaction", node.base_url()))
///     .header("content-type", "application/json")
///     .body("{}");
/// assert_eq!(request.send().await?.status(), 422);
///
/// let state = Arc::clone(node.node());
/// node.shutdown().await;
/// assert_eq!((state.requests_received(), state.submissions_received()), (1, 1));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Handle {
    node: Arc<Node>,
    address: SocketAddr,
    base_url: String,
    /// The server ends when this is dropped.
    stop: oneshot::Sender<()>,
    server: JoinHandle<()>,
    block_maker: BlockMaker,
}

#[derive(Debug)]
struct BlockMaker(Option<JoinHandle<()>>);

impl Drop for BlockMaker {
    fn drop(&mut self) {
        if let Some(maker) = &self.0 {
            maker.abort();
        }
    }
}

/// Starts a node in the current tokio runtime.
///
/// # Errors
/// Returns an error if the node can't listen on the address, or if no thread can be started.
pub async fn spawn(config: Config) -> Result<Handle, SpawnError> {
    let wanted = SocketAddr::new(config.host, config.port.unwrap_or(config.network.port()));
    let listening = |source| SpawnError::Listen {
        address: wanted,
        source,
    };
    // Bind first, because creating the chain may take long. A port in use is reported at once.
    let listener = TcpListener::bind(wanted).await.map_err(listening)?;
    let address = listener.local_addr().map_err(listening)?;
    let block_time = config.block_time;
    let node = Arc::new(create_node(config).await.map_err(SpawnError::Chain)?);
    let (stop, stopped) = oneshot::channel();
    let server = tokio::spawn(serve(listener, router(Arc::clone(&node)), stopped));
    let block_maker = match block_time {
        BlockTime::Every(time) => Some(tokio::spawn(make_blocks(Arc::clone(&node), time))),
        BlockTime::OnSubmission | BlockTime::Manual => None,
    };
    Ok(Handle {
        node,
        address,
        base_url: format!("http://{}", reachable(address)),
        stop,
        server,
        block_maker: BlockMaker(block_maker),
    })
}

/// Accepts connections until the sender is dropped, and then waits for responses in progress.
async fn serve(listener: TcpListener, routes: Router, mut stopped: oneshot::Receiver<()>) {
    let mut connections = http1::Builder::new();
    connections
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT);
    let service = TowerToHyperService::new(routes);
    let open = GracefulShutdown::new();
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::warn!(%error, "no connection could be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            },
            _ = &mut stopped => break,
        };
        // Responses are small and written at once, so Nagle's algorithm would only delay them.
        drop(stream.set_nodelay(true));
        let connection = connections.serve_connection(TokioIo::new(stream), service.clone());
        let connection = open.watch(connection);
        // What goes wrong with a connection is its client's concern.
        tokio::spawn(async move { drop(connection.await) });
    }
    drop(listener);
    open.shutdown().await;
}

/// Creates a node on a separate thread, because a runtime waits for its own threads when it ends.
async fn create_node(config: Config) -> io::Result<Node> {
    let (sender, made) = oneshot::channel();
    std::thread::Builder::new()
        .name("devnode-chain".into())
        // Sending fails if the receiver is gone. That is harmless.
        .spawn(move || drop(sender.send(Node::open(&config))))?;
    made.await.map_err(io::Error::other)?
}

/// Returns the address under which the node can be reached from the same machine.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

async fn make_blocks(node: Arc<Node>, time: Duration) {
    let mut ticks = tokio::time::interval(time);
    let stalls = node.later_fault() == Some(InjectedFault::Stalls);
    ticks.set_missed_tick_behavior(match stalls {
        true => MissedTickBehavior::Burst,
        false => MissedTickBehavior::Delay,
    });
    let mut stalled = false;
    // The first tick is ready immediately.
    ticks.tick().await;
    loop {
        ticks.tick().await;
        if !stalled && node.has(InjectedFault::Stalls) {
            stalled = true;
            tokio::time::sleep(STALL).await;
        }
        node.make_block();
    }
}

impl Handle {
    /// Returns the node's base URL without a slash at the end, such as `http://127.0.0.1:8420`.
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Returns the address that the node listens on.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the node's state. A clone of it remains valid after the server has ended.
    #[must_use]
    pub const fn node(&self) -> &Arc<Node> {
        &self.node
    }

    /// Stops listening, and waits up to half a second for responses in progress.
    pub async fn shutdown(self) {
        drop((self.stop, self.block_maker));
        let _in_time = tokio::time::timeout(GRACE, self.server).await;
    }
}

/// Gives direct access to the methods of the node.
impl Deref for Handle {
    type Target = Node;

    fn deref(&self) -> &Node {
        &self.node
    }
}
