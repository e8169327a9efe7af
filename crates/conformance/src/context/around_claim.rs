//! Wrong submissions around the run's own claim: before it, and with its code.

use std::{collections::BTreeMap, slice::from_ref};

use nodeproof_primitives::WalletAddress;
use serde_json::{Value, json};

use super::{
    draft::{code_of, draft, unique},
    edit::altered,
    signatures::{in_the_name_of, sign, signed_over, stranger, whole},
    signing::SigningWallet,
    submitter::Submitter,
};
use crate::{
    api::BlockMembers,
    history::History,
    http::{InconclusiveReason, Request, Step},
};

/// Returns a claim that another key signed: its code, and the request that submits it.
pub(super) async fn of_another_key(
    submitter: &Submitter,
    wallet: WalletAddress,
    remarks: &str,
) -> Result<(String, Request), InconclusiveReason> {
    let text = draft(submitter, &[wallet], remarks).await?;
    let entry = in_the_name_of(wallet, sign(&stranger()?, &text).await?);
    let request = Request::post("/submit-transaction", whole(&text, &[entry]));
    let what = "a transaction signed with another wallet's key";
    Ok((code_of(&text), request.wrongly_signed(what)))
}

/// Returns the code of a claim that nobody signed, and the request that submits it.
pub(super) async fn unsigned(
    submitter: &Submitter,
    wallet: WalletAddress,
    remarks: &str,
) -> Result<(String, Request), InconclusiveReason> {
    let text = draft(submitter, &[wallet], remarks).await?;
    let request = Request::post("/submit-transaction", whole(&text, &[]));
    let what = "an unsigned transaction, submitted after a right one,";
    Ok((code_of(&text), request.wrongly_signed(what)))
}

/// Maximum number of transactions of old blocks that are submitted again.
const MOST_OLD: usize = 8;

/// Returns requests that submit again what the oldest known blocks have: the first transaction of each type, as it was
/// signed.
pub(super) fn of_old_blocks(history: &History) -> Vec<Request> {
    let blocks: BTreeMap<u64, _> = history.blocks().collect();
    let texts = blocks
        .values()
        .filter_map(|entry| std::str::from_utf8(&entry.exchange.body).ok());
    let blocks = texts.filter_map(BlockMembers::of);
    let transactions = blocks.flat_map(|block| block.transactions.unwrap_or_default());
    let signed = transactions.filter_map(|transaction| transaction.signed().ok());
    let mut requests = BTreeMap::new();
    for signed in signed {
        let body: Value = serde_json::from_str(signed.text().as_str()).unwrap_or_default();
        let kind = body["transaction"]["type"].to_string();
        let entries = body["signatures"]
            .as_array()
            .filter(|entries| !entries.is_empty());
        if let Some(entries) = entries {
            let text = signed.transaction_text();
            let again = || signed_over(text, text, entries).for_step(Step::OfABlock);
            requests.entry(kind).or_insert_with(again);
        }
    }
    requests.into_values().take(MOST_OLD).collect()
}

/// Returns a request that submits a transaction of another wallet, which has signed it correctly. It is like an accepted
/// one, and has this code.
pub(super) async fn by_another(
    submitter: &Submitter,
    wallet: &SigningWallet,
    accepted: &str,
    code: &str,
) -> Result<Request, InconclusiveReason> {
    let text = altered(accepted, |transaction| {
        if transaction["trans_code"] != code {
            take_other_asset(transaction);
        }
        transaction["trans_code"] = code.into();
        let data = &mut transaction["specific_data"];
        data["signers"] = json!([wallet.address()]);
        data["params"]["verifier_address"] = json!(wallet.address());
        data["params"]["remarks"] = "another transaction with a code that may be known".into();
    })?;
    signed_by(submitter, wallet, &text).await
}

/// Returns a new transaction like an accepted one.
pub(super) fn new_like(accepted: &str) -> Result<String, InconclusiveReason> {
    altered(&with_new_code(accepted)?, take_other_asset)
}

/// Returns the same transaction with another code.
pub(super) fn with_new_code(text: &str) -> Result<String, InconclusiveReason> {
    altered(text, |transaction| {
        transaction["trans_code"] = format!("{:040x}", unique()).into();
    })
}

/// Returns the same transaction with a fee of some units more. The sums of several fees then show which of them were paid.
pub(super) fn with_more_fee(text: &str, more: u64) -> Result<String, InconclusiveReason> {
    altered(text, |transaction| {
        let fee = transaction["fee"].as_u64();
        if let Some(fee) = fee.and_then(|fee| fee.checked_add(more)) {
            transaction["fee"] = fee.into();
        }
    })
}

fn take_other_asset(transaction: &mut Value) {
    let asset = format!("conformance-refused-{:x}", unique());
    transaction["specific_data"]["params"]["asset_id"] = asset.into();
}

/// Returns a request that submits a transaction which this wallet has signed.
pub(super) async fn signed_by(
    submitter: &Submitter,
    wallet: &SigningWallet,
    text: &str,
) -> Result<Request, InconclusiveReason> {
    let entry = sign(wallet, text).await?;
    if wallet.address() != stranger()?.address() {
        let signature = entry["msgsign"].as_str().unwrap_or_default();
        submitter.with.redactor.add(signature);
    }
    Ok(signed_over(text, text, &[entry]).carrying_signature())
}

/// Returns a request that submits a transaction which these wallets have signed.
pub(super) async fn signed_by_all(
    submitter: &Submitter,
    wallets: &[&SigningWallet],
    text: &str,
) -> Result<Request, InconclusiveReason> {
    let entries = entries_of(submitter, wallets, text).await?;
    Ok(signed_over(text, text, &entries).carrying_signature())
}

/// Returns the entries of these wallets' signatures.
pub(super) async fn entries_of(
    submitter: &Submitter,
    wallets: &[&SigningWallet],
    text: &str,
) -> Result<Vec<Value>, InconclusiveReason> {
    let mut entries = Vec::new();
    for wallet in wallets {
        let entry = sign(wallet, text).await?;
        let signature = entry["msgsign"].as_str().unwrap_or_default();
        submitter.with.redactor.add(signature);
        entries.push(entry);
    }
    Ok(entries)
}

/// Returns requests that submit other transactions with the signature of an accepted one. A code in capital letters is no
/// other one if the node writes codes like that.
pub(super) fn with_its_signature(
    accepted: &str,
    entry: &Value,
) -> Result<Vec<Request>, InconclusiveReason> {
    let code = |transaction: &Value| transaction["trans_code"].as_str().map(str::to_uppercase);
    let submit = |text: String, what: &str| {
        let request = signed_over(accepted, &text, from_ref(entry));
        request.carrying_signature().wrongly_signed(what)
    };
    let other = new_like(accepted)?;
    let capitals = altered(accepted, |transaction| {
        transaction["trans_code"] = code(transaction).into();
    })?;
    let mut all = vec![submit(
        other,
        "a new transaction with the signature of an accepted one",
    )];
    if code_of(&capitals) != code_of(accepted) {
        let what = "an accepted transaction with its trans_code in capital letters";
        all.push(submit(capitals, what));
    }
    Ok(all)
}

/// Returns a request that submits a transaction with other remarks than were signed.
pub(super) fn with_other_remarks(text: &str, entry: &Value) -> Result<Request, InconclusiveReason> {
    let other = altered(text, |transaction| {
        transaction["specific_data"]["params"]["remarks"] = "to be taken".into();
    })?;
    let request = signed_over(text, &other, from_ref(entry));
    let what = "the accepted transaction with other params";
    Ok(request.carrying_signature().wrongly_signed(what))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{api::block_request, history::recorded};

    #[test]
    fn of_each_type_the_oldest_transaction_is_submitted_again() {
        let entry = |code: &str, kind: u8, signatures: &str| {
            let code = code.repeat(40);
            format!(
                r#"{{"transaction":{{"trans_code":"{code}", "type":{kind}, "fee":1.0}},"signatures":[{signatures}],"status":1}}"#
            )
        };
        let signature = r#"{"wallet_address":"0x1342","msgsign":"b82a"}"#;
        let signature = signature.replace("0x1342", &format!("0x{}", "5a".repeat(20)));
        let signature = signature.replace("b82a", &"b8".repeat(64));
        let block = |index: u64, entries: &[String]| {
            let entries = entries.join(",");
            format!(
                r#"{{"index":{index},"text":{{"transactions":[{entries}],"previous_block_receipts":[]}}}}"#
            )
        };
        let blocks = [
            block(9, &[entry("a", 3, &signature)]),
            block(2, &[entry("b", 5, ""), entry("c", 3, &signature)]),
            block(4, &[entry("d", 3, &signature), entry("e", 5, &signature)]),
        ];
        let read = [9, 2, 4].into_iter().zip(&blocks).zip(0..);
        let rows = read.map(|((index, body), at)| (at, block_request(index), 200, body.as_str()));
        let requests = of_old_blocks(&recorded(rows.collect()));
        let sent: Vec<_> = requests.iter().filter_map(|one| one.body.clone()).collect();
        let [first, second] = &sent[..] else {
            panic!("{sent:?}");
        };
        // As it was signed.
        let code = "c".repeat(40);
        assert!(
            first.contains(&format!(
                r#"{{"trans_code":"{code}", "type":3, "fee":1.0}}"#
            )),
            "{first}"
        );
        assert!(second.contains(&"e".repeat(40)), "{second}");
        assert!(requests.iter().all(|one| one.step == Some(Step::OfABlock)));
    }
}
