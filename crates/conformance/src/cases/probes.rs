//! The case about probes: a node must not misread an unusual value.

use super::{
    call_sc,
    case::{Case, Example},
    check::{Check::Rule, with_unsent},
    get_block::{ANY_INDEX, NO_BLOCKS, OTHER_FORM},
    request_kind::RequestKind,
};
use crate::{api::Tier, http, rules::unusual, script::send_probes};

const UNUSUAL: &str = "a plain or an unusual value";
const BLOCK: RequestKind = RequestKind::get("/get-block", &[("block_index", UNUSUAL)]);
const BALANCE: RequestKind = RequestKind::get(
    "/get-balances",
    &[
        ("balance_type", UNUSUAL),
        ("token_code", UNUSUAL),
        ("wallet_address", UNUSUAL),
    ],
);
const HELD: RequestKind = RequestKind::get(
    "/get-balances",
    &[
        ("balance_type", "ALL_TOKENS_IN_WALLET"),
        ("wallet_address", UNUSUAL),
    ],
);
const HOLDERS: RequestKind = RequestKind::get(
    "/get-balances",
    &[
        ("balance_type", "ALL_WALLETS_FOR_TOKEN"),
        ("token_code", UNUSUAL),
    ],
);
const STATE: RequestKind = RequestKind::get(
    "/sc-state",
    &[
        ("table_name", UNUSUAL),
        ("contract_address", UNUSUAL),
        ("unique_column", UNUSUAL),
        ("unique_value", UNUSUAL),
    ],
);
const SCORE: RequestKind = RequestKind::get(
    "/get-trustscore-wallets",
    &[
        ("src_wallet_address", UNUSUAL),
        ("dst_wallet_address", UNUSUAL),
    ],
);
const CALL: RequestKind = RequestKind::post("/call-sc", "a call with one unusual value");

pub(crate) const CASES: &[Case] = &[Case {
    id: "http/probes-only-requested",
    requirements: &[
        "CONSISTENT-7",
        "BLOCK-1",
        "BALANCE-2",
        "BALANCE-3",
        "BALANCE-4",
        "STATE-2",
        "TRUST-1",
    ],
    tier: Tier::Probe,
    checks: "A parameter with a quote, a condition, a wildcard or another unusual value never returns a block that a lenient parser would not return, a record without exactly the requested value, or a balance or a score that an unknown value does not get.",
    matters: "A node that executes a part of a value shows what nobody requested, and may change it.",
    example: Example::REFUSED,
    sends: &[
        BLOCK,
        BALANCE,
        HELD,
        HOLDERS,
        STATE,
        SCORE,
        call_sc::BUILD,
        CALL,
    ],
    explained_by: &[ANY_INDEX, NO_BLOCKS, OTHER_FORM],
    check: Rule(|context| {
        Box::pin(async {
            if !context.is_recorded {
                // Reports list only the probes that lead to a finding.
                http::shared(send_probes(context)).await?;
            }
            Ok(with_unsent(context, unusual(&context.history())))
        })
    }),
    ..Case::BASE
}];
