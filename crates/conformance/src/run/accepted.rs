//! What the user's wallets have paid for in a run that was stopped.

use nodeproof_primitives::escape::escaped_up_to as shown;

use crate::{
    api::Transaction,
    context::{SigningWallet, Submitting},
    history::{Entry, History},
};

/// Returns a note about the transactions of the user's wallets that the node has accepted, if there are any, or whose
/// response did not arrive. `without_response` is the number of such submissions.
pub(super) fn note_of_accepted(
    history: &History,
    with: &Submitting,
    without_response: u64,
) -> Option<String> {
    let wallets = with.wallet.iter().chain(&with.co_signer);
    let wallets: Vec<_> = wallets
        .map(|wallet| SigningWallet::address(wallet).to_string())
        .collect();
    let mut codes = Vec::new();
    for (_, transaction) in history.accepted() {
        let code = transaction.code().unwrap_or_default();
        let is_own = wallets.iter().any(|wallet| transaction.has_signer(wallet));
        if is_own && !codes.contains(&code) {
            codes.push(code);
        }
    }
    let is_under_way = !wallets.is_empty() && without_response > 0;
    if codes.is_empty() {
        let unknown = "the run ended before the response to a submission arrived: if one of your wallets signed it, it may \
                       cost its fee";
        return is_under_way.then(|| unknown.to_owned());
    }
    let more = match codes.len().checked_sub(MOST) {
        Some(more @ 1..) => format!(", and {more} more"),
        _ => String::new(),
    };
    let listed: Vec<_> = codes
        .iter()
        .take(MOST)
        .map(|code| shown(code, 60))
        .collect();
    let last = match is_under_way {
        true => "; the response to another submission did not arrive",
        false => "",
    };
    Some(format!(
        "before the run ended, the node accepted {} of your wallets, which may cost fees: {}{more}{last}",
        match codes.len() {
            1 => "a transaction".to_owned(),
            count => format!("{count} transactions"),
        },
        listed.join(", ")
    ))
}

/// Maximum number of transactions that a note names.
const MOST: usize = 4;

/// The note of a run whose transfers were all refused.
const NO_TRANSFER: &str = "the node accepted no transfer, so what transfers do to balances was not judged: no block that the \
    run has read shows their contract; name it in a fixture, in `contracts`";

/// Returns a note if the node has refused all transfers.
pub(super) fn note_of_transfers(history: &History) -> Option<String> {
    let sent = history.submissions().flat_map(Entry::submissions);
    let mut sent = sent.filter_map(Transaction::of);
    let is_refused = || !history.accepted().any(|(_, one)| one.is_transfer());
    (sent.any(Transaction::is_transfer) && is_refused()).then(|| NO_TRANSFER.to_owned())
}
