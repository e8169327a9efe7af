//! A node in this process, which is called without a connection.

use std::{fmt, future::Future, pin::Pin, sync::Arc};

use super::failure::Failure;

type Responding = Pin<Box<dyn Future<Output = Option<http::Response<Vec<u8>>>> + Send>>;

/// A function that responds in place of a node at the base URL.
#[derive(Clone)]
pub(super) struct InProcess(Arc<dyn Fn(http::Request<Vec<u8>>) -> Responding + Send + Sync>);

impl InProcess {
    pub(super) fn new<F>(
        respond: impl Fn(http::Request<Vec<u8>>) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Option<http::Response<Vec<u8>>>> + Send + 'static,
    {
        Self(Arc::new(move |request| Box::pin(respond(request))))
    }

    pub(super) async fn send(
        &self,
        request: reqwest::RequestBuilder,
    ) -> Result<reqwest::Response, Failure> {
        let request = request.build().and_then(http::Request::try_from);
        let request = request.map_err(|error| Failure::of(&error))?;
        let request = request.map(|body| body.as_bytes().unwrap_or_default().to_vec());
        let closed = || Failure::Closed("it gave no response".to_owned());
        (self.0)(request).await.map(Into::into).ok_or_else(closed)
    }
}

impl fmt::Debug for InProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InProcess")
    }
}
