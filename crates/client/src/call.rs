//! One request and its outcome.

use std::sync::Arc;

use futures_util::TryStreamExt;
use nodeproof_primitives::escape::escaped_up_to;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::{
    Client, Error, error, from_json,
    generated::{self, ByteStream, ResponseValue},
    transport::Exchange,
};

/// The status of a success. The specification shows no other one.
pub(crate) const SUCCESS: &str = "SUCCESS";

/// An operation, for errors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operation {
    /// Its `operationId` in the API's description.
    pub(crate) id: &'static str,
    /// The content of its response.
    pub(crate) response: &'static str,
}

/// One request: the generated client that sends it, and the notes about it.
pub(crate) struct Call {
    pub(crate) operation: Operation,
    pub(crate) client: generated::Client,
    pub(crate) exchange: Arc<Exchange>,
}

impl Client {
    /// Begins a request.
    pub(crate) fn begin(&self, operation: Operation) -> Call {
        let exchange = Arc::new(Exchange::default());
        Call {
            operation,
            client: self.generated().noting(Arc::clone(&exchange)),
            exchange,
        }
    }
}

impl Call {
    /// Returns the response, or the error of the request.
    pub(crate) async fn decoded<T: DeserializeOwned>(
        &self,
        outcome: Result<ResponseValue<T>, generated::Error<()>>,
    ) -> Result<T, Error> {
        match outcome {
            Ok(response) => Ok(response.into_inner()),
            Err(generated::Error::InvalidResponsePayload(body, error)) => {
                let reason = from_json::first_mismatch::<T>(&body, &error);
                Err(Error::undecodable(
                    self.operation,
                    &self.exchange,
                    &body,
                    &reason,
                ))
            }
            Err(failure) => Err(self.failed(failure).await),
        }
    }

    /// Decodes the text of a response whose form depends on the request.
    pub(crate) fn decode<T: DeserializeOwned>(&self, text: &str) -> Result<T, Error> {
        serde_json::from_str(text).map_err(|error| {
            let body = text.as_bytes();
            let reason = from_json::first_mismatch::<T>(body, &error);
            Error::undecodable(self.operation, &self.exchange, body, &reason)
        })
    }

    /// Creates the error for a response that contradicts itself or the request.
    pub(crate) fn contradicts(&self, reason: &str) -> Error {
        Error::contradictory(self.operation, &self.exchange, reason)
    }

    /// Checks that a status, if there is one, is that of a success. `others` has the other members,
    /// one of which can be the node's message.
    pub(crate) fn check_status(
        &self,
        status: Option<&str>,
        others: &Map<String, Value>,
    ) -> Result<(), Error> {
        let other = match status {
            None | Some(SUCCESS) => return Ok(()),
            Some(other) => escaped_up_to(other, 60),
        };
        Err(self.contradicts(&format!(
            "`status`: expected \"{SUCCESS}\", received \"{other}\"{}",
            error::words(others)
        )))
    }

    /// Returns the text of a page.
    pub(crate) async fn page(
        &self,
        outcome: Result<ResponseValue<ByteStream>, generated::Error<()>>,
    ) -> Result<String, Error> {
        let stream = match outcome {
            Ok(response) => response.into_inner().into_inner(),
            Err(failure) => return Err(self.failed(failure).await),
        };
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

/// Returns the response, or `None` if it reports that the requested thing is missing.
pub(crate) fn none_if_absent<T>(response: Result<T, Error>) -> Result<Option<T>, Error> {
    match response {
        Ok(response) => Ok(Some(response)),
        Err(error) if error.is_absent() => Ok(None),
        Err(error) => Err(error),
    }
}
