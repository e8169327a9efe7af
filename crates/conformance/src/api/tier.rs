//! How far a run may go.

use clap::ValueEnum;

/// How far a case goes, and how far a run may.
///
/// Nothing above [`Tier::Read`] is sent unless it is allowed by name, and nothing of it to mainnet
/// without a second word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, ValueEnum)]
pub enum Tier {
    /// Only asks: GETs and `/call-sc`, which change no state.
    #[default]
    Read,
    /// Asks with odd values, which a careless node takes for something else. Later tiers don't include
    /// it: it runs only where it is named.
    Probe,
    /// Submits what a node must refuse.
    Reject,
    /// Submits a real claim, and pays its fee.
    Write,
}

impl Tier {
    /// All of them, in the order in which a run goes through them.
    pub const ALL: [Self; 4] = [Self::Read, Self::Probe, Self::Reject, Self::Write];

    /// The tier's name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Probe => "probe",
            Self::Reject => "reject",
            Self::Write => "write",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_tier_allows_the_earlier_ones() {
        assert!(Tier::ALL.is_sorted());
        assert_eq!(Tier::default(), Tier::Read);
        for tier in Tier::ALL {
            assert_eq!(Tier::from_str(tier.name(), false), Ok(tier));
        }
    }
}
