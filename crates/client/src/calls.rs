//! The body of a request to `/call-sc`.

use nodeproof_primitives::{ContractAddress, Hash256, Integer, RawJson, WalletAddress};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer, de,
    ser::{SerializeMap, SerializeStruct},
};
use serde_json::value::RawValue;

use crate::{
    Error,
    contract_call::ContractFunction,
    decode::{ExtraFields, members},
};

/// A call of a smart contract's function. The node builds a transaction from it.
///
/// Source: the contract, "POST /call-sc".
///
/// ```
/// use nodeproof_client::ContractCall;
/// use serde_json::json;
///
/// let call = ContractCall::new("ct8acac3e5d4b00f083c314707a41ca995c61c6f8c".parse()?, "transfer")
///     .signer("0xe8cf534e934cf1d5fb523b8c3134a501037d470e".parse()?)
///     .params(&json!({
///         "amount_to_send": 12.5,
///         "receiver": "0xb21854c8df7c314b3778036b532c5438abfeff03",
///         "asset_code": "TKN",
///     }))?;
/// # let _ = call;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContractCall {
    /// Address of the contract.
    pub sc_address: ContractAddress,
    /// Name of the function, such as `add_verification`.
    pub function_called: String,
    /// The wallets that will sign.
    pub signers: Vec<WalletAddress>,
    /// The function's parameters: an object, sent as written.
    pub params: RawJson,
    /// Undocumented fields, sent after the others as written.
    pub extra: ExtraFields,
}

impl ContractCall {
    /// Creates a call without signers and parameters.
    #[must_use]
    pub fn new(contract: ContractAddress, function: impl Into<String>) -> Self {
        Self {
            sc_address: contract,
            function_called: function.into(),
            signers: Vec::new(),
            params: no_params(),
            extra: ExtraFields::default(),
        }
    }

    /// Creates a call of a typed function, without signers.
    ///
    /// # Errors
    /// If its parameters can't be written as JSON, or are not an object.
    pub fn of<F: ContractFunction>(contract: ContractAddress, function: &F) -> Result<Self, Error> {
        Self::new(contract, F::NAME).params(function)
    }

    /// Adds a wallet that will sign.
    #[must_use]
    pub fn signer(mut self, wallet: WalletAddress) -> Self {
        self.signers.push(wallet);
        self
    }

    /// Adds wallets that will sign.
    ///
    /// ```
    /// use nodeproof_client::{ContractCall, nodeproof_primitives::WalletAddress};
    ///
    /// let wallets: [WalletAddress; 2] = [
    ///     "0xe8cf534e934cf1d5fb523b8c3134a501037d470e".parse()?,
    ///     "0xc8111e8386bed918b8068b3f719c53a2e76810c3".parse()?,
    /// ];
    /// let contract = "ct8acac3e5d4b00f083c314707a41ca995c61c6f8c".parse()?;
    /// let call = ContractCall::new(contract, "vote").signers(wallets);
    /// assert_eq!(call.signers, wallets);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn signers(mut self, wallets: impl IntoIterator<Item = WalletAddress>) -> Self {
        self.signers.extend(wallets);
        self
    }

    /// Sets the function's parameters.
    ///
    /// A [`RawJson`] is sent byte for byte.
    ///
    /// # Errors
    /// If they can't be written as JSON, or are not an object.
    pub fn params(mut self, params: &(impl Serialize + ?Sized)) -> Result<Self, Error> {
        self.params = RawJson::from_value(params)
            .map_err(|source| Error::configuration("the parameters can't be written", source))?;
        if !self.params.as_str().starts_with('{') {
            return Err(Error::configuration(
                "the parameters of a contract's function are an object",
                NotAnObject,
            ));
        }
        Ok(self)
    }
}

impl Serialize for ContractCall {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_map(Some(4 + self.extra.len()))?;
        fields.serialize_entry("sc_address", &self.sc_address)?;
        fields.serialize_entry("function_called", &self.function_called)?;
        fields.serialize_entry("signers", &self.signers)?;
        fields.serialize_entry("params", &self.params)?;
        for (name, value) in self.extra.iter() {
            fields.serialize_entry(name, value)?;
        }
        fields.end()
    }
}

impl<'de> Deserialize<'de> for ContractCall {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        fn required<'t, T: Deserialize<'t>, E: de::Error>(
            found: Option<&'t RawValue>,
            name: &'static str,
        ) -> Result<T, E> {
            let found = found.ok_or_else(|| E::missing_field(name))?;
            serde_json::from_str(found.get())
                .map_err(|error| E::custom(format!("`{name}`: {error}")))
        }

        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let [mut sc_address, mut function_called, mut signers, mut params] = [None; 4];
        let mut extra = ExtraFields::default();
        members(raw.get(), |name, raw| match name {
            "sc_address" => sc_address = Some(raw),
            "function_called" => function_called = Some(raw),
            "signers" => signers = Some(raw),
            "params" => params = Some(raw),
            _ => extra.push(name, raw.to_owned().into()),
        })
        .map_err(de::Error::custom)?;
        Ok(Self {
            sc_address: required(sc_address, "sc_address")?,
            function_called: required(function_called, "function_called")?,
            signers: required(signers, "signers")?,
            params: required(params, "params")?,
            extra,
        })
    }
}

#[derive(Debug, thiserror::Error)]
#[error("not an object")]
struct NotAnObject;

fn no_params() -> RawJson {
    // Writing an empty object does not fail. The fallback to null avoids a panic.
    RawJson::from_value(&serde_json::Map::new())
        .unwrap_or_else(|_| serde_json::value::RawValue::NULL.to_owned().into())
}

/// The parameters of `add_verification`: a claim about an asset on the chain.
///
/// Source: the contract, "Params of `add_verification`".
///
/// ```
/// use nodeproof_client::AddVerification;
///
/// let wallet = "0xc8111e8386bed918b8068b3f719c53a2e76810c3".parse()?;
/// let claim = AddVerification::new("asset 7", wallet, 2_500_000)
///     .asset_type("container")
///     .outcome(2)
///     .document("ab".repeat(32).parse()?)
///     .link("https://documents.example.org/7")
///     .remarks("Weighed and sealed");
/// let call = claim.call("ctcc8321d6375c494d043fdd0260f21bc0ec51dacc".parse()?)?;
/// assert_eq!(call.function_called, "add_verification");
/// assert_eq!(call.signers, [wallet]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[doc(alias = "add_verification")]
pub struct AddVerification {
    /// Identifier of the asset that the claim is about.
    pub asset_id: String,
    /// Kind of asset. The contract's example is `token`.
    pub asset_type: String,
    /// Wallet of the verifier. Nodes were seen to store the wallet that signs.
    pub verifier_address: WalletAddress,
    /// The result of the verification. The contract's example is 1. It does not state what the
    /// values mean.
    pub outcome: Integer,
    /// Hashes of the supporting documents.
    pub doc_hash_list: Vec<Hash256>,
    /// Links to the supporting documents.
    pub doc_link_list: Vec<String>,
    /// Free text.
    pub remarks: String,
    /// Threshold after which the record may be deleted. The contract does not state its unit.
    pub deletable_after: Integer,
}

impl AddVerification {
    /// Creates a claim of kind `token` with the outcome 1, without documents and remarks.
    #[must_use]
    pub fn new(
        asset_id: impl Into<String>,
        verifier: WalletAddress,
        deletable_after: impl Into<Integer>,
    ) -> Self {
        Self {
            asset_id: asset_id.into(),
            asset_type: "token".to_owned(),
            verifier_address: verifier,
            outcome: 1.into(),
            doc_hash_list: Vec::new(),
            doc_link_list: Vec::new(),
            remarks: String::new(),
            deletable_after: deletable_after.into(),
        }
    }

    /// Sets the kind of asset.
    #[must_use]
    pub fn asset_type(mut self, kind: impl Into<String>) -> Self {
        self.asset_type = kind.into();
        self
    }

    /// Sets the result of the verification.
    #[must_use]
    pub fn outcome(mut self, outcome: impl Into<Integer>) -> Self {
        self.outcome = outcome.into();
        self
    }

    /// Adds a supporting document by its hash.
    #[must_use]
    pub fn document(mut self, hash: Hash256) -> Self {
        self.doc_hash_list.push(hash);
        self
    }

    /// Adds a link to a supporting document.
    #[must_use]
    pub fn link(mut self, link: impl Into<String>) -> Self {
        self.doc_link_list.push(link.into());
        self
    }

    /// Sets the free text.
    #[must_use]
    pub fn remarks(mut self, remarks: impl Into<String>) -> Self {
        self.remarks = remarks.into();
        self
    }

    /// Returns the call of `add_verification` of a verification contract. The verifier is its signer.
    ///
    /// # Errors
    /// If the claim can't be written as JSON. This does not happen.
    pub fn call(&self, contract: ContractAddress) -> Result<ContractCall, Error> {
        Ok(ContractCall::of(contract, self)?.signer(self.verifier_address))
    }
}

impl ContractFunction for AddVerification {
    const NAME: &'static str = "add_verification";
}

/// Writes the members in the contract's order.
impl Serialize for AddVerification {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("AddVerification", 8)?;
        fields.serialize_field("asset_id", &self.asset_id)?;
        fields.serialize_field("asset_type", &self.asset_type)?;
        fields.serialize_field("verifier_address", &self.verifier_address)?;
        fields.serialize_field("outcome", &self.outcome)?;
        fields.serialize_field("doc_hash_list", &self.doc_hash_list)?;
        fields.serialize_field("doc_link_list", &self.doc_link_list)?;
        fields.serialize_field("remarks", &self.remarks)?;
        fields.serialize_field("deletable_after", &self.deletable_after)?;
        fields.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_written_as_the_contract_lists_it() {
        let wallet = "0xc8111e8386bed918b8068b3f719c53a2e76810c3"
            .parse()
            .unwrap();
        let claim = AddVerification::new("asset \u{e9}", wallet, 2_500_000)
            .document(Hash256::from_bytes([0xab; 32]))
            .link("https://example.org/a")
            .remarks("sealed");
        let contract = "ctcc8321d6375c494d043fdd0260f21bc0ec51dacc"
            .parse()
            .unwrap();
        let text = serde_json::to_string(&claim.call(contract).unwrap()).unwrap();
        assert_eq!(
            text,
            format!(
                r#"{{"sc_address":"{contract}","function_called":"add_verification","signers":["{wallet}"],"params":{{"asset_id":"asset é","asset_type":"token","verifier_address":"{wallet}","outcome":1,"doc_hash_list":["{}"],"doc_link_list":["https://example.org/a"],"remarks":"sealed","deletable_after":2500000}}}}"#,
                "ab".repeat(32)
            )
        );
    }

    #[test]
    fn a_call_that_is_read_keeps_unknown_fields_and_every_byte() {
        let text = r#"{"sc_address":"ctcc8321d6375c494d043fdd0260f21bc0ec51dacc","function_called":"f","signers":[],"params":{ "n": 1E400 },"priority":{"level":1.50}}"#;
        let call: ContractCall = serde_json::from_str(text).unwrap();
        let priority = call.extra.get("priority").map(RawJson::as_str);
        assert_eq!(priority, Some(r#"{"level":1.50}"#));
        assert_eq!(serde_json::to_string(&call).unwrap(), text);
        let missing = serde_json::from_str::<ContractCall>("{}").unwrap_err();
        assert!(
            missing.to_string().contains("missing field `sc_address`"),
            "{missing}"
        );
        assert!(serde_json::from_str::<ContractCall>("[]").is_err());
    }

    #[test]
    fn parameters_are_an_object_and_keep_their_text() {
        let contract = "ctcc8321d6375c494d043fdd0260f21bc0ec51dacc"
            .parse()
            .unwrap();
        let call = ContractCall::new(contract, "f");
        assert!(call.clone().params(&[1]).is_err());
        let raw: RawJson = r#"{ "n": 1E400 }"#.parse().unwrap();
        assert_eq!(
            call.params(&raw).unwrap().params.as_str(),
            r#"{ "n": 1E400 }"#
        );
    }
}
