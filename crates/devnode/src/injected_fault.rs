//! Named faults, for users who want to see a case fail, and for tests of cases.

use std::{
    collections::{BTreeSet, HashMap},
    fmt,
    str::FromStr,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use axum::http::{StatusCode, header::CONTENT_TYPE};
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use crate::{
    chain::block_hash,
    edit::{Edit, Request, Response, change_json, restore},
};

/// Defines the faults, each once, with its name and its description. A fault of single requests or
/// responses is an edit. The chain's code has the others.
macro_rules! faults {
    ($(#[$doc:meta])* $($fault:ident $name:literal $description:literal $(=> $edit:expr)?;)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum InjectedFault {
            $(#[doc = concat!($description, ".")] $fault,)*
        }

        impl InjectedFault {
            /// Returns all faults, in the order of `devnode --fault list`.
            pub fn all() -> impl Iterator<Item = Self> {
                [$(Self::$fault),*].into_iter()
            }

            /// Returns the fault's name, such as `no-signature-check`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$fault => $name,)*
                }
            }

            /// Returns a short description of the fault.
            #[must_use]
            pub const fn description(self) -> &'static str {
                match self {
                    $(Self::$fault => $description,)*
                }
            }

            /// Creates the edit that is the fault. A fault of the chain has none.
            pub(crate) fn edit(self) -> Option<Edit> {
                match self {
                    $($(Self::$fault => Some($edit.into()),)?)*
                    _ => None,
                }
            }
        }
    };
}

faults! {
    /// A fault that a node has on purpose. A real node could have each of them.
    ///
    /// ```
    /// use nodeproof_devnode::InjectedFault;
    ///
    /// let fault: InjectedFault = "no-signature-check".parse()?;
    /// assert_eq!(fault, InjectedFault::NoSignatureCheck);
    /// assert_eq!(fault.description(), "no signature is verified");
    /// assert!(InjectedFault::all().any(|one| one.name() == "no-signature-check"));
    /// # Ok::<(), nodeproof_devnode::ParseInjectedFaultError>(())
    /// ```
    NoSubmitEndpoint "no-submit-endpoint" "POST /submit-transaction does not exist"
        => missing("/submit-transaction");
    NoCallEndpoint "no-call-endpoint" "POST /call-sc does not exist"
        => missing("/call-sc");
    NoDocs "no-docs" "GET /docs does not exist"
        => missing("/docs");
    EveryTenth500 "every-tenth-500" "every tenth response is a 500"
        => {
            let requests = AtomicU64::new(0);
            Edit::request(move |_| {
                let is_tenth = nth(&requests).is_multiple_of(10);
                is_tenth.then(|| failure(StatusCode::INTERNAL_SERVER_ERROR, "Internal Server Error"))
            })
        };
    NoContentType "no-content-type" "JSON has no Content-Type"
        => Edit::response(|_, mut response| {
            if is_json(&response) {
                response.headers.remove(CONTENT_TYPE);
            }
            response
        });
    BlockRows "block-rows" "blocks are rows of a database table, as on the observed node"
        => Edit::response(row);
    BlockSeconds "block-seconds" "block timestamps are in seconds"
        => change_json("/get-block", |_, block| {
            let time = block["timestamp"].as_i64().unwrap_or(0);
            block["timestamp"] = Value::from(time / 1000);
        });
    DescriptionAscii "description-ascii" "blocks have ? for other letters than those of ASCII in descriptions"
        => change_json("/get-block", |_, block| {
            let list = block.pointer_mut("/text/transactions").and_then(Value::as_array_mut);
            for entry in list.into_iter().flatten() {
                if let Some(Value::String(text)) = entry.pointer_mut("/transaction/descr") {
                    *text = text.replace(|letter: char| !letter.is_ascii(), "?");
                }
            }
        });
    BlockChangesLater "block-changes-later" "from the 20th request on, blocks have a different proof"
        => {
            let reads = AtomicU64::new(0);
            change_json("/get-block", move |_, block| {
                if nth(&reads) >= 20 {
                    block["proof"] = Value::from(99);
                }
            })
        };
    BlockHole "block-hole" "block 5 is missing"
        => Edit::request(|request| {
            (request.path == "/get-block" && request.query == "block_index=5")
                .then(|| failure(StatusCode::BAD_REQUEST, "Block not found"))
        });
    MissingRemembered "missing-remembered" "a block that was requested before it was made is never returned"
        => {
            let missing = Mutex::new(BTreeSet::new());
            Edit::response(move |request, response| {
                if request.path != "/get-block" {
                    return response;
                }
                let mut missing = missing.lock().unwrap_or_else(PoisonError::into_inner);
                if response.status != StatusCode::OK {
                    missing.insert(request.query.clone());
                }
                match missing.contains(&request.query) {
                    true => failure(StatusCode::BAD_REQUEST, "Block not found"),
                    false => response,
                }
            })
        };
    LatestForUnknown "latest-for-unknown" "an index without a block returns the latest block";
    Fork "fork" "blocks have another proof, so the node is on another chain";
    Stalls "stalls" "the node makes no block for five minutes, and then all the missing ones";
    ReceiptKeys "receipt-keys" "votes are signed by another member's key";
    ReceiptSorted "receipt-sorted" "votes are signed over data with sorted members";
    ObservedForms "observed-forms" "blocks and records are rows of tables, and a balance of nothing is null, as on the observed node"
        => Edit::response(observed_form);
    TextForms "text-forms" "the contents of a block, its committee and records are JSON inside strings"
        => Edit::response(text_form);
    BalanceOffByOne "balance-off-by-one" "a balance of one token in one wallet is one too high"
        => change_json("/get-balances", |request, response| {
            if let Some(balance) = response["balance"].as_u64()
                && percent_decode_str(&request.query)
                    .decode_utf8_lossy()
                    .contains("balance_type=TOKEN_IN_WALLET")
            {
                response["balance"] = Value::from(balance + 1);
            }
        });
    BalanceRounded "balance-rounded" "balances lose digits above 2^53"
        => change_json("/get-balances", |_, response| round(response));
    BalanceStale "balance-stale" "a balance never changes after the first request"
        => {
            let first = Mutex::<HashMap<_, _>>::default();
            Edit::response(move |request, response| {
                if request.path != "/get-balances" || response.status != StatusCode::OK {
                    return response;
                }
                let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
                first.entry(request.query.clone()).or_insert(response).clone()
            })
        };
    TrustSwapped "trust-swapped" "the two wallets of a trust score are swapped"
        => Edit::request(|request| {
            if request.path == "/get-trustscore-wallets" {
                request.query = request.query
                    .replace("src_wallet_address", "other")
                    .replace("dst_wallet_address", "src_wallet_address")
                    .replace("other", "dst_wallet_address");
            }
            None
        });
    DecodedTwice "decoded-twice" "the asset in a query for a record is percent-decoded twice";
    TableCondition "table-condition" "a table name that continues with a condition returns the table's first row";
    ConstantCode "constant-code" "/call-sc writes the same code into each transaction"
        => change_json("/call-sc", |_, built| {
            built["transaction"]["trans_code"] = Value::from("c0de".repeat(10));
        });
    ParamsAltered "params-altered" "/call-sc alters a parameter"
        => change_json("/call-sc", |_, built| {
            let remarks = &mut built["transaction"]["specific_data"]["params"]["remarks"];
            if let Some(text) = remarks.as_str() {
                *remarks = Value::from(text.trim().to_uppercase());
            }
        });
    NoSignatureCheck "no-signature-check" "no signature is verified";
    UnsignedAccepted "unsigned-accepted" "a call without signers needs no signature";
    FirstSignatureOnly "first-signature-only" "only the first of several signatures is verified";
    KnownCodeAccepted "known-code-accepted" "a different transaction with a known trans_code counts as the known one";
    PendingUnverified "pending-unverified" "a transaction with the trans_code of a pending one is accepted unverified";
    ResubmissionNew "resubmission-new" "a transaction in a block counts as new when it is submitted again";
    RefusedStored "refused-stored" "refused transactions are stored two blocks later";
    AcceptedLost "accepted-lost" "accepted transactions never get into a block";
    RemarksCut "remarks-cut" "the last character of a claim's remarks is lost";
    FeeTwice "fee-twice" "the fee is taken twice";
    CopiesCost "copies-cost" "each copy of a pending transaction costs the fee again";
    RefusedCosts "refused-costs" "a submission with a wrong signature costs the fee";
    OnePending "one-pending" "a wallet's next transaction replaces its pending one";
    OverlapLost "overlap-lost" "of transactions that are submitted at the same moment, only one gets into a block";
    HalfBodyBlocks "half-body-blocks" "while half of a call or of a submission has arrived, no other one is read";
    RestDropped "rest-dropped" "when a transaction fails in a block, those after it are dropped";
    BatchDrops "batch-drops" "a batch accepts what follows a refused element, and drops it";
    BatchPaysOnce "batch-pays-once" "of the transactions of a batch, only the first one costs its fee";
    FirstPays "first-pays" "the fees of a block are paid by the wallet of its first transaction";
    VerifierPays "verifier-pays" "the fee of a claim is paid by the verifier in its params";
    LastFeeOnly "last-fee-only" "the creator of a block receives the fee of its last transaction only";
    FeeElsewhere "fee-elsewhere" "the token contract, and not the creator of a block, receives its fees, and in another token";
    OutsiderPays "outsider-pays" "a wallet whose signature is not needed and not verified pays the fee";
    DuplicateCosts "duplicate-costs" "a second claim of a verifier about an asset is refused, and costs the fee";
    PendingReplaced "pending-replaced" "a transaction with the trans_code of a pending one of another wallet replaces it";
    SignersSend "signers-send" "each signer of a transfer pays its amount, and the receiver gets it once";
    ReceivedRounded "received-rounded" "what a transfer pays is rounded down to hundreds for its receiver";
    TransferToItself "transfer-to-itself" "a transfer to the wallet that sends it adds its amount";
    Overspends "overspends" "what a wallet spends is compared with its balance, without what is pending, and the rest of a fee that it can't pay is created";
    FeeBesideAmount "fee-beside-amount" "the fee and the amount of a transfer are compared with the balance one by one, and the rest of a fee that it can't pay is created";
    CopiesExecuted "copies-executed" "each copy of a pending transfer is executed, too";
    ZeroUnwritten "zero-unwritten" "a balance that would become zero stays as it was";
    TransferKept "transfer-kept" "what is spent is compared with the balance, without what is pending, and a transfer whose fee can't be paid stays";
    LastCredit "last-credit" "of the amounts that a wallet receives in a block, only the last one stays";
    OtherTokenMinted "other-token-minted" "a transfer of another token than that of fees reaches its receiver, also if the sender does not have it";
    OtherUnreserved "other-unreserved" "what is pending of another token than that of fees is not counted, and what its sender lacks is created";
    SignatureRemembered "signature-remembered" "the signature of a refused transaction is not verified again for one with its trans_code";
    ThirdSigns "third-signs" "any wallet may sign in place of the second signer";
    AnyFunction "any-function" "a call of a function that does not exist makes a claim";
    AnyContract "any-contract" "a call of a contract that does not exist makes a claim of the verification contract";
    AnyVerifier "any-verifier" "a claim is recorded in the name of the verifier in its params, and not of its signer";
    TypeShared "type-shared" "a claim changes the asset_type of other wallets' claims about its asset";
    AssetReplaced "asset-replaced" "a claim replaces those of other wallets about its asset";
    ClaimReplaced "claim-replaced" "a second claim of a verifier about an asset replaces the record of its first";
    RecordsDropped "records-dropped" "the contract keeps the latest twelve records";
    DuplicateMerged "duplicate-merged" "a second claim of a verifier about an asset gets into no block, and its links are stored";
    TransferRounded "transfer-rounded" "a transfer moves its amount as a float holds it";
    NegativeFraction "negative-fraction" "a transfer of a negative amount is executed if it is written with a fraction";
    LaterTokensUnlisted "later-tokens-unlisted" "lists lack what a wallet has of a token that it first received when it had others";
    EmptiedUnlisted "emptied-unlisted" "lists lack what a wallet receives of a token after it had nothing left of it";
    TransferWrapped "transfer-wrapped" "a transfer moves the lowest 64 bits of its amount";
    SecondUnchecked "second-unchecked" "two signers pay half of the fee each, and the second one only what it has";
    DescriptionCosts "description-costs" "each byte of a transaction's description costs one unit more";
    OldFree "old-free" "a transaction whose time is more than ten minutes ago costs nothing";
    OldDropped "old-dropped" "a transaction whose time is more than ten minutes ago is accepted, and in no block";
    AnyLetters "any-letters" "a param may have capital letters in its name, and that one counts";
    BuiltSigned "built-signed" "the signature of a transaction as /call-sc built it is also taken for another one with its trans_code";
    GrainConfused "grain-confused" "a transfer of GRAIN takes VAULT from its sender instead";
    KnownRefused "known-refused" "a transaction that is known is not valid";
    LeftCosts "left-costs" "a transaction whose client leaves before the response costs its fee, and is forgotten";
    AllFails "all-fails" "a transfer of all that a wallet has of another token than that of fees fails in its block";
    ChangeLost "change-lost" "a wallet loses what a transfer leaves of another token than that of fees, if that is less than 1000";
    LastSender "last-sender" "of what several wallets send to one in a block, only the part of the last sender stays";
    CreatorUnpaid "creator-unpaid" "what is sent to the wallet that creates the block is lost";
    NearReceiver "near-receiver" "a transfer to an address that begins like its sender's stays with the sender";
    TimeReplaces "time-replaces" "a transaction replaces a pending one of its wallet with the same time and a lower fee";
    RefusalDrops "refusal-drops" "when a transaction that can't be paid is refused, the pending ones of its wallet are dropped";
    CodesForgotten "codes-forgotten" "a transaction in a block that has ten others above it counts as new when it is submitted again";
    PoolFull "pool-full" "accepted transactions are lost while 16 others are pending";
    SmallMinted "small-minted" "a transfer of less than 256 units of another token than that of fees reaches its receiver, also if the sender does not have it";
    ThirdUnchecked "third-unchecked" "of more than two signatures, only the first two are verified";
    PendingTaken "pending-taken" "a transaction with the trans_code of a pending one replaces it, and counts as known";
    SignaturesReplaced "signatures-replaced" "a transaction that is submitted again replaces the signatures in its block";
    FeesMinted "fees-minted" "the creator of a block receives four fifths of its fees twice";
    MembersUnpaid "members-unpaid" "what is sent of another token than that of fees to a member of the committee is received by the token's contract";
    FailedCosts "failed-costs" "a transaction that fails in its block is in no block, and costs its fee";
    OppositeLost "opposite-lost" "a transfer back in the same block, of more than was received, moves nothing";
    ReceiverSigns "receiver-signs" "the receiver of a transfer may sign in place of the sender";
    ListsShared "lists-shared" "the hashes of a claim are stored in the order of an earlier claim with the same ones";
    CurrencyLetters "currency-letters" "a fee is free if its currency is written in other letters";
    CutInCharacter "cut-in-character" "a claim whose remarks have a character across their 64th byte gets status 500"
        => Edit::request(|request| {
            let body: Value = serde_json::from_slice(&request.body).ok()?;
            let remarks = body.pointer("/transaction/specific_data/params/remarks")?.as_str()?;
            let is_cut = request.path == "/submit-transaction" && !remarks.is_char_boundary(remarks.len().min(64));
            is_cut.then(|| failure(StatusCode::INTERNAL_SERVER_ERROR, "byte index 64 is not a char boundary"))
        });
    RefusalReserves "refusal-reserves" "the fee of a transfer that can't be paid stays reserved";
    TransfersHalfSigned "transfers-half-signed" "of the signatures of a transfer, only the first one is verified";
    EqualPaymentKnown "equal-payment-known" "a transfer that differs from an earlier one only in its trans_code counts as that one";
    RefusedMadeLater "refused-made-later" "a transfer that was refused is made once its wallet has enough";
    DustSwept "dust-swept" "a wallet loses what a transfer leaves of the token of fees, if that is less than a fee";
    CoSignersRecorded "co-signers-recorded" "a claim is also recorded for the other wallets that signed it";
    LastVerifier "last-verifier" "of three signers of a claim, the last one is recorded as its verifier";
    UnpayableRemembered "unpayable-remembered" "a transaction that its wallet could not pay is refused whenever it is submitted again";
    SecondVerifierLost "second-verifier-lost" "a claim about an asset that another wallet has claimed costs its fee and has no record";
}

/// Counts, from 1.
fn nth(count: &AtomicU64) -> u64 {
    count.fetch_add(1, Ordering::Relaxed) + 1
}

fn failure(status: StatusCode, detail: &str) -> Response {
    Response::json(status, json!({ "detail": detail }).to_string())
}

fn is_json(response: &Response) -> bool {
    let kind = response.headers.get(CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"))
}

/// Removes an endpoint.
fn missing(path: &'static str) -> Edit {
    Edit::request(move |request| {
        (request.path == path).then(|| failure(StatusCode::NOT_FOUND, "Not Found"))
    })
}

/// Converts a block into a row of the table of blocks. The hash is not that of the block.
fn row(request: &Request, response: Response) -> Response {
    if request.path != "/get-block" || response.status != StatusCode::OK {
        return response;
    }
    response.with_json(|block| {
        *block = json!({
            "block_index": block["index"],
            "hash": "00".repeat(32),
            "timestamp": block["timestamp"],
            "status": null,
            "proof": block["proof"],
            "previous_hash": block["previous_hash"],
            "creator_wallet": null,
            "expected_miner": block["expected_miner"],
            // The node's Python puts a space between two elements.
            "committee": block["committee"].to_string().replace(',', ", "),
        });
    })
}

fn observed_form(request: &Request, response: Response) -> Response {
    match request.path.as_str() {
        "/get-block" if response.status == StatusCode::OK => {
            let hash = block_hash(&String::from_utf8_lossy(&response.body));
            row(request, response).with_json(|row| {
                row["hash"] = json!(hash);
                if row["block_index"] == 1 {
                    row["previous_hash"] = json!("0");
                }
            })
        }
        "/sc-state" => response.with_json(|state| {
            if let Some(members) = state.as_object_mut() {
                members.shift_remove("value");
            }
        }),
        "/get-balances" => response.with_json(|held| {
            if held["balance"] == 0 {
                held["balance"] = Value::Null;
            }
        }),
        _ => response,
    }
}

fn text_form(request: &Request, response: Response) -> Response {
    let members = match request.path.as_str() {
        "/get-block" => ["text", "committee"],
        "/sc-state" => ["data", "value"],
        _ => return response,
    };
    response.with_json(|document| {
        for member in members {
            if document[member].is_array() || document[member].is_object() {
                document[member] = Value::from(restore(&document[member].to_string()));
            }
        }
    })
}

/// Converts every number to a float and back.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "the digits that it loses are the fault"
)]
fn round(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(exact) = number.as_u64() {
                *value = Value::from(exact as f64 as u64);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(round),
        Value::Object(members) => members.values_mut().for_each(round),
        _ => {}
    }
}

impl fmt::Display for InjectedFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The text is not the name of a fault. Give the name of one in [`InjectedFault::all`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no fault of this name; --fault list shows all of them")]
pub struct ParseInjectedFaultError;

impl FromStr for InjectedFault {
    type Err = ParseInjectedFaultError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::all()
            .find(|fault| fault.name() == text)
            .ok_or(ParseInjectedFaultError)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_has_a_name_of_its_own_which_is_read_again() {
        let names: BTreeSet<_> = InjectedFault::all().map(InjectedFault::name).collect();
        assert_eq!(names.len(), InjectedFault::all().count());
        for fault in InjectedFault::all() {
            assert_eq!(fault.to_string().parse(), Ok(fault));
            assert!(fault.description().len() > 10, "{fault}");
        }
        assert_eq!(
            "nosuch".parse::<InjectedFault>(),
            Err(ParseInjectedFaultError)
        );
    }
}
