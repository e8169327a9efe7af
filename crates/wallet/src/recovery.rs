//! Recovering the signer from a signature.
//!
//! An entry of a submission's `signatures` names a wallet but no public key. The key is
//! recovered from the signature, and its address is compared with the wallet's.

use nodeproof_primitives::WalletAddress;
use secp256k1::ecdsa::{RecoverableSignature, RecoveryId};

use crate::{
    digest::digest_of,
    public_key::PublicKey,
    signature::{Signature, SignatureError},
};

/// Numbers of the possible points with the same `r`. The signer used one of these points.
const CANDIDATES: [RecoveryId; 4] = [
    RecoveryId::Zero,
    RecoveryId::One,
    RecoveryId::Two,
    RecoveryId::Three,
];

impl Signature {
    /// Returns the public keys that may have made this signature over a message.
    ///
    /// There are usually two. There are up to four in the rare case that `r` was reduced.
    pub fn recover_public_keys(&self, message: &[u8]) -> impl Iterator<Item = PublicKey> + use<> {
        let (scalars, digest) = (self.to_bytes(), digest_of(message));
        CANDIDATES
            .into_iter()
            .filter_map(move |id| RecoverableSignature::from_compact(&scalars, id).ok())
            .filter_map(move |signature| signature.recover(digest).ok())
            .map(PublicKey::from_point)
    }

    /// Verifies that the wallet with this address signed a message, and returns its public key.
    ///
    /// # Errors
    /// If the signature was not made with this wallet's key over this message.
    pub fn verify_by_address(
        &self,
        message: &[u8],
        address: WalletAddress,
    ) -> Result<PublicKey, SignatureError> {
        self.recover_public_keys(message)
            .find(|key| key.address() == address)
            .ok_or(SignatureError::new(address))
    }
}

#[cfg(test)]
mod tests {
    use crate::private_key::KeyPair;

    #[test]
    fn a_signature_names_its_wallet_and_no_other() {
        let wallet = |seed| KeyPair::from_bytes(&[seed; 32]).unwrap();
        let (signer, other) = (wallet(1), wallet(2));
        let signature = signer.sign(b"message");
        let key = signature
            .verify_by_address(b"message", signer.address())
            .unwrap();
        assert_eq!(&key, signer.public_key());
        let refused = signature
            .verify_by_address(b"message", other.address())
            .unwrap_err();
        assert_eq!(refused.address(), other.address());
        assert!(
            signature
                .verify_by_address(b"messagE", signer.address())
                .is_err()
        );
    }
}
