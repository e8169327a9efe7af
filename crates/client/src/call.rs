//! One call and what became of it.

use std::sync::Arc;

use futures_util::TryStreamExt;

use crate::{
    Error, FieldError,
    generated::{self, ByteStream, ResponseValue},
    transport::Exchange,
};

/// Which operation is called, as its errors tell it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operation {
    /// The name that the API's description gives it.
    pub(crate) id: &'static str,
    /// What it answers.
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
    answer: "an answer to a submission",
};
pub(crate) const SUBMIT_TRANSACTION_BATCH: Operation = Operation {
    id: "submit_transaction_batch",
    answer: "an answer to a batch",
};
pub(crate) const DOCS: Operation = Operation {
    id: "docs",
    answer: "a page",
};

/// One call: the generated client that makes it, and what is noted of it.
pub(crate) struct Call {
    pub(crate) operation: Operation,
    pub(crate) client: generated::Client,
    pub(crate) exchange: Arc<Exchange>,
}

impl Call {
    /// The answer, or what went wrong on the way to it.
    pub(crate) async fn answer<T>(
        &self,
        outcome: Result<ResponseValue<T>, generated::Error<()>>,
    ) -> Result<T, Error> {
        match outcome {
            Ok(answer) => Ok(answer.into_inner()),
            Err(failure) => Err(self.failed(failure).await),
        }
    }

    /// A part of an answer that has to be readable.
    pub(crate) fn read<T>(&self, part: Result<T, FieldError>) -> Result<T, Error> {
        part.map_err(|fault| Error::unreadable(self.operation, &self.exchange, fault))
    }

    /// The text of a page.
    pub(crate) async fn page(
        &self,
        outcome: Result<ResponseValue<ByteStream>, generated::Error<()>>,
    ) -> Result<String, Error> {
        let stream = self.answer(outcome).await?.into_inner();
        let read = stream.try_fold(Vec::new(), |mut page, piece| async move {
            page.extend_from_slice(&piece);
            Ok(page)
        });
        match read.await {
            Ok(page) => Ok(String::from_utf8_lossy(&page).into_owned()),
            Err(failure) => Err(self
                .failed(generated::Error::ResponseBodyError(failure))
                .await),
        }
    }

    async fn failed(&self, failure: generated::Error<()>) -> Error {
        Error::from_call(self.operation, &self.exchange, failure).await
    }
}
