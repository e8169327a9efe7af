//! Named faults, for users who want to see a case fail, and for tests of cases.

use std::{fmt, str::FromStr};

/// Defines the faults, each once, with its name and its description.
macro_rules! faults {
    ($(#[$doc:meta])* $($fault:ident $name:literal $description:literal;)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum InjectedFault {
            $(#[doc = concat!($description, ".")] $fault,)*
        }

        impl InjectedFault {
            /// Returns all faults, in the order of `devnode --fault list`.
            pub fn all() -> impl Iterator<Item = Self> {
                [$(Self::$fault),*].into_iter()
            }

            /// Returns the fault's name, such as `no-signature-check`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$fault => $name,)*
                }
            }

            /// Returns a short description of the fault.
            #[must_use]
            pub const fn description(self) -> &'static str {
                match self {
                    $(Self::$fault => $description,)*
                }
            }
        }
    };
}

faults! {
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
    NoSubmitEndpoint "no-submit-endpoint" "POST /submit-transaction does not exist";
    NoCallEndpoint "no-call-endpoint" "POST /call-sc does not exist";
    NoDocs "no-docs" "GET /docs does not exist";
    EveryTenth500 "every-tenth-500" "every tenth response is a 500";
    NoContentType "no-content-type" "JSON has no Content-Type";
    BlockRows "block-rows" "blocks are rows of a database table, as on the observed node";
    BlockSeconds "block-seconds" "block timestamps are in seconds";
    BlockChangesLater "block-changes-later" "from the 20th request on, blocks have a different proof";
    BlockHole "block-hole" "block 5 is missing";
    LatestForUnknown "latest-for-unknown" "an index without a block returns the latest block";
    ReceiptKeys "receipt-keys" "votes are signed by another member's key";
    ReceiptSorted "receipt-sorted" "votes are signed over data with sorted members";
    BalanceOffByOne "balance-off-by-one" "a balance of one token in one wallet is one too high";
    BalanceRounded "balance-rounded" "balances lose digits above 2^53";
    BalanceStale "balance-stale" "a balance never changes after the first request";
    TrustSwapped "trust-swapped" "the two wallets of a trust score are swapped";
    TableCondition "table-condition" "a table name that continues with a condition returns the table's first row";
    ConstantCode "constant-code" "/call-sc writes the same code into each transaction";
    ParamsAltered "params-altered" "/call-sc alters a parameter";
    NoSignatureCheck "no-signature-check" "no signature is verified";
    UnsignedAccepted "unsigned-accepted" "a call without signers needs no signature";
    FirstSignatureOnly "first-signature-only" "only the first of several signatures is verified";
    KnownCodeAccepted "known-code-accepted" "a different transaction with a known trans_code counts as the known one";
    ResubmissionNew "resubmission-new" "a transaction in a block counts as new when it is submitted again";
    RefusedStored "refused-stored" "refused transactions are stored two blocks later";
    AcceptedLost "accepted-lost" "accepted transactions never get into a block";
    RemarksCut "remarks-cut" "the last character of a claim's remarks is lost";
    FeeTwice "fee-twice" "the fee is taken twice";
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
        assert_eq!(names.len(), InjectedFault::all().count());
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
