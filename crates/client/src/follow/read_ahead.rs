//! Requesting several blocks at a time.

use futures_util::{FutureExt, StreamExt, future::BoxFuture, stream::FuturesOrdered};

use crate::{Block, Client, Error};

/// The largest number of requests at a time.
const MAX_REQUESTS: usize = 256;

/// Requests for the next blocks of a stream that is behind the latest block.
pub(super) struct ReadAhead {
    client: Client,
    /// The maximum number of requests at a time.
    limit: usize,
    /// The requests, for consecutive indexes.
    requests: FuturesOrdered<BoxFuture<'static, Result<Option<Block>, Error>>>,
    /// The index of the first request.
    first: u64,
}

impl ReadAhead {
    pub(super) fn new(client: Client, limit: usize) -> Self {
        Self {
            client,
            limit: limit.min(MAX_REQUESTS),
            requests: FuturesOrdered::new(),
            first: 0,
        }
    }

    /// Returns the block at an index, and requests the blocks after it. Returns `None` if the request
    /// found no block or failed. Then all requests are cancelled, and the block has to be requested
    /// alone.
    pub(super) async fn block(&mut self, index: u64) -> Option<Block> {
        if self.limit <= 1 {
            return None;
        }
        if self.first != index {
            self.requests.clear();
            self.first = index;
        }
        for requested in (index..=u64::MAX)
            .take(self.limit)
            .skip(self.requests.len())
        {
            let client = self.client.clone();
            let request = async move { client.block(requested).await };
            self.requests.push_back(request.boxed());
        }
        let block = self.requests.next().await?.ok().flatten();
        self.first = index.saturating_add(1);
        if block.is_none() {
            self.requests.clear();
        }
        block
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_requests_has_a_limit() {
        let client = Client::new("http://localhost:1").unwrap();
        for (wanted, limit) in [(8, 8), (256, 256), (usize::MAX, 256)] {
            assert_eq!(ReadAhead::new(client.clone(), wanted).limit, limit);
        }
    }
}
