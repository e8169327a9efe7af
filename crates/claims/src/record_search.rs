//! Requests for the record of a claim.

use std::time::{Duration, Instant};

use nodeproof_client::{AddVerification, Client, Error, ErrorKind};
use nodeproof_primitives::{ContractAddress, WalletAddress, doubled_pause};

use crate::read_back::ReadBack;

/// The shortest pause between two requests, even if the options set a shorter one.
const MIN_PAUSE: Duration = Duration::from_millis(1);
/// The longest pause, as a multiple of the first one.
const LONGEST: u32 = 10;

/// Waits until a claim is recorded, its state is final, or the time is over. Returns the last state seen.
/// If `wait` is zero, it checks once.
///
/// A check requests the records of the asset. If the node shows only other verifiers' records, it also
/// requests those of the claim's verifier. The first pause between two checks is `interval`. Pauses double
/// up to ten times `interval`, and are shortened by a random part of up to a quarter.
///
/// # Errors
/// If the last request failed: there was no response, or it contains neither rows nor objects. An earlier
/// failure does not end the wait: a node that takes transactions can occasionally fail a request. A
/// response that means [no such record](Error::is_absent) is not an error.
///
/// ```no_run
/// # async fn example(
/// #     node: nodeproof_client::Client,
/// #     contract: nodeproof_client::ContractAddress,
/// #     claim: nodeproof_client::AddVerification,
/// # ) -> Result<(), nodeproof_client::Error> {
/// use nodeproof_claims::{ReadBack, wait_for_claim};
/// use std::time::Duration;
///
/// let (wait, interval) = (Duration::from_secs(60), Duration::from_millis(500));
/// let seen = wait_for_claim(&node, contract, &claim, wait, interval).await?;
/// if let ReadBack::Differs { differences, .. } = &seen {
///     for difference in differences {
///         println!("{difference}");
///     }
/// }
/// # Ok(())
/// # }
/// ```
pub async fn wait_for_claim(
    client: &Client,
    contract: ContractAddress,
    claim: &AddVerification,
    wait: Duration,
    interval: Duration,
) -> Result<ReadBack, Error> {
    let verifiers = [claim.verifier_address];
    let search = || search_once(client, contract, claim, &verifiers);
    wait_with_progress(search, wait, interval, |_, _| {}).await
}

/// Repeats a search until its result is final or the time is over. After each search but the last, it calls
/// `on_look` with the state and the time left.
pub(crate) async fn wait_with_progress<F: Future<Output = Result<ReadBack, Error>>>(
    search: impl Fn() -> F,
    wait: Duration,
    interval: Duration,
    on_look: impl Fn(&ReadBack, Duration),
) -> Result<ReadBack, Error> {
    let started = Instant::now();
    let interval = interval.max(MIN_PAUSE);
    // The first search may take its full time. Later searches end with the wait.
    let mut seen = search().await;
    for earlier in 0.. {
        let left = wait.saturating_sub(started.elapsed());
        match &seen {
            Ok(state) if state.is_final() => break,
            // Nothing was sent, and another attempt would not change that.
            Err(error) if error.kind() == ErrorKind::Configuration => break,
            _ if left.is_zero() => break,
            Ok(state) => on_look(state, left),
            Err(error) => tracing::debug!(%error, "looking again"),
        }
        let pause = doubled_pause(interval, interval.saturating_mul(LONGEST), earlier);
        tokio::time::sleep(pause.min(left)).await;
        let left = wait.saturating_sub(started.elapsed()).max(MIN_PAUSE);
        match tokio::time::timeout(left, search()).await {
            // A search that ran out of time shows nothing.
            Err(_elapsed) => break,
            Ok(latest) => seen = latest,
        }
    }
    seen
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
