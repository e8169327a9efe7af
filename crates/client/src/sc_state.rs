//! `GET /sc-state`.

use nodeproof_primitives::{ContractAddress, RawJson, escape::escaped_up_to, sorted_message};

use crate::{
    Client, ContractState, Error, InputError, VerificationRecord,
    call::{Call, Operation, none_if_absent},
    error::words,
    json_text::text_in,
};

const SC_STATE: Operation = Operation {
    id: "sc_state",
    response: "a contract's state",
};

impl Client {
    #[doc(alias = "sc-state")]
    /// Returns what a contract has stored: the record of a table where `column` has `value`, or
    /// `None` if there is [no such record](Error::is_absent).
    ///
    /// # Errors
    /// If the request fails in another way, or the response is not a success. Nodes were seen to
    /// return 500 for a table or a column that the contract does not have.
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let contract = "ctcc8321d6375c494d043fdd0260f21bc0ec51dacc".parse()?;
    /// let record = node.contract_state("verification", contract, "asset_id", "asset 7").await?;
    /// println!("{record:?}");
    /// # Ok(())
    /// # }
    /// ```
    pub async fn contract_state(
        &self,
        table: &str,
        contract: ContractAddress,
        column: &str,
        value: &str,
    ) -> Result<Option<RawJson>, Error> {
        let (_, record) = self.request_state(table, contract, column, value).await?;
        Ok(record)
    }

    #[doc(alias = "sc-state")]
    /// Returns the verification record of an asset, or `None` if the node
    /// [has none](Error::is_absent).
    ///
    /// # Errors
    /// If the request fails in another way, or the response is not a record of this contract and
    /// asset.
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let contract = "ctcc8321d6375c494d043fdd0260f21bc0ec51dacc".parse()?;
    /// if let Some(record) = node.verification(contract, "asset 7").await? {
    ///     println!("verified by {}", record.verifier_address);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn verification(
        &self,
        contract: ContractAddress,
        asset_id: &str,
    ) -> Result<Option<VerificationRecord>, Error> {
        let (call, records) = self.request_records(contract, "asset_id", asset_id).await?;
        let Some(record) = records.into_iter().next() else {
            return Ok(None);
        };
        let other = match record.contract {
            Some(other) if other != contract => format!("a record of {other}"),
            _ if record.asset_id != asset_id => {
                format!("the record of \"{}\"", escaped_up_to(&record.asset_id, 60))
            }
            _ => return Ok(Some(record)),
        };
        Err(call.contradicts(&format!(
            "the record of \"{}\" in {contract} was requested, and this is {other}",
            escaped_up_to(asset_id, 60)
        )))
    }

    #[doc(alias = "sc-state")]
    /// Returns the records of a verification contract where a column, such as `asset_id`, has a
    /// value. The list is empty if the node [has none](Error::is_absent).
    ///
    /// Nodes were seen to return one record, although several match.
    ///
    /// # Errors
    /// If the request fails in another way, or the response has something else than records.
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let contract = "ctcc8321d6375c494d043fdd0260f21bc0ec51dacc".parse()?;
    /// for record in node.verifications(contract, "asset_id", "asset 7").await? {
    ///     println!("{}", record.remarks);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn verifications(
        &self,
        contract: ContractAddress,
        column: &str,
        value: &str,
    ) -> Result<Vec<VerificationRecord>, Error> {
        Ok(self.request_records(contract, column, value).await?.1)
    }

    async fn request_records(
        &self,
        contract: ContractAddress,
        column: &str,
        value: &str,
    ) -> Result<(Call, Vec<VerificationRecord>), Error> {
        let (call, record) = self
            .request_state("verification", contract, column, value)
            .await?;
        let records = match record {
            None => Ok(Vec::new()),
            Some(record) => VerificationRecord::all_from_json(&record),
        };
        match records {
            Ok(records) => Ok((call, records)),
            Err(fault) => Err(call.contradicts(&fault.to_string())),
        }
    }

    async fn request_state(
        &self,
        table: &str,
        contract: ContractAddress,
        column: &str,
        value: &str,
    ) -> Result<(Call, Option<RawJson>), Error> {
        let call = self.begin(SC_STATE);
        let response = call.client.sc_state(&contract, table, column, value).await;
        let Some(state) = none_if_absent(call.decoded(response).await)? else {
            return Ok((call, None));
        };
        call.check_status(state.status.as_deref(), &state.extra)?;
        match state.record() {
            Ok(record) => Ok((call, record.cloned())),
            Err(fault) => Err(call.contradicts(&fault.to_string())),
        }
    }
}

impl ContractState {
    /// Returns the record, wherever the response has it: in `value`, as documented, or in `data`, as
    /// observed. Returns `None` if it is null.
    ///
    /// # Errors
    /// If `value` and `data` have different records, or if there is only a message.
    ///
    /// ```
    /// use nodeproof_client::{ContractState, from_json};
    ///
    /// let state: ContractState = from_json(br#"{"status": "SUCCESS", "data": ["ct11", "asset 7"]}"#)?;
    /// assert_eq!(state.record()?.unwrap().as_str(), r#"["ct11", "asset 7"]"#);
    /// let state: ContractState = from_json(br#"{"status": "SUCCESS", "data": null}"#)?;
    /// assert_eq!(state.record()?, None);
    /// # Ok::<(), nodeproof_client::InputError>(())
    /// ```
    pub fn record(&self) -> Result<Option<&RawJson>, InputError> {
        match (&self.value, &self.data) {
            (Some(value), Some(data)) if differ(value, data) && !are_same_claims(value, data) => {
                Err(InputError::new("`value` and `data` have different records"))
            }
            (Some(record), _) | (None, Some(record)) => Ok(Some(record)),
            (None, None) if self.status.is_none() && !self.extra.is_empty() => {
                let words = words(&self.extra);
                let reason = format!("neither `value` nor `data`, but other members{words}");
                Err(InputError::new(reason))
            }
            (None, None) => Ok(None),
        }
    }
}

/// Whether one has the fields of the other by name, and the other has them as a row.
fn are_same_claims(left: &RawJson, right: &RawJson) -> bool {
    let claims = |records: &RawJson| -> Option<Vec<VerificationRecord>> {
        let mut records = VerificationRecord::all_from_json(records).ok()?;
        for record in &mut records {
            record.extra.clear();
            record.extra_columns.clear();
        }
        Some(records)
    };
    let (Some(mut left), Some(mut right)) = (claims(left), claims(right)) else {
        return false;
    };
    // An object needs no address.
    for (left, right) in left.iter_mut().zip(&mut right) {
        if left.contract.is_none() || right.contract.is_none() {
            (left.contract, right.contract) = (None, None);
        }
    }
    left == right
}

fn differ(left: &RawJson, right: &RawJson) -> bool {
    // The order of members and spaces do not matter. A record can be inside a string.
    let meaning = |record: &RawJson| {
        let text = text_in(record.as_str()).map_or(record.as_str().into(), |inside| inside);
        sorted_message(&text).unwrap_or_else(|_| record.as_str().to_owned())
    };
    meaning(left) != meaning(right)
}
