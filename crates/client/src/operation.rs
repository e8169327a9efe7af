//! The operations that the client has methods for.

/// An operation, for errors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operation {
    /// Its `operationId` in the API's description.
    pub(crate) id: &'static str,
    /// The content of its response.
    pub(crate) answer: &'static str,
}

pub(crate) const GET_BLOCK: Operation = Operation {
    id: "get_block",
    answer: "a block",
};
pub(crate) const GET_BALANCES: Operation = Operation {
    id: "get_balances",
    answer: "a balance",
};
pub(crate) const SC_STATE: Operation = Operation {
    id: "sc_state",
    answer: "a contract's state",
};
pub(crate) const GET_TRUSTSCORE_WALLETS: Operation = Operation {
    id: "get_trustscore_wallets",
    answer: "a trust score",
};
pub(crate) const CALL_SC: Operation = Operation {
    id: "call_sc",
    answer: "a raw transaction",
};
pub(crate) const SUBMIT_TRANSACTION: Operation = Operation {
    id: "submit_transaction",
    answer: "a response to a submission",
};
pub(crate) const SUBMIT_TRANSACTION_BATCH: Operation = Operation {
    id: "submit_transaction_batch",
    answer: "a response to a batch",
};
pub(crate) const DOCS: Operation = Operation {
    id: "docs",
    answer: "a page",
};
