//! Verifying receipts, compared with the library for the curve alone.

use nodeproof_wallet::{KeyPair, PublicKey, PublicKeyCache, Signature, verify_receipt};
use secp256k1::{Message, ecdsa};
use sha1::{Digest, Sha1};

use super::{BenchError, cpu::Pair, table::Row};

/// The numbers of receipts that are measured.
const SIZES: [usize; 3] = [100, 400, 1_600];

/// A signed receipt, as the texts of a response.
struct Receipt {
    data: String,
    public_key: String,
    signature: String,
}

pub(super) fn measure(rounds: u16) -> Result<Vec<Row>, BenchError> {
    let receipts = (0..SIZES[2]).map(receipt).collect::<Result<Vec<_>, _>>()?;
    let mut rows = Vec::new();
    for size in SIZES {
        let receipts = &receipts[..size];
        let pair = Pair::measure(
            rounds,
            || receipts.iter().try_for_each(ours),
            || receipts.iter().try_for_each(bare),
        )?;
        let row = Row::new(
            format!("{size} receipts verified a second : bare secp256k1"),
            "x",
            pair.rate(),
        );
        rows.push(if size == SIZES[2] {
            row.at_least(0.9)
        } else {
            row
        });
        #[expect(clippy::cast_precision_loss, reason = "a figure for a person")]
        let a_second = |seconds: &f64| size as f64 / seconds;
        rows.push(Row::new(
            "  verified a second and core",
            "1/s",
            pair.ours.iter().map(a_second).collect(),
        ));
    }
    let known = PublicKeyCache::default();
    let pair = Pair::measure(
        rounds,
        || {
            receipts
                .iter()
                .try_for_each(|receipt| ours_with(&known, receipt))
        },
        || receipts.iter().try_for_each(ours),
    )?;
    rows.push(Row::new(
        format!("{} receipts a second, known keys : unknown", SIZES[2]),
        "x",
        pair.rate(),
    ));
    Ok(rows)
}

fn receipt(at: usize) -> Result<Receipt, BenchError> {
    let mut secret = [3; 32];
    secret[31] = u8::try_from(at % 6 + 1).unwrap_or(1);
    let voter = KeyPair::from_bytes(&secret)?;
    // This is the form of the signed message, so the bare curve has nothing to rewrite.
    let data = format!(
        "{{\"block_index\": {at}, \"block_hash\": \"{:064x}\", \"vote\": 1, \"timestamp\": 1767225600000, \
         \"wallet_address\": \"{}\"}}",
        at,
        voter.address()
    );
    Ok(Receipt {
        public_key: voter.public_key().to_string(),
        signature: voter.sign(data.as_bytes()).to_string(),
        data,
    })
}

/// Verifies a receipt from the texts of a response.
fn ours(receipt: &Receipt) -> Result<(), BenchError> {
    let key: PublicKey = receipt.public_key.parse()?;
    let signature: Signature = receipt.signature.parse()?;
    verify_receipt(&receipt.data, &key, &signature).map_err(Into::into)
}

/// Does the same with a cache of public keys.
fn ours_with(known: &PublicKeyCache, receipt: &Receipt) -> Result<(), BenchError> {
    let key = known.parse(&receipt.public_key)?;
    let signature: Signature = receipt.signature.parse()?;
    verify_receipt(&receipt.data, &key, &signature).map_err(Into::into)
}

/// Does the minimum for any program: parse key and signature, hash, and verify.
fn bare(receipt: &Receipt) -> Result<(), BenchError> {
    let key = format!("04{}", receipt.public_key);
    let key = secp256k1::PublicKey::from_slice(&bytes(&key)?)?;
    let signature = ecdsa::Signature::from_compact(&bytes(&receipt.signature)?)?;
    let mut number = [0; 32];
    number[12..].copy_from_slice(&Sha1::digest(receipt.data.as_bytes()));
    key.verify(Message::from_digest(number), &signature)
        .map_err(Into::into)
}

fn bytes(hex: &str) -> Result<Vec<u8>, BenchError> {
    hex.as_bytes()
        .chunks_exact(2)
        .map(|pair| {
            let text = std::str::from_utf8(pair)?;
            u8::from_str_radix(text, 16).map_err(Into::into)
        })
        .collect()
}
