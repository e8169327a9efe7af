//! The plain form: `{"public": …, "private": …, "address": …}`.

use nodeproof_primitives::WalletAddress;
use serde::{Deserialize, Deserializer};
use zeroize::Zeroizing;

use super::{Claimed, KeyFileFault};
use crate::{KeyPair, PublicKey, hex};

#[derive(Deserialize)]
struct Members {
    public: Option<String>,
    #[serde(deserialize_with = "secret")]
    private: Zeroizing<String>,
    address: Option<String>,
}

/// Takes a text that is wiped even where a later member turns out to be wrong.
fn secret<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Zeroizing<String>, D::Error> {
    String::deserialize(deserializer).map(Zeroizing::new)
}

pub(super) fn read(text: &str) -> Result<KeyPair, KeyFileFault> {
    // What serde says may quote the file, so only the place is kept.
    let members: Members = serde_json::from_str(text).map_err(|error| KeyFileFault::Json {
        line: error.line(),
        column: error.column(),
    })?;
    let wallet = KeyPair::from_hex(hex::without_prefix(members.private.trim()))?;
    let claimed = Claimed {
        address: members.address.as_deref().map(address).transpose()?,
        public: members.public.as_deref().map(public_key).transpose()?,
    };
    if claimed.address.is_none() && claimed.public.is_none() {
        return Err(KeyFileFault::Unchecked);
    }
    claimed.check(&wallet)?;
    Ok(wallet)
}

/// Reads an address in either case, as some tools mix them for a checksum.
pub(super) fn address(text: &str) -> Result<WalletAddress, KeyFileFault> {
    text.trim()
        .to_ascii_lowercase()
        .parse()
        .map_err(|_| KeyFileFault::Malformed { what: "an address" })
}

pub(super) fn public_key(text: &str) -> Result<PublicKey, KeyFileFault> {
    hex::without_prefix(text.trim())
        .parse()
        .map_err(|_| KeyFileFault::Malformed {
            what: "a public key",
        })
}

pub(super) fn text_of(wallet: &KeyPair) -> Zeroizing<String> {
    let private = wallet.private_key().reveal();
    let (public, address) = (
        wallet.public_key().to_string(),
        wallet.address().to_string(),
    );
    // With room for all of it from the start, no copy is left behind by growing.
    let mut text = Zeroizing::new(String::with_capacity(512));
    for part in [
        "{\"public\": \"",
        &public,
        "\", \"private\": \"",
        private.as_str(),
        "\", \"address\": \"",
        &address,
        "\"}\n",
    ] {
        text.push_str(part);
    }
    text
}
