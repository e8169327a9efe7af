//! Finding out why a node refused a transaction.

use nodeproof_primitives::Integer;

use crate::{Client, Refusal, SignedTransaction, submit_error::joined};

impl Client {
    /// Finds out why the node refused a transaction with these messages.
    pub(crate) async fn refusal(
        &self,
        transaction: &SignedTransaction,
        messages: &[String],
    ) -> Refusal {
        let shortage = self.shortage(transaction).await;
        shortage.unwrap_or_else(|| Refusal::Other(joined(messages)))
    }

    /// Returns what the wallet lacks that pays the fee, if the node shows that.
    async fn shortage(&self, transaction: &SignedTransaction) -> Option<Refusal> {
        let transaction = transaction.transaction().ok()?;
        let wallet = *transaction.contract_call().ok()?.signers.first()?;
        let token = transaction.currency;
        let need: Integer = transaction.fee.as_str().parse().ok()?;
        let balance = self.token_balance(&token, wallet).await.ok()?;
        let have = balance.unwrap_or_default();
        if have >= need {
            return None;
        }
        // Nodes were seen to return the same for a token that does not exist and for one that is not held.
        let is_unknown =
            have == 0 && matches!(self.holders(&token).await, Ok(held) if held.is_empty());
        Some(match is_unknown {
            true => Refusal::UnknownToken { token },
            false => Refusal::Fee {
                wallet,
                have,
                need,
                token,
            },
        })
    }
}
