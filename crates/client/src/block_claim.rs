//! Claims in a block.

use nodeproof_primitives::{
    ContractAddress, Integer, TransactionCode, WalletAddress, escape::escaped_up_to,
};

use crate::{
    AddVerification, Block, BlockTransaction, Error, InputError, contract_call::ContractFunction,
    from_json,
};

/// A claim in a block: a transaction that calls `add_verification`.
///
/// The contract may not have recorded it. Observed: it keeps one record for each asset and verifier,
/// and does not execute a second claim. [`Client::verification`](crate::Client::verification) reads
/// the record.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BlockClaim {
    /// The transaction's position in the block, counted from 0.
    pub position: usize,
    /// The transaction's identifier.
    pub trans_code: TransactionCode,
    /// The transaction's status, if the node returns one. Observed in valid blocks: 1.
    pub status: Option<Integer>,
    /// The wallets that had to sign.
    pub signers: Vec<WalletAddress>,
    /// The wallet that a node stores as the verifier. Observed: the first signer, whatever
    /// [`params`](Self::params) names.
    pub verifier: WalletAddress,
    /// What is claimed.
    pub params: AddVerification,
}

impl BlockClaim {
    fn read(
        position: usize,
        entry: &BlockTransaction,
        contract: ContractAddress,
    ) -> Result<Option<Self>, InputError> {
        let Some(call) = entry.contract_call()? else {
            return Ok(None);
        };
        if call.address != contract || call.function != AddVerification::NAME {
            return Ok(None);
        }
        let trans_code = entry.trans_code();
        let params: AddVerification = from_json(call.params.as_str().as_bytes())?;
        Ok(Some(Self {
            position,
            trans_code: trans_code.ok_or_else(|| InputError::new("`trans_code` is missing"))?,
            status: entry.status(),
            verifier: *call.signers.first().unwrap_or(&params.verifier_address),
            signers: call.signers,
            params,
        }))
    }
}

impl Block {
    /// Returns the claims in the block that call this verification contract, in the order of the
    /// block.
    ///
    /// Nodes were seen to accept any parameters. So a claim in another form is an error of its own,
    /// which names the block and the transaction. It does not hide the other claims.
    ///
    /// This does not verify the signatures.
    ///
    /// # Errors
    /// [`ErrorKind::NoTransactions`](crate::ErrorKind::NoTransactions) if the node does not show the
    /// transactions of the block.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     node: nodeproof_client::Client,
    /// #     contract: nodeproof_client::ContractAddress,
    /// # ) -> Result<(), nodeproof_client::Error> {
    /// let mut blocks = node.blocks(1..101, 8);
    /// while let Some(block) = blocks.next().await {
    ///     for claim in block?.claims(contract)? {
    ///         match claim {
    ///             Ok(claim) => println!("{} by {}", claim.params.asset_id, claim.verifier),
    ///             Err(error) => eprintln!("{error}"),
    ///         }
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn claims(
        &self,
        contract: ContractAddress,
    ) -> Result<Vec<Result<BlockClaim, InputError>>, Error> {
        let index = escaped_up_to(&self.index.to_string(), 40);
        let entries = self.transactions()?.iter().enumerate();
        let claims = entries.filter_map(|(position, entry)| {
            let claim = BlockClaim::read(position, entry, contract);
            let placed = claim.map_err(|error| {
                InputError::new(format!("block {index}, transaction {position}: {error}"))
            });
            placed.transpose()
        });
        Ok(claims.collect())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::ErrorKind;

    const CONTRACT: &str = "ctcc8321d6375c494d043fdd0260f21bc0ec51dacc";
    const SIGNER: &str = "0xe8cf534e934cf1d5fb523b8c3134a501037d470e";
    const NAMED: &str = "0xb21854c8df7c314b3778036b532c5438abfeff03";

    fn block(transactions: &[Value]) -> Block {
        let block = json!({
            "index": 7, "timestamp": 1_767_225_600_000_i64, "previous_hash": "0",
            "text": {"transactions": transactions, "previous_block_receipts": []},
        });
        from_json(block.to_string().as_bytes()).unwrap()
    }

    /// Returns a claim, with another value at a JSON pointer.
    fn claim(place: &str, value: Value) -> Value {
        let mut entry = json!({
            "transaction": {
                "type": 3, "trans_code": "04087cb4c58f389c80bef882e3392f1b3b0e9e3c",
                "specific_data": {
                    "address": CONTRACT, "function": "add_verification", "signers": [SIGNER],
                    "params": {
                        "asset_id": "lot-7", "asset_type": "token", "verifier_address": NAMED,
                        "outcome": 1, "doc_hash_list": [], "doc_link_list": [], "remarks": "",
                        "deletable_after": 99,
                    },
                },
            },
            "signatures": [], "status": 1,
        });
        *entry.pointer_mut(place).unwrap() = value;
        entry
    }

    fn claims(transactions: &[Value]) -> Vec<Result<BlockClaim, InputError>> {
        let claims = block(transactions).claims(CONTRACT.parse().unwrap());
        claims.unwrap()
    }

    #[test]
    fn a_claim_is_returned_with_its_place_and_the_wallet_that_signed() {
        let other = claim("/transaction/type", 1.into());
        let found = claims(&[other, claim("/status", 1.into())]);
        let [Ok(found)] = found.as_slice() else {
            panic!("{found:?}")
        };
        assert_eq!((found.position, found.status), (1, Some(1.into())));
        assert_eq!(
            found.trans_code.to_string(),
            "04087cb4c58f389c80bef882e3392f1b3b0e9e3c"
        );
        assert_eq!(found.params.asset_id, "lot-7");
        assert_eq!(found.verifier.to_string(), SIGNER);
        // Observed: a node executes a call without signers.
        let found = claims(&[claim("/transaction/specific_data/signers", json!([]))]);
        let unsigned = found.first().unwrap().as_ref().unwrap();
        assert_eq!(unsigned.verifier.to_string(), NAMED);
    }

    #[test]
    fn other_transactions_are_not_claims() {
        let at = |member: &str| format!("/transaction/{member}");
        for (place, value) in [
            ("type", json!(5)),
            (
                "specific_data/address",
                json!("ct8acac3e5d4b00f083c314707a41ca995c61c6f8c"),
            ),
            ("specific_data/function", json!("transfer")),
        ] {
            let found = claims(&[claim(&at(place), value)]);
            assert!(found.is_empty(), "{place}: {found:?}");
        }
        // The data of another type has another form.
        let mut created = claim("/transaction/type", json!(1));
        created["transaction"]["specific_data"] = json!({"custodian_wallet": null});
        assert!(claims(&[created]).is_empty());
        // Or none.
        let without = json!({"transaction": {"type": 1}, "signatures": []});
        assert!(claims(&[without]).is_empty());
        let without = json!({"transaction": {"type": 3}, "signatures": []});
        let found = claims(&[without]);
        let error = found.first().unwrap().as_ref().unwrap_err();
        assert_eq!(
            error.to_string(),
            "block 7, transaction 0: `transaction.specific_data` is missing"
        );
    }

    #[test]
    fn a_claim_in_another_form_is_an_error_that_names_its_place_and_hides_no_other() {
        let place = "/transaction/specific_data/params/outcome";
        let found = claims(&[claim(place, "1".into()), claim("/status", 1.into())]);
        let [Err(error), Ok(_)] = found.as_slice() else {
            panic!("{found:?}")
        };
        assert_eq!(
            error.to_string(),
            "block 7, transaction 0: `outcome`: expected an integer, received the string \"1\""
        );
        let found = claims(&[json!({"signatures": []})]);
        let error = found.first().unwrap().as_ref().unwrap_err();
        assert_eq!(
            error.to_string(),
            "block 7, transaction 0: `transaction` is missing"
        );
    }

    #[test]
    fn a_block_without_transactions_is_an_error_that_names_it() {
        let row = br#"{"block_index": 8, "timestamp": 1, "previous_hash": "0"}"#;
        let row: Block = from_json(row).unwrap();
        let error = row.claims(CONTRACT.parse().unwrap()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NoTransactions);
        assert!(error.to_string().starts_with("block 8 "), "{error}");
    }
}
