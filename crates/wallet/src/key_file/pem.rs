//! Encrypted private keys: PKCS#8 in PEM, with the wallet's public data above it as text.

use nodeproof_primitives::Signer as _;
use pkcs8::{
    AlgorithmIdentifierRef, EncryptedPrivateKeyInfoRef, LineEnding, ObjectIdentifier,
    PrivateKeyInfoRef, SecretDocument,
    der::{Decode as _, Encode as _, asn1::OctetStringRef, pem::PemLabel},
    pkcs5::{
        self,
        pbes2::{self, Kdf},
        scrypt,
    },
};
use sec1::{ALGORITHM_OID, EcPrivateKey};
use zeroize::Zeroizing;

use super::{claimed::Claimed, fault::KeyFileFault};
use crate::{
    private_key::{GenerateError, KeyPair},
    public_key::PublicKey,
};

const BEGIN: &str = "-----BEGIN ENCRYPTED PRIVATE KEY-----";
const END: &str = "-----END ENCRYPTED PRIVATE KEY-----";
/// The end of the first and of the last line of every private key in PEM.
const PRIVATE_KEY: &str = "PRIVATE KEY-----";

/// The curve secp256k1 (SEC 2, A.2.1).
const SECP256K1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.132.0.10");

/// The first line above an encrypted key. Names and values follow.
const TITLE: &str = "Wallet, encrypted with a passphrase";
const ADDRESS: &str = "Address";
const PUBLIC_KEY: &str = "Public-Key";
const NETWORK: &str = "Network";

/// The scrypt parameters of the files written here: log₂ N, r and p.
///
/// They need 16 MiB and five rounds. More memory and fewer rounds would be as strong, but
/// `openssl` allows at most 32 MiB for a key file.
const COST: (u8, u32, u32) = (14, 8, 5);
/// The maximum memory for scrypt, in bytes: 128·N·r.
const MAX_MEMORY: u64 = 256 << 20;
/// The maximum work for scrypt, N·r·p: about 25 times that of [`COST`].
const MAX_WORK: u64 = 1 << 24;
/// The maximum number of PBKDF2 rounds.
const MAX_ROUNDS: u32 = 10_000_000;

/// An encrypted key, and the text above it.
pub(super) struct EncryptedKey {
    /// An `EncryptedPrivateKeyInfo` whose cost is within the limits.
    document: SecretDocument,
    pub(super) claimed: Claimed,
}

/// Reads the encrypted key in a text.
pub(super) fn read(text: &str) -> Result<EncryptedKey, KeyFileFault> {
    let (above, key) = text
        .find(BEGIN)
        .map(|at| text.split_at(at))
        .ok_or_else(|| {
            if text.contains(PRIVATE_KEY) {
                KeyFileFault::Unsupported
            } else {
                KeyFileFault::Invalid(
                    "is not a key file: a JSON object with the members public, private and \
                     address, in hexadecimal, or an encrypted private key in PEM is expected"
                        .to_owned(),
                )
            }
        })?;
    // The first and the last line of one key.
    if text.matches(PRIVATE_KEY).count() > 2 {
        return Err(KeyFileFault::Invalid(
            "holds several private keys, so it is not clear which one to use: give each one a file"
                .to_owned(),
        ));
    }
    let (key, _) = key
        .find(END)
        .map(|at| key.split_at(at + END.len()))
        .ok_or(KeyFileFault::Unsupported)?;
    let (_, document) = SecretDocument::from_pem(key).map_err(|_| KeyFileFault::Unsupported)?;
    let algorithm = info(&document)?.encryption_algorithm;
    check_cost(&algorithm.pbes2().ok_or(KeyFileFault::Unsupported)?.kdf)?;
    Ok(EncryptedKey {
        document,
        claimed: claimed_above(above)?,
    })
}

/// Reads the names and values above an encrypted key. Other text there is ignored.
fn claimed_above(above: &str) -> Result<Claimed, KeyFileFault> {
    let value = |wanted: &str| {
        let mut lines = above.lines().filter_map(|line| line.split_once(':'));
        let found = lines.find(|(name, _)| name.trim() == wanted);
        found.map(|(_, value)| value)
    };
    Claimed::parse(value(ADDRESS), value(PUBLIC_KEY), value(NETWORK))
}

fn info(document: &SecretDocument) -> Result<EncryptedPrivateKeyInfoRef<'_>, KeyFileFault> {
    EncryptedPrivateKeyInfoRef::try_from(document.as_bytes()).map_err(|_| KeyFileFault::Unsupported)
}

/// Checks that decrypting the key takes no more memory and time than the limits allow.
fn check_cost(kdf: &Kdf) -> Result<(), KeyFileFault> {
    let (requested, limit) = match kdf {
        Kdf::Scrypt(scrypt) => {
            // RFC 7914: N is a power of two above 1. The library panics at 0.
            let n = scrypt.cost_parameter;
            if n < 2 || !n.is_power_of_two() {
                return Err(KeyFileFault::Unsupported);
            }
            let (r, p) = (scrypt.block_size.into(), scrypt.parallelization.into());
            let memory = n.saturating_mul(r).saturating_mul(128);
            let work = n.saturating_mul(r).saturating_mul(p);
            if memory > MAX_MEMORY {
                (format!("{memory} bytes of memory"), MAX_MEMORY)
            } else if work > MAX_WORK {
                (format!("scrypt with N·r·p = {work}"), MAX_WORK)
            } else {
                return Ok(());
            }
        }
        Kdf::Pbkdf2(pbkdf2) if pbkdf2.iteration_count > MAX_ROUNDS => (
            format!("{} rounds of PBKDF2", pbkdf2.iteration_count),
            MAX_ROUNDS.into(),
        ),
        Kdf::Pbkdf2(_) => return Ok(()),
        _ => return Err(KeyFileFault::Unsupported),
    };
    Err(KeyFileFault::TooCostly { requested, limit })
}

impl EncryptedKey {
    pub(super) fn decrypt(&self, passphrase: &str) -> Result<KeyPair, KeyFileFault> {
        let decrypted = info(&self.document)?
            .decrypt(passphrase)
            .map_err(|error| match error {
                pkcs8::Error::EncryptedPrivateKey(error)
                    if error != pkcs5::Error::DecryptFailed =>
                {
                    KeyFileFault::Unsupported
                }
                _ => KeyFileFault::WrongPassphrase,
            })?;
        // About one in several hundred wrong passphrases leaves valid padding around random bytes.
        let info = PrivateKeyInfoRef::try_from(decrypted.as_bytes())
            .map_err(|_| KeyFileFault::WrongPassphrase)?;
        let wallet = wallet_of(&info)?;
        self.claimed.check(&wallet)?;
        Ok(wallet.for_network(self.claimed.network))
    }
}

fn wallet_of(info: &PrivateKeyInfoRef<'_>) -> Result<KeyPair, KeyFileFault> {
    let other_kind = || {
        KeyFileFault::Invalid(
            "holds a key of another kind: wallets of this network have keys of secp256k1"
                .to_owned(),
        )
    };
    info.algorithm
        .assert_oids(ALGORITHM_OID, SECP256K1)
        .map_err(|_| other_kind())?;
    let key = EcPrivateKey::from_der(info.private_key.as_bytes()).map_err(|_| other_kind())?;
    let wallet = KeyPair::from_bytes(key.private_key.try_into().map_err(|_| other_kind())?)?;
    if key
        .public_key
        .is_some_and(|public| PublicKey::from_sec1(public).as_ref() != Ok(wallet.public_key()))
    {
        return Err(KeyFileFault::Mismatch {
            part: "a private key",
            other: "public key",
        });
    }
    Ok(wallet)
}

/// Returns the text of a key file for a wallet, encrypted with a passphrase.
pub(super) fn text_of(
    wallet: &KeyPair,
    passphrase: &str,
) -> Result<Zeroizing<String>, KeyFileFault> {
    if passphrase.is_empty() {
        return Err(KeyFileFault::Encrypt("the passphrase is empty".to_owned()));
    }
    let (mut salt, mut iv) = ([0; 16], [0; 16]);
    for bytes in [&mut salt, &mut iv] {
        getrandom::fill(bytes)
            .map_err(|error| KeyFileFault::Encrypt(GenerateError(error).to_string()))?;
    }
    let encrypted = encrypted(wallet, passphrase, &salt, iv)
        .map_err(|error| KeyFileFault::Encrypt(error.to_string()))?;
    let mut text = Zeroizing::new(format!(
        "{TITLE}\n{ADDRESS}: {}\n{PUBLIC_KEY}: {}\n",
        wallet.address(),
        wallet.public_key()
    ));
    if let Some(network) = wallet.network() {
        text.push_str(&format!("{NETWORK}: {network}\n"));
    }
    text.push_str(&encrypted);
    Ok(text)
}

fn encrypted(
    wallet: &KeyPair,
    passphrase: &str,
    salt: &[u8; 16],
    iv: [u8; 16],
) -> pkcs8::Result<Zeroizing<String>> {
    let (log_n, r, p) = COST;
    let costs = scrypt::Params::new(log_n, r, p).map_err(|_| pkcs8::Error::ParametersMalformed)?;
    let scheme = pbes2::Parameters::generate_scrypt_aes256cbc(costs, salt, iv)?;
    let sec1 = EcPrivateKey {
        private_key: wallet.private_key().as_bytes(),
        // PKCS#8 names the curve in its algorithm.
        parameters: None,
        public_key: Some(&wallet.public_key().to_sec1()),
    };
    let sec1 = Zeroizing::new(sec1.to_der()?);
    let algorithm = AlgorithmIdentifierRef {
        oid: ALGORITHM_OID,
        parameters: Some((&SECP256K1).into()),
    };
    let sealed = PrivateKeyInfoRef::new(algorithm, OctetStringRef::new(&sec1)?)
        .encrypt_with_params(scheme, passphrase)?;
    Ok(sealed.to_pem(EncryptedPrivateKeyInfoRef::PEM_LABEL, LineEnding::LF)?)
}

#[cfg(test)]
mod tests {
    use pkcs8::pkcs5::pbes2::{Pbkdf2Params, Salt, ScryptParams};

    use super::*;

    fn scrypt(cost_parameter: u64, block_size: u16, parallelization: u16) -> Kdf {
        Kdf::Scrypt(ScryptParams {
            salt: Salt::new([0; 16]).unwrap(),
            cost_parameter,
            block_size,
            parallelization,
            key_length: None,
        })
    }

    fn pbkdf2(rounds: u32) -> Kdf {
        Kdf::Pbkdf2(Pbkdf2Params::hmac_sha256(rounds, &[0; 16]).unwrap())
    }

    #[test]
    fn costly_and_invalid_parameters_are_rejected() {
        let (log_n, r, p) = COST;
        let ours = scrypt(1 << log_n, r.try_into().unwrap(), p.try_into().unwrap());
        for kdf in [
            ours,
            scrypt(1 << 17, 8, 1),
            scrypt(1 << 18, 8, 8),
            pbkdf2(600_000),
        ] {
            assert!(check_cost(&kdf).is_ok(), "{kdf:?}");
        }
        for kdf in [
            scrypt(1 << 19, 8, 1),
            scrypt(1 << 63, 8, 1),
            scrypt(1 << 63, u16::MAX, u16::MAX),
            scrypt(1 << 18, 8, 9),
            scrypt(1 << 10, 1, u16::MAX),
            pbkdf2(MAX_ROUNDS + 1),
        ] {
            let fault = check_cost(&kdf).unwrap_err();
            assert!(matches!(fault, KeyFileFault::TooCostly { .. }), "{kdf:?}");
        }
        for n in [0, 1, 3] {
            let fault = check_cost(&scrypt(n, 8, 1)).unwrap_err();
            assert!(matches!(fault, KeyFileFault::Unsupported), "{n}");
        }
    }
}
