//! `POST /call-sc`, and its request.

use nodeproof_primitives::{Amount, ContractAddress, Integer, RawJson, WalletAddress};
use serde::Serialize;
use serde_json::{Map, value::RawValue};

use crate::{
    AddVerification, Client, ContractCall, Error, InputError, RawTransaction, Transfer,
    call::Operation, contract_call::ContractFunction,
};

const CALL_SC: Operation = Operation {
    id: "call_sc",
    response: "a raw transaction",
};

impl Client {
    /// Requests the transaction of a call. This changes no state.
    pub(crate) async fn request_call(&self, call: &ContractCall) -> Result<RawTransaction, Error> {
        let request = self.begin(CALL_SC);
        let response = request.client.call_sc(call).await;
        request.decoded(response).await
    }
}

impl ContractCall {
    /// Creates a call without signers and parameters.
    ///
    /// ```
    /// use nodeproof_client::ContractCall;
    /// use serde_json::json;
    ///
    /// let call = ContractCall::new("ct8acac3e5d4b00f083c314707a41ca995c61c6f8c".parse()?, "transfer")
    ///     .signers(["0xe8cf534e934cf1d5fb523b8c3134a501037d470e".parse()?])
    ///     .params(&json!({
    ///         "amount_to_send": 1250,
    ///         "receiver": "0xb21854c8df7c314b3778036b532c5438abfeff03",
    ///         "asset_code": "TKN",
    ///     }))?;
    /// assert_eq!(call.signers.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new(contract: ContractAddress, function: impl Into<String>) -> Self {
        // Writing an empty object does not fail. The fallback to null avoids a panic.
        let none = RawJson::from_value(&Map::new());
        Self {
            sc_address: contract,
            function_called: function.into(),
            signers: Vec::new(),
            params: none.unwrap_or_else(|_| RawValue::NULL.to_owned().into()),
            extra: Map::new(),
        }
    }

    /// Creates a call of a typed function, without signers.
    ///
    /// # Errors
    /// If its parameters can't be written as JSON, or are not an object.
    pub fn of<F: ContractFunction>(
        contract: ContractAddress,
        function: &F,
    ) -> Result<Self, InputError> {
        Self::new(contract, F::NAME).params(function)
    }

    /// Adds wallets that will sign.
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
    pub fn params(mut self, params: &(impl Serialize + ?Sized)) -> Result<Self, InputError> {
        self.params = RawJson::from_value(params).map_err(InputError::from)?;
        if !self.params.as_str().starts_with('{') {
            return Err(InputError::new(
                "the parameters of a contract's function have to be an object",
            ));
        }
        Ok(self)
    }
}

impl AddVerification {
    /// Creates a claim of kind `token` with the outcome 1, without documents and remarks. Set other
    /// fields by name.
    ///
    /// ```
    /// use nodeproof_client::{AddVerification, ContractCall};
    ///
    /// let wallet = "0xc8111e8386bed918b8068b3f719c53a2e76810c3".parse()?;
    /// let claim = AddVerification {
    ///     outcome: 2.into(),
    ///     doc_link_list: vec!["https://documents.example.org/7".to_owned()],
    ///     remarks: "Weighed and sealed".to_owned(),
    ///     ..AddVerification::new("asset 7", wallet, 2_500_000)
    /// };
    /// let contract = "ctcc8321d6375c494d043fdd0260f21bc0ec51dacc".parse()?;
    /// let call = ContractCall::of(contract, &claim)?.signers([wallet]);
    /// assert_eq!(call.function_called, "add_verification");
    /// assert_eq!(call.signers, [wallet]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
            extra: Map::new(),
        }
    }
}

impl ContractFunction for AddVerification {
    const NAME: &'static str = "add_verification";
}

impl Transfer {
    /// Creates the parameters of a transfer. The amount is in base units of the token.
    ///
    /// The specification does not state the unit of the amount. Nodes were seen to count in base
    /// units, which are whole numbers.
    ///
    /// ```
    /// use nodeproof_client::Transfer;
    ///
    /// let receiver = "0xb21854c8df7c314b3778036b532c5438abfeff03".parse()?;
    /// let transfer = Transfer::new(1_250_000, receiver, "TKN");
    /// assert_eq!(transfer.asset_code, "TKN");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new(
        amount: impl Into<Amount>,
        receiver: WalletAddress,
        token_code: impl Into<String>,
    ) -> Self {
        Self {
            amount_to_send: amount.into(),
            receiver,
            asset_code: token_code.into(),
            extra: Map::new(),
        }
    }
}

impl ContractFunction for Transfer {
    const NAME: &'static str = "transfer";
}

#[cfg(test)]
mod tests {
    use nodeproof_primitives::Hash256;
    use serde_json::{Value, json};

    use super::*;
    use crate::from_json;

    const CONTRACT: &str = "ctcc8321d6375c494d043fdd0260f21bc0ec51dacc";
    const WALLET: &str = "0xc8111e8386bed918b8068b3f719c53a2e76810c3";

    #[test]
    fn a_claim_has_the_members_that_the_specification_lists() {
        let hash = Hash256::from_bytes([0xab; 32]).to_string();
        let claim = AddVerification {
            doc_hash_list: vec![hash.clone()],
            remarks: "sealed".to_owned(),
            ..AddVerification::new("asset \u{e9}", WALLET.parse().unwrap(), 2_500_000)
        };
        let call = ContractCall::of(CONTRACT.parse().unwrap(), &claim).unwrap();
        let call = call.signers([claim.verifier_address]);
        assert_eq!(
            serde_json::to_value(&call).unwrap(),
            json!({
                "sc_address": CONTRACT, "function_called": "add_verification", "signers": [WALLET],
                "params": {
                    "asset_id": "asset é", "asset_type": "token", "verifier_address": WALLET,
                    "outcome": 1, "doc_hash_list": [hash], "doc_link_list": [], "remarks": "sealed",
                    "deletable_after": 2_500_000,
                },
            })
        );
    }

    #[test]
    fn a_call_keeps_unknown_members_and_every_byte_of_its_parameters() {
        let text = format!(
            r#"{{"sc_address":"{CONTRACT}","function_called":"f","signers":[],"params":{{ "n": 1E400 }},"priority":{{"level":1}}}}"#
        );
        let call: ContractCall = from_json(text.as_bytes()).unwrap();
        assert_eq!(call.extra["priority"]["level"], 1);
        assert!(
            serde_json::to_string(&call)
                .unwrap()
                .contains(r#""params":{ "n": 1E400 }"#)
        );
        let amount: Amount = "9007199254740993.50".parse().unwrap();
        let transfer = Transfer::new(amount, WALLET.parse().unwrap(), "TKN");
        let written = serde_json::to_string(&transfer).unwrap();
        assert!(
            written.contains(r#""amount_to_send":9007199254740993.50"#),
            "{written}"
        );
    }

    #[test]
    fn parameters_are_an_object() {
        let call = ContractCall::new(CONTRACT.parse().unwrap(), "f");
        assert_eq!(call.params.as_str(), "{}");
        assert!(call.clone().params(&[1]).is_err());
        assert!(call.params(&Value::Null).is_err());
    }
}
