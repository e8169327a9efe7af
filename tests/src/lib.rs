//! Shared code of the end-to-end tests: servers that simulate conforming and faulty nodes.

pub mod built;
pub mod careless;
pub mod cited;
pub mod faults;
pub mod fuzzed;
#[cfg(doctest)]
mod guides;
pub mod hostile;
pub mod ingress;
pub mod matrix;
pub mod observed_node;
pub mod proxy;
pub mod restart;
pub mod server;
pub mod submissions;
pub mod table;
pub mod tampering;
pub mod verifiers;
pub mod watch;
#[cfg(target_os = "linux")]
pub mod without_locks;
