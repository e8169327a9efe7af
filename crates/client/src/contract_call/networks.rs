//! The networks of signers.

use nodeproof_primitives::{Network, Signer};

use crate::InputError;

/// Checks that no signer's wallet is bound to another network than this one. `None` is an unknown
/// network, which every wallet may sign for.
///
/// There is no chain ID: a transaction that was signed on one network can be submitted on another.
/// [`Client::call`](crate::Client::call) checks this for the network whose nodes listen on the port
/// of the base URL.
///
/// # Errors
/// If a wallet is bound to another network.
///
/// ```
/// use nodeproof_client::{contract_call::check_networks, Network};
/// use nodeproof_wallet::KeyPair;
///
/// let wallet = KeyPair::from_bytes(&[1; 32])?.for_network(Some(Network::Testnet));
/// assert!(check_networks(&[&wallet], Some(Network::Testnet)).is_ok());
/// let error = check_networks(&[&wallet], Some(Network::Devnet)).unwrap_err();
/// assert!(error.to_string().ends_with("is bound to testnet, and the node is one of devnet"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_networks(signers: &[&dyn Signer], network: Option<Network>) -> Result<(), InputError> {
    let Some(network) = network else {
        return Ok(());
    };
    for signer in signers {
        if let Some(other) = signer.network().filter(|other| *other != network) {
            return Err(InputError::other_network(format!(
                "wallet {} is bound to {other}, and the node is one of {network}",
                signer.wallet_address()
            )));
        }
    }
    Ok(())
}
