//! Typed functions of contracts.

use serde::Serialize;

/// A function of a contract: its name, and its parameters as the type itself.
///
/// Implement it for a type that serializes as the JSON object of the parameters. The members are
/// signed in this order. [`Client::call`](crate::Client::call) calls the function.
///
/// ```
/// use nodeproof_client::{ContractCall, ContractFunction};
/// use serde::Serialize;
///
/// #[derive(Serialize)]
/// struct Vote {
///     proposal: u64,
///     approve: bool,
/// }
///
/// impl ContractFunction for Vote {
///     const NAME: &'static str = "vote";
/// }
///
/// let contract = "ct8acac3e5d4b00f083c314707a41ca995c61c6f8c".parse()?;
/// let call = ContractCall::of(contract, &Vote { proposal: 7, approve: true })?;
/// assert_eq!(call.function_called, "vote");
/// assert_eq!(call.params.as_str(), r#"{"proposal":7,"approve":true}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait ContractFunction: Serialize {
    /// The name of the function, such as `add_verification`.
    const NAME: &'static str;
}
