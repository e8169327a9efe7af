//! A short description of each case about submissions, for `nodeproof explain`.

/// The description of each case of `/submit-transaction`.
pub(super) const DESCRIPTIONS: &[(&str, &str)] = &[
    (
        "submit-transaction/unsigned",
        "A transaction without signatures, and one without signers, are refused.",
    ),
    (
        "submit-transaction/half-signed",
        "A transaction of two signers is refused if one signature is missing, or one wallet signed twice.",
    ),
    (
        "submit-transaction/unlisted-signer",
        "A transaction that only a wallet outside of `signers` signed is refused.",
    ),
    (
        "submit-transaction/another-wallets-key",
        "A signature that another wallet's key made is refused, alone and as one of two.",
    ),
    (
        "submit-transaction/signature-altered",
        "A signature with one digit changed is refused.",
    ),
    (
        "submit-transaction/params-altered",
        "A transaction whose `params` changed after signing is refused.",
    ),
    (
        "submit-transaction/fee-altered",
        "A transaction whose `fee` changed after signing is refused.",
    ),
    (
        "submit-transaction/transaction-altered",
        "A transaction of which any other member changed after signing is refused.",
    ),
    (
        "submit-transaction/signature-not-hex",
        "A `msgsign` that is not hexadecimal text, empty, null, cut short or all zeros is refused.",
    ),
    (
        "submit-transaction/transaction-required",
        "A submission without a `transaction` object is refused.",
    ),
    (
        "submit-transaction/signatures-required",
        "A submission without a `signatures` array is refused.",
    ),
    (
        "submit-transaction/fee-mistyped",
        "A `fee` that is a string is refused.",
    ),
    (
        "submit-transaction/fee-negative",
        "A negative `fee` is refused. Otherwise the network would pay the sender.",
    ),
    ("submit-transaction/fee-zero", "A `fee` of 0 is refused."),
    (
        "submit-transaction/empty-object",
        "The body `{}` is refused.",
    ),
    (
        "submit-transaction/body-not-json",
        "A body that is empty or not JSON is refused.",
    ),
    (
        "submit-transaction/body-array",
        "A body that is an array is refused.",
    ),
    (
        "submit-transaction/body-text",
        "A body that is a JSON string is refused.",
    ),
    (
        "submit-transaction/oversized",
        "A transaction of more than 10 kB is refused.",
    ),
    (
        "submit-transaction/right-after-wrong-signature",
        "A transaction that was refused for a wrong signature is accepted when it is submitted again with the right one.",
    ),
    (
        "submit-transaction/signature-order",
        "The signatures of two signers are accepted in either order. Each element of `signatures` names its wallet.",
    ),
    (
        "submit-transaction/batch",
        "`/submit-transaction-batch`, if the node has it, accepts neither an unsigned transaction nor one with another wallet's key.",
    ),
    (
        "submit-transaction/responds",
        "A refusal with a status of success is one JSON object.",
    ),
    (
        "submit-transaction/content-type",
        "A refusal with a status of success and a JSON body has the content type `application/json`.",
    ),
    (
        "submit-transaction/refused-not-stored",
        "`/sc-state` returns no record of a claim that was refused.",
    ),
    (
        "submit-transaction/wrong-method",
        "A GET does not return the result of a submission.",
    ),
    (
        "submit-transaction/refusal-is-no-crash",
        "No bad submission is refused with a 5xx status, which blames the server.",
    ),
    (
        "submit-transaction/decodes",
        "The client `nodeproof-client` reads the result of refused submissions.",
    ),
    (
        "submit-transaction/claim-built",
        "`/call-sc` builds the claim that was requested, without anything that was not requested. \
         Only such a transaction is signed.",
    ),
    (
        "submit-transaction/claim-accepted",
        "A claim with the fee and the signature of its wallet has `response.valid` true.",
    ),
    (
        "submit-transaction/claim-status",
        "`status` of an accepted submission is `SUCCESS`.",
    ),
    (
        "submit-transaction/claim-msg",
        "`response.msg` of an accepted submission is a string.",
    ),
    (
        "submit-transaction/claim-document",
        "The response to an accepted submission is one JSON object, without duplicate members.",
    ),
    (
        "submit-transaction/claim-snapshot",
        "The shape of the response to an accepted submission is that of the shared snapshot.",
    ),
    (
        "submit-transaction/claim-content-type",
        "The response to an accepted submission has the content type `application/json`.",
    ),
    (
        "submit-transaction/claim-http-status",
        "The response to an accepted submission has the status 200.",
    ),
    (
        "submit-transaction/claim-new",
        "`response.new_transaction` is true the first time.",
    ),
    (
        "submit-transaction/resubmission-not-new",
        "`response.new_transaction` is false when the same transaction is submitted again.",
    ),
    (
        "submit-transaction/resubmission-valid",
        "`response.valid` stays true when the same transaction is submitted again, and it does not crash the node.",
    ),
    (
        "submit-transaction/claim-readable",
        "`/sc-state` returns the claim's record within `--settle-timeout`.",
    ),
    (
        "submit-transaction/claim-asset-id",
        "The record has the `asset_id` that was submitted.",
    ),
    (
        "submit-transaction/claim-asset-type",
        "The record has the `asset_type` that was submitted.",
    ),
    (
        "submit-transaction/claim-verifier-address",
        "The record has the `verifier_address` that was submitted, which is the wallet that signs.",
    ),
    (
        "submit-transaction/claim-outcome",
        "The record has the `outcome` that was submitted, as an integer.",
    ),
    (
        "submit-transaction/claim-doc-hash-list",
        "The record has the `doc_hash_list` that was submitted, as an array or as text.",
    ),
    (
        "submit-transaction/claim-doc-link-list",
        "The record has the `doc_link_list` that was submitted, as an array or as text.",
    ),
    (
        "submit-transaction/claim-remarks",
        "The record has the `remarks` that were submitted.",
    ),
    (
        "submit-transaction/claim-deletable-after",
        "The record has the `deletable_after` that was submitted, as an integer.",
    ),
    (
        "submit-transaction/claim-lists",
        "The lists in the record are arrays or the JSON text of arrays, so their items stay separate.",
    ),
    (
        "submit-transaction/claim-columns",
        "A record without names has its columns in the order of known nodes.",
    ),
    (
        "submit-transaction/claim-in-block",
        "A later block has the claim's `trans_code` among its transactions.",
    ),
    (
        "submit-transaction/claim-in-block-as-signed",
        "The transaction in the block has the values that were signed, and only that signature.",
    ),
    (
        "submit-transaction/fee-paid",
        "The wallet's balance goes down by exactly the fee.",
    ),
    (
        "submit-transaction/claim-refused-not-stored",
        "A claim that was refused just before the accepted one has no record.",
    ),
    (
        "submit-transaction/claim-refused-costs-nothing",
        "A refused submission does not reduce the wallet's balance.",
    ),
];
