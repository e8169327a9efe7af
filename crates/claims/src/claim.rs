//! A claim and the contract call that makes it.

use nodeproof_client::{
    AddVerification, ContractCall,
    contract_call::{BuiltCallMismatch, CheckedTransaction, Fee},
};
use nodeproof_primitives::{ContractAddress, Hash256, Integer, WalletAddress};

use crate::{document::Document, error::ClaimError};

/// A claim about an asset, with its supporting documents and its fee.
///
/// Source: RECORD-4 to RECORD-12 of the specification.
///
/// ```
/// use nodeproof_claims::Claim;
/// use nodeproof_client::{Fee, WalletAddress};
///
/// let wallets: [WalletAddress; 2] = [
///     "0xe8cf534e934cf1d5fb523b8c3134a501037d470e".parse()?,
///     "0xc8111e8386bed918b8068b3f719c53a2e76810c3".parse()?,
/// ];
/// let fee = Fee::new(1_500_000.into(), "TKN")?;
/// let contract = "ctcc8321d6375c494d043fdd0260f21bc0ec51dacc".parse()?;
/// let claim = Claim {
///     asset_type: "container".to_owned(),
///     outcome: 2.into(),
///     links: vec!["https://documents.example.org/7".to_owned()],
///     verifier: Some(wallets[1]),
///     ..Claim::new(contract, "asset 7", 99, fee)
/// };
/// let params = claim.params(&wallets, Vec::new())?;
/// assert_eq!(params.asset_type, "container");
/// assert_eq!(params.verifier_address, wallets[1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The verification contract.
    pub contract: ContractAddress,
    /// Identifier of the asset that the claim is about.
    pub asset_id: String,
    /// Kind of asset. The default is the specification's example, `token`.
    pub asset_type: String,
    /// The verifier's finding. The default is the specification's example, 1. The specification
    /// does not state what the values mean.
    pub outcome: Integer,
    /// The supporting documents.
    pub documents: Vec<Document>,
    /// Links to supporting documents.
    pub links: Vec<String>,
    /// Free text.
    pub remarks: String,
    /// Threshold after which the record may be deleted. Its unit is not stated.
    pub deletable_after: Integer,
    /// The verifier. The default is the first signer. It must be one of the signers, because nodes
    /// were seen to store the wallet that signs.
    pub verifier: Option<WalletAddress>,
    /// The fee, in base units of its currency.
    pub fee: Fee,
}

impl Claim {
    /// Makes a claim about an asset of kind `token` with the outcome 1, without documents and remarks.
    #[must_use]
    pub fn new(
        contract: ContractAddress,
        asset_id: impl Into<String>,
        deletable_after: impl Into<Integer>,
        fee: Fee,
    ) -> Self {
        Self {
            contract,
            asset_id: asset_id.into(),
            asset_type: "token".to_owned(),
            outcome: 1.into(),
            documents: Vec::new(),
            links: Vec::new(),
            remarks: String::new(),
            deletable_after: deletable_after.into(),
            verifier: None,
            fee,
        }
    }

    /// Returns the parameters of `add_verification` for this claim, with the hashes of its documents.
    ///
    /// # Errors
    /// [`ClaimError::Input`] if the asset ID is empty, there is no signer, a signer appears twice,
    /// or the verifier is not one of the signers.
    pub fn params(
        &self,
        signers: &[WalletAddress],
        hashes: Vec<Hash256>,
    ) -> Result<AddVerification, ClaimError> {
        if self.asset_id.is_empty() {
            return Err(ClaimError::Input("the claim names no asset".to_owned()));
        }
        let Some(first) = signers.first() else {
            return Err(ClaimError::Input(
                "the claim has no signer; give at least one".to_owned(),
            ));
        };
        let twice = signers
            .iter()
            .enumerate()
            .find(|(index, wallet)| signers.iter().take(*index).any(|other| other == *wallet));
        if let Some((_, wallet)) = twice {
            return Err(ClaimError::Input(format!(
                "the wallet {wallet} is to sign twice; name each signer once"
            )));
        }
        let verifier = self.verifier.unwrap_or(*first);
        if !signers.contains(&verifier) {
            return Err(ClaimError::Input(format!(
                "the verifier {verifier} is not one of the signers, and nodes store the wallet that \
                 signs; add it to the signers"
            )));
        }
        Ok(AddVerification {
            asset_type: self.asset_type.clone(),
            outcome: self.outcome,
            doc_hash_list: hashes.iter().map(ToString::to_string).collect(),
            doc_link_list: self.links.clone(),
            remarks: self.remarks.clone(),
            ..AddVerification::new(&*self.asset_id, verifier, self.deletable_after)
        })
    }

    /// Returns the contract call that makes this claim. A node builds it, and these wallets sign it.
    ///
    /// # Errors
    /// Those of [`params`](Self::params), or if the call can't be signed, for example because a number
    /// has too many digits.
    pub fn call(
        &self,
        signers: &[WalletAddress],
        hashes: Vec<Hash256>,
    ) -> Result<ContractCall, ClaimError> {
        let params = self.params(signers, hashes)?;
        let call = ContractCall::of(self.contract, &params)
            .map_err(|error| ClaimError::Input(error.to_string()))?
            .signers(signers.iter().copied());
        CheckedTransaction::check_call(&call).map_err(|error| {
            let reason = match error {
                // The full message mentions a transaction. There is none yet.
                BuiltCallMismatch::Unsignable(reason) => reason.to_string(),
                other => other.to_string(),
            };
            ClaimError::Input(format!("the claim can't be signed: {reason}"))
        })?;
        Ok(call)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wallet(byte: u8) -> WalletAddress {
        WalletAddress::from_bytes([byte; 20])
    }

    fn claim(asset: &str) -> Claim {
        let fee = Fee::new(1.into(), "TKN").unwrap();
        Claim::new(ContractAddress::from_bytes([9; 20]), asset, 7, fee)
    }

    #[test]
    fn the_first_signer_verifies_unless_another_is_named() {
        let both = [wallet(1), wallet(2)];
        let params = claim("a").params(&both, Vec::new()).unwrap();
        assert_eq!(params.verifier_address, wallet(1));
        let mut second = claim("a");
        second.verifier = Some(wallet(2));
        let params = second.params(&both, Vec::new()).unwrap();
        assert_eq!(params.verifier_address, wallet(2));
        assert_eq!(second.call(&both, Vec::new()).unwrap().signers, both);
    }

    #[test]
    fn rejects_an_unsignable_claim_before_any_request() {
        let mut long = claim("a");
        long.remarks = "x".repeat(1 << 20);
        let error = long.call(&[wallet(1)], Vec::new()).unwrap_err();
        assert!(matches!(error, ClaimError::Input(_)), "{error}");
        assert!(error.to_string().contains("1048576"), "{error}");
        let mut largest = claim("a");
        largest.outcome = i128::MAX.into();
        assert!(largest.call(&[wallet(1)], Vec::new()).is_ok());
    }

    #[test]
    fn what_can_not_be_claimed_is_refused_in_words() {
        let one = [wallet(1)];
        let mut by_another = claim("a");
        by_another.verifier = Some(wallet(2));
        for (claim, signers, words) in [
            (claim(""), &one[..], "names no asset"),
            (claim("a"), &[], "has no signer"),
            (claim("a"), &[wallet(1), wallet(1)], "sign twice"),
            (by_another, &one, "not one of the signers"),
        ] {
            let error = claim.call(signers, Vec::new()).unwrap_err();
            assert!(matches!(error, ClaimError::Input(_)));
            assert!(error.to_string().contains(words), "{error}");
            assert!(!error.maybe_sent());
        }
    }
}
