//! `POST /submit-transaction`, with one kind of wrong submission for each case.

use std::sync::Arc;

use nodeproof_report::{Aspect, Level, SignedReport};

use super::{
    call_sc::NO_CALLS,
    case::Case,
    check::Check::{Own, WholeRun},
    sc_state::NO_STATE,
    submit_transaction::{BASE, BY_UNVERIFIED, NO_RESPONSES, UNVERIFIED, with_control},
};
use crate::{
    api::{is_missing_endpoint, message},
    checks::{Examination, Finding, Findings, Reply, ReplyVerdict, judge, signed_transaction},
    context::{Alteration, Context, Refusal},
    http::{Exchange, InconclusiveReason},
    rules::authority,
};

pub(crate) const CASES: &[Case] = &[
    Case {
        id: "submit-transaction/unsigned",
        requirements: &["SUBMIT-3"],
        checks: "A transaction without signatures, and one without signers, are refused.",
        sends: &with_control("an unsigned transaction, with its signer or without any"),
        explained_by: BY_UNVERIFIED,
        // Without this case, the tier has tested nothing.
        is_essential: true,
        check: Own(|c| Box::pin(refuses(c, [Refusal::Unsigned, Refusal::NoSigners]))),
        ..BASE
    },
    Case {
        id: "submit-transaction/half-signed",
        requirements: &["SUBMIT-3", "TX-10"],
        checks: "A transaction of two signers is refused if one signature is missing, or one wallet signed twice.",
        sends: &with_control(
            "a transaction that one of its two signers did not sign: either one, and one that signed twice",
        ),
        explained_by: BY_UNVERIFIED,
        check: Own(|c| {
            Box::pin(refuses(
                c,
                [
                    Refusal::HalfSigned,
                    Refusal::SecondOnly,
                    Refusal::SignedTwice,
                ],
            ))
        }),
        ..BASE
    },
    Case {
        id: "submit-transaction/unlisted-signer",
        requirements: &["SUBMIT-3", "TX-11"],
        checks: "A transaction that only a wallet outside of `signers` signed is refused.",
        sends: &with_control("a transaction signed only by a wallet that is not a signer"),
        explained_by: BY_UNVERIFIED,
        check: Own(|c| Box::pin(refuses(c, [Refusal::UnlistedSigner]))),
        ..BASE
    },
    Case {
        id: "submit-transaction/another-wallets-key",
        requirements: &["SUBMIT-3"],
        checks: "A signature that another wallet's key made is refused, alone and as one of two.",
        sends: &with_control(
            "a transaction with a signature of another wallet's key: the only one, the first or the second",
        ),
        explained_by: &[NO_RESPONSES, NO_STATE, NO_CALLS, UNVERIFIED],
        check: Own(|c| {
            Box::pin(refuses(
                c,
                [
                    Refusal::AnotherKey,
                    Refusal::FirstOfTwoRight,
                    Refusal::LastOfTwoRight,
                    Refusal::ChildTransaction,
                ],
            ))
        }),
        ..BASE
    },
    Case {
        id: "submit-transaction/signature-altered",
        requirements: &["SUBMIT-3"],
        checks: "A signature with one digit changed, or with its halves swapped, is refused.",
        sends: &with_control("a signature with one digit changed, or with its halves swapped"),
        check: Own(|c| {
            Box::pin(refuses(
                c,
                [Refusal::SignatureAltered, Refusal::SignatureHalvesSwapped],
            ))
        }),
        ..BASE
    },
    Case {
        id: "submit-transaction/params-altered",
        requirements: &["SUBMIT-3"],
        checks: "A transaction is refused if any member of `params` changed after signing, or one was added.",
        sends: &with_control(
            "a transaction with one of its params changed after signing, or one added, once for each",
        ),
        explained_by: &[NO_RESPONSES, NO_STATE, NO_CALLS, UNVERIFIED],
        check: Own(|c| Box::pin(refuses(c, Refusal::of_params()))),
        ..BASE
    },
    Case {
        id: "submit-transaction/fee-altered",
        requirements: &["SUBMIT-3"],
        checks: "A transaction whose `fee` changed after signing is refused.",
        sends: &with_control("a transaction whose fee was changed after it was signed"),
        explained_by: &[NO_RESPONSES, NO_STATE, NO_CALLS, UNVERIFIED],
        check: Own(|c| Box::pin(refuses(c, [Refusal::Altered(Alteration::Fee)]))),
        ..BASE
    },
    Case {
        id: "submit-transaction/transaction-altered",
        requirements: &["SUBMIT-3"],
        checks: "A transaction of which any other member changed after signing is refused.",
        sends: &with_control(
            "a transaction with one other member changed after signing, once for each member",
        ),
        explained_by: &[NO_RESPONSES, NO_STATE, NO_CALLS, UNVERIFIED],
        check: Own(|c| {
            Box::pin(refuses(
                c,
                [
                    Refusal::Altered(Alteration::Timestamp),
                    Refusal::Altered(Alteration::Code),
                    Refusal::Altered(Alteration::Type),
                    Refusal::Altered(Alteration::Currency),
                    Refusal::Altered(Alteration::Descr),
                    Refusal::Altered(Alteration::Valid),
                    Refusal::Altered(Alteration::Function),
                    Refusal::Altered(Alteration::Address),
                    Refusal::Altered(Alteration::Signers),
                ],
            ))
        }),
        ..BASE
    },
    Case {
        id: "submit-transaction/signature-not-hex",
        requirements: &["SUBMIT-3", "TX-11", "FORM-6"],
        checks: "A `msgsign` that is not hexadecimal text, empty, null, too short, too long, all zeros or twice the order of the curve is refused.",
        sends: &with_control(
            "a signature that is not hexadecimal, is empty, null, too short, too long, all zeros, or twice the order of the curve",
        ),
        explained_by: BY_UNVERIFIED,
        check: Own(|c| {
            Box::pin(refuses(
                c,
                [
                    Refusal::SignatureNotHex,
                    Refusal::SignatureEmpty,
                    Refusal::SignatureNull,
                    Refusal::SignatureShort,
                    Refusal::SignatureLong,
                    Refusal::SignatureZero,
                    Refusal::SignatureOfCurveOrder,
                ],
            ))
        }),
        ..BASE
    },
    Case {
        id: "submit-transaction/transaction-required",
        requirements: &["SUBMIT-2"],
        checks: "A submission without a `transaction` object is refused.",
        sends: &with_control(
            "a submission without a transaction, or with null or a string in its place",
        ),
        check: Own(|c| {
            Box::pin(refuses(
                c,
                [
                    Refusal::NoTransaction,
                    Refusal::TransactionNull,
                    Refusal::TransactionText,
                ],
            ))
        }),
        ..BASE
    },
    Case {
        id: "submit-transaction/signatures-required",
        requirements: &["SUBMIT-2", "SUBMIT-3"],
        checks: "A submission without a `signatures` array is refused.",
        sends: &with_control(
            "a submission without signatures, or with null or an object in their place",
        ),
        check: Own(|c| {
            Box::pin(refuses(
                c,
                [
                    Refusal::NoSignatures,
                    Refusal::SignaturesNull,
                    Refusal::SignaturesObject,
                ],
            ))
        }),
        ..BASE
    },
    Case {
        id: "submit-transaction/fee-mistyped",
        level: Level::Should,
        requirements: &["TX-5"],
        checks: "A `fee` that is a string is refused.",
        sends: &with_control("a transaction whose fee is a string, signed as the control is"),
        check: Own(|c| Box::pin(refuses(c, [Refusal::FeeText]))),
        ..BASE
    },
    Case {
        id: "submit-transaction/fee-negative",
        level: Level::Should,
        requirements: &["TX-5"],
        checks: "A negative `fee` is refused. Otherwise the network would pay the sender.",
        sends: &with_control("a transaction whose fee is negative, signed as the control is"),
        check: Own(|c| Box::pin(refuses(c, [Refusal::FeeNegative]))),
        ..BASE
    },
    Case {
        id: "submit-transaction/fee-zero",
        level: Level::Observed,
        requirements: &["SUBMIT-10"],
        checks: "A `fee` of 0 is refused.",
        aspect: Aspect::Style,
        sends: &with_control("a transaction whose fee is 0, signed as the control is"),
        check: Own(|c| Box::pin(refuses(c, [Refusal::FeeZero]))),
        ..BASE
    },
    Case {
        id: "submit-transaction/transaction-malformed",
        level: Level::Should,
        requirements: &[
            "TX-1", "TX-2", "TX-3", "TX-4", "TX-5", "TX-8", "TX-10", "SUBMIT-2", "FORM-5",
        ],
        checks: "A correctly signed transaction that lacks a documented member, or has one in another form, is refused.",
        sends: &with_control(
            "a transaction without one of its members, or with one in another form, signed as the control is, once for each",
        ),
        check: Own(|c| Box::pin(refuses(c, Refusal::of_form()))),
        ..BASE
    },
    Case {
        id: "submit-transaction/empty-object",
        requirements: &["SUBMIT-2"],
        checks: "The body `{}` is refused.",
        sends: &with_control("an empty object"),
        check: Own(|c| Box::pin(refuses(c, [Refusal::EmptyObject]))),
        ..BASE
    },
    Case {
        id: "submit-transaction/body-not-json",
        requirements: &["SUBMIT-2", "HTTP-3"],
        checks: "A body that is empty or not JSON is refused.",
        sends: &with_control("a body that is not JSON, or none"),
        check: Own(|c| Box::pin(refuses(c, [Refusal::NotJson, Refusal::Empty]))),
        ..BASE
    },
    Case {
        id: "submit-transaction/body-array",
        requirements: &["SUBMIT-2"],
        checks: "A body that is an array is refused.",
        sends: &with_control("an array"),
        check: Own(|c| Box::pin(refuses(c, [Refusal::Array]))),
        ..BASE
    },
    Case {
        id: "submit-transaction/body-text",
        requirements: &["SUBMIT-2"],
        checks: "A body that is a JSON string is refused.",
        sends: &with_control("a text"),
        check: Own(|c| Box::pin(refuses(c, [Refusal::Text]))),
        ..BASE
    },
    Case {
        id: "submit-transaction/oversized",
        level: Level::Observed,
        requirements: &["SUBMIT-11"],
        checks: "A transaction of more than 10 kB is refused.",
        aspect: Aspect::Style,
        sends: &with_control("a transaction of 20,000 bytes"),
        check: Own(|c| Box::pin(refuses(c, [Refusal::Oversized]))),
        ..BASE
    },
    Case {
        id: "submit-transaction/authority",
        requirements: &["SUBMIT-3", "TX-10", "TX-11"],
        checks: "No submission of the whole run is accepted whose signatures are missing, malformed, of another wallet or over another text, whenever it was sent. Whether a refusal is due to the signatures, the other cases decide.",
        sends: &with_control("transactions that are not signed as they must be, in each way"),
        is_last: true,
        check: WholeRun(authority, true),
        ..BASE
    },
];

/// Checks the responses to faulty submissions by comparing them with the control.
async fn refuses(context: &Context, refusals: impl IntoIterator<Item = Refusal>) -> Findings {
    let submissions = &context.submissions;
    let control = submissions.control().await;
    let mut checked = Examination::default();
    let mut unproven = None;
    let mut is_decided = false;
    for refusal in refusals {
        let response = match submissions.refusal(refusal).await {
            Ok(response) => response,
            Err(inconclusive) => {
                unproven = unproven.or(Some(inconclusive));
                continue;
            }
        };
        checked.count_item();
        let bad = Reply::of(&response);
        if bad == Reply::Accepted {
            let what = format!("{} is accepted as valid", refusal.what());
            let finding = Finding::new(&response, what, "a refusal", response.summary());
            checked.push(
                finding
                    .at("/response/valid")
                    .with_signed_message(submitted(&response)),
            );
            continue;
        }
        let control = match &control {
            Ok(control) => control,
            Err(inconclusive) => {
                unproven = unproven.or(Some(inconclusive.clone()));
                continue;
            }
        };
        let wrong_signature = match refusal.differs_only_in_what_is_signed() {
            true => submissions.refusal(Refusal::SignatureAltered).await.ok(),
            false => None,
        };
        let wrong_signature = wrong_signature.map(|response| Reply::of(&response));
        match judge(&bad, &Reply::of(control), wrong_signature.as_ref()) {
            // Some forms are refused before the signatures are verified. They are enough.
            ReplyVerdict::Refuses if matches!(refusal, Refusal::Malformed(_)) => is_decided = true,
            ReplyVerdict::Accepts | ReplyVerdict::Refuses => {}
            ReplyVerdict::IgnoresAlteration => {
                let what = format!(
                    "{} is refused like a correctly signed transaction, not like a wrong signature",
                    refusal.what()
                );
                let expected = "the response to a wrong signature";
                let finding = Finding::new(&response, what, expected, response.summary());
                checked.push(finding.with_signed_message(submitted(&response)));
            }
            ReplyVerdict::ProvesNothing => match of_the_claim(context, refusal, &response).await {
                Some(refused) if Reply::of(&refused) == Reply::Accepted => {
                    let what = format!("{} is accepted as valid", refusal.what());
                    checked.push(
                        Finding::new(&refused, what, "a refusal", refused.summary())
                            .at("/response/valid"),
                    );
                }
                // For a case with further faults, this one is enough.
                Some(_) => is_decided = true,
                None => {
                    unproven = unproven.or_else(|| Some(proves_nothing(context, refusal, control)));
                }
            },
        }
    }
    match unproven {
        Some(inconclusive) if checked.has_no_findings() && !is_decided => Err(inconclusive),
        _ => Ok(checked),
    }
}

/// Returns a response that decides what the control leaves open, if the run's own claim was accepted, with
/// this fault or without.
async fn of_the_claim(
    context: &Context,
    refusal: Refusal,
    response: &Arc<Exchange>,
) -> Option<Arc<Exchange>> {
    let claim = context.submissions.own_claim().await?;
    if refusal.names_only_the_payer() {
        return claim.is_accepted().then(|| Arc::clone(response));
    }
    claim.with_fault(refusal).map(Arc::clone)
}

/// Returns the signed message of a submission.
fn submitted(response: &Exchange) -> Option<Box<SignedReport>> {
    signed_transaction(response.request.body.as_deref()?)
}

/// Returns the reason why a refusal proves nothing.
fn proves_nothing(context: &Context, refusal: Refusal, control: &Exchange) -> InconclusiveReason {
    let reason = if is_missing_endpoint(control.status) {
        format!("the endpoint does not exist: {}", control.summary())
    } else {
        format!(
            "the node refuses {} with the same message as a correctly signed transaction of a wallet without \
             money ({}); {}",
            refusal.what(),
            message(control),
            match refusal.has_two_signers()
                && context.submissions.submitter.with.co_signer.is_none()
            {
                true =>
                    "a second wallet of the chain may decide it: --co-signer, with --allow write",
                false => way_out(context),
            }
        )
    };
    InconclusiveReason::NoSample(reason)
}

/// Returns what the user can do if a wallet without money decides nothing.
pub(super) fn way_out(context: &Context) -> &'static str {
    if context.submissions.submitter.with.makes_a_claim {
        "a node of your own decides it, whose test wallets can pay"
    } else {
        "a claim of your own wallet may decide it: --allow write with --wallet, --currency and --contract"
    }
}
