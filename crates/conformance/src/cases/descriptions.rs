//! A short description of each case, for `nodeproof explain`.

use super::submission_descriptions;
use crate::checks::FIELDS;

/// The descriptions of the cases that are not in `submission_descriptions`. Cases about one field
/// are described by its requirement.
const DESCRIPTIONS: &[(&str, &str)] = &[
    (
        "get-block/responds",
        "Every response to an index that the chain has is a success with one JSON object, without duplicate members.",
    ),
    (
        "get-block/shape",
        "The response is the Block, and not a row of the node's block table, which has `block_index` and no `text`.",
    ),
    (
        "get-block/index-echo",
        "`index` of the response is the requested index.",
    ),
    (
        "get-block/timestamp-unit",
        "`timestamp` of blocks and receipts lies between 1973 and 5138 in milliseconds. Seconds and microseconds do not.",
    ),
    (
        "get-block/receipts-of-preceding-block",
        "`data.block_index` of each receipt is the block's index minus 1.",
    ),
    (
        "get-block/unknown-index",
        "An index far beyond the chain, and -1, do not return a block.",
    ),
    (
        "get-block/index-zero",
        "Index 0 returns block 0 or none. Whether a chain begins with 0 or 1 is open.",
    ),
    (
        "get-block/block-index-required",
        "A request without `block_index` is refused, or returns nothing.",
    ),
    (
        "get-block/block-index-malformed",
        "A request with `no-index-5a5a` as `block_index` is refused, or returns nothing.",
    ),
    (
        "get-block/committee-distinct",
        "`committee` has each wallet once.",
    ),
    (
        "get-block/decodes",
        "The client `nodeproof-client` reads index, timestamp, previous hash and committee of each block.",
    ),
    (
        "get-block/snapshot",
        "The members of the response and the kinds of their values are those of the shared snapshot. Members that are not documented do not count.",
    ),
    (
        "chain/repeat-read",
        "At the end of the run, all blocks except the latest are the same as at its start.",
    ),
    (
        "chain/no-holes",
        "Every index between two blocks has a block.",
    ),
    (
        "chain/distinct-blocks",
        "No two blocks have the same `previous_hash`.",
    ),
    (
        "chain/time-goes-on",
        "No block is older than one with a lower index, and none is more than a day in the future.",
    ),
    (
        "chain/receipt-links",
        "`data.block_hash` of each receipt is the `previous_hash` of the block that carries it.",
    ),
    (
        "chain/one-vote-a-voter",
        "No wallet has two receipts in one block.",
    ),
    (
        "chain/voter-address",
        "`data.wallet_address` of each receipt follows from its `public_key`: the last 40 digits of its Keccak-256 digest.",
    ),
    (
        "chain/receipt-signatures",
        "If one receipt of the node verifies with the algorithm of known nodes, the node uses it. Then every other receipt has to verify, too. If none does, the case is inconclusive, and `chain/signature-algorithm` warns.",
    ),
    (
        "chain/signature-algorithm",
        "At least one receipt verifies with ECDSA on secp256k1 over the SHA-1 digest of `data`. The contract does not show the algorithm, but nodes of one network have to agree on it.",
    ),
    (
        "chain/transaction-time-unit",
        "Timestamps of transactions in blocks are milliseconds. Transactions of another shape are not checked.",
    ),
    (
        "chain/distinct-transactions",
        "No two transactions in blocks have the same `trans_code`.",
    ),
    (
        "chain/transaction-signatures",
        "Each contract call in a block has the valid signature of every signer, with the algorithm of known nodes.",
    ),
    (
        "get-balances/token-in-wallet",
        "The response about one token in one wallet is a success with one JSON object.",
    ),
    (
        "get-balances/all-tokens-in-wallet",
        "The response about all tokens in a wallet is a success with one JSON object. Its shape is open.",
    ),
    (
        "get-balances/all-wallets-for-token",
        "The response about all wallets for a token is a success with one JSON object. Its shape is open.",
    ),
    (
        "get-balances/balance",
        "`balance`, or `value`, is an integer. If both are there, they are equal.",
    ),
    (
        "get-balances/lists-carry-balances",
        "The responses with lists have `balance` or `value`, and it is not null.",
    ),
    (
        "get-balances/lists-agree",
        "A list has no entry about another wallet or token. The lists by wallet and by token, and single balances, show the same amounts. Lists of an unknown form are not compared.",
    ),
    (
        "get-balances/nothing-held",
        "The balance of a token that does not exist is 0, or the request is refused. Null is not an integer.",
    ),
    (
        "get-balances/wallet-address",
        "Single balances of two wallets are those that the list for the token shows.",
    ),
    (
        "get-balances/repeat-read",
        "The same request returns the same balance as long as no block is made.",
    ),
    (
        "get-balances/wallet-address-malformed",
        "The wallet address `0x5a` is refused, or holds nothing.",
    ),
    (
        "get-balances/token-code",
        "Single balances of two tokens are those that the list of the wallet shows.",
    ),
    (
        "get-balances/balance-type-required",
        "A request without `balance_type` is refused, or returns nothing.",
    ),
    (
        "get-balances/balance-type-unknown",
        "A request with `EVERYTHING` as `balance_type` is refused, or returns nothing.",
    ),
    (
        "get-balances/decodes",
        "The client `nodeproof-client` reads the balance.",
    ),
    (
        "get-balances/snapshot",
        "The shape of a single balance is that of the shared snapshot. `balance` and `value` count as one.",
    ),
    (
        "sc-state/responds",
        "The response is a success with one JSON object.",
    ),
    (
        "sc-state/value",
        "The response has the member `value`. Known nodes have `data`.",
    ),
    (
        "sc-state/unique-value-echo",
        "Every record in the response has the requested asset in its column `asset_id`, or somewhere if its form is unknown.",
    ),
    (
        "sc-state/record-matches-claim",
        "A record has the values of the claim that a block shows for this asset and verifier. Records of an unknown form are not compared.",
    ),
    (
        "sc-state/unknown-value",
        "The name of an asset with its letters in the other case, or without its last character, is refused or returns no record.",
    ),
    (
        "sc-state/unknown-table",
        "The table `no_such_table` is refused, or returns no record.",
    ),
    (
        "sc-state/unknown-contract",
        "A contract that does not have the record is refused, or returns no record.",
    ),
    (
        "sc-state/repeat-read",
        "The same request returns the same record as long as no block is made.",
    ),
    (
        "sc-state/contract-address-malformed",
        "The contract address `ct5a` is refused, or returns no record.",
    ),
    (
        "sc-state/claim-readable",
        "At least one claim from a block can be read.",
    ),
    (
        "sc-state/unknown-column",
        "The column `asset_type` does not find the record of an asset by the asset's name.",
    ),
    (
        "sc-state/table-name-required",
        "A request without `table_name` is refused, or returns nothing.",
    ),
    (
        "sc-state/contract-address-required",
        "A request without `contract_address` is refused, or returns nothing.",
    ),
    (
        "sc-state/unique-column-required",
        "A request without `unique_column` is refused, or returns nothing.",
    ),
    (
        "sc-state/unique-value-required",
        "A request without `unique_value` is refused, or returns nothing.",
    ),
    (
        "get-trustscore-wallets/responds",
        "The response about a pair of wallets is a success with one JSON object.",
    ),
    (
        "get-trustscore-wallets/status-success",
        "`status` is `SUCCESS` where a score is returned.",
    ),
    (
        "get-trustscore-wallets/src-required",
        "A request without `src_wallet_address` is refused, or returns nothing.",
    ),
    (
        "get-trustscore-wallets/dst-required",
        "A request without `dst_wallet_address` is refused, or returns nothing.",
    ),
    (
        "get-trustscore-wallets/src-malformed",
        "The source `0x5a` is refused, or has no score.",
    ),
    (
        "get-trustscore-wallets/dst-malformed",
        "The destination `0x5a` is refused, or has no score.",
    ),
    (
        "get-trustscore-wallets/unknown-pair",
        "A pair of unknown wallets is refused, or has the score 0.",
    ),
    (
        "get-trustscore-wallets/repeat-read",
        "The same request returns the same score as long as no block is made.",
    ),
    (
        "get-trustscore-wallets/decodes",
        "The client `nodeproof-client` reads the score.",
    ),
    (
        "get-trustscore-wallets/snapshot",
        "The shape of the response is that of the shared snapshot.",
    ),
    (
        "docs/responds",
        "`/docs` is a success. A redirect within the node is followed once.",
    ),
    (
        "docs/page",
        "`/docs` is an HTML page that lists endpoints, or loads a script or document that can.",
    ),
    (
        "docs/lists-calls",
        "The page, or the OpenAPI document that it loads, names every documented endpoint.",
    ),
    (
        "docs/openapi-document",
        "The node's own `/openapi.json` has the documented endpoints with their parameters.",
    ),
    (
        "http/content-type",
        "Successful JSON responses have the content type `application/json`, with any parameters.",
    ),
    (
        "http/success-status",
        "Successful responses have the status 200. The contract names no status, so any 2xx keeps it.",
    ),
    (
        "http/no-retries",
        "No request of the whole run failed with a server error (5xx) and succeeded when it was \
         sent again. The run sends each such request twice, so that no other case has to check the \
         error.",
    ),
    (
        "call-sc/trans-code-distinct",
        "Two different calls are built with different values of `trans_code`, which names a transaction.",
    ),
    (
        "call-sc/responds",
        "A valid call returns a success with one JSON object.",
    ),
    (
        "call-sc/sc-address",
        "`address` of the built transaction is the `sc_address` of the call.",
    ),
    (
        "call-sc/function-called",
        "`function` of the built transaction is the `function_called` of the call.",
    ),
    (
        "call-sc/signers",
        "`signers` of the built transaction are those of the call, in order.",
    ),
    (
        "call-sc/params",
        "`params` of the built transaction are those of the call.",
    ),
    ("call-sc/type", "`type` of the built transaction is 3."),
    (
        "call-sc/unsigned",
        "The built transaction has no signatures. Empty places for them are allowed.",
    ),
    ("call-sc/valid", "`valid` of the built transaction is 1."),
    (
        "call-sc/timestamp-unit",
        "`timestamp` of the built transaction is milliseconds since the Unix epoch.",
    ),
    (
        "call-sc/timestamp-current",
        "`timestamp` of the built transaction is within a day of the time at which it was built.",
    ),
    (
        "call-sc/changes-nothing",
        "After a call was built and not submitted, no record exists and the signer's balances are the same.",
    ),
    (
        "call-sc/submittable",
        "The response has the documented shape of a submission: `transaction` with all members, and `signatures`.",
    ),
    (
        "call-sc/sc-address-required",
        "A call without `sc_address` is refused, or builds nothing.",
    ),
    (
        "call-sc/function-called-required",
        "A call without `function_called` is refused, or builds nothing.",
    ),
    (
        "call-sc/signers-required",
        "A call without `signers` is refused, or builds nothing.",
    ),
    (
        "call-sc/params-required",
        "A call without `params` is refused, or builds nothing.",
    ),
    (
        "call-sc/signers-mistyped",
        "A call with a string for its `signers` is refused.",
    ),
    (
        "call-sc/params-mistyped",
        "A call with a string for its `params` is refused.",
    ),
    (
        "call-sc/body-empty",
        "A call without a body is refused, or builds nothing.",
    ),
    (
        "call-sc/body-not-json",
        "A call with a truncated body is refused.",
    ),
    (
        "call-sc/get-refused",
        "A GET is refused, or builds nothing.",
    ),
    (
        "call-sc/deep-and-large-params",
        "Params with 40 levels, 200 members, unusual strings and names, and numbers beyond 64 bits come back unchanged. A refusal leaves the case inconclusive.",
    ),
    (
        "call-sc/decodes",
        "The client `nodeproof-client` finds the transaction in the response.",
    ),
    (
        "call-sc/snapshot",
        "The shape of the built transaction is that of the shared snapshot.",
    ),
    (
        "get-block/probes-only-requested",
        "A malformed index, such as one with a quote, a condition or a wildcard, never returns a block that a lenient parser would not return.",
    ),
    (
        "get-balances/probes-only-requested",
        "A wallet, token or balance type with a quote, condition or wildcard never returns more than an unknown value does.",
    ),
    (
        "sc-state/probes-only-requested",
        "A table, contract, column or value with a quote, condition or wildcard never returns a record without exactly the requested value.",
    ),
    (
        "get-trustscore-wallets/probes-only-requested",
        "An address with a quote, condition or wildcard never returns a score, unless an unknown address does.",
    ),
    (
        "get-block/probes-no-crash",
        "No unusual value causes a 5xx or a closed connection. The node refuses invalid values with a 4xx.",
    ),
    (
        "get-balances/probes-no-crash",
        "No unusual value causes a 5xx or a closed connection. The node refuses invalid values with a 4xx.",
    ),
    (
        "sc-state/probes-no-crash",
        "No unusual value causes a 5xx or a closed connection. The node refuses invalid values with a 4xx.",
    ),
    (
        "get-trustscore-wallets/probes-no-crash",
        "No unusual value causes a 5xx or a closed connection. The node refuses invalid values with a 4xx.",
    ),
    (
        "call-sc/probes-no-crash",
        "No unusual value causes a 5xx or a closed connection. The node refuses invalid values with a 4xx.",
    ),
    (
        "chain/unchanged-by-probes",
        "After all probes, blocks, a record and a score are unchanged.",
    ),
    (
        "submit-transaction/known-code-altered",
        "A transaction with the code of an accepted one and another content is not accepted as valid.",
    ),
    (
        "fixture/found",
        "The node has every block, wallet, token, asset and pair of wallets that the fixture names.",
    ),
];

/// The reasons why the cases of an operation matter.
const RATIONALES: &[(&str, &str)] = &[
    (
        "get-block",
        "Wallets, explorers and other nodes read blocks to follow the chain. A field that is missing or wrong stops them all.",
    ),
    (
        "chain",
        "Blocks prove one another: by order, by hashes and by signed votes. Without a valid proof, the reader has to trust the node.",
    ),
    (
        "get-balances",
        "People decide by balances whether they can pay. A wrong one costs money, and an unclear one costs trust.",
    ),
    (
        "sc-state",
        "The stored record is the claim that the community checks. Another record in its place is a false claim.",
    ),
    (
        "get-trustscore-wallets",
        "Applications use the score to decide which wallets to trust.",
    ),
    (
        "docs",
        "The listing shows developers which endpoints a node offers.",
    ),
    (
        "http",
        "Programs decide by status and content type how they read a response.",
    ),
    (
        "call-sc",
        "The caller signs what the node builds. Whatever differs from the call would be signed and paid.",
    ),
    (
        "fixture",
        "Items that the node does not have were not tested.",
    ),
    (
        "submit-transaction",
        "Signatures are the only thing that keeps others from spending a wallet's tokens or claiming in its name.",
    ),
];

/// Returns the description of a case.
pub(crate) fn description(id: &str) -> Option<String> {
    let mut all = DESCRIPTIONS
        .iter()
        .chain(submission_descriptions::DESCRIPTIONS);
    let own = all.find(|(known, _)| *known == id);
    let of_field = || {
        let field = FIELDS.iter().find(|field| field.id == id)?;
        let name = field.path.join(".").replace(".*", "[]");
        Some(format!(
            "Wherever a response has a place for `{name}`, it is there with the documented type and form: {}",
            field.expected()
        ))
    };
    own.map(|(_, text)| (*text).to_owned()).or_else(of_field)
}

/// Returns the reason why the cases of an operation matter.
pub(crate) fn rationale(operation: &str) -> Option<&'static str> {
    let found = RATIONALES.iter().find(|(known, _)| *known == operation);
    found.map(|(_, text)| *text)
}
