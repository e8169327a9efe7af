//! The nodes that the command line names.

use nodeproof_files::{parent_folder, read_text};
use nodeproof_primitives::WalletAddress;

use super::{
    access::{access, add_access},
    args::{CheckArgs, ConformanceArgs},
    error::UsageError,
    options_from_args::{MAX_INPUT, target},
    targets::from_toml,
};
use crate::{api::Tier, http::Target};

/// Returns the nodes that the command line names, each once.
pub(crate) fn named_targets(args: &CheckArgs) -> Result<Vec<Target>, UsageError> {
    let mut targets = match &args.targets {
        Some(path) => {
            let wrong =
                |reason: String| UsageError::file("the nodes in {} can't be used", path, reason);
            let text = read_text(path, MAX_INPUT).map_err(|error| wrong(error.to_string()))?;
            let named = from_toml(&text).map_err(wrong)?;
            let folder = parent_folder(path);
            let named = named.into_iter().map(|named| {
                let network = named.network.or(args.network);
                let mut target = target(&named.base_url, network)?;
                target.access = access(&named.headers, &named.files(), folder)?;
                target.name = named.name;
                target.labels = named.labels.into_iter().collect();
                Ok::<_, UsageError>(target)
            });
            named.collect::<Result<Vec<_>, _>>()?
        }
        None => {
            let urls = args.base_url.iter();
            urls.map(|url| target(url, args.network))
                .collect::<Result<_, _>>()?
        }
    };
    add_access(args, &mut targets)?;
    no_keys_in_headers(&targets, &[])?;
    for (place, target) in targets.iter().enumerate() {
        let same = |other: &Target| other.base_url == target.base_url;
        if targets[..place].iter().any(same) {
            return Err(UsageError::Twice(target.base_url.to_string()));
        }
        if target.network != targets[0].network {
            return Err(UsageError::NetworkMismatch {
                one: targets[0].network,
                other: target.network,
            });
        }
    }
    if targets.len() > MAX_NODES {
        return Err(UsageError::TooMany(targets.len()));
    }
    Ok(targets)
}

/// Rejects headers that contain a key file, or the private key of one of these wallets.
pub(crate) fn no_keys_in_headers(
    targets: &[Target],
    wallets: &[WalletAddress],
) -> Result<(), UsageError> {
    let mut found = targets
        .iter()
        .filter_map(|target| target.access.exposed_key(wallets));
    match found.next() {
        Some((name, found)) => Err(UsageError::HeaderKey { name, found }),
        None => Ok(()),
    }
}

/// Rejects options that only work with a single node.
pub(crate) fn for_one_node(args: &ConformanceArgs, targets: &[Target]) -> Result<(), UsageError> {
    let one_only = [
        (
            args.check.allow.iter().any(|tier| *tier > Tier::Read),
            "--allow with more than read",
        ),
        (args.baseline.is_some(), "--baseline"),
        (args.state.is_some(), "--state"),
        (!args.merge.is_empty(), "--merge"),
        (args.watch.is_some(), "--watch"),
    ];
    if let (2.., Some((_, what))) = (
        targets.len(),
        one_only.into_iter().find(|(given, _)| *given),
    ) {
        return Err(UsageError::OneNodeOnly(what));
    }
    Ok(())
}

/// Maximum number of nodes in one run.
const MAX_NODES: usize = 32;
