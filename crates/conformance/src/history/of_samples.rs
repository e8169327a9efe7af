//! The responses of a recorded history that the cases about samples can check.

use std::sync::Arc;

use super::{Answer, Entry, History};
use crate::{
    api::{Sample, is_refusal, is_valid, requested, requested_index},
    http::{Exchange, Method},
};

impl History {
    /// Returns the responses that should be of a documented form, also if other programs sent the requests.
    ///
    /// A request can be wrong, so only a response with some content is one. A missing block is one if a later
    /// block had been read.
    pub(crate) fn of_samples(&self) -> Vec<(Sample, Arc<Exchange>)> {
        let samples = self.entries.iter().filter_map(|entry| {
            let sample = self.sample_of(entry)?;
            Some((sample, Arc::clone(&entry.exchange)))
        });
        samples.collect()
    }

    /// Returns the responses to submissions.
    pub(crate) fn of_submissions(&self) -> impl Iterator<Item = (Sample, Arc<Exchange>)> {
        let successes = self.of_path("/submit-transaction").filter(|entry| {
            let body = entry.exchange.success_object();
            // The specification does not show the form of an error.
            body.is_some_and(|body| !is_refusal(body))
        });
        successes.map(|entry| {
            let sample = match is_valid(&entry.exchange) {
                true => Sample::Acceptances,
                false => Sample::Refusals,
            };
            (sample, Arc::clone(&entry.exchange))
        })
    }

    fn sample_of(&self, entry: &Entry) -> Option<Sample> {
        let exchange = &entry.exchange;
        let request = &exchange.request;
        let has_content = entry.answer == Answer::Content;
        let sample = match (request.path, request.method) {
            ("/get-block", Method::Get) => {
                let index = requested_index(request)?;
                let is_missing = || {
                    entry.answer == Answer::Nothing
                        && self.is_below_the_chains_end(index, entry.began)
                };
                return (has_content || is_missing()).then_some(Sample::Blocks);
            }
            ("/docs", Method::Get) => return exchange.is_success().then_some(Sample::Docs),
            ("/get-balances", Method::Get) => match requested(exchange, "balance_type")? {
                "TOKEN_IN_WALLET" => Sample::TokenBalance,
                "ALL_TOKENS_IN_WALLET" => Sample::WalletBalances,
                "ALL_WALLETS_FOR_TOKEN" => Sample::TokenHolders,
                _ => return None,
            },
            ("/sc-state", Method::Get) => Sample::ContractState,
            ("/get-trustscore-wallets", Method::Get) => Sample::TrustScore,
            ("/call-sc", Method::Post) => exchange.sent()?.is_object().then_some(Sample::CallSc)?,
            _ => return None,
        };
        has_content.then_some(sample)
    }
}
