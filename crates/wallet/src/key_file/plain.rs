//! The plain form: `{"public": …, "private": …, "address": …}`, and `network` if it is known.

use nodeproof_primitives::{Network, Signer as _};
use serde::{Deserialize, Deserializer};
use zeroize::Zeroizing;

use super::{claimed::Claimed, fault::KeyFileFault};
use crate::{hex, private_key::KeyPair};

#[derive(Deserialize)]
struct Members {
    public: Option<String>,
    #[serde(deserialize_with = "secret")]
    private: Zeroizing<String>,
    address: Option<String>,
    network: Option<String>,
}

/// Reads a text into memory that is erased even if a later member is wrong.
fn secret<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Zeroizing<String>, D::Error> {
    String::deserialize(deserializer).map(Zeroizing::new)
}

pub(super) fn read(text: &str) -> Result<KeyPair, KeyFileFault> {
    // An error of serde may quote the file, so only its position is used.
    let members: Members = serde_json::from_str(text).map_err(|error| {
        KeyFileFault::Invalid(format!(
            "is not a key file: a JSON object with the members public, private and address, in \
             hexadecimal, is expected (line {}, column {})",
            error.line(),
            error.column()
        ))
    })?;
    let wallet = KeyPair::from_hex(hex::without_prefix(members.private.trim()))?;
    let claimed = Claimed::parse(
        members.address.as_deref(),
        members.public.as_deref(),
        members.network.as_deref(),
    )?;
    if claimed.address.is_none() {
        return Err(KeyFileFault::Invalid(
            "names neither address nor public key beside its private key, so a typo in the key \
             would go unnoticed: add the member address"
                .to_owned(),
        ));
    }
    claimed.check(&wallet)?;
    Ok(wallet.for_network(claimed.network))
}

/// Returns the text of a plain key file.
pub(super) fn text_of(wallet: &KeyPair) -> Zeroizing<String> {
    let private = wallet.private_key().reveal();
    let (public, address) = (
        wallet.public_key().to_string(),
        wallet.address().to_string(),
    );
    let network = wallet.network().map_or("", Network::name);
    let before_network = if network.is_empty() {
        ""
    } else {
        "\", \"network\": \""
    };
    // The capacity is sufficient from the start. Growing would leave a copy behind.
    let mut text = Zeroizing::new(String::with_capacity(512));
    for part in [
        "{\"public\": \"",
        &public,
        "\", \"private\": \"",
        private.as_str(),
        "\", \"address\": \"",
        &address,
        before_network,
        network,
        "\"}\n",
    ] {
        text.push_str(part);
    }
    text
}
