//! The operations that the client has methods for.

/// An operation, for errors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operation {
    /// Its `operationId` in the API's description.
    pub(crate) id: &'static str,
    /// The content of its response.
    pub(crate) response: &'static str,
}

pub(crate) const GET_BLOCK: Operation = Operation {
    id: "get_block",
    response: "a block",
};
pub(crate) const GET_BALANCES: Operation = Operation {
    id: "get_balances",
    response: "a balance",
};
pub(crate) const SC_STATE: Operation = Operation {
    id: "sc_state",
    response: "a contract's state",
};
pub(crate) const GET_TRUSTSCORE_WALLETS: Operation = Operation {
    id: "get_trustscore_wallets",
    response: "a trust score",
};
pub(crate) const CALL_SC: Operation = Operation {
    id: "call_sc",
    response: "a raw transaction",
};
pub(crate) const SUBMIT_TRANSACTION: Operation = Operation {
    id: "submit_transaction",
    response: "a response to a submission",
};
pub(crate) const SUBMIT_TRANSACTION_BATCH: Operation = Operation {
    id: "submit_transaction_batch",
    response: "a response to a batch",
};
pub(crate) const DOCS: Operation = Operation {
    id: "docs",
    response: "a page",
};
