//! Checks that the client decodes what the documented schema accepts.

use std::sync::Arc;

use nodeproof_client::{DecodeError, FieldError, FieldFault};
use nodeproof_primitives::escape::escaped_up_to as shown;

use super::{
    finding::{Checked, Finding, Findings},
    json_response::objects,
};
use crate::{
    api::Sample,
    context::Context,
    http::{Exchange, InconclusiveReason, LIMIT_MESSAGE},
};
use nodeproof_openapi::{SchemaValidator, View};

/// The second oracle: `nodeproof-client` must decode the responses. If it fails on a response that
/// the documented schema accepts, the harness is at fault.
pub(crate) async fn decodes(
    context: &Context,
    sample: Sample,
    decode: fn(&[u8]) -> Result<(), Unread>,
) -> Findings {
    let schema = sample
        .schema(&context.spec, View::Documented)
        .ok_or_else(|| {
            InconclusiveReason::Harness("the spec does not describe this response".to_owned())
        })?;
    let validator = context
        .spec
        .validator(View::Documented, &schema)
        .map_err(|error| InconclusiveReason::Harness(error.to_string()))?;
    // The response of `/call-sc` has no documented shape, so its schema guarantees nothing.
    let promised = sample != Sample::CallSc;
    let mut findings = Checked::default();
    for exchange in objects(context, sample).await? {
        let read = decode(&exchange.body);
        findings.one();
        if let Some(finding) = decodes_one(&exchange, read, &validator, promised)? {
            findings.push(finding);
        }
    }
    Ok(findings)
}

/// The reason why the client cannot decode a response.
pub(crate) struct Unread {
    reason: String,
    /// Whether two parts of the response contradict each other.
    doubtful: bool,
}

impl From<DecodeError> for Unread {
    fn from(error: DecodeError) -> Self {
        error.to_string().into()
    }
}

impl From<FieldError> for Unread {
    fn from(error: FieldError) -> Self {
        Self {
            doubtful: matches!(error.fault(), FieldFault::Doubtful(_)),
            reason: error.to_string(),
        }
    }
}

impl From<String> for Unread {
    fn from(reason: String) -> Self {
        Self {
            reason,
            doubtful: false,
        }
    }
}

/// Whether a body has a run of digits that may be a number beyond 64 bits.
fn has_long_number(body: &[u8]) -> bool {
    const LONG: usize = 19;
    body.split(|byte| !byte.is_ascii_digit())
        .any(|digits| digits.len() >= LONG)
}

/// Checks one response. The client must decode what the schema accepts, if the schema guarantees a shape.
pub(crate) fn decodes_one(
    exchange: &Arc<Exchange>,
    read: Result<(), Unread>,
    validator: &SchemaValidator,
    promised: bool,
) -> Result<Option<Finding>, InconclusiveReason> {
    let Err(Unread { reason, doubtful }) = read else {
        return Ok(None);
    };
    let reason = shown(&reason, 300);
    // A schema cannot require that two members agree.
    if promised && !doubtful && exchange.json().is_ok_and(|value| validator.is_valid(value)) {
        // The contract does not limit numbers. The client reads times and codes into 64 bits.
        if has_long_number(&exchange.body) {
            return Err(InconclusiveReason::TooLarge(format!(
                "the response of {} has a number beyond 64 bits, {LIMIT_MESSAGE} ({reason})",
                exchange.url()
            )));
        }
        return Err(InconclusiveReason::Harness(format!(
            "the documented schema accepts the response of {}, but nodeproof-client can't read it \
             ({reason}): the spec or the client is at fault, not the node",
            exchange.url()
        )));
    }
    Ok(Some(Finding::new(
        exchange,
        format!("a client can't read the response: {reason}"),
        "a response of the documented shape",
        exchange.excerpt(160),
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_long_where_64_bits_may_not_hold_it() {
        assert!(has_long_number(br#"{"timestamp":9223372036854775808}"#));
        assert!(!has_long_number(
            br#"{"timestamp":999999999999999999,"b":12}"#
        ));
    }
}
