//! Named faults, for users who want to see a case fail, and for tests of cases.

use std::{fmt, str::FromStr};

/// A fault that a node has on purpose. A real node could have each of them.
///
/// ```
/// use nodeproof_devnode::InjectedFault;
///
/// let fault: InjectedFault = "no-signature-check".parse()?;
/// assert_eq!(fault, InjectedFault::NoSignatureCheck);
/// assert_eq!(fault.description(), "no signature is verified");
/// assert!(InjectedFault::all().any(|one| one.name() == "no-signature-check"));
/// # Ok::<(), nodeproof_devnode::ParseInjectedFaultError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum InjectedFault {
    /// `POST /submit-transaction` does not exist.
    NoSubmitEndpoint,
    /// `POST /call-sc` does not exist.
    NoCallEndpoint,
    /// `GET /docs` does not exist.
    NoDocs,
    /// Every tenth request gets status 500.
    EveryTenth500,
    /// JSON has no content type.
    NoContentType,
    /// Blocks are rows of a table, as on the observed node.
    BlockRows,
    /// Block timestamps are in seconds.
    BlockSeconds,
    /// Blocks are correct at first. From the 20th read on, `proof` is different.
    BlockChangesLater,
    /// Block 5 is missing.
    BlockHole,
    /// An index without a block returns the latest block.
    LatestForUnknown,
    /// Votes are signed with another member's key.
    ReceiptKeys,
    /// Votes are signed over data with sorted members.
    ReceiptSorted,
    /// A balance of one token in one wallet is one too high.
    BalanceOffByOne,
    /// Balances go through a float, which loses digits above 2^53.
    BalanceRounded,
    /// A balance never changes after it was first requested.
    BalanceStale,
    /// The two wallets of a trust score are swapped.
    TrustSwapped,
    /// A table name that continues with a condition is cut there, and the first row is returned.
    TableCondition,
    /// `/call-sc` writes the same code into each transaction.
    ConstantCode,
    /// `/call-sc` alters a parameter.
    ParamsAltered,
    /// No signature is verified.
    NoSignatureCheck,
    /// A call without signers needs no signature.
    UnsignedAccepted,
    /// Only the first of several signatures is verified.
    FirstSignatureOnly,
    /// A different transaction with a known code counts as the known one.
    KnownCodeAccepted,
    /// A transaction in a block counts as new when it is submitted again.
    ResubmissionNew,
    /// Refused transactions are stored two blocks later.
    RefusedStored,
    /// Accepted transactions never get into a block.
    AcceptedLost,
    /// The last character of a claim's remarks is lost.
    RemarksCut,
    /// The fee is taken twice.
    FeeTwice,
}

impl InjectedFault {
    /// All faults, with their names and descriptions.
    const TABLE: [(Self, &'static str, &'static str); 28] = [
        (
            Self::NoSubmitEndpoint,
            "no-submit-endpoint",
            "POST /submit-transaction does not exist",
        ),
        (
            Self::NoCallEndpoint,
            "no-call-endpoint",
            "POST /call-sc does not exist",
        ),
        (Self::NoDocs, "no-docs", "GET /docs does not exist"),
        (
            Self::EveryTenth500,
            "every-tenth-500",
            "every tenth response is a 500",
        ),
        (
            Self::NoContentType,
            "no-content-type",
            "JSON has no Content-Type",
        ),
        (
            Self::BlockRows,
            "block-rows",
            "blocks are rows of a database table, as on the observed node",
        ),
        (
            Self::BlockSeconds,
            "block-seconds",
            "block timestamps are in seconds",
        ),
        (
            Self::BlockChangesLater,
            "block-changes-later",
            "from the 20th request on, blocks have a different proof",
        ),
        (Self::BlockHole, "block-hole", "block 5 is missing"),
        (
            Self::LatestForUnknown,
            "latest-for-unknown",
            "an index without a block returns the latest block",
        ),
        (
            Self::ReceiptKeys,
            "receipt-keys",
            "votes are signed by another member's key",
        ),
        (
            Self::ReceiptSorted,
            "receipt-sorted",
            "votes are signed over data with sorted members",
        ),
        (
            Self::BalanceOffByOne,
            "balance-off-by-one",
            "a balance of one token in one wallet is one too high",
        ),
        (
            Self::BalanceRounded,
            "balance-rounded",
            "balances lose digits above 2^53",
        ),
        (
            Self::BalanceStale,
            "balance-stale",
            "a balance never changes after the first request",
        ),
        (
            Self::TrustSwapped,
            "trust-swapped",
            "the two wallets of a trust score are swapped",
        ),
        (
            Self::TableCondition,
            "table-condition",
            "a table name that continues with a condition returns the table's first row",
        ),
        (
            Self::ConstantCode,
            "constant-code",
            "/call-sc writes the same code into each transaction",
        ),
        (
            Self::ParamsAltered,
            "params-altered",
            "/call-sc alters a parameter",
        ),
        (
            Self::NoSignatureCheck,
            "no-signature-check",
            "no signature is verified",
        ),
        (
            Self::UnsignedAccepted,
            "unsigned-accepted",
            "a call without signers needs no signature",
        ),
        (
            Self::FirstSignatureOnly,
            "first-signature-only",
            "only the first of several signatures is verified",
        ),
        (
            Self::KnownCodeAccepted,
            "known-code-accepted",
            "a different transaction with a known trans_code counts as the known one",
        ),
        (
            Self::ResubmissionNew,
            "resubmission-new",
            "a transaction in a block counts as new when it is submitted again",
        ),
        (
            Self::RefusedStored,
            "refused-stored",
            "refused transactions are stored two blocks later",
        ),
        (
            Self::AcceptedLost,
            "accepted-lost",
            "accepted transactions never get into a block",
        ),
        (
            Self::RemarksCut,
            "remarks-cut",
            "the last character of a claim's remarks is lost",
        ),
        (Self::FeeTwice, "fee-twice", "the fee is taken twice"),
    ];

    /// Returns all faults, in the order of `devnode --fault list`.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::TABLE.into_iter().map(|(fault, ..)| fault)
    }

    /// Returns the fault's name, such as `no-signature-check`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// Returns a short description of the fault.
    #[must_use]
    pub fn description(self) -> &'static str {
        self.row().2
    }

    fn row(self) -> (Self, &'static str, &'static str) {
        let row = Self::TABLE.into_iter().find(|(fault, ..)| *fault == self);
        row.unwrap_or((self, "", ""))
    }
}

impl fmt::Display for InjectedFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The text is not the name of a fault. Give the name of one in [`InjectedFault::all`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no fault of this name; --fault list shows all of them")]
pub struct ParseInjectedFaultError;

impl FromStr for InjectedFault {
    type Err = ParseInjectedFaultError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::all()
            .find(|fault| fault.name() == text)
            .ok_or(ParseInjectedFaultError)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_has_a_name_of_its_own_which_is_read_again() {
        let names: BTreeSet<_> = InjectedFault::all().map(InjectedFault::name).collect();
        assert_eq!(names.len(), InjectedFault::TABLE.len());
        for fault in InjectedFault::all() {
            assert_eq!(fault.to_string().parse(), Ok(fault));
            assert!(fault.description().len() > 10, "{fault}");
        }
        assert_eq!(
            "nosuch".parse::<InjectedFault>(),
            Err(ParseInjectedFaultError)
        );
    }
}
