//! Private keys in PEM: the encrypted form, and unencrypted forms that are read but not written.

use nodeproof_primitives::Network;
use pkcs8::{
    AlgorithmIdentifierRef, EncryptedPrivateKeyInfoRef, LineEnding, ObjectIdentifier,
    PrivateKeyInfoRef, SecretDocument,
    der::{
        Decode as _, Encode as _, Reader as _, SliceReader,
        asn1::OctetStringRef,
        pem::{self, PemLabel},
    },
    pkcs5::{self, pbes2, scrypt},
};
use sec1::{ALGORITHM_OID, EcPrivateKey};
use zeroize::Zeroizing;

use super::{
    claimed::{self, Claimed},
    cost,
    fault::KeyFileFault,
};
use crate::{
    private_key::{GenerateError, KeyPair},
    public_key::PublicKey,
};

const BEGIN: &str = "-----BEGIN ";

/// The curve secp256k1 (SEC 2, A.2.1).
const SECP256K1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.132.0.10");

/// The first line above an encrypted key. Names and values follow.
const TITLE: &str = "Wallet, encrypted with a passphrase";
const ADDRESS: &str = "Address";
const PUBLIC_KEY: &str = "Public-Key";
const NETWORK: &str = "Network";

/// The content of a key file.
pub(super) enum Content {
    Open {
        wallet: KeyPair,
        network: Option<Network>,
    },
    Sealed(Sealed),
}

/// An encrypted key, and the text above it.
pub(super) struct Sealed {
    /// An `EncryptedPrivateKeyInfo` whose cost is within the limits.
    document: SecretDocument,
    pub(super) claimed: Claimed,
}

pub(super) fn read(text: &str) -> Result<Content, KeyFileFault> {
    let above = &text[..first_begin(text).ok_or(KeyFileFault::Form)?];
    let claimed = claimed_above(above)?;
    let block = key_block(text)?;
    if block.contains("\nProc-Type:") {
        return Err(KeyFileFault::Unsupported);
    }
    let (label, document) = decoded(block).map_err(|_| KeyFileFault::Damaged {
        what: "its PEM is not in the form of RFC 7468",
    })?;
    match label {
        EncryptedPrivateKeyInfoRef::PEM_LABEL => {
            let sealed = Sealed { document, claimed };
            cost::check(scheme_of(&sealed.info()?)?)?;
            Ok(Content::Sealed(sealed))
        }
        "PRIVATE KEY" => {
            let info = PrivateKeyInfoRef::try_from(document.as_bytes()).map_err(|_| damaged())?;
            open(wallet_of(&info)?, &claimed)
        }
        "EC PRIVATE KEY" => open(from_sec1(document.as_bytes())?, &claimed),
        _ => Err(KeyFileFault::NoPrivateKey),
    }
}

fn open(wallet: KeyPair, claimed: &Claimed) -> Result<Content, KeyFileFault> {
    Ok(Content::Open {
        wallet: checked(wallet, claimed)?,
        network: claimed.network,
    })
}

/// Returns the block with the private key, from its first line on.
///
/// The file may have other blocks: `openssl ecparam -genkey` writes the curve's parameters first.
fn key_block(text: &str) -> Result<&str, KeyFileFault> {
    let begins: Vec<usize> = text.match_indices(BEGIN).map(|(at, _)| at).collect();
    let ends = begins.iter().skip(1).copied().chain([text.len()]);
    let blocks: Vec<&str> = begins
        .iter()
        .zip(ends)
        .filter_map(|(begin, end)| text.get(*begin..end))
        .collect();
    let is_key = |block: &&&str| {
        let first = block.lines().next().unwrap_or_default();
        first.trim_end().ends_with("PRIVATE KEY-----")
    };
    let keys = blocks.iter().filter(is_key).count();
    if keys > 1 {
        return Err(KeyFileFault::MultipleKeys { count: keys });
    }
    let block = blocks.iter().find(is_key).or(blocks.last());
    Ok(block.map_or(text, |block| block.trim_end()))
}

/// Decodes a block into its label and content. Its lines may have 64 characters or another length.
fn decoded(block: &str) -> pkcs8::der::Result<(&str, SecretDocument)> {
    if let Ok(read) = SecretDocument::from_pem(block) {
        return Ok(read);
    }
    let mut decoder = pem::Decoder::new_detect_wrap(block.as_bytes())?;
    let label = decoder.type_label();
    // The capacity is sufficient from the start. Growing would leave a copy behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(decoder.remaining_len()));
    decoder.decode_to_end(&mut bytes)?;
    Ok((label, SecretDocument::try_from(bytes.as_slice())?))
}

impl Sealed {
    pub(super) fn open(&self, passphrase: &str) -> Result<KeyPair, KeyFileFault> {
        let opened = self
            .info()?
            .decrypt(passphrase)
            .map_err(|error| match error {
                pkcs8::Error::EncryptedPrivateKey(
                    pkcs5::Error::AlgorithmParametersInvalid { .. }
                    | pkcs5::Error::NoPbes1CryptSupport
                    | pkcs5::Error::UnsupportedAlgorithm { .. },
                ) => KeyFileFault::Unsupported,
                _ => KeyFileFault::WrongPassphrase,
            })?;
        // About one in several hundred wrong passphrases leaves valid padding around random bytes.
        let info = PrivateKeyInfoRef::try_from(opened.as_bytes())
            .map_err(|_| KeyFileFault::WrongPassphrase)?;
        checked(wallet_of(&info)?, &self.claimed)
    }

    fn info(&self) -> Result<EncryptedPrivateKeyInfoRef<'_>, KeyFileFault> {
        let der = self.document.as_bytes();
        EncryptedPrivateKeyInfoRef::try_from(der).map_err(|_| {
            if names_an_algorithm(der) {
                KeyFileFault::Unsupported
            } else {
                damaged()
            }
        })
    }
}

/// Returns whether the data has the form of an encrypted key, with any algorithm.
fn names_an_algorithm(der: &[u8]) -> bool {
    SliceReader::new(der)
        .and_then(|mut reader| {
            reader.sequence(|inner| {
                AlgorithmIdentifierRef::decode(inner)?;
                <&OctetStringRef>::decode(inner)
            })
        })
        .is_ok()
}

/// Returns the text of a key file for a wallet, encrypted with a passphrase.
pub(super) fn seal(
    wallet: &KeyPair,
    network: Option<Network>,
    passphrase: &str,
) -> Result<Zeroizing<String>, KeyFileFault> {
    if passphrase.is_empty() {
        return Err(KeyFileFault::EmptyPassphrase);
    }
    let (mut salt, mut iv) = ([0; 16], [0; 16]);
    for bytes in [&mut salt, &mut iv] {
        getrandom::fill(bytes).map_err(GenerateError)?;
    }
    let encrypted = encrypted(wallet, passphrase, &salt, iv)
        .map_err(|error| KeyFileFault::Encrypt(error.to_string()))?;
    let mut text = Zeroizing::new(format!(
        "{TITLE}\n{ADDRESS}: {}\n{PUBLIC_KEY}: {}\n",
        wallet.address(),
        wallet.public_key()
    ));
    if let Some(network) = network {
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
    let (log_n, r, p) = cost::OURS;
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

fn scheme_of<'a>(
    info: &'a EncryptedPrivateKeyInfoRef<'_>,
) -> Result<&'a pbes2::Parameters, KeyFileFault> {
    info.encryption_algorithm
        .pbes2()
        .ok_or(KeyFileFault::Unsupported)
}

fn wallet_of(info: &PrivateKeyInfoRef<'_>) -> Result<KeyPair, KeyFileFault> {
    info.algorithm
        .assert_oids(ALGORITHM_OID, SECP256K1)
        .map_err(|_| KeyFileFault::UnsupportedCurve)?;
    from_sec1(info.private_key.as_bytes())
}

fn from_sec1(der: &[u8]) -> Result<KeyPair, KeyFileFault> {
    let key = EcPrivateKey::from_der(der).map_err(|_| damaged())?;
    if key
        .parameters
        .is_some_and(|curve| curve.named_curve() != Some(SECP256K1))
    {
        return Err(KeyFileFault::UnsupportedCurve);
    }
    let bytes = key
        .private_key
        .try_into()
        .map_err(|_| KeyFileFault::UnsupportedCurve)?;
    let wallet = KeyPair::from_bytes(bytes)?;
    if key
        .public_key
        .is_some_and(|public| PublicKey::from_sec1(public).as_ref() != Ok(wallet.public_key()))
    {
        return Err(KeyFileFault::Mismatch {
            other: "public key",
        });
    }
    Ok(wallet)
}

fn checked(wallet: KeyPair, claimed: &Claimed) -> Result<KeyPair, KeyFileFault> {
    claimed.check(&wallet).map(|()| wallet)
}

/// Reads the names and values above an encrypted key. Other text there is ignored.
fn claimed_above(above: &str) -> Result<Claimed, KeyFileFault> {
    let mut claimed = Claimed::default();
    for (name, value) in above.lines().filter_map(|line| line.split_once(':')) {
        if name.trim() == ADDRESS {
            claimed.address = Some(claimed::address(value)?);
        } else if name.trim() == PUBLIC_KEY {
            claimed.public = Some(claimed::public_key(value)?);
        } else if name.trim() == NETWORK {
            claimed.network = Some(claimed::network(value)?);
        }
    }
    if let (Some(address), Some(public)) = (claimed.address, claimed.public)
        && address != public.address()
    {
        return Err(KeyFileFault::OtherAddress);
    }
    if claimed.address.is_none() {
        claimed.address = claimed.public.map(|public| public.address());
    }
    Ok(claimed)
}

fn first_begin(text: &str) -> Option<usize> {
    if text.starts_with(BEGIN) {
        return Some(0);
    }
    text.find(&format!("\n{BEGIN}")).map(|at| at + 1)
}

const fn damaged() -> KeyFileFault {
    KeyFileFault::Damaged {
        what: "its PEM does not hold a private key in the form that it names",
    }
}
