//! The calls, in the contract's own words.

use std::sync::Arc;

use nodeproof_primitives::{ContractAddress, Integer, WalletAddress};

use crate::{
    AddVerification, BaseUrl, BatchAnswer, Block, ContractCall, ContractState, Error,
    HolderBalance, IntegerParameter, Listing, RawTransaction, SignedTransaction, SubmitAnswer,
    TokenBalance, TrustScore, VerificationRecord,
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
/// let block = node.block(1_u64).await?;
/// println!("{}", block.index()?);
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

    /// The node's address.
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
    /// The block at an index.
    ///
    /// There is no documented call for the newest index: who needs it asks for
    /// higher and higher ones until [`is_not_found`](Error::is_not_found).
    ///
    /// # Errors
    /// If there is no such block, or no answer that is a JSON object. What a block
    /// lacks is told by the [`Block`].
    pub async fn block(&self, index: impl Into<Integer>) -> Result<Block, Error> {
        let call = self.call(GET_BLOCK);
        let index = IntegerParameter(index.into());
        let request = call.client.get_block().block_index(index);
        call.answer(request.send().await).await
    }

    #[doc(alias = "get-balances")]
    #[doc(alias = "TOKEN_IN_WALLET")]
    /// The balance of a token in a wallet; `None` where the node says null.
    ///
    /// It is in base units of the token. Nodes were seen to say null for a token of which nothing is
    /// held, and for an unknown token or wallet.
    ///
    /// # Errors
    /// If there is no answer, or it carries no integer.
    pub async fn token_balance(
        &self,
        token_code: &str,
        wallet: WalletAddress,
    ) -> Result<Option<Integer>, Error> {
        let call = self.call(GET_BALANCES);
        let request = call
            .client
            .get_balances()
            .balance_type(types::BalanceType::TokenInWallet)
            .token_code(token_code)
            .wallet_address(wallet);
        let answer = call.answer(request.send().await).await?;
        call.read(answer.amount())
    }

    #[doc(alias = "get-balances")]
    #[doc(alias = "ALL_TOKENS_IN_WALLET")]
    /// The balances of every token in a wallet, in base units of each token.
    ///
    /// The contract does not show the answer; this is the form that was seen.
    ///
    /// # Errors
    /// If there is no answer, or it carries no list. Entries that can't be read are
    /// [told](Listing::faults) beside the others.
    pub async fn balances(&self, wallet: WalletAddress) -> Result<Listing<TokenBalance>, Error> {
        let call = self.call(GET_BALANCES);
        let request = call
            .client
            .get_balances()
            .balance_type(types::BalanceType::AllTokensInWallet)
            .wallet_address(wallet);
        let answer = call.answer(request.send().await).await?;
        call.read(answer.tokens())
    }

    #[doc(alias = "get-balances")]
    #[doc(alias = "ALL_WALLETS_FOR_TOKEN")]
    /// The balances of every wallet, and every contract, for a token, in its base units.
    ///
    /// The contract does not show the answer; this is the form that was seen.
    ///
    /// # Errors
    /// If there is no answer, or it carries no list. Entries that can't be read are
    /// [told](Listing::faults) beside the others.
    pub async fn holders(&self, token_code: &str) -> Result<Listing<HolderBalance>, Error> {
        let call = self.call(GET_BALANCES);
        let request = call
            .client
            .get_balances()
            .balance_type(types::BalanceType::AllWalletsForToken)
            .token_code(token_code);
        let answer = call.answer(request.send().await).await?;
        call.read(answer.holders())
    }

    #[doc(alias = "sc-state")]
    /// What a contract has stored: the record of a table whose column holds a value.
    ///
    /// # Errors
    /// If there is no answer that is a JSON object. Nodes were seen to answer 500
    /// for a table or a column that the contract does not have.
    pub async fn contract_state(
        &self,
        table: &str,
        contract: ContractAddress,
        column: &str,
        value: &str,
    ) -> Result<ContractState, Error> {
        let (_, state) = self.state(table, contract, column, value).await?;
        Ok(state)
    }

    #[doc(alias = "sc-state")]
    /// The verification record of an asset; `None` if there is none.
    ///
    /// # Errors
    /// If there is no answer, it carries neither a row nor an object, or the record is of another
    /// contract or asset.
    pub async fn verification(
        &self,
        contract: ContractAddress,
        asset_id: &str,
    ) -> Result<Option<VerificationRecord>, Error> {
        let (call, state) = self
            .state("verification", contract, "asset_id", asset_id)
            .await?;
        let record = call.read(state.verification())?;
        if let Some(record) = &record {
            call.read(record.check_asked(contract, asset_id))?;
        }
        Ok(record)
    }

    #[doc(alias = "sc-state")]
    /// The records of a verification contract whose column, such as `asset_id`, holds a value.
    ///
    /// # Errors
    /// If there is no answer, or it carries neither rows nor objects. That there is
    /// [no such record](Error::is_absent) is an error, too, if the node answers with one.
    pub async fn verification_records(
        &self,
        contract: ContractAddress,
        column: &str,
        value: &str,
    ) -> Result<Vec<VerificationRecord>, Error> {
        let (call, state) = self.state("verification", contract, column, value).await?;
        call.read(state.verifications())
    }

    async fn state(
        &self,
        table: &str,
        contract: ContractAddress,
        column: &str,
        value: &str,
    ) -> Result<(Call, ContractState), Error> {
        let call = self.call(SC_STATE);
        let request = call
            .client
            .sc_state()
            .table_name(table)
            .contract_address(contract)
            .unique_column(column)
            .unique_value(value);
        let state = call.answer(request.send().await).await?;
        Ok((call, state))
    }

    #[doc(alias = "get-trustscore-wallets")]
    /// How far one wallet trusts another.
    ///
    /// # Errors
    /// If the node has no score for the pair ([`is_not_found`](Error::is_not_found)),
    /// or there is no answer that is a JSON object.
    pub async fn trust_score(
        &self,
        from: WalletAddress,
        to: WalletAddress,
    ) -> Result<TrustScore, Error> {
        let call = self.call(GET_TRUSTSCORE_WALLETS);
        let request = call
            .client
            .get_trustscore_wallets()
            .src_wallet_address(from)
            .dst_wallet_address(to);
        call.answer(request.send().await).await
    }

    #[doc(alias = "call-sc")]
    /// Has the node build the raw transaction of a contract call.
    ///
    /// Nothing changes by it: the transaction is to be signed and
    /// [submitted](Self::submit).
    ///
    /// # Errors
    /// If there is no answer that is JSON.
    pub async fn build_call(&self, call: &ContractCall) -> Result<RawTransaction, Error> {
        let exchange = self.call(CALL_SC);
        let request = exchange.client.call_sc().body(call.clone());
        exchange.answer(request.send().await).await
    }

    #[doc(alias = "call-sc")]
    #[doc(alias = "add_verification")]
    /// Has the node build the raw transaction of a claim, with the verifier as its signer.
    ///
    /// For other signers, build the [`ContractCall`] by hand.
    ///
    /// # Errors
    /// If there is no answer that is JSON.
    pub async fn build_verification(
        &self,
        contract: ContractAddress,
        claim: &AddVerification,
    ) -> Result<RawTransaction, Error> {
        self.build_call(&claim.call(contract)?).await
    }

    #[doc(alias = "submit-transaction")]
    /// Submits a signed transaction: its text, byte for byte, at most once.
    ///
    /// A transaction that the node refuses is an answer whose
    /// [`is_valid`](SubmitAnswer::is_valid) is false.
    ///
    /// # Errors
    /// If there is no answer that is a JSON object;
    /// [`maybe_sent`](Error::maybe_sent) tells whether the transaction may have
    /// reached the node all the same. Nodes were seen to answer 500 for a signature
    /// that does not verify, and 429 for too many submissions.
    pub async fn submit(&self, transaction: &SignedTransaction) -> Result<SubmitAnswer, Error> {
        let call = self.call(SUBMIT_TRANSACTION);
        let request = call.client.submit_transaction().body(transaction.clone());
        call.answer(request.send().await).await
    }

    #[doc(alias = "submit-transaction-batch")]
    /// Submits several signed transactions: their texts, byte for byte, at most once.
    ///
    /// The contract mentions a second call for submissions and does not show it; not
    /// every node has this one.
    ///
    /// # Errors
    /// As for [`submit`](Self::submit).
    pub async fn submit_batch(
        &self,
        transactions: &[SignedTransaction],
    ) -> Result<BatchAnswer, Error> {
        let call = self.call(SUBMIT_TRANSACTION_BATCH);
        let request = call
            .client
            .submit_transaction_batch()
            .body(transactions.to_vec());
        call.answer(request.send().await).await
    }

    /// The HTML text of the interactive listing of the node's calls.
    ///
    /// # Errors
    /// If there is no answer.
    pub async fn docs(&self) -> Result<String, Error> {
        let call = self.call(DOCS);
        call.page(call.client.docs().send().await).await
    }

    fn call(&self, operation: Operation) -> Call {
        let exchange = Arc::new(Exchange::default());
        Call {
            operation,
            client: self.generated.noting(Arc::clone(&exchange)),
            exchange,
        }
    }
}
