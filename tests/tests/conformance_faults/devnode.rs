//! `devnode --fault NAME`: the first finding that `nodeproof` prints is that fault, and no other cause.
//!
//! Each fault is checked in a run against its own node, whose test wallet also signs what must be refused.
//! Faults of submissions are also checked without that wallet.

use std::{cmp::Reverse, num::NonZeroU8, time::Duration};

use integration_tests::watch::{causes, check};
use libtest_mimic::{Failed, Trial};
use nodeproof_conformance::{
    Options, Tier,
    report::{self, Style},
};
use nodeproof_devnode::{BlockTime, Config, Handle, InjectedFault as F};
use tokio::runtime::Runtime;

/// The expected finding of a fault.
enum Found {
    /// This case is the only cause.
    As(&'static str),
    /// These cases with a wallet of the user, and the last one with a test wallet.
    AsEither(&'static [&'static str], &'static str),
    /// This case is the only cause with wallets of the user. A run with the test wallet submits less.
    AsUser(&'static str),
    /// These cases, among others: the fault is several ones.
    Among(&'static [&'static str]),
    /// One of these cases, with wallets of the user. The wallets that make the blocks decide which.
    OneOf(&'static [&'static str]),
    /// No case, for this reason.
    Nothing(&'static str),
}

use Found::{Among, As, AsEither, AsUser, Nothing, OneOf};

/// Returns the expected finding of a fault, or `None` if the table has no entry. Then its tests fail.
fn expected(fault: F) -> Option<Found> {
    Some(match fault {
        F::NoSubmitEndpoint => As("submit-transaction/responds"),
        F::NoCallEndpoint => As("call-sc/responds"),
        F::NoDocs => As("docs/responds"),
        F::EveryTenth500 => As("http/no-retries"),
        F::NoContentType => As("http/content-type"),
        F::BlockRows => As("get-block/shape"),
        F::BlockSeconds => As("get-block/timestamp-unit"),
        F::BlockChangesLater => As("chain/repeat-read"),
        F::BlockHole => As("chain/no-holes"),
        F::MissingRemembered => As("chain/repeat-read"),
        F::Fork | F::Stalls => Nothing("only a comparison with other nodes can find it"),
        F::LatestForUnknown => As("get-block/unknown-index"),
        // The receipts do not verify, and the specification does not name the algorithm.
        F::ReceiptKeys | F::ReceiptSorted => As("chain/receipt-signatures"),
        F::ObservedForms => Among(&["get-block/shape", "get-balances/nothing-held"]),
        F::TextForms => Among(&["get-block/text", "get-block/committee"]),
        F::BalanceOffByOne => As("get-balances/agree"),
        F::BalanceRounded => AsUser("submit-transaction/fee-paid"),
        F::BalanceStale => As("submit-transaction/fee-paid"),
        F::TrustSwapped => {
            Nothing("only one query returns scores, so no other response shows their direction")
        }
        F::TableCondition => As("http/probes-only-requested"),
        F::DecodedTwice => As("sc-state/near"),
        F::FailedCosts => OneOf(&[
            "submit-transaction/fee-paid",
            "submit-transaction/refused-costs-nothing",
        ]),
        F::CreatorUnpaid => OneOf(&[
            "submit-transaction/fee-paid",
            "submit-transaction/nothing-created",
        ]),
        F::ConstantCode => As("call-sc/fresh"),
        F::ParamsAltered => As("call-sc/echo"),
        F::NoSignatureCheck => AsEither(
            &["submit-transaction/another-wallets-key"],
            "submit-transaction/signature-altered",
        ),
        F::UnsignedAccepted => As("submit-transaction/unsigned"),
        F::FirstSignatureOnly => As("submit-transaction/half-signed"),
        F::KnownCodeAccepted | F::PendingUnverified => As("submit-transaction/known-code-altered"),
        F::ResubmissionNew => As("submit-transaction/resubmission-not-new"),
        F::RefusedStored => As("submit-transaction/refused-not-stored"),
        F::AcceptedLost => As("submit-transaction/claim-readable"),
        F::RemarksCut => As("sc-state/record-matches-claim"),
        F::FeeTwice | F::CopiesCost | F::BatchPaysOnce | F::SecondUnchecked => {
            As("submit-transaction/fee-paid")
        }
        // The wallet whose refused claim is payable later is the first of a block, too.
        F::FirstPays => OneOf(&[
            "submit-transaction/fee-paid",
            "submit-transaction/refused-costs-nothing",
        ]),
        // A test wallet also makes the right submissions between the wrong ones.
        F::RefusedCosts => AsEither(
            &["submit-transaction/refused-costs-nothing"],
            "submit-transaction/fee-paid",
        ),
        // A call and a submission.
        F::HalfBodyBlocks => Among(&["http/equal-requests", "http/responds"]),
        F::OnePending | F::BatchDrops => As("submit-transaction/claim-readable"),
        F::RestDropped => AsUser("submit-transaction/claim-readable"),
        F::OverlapLost => As("submit-transaction/claim-readable"),
        F::AnyFunction | F::AnyContract => AsUser("submit-transaction/refused-not-stored"),
        F::AnyVerifier => AsUser("submit-transaction/authority"),
        F::OutsiderPays
        | F::DuplicateCosts
        | F::SignersSend
        | F::ReceivedRounded
        | F::TransferToItself
        | F::Overspends
        | F::OtherUnreserved
        | F::FeeBesideAmount
        | F::CopiesExecuted
        | F::LastCredit
        | F::TransferKept
        | F::ZeroUnwritten
        | F::OtherTokenMinted
        | F::TransferRounded
        | F::NegativeFraction
        | F::DescriptionCosts
        | F::OldFree
        | F::GrainConfused
        | F::AllFails
        | F::DustSwept
        | F::ChangeLost
        | F::LastSender
        | F::TimeReplaces
        | F::RefusalDrops
        | F::LeftCosts
        | F::SmallMinted
        | F::OppositeLost
        | F::MembersUnpaid
        | F::OldDropped
        | F::TransferWrapped => AsUser("submit-transaction/fee-paid"),
        F::AnyLetters => AsUser("sc-state/new-records"),
        F::CodesForgotten => AsUser("submit-transaction/resubmission-not-new"),
        F::ReceiverSigns | F::ThirdUnchecked => AsUser("submit-transaction/authority"),
        F::DescriptionAscii => AsUser("submit-transaction/claim-in-block-as-signed"),
        F::SignaturesReplaced => AsUser("chain/repeat-read"),
        F::ListsShared => AsUser("submit-transaction/claim-as-submitted"),
        F::CurrencyLetters => AsUser("submit-transaction/fee-negative"),
        F::CutInCharacter => As("submit-transaction/claim-accepted"),
        // What a client that left has sent is made, although the answer to the next one is no.
        F::KnownRefused => AsUser("submit-transaction/resubmission-valid"),
        F::BuiltSigned => AsUser("submit-transaction/signature-altered"),
        F::SignatureRemembered => AsUser("submit-transaction/authority"),
        F::RefusalReserves => AsUser("submit-transaction/refused-costs-nothing"),
        F::ThirdSigns => AsEither(
            &["submit-transaction/unlisted-signer"],
            "submit-transaction/authority",
        ),
        F::RecordsDropped => As("sc-state/repeat-read"),
        F::LaterTokensUnlisted => AsUser("get-balances/agree"),
        F::EmptiedUnlisted => OneOf(&["get-balances/agree", "submit-transaction/nothing-created"]),
        F::PendingReplaced | F::PendingTaken | F::EqualPaymentKnown => {
            AsUser("submit-transaction/resubmission-not-new")
        }
        F::NearReceiver => OneOf(&[
            "submit-transaction/fee-paid",
            "submit-transaction/fee-paid-by-no-other",
        ]),
        // Another transaction with the code of a dropped one is new.
        F::PoolFull => OneOf(&[
            "submit-transaction/fee-paid",
            "submit-transaction/resubmission-not-new",
        ]),
        F::TransfersHalfSigned => AsUser("submit-transaction/authority"),
        F::RefusedMadeLater => AsUser("submit-transaction/refused-not-stored"),
        F::CoSignersRecorded | F::LastVerifier => AsUser("sc-state/new-records"),
        F::SecondVerifierLost => AsUser("sc-state/columns"),
        F::UnpayableRemembered => AsUser("submit-transaction/claim-accepted"),
        F::TypeShared => As("sc-state/new-records"),
        F::AssetReplaced => As("sc-state/columns"),
        F::DuplicateMerged => AsUser("sc-state/new-records"),
        F::ClaimReplaced => AsUser("sc-state/new-records-as-expected"),
        F::VerifierPays => AsUser("submit-transaction/fee-paid"),
        F::LastFeeOnly | F::FeeElsewhere | F::FeesMinted => {
            As("submit-transaction/nothing-created")
        }
        _ => return None,
    })
}

/// Returns whether a run uses the test wallet, and whether one uses a user's wallet: both if they find different things, and
/// only the user's for what any wallet shows, because that run submits more.
fn wallets_of(fault: F) -> [bool; 2] {
    match expected(fault) {
        Some(As(id)) if id.starts_with("submit-") || fault == F::RemarksCut => [false, true],
        Some(AsUser(_) | OneOf(_)) => [false, true],
        Some(AsEither(..)) => [true, true],
        _ => [true, false],
    }
}

/// The time between two blocks, if it does not matter.
const BLOCK_TIME: Duration = Duration::from_millis(100);

/// Returns the time between two blocks. The faults about transactions of one block need several in it.
fn block_time(fault: F) -> Duration {
    match fault {
        F::OnePending
        | F::FirstPays
        | F::PendingReplaced
        | F::PendingTaken
        | F::PendingUnverified
        | F::SignaturesReplaced => 10 * BLOCK_TIME,
        // No block comes between two submissions that are sent together.
        F::OverlapLost
        | F::Overspends
        | F::OtherUnreserved
        | F::TransferKept
        | F::LastCredit
        | F::LastSender
        | F::TimeReplaces
        | F::RefusalDrops
        | F::OppositeLost
        | F::RestDropped
        | F::PoolFull
        | F::CopiesExecuted => 5 * BLOCK_TIME,
        _ => BLOCK_TIME,
    }
}

/// The maximum wait for a claim, and at least this many times that between two blocks. A claim that never appears, and a
/// balance that is never right, cost each run that much time.
const SETTLE: Duration = Duration::from_secs(5);
const SETTLE_BLOCKS: u32 = 6;

/// Returns a test for each fault and wallet.
pub(super) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    // What never settles takes longest, so it comes first, and then what waits for blocks.
    let never_settles = [
        F::Stalls,
        F::AcceptedLost,
        F::BalanceStale,
        F::MissingRemembered,
    ];
    let mut others: Vec<_> = F::all().collect();
    others.retain(|fault| !never_settles.contains(fault));
    others.sort_by_key(|fault| Reverse(block_time(*fault)));
    for fault in never_settles.into_iter().chain(others) {
        let mut own = |name: &str, has_test_wallet: bool| {
            trials.push(Trial::test(
                format!("devnode::{name}::{fault}"),
                move || {
                    let runtime = Runtime::new().expect("a runtime");
                    let run = || runtime.block_on(as_an_own_node(fault, has_test_wallet));
                    // A block may come between two submissions that have to be in one.
                    let may_miss = block_time(fault) > BLOCK_TIME;
                    run().or_else(|failed| if may_miss { run() } else { Err(failed) })
                },
            ));
        };
        let [with_test_wallet, with_users_wallet] = wallets_of(fault);
        if with_test_wallet {
            own("with_the_test_wallet", true);
        }
        if with_users_wallet {
            own("with_a_users_wallet", false);
        }
    }
    trials
}

/// Compares the causes in a report with the expected ones.
fn compare(fault: F, own_node: bool, causes: &[String]) -> Result<(), Failed> {
    let expected = match expected(fault) {
        Some(As(id)) => vec![id],
        Some(AsUser(id)) => vec![id],
        Some(AsEither(_, own)) if own_node => vec![own],
        Some(AsEither(user, _)) => user.to_vec(),
        Some(Among(ids)) if ids.iter().all(|id| causes.iter().any(|cause| cause == id)) => {
            return Ok(());
        }
        Some(OneOf(ids)) if causes.len() == 1 && ids.contains(&&*causes[0]) => return Ok(()),
        Some(Among(ids) | OneOf(ids)) => ids.to_vec(),
        Some(Nothing(reason)) if causes.is_empty() && !reason.is_empty() => vec![],
        Some(Nothing(_)) => {
            return Err(format!("{fault} is found by {causes:?}: update the table").into());
        }
        None => return Err(format!("{fault} has no row in the table").into()),
    };
    // If the run has read the block with the signature that is not needed, that is a cause of its own.
    let may_also = (fault == F::OutsiderPays).then_some("chain/new-blocks");
    let others = causes.iter().filter(|cause| Some(&***cause) != may_also);
    if others.eq(&expected) {
        return Ok(());
    }
    Err(format!("{fault}: expected {expected:?}, found {causes:?}").into())
}

async fn as_an_own_node(fault: F, has_test_wallet: bool) -> Result<(), Failed> {
    let config = Config::for_tests()
        .with_fault(fault)
        .with_block_time(BlockTime::Every(block_time(fault)));
    let node: Handle = nodeproof_devnode::spawn(config).await?;
    let mut options = Options::default();
    options.selection.allow = Tier::Write;
    // What only a probe finds has one in its row. The other faults don't need them.
    options.selection.probe = match expected(fault) {
        Some(As(id)) => id == "http/probes-only-requested",
        Some(Among(_)) => true,
        _ => false,
    };
    let alice = node.wallet("alice").ok_or("no wallet")?.keys().clone();
    options.submitting.wallet = Some(alice.clone().into());
    options.submitting.public_wallet = has_test_wallet.then(|| alice.into());
    let bob = node.wallet("bob").ok_or("no wallet")?.keys().clone();
    options.submitting.co_signer = Some(bob.into());
    options.submitting.claims = NonZeroU8::MIN.saturating_add(3);
    options.submitting.settle_timeout = SETTLE.max(block_time(fault) * SETTLE_BLOCKS);
    if fault == F::HalfBodyBlocks {
        // Each of its requests waits that long.
        options.limits.request_timeout = 20 * BLOCK_TIME;
    }
    let report = check(node.base_url(), &options).await;
    let causes = causes(&report);
    let printed = report::text(&report.into(), Style::Plain);
    compare(fault, has_test_wallet, &causes)
        .map_err(|failed| format!("{}\n{printed}", failed.message().unwrap_or_default()))?;
    let mut lines = printed.lines().map(str::split_whitespace);
    let first = lines.find_map(|mut words| {
        let is_finding = matches!(words.next(), Some("fail" | "warn" | "info"));
        words.next().filter(|_| is_finding)
    });
    match first {
        None if causes.is_empty() => Ok(()),
        Some(id) if causes.iter().any(|cause| cause == id) => Ok(()),
        _ => Err(format!("the first finding printed is {first:?}:\n{printed}").into()),
    }
}
