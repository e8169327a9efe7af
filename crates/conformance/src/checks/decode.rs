//! Checks that the client decodes what the documented schema accepts.

use std::sync::Arc;

use nodeproof_client::InputError;
use nodeproof_primitives::escape::escaped_up_to as shown;

use super::{
    field_check::sample_schema,
    finding::{Examination, Finding, Findings},
    json_response::{contents, first_duplicate},
};
use crate::{
    api::Sample,
    http::{Exchange, InconclusiveReason, LIMIT_MESSAGE},
};
use nodeproof_openapi::{SchemaValidator, Spec};

/// How a response is decoded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decoding {
    /// Decodes the whole response as the client does.
    pub(crate) client: fn(&[u8]) -> Result<(), InputError>,
    /// Reads the members that a client needs. Other members have cases of their own.
    pub(crate) needed: fn(&str) -> Result<(), String>,
}

/// The second oracle: `nodeproof-client` must decode the responses. If it fails on a response that
/// the documented schema accepts, the harness is at fault.
pub(crate) fn decodes(
    spec: &Spec,
    sample: Sample,
    responses: &[Arc<Exchange>],
    decoding: Decoding,
) -> Findings {
    let validator = sample_schema(spec, sample)?;
    // The response of `/call-sc` has no documented shape, so its schema guarantees nothing.
    let promised = sample != Sample::CallSc;
    let mut findings = Examination::default();
    for (exchange, _) in contents(responses)? {
        findings.count_item();
        if let Some(finding) = decodes_one(exchange, decoding, &validator, promised)? {
            findings.push(finding);
        }
    }
    Ok(findings)
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
    decoding: Decoding,
    validator: &SchemaValidator,
    promised: bool,
) -> Result<Option<Finding>, InconclusiveReason> {
    let text = std::str::from_utf8(&exchange.body).unwrap_or_default();
    let needed = (decoding.needed)(text);
    if let Err(error) = (decoding.client)(&exchange.body)
        && promised
        && exchange.json().is_ok_and(|value| validator.is_valid(value))
        // A schema can't see these, and another case reports them.
        && first_duplicate(&exchange.body).is_none()
    {
        // The specification does not limit numbers. The client reads times into 64 bits.
        if has_long_number(&exchange.body) {
            return Err(InconclusiveReason::TooLarge(format!(
                "the response of {} has a number beyond 64 bits, {LIMIT_MESSAGE} ({error})",
                exchange.url()
            )));
        }
        return Err(InconclusiveReason::Harness(format!(
            "the documented schema accepts the response of {}, but nodeproof-client can't read it \
             ({error}): the spec or the client is at fault, not the node",
            exchange.url()
        )));
    }
    Ok(needed.err().map(|reason| {
        Finding::new(
            exchange,
            format!("a client can't read the response: {}", shown(&reason, 300)),
            "a response of the documented shape",
            exchange.excerpt(160),
        )
    }))
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
