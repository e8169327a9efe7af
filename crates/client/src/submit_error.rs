//! The error of a submission.

use std::{error::Error as StdError, fmt};

use nodeproof_primitives::{
    SignerError, TransactionCode, WalletAddress, escape::escaped_up_to, with_causes,
};

use crate::{BuiltCallMismatch, CallErrorKind, Error, InputError, Refusal, SignedTransaction};

/// The node did not accept a transaction, or no response shows that it did.
///
/// If [`maybe_sent`](Self::maybe_sent) is true, submit the *same* transaction again, or
/// [wait](crate::Client::wait_for_inclusion) for it. A new transaction may pay twice. If it is false,
/// the node did not accept the transaction. Correct the cause, and try again.
///
/// ```no_run
/// # async fn example(
/// #     node: nodeproof_client::Client,
/// #     signed: nodeproof_client::SignedTransaction,
/// # ) {
/// use nodeproof_client::{CallErrorKind, SubmitPolicy};
///
/// match node.submit(&signed, &SubmitPolicy::default()).await {
///     Ok(submitted) => println!("accepted, sent {} times", submitted.sent),
///     Err(error) if error.kind() == CallErrorKind::Refused => {
///         println!("refused: {:?}, {:?}", error.refusal(), error.messages());
///         println!("new: {:?}", error.new_transaction());
///     }
///     Err(error) if error.maybe_sent() => println!("the outcome is unknown: {error}"),
///     Err(error) => {
///         let pause = error.client_error().and_then(|error| error.retry_after());
///         println!("not accepted, sent {} times; try later, in {pause:?}: {error:#}", error.sent());
///     }
/// }
/// # }
/// ```
pub struct SubmitError(Box<Inner>);

#[derive(Debug)]
struct Inner {
    fault: Fault,
    attempts: u32,
    sent: u32,
    maybe_sent: bool,
    new_transaction: Option<bool>,
    refusal: Option<Refusal>,
    trans_code: Option<TransactionCode>,
    transaction: Option<SignedTransaction>,
}

#[derive(Debug)]
enum Fault {
    /// There was nothing to submit: the input is not valid, or a signer failed.
    Input(InputError),
    /// The request failed: that of the submission, or that which builds the transaction.
    Request(Error),
    /// The node built another transaction than the requested one.
    Mismatch(BuiltCallMismatch),
    Refused(Vec<String>),
    Unclear(String),
}

impl SubmitError {
    fn new(fault: Fault) -> Self {
        Self(Box::new(Inner {
            fault,
            attempts: 1,
            sent: 0,
            maybe_sent: false,
            new_transaction: None,
            refusal: None,
            trans_code: None,
            transaction: None,
        }))
    }

    /// Creates the error for a refusal with these messages.
    pub(crate) fn refused(messages: &[String]) -> Self {
        let mut error = Self::new(Fault::Refused(messages.to_vec()));
        error.0.sent = 1;
        error
    }

    /// Creates the error for a response that does not show whether the transaction was accepted.
    pub(crate) fn unclear(reason: String) -> Self {
        let mut error = Self::new(Fault::Unclear(reason));
        error.0.maybe_sent = true;
        error.0.sent = 1;
        error
    }

    /// Creates the error for a submission whose request failed. [`attempted`](Self::attempted) sets what was sent.
    pub(crate) fn request(error: Error) -> Self {
        Self::new(Fault::Request(error))
    }

    /// Creates the error for a transaction that could not be built. Nothing was submitted.
    pub(crate) fn build(error: Error) -> Self {
        Self::new(Fault::Request(error)).attempted(0, 0, false)
    }

    pub(crate) fn attempted(mut self, attempts: u32, sent: u32, maybe_sent: bool) -> Self {
        self.0.attempts = attempts;
        self.0.sent = sent;
        self.0.maybe_sent = maybe_sent;
        self
    }

    pub(crate) fn with_new_transaction(mut self, new: Option<bool>) -> Self {
        self.0.new_transaction = new;
        self
    }

    pub(crate) fn with_refusal(mut self, refusal: Refusal) -> Self {
        self.0.refusal = Some(refusal);
        self
    }

    pub(crate) fn of_transaction(
        mut self,
        code: TransactionCode,
        signed: SignedTransaction,
    ) -> Self {
        self.0.trans_code = Some(code);
        self.0.transaction = Some(signed);
        self
    }

    /// Returns what the error means for the call.
    #[must_use]
    pub fn kind(&self) -> CallErrorKind {
        match &self.0.fault {
            _ if self.maybe_sent() => CallErrorKind::Uncertain,
            Fault::Input(error) => error.kind(),
            _ if self.0.sent == 0 => CallErrorKind::NotMade,
            _ => CallErrorKind::Refused,
        }
    }

    /// Returns whether the same transaction, or a new call if nothing was sent, can succeed later without a
    /// change. If it [may have been sent](Self::maybe_sent), submit the same transaction again.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        self.maybe_sent() || self.client_error().is_some_and(Error::is_retryable)
    }

    /// Returns the wallet whose signer failed or refused, and the signer's error, if that is the reason.
    #[must_use]
    pub fn signer_error(&self) -> Option<(WalletAddress, &SignerError)> {
        match &self.0.fault {
            Fault::Input(error) => error.signer_error(),
            _ => None,
        }
    }

    /// Returns the reason of a refusal as a value. `None` if the node did not refuse the transaction, or
    /// responded with an error status, which [`client_error`](Self::client_error) has.
    ///
    /// Nodes state it only as text. So after a refusal, the client also requests the balance of the wallet
    /// that pays the fee.
    #[must_use]
    pub fn refusal(&self) -> Option<&Refusal> {
        self.0.refusal.as_ref()
    }

    /// Returns whether the node may have accepted the transaction: in one
    /// of these submissions or in an [earlier run](Self::or_accepted_earlier).
    ///
    /// It is false if nothing was sent. It is also false if each response has a status that means
    /// that the transaction was not accepted: 400 to 499 except 408.
    #[must_use]
    pub fn maybe_sent(&self) -> bool {
        self.0.maybe_sent
    }

    /// Returns the node's messages about a refusal, unchanged. They are not escaped.
    #[must_use]
    pub fn messages(&self) -> &[String] {
        match &self.0.fault {
            Fault::Refused(messages) => messages,
            _ => &[],
        }
    }

    /// Returns whether a refused transaction was new to the node, if the response has this.
    #[must_use]
    pub fn new_transaction(&self) -> Option<bool> {
        self.0.new_transaction
    }

    /// Returns the number of times the transaction was sent: the attempts that got a connection.
    #[must_use]
    pub fn sent(&self) -> u32 {
        self.0.sent
    }

    /// Returns the number of attempts.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        self.0.attempts
    }

    /// Returns the error of the request, if the last submission or the request that builds the
    /// transaction failed.
    #[must_use]
    pub fn client_error(&self) -> Option<&Error> {
        match &self.0.fault {
            Fault::Request(error) => Some(error),
            _ => None,
        }
    }

    /// Returns the code of the transaction, if [`Client::call`](crate::Client::call) had built one.
    #[must_use]
    pub fn trans_code(&self) -> Option<TransactionCode> {
        self.0.trans_code
    }

    /// Returns the signed transaction, if [`Client::call`](crate::Client::call) had signed one. Save
    /// it if it [may have been accepted](Self::maybe_sent).
    #[must_use]
    pub fn transaction(&self) -> Option<&SignedTransaction> {
        self.0.transaction.as_ref()
    }

    /// Returns the same error for a caller that may have sent this transaction before. If `maybe` is
    /// true, [`maybe_sent`](Self::maybe_sent) is true, too.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     node: nodeproof_client::Client,
    /// #     signed: nodeproof_client::SignedTransaction,
    /// #     sent_in_an_earlier_run: bool,
    /// # ) -> Result<(), Box<dyn std::error::Error>> {
    /// use nodeproof_client::SubmitPolicy;
    ///
    /// node.submit_with_progress(&signed, &SubmitPolicy::default(), |earlier| {
    ///     println!("submission {}", earlier + 1);
    /// })
    /// .await
    /// .map_err(|error| error.or_accepted_earlier(sent_in_an_earlier_run))?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn or_accepted_earlier(mut self, maybe: bool) -> Self {
        self.0.maybe_sent |= maybe;
        self
    }

    /// Returns a message with the transaction and the number of attempts.
    fn around(&self, message: &str) -> String {
        let code = self
            .0
            .trans_code
            .map(|code| format!("transaction {code}: "));
        let attempts = match (self.0.attempts, self.0.sent) {
            (0 | 1, _) => String::new(),
            (attempts, 0) => format!(" (tried {attempts} times, and never sent)"),
            (attempts, sent) if attempts == sent => format!(" (submitted {sent} times)"),
            (attempts, sent) => format!(" (tried {attempts} times, and sent in {sent} of them)"),
        };
        format!("{}{message}{attempts}", code.unwrap_or_default())
    }
}

impl From<InputError> for SubmitError {
    fn from(error: InputError) -> Self {
        Self::new(Fault::Input(error)).attempted(0, 0, false)
    }
}

impl From<BuiltCallMismatch> for SubmitError {
    fn from(mismatch: BuiltCallMismatch) -> Self {
        Self::new(Fault::Mismatch(mismatch)).attempted(0, 0, false)
    }
}

/// `{:#}` also shows the causes, on one line.
impl fmt::Display for SubmitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            return match &self.0.fault {
                Fault::Request(error) => f.write_str(&self.around(&format!("{error:#}"))),
                _ => f.write_str(&with_causes(self)),
            };
        }
        let message = match &self.0.fault {
            Fault::Input(error) => error.to_string(),
            Fault::Mismatch(mismatch) => mismatch.to_string(),
            Fault::Request(error) => error.to_string(),
            Fault::Refused(messages) => {
                let reason = match &self.0.refusal {
                    Some(refusal @ (Refusal::Fee { .. } | Refusal::UnknownToken { .. })) => {
                        format!("; {refusal}")
                    }
                    _ => String::new(),
                };
                let messages = joined(messages);
                format!("the node refuses the transaction: {messages}{reason}")
            }
            Fault::Unclear(reason) => {
                format!("the node does not say whether it accepted the transaction: {reason}")
            }
        };
        f.write_str(&self.around(&message))
    }
}

/// Returns the messages of a refusal as one text that is safe to print.
pub(crate) fn joined(messages: &[String]) -> String {
    if messages.is_empty() {
        return "it gives no reason".to_owned();
    }
    escaped_up_to(&messages.join("; "), 400)
}

impl fmt::Debug for SubmitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SubmitError")
            .field("message", &self.to_string())
            .field("maybe_sent", &self.0.maybe_sent)
            .field("fault", &self.0.fault)
            .finish()
    }
}

impl StdError for SubmitError {
    /// Returns the cause of the error whose message this one repeats.
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match &self.0.fault {
            Fault::Input(error) => error.source(),
            Fault::Mismatch(mismatch) => mismatch.source(),
            Fault::Request(error) => error.source(),
            Fault::Refused(_) | Fault::Unclear(_) => None,
        }
    }
}
