//! Requests about a sample: a block, a balance, a record or a score.

use nodeproof_primitives::{ContractAddress, WalletAddress};
use url::form_urlencoded;

use super::fixture::{Asset, Balance, Fixture, KnownBlock, Trust};

/// Returns the samples of a request as a fixture, or `None` if the request is not about a sample
/// that another run may not choose.
pub(crate) fn samples_of(request: &str) -> Option<Fixture> {
    let (path, query) = request.split_once('?')?;
    let pairs: Vec<_> = form_urlencoded::parse(query.as_bytes()).collect();
    let value = |name: &str| {
        let mut pairs = pairs.iter();
        let (_, value) = pairs.find(|(known, _)| known == name)?;
        Some(value.to_string())
    };
    let wallet = |name: &str| value(name)?.parse::<WalletAddress>().ok();
    let mut fixture = Fixture::default();
    match path {
        "/get-block" => fixture
            .blocks
            .push(KnownBlock::Index(value("block_index")?.parse().ok()?)),
        "/get-balances" => match value("balance_type")?.as_str() {
            "TOKEN_IN_WALLET" => fixture.balances.push(Balance {
                wallet: wallet("wallet_address")?,
                token: value("token_code")?,
                balance: None,
            }),
            "ALL_TOKENS_IN_WALLET" => fixture.wallets.push(wallet("wallet_address")?),
            "ALL_WALLETS_FOR_TOKEN" => fixture.tokens.push(value("token_code")?),
            _ => return None,
        },
        "/sc-state" if value("table_name")? == "verification" => {
            (value("unique_column")? == "asset_id").then_some(())?;
            fixture.assets.push(Asset {
                contract: value("contract_address")?.parse::<ContractAddress>().ok()?,
                asset_id: value("unique_value")?,
                record: serde_json::Map::new(),
            });
        }
        "/get-trustscore-wallets" => fixture.trust.push(Trust::Pair(
            wallet("src_wallet_address")?,
            wallet("dst_wallet_address")?,
        )),
        _ => return None,
    }
    Some(fixture)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_about_a_sample_is_read_and_others_are_not() {
        let wallet = format!("0x{}", "5a".repeat(20));
        for (request, is_sample) in [
            ("/get-block?block_index=33".to_owned(), true),
            ("/get-block?block_index=no-index".to_owned(), false),
            ("/get-block?".to_owned(), false),
            (
                format!("/get-balances?balance_type=ALL_TOKENS_IN_WALLET&wallet_address={wallet}"),
                true,
            ),
            (
                format!("/get-balances?balance_type=EVERYTHING&wallet_address={wallet}"),
                false,
            ),
            (
                format!(
                    "/get-trustscore-wallets?dst_wallet_address={wallet}&src_wallet_address={wallet}"
                ),
                true,
            ),
            (
                format!("/get-trustscore-wallets?dst_wallet_address={wallet}"),
                false,
            ),
            ("/docs?".to_owned(), false),
        ] {
            assert_eq!(samples_of(&request).is_some(), is_sample, "{request}");
        }
    }
}
