//! What a node is to be like.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr},
    num::NonZeroU32,
    str::FromStr,
    time::Duration,
};

use nodeproof_primitives::{Network, TimestampMs, WalletAddress};

use crate::{Forms, InjectedFault};

/// When a node makes blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockTime {
    /// Again and again, after this long.
    Every(Duration),
    /// As soon as a new transaction is accepted: it is in a block before the response is sent.
    OnSubmission,
    /// Only when [`Node::make_block`](crate::Node::make_block) is called.
    Manual,
}

impl BlockTime {
    /// By how many milliseconds a block's timestamp lies after the one before.
    ///
    /// It doesn't depend on the machine's clock, so that a chain follows from its seed.
    pub(crate) fn step_ms(self) -> i64 {
        match self {
            Self::Every(time) => i64::try_from(time.as_millis()).unwrap_or(i64::MAX).max(1),
            Self::OnSubmission | Self::Manual => 1000,
        }
    }
}

/// Text that is not a block time.
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

/// Where a chain's time comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainTime {
    /// The machine's clock, as on a real node: new blocks and new transactions have the current
    /// time. A client that compares a transaction's time with its own clock accepts it.
    Clock,
    /// The chain starts at this time, and each block adds the block time. Two nodes with one seed
    /// return the same bytes.
    From(TimestampMs),
}

impl ChainTime {
    /// Always the same start: 2026-01-01, 00:00 UTC.
    pub const FIXED: Self = Self::From(TimestampMs::from_millis(1_767_225_600_000));

    /// The current time, if the chain follows the clock.
    pub(crate) fn clock(self) -> Option<i64> {
        match self {
            Self::From(_) => None,
            Self::Clock => Some(TimestampMs::now().as_millis()),
        }
    }
}

/// What a node is to be like.
///
/// ```
/// use nodeproof_devnode::{BlockTime, Config};
/// use nodeproof_primitives::Network;
///
/// let config = Config::new(Network::Testnet).with_port(0).with_seed(7).with_blocks(100);
/// assert_eq!(config.block_time, BlockTime::Manual);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Config {
    /// The network that the node says to belong to; it chooses the default port.
    pub network: Network,
    /// The address to listen on: 127.0.0.1 unless set, as the node's keys are public.
    pub host: IpAddr,
    /// The port to listen on: the network's unless set, and a free one with 0.
    pub port: Option<u16>,
    /// What keys, addresses, timestamps and scores are derived from.
    pub seed: u64,
    /// How many blocks the chain starts with, 12 unless set. Their indexes count from 1.
    ///
    /// The first few carry transactions: claims, transfers and one with two signers.
    pub blocks: u64,
    /// When further blocks are made: only on demand unless set.
    pub block_time: BlockTime,
    /// Where the chain's time comes from: the machine's clock unless set.
    pub time: ChainTime,
    /// The longest request body in bytes, 1 MiB unless set. Longer ones are answered with 413.
    pub body_limit: usize,
    /// How many submissions are taken within a second, without bound unless set.
    /// Further ones are answered with 429.
    pub rate_limit: Option<NonZeroU32>,
    /// Wallets of somebody's own that hold [`FUNDS`] of the native token from the start.
    pub funded: Vec<WalletAddress>,
    /// The form of blocks, records and balances: the documented one unless set.
    pub forms: Forms,
    /// A defect that the node has on purpose: none unless set.
    pub fault: Option<InjectedFault>,
    /// Host names in the `Host` header that the node accepts, without a port. IP addresses and
    /// `localhost` are always accepted. Other hosts are answered with 403, so that a web page cannot
    /// reach the node by DNS rebinding.
    pub allowed_hosts: Vec<String>,
}

/// What each funded wallet holds, in base units: enough for the least fee a thousand times.
pub const FUNDS: u64 = 1_000_000_000;

impl Config {
    /// A node of this network, on its port of the loopback interface.
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
            body_limit: 1 << 20,
            rate_limit: None,
            funded: Vec::new(),
            forms: Forms::Documented,
            fault: None,
            allowed_hosts: Vec::new(),
        }
    }

    /// A devnet node for a test: on a free port, with the keys, addresses and balances of seed 0,
    /// and 12 blocks.
    ///
    /// - The test makes further blocks with [`Node::make_block`](crate::Node::make_block). Nothing
    ///   changes at another time, so no test has to wait. For a client that waits for its
    ///   transaction, choose [`BlockTime::OnSubmission`] or a short [`BlockTime::Every`].
    /// - The time is the machine's clock, because clients refuse to sign a transaction of another
    ///   time. For responses that are the same in each run, byte for byte, choose
    ///   [`ChainTime::FIXED`].
    ///
    /// ```
    /// use nodeproof_devnode::{BlockTime, ChainTime, Config, Forms, InjectedFault};
    ///
    /// let quick = Config::for_tests().with_block_time(BlockTime::OnSubmission);
    /// let same_bytes = Config::for_tests().with_time(ChainTime::FIXED);
    /// let as_observed = Config::for_tests().with_forms(Forms::Rows);
    /// let defective = Config::for_tests().with_fault(InjectedFault::EveryTenth500);
    /// # let _ = (quick, same_bytes, as_observed, defective);
    /// ```
    #[must_use]
    pub const fn for_tests() -> Self {
        Self::new(Network::Devnet).with_port(0)
    }

    /// Sets the address to listen on.
    #[must_use]
    pub const fn with_host(mut self, host: IpAddr) -> Self {
        self.host = host;
        self
    }

    /// Sets the port to listen on; 0 for a free one.
    #[must_use]
    pub const fn with_port(mut self, port: u16) -> Self {
        self.port = Some(port);
        self
    }

    /// Sets what everything is derived from.
    #[must_use]
    pub const fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets how many blocks the chain starts with.
    #[must_use]
    pub const fn with_blocks(mut self, blocks: u64) -> Self {
        self.blocks = blocks;
        self
    }

    /// Sets when further blocks are made.
    #[must_use]
    pub const fn with_block_time(mut self, block_time: BlockTime) -> Self {
        self.block_time = block_time;
        self
    }

    /// Sets where the chain's time comes from.
    #[must_use]
    pub const fn with_time(mut self, time: ChainTime) -> Self {
        self.time = time;
        self
    }

    /// Sets the longest request body, in bytes.
    #[must_use]
    pub const fn with_body_limit(mut self, bytes: usize) -> Self {
        self.body_limit = bytes;
        self
    }

    /// Gives a wallet [`FUNDS`] of the native token, so that it can pay fees.
    #[must_use]
    pub fn with_funded(mut self, wallet: WalletAddress) -> Self {
        self.funded.push(wallet);
        self
    }

    /// Sets the form of blocks, records and balances.
    #[must_use]
    pub const fn with_forms(mut self, forms: Forms) -> Self {
        self.forms = forms;
        self
    }

    /// Gives the node a defect, for a test of what notices it.
    #[must_use]
    pub const fn with_fault(mut self, fault: InjectedFault) -> Self {
        self.fault = Some(fault);
        self
    }

    /// Accepts requests whose `Host` header has this name, such as a name in a local DNS server.
    #[must_use]
    pub fn with_allowed_host(mut self, name: impl Into<String>) -> Self {
        self.allowed_hosts.push(name.into());
        self
    }

    /// Sets how many submissions are taken within a second.
    #[must_use]
    pub const fn with_rate_limit(mut self, per_second: NonZeroU32) -> Self {
        self.rate_limit = Some(per_second);
        self
    }
}

impl Default for Config {
    /// A devnet node.
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
