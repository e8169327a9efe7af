//! One exchange of a history: what was requested, and what kind of response it got.

use std::{sync::Arc, time::Duration};

use serde_json::Value;

use crate::{
    api::{in_block, is_nothing, is_refusal, reported_index, stored},
    http::{Exchange, LoggedExchange},
};

/// The kind of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// A success with a JSON document that carries something.
    Content,
    /// A refusal of the request, or a success that carries nothing.
    Nothing,
    /// A server error, which shows nothing about the request.
    ServerError,
    /// A success without a JSON document.
    Unreadable,
}

impl Answer {
    pub(crate) fn of(exchange: &Exchange) -> Self {
        if exchange.status >= 500 {
            return Self::ServerError;
        }
        if !exchange.is_success() {
            return Self::Nothing;
        }
        match exchange.json() {
            Err(_) => Self::Unreadable,
            Ok(body) if is_nothing(body) || is_refusal(body) => Self::Nothing,
            Ok(body) if exchange.request.path == "/sc-state" && stored(body).is_none() => {
                Self::Nothing
            }
            Ok(_) => Self::Content,
        }
    }
}

/// One exchange of a history.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The request and its response.
    pub(crate) exchange: Arc<Exchange>,
    /// The time from the start of the run to sending the request.
    pub(crate) began: Duration,
    /// The time from the start of the run to the end of the response.
    pub(crate) ended: Duration,
    /// The kind of the response.
    pub(crate) answer: Answer,
    /// The path and the parameters, in a form that is equal for equal requests in other words.
    pub(crate) question: Arc<str>,
    /// The index that a block request names, unless the response has another one. A request with further
    /// parameters may name several.
    pub(crate) block_index: Option<u64>,
}

impl Entry {
    /// Returns the submissions in the body of the request: one, or those of a batch.
    pub(crate) fn submissions(&self) -> &[Value] {
        self.exchange.submissions()
    }

    /// Whether it is a block with the transaction of this code.
    pub(crate) fn shows(&self, code: &str) -> bool {
        let block = self.exchange.success_object();
        block.is_some_and(|block| in_block(block, code).is_some())
    }
}

impl From<LoggedExchange> for Entry {
    fn from(logged: LoggedExchange) -> Self {
        let exchange = logged.exchange;
        let question = Arc::clone(exchange.question());
        let index = question.strip_prefix("/get-block?block_index=");
        // A node may refuse another form of a number, such as +7.
        let block_index = index.and_then(|index| {
            let number: u64 = index.parse().ok()?;
            (number.to_string() == index).then_some(number)
        });
        let reported = exchange.success_object().and_then(reported_index);
        let block_index = block_index
            .filter(|index: &u64| reported.is_none_or(|reported| reported == i128::from(*index)));
        Self {
            answer: Answer::of(&exchange),
            began: logged.began,
            ended: logged.ended,
            question,
            block_index,
            exchange,
        }
    }
}
