//! The tiers: how much a case sends, and how much a run may send.

use clap::ValueEnum;

/// How much a case sends, and how much a run may send.
///
/// Tiers above [`Tier::Read`] run only if the user allows them by name. On mainnet, they need a second
/// permission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, ValueEnum)]
pub enum Tier {
    /// Only reads: GETs and `/call-sc`, which change no state.
    #[default]
    Read,
    /// Sends unusual values that a node may misread. Later tiers don't include it: it runs only
    /// when it is named.
    Probe,
    /// Submits transactions that a node must refuse.
    Reject,
    /// Submits a real claim, and pays its fee.
    Write,
}

impl Tier {
    /// All tiers, in the order in which a run executes them.
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
