//! Requirements that no case tests, each with the reason.

/// Requirements without a case, and the reasons.
pub(crate) const UNTESTED: &[(&str, &str)] = &[
    (
        "NODE-2",
        "The operator chooses the port. A proxy, a container or a test may need another one. The user \
         names the node's base URL, and a run works with any port.",
    ),
    (
        "TX-9",
        "The specification shows the params, and not what the function does, or the contract. On a devnet, a run that makes \
         several claims also transfers tokens, if it finds the contract, and `submit-transaction/fee-paid` judges the balances.",
    ),
    (
        "RECORD-3",
        "The specification does not give the address. The run finds verification contracts in blocks, or the \
         user names one with `--fixture` or `--contract`.",
    ),
];

/// Returns the reason why no case tests the requirement, if none does.
#[must_use]
pub fn untested(id: &str) -> Option<&'static str> {
    let found = UNTESTED.iter().find(|(known, _)| *known == id);
    found.map(|(_, reason)| *reason)
}
