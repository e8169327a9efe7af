//! One request and its outcome.

use std::sync::Arc;

use futures_util::TryStreamExt;

use crate::{
    Error, FieldError,
    generated::{self, ByteStream, ResponseValue},
    operation::Operation,
    transport::Exchange,
};

/// One request: the generated client that sends it, and the notes about it.
pub(crate) struct Call {
    pub(crate) operation: Operation,
    pub(crate) client: generated::Client,
    pub(crate) exchange: Arc<Exchange>,
}

impl Call {
    /// Returns the response, or the error of the request.
    pub(crate) async fn response<T>(
        &self,
        outcome: Result<ResponseValue<T>, generated::Error<()>>,
    ) -> Result<T, Error> {
        match outcome {
            Ok(response) => Ok(response.into_inner()),
            Err(failure) => Err(self.failed(failure).await),
        }
    }

    /// Returns a required part of a response.
    pub(crate) fn read<T>(&self, part: Result<T, FieldError>) -> Result<T, Error> {
        part.map_err(|fault| Error::unreadable(self.operation, &self.exchange, fault))
    }

    /// Returns the text of a page.
    pub(crate) async fn page(
        &self,
        outcome: Result<ResponseValue<ByteStream>, generated::Error<()>>,
    ) -> Result<String, Error> {
        let stream = self.response(outcome).await?.into_inner();
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
