//! The methods for the node's endpoints.

use std::sync::Arc;

use nodeproof_primitives::{ContractAddress, Integer, WalletAddress};

use crate::{
    AddVerification, BalanceResponse, BaseUrl, BatchResponse, Block, ContractCall, ContractState,
    Error, FieldError, FieldFault, HolderBalance, IntegerParameter, Listing, RawTransaction,
    SignedTransaction, SubmitResponse, TokenBalance, TrustScore, VerificationRecord,
    call::Call,
    generated::{self, types},
    operation::{
        CALL_SC, DOCS, GET_BALANCES, GET_BLOCK, GET_TRUSTSCORE_WALLETS, Operation, SC_STATE,
        SUBMIT_TRANSACTION, SUBMIT_TRANSACTION_BATCH,
    },
    transport::{Exchange, HookState, Limits},
};

/// A client for one node.
///
/// It is cheap to clone, and clones share their connections.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use nodeproof_client::{Client, nodeproof_primitives::Network};
///
/// let node = Client::for_network("localhost", Network::Devnet)?;
/// if let Some(block) = node.block(1_u64).await? {
///     println!("{}", block.timestamp()?);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Client {
    base: BaseUrl,
    generated: generated::Client,
}

impl Client {
    pub(crate) fn from_parts(base: BaseUrl, http: reqwest::Client, state: HookState) -> Self {
        let generated = generated::Client::new_with_client(base.as_str(), http, state);
        Self { base, generated }
    }

    pub(crate) fn limited(&self, change: impl FnOnce(&mut Limits)) -> Self {
        Self {
            base: self.base.clone(),
            generated: self.generated.limited(change),
        }
    }

    /// Returns the node's address.
    ///
    /// ```
    /// let node = nodeproof_client::Client::new("http://localhost:8420")?;
    /// assert_eq!(node.base_url().as_str(), "http://localhost:8420");
    /// # Ok::<(), nodeproof_client::Error>(())
    /// ```
    #[must_use]
    pub fn base_url(&self) -> &BaseUrl {
        &self.base
    }

    /// Returns the generated client, which has a method for every operation of the description.
    ///
    /// It has the limits and connections of this client. See [`generated`](crate::generated).
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let response = node.generated().get_block().block_index(1_u64).send().await?;
    /// println!("{}", response.status());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn generated(&self) -> &generated::Client {
        &self.generated
    }

    #[doc(alias = "get-block")]
    /// Returns the block at an index, or `None` if the node has no such block.
    ///
    /// A response that [reports no such block](Error::is_not_found) gives `None`. Missing fields
    /// are not an error here: see [`Block`].
    ///
    /// # Errors
    /// If the request fails in another way, or the response is not a block or is another block.
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// match node.block(1200_u64).await? {
    ///     Some(block) => println!("made at {}", block.timestamp()?),
    ///     None => println!("not made yet"),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn block(&self, index: impl Into<Integer>) -> Result<Option<Block>, Error> {
        let index = index.into();
        let (call, response) = self.request_block(index.clone()).await;
        let Some(block) = there(response)? else {
            return Ok(None);
        };
        if block.is_blank() {
            if block.extra().say_absent() {
                return Ok(None);
            }
            let words = block.extra().detail();
            let words = words.map_or_else(String::new, |words| format!(": {words}"));
            let reason = format!("the response has no field of a block{words}");
            return call.read(Err(FieldError::new("index", FieldFault::Malformed(reason))));
        }
        call.read(block.check_index(&index))?;
        Ok(Some(block))
    }

    /// Returns the response to a request for a block, whatever it contains.
    ///
    /// Use this to show the node's own message if there is no such block. The response may be
    /// another block, or an object that [is not a block](Block::is_blank).
    ///
    /// # Errors
    /// If the request fails, or the response is not a JSON object.
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), nodeproof_client::Error> {
    /// match node.block_response(1200_u64).await {
    ///     Err(error) if error.is_absent() => println!("no such block: {}", error.reason()),
    ///     response => println!("{:?}", response?.mismatches()),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn block_response(&self, index: impl Into<Integer>) -> Result<Block, Error> {
        self.request_block(index.into()).await.1
    }

    async fn request_block(&self, index: Integer) -> (Call, Result<Block, Error>) {
        let call = self.exchange(GET_BLOCK);
        let request = call.client.get_block().block_index(IntegerParameter(index));
        let response = call.response(request.send().await).await;
        (call, response)
    }

    #[doc(alias = "get-balances")]
    #[doc(alias = "TOKEN_IN_WALLET")]
    /// Returns the balance of a token in a wallet, or `None` if the wallet has none.
    ///
    /// Null gives `None`, and so does a response that [reports this](Error::is_not_found). Nodes
    /// were seen to return null for a token that the wallet does not hold, and for an unknown token
    /// or wallet. The contract does not state the unit. Nodes were seen to count in base units.
    ///
    /// # Errors
    /// If the request fails in another way, or the response has no integer.
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let wallet = "0xe8cf534e934cf1d5fb523b8c3134a501037d470e".parse()?;
    /// if let Some(balance) = node.token_balance("TKN", wallet).await? {
    ///     println!("{balance}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn token_balance(
        &self,
        token_code: &str,
        wallet: WalletAddress,
    ) -> Result<Option<Integer>, Error> {
        let call = self.exchange(GET_BALANCES);
        let request = call
            .client
            .get_balances()
            .balance_type(types::BalanceType::TokenInWallet)
            .token_code(token_code)
            .wallet_address(wallet);
        let response = call.response(request.send().await).await;
        match there(response)? {
            Some(balance) => call.read(balance.amount()),
            None => Ok(None),
        }
    }

    #[doc(alias = "get-balances")]
    #[doc(alias = "ALL_TOKENS_IN_WALLET")]
    /// Returns the balances of every token in a wallet, in base units of each token, or `None` if
    /// the node [reports](Error::is_not_found) that it does not have the wallet.
    ///
    /// The contract does not show the response. This form was observed on real nodes.
    ///
    /// # Errors
    /// If the request fails, or the response has no list. Entries that can't be read are not an
    /// error: [`Listing::faults`] returns their faults.
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let wallet = "0xe8cf534e934cf1d5fb523b8c3134a501037d470e".parse()?;
    /// if let Some(balances) = node.balances(wallet).await? {
    ///     for held in &balances {
    ///         println!("{:?} {}", held.balance, held.token_code);
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn balances(
        &self,
        wallet: WalletAddress,
    ) -> Result<Option<Listing<TokenBalance>>, Error> {
        let (call, response) = self.request_balances(wallet).await;
        let found = balances_there(response)?;
        found
            .map(|response| call.read(response.tokens()))
            .transpose()
    }

    /// Returns the balances of a wallet. A response that reports no such wallet is an error.
    pub(crate) async fn balances_or_error(
        &self,
        wallet: WalletAddress,
    ) -> Result<Listing<TokenBalance>, Error> {
        let (call, response) = self.request_balances(wallet).await;
        call.read(response?.tokens())
    }

    async fn request_balances(
        &self,
        wallet: WalletAddress,
    ) -> (Call, Result<BalanceResponse, Error>) {
        let call = self.exchange(GET_BALANCES);
        let request = call
            .client
            .get_balances()
            .balance_type(types::BalanceType::AllTokensInWallet)
            .wallet_address(wallet);
        let response = call.response(request.send().await).await;
        (call, response)
    }

    #[doc(alias = "get-balances")]
    #[doc(alias = "ALL_WALLETS_FOR_TOKEN")]
    /// Returns the balances of every wallet and every contract for a token, in its base units, or
    /// `None` if the node [reports](Error::is_not_found) that it does not have the token.
    ///
    /// The contract does not show the response. This form was observed on real nodes.
    ///
    /// # Errors
    /// If the request fails, or the response has no list. Entries that can't be read are not an
    /// error: [`Listing::faults`] returns their faults.
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), nodeproof_client::Error> {
    /// if let Some(holders) = node.holders("TKN").await? {
    ///     for held in &holders {
    ///         println!("{} holds {:?}", held.holder, held.balance);
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn holders(&self, token_code: &str) -> Result<Option<Listing<HolderBalance>>, Error> {
        let call = self.exchange(GET_BALANCES);
        let request = call
            .client
            .get_balances()
            .balance_type(types::BalanceType::AllWalletsForToken)
            .token_code(token_code);
        let response = call.response(request.send().await).await;
        let found = balances_there(response)?;
        found
            .map(|response| call.read(response.holders()))
            .transpose()
    }

    #[doc(alias = "sc-state")]
    /// Returns the response to a request for what a contract has stored: the record of a table where
    /// `column` has `value`.
    ///
    /// If there is no such record, nodes respond with one that has
    /// [no record](ContractState::record), or with an error.
    ///
    /// # Errors
    /// If the request fails, or the response is not a JSON object.
    /// [`is_not_found`](Error::is_not_found) is true if the node reports that there is no record.
    /// Nodes were seen to return 500 for a table or a column that the contract does not have.
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let contract = "ctcc8321d6375c494d043fdd0260f21bc0ec51dacc".parse()?;
    /// let state = node.contract_state("verification", contract, "asset_id", "asset 7").await?;
    /// println!("{:?}", state.record()?);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn contract_state(
        &self,
        table: &str,
        contract: ContractAddress,
        column: &str,
        value: &str,
    ) -> Result<ContractState, Error> {
        self.state(table, contract, column, value).await.1
    }

    #[doc(alias = "sc-state")]
    /// Returns the verification record of an asset, or `None` if the node has none.
    ///
    /// # Errors
    /// If the request fails for another reason than [no such record](Error::is_not_found), the
    /// response has neither a row nor an object, or the record is of another contract or asset.
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let contract = "ctcc8321d6375c494d043fdd0260f21bc0ec51dacc".parse()?;
    /// if let Some(record) = node.verification(contract, "asset 7").await? {
    ///     println!("verified by {}", record.verifier_address()?);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn verification(
        &self,
        contract: ContractAddress,
        asset_id: &str,
    ) -> Result<Option<VerificationRecord>, Error> {
        let (call, state) = self
            .state("verification", contract, "asset_id", asset_id)
            .await;
        let Some(state) = there(state)? else {
            return Ok(None);
        };
        let record = call.read(state.verification())?;
        if let Some(record) = &record {
            call.read(record.check_matches(contract, asset_id))?;
        }
        Ok(record)
    }

    #[doc(alias = "sc-state")]
    /// Returns the records of a verification contract where a column, such as `asset_id`, has a
    /// value. The list is empty if the node has none.
    ///
    /// # Errors
    /// If the request fails for another reason than [no such record](Error::is_not_found), or the
    /// response has neither rows nor objects.
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let contract = "ctcc8321d6375c494d043fdd0260f21bc0ec51dacc".parse()?;
    /// for record in node.verification_records(contract, "asset_id", "asset 7").await? {
    ///     println!("{}", record.remarks()?);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn verification_records(
        &self,
        contract: ContractAddress,
        column: &str,
        value: &str,
    ) -> Result<Vec<VerificationRecord>, Error> {
        let (call, state) = self.state("verification", contract, column, value).await;
        match there(state)? {
            Some(state) => call.read(state.verifications()),
            None => Ok(Vec::new()),
        }
    }

    async fn state(
        &self,
        table: &str,
        contract: ContractAddress,
        column: &str,
        value: &str,
    ) -> (Call, Result<ContractState, Error>) {
        let call = self.exchange(SC_STATE);
        let request = call
            .client
            .sc_state()
            .table_name(table)
            .contract_address(contract)
            .unique_column(column)
            .unique_value(value);
        let state = call.response(request.send().await).await;
        (call, state)
    }

    #[doc(alias = "get-trustscore-wallets")]
    /// Returns the trust score from one wallet to another, or `None` if the node has no score for
    /// the pair.
    ///
    /// A response that [reports no score](Error::is_not_found) gives `None`.
    ///
    /// # Errors
    /// If the request fails in another way, or the response is not [a
    /// success](TrustScore::check_status).
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let from = "0xe8cf534e934cf1d5fb523b8c3134a501037d470e".parse()?;
    /// let to = "0xb21854c8df7c314b3778036b532c5438abfeff03".parse()?;
    /// match node.trust_score(from, to).await? {
    ///     Some(trust) => println!("{}", trust.score()?),
    ///     None => println!("no trust score"),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn trust_score(
        &self,
        from: WalletAddress,
        to: WalletAddress,
    ) -> Result<Option<TrustScore>, Error> {
        let (call, response) = self.request_trust(from, to).await;
        let Some(trust) = there(response)? else {
            return Ok(None);
        };
        let status = trust.check_status();
        if status.is_err() && trust.score().is_err() && trust.extra().say_absent() {
            return Ok(None);
        }
        call.read(status)?;
        Ok(Some(trust))
    }

    /// Returns the response to a request for a trust score, whatever it contains.
    ///
    /// Use this to show the node's own message if there is no score.
    ///
    /// # Errors
    /// If the request fails, or the response is not a JSON object.
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let from = "0xe8cf534e934cf1d5fb523b8c3134a501037d470e".parse()?;
    /// let to = "0xb21854c8df7c314b3778036b532c5438abfeff03".parse()?;
    /// let response = node.trust_response(from, to).await?;
    /// println!("{}: {:?}", response.status()?, response.extra().detail());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn trust_response(
        &self,
        from: WalletAddress,
        to: WalletAddress,
    ) -> Result<TrustScore, Error> {
        self.request_trust(from, to).await.1
    }

    async fn request_trust(
        &self,
        from: WalletAddress,
        to: WalletAddress,
    ) -> (Call, Result<TrustScore, Error>) {
        let call = self.exchange(GET_TRUSTSCORE_WALLETS);
        let request = call
            .client
            .get_trustscore_wallets()
            .src_wallet_address(from)
            .dst_wallet_address(to);
        let response = call.response(request.send().await).await;
        (call, response)
    }

    #[doc(alias = "call-sc")]
    /// Requests the raw transaction of a contract call.
    ///
    /// This changes no state. The transaction still has to be signed and
    /// [submitted](Self::submit). [`call`](Self::call) does all of this.
    ///
    /// # Errors
    /// If the request fails, or the response is not JSON.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     node: nodeproof_client::Client,
    /// #     call: nodeproof_client::ContractCall,
    /// # ) -> Result<(), Box<dyn std::error::Error>> {
    /// let raw = node.build_call(&call).await?;
    /// println!("{}", raw.transaction()?.trans_code()?);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn build_call(&self, call: &ContractCall) -> Result<RawTransaction, Error> {
        let exchange = self.exchange(CALL_SC);
        let request = exchange.client.call_sc().body(call.clone());
        exchange.response(request.send().await).await
    }

    #[doc(alias = "call-sc")]
    #[doc(alias = "add_verification")]
    /// Requests the raw transaction of a claim, with the verifier as its signer.
    ///
    /// For other signers, build the [`ContractCall`] by hand.
    ///
    /// # Errors
    /// If the request fails, or the response is not JSON.
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use nodeproof_client::AddVerification;
    ///
    /// let contract = "ctcc8321d6375c494d043fdd0260f21bc0ec51dacc".parse()?;
    /// let verifier = "0xe8cf534e934cf1d5fb523b8c3134a501037d470e".parse()?;
    /// let claim = AddVerification::new("asset 7", verifier, 2_500_000).remarks("sealed");
    /// let raw = node.build_verification(contract, &claim).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn build_verification(
        &self,
        contract: ContractAddress,
        claim: &AddVerification,
    ) -> Result<RawTransaction, Error> {
        self.build_call(&claim.call(contract)?).await
    }

    #[doc(alias = "submit-transaction")]
    /// Submits the text of a signed transaction, byte for byte. Sends it at most once.
    ///
    /// A response can be a refusal: check it with [`SubmitResponse::accepted`].
    ///
    /// # Errors
    /// If the request fails, or the response is not a JSON object.
    /// [`maybe_sent`](Error::maybe_sent) returns whether the transaction may have reached the node
    /// anyway. Nodes were seen to return 500 for a signature that does not verify, and 429
    /// for too many submissions.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     node: nodeproof_client::Client,
    /// #     signed: nodeproof_client::SignedTransaction,
    /// # ) -> Result<(), nodeproof_client::Error> {
    /// node.submit(&signed).await?.accepted()?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn submit(&self, transaction: &SignedTransaction) -> Result<SubmitResponse, Error> {
        let call = self.exchange(SUBMIT_TRANSACTION);
        let request = call.client.submit_transaction().body(transaction.clone());
        call.response(request.send().await).await
    }

    #[doc(alias = "submit-transaction-batch")]
    /// Submits the texts of several signed transactions, byte for byte. Sends them at most once.
    ///
    /// [`BatchResponse::accepted`] checks that the node accepted all of them.
    ///
    /// The contract mentions a second endpoint for submissions and does not show it. Not every node
    /// has this one.
    ///
    /// # Errors
    /// As for [`submit`](Self::submit).
    ///
    /// ```no_run
    /// # async fn example(
    /// #     node: nodeproof_client::Client,
    /// #     signed: Vec<nodeproof_client::SignedTransaction>,
    /// # ) -> Result<(), Box<dyn std::error::Error>> {
    /// node.submit_batch(&signed).await?.accepted()?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn submit_batch(
        &self,
        transactions: &[SignedTransaction],
    ) -> Result<BatchResponse, Error> {
        let call = self.exchange(SUBMIT_TRANSACTION_BATCH);
        let request = call
            .client
            .submit_transaction_batch()
            .body(transactions.to_vec());
        let mut response: BatchResponse = call.response(request.send().await).await?;
        response.submitted = Some(transactions.len());
        Ok(response)
    }

    /// Returns the HTML page with the interactive listing of the node's endpoints.
    ///
    /// # Errors
    /// If the request fails.
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), nodeproof_client::Error> {
    /// let page = node.docs().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn docs(&self) -> Result<String, Error> {
        let call = self.exchange(DOCS);
        call.page(call.client.docs().send().await).await
    }

    fn exchange(&self, operation: Operation) -> Call {
        let exchange = Arc::new(Exchange::default());
        Call {
            operation,
            client: self.generated.noting(Arc::clone(&exchange)),
            exchange,
        }
    }
}

/// Returns the response, or `None` if it reports that the wallet or the token is missing, in an error
/// or in a success.
fn balances_there(
    response: Result<BalanceResponse, Error>,
) -> Result<Option<BalanceResponse>, Error> {
    Ok(there(response)?.filter(|response| !response.says_absent()))
}

/// Returns the response, or `None` if it reports that the requested thing is missing.
fn there<T>(response: Result<T, Error>) -> Result<Option<T>, Error> {
    match response {
        Ok(response) => Ok(Some(response)),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}
