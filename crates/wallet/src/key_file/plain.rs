//! The plain form: `{"public": …, "private": …, "address": …}`, and `network` if it is known.

use nodeproof_primitives::Network;
use serde::{Deserialize, Deserializer};
use zeroize::Zeroizing;

use super::{
    claimed::{Claimed, address, network, public_key},
    fault::KeyFileFault,
    pem::Content,
};
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

pub(super) fn read(text: &str) -> Result<Content, KeyFileFault> {
    // An error of serde may quote the file, so only its position is used.
    let members: Members = serde_json::from_str(text).map_err(|error| KeyFileFault::Json {
        line: error.line(),
        column: error.column(),
    })?;
    let wallet = KeyPair::from_hex(hex::without_prefix(members.private.trim()))?;
    let claimed = Claimed {
        address: members.address.as_deref().map(address).transpose()?,
        public: members.public.as_deref().map(public_key).transpose()?,
        network: members.network.as_deref().map(network).transpose()?,
    };
    if claimed.address.is_none() && claimed.public.is_none() {
        return Err(KeyFileFault::Unchecked);
    }
    claimed.check(&wallet)?;
    Ok(Content::Open {
        wallet,
        network: claimed.network,
    })
}

/// Returns the text of a plain key file.
pub(super) fn text_of(wallet: &KeyPair, network: Option<Network>) -> Zeroizing<String> {
    let private = wallet.private_key().reveal();
    let (public, address) = (
        wallet.public_key().to_string(),
        wallet.address().to_string(),
    );
    // The capacity is sufficient from the start. Growing would leave a copy behind.
    let mut text = Zeroizing::new(String::with_capacity(512));
    for part in [
        "{\"public\": \"",
        &public,
        "\", \"private\": \"",
        private.as_str(),
        "\", \"address\": \"",
        &address,
        &network.map_or_else(String::new, |network| {
            format!("\", \"network\": \"{network}")
        }),
        "\"}\n",
    ] {
        text.push_str(part);
    }
    text
}
