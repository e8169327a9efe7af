//! What a run examined.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The samples that the cases of a run use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SamplesReport {
    /// Number of blocks that were read. A sweep reads more.
    pub blocks: usize,
    /// The lowest and the highest index of these blocks, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heights: Option<(u64, u64)>,
    /// Number of claims whose records were compared.
    pub claims: usize,
    /// Number of wallets whose balances were requested.
    pub wallets: usize,
    /// Number of tokens whose holders were requested.
    pub tokens: usize,
    /// The contract that the cases call, if one is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract: Option<String>,
}

impl SamplesReport {
    /// Returns the samples in words, such as `12 blocks from 1 to 12, 6 claims, 5 wallets, 2 tokens,
    /// contract ctcc8321d6375c494d043fdd0260f21bc0ec51dacc`.
    pub(crate) fn in_words(&self) -> String {
        let count = |count: usize, one: &str| match count {
            1 => format!("1 {one}"),
            _ => format!("{count} {one}s"),
        };
        let mut words = count(self.blocks, "block");
        match self.heights {
            Some((lowest, highest)) if lowest < highest => {
                words.push_str(&format!(" from {lowest} to {highest}"));
            }
            Some((only, _)) => words.push_str(&format!(" at {only}")),
            None => {}
        }
        for (number, one) in [
            (self.claims, "claim"),
            (self.wallets, "wallet"),
            (self.tokens, "token"),
        ] {
            words.push_str(", ");
            words.push_str(&count(number, one));
        }
        if let Some(contract) = &self.contract {
            words.push_str(", contract ");
            words.push_str(contract);
        }
        if [self.blocks, self.claims, self.wallets, self.tokens].contains(&0) {
            words.push_str(". These are few samples. Name more with --fixture");
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_a_plural_and_few_samples_are_named() {
        let mut samples = SamplesReport {
            blocks: 2,
            heights: Some((1, 9)),
            claims: 1,
            wallets: 3,
            tokens: 1,
            contract: Some("ct11".to_owned()),
        };
        assert_eq!(
            samples.in_words(),
            "2 blocks from 1 to 9, 1 claim, 3 wallets, 1 token, contract ct11"
        );
        samples.claims = 0;
        samples.heights = Some((1, 1));
        samples.contract = None;
        assert_eq!(
            samples.in_words(),
            "2 blocks at 1, 0 claims, 3 wallets, 1 token. These are few samples. Name more with \
             --fixture"
        );
    }
}
