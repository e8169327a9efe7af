//! `GET /get-block`.

use nodeproof_primitives::{Integer, ReceiptText};

use crate::{
    Block, Client, Error, IntegerParameter, Receipt,
    call::{Operation, none_if_absent},
};

const GET_BLOCK: Operation = Operation {
    id: "get_block",
    response: "a block",
};

/// The search for the latest block does not go beyond 2 to the power of this if it finds no block.
const MAX_POWER: u32 = 30;

impl Client {
    #[doc(alias = "get-block")]
    /// Returns the block at an index, or `None` if the node [has no such block](Error::is_absent).
    ///
    /// # Errors
    /// If the request fails in another way, or the response is not a block or is another block.
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), nodeproof_client::Error> {
    /// match node.block(1200_u64).await? {
    ///     Some(block) => println!("made at {}", block.timestamp),
    ///     None => println!("not made yet"),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn block(&self, index: impl Into<Integer>) -> Result<Option<Block>, Error> {
        let index = index.into();
        let call = self.begin(GET_BLOCK);
        let response = call.client.get_block(&IntegerParameter(index)).await;
        let Some(block) = none_if_absent(call.decoded(response).await)? else {
            return Ok(None);
        };
        if block.index == index {
            return Ok(Some(block));
        }
        Err(call.contradicts(&format!(
            "block {index} was requested, and this is block {}",
            block.index
        )))
    }

    /// Returns the latest block, or `None` if the chain has no block yet.
    ///
    /// The specification has no request for it. This requests blocks at doubled indexes until one
    /// is missing, and then bisects: about 40 requests on a long chain.
    ///
    /// # Errors
    /// If a request fails.
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), nodeproof_client::Error> {
    /// if let Some(latest) = node.latest_block().await? {
    ///     println!("the chain has {} blocks", latest.index);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn latest_block(&self) -> Result<Option<Block>, Error> {
        Ok(self.latest_indexed().await?.map(|(_, block)| block))
    }

    /// Returns the latest block with its index.
    pub(crate) async fn latest_indexed(&self) -> Result<Option<(u64, Block)>, Error> {
        let Some((mut known, mut latest)) = self.any_block().await? else {
            return Ok(None);
        };
        if known == 0 {
            return Ok(Some((0, latest)));
        }
        let mut beyond = loop {
            let Some(next) = known.checked_mul(2) else {
                break u64::MAX;
            };
            match self.block(next).await? {
                Some(block) => (known, latest) = (next, block),
                None => break next,
            }
        };
        while beyond - known > 1 {
            let middle = known + (beyond - known) / 2;
            match self.block(middle).await? {
                Some(block) => (known, latest) = (middle, block),
                None => beyond = middle,
            }
        }
        Ok(Some((known, latest)))
    }

    async fn any_block(&self) -> Result<Option<(u64, Block)>, Error> {
        // The first block is number 1, or 0 with other implementations. Some nodes drop their first
        // blocks.
        let dropped = (1..=MAX_POWER).map(|power| 1_u64 << power);
        for index in [1, 0].into_iter().chain(dropped) {
            if let Some(block) = self.block(index).await? {
                return Ok(Some((index, block)));
            }
        }
        Ok(None)
    }
}

/// The texts of a receipt, for its verification with `nodeproof-wallet`.
impl<'r> From<&'r Receipt> for ReceiptText<'r> {
    fn from(receipt: &'r Receipt) -> Self {
        Self {
            data: receipt.data.text(),
            public_key: receipt.public_key.as_str(),
            signature: receipt.signature.as_str(),
        }
    }
}
