//! Requests for the record of a claim.

use std::time::{Duration, Instant};

use nodeproof_client::{AddVerification, Client, Error, ErrorKind};
use nodeproof_primitives::{ContractAddress, WalletAddress};

use crate::read_back::ReadBack;

/// The shortest pause between two requests, even if the options set a shorter one.
const MIN_PAUSE: Duration = Duration::from_millis(1);

/// The time to wait for a record, and the pauses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    pub(crate) wait: Duration,
    pub(crate) first_pause: Duration,
    pub(crate) longest_pause: Duration,
}

/// Checks once whether a claim is recorded.
///
/// It requests the records of the asset. If the node shows only other verifiers' records, it also
/// requests those of the claim's verifier.
///
/// # Errors
/// If there is no response, or it contains neither rows nor objects. A response that means
/// [no such record](Error::is_absent) is not an error.
///
/// ```no_run
/// # async fn example(
/// #     node: nodeproof_client::Client,
/// #     contract: nodeproof_client::nodeproof_primitives::ContractAddress,
/// #     claim: nodeproof_client::AddVerification,
/// # ) -> Result<(), nodeproof_client::Error> {
/// use nodeproof_claims::{ReadBack, find_claim, wait_for_claim};
/// use std::time::Duration;
///
/// let mut seen = find_claim(&node, contract, &claim).await?;
/// if !seen.is_final() {
///     let pauses = (Duration::from_millis(500), Duration::from_secs(5));
///     seen = wait_for_claim(&node, contract, &claim, Duration::from_secs(60), pauses).await?;
/// }
/// if let ReadBack::Differs { differences, .. } = &seen {
///     for difference in differences {
///         println!("{difference}");
///     }
/// }
/// # Ok(())
/// # }
/// ```
pub async fn find_claim(
    client: &Client,
    contract: ContractAddress,
    claim: &AddVerification,
) -> Result<ReadBack, Error> {
    search_once(client, contract, claim, &[claim.verifier_address]).await
}

/// Waits until a claim is recorded, its state is final, or the time is over. Returns the last
/// state seen.
///
/// The pauses between requests start at `first_pause` and grow by half each time, up to
/// `longest_pause`.
///
/// # Errors
/// If the last request failed. An earlier failure does not end the wait: a node that takes
/// transactions can occasionally fail a request.
pub async fn wait_for_claim(
    client: &Client,
    contract: ContractAddress,
    claim: &AddVerification,
    wait: Duration,
    (first_pause, longest_pause): (Duration, Duration),
) -> Result<ReadBack, Error> {
    let patience = Patience {
        wait,
        first_pause,
        longest_pause,
    };
    let verifiers = [claim.verifier_address];
    wait_with_progress(client, contract, claim, &verifiers, patience, |_, _| {}).await
}

/// Waits for a record. After each request but the last, it calls `on_look` with the state and the
/// time left.
pub(crate) async fn wait_with_progress(
    client: &Client,
    contract: ContractAddress,
    claim: &AddVerification,
    verifiers: &[WalletAddress],
    patience: Patience,
    on_look: impl Fn(&ReadBack, Duration),
) -> Result<ReadBack, Error> {
    let started = Instant::now();
    let mut pause = patience.first_pause;
    // The first request may take its full time. Later requests end with the wait.
    let mut seen = search_once(client, contract, claim, verifiers).await;
    loop {
        let left = patience.wait.saturating_sub(started.elapsed());
        match &seen {
            Ok(state) if state.is_final() => return seen,
            // Nothing was sent, and another attempt would not change that.
            Err(error) if error.kind() == ErrorKind::Configuration => return seen,
            _ if left.is_zero() => return seen,
            Ok(state) => on_look(state, left),
            Err(error) => tracing::debug!(%error, "looking again"),
        }
        tokio::time::sleep(pause.min(left).max(MIN_PAUSE)).await;
        let longest_pause = patience.longest_pause.max(MIN_PAUSE);
        pause = (pause + pause / 2).clamp(MIN_PAUSE, longest_pause);

        let left = patience.wait.saturating_sub(started.elapsed());
        let search = search_once(client, contract, claim, verifiers);
        match tokio::time::timeout(left.max(MIN_PAUSE), search).await {
            // A request that ran out of time shows nothing.
            Err(_elapsed) => return seen,
            Ok(latest) => seen = latest,
        }
    }
}

/// Searches once for the record of a claim. The node stores one of `verifiers` as its verifier.
pub(crate) async fn search_once(
    client: &Client,
    contract: ContractAddress,
    claim: &AddVerification,
    verifiers: &[WalletAddress],
) -> Result<ReadBack, Error> {
    let records = client
        .verifications(contract, "asset_id", &claim.asset_id)
        .await?;
    let seen = ReadBack::of(records, contract, claim, verifiers);
    if !matches!(seen, ReadBack::OtherVerifiers(_)) {
        return Ok(seen);
    }
    // The specification documents only the column `asset_id`, so this request may fail.
    for verifier in verifiers {
        let verifier = verifier.to_string();
        if let Ok(records) = client
            .verifications(contract, "verifier_address", &verifier)
            .await
        {
            let own = ReadBack::of(records, contract, claim, verifiers);
            if own.is_final() {
                return Ok(own);
            }
        }
    }
    Ok(seen)
}
