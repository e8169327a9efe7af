//! The configuration of a node.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr},
    num::NonZeroU32,
    path::PathBuf,
    str::FromStr,
    time::Duration,
};

use nodeproof_primitives::{Network, TimestampMs, WalletAddress};

use crate::InjectedFault;

/// When a node creates blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockTime {
    /// Repeatedly, after this time.
    Every(Duration),
    /// When a new transaction is accepted. The block exists before the response is sent.
    OnSubmission,
    /// Only when [`Node::make_block`](crate::Node::make_block) is called.
    Manual,
}

impl BlockTime {
    /// Returns the difference between the timestamps of two blocks, in milliseconds.
    ///
    /// It doesn't depend on the machine's clock, so a chain follows from its seed.
    pub(crate) fn step_ms(self) -> i64 {
        match self {
            Self::Every(time) => i64::try_from(time.as_millis()).unwrap_or(i64::MAX).max(1),
            Self::OnSubmission | Self::Manual => 1000,
        }
    }
}

/// The text is not a block time. Give a number above zero with `ms`, `s` or `m`, such as `1s`, or
/// give `on-submission` or `manual`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{found:?} is not a block time: write a number with ms, s or m, such as 1s, or on-submission, or manual"
)]
pub struct ParseBlockTimeError {
    found: String,
}

impl FromStr for BlockTime {
    type Err = ParseBlockTimeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refused = || ParseBlockTimeError {
            found: text.chars().take(40).collect(),
        };
        match text {
            "manual" => return Ok(Self::Manual),
            "on-submission" => return Ok(Self::OnSubmission),
            _ => {}
        }
        let unit_at = text
            .find(|character: char| !character.is_ascii_digit())
            .ok_or_else(refused)?;
        let (number, unit) = text.split_at(unit_at);
        let number: u32 = number.parse().map_err(|_| refused())?;
        let milliseconds = match unit {
            "ms" => 1,
            "s" => 1000,
            "m" => 60_000,
            _ => return Err(refused()),
        };
        if number == 0 {
            return Err(refused());
        }
        Ok(Self::Every(Duration::from_millis(
            u64::from(number) * milliseconds,
        )))
    }
}

impl fmt::Display for BlockTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Every(time) if time.subsec_millis() == 0 => write!(f, "{}s", time.as_secs()),
            Self::Every(time) => write!(f, "{}ms", time.as_millis()),
            Self::OnSubmission => f.write_str("on-submission"),
            Self::Manual => f.write_str("manual"),
        }
    }
}

/// The source of a chain's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainTime {
    /// The machine's clock, as on a real node: new blocks and new transactions have the current
    /// time. A client that compares a transaction's time with its own clock accepts it.
    Clock,
    /// The chain starts at this time. The initial blocks are one second apart, and each later block adds
    /// the block time. Two nodes with the same configuration return the same bytes to the same requests in
    /// the same order.
    From(TimestampMs),
}

impl ChainTime {
    /// A fixed start: 2026-01-01, 00:00 UTC.
    pub const FIXED: Self = Self::From(TimestampMs::from_millis(1_767_225_600_000));

    /// Returns the current time, if the chain uses the clock.
    pub(crate) fn clock(self) -> Option<i64> {
        match self {
            Self::From(_) => None,
            Self::Clock => Some(TimestampMs::now().as_millis()),
        }
    }
}

/// The configuration of a node.
///
/// ```
/// use std::{net::Ipv4Addr, num::NonZeroU32};
///
/// use nodeproof_devnode::{BlockTime, Config};
/// use nodeproof_primitives::{Network, wallet_address};
///
/// let config = Config::new(Network::Testnet).with_port(0).with_seed(7).with_blocks(100);
/// assert_eq!(config.block_time, BlockTime::Manual);
///
/// // A node for other machines, with one funded wallet and at most one submission per second.
/// let mut shared = config
///     .with_funded(wallet_address!("0x00000000000000000000000000000000000000a1"))
///     .with_rate_limit(NonZeroU32::MIN);
/// shared.host = Ipv4Addr::UNSPECIFIED.into();
/// shared.allowed_hosts.push("node.internal".to_owned());
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Config {
    /// The network that the node reports. It determines the default port.
    pub network: Network,
    /// The address to listen on. Default: 127.0.0.1, because the node's keys are public.
    pub host: IpAddr,
    /// The port to listen on. 0 chooses a free one. Default: the network's port.
    pub port: Option<u16>,
    /// The seed for keys, addresses, timestamps and scores. Default: 0.
    pub seed: u64,
    /// Number of blocks at the start of the chain. Their indexes start at 1. Default: 12.
    ///
    /// The first few contain transactions: claims, transfers and one with two signers.
    pub blocks: u64,
    /// When further blocks are created. Default: [`BlockTime::Manual`].
    pub block_time: BlockTime,
    /// The source of the chain's time. Default: the machine's clock.
    pub time: ChainTime,
    /// Maximum number of submissions within a second. Further ones get status 429. Default: no limit.
    pub rate_limit: Option<NonZeroU32>,
    /// The user's own wallets, which hold [`FUNDS`] of the native token from the start.
    pub funded: Vec<WalletAddress>,
    /// A fault that the node has on purpose. Default: none.
    pub fault: Option<InjectedFault>,
    /// Height from which the node has the fault. Default: 0.
    pub fault_from: u64,
    /// File of the chain's blocks, which survives a restart. Pending transactions are not saved. Default: none.
    pub state: Option<PathBuf>,
    /// Host names that the node accepts in the `Host` header, without a port. IP addresses and `localhost`
    /// are always accepted. Requests for other hosts get status 403. This prevents web pages from reaching
    /// the node by DNS rebinding.
    pub allowed_hosts: Vec<String>,
}

/// The balance of each funded wallet, in base units: 1,000 times the minimum fee.
pub const FUNDS: u64 = 1_000_000_000;

impl Config {
    /// Creates the configuration of a node of this network, on its port of the loopback interface.
    #[must_use]
    pub const fn new(network: Network) -> Self {
        Self {
            network,
            host: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: None,
            seed: 0,
            blocks: 12,
            block_time: BlockTime::Manual,
            time: ChainTime::Clock,
            rate_limit: None,
            funded: Vec::new(),
            fault: None,
            fault_from: 0,
            state: None,
            allowed_hosts: Vec::new(),
        }
    }

    /// Creates the configuration of a devnet node for a test.
    ///
    /// The node has a free port, 12 blocks, and the keys, addresses and balances of seed 0.
    ///
    /// - The test creates further blocks with [`Node::make_block`](crate::Node::make_block). Nothing
    ///   changes at other times, so tests don't have to wait. If a client waits for its transaction, use
    ///   [`BlockTime::OnSubmission`] or a short [`BlockTime::Every`].
    /// - The time is the machine's clock, because clients refuse to sign a transaction with another time.
    ///   If responses must have the same bytes in each run, use [`ChainTime::FIXED`].
    ///
    /// ```
    /// use nodeproof_devnode::{BlockTime, ChainTime, Config, InjectedFault};
    ///
    /// let quick = Config::for_tests().with_block_time(BlockTime::OnSubmission);
    /// let same_bytes = Config::for_tests().with_time(ChainTime::FIXED);
    /// let as_observed = Config::for_tests().with_fault(InjectedFault::ObservedForms);
    /// let defective = Config::for_tests().with_fault(InjectedFault::EveryTenth500);
    /// # let _ = (quick, same_bytes, as_observed, defective);
    /// ```
    #[must_use]
    pub const fn for_tests() -> Self {
        Self::new(Network::Devnet).with_port(0)
    }

    /// Sets the port to listen on. 0 chooses a free one.
    #[must_use]
    pub const fn with_port(mut self, port: u16) -> Self {
        self.port = Some(port);
        self
    }

    /// Sets the seed.
    #[must_use]
    pub const fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the number of blocks at the start of the chain.
    #[must_use]
    pub const fn with_blocks(mut self, blocks: u64) -> Self {
        self.blocks = blocks;
        self
    }

    /// Sets when further blocks are created.
    #[must_use]
    pub const fn with_block_time(mut self, block_time: BlockTime) -> Self {
        self.block_time = block_time;
        self
    }

    /// Sets the source of the chain's time.
    #[must_use]
    pub const fn with_time(mut self, time: ChainTime) -> Self {
        self.time = time;
        self
    }

    /// Gives a wallet [`FUNDS`] of the native token, which it can use for fees.
    #[must_use]
    pub fn with_funded(mut self, wallet: WalletAddress) -> Self {
        self.funded.push(wallet);
        self
    }

    /// Sets a fault, for tests of programs that should detect it.
    #[must_use]
    pub const fn with_fault(mut self, fault: InjectedFault) -> Self {
        self.fault = Some(fault);
        self
    }

    /// Sets the maximum number of submissions within a second.
    #[must_use]
    pub const fn with_rate_limit(mut self, per_second: NonZeroU32) -> Self {
        self.rate_limit = Some(per_second);
        self
    }
}

impl Default for Config {
    /// Returns the configuration of a devnet node.
    fn default() -> Self {
        Self::new(Network::Devnet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_time_is_written_as_it_is_read() {
        for text in ["1s", "250ms", "90s", "on-submission", "manual"] {
            assert_eq!(text.parse::<BlockTime>().unwrap().to_string(), text);
        }
        assert_eq!("2m".parse(), Ok(BlockTime::Every(Duration::from_secs(120))));
    }

    #[test]
    fn rejects_a_block_time_without_unit_or_length() {
        for text in [
            "",
            "1",
            "0s",
            "s",
            "-1s",
            "1h",
            "1.5s",
            "99999999999s",
            "Manual",
        ] {
            assert!(text.parse::<BlockTime>().is_err(), "{text:?}");
        }
    }
}
