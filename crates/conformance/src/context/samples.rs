//! The responses that several cases check, each requested once.

use std::{
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::Duration,
};

use nodeproof_client::{Transfer, contract_call::ContractFunction as _};
use nodeproof_report::SamplesReport;
use tokio::{
    sync::{OnceCell, RwLock},
    time::Instant,
};

use crate::{
    api::{
        BUILT, BlockResponse, OWN_DOCUMENT, ResponseKind, Sample, UNKNOWN_ASSET, block_request,
        contract_state_request, held_by_wallet, is_nothing, is_refusal, nobody, requested_index,
        says_no_block, token_balance_request, token_holders_request, trust_request,
        wallet_balances_request,
    },
    discovery::Discovered,
    history::History,
    http::{self, BackOff, Exchange, InconclusiveReason, Node, Request, SendOptions, unknown},
};
use nodeproof_openapi::Spec;

/// The response to a repeated request, or why there was none again. The outer error: the request
/// could not be repeated.
pub(crate) type Repeated = Result<Result<Arc<Exchange>, String>, InconclusiveReason>;

/// The time that a node may take to restart.
const RESTART: Duration = Duration::from_secs(10);

pub(crate) type Responses = Result<Vec<Arc<Exchange>>, InconclusiveReason>;

/// The responses that several cases check, each requested once.
pub(crate) struct Samples {
    pub(crate) node: Arc<Node>,
    pub(crate) spec: Arc<Spec>,
    pub(crate) discovered: Discovered,
    seen_blocks: OnceLock<Arc<Vec<BlockResponse>>>,
    /// The responses of each sample, in the order of the samples.
    pub(super) responses: [OnceCell<Responses>; Sample::COUNT],
    own_document: OnceCell<Result<Arc<Exchange>, InconclusiveReason>>,
    /// Whether all responses were recorded earlier, and no request can be sent.
    pub(crate) is_recorded: bool,
    /// Whether another program recorded them.
    pub(crate) is_of_others: bool,
    /// Why requests that only a rule needs could not be sent.
    pub(crate) unsent: OnceLock<InconclusiveReason>,
    history: Mutex<Option<Arc<History>>>,
    /// Held by probes that are sent beside others, and exclusively by a request that is repeated alone.
    alone: RwLock<()>,
}

/// Maximum number of claims whose record is requested.
const CLAIMS: usize = 64;
/// Maximum number of wallets, of tokens, and of pairs of both whose balances are requested.
const BALANCES: usize = 32;

impl Samples {
    pub(crate) fn new(node: Arc<Node>, spec: Arc<Spec>, discovered: Discovered) -> Self {
        Self {
            node,
            spec,
            discovered,
            seen_blocks: OnceLock::new(),
            responses: Default::default(),
            own_document: OnceCell::new(),
            is_recorded: false,
            is_of_others: false,
            unsent: OnceLock::new(),
            history: Mutex::default(),
            alone: RwLock::default(),
        }
    }

    /// Sends a request that may stop the node, but not while another is repeated alone.
    pub(crate) async fn send_beside_others(
        &self,
        request: &Request,
    ) -> Result<Arc<Exchange>, InconclusiveReason> {
        let _beside = self.alone.read().await;
        self.node.send(request.clone()).await
    }

    /// Repeats a request that got no response, once the node responds to others again, and another one just before it.
    /// One request is repeated at a time. So a node that stopped because of another request is not blamed on this one.
    pub(crate) async fn send_alone(&self, before: Option<&Request>, request: &Request) -> Repeated {
        let _alone = self.alone.write().await;
        self.wait_for_node().await?;
        if let Some(before) = before {
            let _ = self.send_renewed(before.clone()).await;
        }
        match self.send_renewed(request.clone()).await {
            Err(InconclusiveReason::Transport(reason)) => {
                self.wait_for_node().await?;
                Ok(Err(reason))
            }
            response => response.map(Ok),
        }
    }

    /// Sends a request on a new connection. A node that handles one connection at a time may wait for another one.
    pub(crate) async fn send_renewed(
        &self,
        request: Request,
    ) -> Result<Arc<Exchange>, InconclusiveReason> {
        let options = SendOptions {
            on_new_connection: true,
            ..SendOptions::default()
        };
        let (exchange, _) = self.node.send_with(request, options).await?;
        Ok(exchange)
    }

    /// Waits until the node responds to a request for a block that it has, as after a restart.
    async fn wait_for_node(&self) -> Result<(), InconclusiveReason> {
        let known = self
            .discovered
            .blocks
            .first()
            .map_or(1, |(index, _)| *index);
        let until = Instant::now() + RESTART;
        let mut back_off = BackOff::new(Duration::from_millis(50), Duration::from_secs(1));
        loop {
            match self.send_renewed(block_request(known)).await {
                Err(InconclusiveReason::Transport(_)) if Instant::now() < until => {}
                Err(InconclusiveReason::Transport(reason)) => {
                    let reason = format!("the node did not come back: {reason}");
                    return Err(InconclusiveReason::Transport(reason));
                }
                Err(inconclusive) => return Err(inconclusive),
                Ok(_) => return Ok(()),
            }
            back_off.wait().await;
        }
    }

    /// Returns the responses to block requests, in ascending order of the index: the sample of
    /// blocks, responses with another block's index, and responses where a block is missing.
    pub(crate) fn seen_blocks(&self, sample: &[Arc<Exchange>]) -> Arc<Vec<BlockResponse>> {
        let seen = self.seen_blocks.get_or_init(|| {
            let discovered = &self.discovered;
            let seen = |kind| {
                move |exchange: &Arc<Exchange>| {
                    let index = requested_index(&exchange.request)?;
                    Some(BlockResponse::new(index, kind, Arc::clone(exchange)))
                }
            };
            let mut all: Vec<_> = sample
                .iter()
                .filter_map(|exchange| {
                    let kind = match exchange.success_object() {
                        Some(_) => ResponseKind::Block,
                        None => ResponseKind::NotAnObject,
                    };
                    seen(kind)(exchange)
                })
                .chain(
                    discovered
                        .wrong_blocks
                        .iter()
                        .filter_map(seen(ResponseKind::WrongIndex)),
                )
                .chain(discovered.without.iter().filter_map(|exchange| {
                    let kind = if says_no_block(exchange) {
                        ResponseKind::Missing
                    } else {
                        ResponseKind::NotAnObject
                    };
                    seen(kind)(exchange)
                }))
                .collect();
            all.sort_by_key(|seen| seen.index);
            Arc::new(all)
        });
        Arc::clone(seen)
    }

    /// Returns the responses of a sample: at least one, or the reason why there is none.
    pub(crate) async fn sample(&self, sample: Sample) -> Responses {
        let responses = self.responses[sample as usize].get_or_init(|| self.request(sample));
        let responses = http::shared(responses).await;
        for exchange in responses.iter().flatten() {
            http::record(exchange);
        }
        responses.clone()
    }

    /// Sends the requests of a sample.
    async fn request(&self, sample: Sample) -> Responses {
        let requests = match sample {
            Sample::Blocks => return self.blocks(),
            // Discovery has sent the same requests.
            Sample::WalletBalances if !self.discovered.wallet_lists.is_empty() => {
                return Ok(self.discovered.wallet_lists.clone());
            }
            Sample::TrustScore => return self.ask_trust().await,
            Sample::Docs => return self.ask_docs().await,
            // These are submitted, not read.
            Sample::Refusals | Sample::Acceptances => {
                return unknown("nothing is submitted to get a sample");
            }
            Sample::TokenBalance => self.token_balance_requests()?,
            Sample::WalletBalances => self.wallet_balances_requests()?,
            Sample::TokenHolders => self.token_holders_requests()?,
            Sample::ContractState => self.contract_state_requests(),
            Sample::CallSc => self.call_requests(),
        };
        self.node.send_all(requests).await
    }

    fn blocks(&self) -> Responses {
        let blocks: Vec<_> = self
            .discovered
            .blocks
            .iter()
            .map(|(_, exchange)| Arc::clone(exchange))
            .collect();
        // A node may refuse an unknown index with status 200. Such a response is not a block.
        let (refusals, found): (Vec<_>, Vec<_>) = blocks.into_iter().partition(|exchange| {
            let body = exchange.success_object();
            body.is_some_and(|body| is_nothing(body) || is_refusal(body))
        });
        match (&self.discovered.first_response, found.is_empty()) {
            (_, false) => Ok(found),
            (_, true) if !refusals.is_empty() => Ok(refusals),
            (Some(response), true) => Ok(vec![Arc::clone(response)]),
            (None, true) => unknown("no block was requested"),
        }
    }

    /// Requests the API listing. Follows at most one redirect, if it stays on this node.
    async fn ask_docs(&self) -> Responses {
        let request = Request::get("/docs");
        let first = self.node.send(request.clone()).await?;
        let Some(place) = first.moved_within_origin() else {
            return Ok(vec![first]);
        };
        let moved = Some(place);
        let second = self.node.send(Request { moved, ..request }).await?;
        Ok(vec![second])
    }

    /// Requests the node's own OpenAPI document at this place, a path and query, or else at the usual path.
    pub(crate) async fn own_document(
        &self,
        place: Option<String>,
    ) -> Result<Arc<Exchange>, InconclusiveReason> {
        let request = Request {
            moved: place,
            ..Request::get(OWN_DOCUMENT)
        };
        let requested = self.own_document.get_or_init(|| self.node.send(request));
        let response = http::shared(requested).await.clone();
        if let Ok(exchange) = &response {
            http::record(exchange);
        }
        response
    }

    /// Returns the responses for the pairs of wallets with a score, or else the response for the last
    /// pair.
    async fn ask_trust(&self) -> Responses {
        // What nobody has must not be found later, because the node has found something similar.
        if let Some((from, _)) = self.discovered.trust.first() {
            let request = trust_request(from, &nobody()).finding_nothing();
            let _ = self.node.send(request).await;
        }
        let pairs = self.discovered.trust.iter();
        let requests = pairs.map(|(from, to)| trust_request(from, to));
        let mut responses = self.node.send_all(requests.collect()).await?;
        let last = responses.last().cloned();
        // A pair of wallets without a score may be refused, also with status 200.
        responses.retain(|response| {
            let body = response.success_object();
            response.is_success() && !body.is_some_and(is_refusal)
        });
        Ok(match responses.is_empty() {
            true => last.into_iter().collect(),
            false => responses,
        })
    }

    /// Requests the smallest known balance of each wallet, and then the others.
    fn token_balance_requests(&self) -> Result<Vec<Request>, InconclusiveReason> {
        let discovered = &self.discovered;
        let (named, found) = discovered.holdings.split_at(discovered.named_holdings);
        let mut pairs = named.to_vec();
        pairs.extend(discovered.wallet_lists.iter().filter_map(least));
        let most = BALANCES.max(named.len());
        for pair in found {
            // A wallet may hold very many tokens.
            if pairs.len() >= most {
                break;
            }
            if !pairs.contains(pair) {
                pairs.push(pair.clone());
            }
        }
        let requests = pairs
            .iter()
            .take(most)
            .map(|(wallet, token)| token_balance_request(wallet, token))
            .collect();
        some(
            requests,
            "no wallet with a token was found on the chain; give some with --fixture",
        )
    }

    fn wallet_balances_requests(&self) -> Result<Vec<Request>, InconclusiveReason> {
        let wallets = self.discovered.wallets.iter().take(BALANCES);
        let requests: Vec<_> = wallets
            .map(|wallet| wallet_balances_request(wallet))
            .collect();
        some(
            requests,
            "no wallet was found on the chain; give one with --fixture",
        )
    }

    fn token_holders_requests(&self) -> Result<Vec<Request>, InconclusiveReason> {
        let tokens = self
            .discovered
            .tokens
            .iter()
            .take(BALANCES.max(self.discovered.fixture.tokens.len()));
        let requests: Vec<_> = tokens.map(|token| token_holders_request(token)).collect();
        some(
            requests,
            "no token was found on the chain; give one with --fixture",
        )
    }

    fn contract_state_requests(&self) -> Vec<Request> {
        let assets = &self.discovered.assets;
        // Use the first claims, among them all that the user named, and the latest ones.
        let first = (CLAIMS / 2).max(self.discovered.named_assets);
        let latest = assets.len().saturating_sub(CLAIMS / 2).max(first);
        let requests: Vec<_> = assets
            .iter()
            .take(first)
            .chain(assets.iter().skip(latest))
            .map(|(contract, asset)| contract_state_request(contract, asset))
            .collect();
        if requests.is_empty() {
            // Without a known claim, the response for an unclaimed asset still has a shape.
            return vec![contract_state_request(&self.contract(), UNKNOWN_ASSET)];
        }
        requests
    }

    /// Returns all exchanges of the run so far, without those of a sweep.
    ///
    /// Each is understood once.
    pub(crate) fn history(&self) -> Arc<History> {
        let mut known = self.history.lock().unwrap_or_else(PoisonError::into_inner);
        let (exchanges, missing) = (self.node.exchanges(), self.node.missing());
        match &*known {
            Some(history) if history.counts() == (exchanges.len(), missing.len()) => {
                Arc::clone(history)
            }
            before => {
                let before = before.clone().unwrap_or_default();
                let later = exchanges.into_iter().skip(before.counts().0);
                let mut history = before.and(later).with_missing(missing);
                history.is_of_others = self.is_of_others;
                Arc::clone(known.insert(Arc::new(history)))
            }
        }
    }

    /// Returns what the cases examine.
    pub(crate) fn report(&self) -> SamplesReport {
        let discovered = &self.discovered;
        let indexes = || discovered.blocks.iter().map(|(index, _)| *index);
        SamplesReport {
            blocks: discovered.blocks.len(),
            heights: indexes().min().zip(indexes().max()),
            claims: discovered.assets.len().min(CLAIMS),
            wallets: discovered.wallets.len().min(BALANCES),
            tokens: discovered.tokens.len().min(BALANCES),
            contract: self.known_contract().cloned(),
        }
    }

    /// Returns the contract that the user named first, or that of a claim, or any.
    fn known_contract(&self) -> Option<&String> {
        let named = self.discovered.fixture.contracts.len().min(1);
        let named = self
            .discovered
            .contracts
            .get(..named)
            .and_then(<[_]>::first);
        let found = self.discovered.assets.first().map(|(contract, _)| contract);
        named.or(found).or(self.discovered.contracts.first())
    }

    /// Returns the contract for calls, or a made-up address if none was found. Nodes were seen to
    /// build a transaction for any address.
    pub(crate) fn contract(&self) -> String {
        self.known_contract()
            .cloned()
            .unwrap_or_else(|| format!("ct{}", "5a".repeat(20)))
    }

    /// Returns the wallet that would sign, or a made-up address if none was found.
    pub(crate) fn signer(&self) -> String {
        let found = self.discovered.wallets.first();
        found
            .cloned()
            .unwrap_or_else(|| format!("0x{}", "5a".repeat(20)))
    }

    /// Returns the body of a call that builds a claim.
    pub(crate) fn call_body(&self) -> serde_json::Value {
        let signer = self.signer();
        serde_json::json!({
            "sc_address": self.contract(),
            "function_called": "add_verification",
            "signers": [signer],
            "params": {
                "asset_id": BUILT,
                "asset_type": "token",
                "verifier_address": signer,
                "outcome": 1,
                "doc_hash_list": ["5a".repeat(32)],
                "doc_link_list": ["https://example.org/a-document"],
                // Values that a node must return unchanged: text that needs escaping, text beyond
                // ASCII, and an integer that a float would round.
                "remarks": "never submitted: \"Größe\" \\ \u{7} \u{1f600}",
                "deletable_after": 9_007_199_254_740_993_u64,
            },
        })
    }

    /// Returns two different calls. They reveal cached responses, and lists that are shortened,
    /// sorted or deduplicated.
    fn call_requests(&self) -> Vec<Request> {
        let other_signer = self
            .discovered
            .wallets
            .iter()
            .find(|wallet| **wallet != self.signer());
        let other_signer = other_signer
            .cloned()
            .unwrap_or_else(|| format!("0x{}", "6b".repeat(20)));
        let mut second = self.call_body();
        second["signers"] = serde_json::json!([other_signer, self.signer()]);
        let params = &mut second["params"];
        params["asset_id"] = "conformance-check-two".into();
        params["doc_hash_list"] = ["f0", "0a", "f0", "1b"]
            .map(|byte| byte.repeat(32))
            .to_vec()
            .into();
        params["doc_link_list"] = ["https://example.org/b", "https://example.org/a"].into();
        params["remarks"] = format!(
            "  blanks, a line\r\nend, a combining e\u{301}, and length: {}\t",
            "long ".repeat(80)
        )
        .into();
        params["asset_type"] = "1e3".into();
        params["outcome"] = (-1).into();
        let second = Request::post("/call-sc", second.to_string());
        vec![self.call_request(), second]
    }

    pub(crate) fn call_request(&self) -> Request {
        Request::post("/call-sc", self.call_body().to_string())
    }

    /// Returns a call of another documented function.
    pub(crate) fn call_of_transfer(&self) -> Request {
        let mut body = self.call_body();
        body["function_called"] = Transfer::NAME.into();
        body["params"] = serde_json::json!({
            "amount_to_send": 1,
            "receiver": self.signer(),
            "asset_code": self.discovered.tokens.first(),
        });
        Request::post("/call-sc", body.to_string())
    }

    /// Returns the same call about another asset.
    pub(crate) fn call_about(&self, asset: &str) -> Request {
        let mut body = self.call_body();
        body["params"]["asset_id"] = asset.into();
        Request::post("/call-sc", body.to_string())
    }
}

/// Returns the wallet and token with the smallest balance in a list, or `None` if the list has an
/// unknown form or is empty.
fn least(list: &Arc<Exchange>) -> Option<(String, String)> {
    let held = held_by_wallet(list)?;
    let least = held
        .into_iter()
        .min_by(|(_, one), (_, other)| one.cmp(other));
    least.map(|(pair, _)| pair)
}

fn some(requests: Vec<Request>, reason: &str) -> Result<Vec<Request>, InconclusiveReason> {
    if requests.is_empty() {
        unknown(reason)
    } else {
        Ok(requests)
    }
}
