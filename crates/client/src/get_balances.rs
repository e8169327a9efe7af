//! `GET /get-balances`.

use nodeproof_primitives::{Integer, RawJson, WalletAddress};
use serde_json::{Map, Value};

use crate::{
    BalanceType, Client, Error, TokenBalance, TokenHolder, TokenHolding,
    call::{Call, Operation, none_if_absent},
    error::words,
    generated::types::{TokenBalances, TokenHolders},
    json_text::members,
};

const GET_BALANCES: Operation = Operation {
    id: "get_balances",
    response: "a balance",
};

impl Client {
    #[doc(alias = "get-balances")]
    #[doc(alias = "TOKEN_IN_WALLET")]
    /// Returns the balance of a token in a wallet, or `None` if the wallet has none.
    ///
    /// Nodes were seen to return null for a token that the wallet does not hold, and for an unknown
    /// token or wallet. The specification does not state the unit. Nodes were seen to count in base
    /// units.
    ///
    /// # Errors
    /// If the request fails, or the response has no integer.
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
        let kind = BalanceType::TokenInWallet;
        let (call, response) = self
            .request_balances(kind, Some(token_code), Some(wallet))
            .await;
        let Some(text) = none_if_absent(response)? else {
            return Ok(None);
        };
        let balance: TokenBalance = call.decode(text.as_str())?;
        call.check_status(status(&balance.extra), &balance.extra)?;
        match (balance.balance, balance.value) {
            (Some(balance), Some(value)) if balance != value => {
                Err(call.contradicts("`balance` and `value` differ"))
            }
            (Some(amount), _) | (None, Some(amount)) => Ok(Some(amount)),
            (None, None) if has_balance(text.as_str()) => Ok(None),
            (None, None) => {
                let words = words(&balance.extra);
                Err(call.contradicts(&format!("`balance` is missing{words}")))
            }
        }
    }

    #[doc(alias = "get-balances")]
    #[doc(alias = "ALL_TOKENS_IN_WALLET")]
    /// Returns the balances of every token in a wallet, in base units of each token. The list is empty
    /// if the wallet has none, or if the node [does not have](Error::is_absent) the wallet.
    ///
    /// The specification does not show the response. This form was observed on real nodes.
    ///
    /// # Errors
    /// If the request fails, or the response is not a list of balances.
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let wallet = "0xe8cf534e934cf1d5fb523b8c3134a501037d470e".parse()?;
    /// for held in node.balances(wallet).await? {
    ///     println!("{:?} {}", held.balance, held.token_code);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn balances(&self, wallet: WalletAddress) -> Result<Vec<TokenHolding>, Error> {
        let held = none_if_absent(self.request_holdings(wallet).await)?;
        Ok(held.unwrap_or_default())
    }

    #[doc(alias = "get-balances")]
    #[doc(alias = "ALL_WALLETS_FOR_TOKEN")]
    /// Returns the balances of every wallet and every contract for a token, in its base units. The
    /// list is empty if there are none, or if the node [does not have](Error::is_absent) the token.
    ///
    /// The specification does not show the response. This form was observed on real nodes.
    ///
    /// # Errors
    /// If the request fails, or the response is not a list of balances.
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), nodeproof_client::Error> {
    /// for held in node.holders("TKN").await? {
    ///     println!("{} holds {:?}", held.wallet, held.balance);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn holders(&self, token_code: &str) -> Result<Vec<TokenHolder>, Error> {
        let kind = BalanceType::AllWalletsForToken;
        let (call, response) = self.request_balances(kind, Some(token_code), None).await;
        let Some(text) = none_if_absent(response)? else {
            return Ok(Vec::new());
        };
        let response: TokenHolders = call.decode(text.as_str())?;
        call.check_status(status(&response.extra), &response.extra)?;
        Ok(response.balance)
    }

    /// Returns the balances of a wallet. A response that reports no such wallet is an error.
    pub(crate) async fn request_holdings(
        &self,
        wallet: WalletAddress,
    ) -> Result<Vec<TokenHolding>, Error> {
        let kind = BalanceType::AllTokensInWallet;
        let (call, response) = self.request_balances(kind, None, Some(wallet)).await;
        let response: TokenBalances = call.decode(response?.as_str())?;
        call.check_status(status(&response.extra), &response.extra)?;
        Ok(response.balance)
    }

    async fn request_balances(
        &self,
        kind: BalanceType,
        token_code: Option<&str>,
        wallet: Option<WalletAddress>,
    ) -> (Call, Result<RawJson, Error>) {
        let call = self.begin(GET_BALANCES);
        let response = call
            .client
            .get_balances(kind, token_code, wallet.as_ref())
            .await;
        let response = call.decoded(response).await;
        (call, response)
    }
}

/// Returns whether a response has a balance, which may be null. The generated type has `None` both
/// for null and for a missing field.
fn has_balance(text: &str) -> bool {
    let mut found = false;
    let read = members(text, |name, _| found |= matches!(name, "balance" | "value"));
    read.is_ok() && found
}

/// Returns the status of a response, which is neither documented nor observed for balances.
fn status(others: &Map<String, Value>) -> Option<&str> {
    others.get("status").and_then(Value::as_str)
}
