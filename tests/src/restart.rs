//! Nodes that end while a test goes on.
//!
//! Another test must not get the port of such a node. So it is not one that the system chooses.

use std::{
    net::{Ipv4Addr, TcpListener},
    process,
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

use nodeproof_devnode::{Config, Handle};
use tokio::{net::TcpStream, time::sleep};

/// The first of the ports, and their number. Systems choose higher ones for port 0 and for connections: Linux
/// from 32768 on.
const PORTS: (u32, u32) = (20_000, 12_000);
/// How long a port may stay in use. A process that another test starts keeps the sockets of this one until it
/// executes its program.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(5);

/// Returns a port of this machine that no other test gets.
///
/// # Panics
/// When all ports are in use.
#[expect(clippy::expect_used, reason = "a test fails if its setup fails")]
pub fn port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let (first, count) = PORTS;
    // Processes at the same time begin at different ports.
    let start = process::id().wrapping_mul(97);
    (0..count)
        .map(|_| start.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % count + first)
        .filter_map(|port| u16::try_from(port).ok())
        .find(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok())
        .expect("a free port")
}

/// Starts a node that the test will end.
pub async fn start(config: Config) -> Handle {
    start_at(port(), config).await
}

/// Ends a node, and waits until its port refuses connections. Returns the port.
///
/// # Panics
/// When connections are accepted for another minute.
pub async fn stop(node: Handle) -> u16 {
    let (address, started) = (node.address(), Instant::now());
    node.shutdown().await;
    while TcpStream::connect(address).await.is_ok() {
        assert!(started.elapsed() < PATIENCE, "{address} is still in use");
        sleep(PAUSE).await;
    }
    address.port()
}

/// Starts a node at the port of one that was ended.
///
/// # Panics
/// When the port is not free within a minute.
pub async fn start_at(port: u16, config: Config) -> Handle {
    let (config, started) = (config.with_port(port), Instant::now());
    loop {
        match nodeproof_devnode::spawn(config.clone()).await {
            Ok(node) => return node,
            Err(error) => assert!(started.elapsed() < PATIENCE, "{error}"),
        }
        sleep(PAUSE).await;
    }
}
