//! The claims of a run after the first one. They have other values, and some are first submitted in an
//! unusual form.

use std::sync::Arc;

use nodeproof_client::contract_call::CheckedTransaction;
use serde_json::Value;

use super::{
    claim_step::{NOT_ACCEPTED, NOT_SUBMITTED, Step, balance_request, no, signed_request},
    claim_values::claim_call,
    draft::{call_request, checked_with_time, code_of, unlike},
    settling::{NewBlocks, Settled, settle},
    signatures::{whole, with_high_s},
    signing::{SigningWallet, Submitting},
    submitter::Submitter,
};
use crate::{
    api::is_valid,
    http::{Exchange, Request},
};

/// The number of the claim that is submitted with the higher value of s in its signature first.
pub(super) const HIGH_S: u8 = 1;
/// The number of the claim that is submitted with a fraction in its fee first.
pub(super) const FEE_WITH_FRACTION: u8 = 2;

/// A claim after the first one, with other values. It is submitted once.
pub(crate) struct FurtherClaim {
    /// The call that the node was requested to build.
    pub(crate) call: Value,
    pub(crate) built: Arc<Exchange>,
    /// The balance that pays the fee, just before the claim was submitted.
    pub(crate) balance: Step<Arc<Exchange>>,
    /// The response to an unusual form of the claim, which was submitted first. If the node accepted it,
    /// it is also in `submitted`.
    pub(crate) unusual: Option<Step<Arc<Exchange>>>,
    pub(crate) submitted: Step<Arc<Exchange>>,
    pub(crate) settled: Step<Settled>,
    /// The claim's record, read again after all claims, if it could be read before.
    pub(crate) record_again: Option<Arc<Exchange>>,
    /// The transaction code, or `None` if the transaction was not signed.
    pub(crate) code: Option<String>,
}

impl FurtherClaim {
    pub(super) async fn make(
        submitter: &Submitter,
        wallet: &SigningWallet,
        contract: &str,
        number: u8,
        run: u128,
    ) -> Step<Self> {
        let (asset, call) = claim_call(contract, wallet.address(), number, run);
        let built = submitter.samples.node.send(call_request(&call)).await?;
        let mut claim = Self {
            call,
            built,
            balance: no(NOT_SUBMITTED),
            unusual: None,
            submitted: no(NOT_SUBMITTED),
            settled: no(NOT_ACCEPTED),
            record_again: None,
            code: None,
        };
        if let Some(what) = unlike(&claim.call, &claim.built) {
            claim.submitted = no(format!("nothing was signed: {what}"));
            return Ok(claim);
        }
        let checked = match checked_with_time(&claim.call, &claim.built, &submitter.with) {
            Ok(checked) => checked,
            Err(reason) => {
                claim.submitted = no(format!("nothing was signed: {}", reason.reason()));
                return Ok(claim);
            }
        };
        let text = checked.transaction_text();
        let mut blocks = NewBlocks::since(submitter.samples.discovered.tip);
        blocks.skip_to_the_latest(submitter).await?;
        let balance = balance_request(wallet.address(), text);
        claim.balance = submitter.samples.node.send(balance).await;
        claim.code = Some(code_of(text)).filter(|code| !code.is_empty());
        let unusual = match UnusualForm::of(number) {
            // The local node's wallet tries these forms in transactions of its own.
            Some(form) if submitter.with.public_wallet.is_none() => {
                claim
                    .unusual_request(form, submitter, wallet, &checked)
                    .await
            }
            _ => None,
        };
        if let Some(request) = unusual {
            claim.unusual = Some(submitter.submit_serialized(request).await);
        }
        let accepted = claim
            .unusual
            .as_ref()
            .and_then(|unusual| unusual.as_ref().ok());
        let accepted = accepted
            .filter(|response| is_valid(response))
            .map(Arc::clone);
        claim.submitted = match accepted {
            Some(response) => Ok(response),
            None => match signed_request(submitter, wallet, &checked).await? {
                Ok((_, request)) => submitter.submit_serialized(request).await,
                Err(inconclusive) => Err(inconclusive),
            },
        };
        if claim
            .submitted
            .as_ref()
            .is_ok_and(|response| is_valid(response))
        {
            let code = claim.code.clone();
            claim.settled = settle(submitter, contract, &asset, code, blocks).await;
        }
        Ok(claim)
    }

    /// Returns the request that submits the claim in this form, or `None` if there is no such form. It has
    /// the code of the usual form, so at most one of the two is paid.
    async fn unusual_request(
        &self,
        form: UnusualForm,
        submitter: &Submitter,
        wallet: &SigningWallet,
        checked: &CheckedTransaction,
    ) -> Option<Request> {
        match form {
            UnusualForm::HighS => {
                let (mut entry, _) = signed_request(submitter, wallet, checked)
                    .await
                    .ok()?
                    .ok()?;
                let signature = with_high_s(entry["msgsign"].as_str()?)?;
                submitter.with.redactor.add(&signature);
                entry["msgsign"] = signature.into();
                let body = whole(checked.transaction_text(), &[entry]);
                Some(Request::post("/submit-transaction", body).carrying_signature())
            }
            UnusualForm::FeeWithFraction => {
                let fee = format!("{}.0", submitter.with.fee.as_str());
                let with = Submitting {
                    fee: fee.parse().ok()?,
                    ..submitter.with.clone()
                };
                let checked = checked_with_time(&self.call, &self.built, &with).ok()?;
                let signed = signed_request(submitter, wallet, &checked).await.ok()?;
                signed.ok().map(|(_, request)| request)
            }
        }
    }
}

/// An unusual form of a claim, which is as valid as the usual one.
#[derive(Clone, Copy)]
enum UnusualForm {
    HighS,
    FeeWithFraction,
}

impl UnusualForm {
    /// Returns the form of the claim with this number.
    const fn of(number: u8) -> Option<Self> {
        match number {
            HIGH_S => Some(Self::HighS),
            FEE_WITH_FRACTION => Some(Self::FeeWithFraction),
            _ => None,
        }
    }
}
