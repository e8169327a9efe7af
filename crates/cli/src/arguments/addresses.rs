//! Addresses on the command line.

use nodeproof_primitives::{ContractAddress, WalletAddress};

use nodeproof_primitives::redact::looks_like_a_key;

/// Parses a wallet address. The error explains contract addresses and upper-case characters.
pub(crate) fn wallet_address(text: &str) -> Result<WalletAddress, String> {
    no_key(text)?;
    text.parse()
        .map_err(|error: nodeproof_primitives::ParseHexError| {
            if text.parse::<ContractAddress>().is_ok() {
                "this is a contract address; expected a wallet address: 0x and 40 lower-case \
                 hexadecimal digits"
                    .to_owned()
            } else {
                in_lower_case::<WalletAddress>(text).unwrap_or_else(|| error.to_string())
            }
        })
}

/// Parses a contract address. The error explains wallet addresses and upper-case characters.
pub(crate) fn contract_address(text: &str) -> Result<ContractAddress, String> {
    no_key(text)?;
    text.parse()
        .map_err(|error: nodeproof_primitives::ParseHexError| {
            if text.parse::<WalletAddress>().is_ok() {
                "this is a wallet address; expected a contract address: ct and 40 lower-case \
                 hexadecimal digits"
                    .to_owned()
            } else {
                in_lower_case::<ContractAddress>(text).unwrap_or_else(|| error.to_string())
            }
        })
}

/// Rejects a private key without repeating it.
fn no_key(text: &str) -> Result<(), String> {
    if looks_like_a_key(text) {
        return Err(
            "expected an address: a prefix of two characters and 40 lower-case hexadecimal \
             digits"
                .to_owned(),
        );
    }
    Ok(())
}

fn in_lower_case<T: std::str::FromStr>(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    lower
        .parse::<T>()
        .is_ok()
        .then(|| format!("addresses are written in lower case: {lower}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_the_wrong_kind_is_called_that() {
        let (wallet, contract) = (
            format!("0x{}", "ab".repeat(20)),
            format!("ct{}", "ab".repeat(20)),
        );
        assert!(
            wallet_address(&contract)
                .unwrap_err()
                .contains("this is a contract address")
        );
        assert!(
            contract_address(&wallet)
                .unwrap_err()
                .contains("this is a wallet address")
        );
        assert_eq!(
            wallet_address(&wallet.to_uppercase().replace("0X", "0x")).unwrap_err(),
            format!("addresses are written in lower case: {wallet}")
        );
        assert!(wallet_address(&wallet[..41]).unwrap_err().contains("39"));
    }
}
