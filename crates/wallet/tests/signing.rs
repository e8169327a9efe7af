//! Properties of every key and every message.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use fastrand::Rng;
use nodeproof_primitives::MessageSignature;
use nodeproof_wallet::{
    KeyPair, SignTransactionError, Signature, Signer, SignerError, Signing, sign_with,
};

fn wallet(random: &mut Rng) -> KeyPair {
    let bytes: [u8; 32] = std::array::from_fn(|_| random.u8(..));
    KeyPair::from_bytes(&bytes).unwrap()
}

fn message(random: &mut Rng) -> Vec<u8> {
    (0..random.usize(..=200)).map(|_| random.u8(..)).collect()
}

/// The order of secp256k1 (SEC 2, 2.4.1), the most significant byte first.
const ORDER: [u8; 32] = [
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe,
    0xba, 0xae, 0xdc, 0xe6, 0xaf, 0x48, 0xa0, 0x3b, 0xbf, 0xd2, 0x5e, 0x8c, 0xd0, 0x36, 0x41, 0x41,
];

/// Returns the signature with the other possible `s`: the order of the curve minus `s`.
fn with_other_s(signature: &Signature) -> Signature {
    let mut bytes = signature.to_bytes();
    let mut borrow = 0;
    for (digit, order) in bytes[32..].iter_mut().zip(ORDER).rev() {
        let difference = i16::from(order) - i16::from(*digit) - borrow;
        borrow = i16::from(difference < 0);
        *digit = u8::try_from(difference.rem_euclid(256)).unwrap();
    }
    Signature::from_bytes(&bytes).unwrap()
}

#[test]
fn every_key_signs_every_message_and_nothing_else_passes_for_it() {
    let mut random = Rng::with_seed(1);
    for _ in 0..300 {
        let (wallet, other) = (wallet(&mut random), wallet(&mut random));
        let mut message = message(&mut random);
        let signature = wallet.sign(&message);
        let high = with_other_s(&signature);
        assert!(signature.to_bytes()[32] < 0x80 && high.to_bytes()[32] > 0x7e);
        for signature in [signature, high] {
            let key = wallet.public_key();
            assert_eq!(key.verify(&message, &signature), Ok(()));
            assert_eq!(
                signature
                    .verify_by_address(&message, wallet.address())
                    .as_ref(),
                Ok(key)
            );
            assert!(other.public_key().verify(&message, &signature).is_err());
            assert!(
                signature
                    .verify_by_address(&message, other.address())
                    .is_err()
            );
        }
        // Change one bit of the message, of r or of s.
        let bit = 1 << random.u8(..8);
        let mut altered = signature.to_bytes();
        altered[random.usize(..64)] ^= bit;
        if let Ok(altered) = Signature::from_bytes(&altered) {
            assert!(wallet.public_key().verify(&message, &altered).is_err());
            assert!(
                altered
                    .verify_by_address(&message, wallet.address())
                    .is_err()
            );
        }
        match message.first_mut() {
            Some(first) => *first ^= bit,
            None => message.push(0),
        }
        assert!(wallet.public_key().verify(&message, &signature).is_err());
        assert!(
            signature
                .verify_by_address(&message, wallet.address())
                .is_err()
        );
    }
}

#[test]
fn keys_and_signatures_survive_their_text() {
    let mut random = Rng::with_seed(2);
    for _ in 0..200 {
        let wallet = wallet(&mut random);
        let again = KeyPair::from_hex(&wallet.private_key().reveal()).unwrap();
        assert_eq!(again.address(), wallet.address());
        assert_eq!(
            wallet.public_key().to_string().parse().as_ref(),
            Ok(wallet.public_key())
        );
        let signature = wallet.sign(&message(&mut random));
        assert_eq!(signature.to_string().parse(), Ok(signature));
        assert_eq!(
            Signature::try_from(MessageSignature::from(signature)),
            Ok(signature)
        );
    }
}

/// A signer that returns a fixed result for every message.
struct Returns(KeyPair, Result<MessageSignature, &'static str>);

impl Signer for Returns {
    fn wallet_address(&self) -> nodeproof_primitives::WalletAddress {
        self.0.address()
    }

    fn sign_message<'a>(&'a self, _message: &'a [u8]) -> Signing<'a> {
        Box::pin(async { self.1.map_err(SignerError::refused) })
    }
}

#[tokio::test]
async fn what_a_signer_returns_is_not_believed() {
    let wallet = KeyPair::from_bytes(&[1; 32]).unwrap();
    let text = format!(
        r#"{{"specific_data":{{"signers":["{}"]}}}}"#,
        wallet.address()
    );
    let signed_by = |returned| Returns(wallet.clone(), returned);

    let elsewhere = signed_by(Ok(wallet.sign(b"something else").into()));
    assert!(matches!(
        sign_with(&elsewhere, &text).await,
        Err(SignTransactionError::Wrong(_))
    ));
    let zeros = signed_by(Ok(MessageSignature::from_bytes([0; 64])));
    assert!(matches!(
        sign_with(&zeros, &text).await,
        Err(SignTransactionError::Form(_))
    ));
    let unwilling = signed_by(Err("not today"));
    assert!(matches!(
        sign_with(&unwilling, &text).await,
        Err(SignTransactionError::Signer(error)) if error.is_refusal()
    ));
}

#[tokio::test]
async fn a_wallet_that_need_not_sign_is_not_asked() {
    let (wallet, other) = (
        KeyPair::from_bytes(&[1; 32]).unwrap(),
        KeyPair::from_bytes(&[2; 32]).unwrap(),
    );
    let signed = |data: String| {
        let text = format!(r#"{{"specific_data":{data}}}"#);
        let wallet = wallet.clone();
        async move { sign_with(&wallet, &text).await }
    };
    for data in [
        format!(r#"{{"signers":["{}"]}}"#, other.address()),
        r#"{"signers":[]}"#.to_owned(),
        // The second list counts, as it does for nodes.
        format!(
            r#"{{"signers":["{}"],"signers":["{}"]}}"#,
            wallet.address(),
            other.address()
        ),
    ] {
        let error = signed(data).await.unwrap_err();
        assert!(
            matches!(error, SignTransactionError::NotASigner(address) if address == wallet.address())
        );
    }
    for data in [r#"{"signers":"me"}"#, r#"{"signers":["0xABC"]}"#, "[]7"] {
        let error = signed(data.to_owned()).await.unwrap_err();
        assert!(
            !matches!(error, SignTransactionError::NotASigner(_)),
            "{error}"
        );
    }
    for data in ["{}", "null", r#"{"wallet1":"0x1"}"#, r#"{"score":1e999}"#] {
        assert!(signed(data.to_owned()).await.is_ok(), "{data}");
    }
}
