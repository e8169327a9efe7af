//! The start of a chain: balances, and the transactions of its first blocks.

use nodeproof_primitives::{HolderAddress, TimestampMs, WalletAddress, signed_message};
use nodeproof_wallet::KeyPair;
use serde_json::json;

use super::{
    Chain, Committee, ContractCall, NATIVE_TOKEN, Submission, TransactionRules, VAULT,
    committee::MEMBERS,
};
use crate::{ChainTime, FUNDS, InjectedFault, seed::Seed, test_wallet::TestWallet};

/// Time between the initial blocks, in milliseconds.
const GENESIS_STEP: i64 = 1000;

/// Number of initial blocks between two claims on a long chain.
const CLAIM_EVERY: u64 = 16;

/// The asset of the chain's first claim, and the block with that claim.
pub(crate) const CLAIMED_ASSET: (&str, u64) = ("warehouse-receipt-0001", 2);

/// Two tokens in addition to the native one. Balances of the second are above 2^53.
const GRAIN: &str = "GRAIN";

/// The wallets at the start of a chain.
pub(crate) struct GenesisWallets<'a> {
    pub(crate) validators: [&'a TestWallet; MEMBERS],
    pub(crate) users: [&'a TestWallet; 3],
    /// The user's own wallets. They only get tokens.
    pub(crate) funded: &'a [WalletAddress],
}

/// The start of a chain.
#[derive(Clone, Copy)]
pub(crate) struct Start {
    pub(crate) blocks: u64,
    /// The time of the chain's start, in milliseconds.
    pub(crate) time: i64,
    pub(crate) fault: Option<InjectedFault>,
    /// The height from which the node has the fault.
    pub(crate) fault_from: u64,
}

/// Returns the time of a chain's start, in milliseconds.
pub(crate) fn start_time(time: ChainTime, blocks: u64) -> i64 {
    match time {
        ChainTime::From(start) => start.as_millis(),
        // The latest block is about as old as that of a running chain.
        ChainTime::Clock => {
            let age = i64::try_from(blocks).map_or(i64::MAX, |n| n.saturating_mul(GENESIS_STEP));
            TimestampMs::now().as_millis().saturating_sub(age)
        }
    }
}

/// Creates a chain with its initial blocks.
pub(crate) fn create_chain(
    seed: Seed,
    rules: TransactionRules,
    wallets: &GenesisWallets<'_>,
    start: Start,
) -> Chain {
    let blocks = start.blocks;
    let committee = Committee::new(wallets.validators);
    let mut chain = Chain::new(committee, rules, start.time);
    // This fault does not affect the initial blocks: they need their transactions.
    chain.set_fault(
        start
            .fault
            .filter(|fault| *fault != InjectedFault::AcceptedLost),
        start.fault_from,
    );
    mint(&mut chain, seed, rules, wallets);
    for index in 1..=blocks {
        for planned in planned(index, rules, wallets) {
            submit(&mut chain, index, &planned);
        }
        chain.make_block(GENESIS_STEP, None);
    }
    chain.set_fault(start.fault, start.fault_from);
    chain
}

fn mint(chain: &mut Chain, seed: Seed, rules: TransactionRules, wallets: &GenesisWallets<'_>) {
    let wallet = |wallet: &TestWallet| HolderAddress::Wallet(wallet.address());
    let exact = (1_u128 << 53) + 1;
    for (place, user) in (0_u128..).zip(wallets.users) {
        let odd_amount = u128::from(seed.number(user.name(), 1_000_000));
        chain.ledger.mint(
            NATIVE_TOKEN,
            wallet(user),
            1_000_000_000_000_000 + odd_amount,
        );
        chain
            .ledger
            .mint(GRAIN, wallet(user), 250_000_000 + odd_amount);
        // A float can't represent an odd number above 2^53.
        chain
            .ledger
            .mint(VAULT, wallet(user), exact * (2 * place + 1));
    }
    for validator in wallets.validators {
        chain
            .ledger
            .mint(NATIVE_TOKEN, wallet(validator), 5_000_000_000);
    }
    for wallet in wallets.funded {
        chain
            .ledger
            .mint(NATIVE_TOKEN, HolderAddress::Wallet(*wallet), FUNDS.into());
    }
    let treasury = HolderAddress::Contract(rules.token);
    chain.ledger.mint(NATIVE_TOKEN, treasury, exact * 2 + 1);
    chain.ledger.mint(VAULT, treasury, (1 << 62) + 1);
}

/// A contract call in an initial block, with its signers.
struct Planned<'a> {
    address: nodeproof_primitives::ContractAddress,
    function: &'static str,
    signers: Vec<&'a KeyPair>,
    params: serde_json::Value,
}

fn planned<'a>(
    index: u64,
    rules: TransactionRules,
    wallets: &GenesisWallets<'a>,
) -> Vec<Planned<'a>> {
    let [alice, bob, carol] = wallets.users.map(TestWallet::keys);
    let claim = |signers: Vec<&'a KeyPair>, asset: &str, remarks: &str| Planned {
        address: rules.verification,
        function: "add_verification",
        params: json!({
            "asset_id": asset,
            "asset_type": "token",
            "verifier_address": signers.first().map(|wallet| wallet.address()),
            "outcome": 1,
            "doc_hash_list": [hash_of(asset)],
            "doc_link_list": [format!("https://documents.example.org/{asset}.pdf")],
            "remarks": remarks,
            "deletable_after": 2_500_000 + index,
        }),
        signers,
    };
    let transfer = |from: &'a KeyPair, to: &KeyPair, token: &str, amount: u64| Planned {
        address: rules.token,
        function: "transfer",
        params: json!({
            "amount_to_send": amount,
            "receiver": to.address(),
            "asset_code": token,
        }),
        signers: vec![from],
    };
    match index {
        2 => vec![
            claim(vec![alice], CLAIMED_ASSET.0, "Weighed and sealed"),
            claim(vec![bob], CLAIMED_ASSET.0, "Seen, and counted again"),
        ],
        3 => vec![transfer(alice, bob, GRAIN, 1_250_000)],
        5 => vec![
            claim(vec![carol], "lagerschein-0002", "Geprüft – vollständig ✓"),
            transfer(bob, carol, VAULT, (1 << 53) + 1),
        ],
        8 => vec![claim(vec![alice, carol], "bill-of-lading-0003", "")],
        _ if index > 8 && index.is_multiple_of(CLAIM_EVERY) => {
            let signer = [alice, bob, carol][usize::try_from(index / CLAIM_EVERY % 3).unwrap_or(0)];
            vec![claim(
                vec![signer],
                &format!("asset-{index}"),
                "Part of a long chain",
            )]
        }
        _ => Vec::new(),
    }
}

/// Returns the hash of an invented document.
fn hash_of(document: &str) -> String {
    nodeproof_primitives::Hash256::from_bytes(Seed(0).bytes(document)).to_string()
}

/// Signs a planned call, and submits it like any other client.
fn submit(chain: &mut Chain, index: u64, planned: &Planned<'_>) {
    let signers: Vec<_> = planned
        .signers
        .iter()
        .map(|wallet| wallet.address())
        .collect();
    let transaction = ContractCall {
        address: planned.address,
        function: &json!(planned.function).to_string(),
        signers: &json!(signers).to_string(),
        params: &planned.params.to_string(),
    }
    .transaction(chain.now(None), "1000000", 0);
    let message = signed_message(&transaction).unwrap_or_default();
    let submission = Submission {
        size: transaction.len(),
        code: None,
        signatures: planned
            .signers
            .iter()
            .map(|wallet| {
                let signature = wallet.sign(message.as_bytes());
                (wallet.address().to_string(), signature.to_string())
            })
            .collect(),
        transaction: &transaction,
    };
    let verdict = submission
        .check(chain.rules(), None)
        .map(|transaction| chain.submit(transaction));
    // A test checks that every planned transaction gets into its block.
    if let Err(refusal) = verdict {
        tracing::error!(
            index,
            reason = refusal.0,
            "a genesis transaction was refused"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(seed: u64, blocks: u64) -> Chain {
        let seed = Seed(seed);
        let wallets = ["v1", "v2", "v3", "alice", "bob", "carol"].map(|n| TestWallet::new(seed, n));
        let [v1, v2, v3, alice, bob, carol] = &wallets;
        let rules = TransactionRules {
            verification: seed.contract("verification"),
            token: seed.contract("token"),
        };
        let wallets = GenesisWallets {
            validators: [v1, v2, v3],
            users: [alice, bob, carol],
            funded: &[],
        };
        create_chain(
            seed,
            rules,
            &wallets,
            Start {
                blocks,
                time: start_time(ChainTime::FIXED, blocks),
                fault: None,
                fault_from: 0,
            },
        )
    }

    #[test]
    fn every_planned_transaction_gets_into_its_block() {
        let chain = chain(1, 32);
        let counts: Vec<usize> = (1..=32)
            .map(|index| {
                let block: serde_json::Value =
                    serde_json::from_str(&chain.block_text(index).unwrap()).unwrap();
                block["text"]["transactions"].as_array().unwrap().len()
            })
            .collect();
        let mut expected = vec![0; 32];
        for (index, count) in [(2, 2), (3, 1), (5, 2), (8, 1), (16, 1), (32, 1)] {
            expected[index - 1] = count;
        }
        assert_eq!(counts, expected);
    }

    #[test]
    fn a_chain_follows_from_its_seed() {
        let text = |seed| chain(seed, 9).block_text(9);
        assert_eq!(text(1), text(1));
        assert_ne!(text(1), text(2));
    }

    #[test]
    fn a_chain_can_be_empty() {
        let chain = chain(1, 0);
        assert_eq!(chain.height(), 0);
        assert_eq!(chain.block_text(0), None);
        assert_eq!(chain.block_text(1), None);
    }
}
