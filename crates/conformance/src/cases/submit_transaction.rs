//! `POST /submit-transaction`, with what a node must refuse.

use node_client::SubmitAnswer;

use super::Case;
use crate::{
    exchange::Request,
    judge::decodes,
    outcome::{Finding, Findings},
    sample::{Context, Sample},
    submit::{Refusal, is_valid},
    tier::Tier,
};

const EVERY_SIGNER: &str = "Submitting a transaction requires every wallet listed in \
    `specific_data.signers` to provide an entry in `signatures`, with that wallet's address and a \
    hexadecimal signature in `msgsign`.";
const BODY: &str = "Request body: JSON object with `transaction` and `signatures`.";

macro_rules! refuses {
    ($id:literal, $requirement:expr, $refusal:ident) => {
        Case::must($id, $requirement, |c| {
            Box::pin(refuses(c, Refusal::$refusal))
        })
        .of(Tier::Reject)
    };
}

pub(super) const CASES: &[Case] = &[
    refuses!("submit-transaction/unsigned", EVERY_SIGNER, Unsigned),
    refuses!("submit-transaction/half-signed", EVERY_SIGNER, HalfSigned),
    refuses!(
        "submit-transaction/unlisted-signer",
        EVERY_SIGNER,
        UnlistedSigner
    ),
    refuses!(
        "submit-transaction/another-wallets-key",
        EVERY_SIGNER,
        AnotherKey
    ),
    refuses!(
        "submit-transaction/signature-altered",
        EVERY_SIGNER,
        SignatureAltered
    ),
    refuses!(
        "submit-transaction/params-altered",
        EVERY_SIGNER,
        ParamsAltered
    ),
    refuses!("submit-transaction/fee-altered", EVERY_SIGNER, FeeAltered),
    refuses!(
        "submit-transaction/signature-not-hex",
        "Signature element: msgsign | string | hexadecimal, `<SIGNATURE>`",
        SignatureNotHex
    ),
    refuses!(
        "submit-transaction/transaction-required",
        BODY,
        NoTransaction
    ),
    refuses!("submit-transaction/signatures-required", BODY, NoSignatures),
    refuses!("submit-transaction/empty-object", BODY, EmptyObject),
    refuses!("submit-transaction/body-not-json", BODY, NotJson),
    refuses!("submit-transaction/body-array", BODY, Array),
    refuses!("submit-transaction/body-text", BODY, Text),
    Case::should(
        "submit-transaction/oversized",
        "Rate limits, size limits and time-outs: not shown. Nodes were seen to have a limit.",
        |c| Box::pin(refuses(c, Refusal::Oversized)),
    )
    .of(Tier::Reject),
    Case::must(
        "submit-transaction/wrong-method",
        "POST /submit-transaction: Submits a signed transaction to the network.",
        |c| Box::pin(wrong_method(c)),
    )
    .of(Tier::Reject),
    Case::should(
        "submit-transaction/refusal-is-no-crash",
        "Error responses, error codes and status codes for failed requests: not shown. What is \
         wrong with a request is not a fault of the server, which 5xx says.",
        |c| Box::pin(no_crash(c)),
    )
    .of(Tier::Reject),
    Case::must(
        "submit-transaction/decodes",
        "Response body: status, response.valid, response.msg, response.new_transaction",
        |c| {
            Box::pin(decodes(c, Sample::Refusals, |body| {
                let answer = SubmitAnswer::from_slice(body).map_err(|error| error.to_string())?;
                answer.valid().map(drop).map_err(|error| error.to_string())
            }))
        },
    )
    .of(Tier::Reject),
];

async fn refuses(context: &Context, refusal: Refusal) -> Findings {
    let answer = context.refusal(refusal).await?;
    if !is_valid(&answer) {
        return Ok(Vec::new());
    }
    let what = format!("{} is answered as valid", refusal.what());
    let finding = Finding::new(&answer, what, "a refusal", answer.summary());
    Ok(vec![finding.at("/response/valid")])
}

async fn wrong_method(context: &Context) -> Findings {
    let answer = context
        .node
        .ask(Request::get("/submit-transaction"))
        .await?;
    if !answer.is_success() {
        return Ok(Vec::new());
    }
    let what = "a GET is answered as if something had been submitted";
    Ok(vec![Finding::new(
        &answer,
        what,
        "a refusal",
        answer.summary(),
    )])
}

async fn no_crash(context: &Context) -> Findings {
    let mut findings = Vec::new();
    for refusal in Refusal::ALL {
        let Ok(answer) = context.refusal(refusal).await else {
            // Its own case says why there is no answer.
            continue;
        };
        if answer.status < 500 {
            continue;
        }
        let what = format!(
            "{} is refused with status {}",
            refusal.what(),
            answer.status
        );
        let expected = "a refusal of the request: a 4xx, or 200 with response.valid false";
        findings.push(Finding::new(&answer, what, expected, answer.summary()));
    }
    Ok(findings)
}
